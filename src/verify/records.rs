//! A release in the published record files: loads them, checks each record by its schema, and runs
//! the checks that need more than one record.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
};

use anyhow::{Result, anyhow};
use jsonschema::Validator;
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    Findings, Rule,
    beir::{self, Beir},
    duplicates, labels,
    lines::{self, Placed},
    manifest, texts,
};
use crate::{
    ids,
    tables::{Anchor, CodeDocument, Qrel, Query, TextDocument, query::Task},
};

/// All records that are what their schema says.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub codes: Vec<Placed<CodeDocument>>,
    pub texts: Vec<Placed<TextDocument>>,
    pub queries: Vec<Placed<Query>>,
    pub qrels: BTreeMap<Task, Vec<Placed<Qrel>>>,
    pub anchors: Vec<Placed<Anchor>>,
    n_by_file: BTreeMap<String, usize>,
}

/// Checks the release in `dir`; gives the number of records by file.
///
/// The manifest, the records and the other layout are read side by side, and their findings put
/// together in this order.
pub(super) fn check(dir: &Path, findings: &mut Findings) -> Result<BTreeMap<String, usize>> {
    let ((name, loaded), exported) = rayon::join(
        || {
            rayon::join(
                || Findings::of(|findings| manifest::check(dir, findings)),
                || Findings::of(|findings| load(dir, findings)),
            )
        },
        || Task::ALL.par_iter().map(|task| read_beir(dir, *task)).collect::<Vec<_>>(),
    );
    let name = findings.take(name)?;
    let records = findings.take(loaded)?;
    check_ids(&records, name.as_deref(), findings);
    check_references(&records, findings);
    texts::check_documents(&records, findings);
    texts::check_queries(&records, findings);
    labels::check(&records, findings);
    check_duplicates(&records, findings);
    let mut n_records = records.n_by_file.clone();
    for (task, exported) in Task::ALL.into_iter().zip(exported) {
        if let Some(exported) = findings.take(exported)? {
            check_same(task, &exported, &records, findings);
            n_records.extend(exported.n_records);
        }
    }
    Ok(n_records)
}

fn load(dir: &Path, findings: &mut Findings) -> Result<Records> {
    let mut records = Records::default();
    let mut read = Reader { dir, findings, n_records: BTreeMap::new() };
    records.codes = read.file("code_corpus.jsonl", "code_id", CODE_DOCUMENT)?;
    records.texts = read.file("text_corpus.jsonl", "text_id", TEXT_DOCUMENT)?;
    for task in Task::ALL {
        let schema = match task {
            Task::Text2Code => TEXT2CODE_QUERY,
            Task::Code2Code => CODE2CODE_QUERY,
            Task::Code2Text => CODE2TEXT_QUERY,
        };
        records.queries.extend(read.file(&format!("{}_queries.jsonl", task.name()), "query_id", schema)?);
        let qrels = read.file(&format!("{}_qrels.jsonl", task.name()), "query_id", QREL)?;
        records.qrels.insert(task, qrels);
    }
    records.anchors = read.file("anchors.jsonl", "query_id", ANCHOR)?;
    records.n_by_file = read.n_records;
    Ok(records)
}

const CODE_DOCUMENT: &str = include_str!("../../validators/records/code_document.schema.json");
const TEXT_DOCUMENT: &str = include_str!("../../validators/records/text_document.schema.json");
const TEXT2CODE_QUERY: &str = include_str!("../../validators/records/text2code_query.schema.json");
const CODE2CODE_QUERY: &str = include_str!("../../validators/records/code2code_query.schema.json");
const CODE2TEXT_QUERY: &str = include_str!("../../validators/records/code2text_query.schema.json");
const QREL: &str = include_str!("../../validators/records/qrel.schema.json");
const ANCHOR: &str = include_str!("../../validators/records/anchor.schema.json");

struct Reader<'a> {
    dir: &'a Path,
    findings: &'a mut Findings,
    n_records: BTreeMap<String, usize>,
}

impl Reader<'_> {
    fn file<R: DeserializeOwned>(&mut self, name: &str, id_field: &str, schema: &str) -> Result<Vec<Placed<R>>> {
        let validator = validator(schema)?;
        let values = lines::read(self.dir, name, name, self.findings)?;
        self.n_records.insert(name.to_owned(), values.len());
        let mut rows = Vec::with_capacity(values.len());
        for Placed { row, place } in values {
            check_id(&row[id_field], &place, self.findings);
            if let Some(grade) = row.get("relevance").filter(|grade| !matches!(grade.as_u64(), Some(1 | 2))) {
                self.findings.add(Rule::BadGrade, format!("{place}: {grade} is neither 1 nor 2"));
            }
            if let Some(why) = off_schema(&validator, &row) {
                self.findings.add(Rule::OffSchema, format!("{place}: {why}"));
            }
            // A record that only breaks a pattern can still be checked for more.
            match serde_json::from_value(row) {
                Ok(row) => rows.push(Placed { row, place }),
                Err(error) => self.findings.add(Rule::OffSchema, format!("{place}: {error}")),
            }
        }
        Ok(rows)
    }
}

fn validator(schema: &str) -> Result<Validator> {
    let schema: Value = serde_json::from_str(schema)?;
    jsonschema::validator_for(&schema).map_err(|error| anyhow!("a schema of records is broken: {error}"))
}

fn off_schema(validator: &Validator, row: &Value) -> Option<String> {
    if validator.is_valid(row) {
        return None;
    }
    let error = validator.iter_errors(row).next()?;
    let at = error.instance_path().to_string();
    let mut why = if at.is_empty() { error.to_string() } else { format!("`{at}`: {error}") };
    if let Some((end, _)) = why.char_indices().nth(200) {
        why.truncate(end);
    }
    Some(why)
}

/// An id must be a string that no reader retypes.
pub(super) fn check_id(id: &Value, place: &str, findings: &mut Findings) {
    match id.as_str() {
        Some(id) if ids::is_safe(id) => {}
        Some(id) => findings.add(Rule::UnsafeId, format!("{place}: `{id}`")),
        None => findings.add(Rule::UnsafeId, format!("{place}: {id} is not a string")),
    }
}

fn check_ids(records: &Records, name: Option<&str>, findings: &mut Findings) {
    let codes = records.codes.iter().map(|placed| ("code", placed.row.code_id.as_str(), &placed.place));
    let texts = records.texts.iter().map(|placed| ("text", placed.row.text_id.as_str(), &placed.place));
    let queries = records.queries.iter().map(|placed| ("q", placed.row.query_id.as_str(), &placed.place));
    let mut seen: HashMap<&str, &String> = HashMap::new();
    for (prefix, id, place) in codes.chain(texts).chain(queries) {
        if let Some(earlier) = seen.insert(id, place) {
            findings.add(Rule::DuplicateId, format!("{place}: `{id}` stands in {earlier} too"));
        }
        if name.is_some_and(|name| !id.starts_with(&format!("{prefix}_{name}_"))) {
            findings.add(Rule::ForeignId, format!("{place}: `{id}`"));
        }
        if id.starts_with("q_") != (prefix == "q") {
            findings.add(Rule::SharedPrefix, format!("{place}: `{id}`"));
        }
    }
}

fn check_references(records: &Records, findings: &mut Findings) {
    let codes: BTreeSet<&str> = records.codes.iter().map(|placed| placed.row.code_id.as_str()).collect();
    let texts: BTreeSet<&str> = records.texts.iter().map(|placed| placed.row.text_id.as_str()).collect();
    for (task, qrels) in &records.qrels {
        let of_task = records.queries.iter().filter(|placed| placed.row.split == *task);
        let queries: BTreeSet<&str> = of_task.map(|placed| placed.row.query_id.as_str()).collect();
        let documents = if *task == Task::Code2Text { &texts } else { &codes };
        let mut pairs: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        for Placed { row, place } in qrels {
            if !queries.contains(row.query_id.as_str()) {
                findings.add(Rule::DanglingQuery, format!("{place}: `{}`", row.query_id));
            }
            if !documents.contains(row.doc_id.as_str()) {
                findings.add(Rule::DanglingDocument, format!("{place}: `{}`", row.doc_id));
            }
            if let Some(grade) = pairs.insert((&row.query_id, &row.doc_id), row.relevance) {
                let Qrel { query_id, doc_id, relevance } = row;
                let grades = format!("grades {grade} and {relevance}");
                findings.add(Rule::DuplicatePair, format!("{place}: `{query_id}` and `{doc_id}`, {grades}"));
            }
        }
    }
}

fn check_duplicates(records: &Records, findings: &mut Findings) {
    let qrels = |tasks: &'static [Task]| {
        let qrels = tasks.iter().filter_map(|task| records.qrels.get(task)).flatten();
        qrels.map(|placed| (placed.row.query_id.as_str(), placed.row.doc_id.as_str(), i64::from(placed.row.relevance)))
    };
    let codes = records.codes.iter().map(|placed| (placed.row.code_id.as_str(), placed.row.code.as_str()));
    duplicates::check(codes, qrels(&[Task::Text2Code, Task::Code2Code]), findings);
    let texts = records.texts.iter().map(|placed| (placed.row.text_id.as_str(), placed.row.text.as_str()));
    duplicates::check(texts, qrels(&[Task::Code2Text]), findings);
}

/// The same benchmark in the other layout, with every fault of its own.
fn read_beir(dir: &Path, task: Task) -> (Result<Option<Beir>>, Findings) {
    Findings::of(|findings| {
        let shown = beir_dir(task);
        let dir = dir.join(&shown);
        if dir.is_dir() {
            return beir::check(&dir, &shown, findings).map(Some);
        }
        findings.add(Rule::MissingFile, format!("`{shown}`"));
        Ok(None)
    })
}

fn beir_dir(task: Task) -> String {
    format!("beir/{}/", task.name())
}

/// Whether the other layout says what the records say.
fn check_same(task: Task, exported: &Beir, records: &Records, findings: &mut Findings) {
    let of_task = records.queries.iter().map(|placed| &placed.row).filter(|query| query.split == task);
    let searches = of_task.filter(|query| query.label != Some(0));
    let queries: BTreeMap<&str, &str> = searches.map(|query| (query.query_id.as_str(), query.query.as_str())).collect();
    let qrels = records.qrels.get(&task).into_iter().flatten().map(|placed| &placed.row);
    let qrels: BTreeSet<(&str, &str, i64)> = qrels
        .filter(|qrel| queries.contains_key(qrel.query_id.as_str()))
        .map(|qrel| (qrel.query_id.as_str(), qrel.doc_id.as_str(), i64::from(qrel.relevance)))
        .collect();
    let documents: BTreeMap<&str, &str> = match task {
        Task::Code2Text => records.texts.iter().map(|p| (p.row.text_id.as_str(), p.row.text.as_str())).collect(),
        _ => records.codes.iter().map(|p| (p.row.code_id.as_str(), p.row.code.as_str())).collect(),
    };
    let exported_qrels =
        exported.qrels.iter().map(|(query, document, score)| (query.as_str(), document.as_str(), *score));
    for (same, file) in [
        (same_texts(&exported.documents, &documents), "corpus.jsonl"),
        (same_texts(&exported.queries, &queries), "queries.jsonl"),
        (exported_qrels.eq(qrels), "qrels/test.tsv"),
    ] {
        if !same {
            findings.add(Rule::BeirMismatch, format!("`{}{file}`", beir_dir(task)));
        }
    }
}

fn same_texts(exported: &BTreeMap<String, String>, own: &BTreeMap<&str, &str>) -> bool {
    exported.iter().map(|(id, text)| (id.as_str(), text.as_str())).eq(own.iter().map(|(id, text)| (*id, *text)))
}
