//! What every stage is given and what it gives back; one file a stage below.
//!
//! A stage loads tables, transforms rows and returns them. It writes nothing itself and knows no
//! other stage: [`crate::runner`] checks and writes what it returns.

mod abbreviate;
mod asking;
mod difficulty;
mod execute;
mod negatives;
mod pull;
pub mod qrels;
mod queries;
mod references;
pub mod release;
mod rewrite;
mod running;
mod sanity;
mod solve;
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use anyhow::{Result, bail};

use crate::{
    config::ReleaseConfig,
    console::Console,
    exit_code::Interrupted,
    llm::{Providers, Request, tokens},
    pipeline::Stage,
    store::Store,
    tables::{Reason, Rejected, Row, Table},
};

/// Opens the providers of the models named. [`crate::llm::providers`], but for tests and for whoever
/// records replies.
pub type OpenProviders<'a> = dyn Fn(&ReleaseConfig, &[&str]) -> Result<Providers> + Sync + 'a;

/// What a stage may use.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub config: &'a ReleaseConfig,
    pub store: &'a Store,
    pub console: &'a Console,
    pub n_workers: usize,
    /// Set by Ctrl-C: finish what is in flight, then stop.
    pub interrupted: &'a AtomicBool,
    pub open_providers: &'a OpenProviders<'a>,
}

impl Context<'_> {
    /// All rows of an input table.
    ///
    /// # Errors
    /// As [`Store::load`].
    pub fn load<R: Row>(&self) -> Result<Vec<R>> {
        self.store.load()
    }

    /// Runs `work` on as many threads as there are workers.
    ///
    /// # Errors
    /// When the machine gives no threads.
    pub fn in_parallel<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T> {
        Ok(rayon::ThreadPoolBuilder::new().num_threads(self.n_workers).build()?.install(work))
    }

    /// `work` on every item, on as many threads as there are workers; results in the order of items.
    /// After the first error no further item is begun.
    ///
    /// # Errors
    /// The error of the first item, in order, that failed.
    pub fn in_order<T: Sync, U: Send>(&self, items: &[T], work: impl Fn(&T) -> Result<U> + Sync) -> Result<Vec<U>> {
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let one_thread = || {
            let mut done = Vec::new();
            while !failed.load(Ordering::Relaxed) {
                let idx = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(idx) else { break };
                let result = work(item);
                failed.fetch_or(result.is_err(), Ordering::Relaxed);
                done.push((idx, result));
            }
            done
        };
        let mut done: Vec<(usize, Result<U>)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.n_workers.max(1)).map(|_| scope.spawn(one_thread)).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("stages do not panic")).collect()
        });
        done.sort_by_key(|(idx, _)| *idx);
        done.into_iter().map(|(_, result)| result).collect()
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
        Stage::Pull => pull::run(ctx),
        Stage::Rewrite => rewrite::run(ctx),
        Stage::Abbreviate => abbreviate::run(ctx),
        Stage::Negatives => negatives::run(ctx),
        Stage::Tests => tests::run(ctx),
        Stage::Solve => solve::run(ctx),
        Stage::Execute => execute::run(ctx),
        Stage::References => references::run(ctx),
        Stage::Difficulty => difficulty::run(ctx),
        Stage::Queries => queries::run(ctx),
        Stage::Qrels => qrels::run(ctx),
        Stage::Release => release::run(ctx),
        Stage::Sanity => sanity::run(ctx),
    }
}

/// What a stage would ask of models now, answered or not. `None` where the stage asks nothing, or its
/// requests depend on a table that is not there yet.
///
/// # Errors
/// When a table or a prompt cannot be read, or a prompt does not render.
pub fn requests(ctx: &Context, stage: Stage) -> Result<Option<Vec<Request>>> {
    for stage in stage.upstream() {
        if ctx.store.receipt(stage)?.is_none() {
            return Ok(None);
        }
    }
    let requests = match stage {
        Stage::Rewrite => rewrite::requests(ctx)?,
        Stage::Abbreviate => abbreviate::requests(ctx, &ctx.load()?)?,
        Stage::Negatives => negatives::requests(ctx, &ctx.load()?)?,
        Stage::Tests => tests::requests(ctx)?,
        Stage::Solve => solve::requests(ctx)?,
        Stage::Queries => queries::requests(ctx)?,
        _ => return Ok(None),
    };
    Ok(Some(asking::prepared(ctx, &requests)))
}

/// What [`requests`] come to by model, less what the journal answers.
///
/// # Errors
/// As [`requests`], and when the journal cannot be read.
pub fn estimate(ctx: &Context, stage: Stage) -> Result<Option<BTreeMap<String, tokens::Estimate>>> {
    requests(ctx, stage)?.map(|requests| asking::estimate(ctx, stage, &requests)).transpose()
}

/// Toolchains and isolation that a stage's output depends on.
///
/// # Errors
/// When a toolchain is missing or the sandbox is not to be had.
pub fn environment(ctx: &Context, stage: Stage) -> Result<BTreeMap<String, String>> {
    if stage.runs_programs() { running::environment(ctx) } else { Ok(BTreeMap::new()) }
}
