//! Reads a published `CoREB` release as it lies on the hub: one JSON Lines file a table.
//!
//! Two forms are read: flattened (`meta_*` columns, absent values null, some integers as floats) and
//! nested (a `meta` object, as the paper prints records). [`nesting`] turns one into the other
//! without loss. Nothing here judges what it reads; that is [`crate::verify`]'s business.

pub mod nesting;
pub mod rows;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use self::rows::{Amount, Code, PublishedQuery, Text};
use crate::{
    exit_code::Unavailable,
    tables::{Qrel, query::Task},
};

/// A published release.
#[derive(Clone, Debug, Default)]
pub struct Release {
    pub dir: PathBuf,
    pub codes: Vec<Code>,
    pub texts: Vec<Text>,
    pub queries: BTreeMap<Task, Vec<PublishedQuery>>,
    /// In file order.
    pub qrels: BTreeMap<Task, Vec<Qrel>>,
}

impl Release {
    /// Reads the release in `dir`.
    ///
    /// # Errors
    /// When a file is missing or a line is not a record; the message names file and line.
    pub fn load(dir: &Path) -> Result<Self> {
        if !dir.join("code_corpus.jsonl").is_file() {
            bail!(
                Unavailable::new(format!("`{}` holds no release of CoREB", dir.display()))
                    .hint("name a directory with `code_corpus.jsonl` in it")
            );
        }
        let mut release = Self { dir: dir.to_owned(), ..Self::default() };
        release.codes = records(dir, "code_corpus.jsonl")?;
        release.texts = records(dir, "text_corpus.jsonl")?;
        for task in Task::ALL {
            release.queries.insert(task, records(dir, &queries_file(task))?);
            release.qrels.insert(task, records(dir, &qrels_file(task))?);
        }
        Ok(release)
    }

    pub fn all_queries(&self) -> impl Iterator<Item = &PublishedQuery> {
        self.queries.values().flatten()
    }

    pub fn all_qrels(&self) -> impl Iterator<Item = &Qrel> {
        self.qrels.values().flatten()
    }
}

#[must_use]
pub fn queries_file(task: Task) -> String {
    format!("{}_queries.jsonl", task.name())
}

#[must_use]
pub fn qrels_file(task: Task) -> String {
    format!("{}_qrels.jsonl", task.name())
}

/// Every file of a release.
#[must_use]
pub fn files() -> Vec<String> {
    let of_task = |task| [queries_file(task), qrels_file(task)];
    let corpora = ["code_corpus.jsonl", "text_corpus.jsonl"].map(str::to_owned);
    corpora.into_iter().chain(Task::ALL.into_iter().flat_map(of_task)).collect()
}

/// The records of one file, whichever form they have.
fn records<R: DeserializeOwned + Send>(dir: &Path, name: &str) -> Result<Vec<R>> {
    let path = dir.join(name);
    let bytes = fs_err::read(&path)?;
    let lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
    let parse = |(number, line): (usize, &&[u8])| -> Result<R> {
        let record = || -> serde_json::Result<R> {
            if is_nested(line) {
                serde_json::from_value(nesting::flatten(serde_json::from_slice::<Value>(line)?))
            } else {
                serde_json::from_slice(line)
            }
        };
        record().with_context(|| format!("`{}` line {} is not a record", path.display(), number + 1))
    };
    lines.par_iter().enumerate().map(parse).collect()
}

/// Whether a line has a `meta` object. Texts cannot hold this: a quote in a text is escaped.
fn is_nested(line: &[u8]) -> bool {
    const KEY: &[u8] = b"\"meta\"";
    line.windows(KEY.len()).any(|window| window == KEY)
}
