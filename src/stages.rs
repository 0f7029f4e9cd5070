//! What every stage is given and what it gives back; one file a stage below.
//!
//! A stage loads tables, transforms rows and returns them. It writes nothing itself and knows no
//! other stage: [`crate::runner`] checks and writes what it returns.

pub mod qrels;
pub mod release;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicBool, Ordering},
};

use anyhow::{Result, bail};

use crate::{
    config::ReleaseConfig,
    console::Console,
    exit_code::Interrupted,
    pipeline::Stage,
    store::Store,
    tables::{Reason, Rejected, Row, Table},
};

/// What a stage may use.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub config: &'a ReleaseConfig,
    pub store: &'a Store,
    pub console: &'a Console,
    pub n_workers: usize,
    /// Set by Ctrl-C: finish what is in flight, then stop.
    pub interrupted: &'a AtomicBool,
}

impl Context<'_> {
    /// All rows of an input table.
    ///
    /// # Errors
    /// As [`Store::load`].
    pub fn load<R: Row>(&self) -> Result<Vec<R>> {
        self.store.load()
    }

    /// # Errors
    /// [`Interrupted`] after Ctrl-C.
    pub fn check_interrupted(&self) -> Result<()> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Interrupted.into()) } else { Ok(()) }
    }
}

/// A serialised row and its key.
#[derive(Clone, Debug)]
pub struct Line {
    pub key: String,
    pub json: String,
}

/// What a stage gives back.
#[derive(Debug, Default)]
pub struct StageOutput {
    /// Keys that must each be in some table or be rejected.
    pub expected: BTreeSet<String>,
    pub tables: BTreeMap<Table, Vec<Line>>,
    pub rejected: Vec<Rejected>,
    /// Files beside the tables, by name.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The stage stops when a larger share of the expected keys is rejected.
    pub max_rejected_share: Option<f64>,
}

impl StageOutput {
    /// A stage that has to account for `expected`.
    pub fn new(expected: impl IntoIterator<Item = String>) -> Self {
        Self { expected: expected.into_iter().collect(), ..Self::default() }
    }

    /// Takes the rows of one table, sorts them and refuses two of one key.
    ///
    /// # Errors
    /// When two rows have the same key: a bug of the stage.
    pub fn table<R: Row>(&mut self, rows: &[R]) -> Result<()> {
        let mut lines = Vec::with_capacity(rows.len());
        for row in rows {
            lines.push(Line { key: row.key(), json: serde_json::to_string(row)? });
        }
        lines.sort_by(|a, b| a.key.cmp(&b.key));
        if let Some(pair) = lines.windows(2).find(|pair| pair[0].key == pair[1].key) {
            bail!("two rows of `{}` have the key `{}`", R::TABLE.name(), pair[0].key);
        }
        self.tables.insert(R::TABLE, lines);
        Ok(())
    }

    pub fn reject(&mut self, key: impl Into<String>, reason: Reason, detail: impl Into<String>) {
        self.rejected.push(Rejected { key: key.into(), reason, detail: detail.into() });
    }
}

/// Runs one stage.
///
/// # Errors
/// Whatever the stage fails with.
pub fn run(ctx: &Context, stage: Stage) -> Result<StageOutput> {
    match stage {
        Stage::Qrels => qrels::run(ctx),
        Stage::Release => release::run(ctx),
        Stage::Pull
        | Stage::Rewrite
        | Stage::Abbreviate
        | Stage::Negatives
        | Stage::Tests
        | Stage::Solve
        | Stage::Execute
        | Stage::References
        | Stage::Difficulty
        | Stage::Queries
        | Stage::Sanity => bail!("stage `{}` is being built ({} workers)", stage.name(), ctx.n_workers),
    }
}

/// Toolchains that a stage's output depends on.
///
/// # Errors
/// When a toolchain is missing.
pub fn environment(_ctx: &Context, _stage: Stage) -> Result<BTreeMap<String, String>> {
    Ok(BTreeMap::new())
}
