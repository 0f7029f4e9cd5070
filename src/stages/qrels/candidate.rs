//! A query with its judgements, before it is known whether it can stay.

use super::{HARD_NEGATIVE, POSITIVE, Settings, view::View};
use crate::tables::{
    Anchor, CodeDocument, Qrel, Query, Reason, Rejected,
    query::{QueryMeta, Task},
};

/// Which program made these queries.
const GENERATOR_VERSION: &str = concat!("corebuild ", env!("CARGO_PKG_VERSION"));

#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub query: Query,
    /// Document ids.
    pub positives: Vec<String>,
    pub negatives: Vec<String>,
}

impl Candidate {
    /// A query of a problem that nothing is known of yet.
    pub(super) fn new(
        settings: &Settings,
        view: &View,
        task: Task,
        subtask: &str,
        query_id: String,
        text: String,
    ) -> Self {
        let meta = QueryMeta {
            source_problem_id: view.problem_id.to_owned(),
            original_query_type: None,
            anchor_code_id: None,
            target_languages: None,
            available_languages: None,
            pair_type: None,
            negative_problem_id: None,
            num_relevant_docs: 0,
            num_hard_negatives: 0,
            difficulty_level: view.level,
            created_at: settings.created_at.clone(),
            generator_version: GENERATOR_VERSION.to_owned(),
        };
        let query = Query {
            query_id,
            query: text,
            split: task,
            subtask: subtask.to_owned(),
            query_type: None,
            sub_query_type: None,
            language_constraint: None,
            anchor_language: None,
            anchor_model: None,
            text_id: None,
            label: None,
            text_type: None,
            meta,
        };
        Self { query, positives: Vec::new(), negatives: Vec::new() }
    }

    /// A query made of a program.
    pub(super) fn of_anchor(
        settings: &Settings,
        view: &View,
        task: Task,
        subtask: &str,
        query_id: String,
        anchor: &CodeDocument,
    ) -> Self {
        let mut candidate = Self::new(settings, view, task, subtask, query_id, anchor.code.clone());
        candidate.query.anchor_language = Some(anchor.language);
        candidate.query.anchor_model = Some(anchor.model.clone());
        candidate.query.meta.anchor_code_id = Some(anchor.code_id.clone());
        candidate
    }

    /// A pair to be told apart, not a search: it has no positive by nature.
    pub(super) fn is_negative_pair(&self) -> bool {
        self.query.label == Some(0)
    }

    pub(super) fn reject(&self, reason: Reason, detail: impl Into<String>) -> Rejected {
        Rejected { key: self.query.query_id.clone(), reason, detail: detail.into() }
    }

    pub(super) fn qrels(&self) -> Vec<Qrel> {
        let grade = |doc_id: &String, relevance| Qrel {
            query_id: self.query.query_id.clone(),
            doc_id: doc_id.clone(),
            relevance,
        };
        let positives = self.positives.iter().map(|doc_id| grade(doc_id, POSITIVE));
        positives.chain(self.negatives.iter().map(|doc_id| grade(doc_id, HARD_NEGATIVE))).collect()
    }

    /// Only where the anchor is itself a document that the query could find.
    pub(super) fn anchor(&self) -> Option<Anchor> {
        let code_id = self.query.meta.anchor_code_id.clone().filter(|_| self.query.split == Task::Code2Code)?;
        Some(Anchor { query_id: self.query.query_id.clone(), code_id })
    }

    pub(super) fn into_query(mut self) -> Query {
        let count = |ids: &[String]| u32::try_from(ids.len()).expect("a query has fewer documents than 2^32");
        self.query.meta.num_relevant_docs = count(&self.positives);
        self.query.meta.num_hard_negatives = count(&self.negatives);
        self.query
    }
}

/// `q_<release>_<subtask>_<rest>`.
pub(super) fn query_id(settings: &Settings, subtask: &str, rest: &str) -> String {
    format!("q_{}_{subtask}_{rest}", settings.release)
}
