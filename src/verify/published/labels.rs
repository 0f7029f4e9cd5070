//! Whether judgements say what the pass flags say.

use std::collections::HashSet;

use super::{Findings, Rule, View, similarity};
use crate::{coreb::corpus::Problem, sources::coreb::PublishedQuery, stats, tables::query::Task};

const N_NEGATIVES: usize = 3;

pub(super) fn check(view: &View, findings: &mut Findings) {
    for (place, query) in view.all_queries() {
        check_positives(view, &place, query, findings);
        check_counts(view, &place, query, findings);
    }
    for (place, query) in view.queries(Task::Text2Code) {
        check_passed_negatives(view, &place, query, Rule::PassedNegativeText, findings);
        check_number(view, &place, query, findings);
    }
    for (place, query) in view.queries(Task::Code2Code) {
        check_passed_negatives(view, &place, query, Rule::PassedNegativeCode, findings);
        if query.subtask == "c2c_cross_lang" {
            check_translations(view, &place, query, findings);
        }
        check_anchor(view, &place, query, findings);
    }
    check_dropped(view, findings);
    for (place, query) in view.queries(Task::Code2Text) {
        check_texts(view, &place, query, findings);
    }
    check_near_duplicates(view, findings);
}

fn check_positives(view: &View, place: &str, query: &PublishedQuery, findings: &mut Findings) {
    let mut positives = view.graded(query, 2).peekable();
    if positives.peek().is_none() {
        findings.add(Rule::NoPositive, format!("{place}: `{}`", query.query_id));
    }
    for doc_id in positives {
        if view.lookup.codes.get(doc_id).is_some_and(|code| !code.passed) {
            let pair = format!("{place}: `{}` and `{doc_id}`", query.query_id);
            findings.add_of_query(Rule::FailedPositive, &query.query_id, pair);
        }
        if view.lookup.problem_of(doc_id).is_some_and(|problem_id| problem_id != query.problem_id) {
            findings.add(Rule::ForeignPositive, format!("{place}: `{}` and `{doc_id}`", query.query_id));
        }
    }
}

fn check_counts(view: &View, place: &str, query: &PublishedQuery, findings: &mut Findings) {
    let n_positives = stats::count(view.graded(query, 2).count());
    for stated in query.num_relevant_docs.iter().chain(&query.num_target_solutions) {
        if (stated.value() - n_positives).abs() > 0.5 {
            findings.add(Rule::WrongCount, format!("{place}: `{}` states {}", query.query_id, stated.0));
        }
    }
}

fn check_passed_negatives(view: &View, place: &str, query: &PublishedQuery, rule: Rule, findings: &mut Findings) {
    for doc_id in view.graded(query, 1) {
        if view.lookup.codes.get(doc_id).is_some_and(|code| code.passed && code.problem_id == query.problem_id) {
            findings.add_of_query(rule, &query.query_id, format!("{place}: `{}` and `{doc_id}`", query.query_id));
        }
    }
}

fn check_number(view: &View, place: &str, query: &PublishedQuery, findings: &mut Findings) {
    let n_negatives = view.graded(query, 1).count();
    if n_negatives < N_NEGATIVES {
        findings.add(Rule::FewNegatives, format!("{place}: `{}` has {n_negatives}", query.query_id));
        findings.add_part(Rule::FewNegatives, "none", usize::from(n_negatives == 0));
    }
}

/// Right programs in another language than the anchor's that are no positives.
fn check_translations(view: &View, place: &str, query: &PublishedQuery, findings: &mut Findings) {
    let Some(problem) = view.lookup.problems.get(query.problem_id.as_str()) else { return };
    for code in problem.passed().filter(|code| Some(&code.language) != query.anchor_language.as_ref()) {
        let grade = view.judged(query).iter().find(|(doc_id, _)| *doc_id == code.code_id).map(|(_, grade)| *grade);
        let rule = match grade {
            Some(1) => Rule::TranslationNegative,
            None => Rule::UnjudgedTranslation,
            Some(_) => continue,
        };
        findings.add_of_query(rule, &query.query_id, format!("{place}: `{}` and `{}`", query.query_id, code.code_id));
    }
}

fn check_anchor(view: &View, place: &str, query: &PublishedQuery, findings: &mut Findings) {
    if view.judged(query).iter().any(|(doc_id, _)| Some(*doc_id) == query.anchor_code_id.as_deref()) {
        findings.add(Rule::AnchorJudged, format!("{place}: `{}`", query.query_id));
    }
}

/// "Failed programs first": of min(3, failed candidates) some are not judged. Queries that take
/// failed programs for positives are told by another rule.
fn check_dropped(view: &View, findings: &mut Findings) {
    let mut n_code2code = 0;
    for task in [Task::Text2Code, Task::Code2Code] {
        for (place, query) in view.queries(task) {
            let Some(problem) = view.lookup.problems.get(query.problem_id.as_str()) else { continue };
            let Some((n_failed, n_judged)) = failed(view, query, problem) else { continue };
            let is_dropped = n_judged < N_NEGATIVES.min(n_failed);
            if is_dropped && task == Task::Text2Code {
                let why = format!("{place}: `{}` judges {n_judged} of {n_failed} failed programs", query.query_id);
                findings.add(Rule::DroppedFailed, why);
            }
            n_code2code += usize::from(is_dropped && task == Task::Code2Code);
        }
    }
    findings.add_part(Rule::DroppedFailed, "code2code", n_code2code);
}

/// Failed candidates, and how many of them are hard negatives.
fn failed(view: &View, query: &PublishedQuery, problem: &Problem) -> Option<(usize, usize)> {
    let is_failed = |id: &str| view.lookup.codes.get(id).is_some_and(|code| !code.passed);
    if view.graded(query, 2).any(is_failed) || query.subtask == "t2c_search_any" {
        return None;
    }
    Some((problem.failed().count(), view.graded(query, 1).filter(|id| is_failed(id)).count()))
}

fn check_texts(view: &View, place: &str, query: &PublishedQuery, findings: &mut Findings) {
    for doc_id in view.graded(query, 1) {
        if view.lookup.texts.get(doc_id).is_some_and(|text| text.problem_id() != query.problem_id) {
            let pair = format!("{place}: `{}` and `{doc_id}`", query.query_id);
            findings.add_of_query(Rule::ForeignNegative, &query.query_id, pair);
        }
    }
    let is_judged = |text_id: &str| view.judged(query).iter().any(|(doc_id, _)| *doc_id == text_id);
    if query.is_negative_pair() && query.text_id.as_deref().is_some_and(|text_id| !is_judged(text_id)) {
        findings.add(Rule::UnjudgedPair, format!("{place}: `{}`", query.query_id));
    }
}

fn check_near_duplicates(view: &View, findings: &mut Findings) {
    let mut near: HashSet<(&str, &str)> = HashSet::new();
    for problem in view.lookup.problems.values() {
        for (a, b) in similarity::near_duplicates(&problem.codes) {
            findings.add(Rule::NearDuplicates, format!("`{}` and `{}`", a.code_id, b.code_id));
            findings.add_part(Rule::NearDuplicates, "different_flags", usize::from(a.passed != b.passed));
            near.extend([(a.code_id.as_str(), b.code_id.as_str()), (b.code_id.as_str(), a.code_id.as_str())]);
        }
    }
    for task in [Task::Text2Code, Task::Code2Code] {
        for (place, query) in view.queries(task) {
            let is_near = |a| view.graded(query, 1).any(|b| near.contains(&(a, b)));
            if let Some(positive) = view.graded(query, 2).find(|a| is_near(a)) {
                findings.add(Rule::NearDuplicateGrades, format!("{place}: `{}` and `{positive}`", query.query_id));
                findings.add_part(Rule::NearDuplicateGrades, task.name(), 1);
            }
        }
    }
}
