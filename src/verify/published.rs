//! Holds a release in its authors' layout against the rules of `validators/rules/published.toml`.
//!
//! Every fault that the two published `CoREB` releases are known for has a rule here; where a rule
//! counts by eye measure, its declaration says how. Nothing is repaired and no flag is doubted by
//! running a program: [`crate::coreb`] does both.

mod codes;
mod labels;
mod queries;
mod similarity;
mod texts;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
};

use super::{Findings, Rule};
use crate::{
    coreb::corpus::Lookup,
    sources::coreb::{self, PublishedQuery, Release},
    tables::query::Task,
};

/// Checks the release in `dir`; gives the number of records by file.
pub(super) fn check(dir: &Path, findings: &mut Findings) -> BTreeMap<String, usize> {
    let missing: Vec<String> = coreb::files().into_iter().filter(|name| !dir.join(name).is_file()).collect();
    if !missing.is_empty() {
        for name in missing {
            findings.add(Rule::MissingFile, format!("`{name}`"));
        }
        return BTreeMap::new();
    }
    match Release::load(dir) {
        Ok(release) => check_release(&release, findings),
        Err(error) => {
            findings.add(Rule::OffSchema, format!("{error:#}"));
            BTreeMap::new()
        }
    }
}

fn check_release(release: &Release, findings: &mut Findings) -> BTreeMap<String, usize> {
    let view = View::of(release);
    check_references(&view, findings);
    labels::check(&view, findings);
    queries::check(&view, findings);
    codes::check(&view, findings);
    texts::check(&view, findings);
    n_records(release)
}

fn n_records(release: &Release) -> BTreeMap<String, usize> {
    let mut n = BTreeMap::from([
        ("code_corpus.jsonl".to_owned(), release.codes.len()),
        ("text_corpus.jsonl".to_owned(), release.texts.len()),
    ]);
    for task in Task::ALL {
        n.insert(coreb::queries_file(task), release.queries[&task].len());
        n.insert(coreb::qrels_file(task), release.qrels[&task].len());
    }
    n
}

/// A release with what all checks look up.
struct View<'a> {
    release: &'a Release,
    lookup: Lookup<'a>,
    /// Document ids with grades by query, in file order.
    judged: HashMap<&'a str, Vec<(&'a str, u32)>>,
    /// How often a program is judged, is a positive, is an anchor.
    uses: HashMap<&'a str, Uses>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Uses {
    judged: usize,
    positive: usize,
    anchor: usize,
}

impl<'a> View<'a> {
    fn of(release: &'a Release) -> Self {
        let mut judged: HashMap<&str, Vec<(&str, u32)>> = HashMap::new();
        let mut uses: HashMap<&str, Uses> = HashMap::new();
        for qrel in release.all_qrels() {
            judged.entry(&qrel.query_id).or_default().push((&qrel.doc_id, qrel.relevance));
            let uses = uses.entry(&qrel.doc_id).or_default();
            uses.judged += 1;
            uses.positive += usize::from(qrel.relevance == 2);
        }
        for anchor in release.all_queries().filter_map(|query| query.anchor_code_id.as_deref()) {
            uses.entry(anchor).or_default().anchor += 1;
        }
        Self { release, lookup: Lookup::of(release), judged, uses }
    }

    fn judged(&self, query: &PublishedQuery) -> &[(&'a str, u32)] {
        self.judged.get(query.query_id.as_str()).map_or(&[], Vec::as_slice)
    }

    fn graded(&self, query: &PublishedQuery, grade: u32) -> impl Iterator<Item = &'a str> {
        self.judged(query).iter().filter(move |(_, given)| *given == grade).map(|(doc_id, _)| *doc_id)
    }

    /// A task's queries with their places.
    fn queries(&self, task: Task) -> impl Iterator<Item = (String, &'a PublishedQuery)> {
        let queries = self.release.queries[&task].iter().enumerate();
        queries.map(move |(at, query)| (format!("`{}` line {}", coreb::queries_file(task), at + 1), query))
    }

    fn all_queries(&self) -> impl Iterator<Item = (String, &'a PublishedQuery)> {
        Task::ALL.into_iter().flat_map(|task| self.queries(task))
    }

    fn searches(&self) -> impl Iterator<Item = (String, &'a PublishedQuery)> {
        self.queries(Task::Text2Code).filter(|(_, query)| query.is_search())
    }
}

/// "`file` line 3: `id`".
fn place(file: &str, at: usize, id: &str) -> String {
    format!("`{file}` line {}: `{id}`", at + 1)
}

/// What no benchmark may have and the published ones do not: dangling references, pairs judged
/// twice, ids given twice.
fn check_references(view: &View, findings: &mut Findings) {
    let codes = view.release.codes.iter().map(|code| code.code_id.as_str());
    let texts = view.release.texts.iter().map(|text| text.text_id.as_str());
    let queries = view.release.all_queries().map(|query| query.query_id.as_str());
    let mut seen = HashSet::new();
    for id in codes.chain(texts).chain(queries).filter(|id| !seen.insert(*id)) {
        findings.add(Rule::DuplicateId, format!("`{id}`"));
    }
    for task in Task::ALL {
        let queries: HashSet<&str> = view.release.queries[&task].iter().map(|query| query.query_id.as_str()).collect();
        let mut pairs = HashSet::new();
        for (at, qrel) in view.release.qrels[&task].iter().enumerate() {
            let place = place(&coreb::qrels_file(task), at, &qrel.query_id);
            let is_there = match task {
                Task::Code2Text => view.lookup.texts.contains_key(qrel.doc_id.as_str()),
                Task::Text2Code | Task::Code2Code => view.lookup.codes.contains_key(qrel.doc_id.as_str()),
            };
            if !is_there {
                findings.add(Rule::DanglingDocument, format!("{place} and `{}`", qrel.doc_id));
            }
            if !queries.contains(qrel.query_id.as_str()) {
                findings.add(Rule::DanglingQuery, place.clone());
            }
            if !pairs.insert((&qrel.query_id, &qrel.doc_id)) {
                findings.add(Rule::DuplicatePair, format!("{place} and `{}`", qrel.doc_id));
            }
            if !matches!(qrel.relevance, 1 | 2) {
                findings.add(Rule::BadGrade, format!("{place}: {} is neither 1 nor 2", qrel.relevance));
            }
        }
    }
}
