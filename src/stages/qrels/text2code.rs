//! Text queries that ask for programs: the statement, its abbreviation, and search strings.
//!
//! A query that names a language wants programs that passed in that language. Programs that passed
//! in another one are not judged for it: they answer the problem, not the query.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Input, Settings,
    candidate::{Candidate, query_id},
    draw,
    view::View,
};
use crate::{
    languages::{Language, names_foreign_language},
    tables::{Reason, Rejected, Row, SearchKind, SearchQuery, query::Task},
};

/// The statement and its abbreviation as queries, for any language and for each that was solved.
pub(super) fn retro(view: &View, settings: &Settings) -> Vec<Candidate> {
    let abbreviated = view.abbreviated.map(|text| ("canonical_retro", "abbreviated", text));
    let texts = abbreviated.into_iter().chain([("full_retro", "full_description", view.full.as_str())]);
    let mut candidates = Vec::new();
    for (family, kind, text) in texts {
        for block in blocks(view) {
            let subtask = subtask(family, block);
            let id = query_id(settings, &subtask, &format!("{}_0", view.problem_id));
            let mut candidate = query(view, settings, &subtask, id, block, text.to_owned());
            candidate.query.sub_query_type = Some(kind.to_owned());
            candidates.push(candidate);
        }
    }
    candidates
}

/// Search strings as queries: each in the block `any`, and in each language that was solved with
/// the language named.
pub(super) fn search(
    input: &Input,
    settings: &Settings,
    views: &[View],
    rejected: &mut Vec<Rejected>,
) -> Vec<Candidate> {
    let views: BTreeMap<&str, &View> = views.iter().map(|view| (view.problem_id, view)).collect();
    let mut candidates = Vec::new();
    for row in &input.search_queries {
        let Some(view) = views.get(row.problem_id.as_str()) else {
            let detail = format!("`{}` has no rewrite", row.problem_id);
            rejected.push(Rejected { key: row.key(), reason: Reason::ProblemRejected, detail });
            continue;
        };
        if !Language::named_in(&row.text).is_empty() || names_foreign_language(&row.text) {
            rejected.push(Rejected { key: row.key(), reason: Reason::NamesLanguage, detail: row.text.clone() });
            continue;
        }
        candidates.extend(blocks(view).into_iter().map(|block| search_query(row, view, settings, block)));
    }
    candidates
}

/// Draws each search block down to its limit. A lower bound of ranks: one more query can push one
/// out, and never changes which of two others stays.
pub(super) fn cap_search(
    candidates: Vec<Candidate>,
    settings: &Settings,
    rejected: &mut Vec<Rejected>,
) -> Vec<Candidate> {
    let mut blocks: BTreeMap<String, Vec<(draw::Rank, &str)>> = BTreeMap::new();
    for candidate in candidates.iter().filter(|candidate| is_search(candidate)) {
        let id = candidate.query.query_id.as_str();
        blocks.entry(candidate.query.subtask.clone()).or_default().push((draw::rank(settings.seed, &[id]), id));
    }
    let mut drawn = BTreeSet::new();
    for ranks in blocks.values_mut() {
        ranks.sort_unstable();
        drawn.extend(ranks.iter().take(settings.max_search_queries).map(|(_, id)| (*id).to_owned()));
    }
    let (kept, out): (Vec<_>, Vec<_>) = candidates
        .into_iter()
        .partition(|candidate| !is_search(candidate) || drawn.contains(&candidate.query.query_id));
    let detail = format!("the limit is {} queries a block", settings.max_search_queries);
    rejected.extend(out.iter().map(|candidate| candidate.reject(Reason::OverQueryLimit, detail.clone())));
    kept
}

fn is_search(candidate: &Candidate) -> bool {
    candidate.query.subtask.starts_with("t2c_search_")
}

/// The id of a search string's query in a block.
pub(super) fn search_id(row: &SearchQuery, block: Option<Language>, settings: &Settings) -> String {
    let rest = format!("{}_{}_{}", row.problem_id, row.kind.name(), row.n);
    query_id(settings, &subtask("search", block), &rest)
}

fn search_query(row: &SearchQuery, view: &View, settings: &Settings, block: Option<Language>) -> Candidate {
    let text = match block {
        None => row.text.clone(),
        Some(language) => format!("{} in {}", row.text.trim_end(), language.title()),
    };
    let subtask = subtask("search", block);
    let mut candidate = query(view, settings, &subtask, search_id(row, block, settings), block, text);
    // The published records know two kinds; a title counts among the algorithm searches.
    let kind = match row.kind {
        SearchKind::Algorithm | SearchKind::Title => "algorithm_search",
        SearchKind::Description => "description_search",
    };
    candidate.query.sub_query_type = Some(kind.to_owned());
    candidate.query.meta.original_query_type = Some(format!("{}_search", row.kind.name()));
    candidate
}

/// Any language first, then each in which the problem was solved.
fn blocks(view: &View) -> Vec<Option<Language>> {
    std::iter::once(None).chain(view.languages().into_iter().map(Some)).collect()
}

fn subtask(family: &str, block: Option<Language>) -> String {
    format!("t2c_{family}_{}", block.map_or("any", Language::name))
}

fn query(
    view: &View,
    settings: &Settings,
    subtask: &str,
    id: String,
    block: Option<Language>,
    text: String,
) -> Candidate {
    let mut candidate = Candidate::new(settings, view, Task::Text2Code, subtask, id, text);
    let kind = if block.is_some() { "language_specific" } else { "language_agnostic" };
    candidate.query.query_type = Some(kind.to_owned());
    candidate.query.language_constraint = Some(block.map_or("none", Language::name).to_owned());
    candidate.positives = view.passed_in(block).iter().map(|document| document.code_id.clone()).collect();
    candidate.negatives = view.draw_failed(settings, &candidate.query.query_id, |document| {
        block.is_none_or(|language| document.language == language)
    });
    candidate
}
