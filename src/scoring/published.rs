//! BM25 on a published release: the numbers that `pytrec_eval` gives for our run files.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{WithoutPositive, average_task, score_queries, tests::query};
use crate::{
    retrieval::Collection,
    store,
    tables::{Qrel, query::Task},
};

fn text(record: &Value, field: &str) -> String {
    record[field].as_str().unwrap().to_owned()
}

/// The published records are flat, unlike ours.
fn load(dir: &std::path::Path, task: Task) -> Collection {
    let read = |name: &str| -> Vec<Value> { store::read_rows(&dir.join(name)).unwrap() };
    let (corpus, id, body) = match task {
        Task::Code2Text => ("text_corpus.jsonl", "text_id", "text"),
        _ => ("code_corpus.jsonl", "code_id", "code"),
    };
    let records = read(&format!("{}_queries.jsonl", task.name()));
    let queries = records.iter().map(|record| {
        let mut query = query(record["query_id"].as_str().unwrap(), record["subtask"].as_str().unwrap());
        query.query = text(record, "query");
        query
    });
    let anchor = |record: &Value| Some((text(record, "query_id"), record["meta_anchor_code_id"].as_str()?.to_owned()));
    let qrels: Vec<Qrel> = store::read_rows(&dir.join(format!("{}_qrels.jsonl", task.name()))).unwrap();
    Collection {
        task,
        documents: read(corpus).iter().map(|record| (text(record, id), text(record, body))).collect(),
        queries: queries.collect(),
        qrels,
        anchors: records.iter().filter_map(anchor).collect::<BTreeMap<_, _>>(),
    }
}

#[test]
fn scores_on_a_published_release_are_those_of_pytrec_eval() {
    let Ok(shared) = std::env::var("COREBUILD_SHARED") else {
        return eprintln!("skipped: COREBUILD_SHARED is not set");
    };
    let dir = std::path::Path::new(&shared).join("data/coreb/release_v2603");
    // nDCG@10, recall@10, MAP over 100 hits, and the queries averaged.
    let expected = [
        (Task::Text2Code, [0.216_096, 0.362_981, 0.164_263], 1123),
        (Task::Code2Code, [0.391_090, 0.553_357, 0.327_286], 278),
        (Task::Code2Text, [0.437_266, 0.629_703, 0.385_310], 1010),
    ];
    for (task, expected, n_averaged) in expected {
        let collection = load(&dir, task);
        let scores = score_queries(&collection, &collection.search_bm25(100), &[10]);
        let average = average_task(task, &scores, WithoutPositive::Excluded).average;
        let found = ["ndcg_cut_10", "recall_10", "map"].map(|name| average.measures[name]);
        assert_eq!((found, average.n_averaged), (expected, n_averaged), "{task:?}");
    }
}
