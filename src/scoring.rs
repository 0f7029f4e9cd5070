//! What rankings are worth: the measures of `trec_eval`, averaged by subtask, task and over all.
//!
//! Two rules are the benchmark's own. Only relevance 2 is relevant: a hard negative (1) gains
//! nothing in nDCG and is not relevant elsewhere. And a query without a positive document says
//! nothing, so it stays out of the averages unless asked for; how many there are is in every average.

pub mod measures;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    retrieval::{Collection, Hit, Rankings},
    stats::{self, count},
    tables::{Query, query::Task},
};

/// The relevance of a positive document.
pub const POSITIVE: u32 = 2;
/// The relevance of a hard negative.
pub const HARD_NEGATIVE: u32 = 1;

/// What happens to queries without a positive document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutPositive {
    /// They are counted and left out of averages.
    Excluded,
    /// They score 0, as in `trec_eval`.
    Zero,
}

/// One query's measures by name. A measure that is undefined for the query is not there.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryScore {
    pub query_id: String,
    pub subtask: String,
    pub has_positive: bool,
    pub measures: BTreeMap<String, f64>,
}

/// Means over queries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Average {
    pub n_queries: usize,
    /// Queries that the means are over.
    pub n_averaged: usize,
    /// Queries for which nothing is relevant.
    pub n_without_positive: usize,
    /// By name, to six decimals. A measure that is undefined for some queries is averaged over the
    /// others; it is not there when it is undefined for all.
    pub measures: BTreeMap<String, f64>,
}

/// One task's averages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskScores {
    pub task: Task,
    pub average: Average,
    pub subtasks: BTreeMap<String, Average>,
}

/// Scores every query of a collection; a query without a ranking has retrieved nothing.
#[must_use]
pub fn score_queries(collection: &Collection, rankings: &Rankings, cutoffs: &[usize]) -> Vec<QueryScore> {
    let mut judged: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
    for qrel in &collection.qrels {
        judged.entry(&qrel.query_id).or_default().insert(&qrel.doc_id, qrel.relevance);
    }
    let nothing = BTreeMap::new();
    let score = |query: &Query| {
        let anchor = collection.anchors.get(&query.query_id);
        let hits = rankings.get(&query.query_id).map_or(&[][..], |ranking| ranking.hits());
        let hits: Vec<&Hit> = hits.iter().filter(|hit| Some(&hit.doc_id) != anchor).collect();
        score_query(query, &hits, judged.get(query.query_id.as_str()).unwrap_or(&nothing), cutoffs)
    };
    collection.queries.iter().map(score).collect()
}

fn score_query(query: &Query, hits: &[&Hit], judged: &BTreeMap<&str, u32>, cutoffs: &[usize]) -> QueryScore {
    let grades: Vec<u32> = hits.iter().map(|hit| judged.get(hit.doc_id.as_str()).copied().unwrap_or(0)).collect();
    let n_relevant = judged.values().filter(|grade| **grade >= POSITIVE).count();
    let mut measures = relevance_measures(&grades, judged, n_relevant, cutoffs);
    measures.extend(intrusion_measures(&grades, judged, n_relevant, cutoffs));
    if let Some(share) = tied_share(hits, cutoffs) {
        measures.insert("tied_share".to_owned(), share);
    }
    QueryScore {
        query_id: query.query_id.clone(),
        subtask: query.subtask.clone(),
        has_positive: n_relevant > 0,
        measures,
    }
}

fn relevance_measures(
    grades: &[u32],
    judged: &BTreeMap<&str, u32>,
    n_relevant: usize,
    cutoffs: &[usize],
) -> BTreeMap<String, f64> {
    let gain = |grade: u32| if grade >= POSITIVE { grade } else { 0 };
    let gains: Vec<u32> = grades.iter().map(|grade| gain(*grade)).collect();
    let all_gains: Vec<u32> = judged.values().map(|grade| gain(*grade)).collect();
    let relevant: Vec<bool> = grades.iter().map(|grade| *grade >= POSITIVE).collect();
    let mut measures = BTreeMap::from([
        ("map".to_owned(), measures::average_precision(&relevant, n_relevant, relevant.len())),
        ("recip_rank".to_owned(), measures::reciprocal_rank(&relevant)),
    ]);
    for k in cutoffs {
        measures.insert(format!("ndcg_cut_{k}"), measures::ndcg(&gains, &all_gains, *k));
        measures.insert(format!("map_cut_{k}"), measures::average_precision(&relevant, n_relevant, *k));
        measures.insert(format!("recall_{k}"), measures::recall(&relevant, n_relevant, *k));
        measures.insert(format!("P_{k}"), measures::precision(&relevant, *k));
    }
    measures
}

/// How far hard negatives get; undefined where nobody judged one.
fn intrusion_measures(
    grades: &[u32],
    judged: &BTreeMap<&str, u32>,
    n_relevant: usize,
    cutoffs: &[usize],
) -> BTreeMap<String, f64> {
    if judged.values().all(|grade| *grade != HARD_NEGATIVE) {
        return BTreeMap::new();
    }
    let is_hard: Vec<bool> = grades.iter().map(|grade| *grade == HARD_NEGATIVE).collect();
    let mut measures: BTreeMap<String, f64> =
        cutoffs.iter().map(|k| (format!("hard_negative_share_{k}"), measures::precision(&is_hard, *k))).collect();
    if n_relevant > 0 {
        let best = |wanted: &dyn Fn(u32) -> bool| grades.iter().position(|grade| wanted(*grade));
        let is_first = match (best(&|grade| grade == HARD_NEGATIVE), best(&|grade| grade >= POSITIVE)) {
            (Some(hard), Some(positive)) => hard < positive,
            (hard, None) => hard.is_some(),
            (None, _) => false,
        };
        measures.insert("hard_negative_first".to_owned(), f64::from(u8::from(is_first)));
    }
    measures
}

/// The share of hits down to the deepest cutoff whose score another hit has as well: how much of a
/// score hangs on document ids. Undefined where nothing was retrieved.
fn tied_share(hits: &[&Hit], cutoffs: &[usize]) -> Option<f64> {
    let top = &hits[..hits.len().min(cutoffs.iter().copied().max().unwrap_or(0))];
    let same = |a: &Hit, b: Option<&&Hit>| b.is_some_and(|b| a.score.to_bits() == b.score.to_bits());
    let is_tied = |i: usize| same(hits[i], hits.get(i + 1)) || (i > 0 && same(hits[i], hits.get(i - 1)));
    (!top.is_empty()).then(|| count((0..top.len()).filter(|i| is_tied(*i)).count()) / count(top.len()))
}

/// Averages a task's scores.
#[must_use]
pub fn average_task(task: Task, scores: &[QueryScore], without_positive: WithoutPositive) -> TaskScores {
    let names: BTreeSet<&str> = scores.iter().map(|score| score.subtask.as_str()).collect();
    let of_subtask = |name: &str| {
        let scores = scores.iter().filter(|score| score.subtask == name);
        (name.to_owned(), average(scores, without_positive))
    };
    TaskScores {
        task,
        average: average(scores, without_positive),
        subtasks: names.into_iter().map(of_subtask).collect(),
    }
}

/// The means over all queries given: over several tasks, each weighs by its number of queries.
pub fn average<'a>(scores: impl IntoIterator<Item = &'a QueryScore>, without_positive: WithoutPositive) -> Average {
    let mut average = Average { n_queries: 0, n_averaged: 0, n_without_positive: 0, measures: BTreeMap::new() };
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for score in scores {
        average.n_queries += 1;
        average.n_without_positive += usize::from(!score.has_positive);
        if !score.has_positive && without_positive == WithoutPositive::Excluded {
            continue;
        }
        average.n_averaged += 1;
        for (name, value) in &score.measures {
            values.entry(name).or_default().push(*value);
        }
    }
    let mean = |values: &[f64]| (stats::mean(values).unwrap_or(0.0) * 1e6).round() / 1e6;
    average.measures = values.into_iter().map(|(name, values)| (name.to_owned(), mean(&values))).collect();
    average
}

/// What each measure is, to stand beside the numbers.
#[must_use]
pub fn definitions() -> BTreeMap<String, String> {
    DEFINITIONS.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

const DEFINITIONS: &[(&str, &str)] = &[
    ("ndcg_cut_k", "linear gain / log2(rank + 1), first k hits, over the ideal first k; relevance below 2 gains 0"),
    ("map_cut_k", "sum of precision at each relevant hit among the first k, over all relevant documents"),
    ("map", "the same without a cutoff"),
    ("recall_k", "relevant hits among the first k, over all relevant documents"),
    ("P_k", "relevant hits among the first k, over k"),
    ("recip_rank", "1 / rank of the first relevant hit, 0 without one"),
    (
        "hard_negative_share_k",
        "hits of relevance 1 among the first k, over k; over queries with a judged hard negative",
    ),
    ("hard_negative_first", "share of queries with a judged hard negative where one stands above every positive"),
    ("tied_share", "hits down to the deepest cutoff whose score another hit of the ranking has as well"),
    ("relevant", "relevance 2; ties by document id descending as bytes, scores in single precision, as trec_eval"),
];

#[cfg(test)]
mod published;
#[cfg(test)]
#[expect(clippy::float_cmp, reason = "averages are rounded, so they are exact")]
mod tests;
