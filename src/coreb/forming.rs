//! Forms queries and judgements from the corpora as the authors' program did: one running stream of
//! `random.Random(42)`, drawn from in the order in which that program asks.
//!
//! Two things cannot be formed, since what they hang on was never published: the pool of search
//! strings (so the texts of searches are taken from the published queries, one per drawn slot), and
//! v202602's draw of hard negatives (so only the rule of its pool can be checked).

mod code2code;
mod code2text;
mod text2code;

use std::collections::BTreeMap;

use super::{
    corpus::{self, Problem},
    mersenne::Random,
};
use crate::{
    sources::coreb::{Code, PublishedQuery, Release},
    tables::{Qrel, query::Task},
};

/// The seed of every stream.
const SEED: u64 = 42;
const N_NEGATIVES: usize = 3;
const GENERATOR_VERSION: &str = "v1.0";

/// The two published releases that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    V202602,
    V202603,
}

impl Edition {
    pub const ALL: [Self; 2] = [Self::V202602, Self::V202603];

    /// By the paper's name (`v202603`) or the files' (`v2603`).
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = name.strip_prefix("release_").unwrap_or(name);
        Self::ALL.into_iter().find(|edition| [edition.name(), edition.file_name()].contains(&name))
    }

    /// As the paper calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V202602 => "v202602",
            Self::V202603 => "v202603",
        }
    }

    /// As file names call it.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Self::V202602 => "v2602",
            Self::V202603 => "v2603",
        }
    }

    /// Whether hard negatives were drawn while queries were made. In v202602 another program added
    /// them later.
    #[must_use]
    pub fn draws_negatives(self) -> bool {
        self == Self::V202603
    }

    /// Whether the three code-to-code subtasks are there, or one of them.
    fn has_models_compared(self) -> bool {
        self == Self::V202603
    }

    /// Words of the stream that the block of searches in any language uses up. Found by fitting: the
    /// blocks after it are exact at this position and at no other.
    fn words_of_search_any(self) -> usize {
        match self {
            Self::V202602 => 89,
            Self::V202603 => 85,
        }
    }

    /// Words that all searches use up.
    const WORDS_OF_SEARCH_V202602: usize = 500;
}

/// What was formed, each list in the order of the published file.
#[derive(Clone, Debug, Default)]
pub struct Formed {
    pub queries: BTreeMap<Task, Vec<PublishedQuery>>,
    pub qrels: BTreeMap<Task, Vec<Qrel>>,
    /// Searches whose text or slot is unknown: id and why.
    pub unknown: Vec<(String, &'static str)>,
}

/// Forms a release again. Of the published queries only searches are looked at.
#[must_use]
pub fn form(release: &Release, edition: Edition) -> Formed {
    let problems = corpus::problems(release);
    let solved: Vec<&Problem> = problems.iter().filter(|problem| problem.passed().next().is_some()).collect();
    let mut former =
        Former { edition, random: Random::new(SEED), index: 1, task: Task::Text2Code, formed: Formed::default() };
    former.text2code(release, &problems, &solved);
    former.begin(Task::Code2Code);
    former.code2code(&solved);
    former.begin(Task::Code2Text);
    former.code2text(&solved);
    former.formed
}

/// The state of the authors' program.
struct Former {
    edition: Edition,
    random: Random,
    /// The next query's number in its task.
    index: usize,
    task: Task,
    formed: Formed,
}

impl Former {
    fn begin(&mut self, task: Task) {
        self.task = task;
        self.index = 1;
    }

    /// The published numbers skip one after each block of a task.
    fn end_block(&mut self) {
        self.index += 1;
    }

    fn next_id(&mut self, subtask: &str) -> String {
        let id = format!("q_{subtask}_{:04}", self.index);
        self.index += 1;
        id
    }

    fn blank(&self, query_id: &str, subtask: &str, problem_id: &str) -> PublishedQuery {
        PublishedQuery {
            query_id: query_id.to_owned(),
            split: self.task.name().to_owned(),
            subtask: subtask.to_owned(),
            problem_id: problem_id.to_owned(),
            generator_version: GENERATOR_VERSION.to_owned(),
            ..PublishedQuery::default()
        }
    }

    fn anchored(&self, query_id: &str, subtask: &str, anchor: &Code) -> PublishedQuery {
        PublishedQuery {
            query: anchor.code.clone(),
            anchor_language: Some(anchor.language.clone()),
            anchor_model: Some(anchor.model.clone()),
            anchor_code_id: Some(anchor.code_id.clone()),
            ..self.blank(query_id, subtask, &anchor.problem_id)
        }
    }

    fn push(&mut self, query: PublishedQuery) {
        self.formed.queries.entry(self.task).or_default().push(query);
    }

    fn judge(&mut self, query_id: &str, doc_ids: impl IntoIterator<Item = String>, relevance: u32) {
        let qrels = self.formed.qrels.entry(self.task).or_default();
        qrels.extend(doc_ids.into_iter().map(|doc_id| Qrel { query_id: query_id.to_owned(), doc_id, relevance }));
    }

    fn judge_codes(&mut self, query_id: &str, positives: &[&Code], negatives: &[&Code]) {
        self.judge(query_id, positives.iter().map(|code| code.code_id.clone()), 2);
        self.judge(query_id, negatives.iter().map(|code| code.code_id.clone()), 1);
    }

    /// Three of the pool that is filled stage by stage until three are in it. A pool of three or
    /// fewer is taken as it is, without a draw.
    fn staged<'a, const STAGES: usize>(&mut self, stages: [Vec<&'a Code>; STAGES]) -> Vec<&'a Code> {
        if !self.edition.draws_negatives() {
            return Vec::new();
        }
        let mut pool = Vec::new();
        for stage in stages {
            if pool.len() < N_NEGATIVES {
                pool.extend(stage);
            }
        }
        if pool.len() <= N_NEGATIVES { pool } else { self.random.sample(&pool, N_NEGATIVES) }
    }
}

fn owned<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// Codes that hold for a condition.
fn those<'a>(codes: &[&'a Code], keep: impl Fn(&Code) -> bool) -> Vec<&'a Code> {
    codes.iter().copied().filter(|code| keep(code)).collect()
}

fn is_claude(code: &Code) -> bool {
    code.model.starts_with("claude")
}
