//! Rows → the bytes of the record files: the published names and fields, and beside them the layout
//! that BEIR, MTEB and `datasets` read.
//!
//! Every record of a file has the same fields, null where it has no value: readers that infer a
//! schema from the first lines must not be surprised by a later one.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use anyhow::Result;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Records;
use crate::tables::{CodeDocument, Query, Row, query::Task};

/// All record files by path.
pub(super) fn files(records: &Records) -> Result<BTreeMap<String, Vec<u8>>> {
    let records = &sorted(records);
    let mut files = BTreeMap::new();
    files.insert("code_corpus.jsonl".to_owned(), jsonl(&records.code_documents)?);
    files.insert("text_corpus.jsonl".to_owned(), jsonl(&records.text_documents)?);
    files.insert("anchors.jsonl".to_owned(), jsonl(&records.anchors)?);
    for task in Task::ALL {
        let queries: Vec<&Query> = records.queries.iter().filter(|query| query.split == task).collect();
        let ids: BTreeSet<&str> = queries.iter().map(|query| query.query_id.as_str()).collect();
        let qrels: Vec<_> = records.qrels.iter().filter(|qrel| ids.contains(qrel.query_id.as_str())).collect();
        let queries = queries.into_iter().map(record).collect::<Result<Vec<_>>>()?;
        files.insert(format!("{}_queries.jsonl", task.name()), jsonl(&queries)?);
        files.insert(format!("{}_qrels.jsonl", task.name()), jsonl(&qrels)?);
        beir(records, task, &mut files)?;
    }
    Ok(files)
}

/// Records sorted by key, whatever order they came in.
fn sorted(records: &Records) -> Records {
    let mut records = records.clone();
    records.queries.sort_by_cached_key(Row::key);
    records.code_documents.sort_by_cached_key(Row::key);
    records.text_documents.sort_by_cached_key(Row::key);
    records.qrels.sort_by_cached_key(Row::key);
    records.anchors.sort_by_cached_key(Row::key);
    records
}

/// A query with exactly the fields of its task.
pub(super) fn record(query: &Query) -> Result<Value> {
    const HEAD: [&str; 4] = ["query_id", "query", "split", "subtask"];
    const TAIL: [&str; 5] =
        ["num_relevant_docs", "num_hard_negatives", "difficulty_level", "created_at", "generator_version"];
    let (fields, meta): (&[&str], &[&str]) = match query.split {
        Task::Text2Code => (&["query_type", "sub_query_type", "language_constraint"], &["original_query_type"]),
        Task::Code2Code => (&["anchor_language", "anchor_model"], &["anchor_code_id", "target_languages"]),
        Task::Code2Text => (
            &["anchor_language", "anchor_model", "text_id", "label", "text_type"],
            &["anchor_code_id", "available_languages", "pair_type", "negative_problem_id"],
        ),
    };
    let given = serde_json::to_value(query)?;
    let mut record = pick(&given, HEAD.iter().chain(fields));
    let meta = pick(&given["meta"], ["source_problem_id"].iter().chain(meta).chain(&TAIL));
    record.insert("meta".to_owned(), Value::Object(meta));
    Ok(Value::Object(record))
}

fn pick<'a>(from: &Value, fields: impl Iterator<Item = &'a &'a str>) -> Map<String, Value> {
    fields.map(|field| ((*field).to_owned(), from.get(*field).cloned().unwrap_or(Value::Null))).collect()
}

/// `beir/<task>/`. Match pairs of label 0 stay out: they are pairs to tell apart, and as searches
/// they would count as zero.
fn beir(records: &Records, task: Task, files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    let dir = format!("beir/{}", task.name());
    let queries: Vec<&Query> =
        records.queries.iter().filter(|query| query.split == task && query.label != Some(0)).collect();
    let ids: BTreeSet<&str> = queries.iter().map(|query| query.query_id.as_str()).collect();
    let query_lines: Vec<Value> =
        queries.iter().map(|query| json!({"_id": query.query_id, "text": query.query})).collect();
    let qrels: Vec<_> = records.qrels.iter().filter(|qrel| ids.contains(qrel.query_id.as_str())).collect();
    let judged: Vec<Value> = qrels
        .iter()
        .map(|qrel| json!({"query-id": qrel.query_id, "corpus-id": qrel.doc_id, "score": qrel.relevance}))
        .collect();
    let mut tsv = String::from("query-id\tcorpus-id\tscore\n");
    for qrel in &qrels {
        let _ = writeln!(tsv, "{}\t{}\t{}", qrel.query_id, qrel.doc_id, qrel.relevance);
    }
    files.insert(format!("{dir}/corpus.jsonl"), beir_corpus(records, task)?);
    files.insert(format!("{dir}/queries.jsonl"), jsonl(&query_lines)?);
    files.insert(format!("{dir}/qrels/test.tsv"), tsv.into_bytes());
    files.insert(format!("{dir}/qrels/test.jsonl"), jsonl(&judged)?);
    files.insert(format!("{dir}/README.md"), beir_card(&records.name, task).into_bytes());
    if task == Task::Code2Code {
        let anchors = records.anchors.iter();
        let anchors: Vec<Value> =
            anchors.map(|anchor| json!({"query-id": anchor.query_id, "corpus-id": anchor.code_id})).collect();
        files.insert(format!("{dir}/anchors.jsonl"), jsonl(&anchors)?);
    }
    Ok(())
}

/// A title that is there and empty: some readers want the field, some would search in it.
fn beir_corpus(records: &Records, task: Task) -> Result<Vec<u8>> {
    let line = |id: &str, text: &str| json!({"_id": id, "title": "", "text": text});
    let lines: Vec<Value> = match task {
        Task::Text2Code | Task::Code2Code => {
            let line_of = |row: &CodeDocument| line(&row.code_id, &row.code);
            records.code_documents.iter().map(line_of).collect()
        }
        Task::Code2Text => records.text_documents.iter().map(|row| line(&row.text_id, &row.text)).collect(),
    };
    jsonl(&lines)
}

/// All configurations point at JSON Lines: one repository cannot mix them with TSV.
fn beir_card(release: &str, task: Task) -> String {
    let anchors = match task {
        Task::Code2Code => {
            "\nEach query is itself a document. Leave that document, named in `anchors.jsonl`, out of the query's ranking.\n"
        }
        Task::Code2Text => {
            "\nMatch pairs of label 0 are not in this layout: they ask for a decision, not for a search.\n"
        }
        Task::Text2Code => "",
    };
    format!(
        "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: qrels/test.jsonl\n- config_name: corpus\n  \
         data_files:\n  - split: corpus\n    path: corpus.jsonl\n- config_name: queries\n  data_files:\n  - split: queries\n    \
         path: queries.jsonl\n---\n\n# {release}: {}\n\nBEIR and MTEB layout. Scores: 2 is a positive, 1 a hard negative, which \
         is **not** relevant: set scores below 2 to 0 before you compute a measure of retrieval. What is absent was not judged and \
         counts as 0.\n{anchors}\n`qrels/test.tsv` and `qrels/test.jsonl` hold the same judgements.\n",
        task.name()
    )
}

fn jsonl<T: Serialize>(rows: &[T]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for row in rows {
        serde_json::to_writer(&mut bytes, row)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}
