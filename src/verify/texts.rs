//! Checks of one document or of the questions, without judgements.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet, HashSet},
};

use super::{Findings, Rule, lines::Placed, records::Records};
use crate::{
    languages::Language,
    tables::{CodeDocument, Query, TextDocument, query::Task},
    verdict::Verdict,
};

pub(super) fn check_documents(records: &Records, findings: &mut Findings) {
    for Placed { row, place } in &records.codes {
        check_text(&row.code, row.code_length, place, findings);
        if let Some(why) = contradiction(row) {
            findings.add(Rule::WrongVerdict, format!("{place}: `{}` {why}", row.code_id));
        }
    }
    for Placed { row, place } in &records.texts {
        check_text(&row.text, row.text_length, place, findings);
        check_abbreviation(row, place, findings);
    }
}

fn check_text(text: &str, length: usize, place: &str, findings: &mut Findings) {
    if text.trim().is_empty() {
        findings.add(Rule::EmptyText, place);
    }
    let n_chars = text.chars().count();
    if n_chars != length {
        findings.add(Rule::WrongLength, format!("{place}: {length} is stated, it has {n_chars} characters"));
    }
}

fn check_abbreviation(row: &TextDocument, place: &str, findings: &mut Findings) {
    let n_chars = row.abbreviated_text.as_ref().map(|text| text.chars().count());
    if n_chars != row.abbreviated_text_length {
        findings.add(Rule::WrongLength, format!("{place}: the abbreviation's length"));
    }
}

fn contradiction(row: &CodeDocument) -> Option<&'static str> {
    let meta = &row.meta;
    let rate = f64::from(meta.test_passed) / f64::from(meta.test_total);
    if meta.test_total == 0 {
        Some("was judged on no test")
    } else if !meta.verdict.is_label() {
        Some("has no verdict of its own")
    } else if meta.passed != (meta.verdict == Verdict::Accepted) {
        Some("has a pass flag that its verdict denies")
    } else if meta.passed != (meta.test_passed == meta.test_total) {
        Some("has a pass flag that its test counts deny")
    } else if (rate - meta.pass_rate).abs() > 1e-9 {
        Some("has a pass rate that its test counts deny")
    } else {
        None
    }
}

pub(super) fn check_queries(records: &Records, findings: &mut Findings) {
    let problems = records.texts.iter().map(|placed| placed.row.meta.source_problem_id.as_str());
    let problems: HashSet<&str> =
        problems.chain(records.queries.iter().map(|placed| placed.row.meta.source_problem_id.as_str())).collect();
    let others: HashSet<&str> = problems.iter().copied().flat_map(names).filter(|id| is_telling(id)).collect();
    for Placed { row, place } in &records.queries {
        if row.query.trim().is_empty() {
            findings.add(Rule::EmptyText, place.clone());
        }
        if let Some(block) = row.subtask.strip_prefix("t2c_search_") {
            check_search(row, block, &others, place, findings);
        }
    }
    check_repeated(records, findings);
}

fn check_search(row: &Query, block: &str, others: &HashSet<&str>, place: &str, findings: &mut Findings) {
    let text = row.query.to_lowercase();
    let own = names(&row.meta.source_problem_id);
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    if let Some(word) = words.into_iter().find(|word| own.contains(word) || others.contains(word)) {
        findings.add(Rule::LeakedId, format!("{place}: `{word}` in \"{}\"", row.query));
    }
    let named: Vec<&str> = Language::named_in(&row.query).into_iter().map(Language::name).collect();
    let wanted: Vec<&str> = if block == "any" { Vec::new() } else { vec![block] };
    if named != wanted {
        findings.add(Rule::SearchLanguage, format!("{place}: \"{}\" for {block}", row.query));
    }
}

/// A problem's id, and the id that its source gives it.
fn names(problem_id: &str) -> [&str; 2] {
    [problem_id, problem_id.split_once('_').map_or(problem_id, |(_, id)| id)]
}

/// Whether an id of another problem can be told from a word or a number.
fn is_telling(id: &str) -> bool {
    id.contains(|c: char| c.is_ascii_digit()) && id.contains(|c: char| c.is_ascii_alphabetic())
}

/// The same question twice in a subtask, or from two problems of one task.
fn check_repeated(records: &Records, findings: &mut Findings) {
    let mut by_text: BTreeMap<(Task, Cow<str>), Vec<&Placed<Query>>> = BTreeMap::new();
    for placed in records.queries.iter().filter(|placed| placed.row.label != Some(0)) {
        by_text.entry((placed.row.split, question(&placed.row))).or_default().push(placed);
    }
    for group in by_text.values().filter(|group| group.len() > 1) {
        let first = group[0];
        let mut subtasks = BTreeSet::new();
        for placed in group {
            let ids = format!("{}: `{}`, as `{}`", placed.place, placed.row.query_id, first.row.query_id);
            if placed.row.meta.source_problem_id != first.row.meta.source_problem_id {
                findings.add(Rule::ContradictoryQuery, ids);
            } else if !subtasks.insert(&placed.row.subtask) {
                findings.add(Rule::DuplicateQuery, ids);
            }
        }
    }
}

/// Case and white space make no other question of a text. Programs are compared as they are.
fn question(query: &Query) -> Cow<'_, str> {
    match query.split {
        Task::Text2Code => Cow::Owned(query.query.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()),
        Task::Code2Code | Task::Code2Text => Cow::Borrowed(&query.query),
    }
}
