//! `queries`, `qrels` and `anchors`, as the release writes them (one file a task).

use serde::{Deserialize, Serialize};

use super::{Row, Table};
use crate::{ids, languages::Language};

/// The three retrieval tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    Text2Code,
    Code2Code,
    Code2Text,
}

impl Task {
    pub const ALL: [Self; 3] = [Self::Text2Code, Self::Code2Code, Self::Code2Text];

    /// The name in file names and records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text2Code => "text2code",
            Self::Code2Code => "code2code",
            Self::Code2Text => "code2text",
        }
    }

    /// The abbreviation in subtask names and ids.
    #[must_use]
    pub fn short(self) -> &'static str {
        match self {
            Self::Text2Code => "t2c",
            Self::Code2Code => "c2c",
            Self::Code2Text => "c2t",
        }
    }
}

/// A query of any task. Fields that a task does not know are left out of its records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    pub query_id: String,
    pub query: String,
    /// The task.
    pub split: Task,
    pub subtask: String,
    /// text2code: `language_agnostic` or `language_specific`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_type: Option<String>,
    /// text2code: `abbreviated`, `full_description`, `algorithm_search` or `description_search`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_query_type: Option<String>,
    /// text2code: a language, or `none`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language_constraint: Option<String>,
    /// Code queries: the anchor, i.e. the program that the query is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_language: Option<Language>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_model: Option<String>,
    /// Match queries: the text to judge against, and whether it is the anchor's own (1) or not (0).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<u32>,
    /// Match queries: `full` or `canonical`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_type: Option<String>,
    pub meta: QueryMeta,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryMeta {
    pub source_problem_id: String,
    /// Search queries: the kind that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_query_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_code_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_languages: Option<Vec<Language>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_languages: Option<Vec<Language>>,
    /// Match queries: `positive` or `negative_random`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negative_problem_id: Option<String>,
    /// Documents of relevance 2.
    pub num_relevant_docs: u32,
    /// Documents of relevance 1.
    pub num_hard_negatives: u32,
    pub difficulty_level: Option<u32>,
    pub created_at: String,
    pub generator_version: String,
}

/// A judgement: 2 is a positive, 1 a hard negative; what is absent is an easy negative.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Qrel {
    pub query_id: String,
    pub doc_id: String,
    pub relevance: u32,
}

/// Which document a code query is made of: to be left out of that query's ranking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    pub query_id: String,
    pub code_id: String,
}

impl Row for Query {
    const TABLE: Table = Table::Queries;

    fn key(&self) -> String {
        self.query_id.clone()
    }
}

impl Row for Qrel {
    const TABLE: Table = Table::Qrels;

    /// Positives first, then by document.
    fn key(&self) -> String {
        ids::join(&[&self.query_id, &(9 - self.relevance.min(9)).to_string(), &self.doc_id])
    }
}

impl Row for Anchor {
    const TABLE: Table = Table::Anchors;

    fn key(&self) -> String {
        self.query_id.clone()
    }
}
