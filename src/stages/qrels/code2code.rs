//! Program queries that ask for other programs of the same problem.
//!
//! Every program that passed is an anchor, so the relation is symmetric. The three subtasks split
//! the other right programs among them: no pair of anchor and positive stands in two of them.

use super::{
    Settings,
    candidate::{Candidate, query_id},
    view::View,
};
use crate::tables::{CodeDocument, query::Task};

/// A subtask and which programs it is after, given the anchor.
struct Subtask {
    name: &'static str,
    wants: fn(anchor: &CodeDocument, other: &CodeDocument) -> bool,
}

const SUBTASKS: [Subtask; 3] = [
    Subtask { name: "c2c_mono_lang", wants: |a, b| a.language == b.language && a.model != b.model },
    Subtask { name: "c2c_cross_lang", wants: |a, b| a.language != b.language && a.model == b.model },
    Subtask { name: "c2c_cross_model", wants: |a, b| a.language != b.language && a.model != b.model },
];

pub(super) fn queries(view: &View, settings: &Settings) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for anchor in &view.passed {
        candidates.extend(SUBTASKS.iter().filter_map(|subtask| query(view, settings, subtask, anchor)));
    }
    candidates
}

/// `None` where no other right program is of the wanted kind.
fn query(view: &View, settings: &Settings, subtask: &Subtask, anchor: &CodeDocument) -> Option<Candidate> {
    let wants = |document: &CodeDocument| (subtask.wants)(anchor, document);
    let targets: Vec<&CodeDocument> = view.passed.iter().copied().filter(|document| wants(document)).collect();
    if targets.is_empty() {
        return None;
    }
    let id = query_id(settings, subtask.name, &anchor.meta.solution_key);
    let mut candidate = Candidate::of_anchor(settings, view, Task::Code2Code, subtask.name, id, anchor);
    let mut languages: Vec<_> = targets.iter().map(|document| document.language).collect();
    languages.sort_unstable();
    languages.dedup();
    candidate.query.meta.target_languages = Some(languages);
    candidate.positives = targets.iter().map(|document| document.code_id.clone()).collect();
    candidate.negatives = view.draw_failed(settings, &candidate.query.query_id, wants);
    Some(candidate)
}
