//! Queries that cannot stay: without a positive, asked twice, or asked by two problems.

use std::{borrow::Cow, collections::BTreeMap};

use super::candidate::Candidate;
use crate::tables::{Reason, Rejected, query::Task};

/// Drops queries that nothing answers. A match pair of label 0 has no positive by nature.
pub(super) fn without_positive(candidates: Vec<Candidate>, rejected: &mut Vec<Rejected>) -> Vec<Candidate> {
    let (kept, out): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|candidate| !candidate.positives.is_empty() || candidate.is_negative_pair());
    rejected.extend(out.iter().map(|candidate| candidate.reject(Reason::NoPositive, "no document passed or is left")));
    kept
}

/// Where two problems ask the same in one task, each one's positives are the other's misses: both
/// questions go. Where one problem asks the same twice in a subtask, the first stays.
pub(super) fn resolve(candidates: Vec<Candidate>, rejected: &mut Vec<Rejected>) -> Vec<Candidate> {
    let mut candidates = candidates;
    candidates.sort_by(|a, b| a.query.query_id.cmp(&b.query.query_id));
    let verdicts = verdicts(&candidates);
    let mut kept = Vec::with_capacity(candidates.len());
    for (candidate, verdict) in candidates.into_iter().zip(verdicts) {
        match verdict {
            None => kept.push(candidate),
            Some((reason, detail)) => rejected.push(candidate.reject(reason, detail)),
        }
    }
    kept
}

/// Per candidate, why it has to go.
fn verdicts(candidates: &[Candidate]) -> Vec<Option<(Reason, String)>> {
    let mut verdicts = vec![None; candidates.len()];
    let mut by_text: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, candidate) in candidates.iter().enumerate().filter(|(_, candidate)| !candidate.is_negative_pair()) {
        by_text.entry((candidate.query.split, question(candidate))).or_default().push(at);
    }
    let problem = |at: usize| candidates[at].query.meta.source_problem_id.as_str();
    for group in by_text.values() {
        let first = group[0];
        if let Some(other) = group.iter().copied().find(|at| problem(*at) != problem(first)) {
            let detail = format!("`{}` and `{}` ask the same", problem(first), problem(other));
            for at in group {
                verdicts[*at] = Some((Reason::ContradictoryLabel, detail.clone()));
            }
            continue;
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for at in group {
            if let Some(earlier) = seen.get(candidates[*at].query.subtask.as_str()) {
                let detail = format!("the same as `{}`", candidates[*earlier].query.query_id);
                verdicts[*at] = Some((Reason::DuplicateQuery, detail));
            } else {
                seen.insert(&candidates[*at].query.subtask, *at);
            }
        }
    }
    verdicts
}

/// Case and white space make no other question of a text. Programs are compared as they are.
fn question(candidate: &Candidate) -> Cow<'_, str> {
    let text = candidate.query.query.as_str();
    match candidate.query.split {
        Task::Text2Code => Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()),
        Task::Code2Code | Task::Code2Text => Cow::Borrowed(text),
    }
}
