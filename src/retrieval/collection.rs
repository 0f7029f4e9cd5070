//! What one task of a release is made of: documents, queries, judgements, anchors. Reads the files
//! of a release, and knows nothing of how they were made.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context, Result};

use super::{Bm25, Rankings};
use crate::{
    store,
    tables::{Anchor, CodeDocument, Qrel, Query, TextDocument, query::Task},
};

/// One task of a release.
#[derive(Debug)]
pub struct Collection {
    pub task: Task,
    /// `(id, text)`.
    pub documents: Vec<(String, String)>,
    pub queries: Vec<Query>,
    pub qrels: Vec<Qrel>,
    /// The document that a query is made of, where it could be retrieved.
    pub anchors: BTreeMap<String, String>,
}

impl Collection {
    /// Reads a task of the release in `dir`.
    ///
    /// # Errors
    /// When a file is missing or a line is not a record.
    pub fn load(dir: &Path, task: Task) -> Result<Self> {
        let read_task = || -> Result<Self> {
            let documents = documents(dir, task)?;
            let queries: Vec<Query> = store::read_rows(&dir.join(format!("{}_queries.jsonl", task.name())))?;
            let anchors = anchors(dir, &queries, &documents)?;
            let qrels = store::read_rows(&dir.join(format!("{}_qrels.jsonl", task.name())))?;
            Ok(Self { task, documents, queries, qrels, anchors })
        };
        read_task().with_context(|| format!("read `{}` of the release in `{}`", task.name(), dir.display()))
    }

    /// The rankings of all queries by BM25, anchors left out.
    #[must_use]
    pub fn search_bm25(&self, depth: usize) -> Rankings {
        let index = Bm25::new(&self.documents);
        let queries: Vec<(String, String)> =
            self.queries.iter().map(|row| (row.query_id.clone(), row.query.clone())).collect();
        // One more, since the anchor goes.
        let mut rankings = index.search_all(&queries, depth + 1);
        for (query_id, ranking) in &mut rankings {
            if let Some(anchor) = self.anchors.get(query_id) {
                ranking.remove(anchor);
            }
            ranking.truncate(depth);
        }
        rankings
    }
}

fn documents(dir: &Path, task: Task) -> Result<Vec<(String, String)>> {
    Ok(match task {
        Task::Text2Code | Task::Code2Code => store::read_rows::<CodeDocument>(&dir.join("code_corpus.jsonl"))?
            .into_iter()
            .map(|row| (row.code_id, row.code))
            .collect(),
        Task::Code2Text => store::read_rows::<TextDocument>(&dir.join("text_corpus.jsonl"))?
            .into_iter()
            .map(|row| (row.text_id, row.text))
            .collect(),
    })
}

fn anchors(dir: &Path, queries: &[Query], documents: &[(String, String)]) -> Result<BTreeMap<String, String>> {
    let queries: BTreeSet<&str> = queries.iter().map(|row| row.query_id.as_str()).collect();
    let documents: BTreeSet<&str> = documents.iter().map(|(id, _)| id.as_str()).collect();
    let rows: Vec<Anchor> = store::read_rows(&dir.join("anchors.jsonl"))?;
    let ours = |row: &Anchor| queries.contains(row.query_id.as_str()) && documents.contains(row.code_id.as_str());
    Ok(rows.into_iter().filter(ours).map(|row| (row.query_id, row.code_id)).collect())
}
