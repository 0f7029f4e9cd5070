//! A directory in the layout of BEIR: `corpus.jsonl`, `queries.jsonl`, `qrels/*.tsv`. The faults are
//! those on which its loaders stop, or worse, go on.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::Result;
use serde_json::Value;

use super::{
    Findings, Rule, duplicates,
    lines::{self, Placed},
    records::check_id,
};

/// What the directory holds, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct Beir {
    pub documents: BTreeMap<String, String>,
    pub queries: BTreeMap<String, String>,
    /// Of all splits.
    pub qrels: BTreeSet<(String, String, i64)>,
    pub n_records: BTreeMap<String, usize>,
}

/// Checks `dir`; `shown` stands before file names in messages.
pub(super) fn check(dir: &Path, shown: &str, findings: &mut Findings) -> Result<Beir> {
    let mut beir = Beir::default();
    let corpus = lines::read(dir, "corpus.jsonl", &format!("{shown}corpus.jsonl"), findings)?;
    beir.n_records.insert(format!("{shown}corpus.jsonl"), corpus.len());
    for Placed { row, place } in &corpus {
        if !row["title"].is_string() {
            findings.add(Rule::NoTitle, place.clone());
        }
    }
    beir.documents = texts(&corpus, findings);
    let queries = lines::read(dir, "queries.jsonl", &format!("{shown}queries.jsonl"), findings)?;
    beir.n_records.insert(format!("{shown}queries.jsonl"), queries.len());
    beir.queries = texts(&queries, findings);
    for id in beir.queries.keys().filter(|id| beir.documents.contains_key(*id)) {
        findings.add(Rule::SharedPrefix, format!("`{id}` is a query and a document"));
    }
    let splits = splits(dir, shown, findings)?;
    for split in &splits {
        check_split(dir, shown, split, &mut beir, findings)?;
    }
    let documents = beir.documents.iter().map(|(id, text)| (id.as_str(), text.as_str()));
    // Inside a release the records beside this layout have told it already.
    if shown.is_empty() {
        let qrels = beir.qrels.iter().map(|(query_id, doc_id, score)| (query_id.as_str(), doc_id.as_str(), *score));
        duplicates::check(documents, qrels, findings);
    }
    check_positives(&beir, shown, findings);
    check_configs(dir, shown, findings)?;
    Ok(beir)
}

/// `_id` and `text` of each row.
fn texts(rows: &[Placed<Value>], findings: &mut Findings) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    for Placed { row, place } in rows {
        check_id(&row["_id"], place, findings);
        let Some(text) = row["text"].as_str() else {
            findings.add(Rule::OffSchema, format!("{place}: no field `text`"));
            continue;
        };
        if text.trim().is_empty() {
            findings.add(Rule::EmptyText, place.clone());
        }
        let Some(id) = row["_id"].as_str() else { continue };
        if texts.insert(id.to_owned(), text.to_owned()).is_some() {
            findings.add(Rule::DuplicateId, format!("{place}: `{id}`"));
        }
    }
    texts
}

/// Names of the splits: the stems of `qrels/*.tsv`.
fn splits(dir: &Path, shown: &str, findings: &mut Findings) -> Result<BTreeSet<String>> {
    let mut splits = BTreeSet::new();
    let qrels = dir.join("qrels");
    if qrels.is_dir() {
        for entry in fs_err::read_dir(&qrels)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            splits.extend(name.strip_suffix(".tsv").map(str::to_owned));
        }
    }
    if splits.is_empty() {
        findings.add(Rule::MissingFile, format!("`{shown}qrels/test.tsv`"));
    }
    Ok(splits)
}

fn check_split(dir: &Path, shown: &str, split: &str, beir: &mut Beir, findings: &mut Findings) -> Result<()> {
    let name = format!("qrels/{split}.tsv");
    let shown_name = format!("{shown}{name}");
    let Some(bytes) = lines::bytes(dir, &name, &shown_name, findings)? else { return Ok(()) };
    let rows = tsv(&bytes, &shown_name, findings);
    beir.n_records.insert(shown_name.clone(), rows.len());
    let mut pairs: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for Placed { row: (query_id, doc_id, score), place } in &rows {
        if !beir.queries.contains_key(query_id) {
            findings.add(Rule::DanglingQuery, format!("{place}: `{query_id}`"));
        }
        if !beir.documents.contains_key(doc_id) {
            findings.add(Rule::DanglingDocument, format!("{place}: `{doc_id}`"));
        }
        if let Some(earlier) = pairs.insert((query_id, doc_id), *score) {
            let grades = format!("scores {earlier} and {score}");
            findings.add(Rule::DuplicatePair, format!("{place}: `{query_id}` and `{doc_id}`, {grades}"));
        }
    }
    let qrels: BTreeSet<(String, String, i64)> = rows.into_iter().map(|placed| placed.row).collect();
    check_twin(dir, shown, split, &qrels, findings)?;
    beir.qrels.extend(qrels);
    Ok(())
}

/// Judgements of a TSV file. The first line is a header, whatever it says; where it is a judgement,
/// loaders lose it.
fn tsv(bytes: &[u8], shown: &str, findings: &mut Findings) -> Vec<Placed<(String, String, i64)>> {
    let mut rows = Vec::new();
    for (number, line) in lines::numbered(bytes) {
        let place = format!("`{shown}` line {number}");
        let line = String::from_utf8_lossy(line);
        if line.trim().is_empty() {
            findings.add(Rule::BlankLine, place);
            continue;
        }
        let columns: Vec<&str> = line.split('\t').collect();
        if number == 1 && columns == ["query-id", "corpus-id", "score"] {
            continue;
        }
        if number == 1 {
            findings.add(Rule::NoHeader, format!("{place}: `{line}`"));
        }
        let [query_id, doc_id, score] = columns[..] else {
            findings.add(Rule::BadColumns, format!("{place}: {} columns", columns.len()));
            continue;
        };
        match score.parse::<u32>() {
            Ok(grade) => rows.push(Placed { row: (query_id.to_owned(), doc_id.to_owned(), i64::from(grade)), place }),
            // A header in other words is no judgement.
            Err(_) if number == 1 && score.parse::<f64>().is_err() => {}
            Err(_) => findings.add(Rule::BadGrade, format!("{place}: `{score}` is not a whole number")),
        }
    }
    rows
}

/// The JSON Lines form of a split, where there is one, must say the same.
fn check_twin(
    dir: &Path,
    shown: &str,
    split: &str,
    qrels: &BTreeSet<(String, String, i64)>,
    findings: &mut Findings,
) -> Result<()> {
    let name = format!("qrels/{split}.jsonl");
    if !dir.join(&name).is_file() {
        return Ok(());
    }
    let shown_name = format!("{shown}{name}");
    let mut twin = BTreeSet::new();
    for Placed { row, place } in lines::read(dir, &name, &shown_name, findings)? {
        match (row["query-id"].as_str(), row["corpus-id"].as_str(), row["score"].as_i64().filter(|score| *score >= 0)) {
            (Some(query_id), Some(doc_id), Some(score)) => {
                twin.insert((query_id.to_owned(), doc_id.to_owned(), score));
            }
            (Some(_), Some(_), None) => findings.add(Rule::BadGrade, format!("{place}: {}", row["score"])),
            _ => findings.add(Rule::OffSchema, format!("{place}: not `query-id`, `corpus-id`, `score`")),
        }
    }
    if let Some((query_id, doc_id, _)) = twin.symmetric_difference(qrels).next() {
        findings.add(Rule::QrelsDisagree, format!("`{shown_name}`: `{query_id}` and `{doc_id}`"));
    }
    Ok(())
}

fn check_positives(beir: &Beir, shown: &str, findings: &mut Findings) {
    let answered: BTreeSet<&String> =
        beir.qrels.iter().filter(|(_, _, score)| *score > 0).map(|(query_id, ..)| query_id).collect();
    for id in beir.queries.keys().filter(|id| !answered.contains(id)) {
        findings.add(Rule::NoPositive, format!("`{shown}queries.jsonl`: `{id}`"));
    }
}

fn check_configs(dir: &Path, shown: &str, findings: &mut Findings) -> Result<()> {
    let path = dir.join("README.md");
    if !path.is_file() {
        return Ok(());
    }
    let text = fs_err::read_to_string(path)?;
    let header = text.strip_prefix("---").and_then(|rest| rest.split_once("\n---")).map_or("", |(header, _)| header);
    let paths: Vec<&str> = header.lines().filter_map(|line| line.trim().strip_prefix("path: ")).collect();
    let kinds: BTreeSet<_> = paths.iter().map(|path| Path::new(path).extension()).collect();
    if kinds.len() > 1 {
        findings.add(Rule::MixedConfigs, format!("`{shown}README.md`"));
    }
    Ok(())
}
