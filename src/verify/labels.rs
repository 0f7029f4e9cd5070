//! Whether judgements say what the verdicts say.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Findings, Rule, lines::Placed, records::Records};
use crate::tables::{CodeDocument, Query, TextDocument, query::Task};

/// Lookups over all records.
struct Index<'a> {
    codes: HashMap<&'a str, &'a CodeDocument>,
    texts: HashMap<&'a str, &'a TextDocument>,
    /// Programs that passed, and the statement, by problem.
    passed: BTreeMap<&'a str, Vec<&'a CodeDocument>>,
    statements: BTreeMap<&'a str, &'a TextDocument>,
    /// Document ids with grades by query.
    judged: HashMap<&'a str, Vec<(&'a str, u32)>>,
}

impl<'a> Index<'a> {
    fn of(records: &'a Records) -> Self {
        let codes = || records.codes.iter().map(|placed| &placed.row);
        let texts = || records.texts.iter().map(|placed| &placed.row);
        let mut passed: BTreeMap<&str, Vec<&CodeDocument>> = BTreeMap::new();
        for code in codes().filter(|code| code.meta.passed) {
            passed.entry(&code.meta.source_problem_id).or_default().push(code);
        }
        let mut judged: HashMap<&str, Vec<(&str, u32)>> = HashMap::new();
        for qrel in records.qrels.values().flatten().map(|placed| &placed.row) {
            judged.entry(&qrel.query_id).or_default().push((&qrel.doc_id, qrel.relevance));
        }
        let statements = texts().filter(|text| !text.meta.is_noise_sample);
        Self {
            codes: codes().map(|code| (code.code_id.as_str(), code)).collect(),
            texts: texts().map(|text| (text.text_id.as_str(), text)).collect(),
            passed,
            statements: statements.map(|text| (text.meta.source_problem_id.as_str(), text)).collect(),
            judged,
        }
    }

    fn judged(&self, query: &Query) -> &[(&'a str, u32)] {
        self.judged.get(query.query_id.as_str()).map_or(&[], Vec::as_slice)
    }

    fn graded(&self, query: &Query, grade: u32) -> impl Iterator<Item = &'a str> {
        self.judged(query).iter().filter(move |(_, given)| *given == grade).map(|(doc_id, _)| *doc_id)
    }
}

pub(super) fn check(records: &Records, findings: &mut Findings) {
    let index = Index::of(records);
    for placed in &records.queries {
        check_counts(placed, &index, findings);
        check_grades(placed, &index, findings);
        check_missing(placed, &index, findings);
        check_anchor(placed, &index, findings);
        check_pair(placed, &index, findings);
    }
    check_anchor_map(records, findings);
    check_repeated_pairs(records, &index, findings);
}

fn check_counts(Placed { row, place }: &Placed<Query>, index: &Index, findings: &mut Findings) {
    let (n_positives, n_negatives) = (index.graded(row, 2).count(), index.graded(row, 1).count());
    if n_positives == 0 && row.label != Some(0) {
        findings.add(Rule::NoPositive, format!("{place}: `{}`", row.query_id));
    }
    let stated = (row.meta.num_relevant_docs as usize, row.meta.num_hard_negatives as usize);
    if stated != (n_positives, n_negatives) {
        findings.add(
            Rule::WrongCount,
            format!("{place}: `{}` states {stated:?}, judged are {n_positives} and {n_negatives}", row.query_id),
        );
    }
}

fn check_grades(Placed { row, place }: &Placed<Query>, index: &Index, findings: &mut Findings) {
    for (doc_id, grade) in index.judged(row) {
        let pair = || format!("{place}: `{}` and `{doc_id}`", row.query_id);
        let (problem_id, answers) = match (index.codes.get(doc_id), index.texts.get(doc_id)) {
            (Some(code), _) => (&code.meta.source_problem_id, code.meta.passed),
            (None, Some(text)) => (&text.meta.source_problem_id, !text.meta.is_noise_sample),
            // Told as dangling.
            (None, None) => continue,
        };
        let is_own = *problem_id == row.meta.source_problem_id;
        match (grade, is_own) {
            (2, false) => findings.add(Rule::ForeignPositive, pair()),
            (2, true) if !answers && row.split != Task::Code2Text => findings.add(Rule::FailedPositive, pair()),
            (2, true) if !answers || !wants_id(row, doc_id, index) => findings.add(Rule::WrongTarget, pair()),
            (1, true) if answers => findings.add(Rule::PassedNegative, pair()),
            (1, false) if row.label != Some(0) => findings.add(Rule::ForeignNegative, pair()),
            _ => {}
        }
    }
}

fn wants_id(query: &Query, doc_id: &str, index: &Index) -> bool {
    index.codes.get(doc_id).is_none_or(|code| wants(query, code))
}

/// Whether a right program of the query's problem is of the kind that its subtask asks for.
fn wants(query: &Query, code: &CodeDocument) -> bool {
    let same_language = query.anchor_language == Some(code.language);
    let same_model = query.anchor_model.as_ref() == Some(&code.model);
    match query.subtask.as_str() {
        "c2c_mono_lang" => same_language && !same_model,
        "c2c_cross_lang" => !same_language && same_model,
        "c2c_cross_model" => !same_language && !same_model,
        _ => query.language_constraint.as_deref().is_none_or(|name| name == "none" || name == code.language.name()),
    }
}

/// A document that answers the query and is not judged counts as a miss.
fn check_missing(Placed { row, place }: &Placed<Query>, index: &Index, findings: &mut Findings) {
    let problem_id = row.meta.source_problem_id.as_str();
    let wanted: Vec<&str> = match row.split {
        Task::Code2Text if row.label == Some(0) => Vec::new(),
        Task::Code2Text => index.statements.get(problem_id).map(|text| text.text_id.as_str()).into_iter().collect(),
        Task::Text2Code | Task::Code2Code => {
            let passed = index.passed.get(problem_id).into_iter().flatten();
            passed.filter(|code| wants(row, code)).map(|code| code.code_id.as_str()).collect()
        }
    };
    let positives: HashSet<&str> = index.graded(row, 2).collect();
    for doc_id in wanted.into_iter().filter(|doc_id| !positives.contains(doc_id)) {
        findings.add(Rule::MissingPositive, format!("{place}: `{}` lacks `{doc_id}`", row.query_id));
    }
}

fn check_anchor(Placed { row, place }: &Placed<Query>, index: &Index, findings: &mut Findings) {
    let Some(anchor_id) = row.meta.anchor_code_id.as_deref() else { return };
    if index.judged(row).iter().any(|(doc_id, _)| *doc_id == anchor_id) {
        findings.add(Rule::AnchorJudged, format!("{place}: `{}` judges `{anchor_id}`", row.query_id));
    }
    let is_that = |code: &&CodeDocument| {
        code.code == row.query
            && code.meta.passed
            && code.meta.source_problem_id == row.meta.source_problem_id
            && Some(code.language) == row.anchor_language
            && Some(&code.model) == row.anchor_model.as_ref()
    };
    if !index.codes.get(anchor_id).is_some_and(is_that) {
        findings.add(Rule::AnchorMap, format!("{place}: `{}` is not made of `{anchor_id}`", row.query_id));
    }
}

/// The map names exactly the anchors of code2code queries.
fn check_anchor_map(records: &Records, findings: &mut Findings) {
    let queries = records.queries.iter().filter(|placed| placed.row.split == Task::Code2Code);
    let mut anchors: BTreeMap<&str, (&str, &String)> = queries
        .map(|Placed { row, place }| {
            (row.query_id.as_str(), (row.meta.anchor_code_id.as_deref().unwrap_or_default(), place))
        })
        .collect();
    for Placed { row, place } in &records.anchors {
        match anchors.remove(row.query_id.as_str()) {
            Some((code_id, _)) if code_id == row.code_id => {}
            _ => findings.add(Rule::AnchorMap, format!("{place}: `{}` with `{}`", row.query_id, row.code_id)),
        }
    }
    for (query_id, (_, place)) in anchors {
        findings.add(Rule::AnchorMap, format!("{place}: `{query_id}` has no line in `anchors.jsonl`"));
    }
}

/// A match pair is judged as its label says.
fn check_pair(Placed { row, place }: &Placed<Query>, index: &Index, findings: &mut Findings) {
    if row.subtask != "c2t_match" {
        return;
    }
    let text_id = row.text_id.as_deref().unwrap_or_default();
    let problem_id = index.texts.get(text_id).map(|text| text.meta.source_problem_id.as_str());
    let own = row.meta.source_problem_id.as_str();
    let fits = match row.label {
        Some(1) => problem_id == Some(own) && index.judged(row).contains(&(text_id, 2)),
        Some(0) => {
            problem_id.is_some()
                && problem_id != Some(own)
                && problem_id == row.meta.negative_problem_id.as_deref()
                && index.judged(row) == [(text_id, 1)]
        }
        _ => false,
    };
    if !fits {
        findings.add(Rule::MatchPair, format!("{place}: `{}` with `{text_id}`", row.query_id));
    }
}

/// No program asks for the same document in two subtasks. Match pairs are no searches.
fn check_repeated_pairs(records: &Records, index: &Index, findings: &mut Findings) {
    let mut seen: HashMap<(&str, &str), &str> = HashMap::new();
    let searches = records.queries.iter().filter(|placed| placed.row.label.is_none());
    for Placed { row, place } in searches.filter(|placed| placed.row.split != Task::Text2Code) {
        for doc_id in index.graded(row, 2) {
            if let Some(earlier) = seen.insert((&row.query, doc_id), &row.query_id) {
                let ids = format!("{place}: `{}` and `{earlier}` both find `{doc_id}`", row.query_id);
                findings.add(Rule::RepeatedPair, ids);
            }
        }
    }
}
