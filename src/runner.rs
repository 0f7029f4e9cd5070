//! Runs stages: what is stale is run, what it returns is checked and written, the receipt last.

mod fingerprint;
mod reviews;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result, bail};

pub use fingerprint::{damaged_outputs, fingerprint};

use crate::{
    exit_code::{Incomplete, Invalid},
    ids,
    pipeline::{Freshness, Stage, freshness},
    receipt::{Fingerprint, Output, Receipt},
    stages::{self, Context, Line, StageOutput},
    store::{self, RECEIPT, REJECTED},
    tables::{Reason, Rejected, Table},
};

/// What [`run`] found or did.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    UpToDate(Receipt),
    Ran(Receipt),
}

/// Whether a stage has to run, given what is on disk. Its input stages must be complete.
///
/// # Errors
/// When the disk cannot be read.
pub fn state(ctx: &Context, stage: Stage) -> Result<Freshness> {
    let receipt = ctx.store.receipt(stage)?;
    let Some(now) = fingerprint(ctx, stage)? else {
        return Ok(Freshness::Stale(vec!["its input is not there yet".to_owned()]));
    };
    let damaged = match &receipt {
        Some(receipt) => damaged_outputs(ctx.store, stage, receipt)?,
        None => Vec::new(),
    };
    Ok(freshness(&now, receipt.as_ref(), &damaged))
}

/// Brings one stage up to date.
///
/// # Errors
/// When an input is missing, the stage fails, or its output breaks a rule.
pub fn run(ctx: &Context, stage: Stage) -> Result<Outcome> {
    let Some(now) = fingerprint(ctx, stage)? else {
        let missing: Vec<&str> = missing_upstream(ctx, stage)?.iter().map(|stage| stage.name()).collect();
        bail!(
            Incomplete::new(format!("`{}` needs the output of: {}", stage.name(), missing.join(", ")))
                .hint(format!("corebuild cut {}", ctx.config.name))
        );
    };
    if let Some(receipt) = ctx.store.receipt(stage)? {
        let damaged = damaged_outputs(ctx.store, stage, &receipt)?;
        if freshness(&now, Some(&receipt), &damaged) == Freshness::Fresh {
            return Ok(Outcome::UpToDate(receipt));
        }
    }
    ctx.check_interrupted()?;
    check_inputs(ctx, stage)?;
    let mut output = stages::run(ctx, stage).with_context(|| format!("stage `{}`", stage.name()))?;
    reviews::apply(ctx, stage, &mut output)?;
    remove_receipt(ctx, stage)?;
    let receipt = write(ctx, stage, now, output).with_context(|| format!("stage `{}`", stage.name()))?;
    Ok(Outcome::Ran(receipt))
}

/// A stage reads nothing but what the stages before it wrote: the fingerprint names the hashes of
/// their receipts, so the bytes must be these.
fn check_inputs(ctx: &Context, stage: Stage) -> Result<()> {
    for upstream in stage.upstream() {
        let Some(receipt) = ctx.store.receipt(upstream)? else { continue };
        if let Some(file) = damaged_outputs(ctx.store, upstream, &receipt)?.first() {
            bail!(
                Incomplete::new(format!("`{file}` is not what stage `{}` wrote", upstream.name()))
                    .hint(format!("corebuild cut {} makes it again", ctx.config.name))
            );
        }
    }
    Ok(())
}

fn missing_upstream(ctx: &Context, stage: Stage) -> Result<Vec<Stage>> {
    let mut missing = Vec::new();
    for upstream in stage.upstream() {
        if ctx.store.receipt(upstream)?.is_none() {
            missing.push(upstream);
        }
    }
    Ok(missing)
}

/// From here until the new receipt the stage is incomplete.
fn remove_receipt(ctx: &Context, stage: Stage) -> Result<()> {
    match fs_err::remove_file(ctx.store.stage_dir(stage).join(RECEIPT)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes what a stage returned. Rejected rows are written even when the stage then fails, so that
/// a person can see why.
fn write(ctx: &Context, stage: Stage, fingerprint: Fingerprint, mut output: StageOutput) -> Result<Receipt> {
    check_accounted(stage, &output)?;
    output.rejected.sort_by_key(Rejected::sort_key);
    let rejected = count_reasons(&output.rejected);
    let mut outputs = BTreeMap::new();
    let mut unhashed = Vec::new();
    put(ctx, stage, REJECTED, &jsonl(&output.rejected)?, Some(output.rejected.len()), &mut outputs)?;
    check_yield(stage, &output, &rejected)?;
    let rows_out = stage.spec().outputs.first().map_or(0, |table| output.tables.get(table).map_or(0, Vec::len));
    for (table, lines) in &output.tables {
        let name = format!("{}.jsonl", table.name());
        if table.is_hashed() {
            put(ctx, stage, &name, &join(lines), Some(lines.len()), &mut outputs)?;
        } else {
            store::write_atomic(&ctx.store.stage_dir(stage).join(&name), &join(lines))?;
            unhashed.push(name);
        }
    }
    for (name, bytes) in &output.files {
        put(ctx, stage, name, bytes, None, &mut outputs)?;
    }
    let receipt = Receipt {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        fingerprint,
        outputs,
        unhashed,
        rows_in: output.expected.len(),
        rows_out,
        rows_rejected: output.rejected.len(),
        rejected,
    };
    let json = serde_json::to_string_pretty(&receipt)? + "\n";
    store::write_atomic(&ctx.store.stage_dir(stage).join(RECEIPT), json.as_bytes())?;
    Ok(receipt)
}

fn put(
    ctx: &Context,
    stage: Stage,
    name: &str,
    bytes: &[u8],
    rows: Option<usize>,
    outputs: &mut BTreeMap<String, Output>,
) -> Result<()> {
    store::write_atomic(&ctx.store.stage_dir(stage).join(name), bytes)?;
    outputs.insert(name.to_owned(), Output { sha256: ids::sha256_hex(bytes), rows });
    Ok(())
}

/// Invariant 2: every input key is in an output table or in `rejected.jsonl`.
fn check_accounted(stage: Stage, output: &StageOutput) -> Result<()> {
    let made = output.tables.values().flatten().map(|line| line.key.as_str());
    let rejected = output.rejected.iter().map(|row| row.key.as_str());
    let known: BTreeSet<&str> = made.chain(rejected).collect();
    let lost: Vec<&str> =
        output.expected.iter().map(String::as_str).filter(|key| !known.contains(key)).take(5).collect();
    if lost.is_empty() {
        return Ok(());
    }
    bail!("`{}` lost rows without a reason, among them {}", stage.name(), lost.join(", "))
}

/// A stage with nothing to show has failed, and so has one that rejects too much.
fn check_yield(stage: Stage, output: &StageOutput, rejected: &BTreeMap<String, usize>) -> Result<()> {
    let most = rejected.iter().max_by_key(|(_, n)| **n);
    let why =
        most.map_or_else(String::new, |(reason, n)| format!("; the most frequent reason is `{reason}` ({n} rows)"));
    let hint = format!("look at `rejected.jsonl` in the stage's directory under `work/`, stage `{}`", stage.name());
    let is_empty = |table| output.tables.get(table).is_none_or(Vec::is_empty);
    let n_pending = rejected.get(Reason::ReviewPending.name()).copied().unwrap_or(0);
    if n_pending > 0 && stage.spec().outputs.first().is_some_and(is_empty) {
        bail!(
            Incomplete::new(format!("`{}` waits for decisions on {n_pending} rows", stage.name()))
                .hint("write them to reviews.jsonl; `rejected.jsonl` of the stage names the rows and their hashes")
        );
    }
    if let Some(table) = stage.spec().outputs.first()
        && is_empty(table)
    {
        bail!(Invalid::new(format!("`{}` ends with zero rows of `{}`{why}", stage.name(), table.name())).hint(hint));
    }
    let n_expected = output.expected.len().max(1);
    // What waits for a person was not found wanting.
    let wanting = output.rejected.iter().filter(|row| row.reason != Reason::ReviewPending);
    let rejected_keys: BTreeSet<&String> = wanting.map(|row| &row.key).collect();
    let n_rejected = output.expected.iter().filter(|key| rejected_keys.contains(key)).count();
    #[expect(clippy::cast_precision_loss, reason = "row counts stay far below 2^52")]
    let share = n_rejected as f64 / n_expected as f64;
    match output.max_rejected_share {
        Some(max) if share > max => bail!(
            Invalid::new(format!(
                "`{}` rejects {n_rejected} of {n_expected} rows, more than the share {max} that `max_rejected_share` allows{why}",
                stage.name()
            ))
            .hint(hint)
        ),
        _ => Ok(()),
    }
}

fn count_reasons(rejected: &[Rejected]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for row in rejected {
        *counts.entry(row.reason.name().to_owned()).or_insert(0) += 1;
    }
    counts
}

fn jsonl<T: serde::Serialize>(rows: &[T]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for row in rows {
        serde_json::to_writer(&mut bytes, row)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

fn join(lines: &[Line]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines {
        bytes.extend_from_slice(line.json.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// The bytes of a table as a stage returns it.
#[must_use]
pub fn table_bytes(output: &StageOutput, table: Table) -> Vec<u8> {
    output.tables.get(&table).map_or_else(Vec::new, |lines| join(lines))
}
