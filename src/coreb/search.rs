//! BM25 over a published release, scored by our measures.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    retrieval::Collection,
    scoring::{self, WithoutPositive},
    sources::coreb::{PublishedQuery, Release},
    tables::{
        Query,
        query::{QueryMeta, Task},
    },
};

const DEPTH: usize = 100;
pub const MEASURE: &str = "ndcg_cut_10";

/// One task or subtask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    pub n_queries: usize,
    /// Mean nDCG@10 of queries with a positive; null without one.
    pub ndcg_10: Option<f64>,
}

/// nDCG@10 by task (`text2code`) and by subtask.
#[must_use]
pub fn bm25(release: &Release) -> BTreeMap<String, Score> {
    Task::ALL.into_iter().flat_map(|task| scores(&collection(release, task))).collect()
}

fn scores(collection: &Collection) -> BTreeMap<String, Score> {
    let rankings = collection.search_bm25(DEPTH);
    let scored = scoring::score_queries(collection, &rankings, &[10]);
    let averages = scoring::average_task(collection.task, &scored, WithoutPositive::Excluded);
    let score = |average: &scoring::Average| Score {
        n_queries: average.n_queries,
        ndcg_10: average.measures.get(MEASURE).copied(),
    };
    let subtasks = averages.subtasks.iter().map(|(name, average)| (name.clone(), score(average)));
    subtasks.chain([(collection.task.name().to_owned(), score(&averages.average))]).collect()
}

fn collection(release: &Release, task: Task) -> Collection {
    let documents = match task {
        Task::Text2Code | Task::Code2Code => {
            release.codes.iter().map(|code| (code.code_id.clone(), code.code.clone())).collect()
        }
        Task::Code2Text => release.texts.iter().map(|text| (text.text_id.clone(), text.text.clone())).collect(),
    };
    let published = &release.queries[&task];
    let anchor = |query: &PublishedQuery| Some((query.query_id.clone(), query.anchor_code_id.clone()?));
    let anchors = match task {
        Task::Code2Code => published.iter().filter_map(anchor).collect(),
        Task::Text2Code | Task::Code2Text => BTreeMap::new(),
    };
    Collection {
        task,
        documents,
        queries: published.iter().map(|row| query(row, task)).collect(),
        qrels: release.qrels[&task].clone(),
        anchors,
    }
}

/// What scoring needs of a query.
fn query(row: &PublishedQuery, task: Task) -> Query {
    Query {
        query_id: row.query_id.clone(),
        query: row.query.clone(),
        split: task,
        subtask: row.subtask.clone(),
        query_type: None,
        sub_query_type: None,
        language_constraint: None,
        anchor_language: None,
        anchor_model: None,
        text_id: None,
        label: None,
        text_type: None,
        meta: QueryMeta {
            source_problem_id: row.problem_id.clone(),
            original_query_type: None,
            anchor_code_id: row.anchor_code_id.clone(),
            target_languages: None,
            available_languages: None,
            pair_type: None,
            negative_problem_id: None,
            num_relevant_docs: 0,
            num_hard_negatives: 0,
            difficulty_level: None,
            created_at: row.created_at.clone(),
            generator_version: row.generator_version.clone(),
        },
    }
}
