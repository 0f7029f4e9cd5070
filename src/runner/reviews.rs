//! People's decisions about rows, applied between a stage and the disk.
//!
//! A decision counts only for the very text it was made on: it names the hash of the row.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};

use crate::{
    config::{ReleaseConfig, Review as Mode},
    exit_code::ConfigError,
    ids,
    pipeline::Stage,
    stages::{Context, Line, StageOutput},
    store,
    tables::{Decision, Reason, Rejected, Review, Table},
};

/// Beside `pipeline.toml`.
pub(super) const FILE: &str = "reviews.jsonl";

/// Drops, replaces or keeps the rows of a stage's main table as people decided.
pub(super) fn apply(ctx: &Context, stage: Stage, output: &mut StageOutput) -> Result<()> {
    let Some(table) = stage.spec().outputs.first().copied() else { return Ok(()) };
    let path = ctx.store.root.join(FILE);
    let reviews: Vec<Review> = if path.exists() { store::read_rows(&path)? } else { Vec::new() };
    check_tables(&reviews)?;
    let mut decisions = BTreeMap::new();
    for review in reviews.iter().filter(|review| review.table == table.name()) {
        // The last decision on a text is the one that holds.
        decisions.insert((review.row_id.as_str(), review.row_sha256.as_str()), review);
    }
    let lines = output.tables.remove(&table).unwrap_or_default();
    let mut kept = Vec::with_capacity(lines.len());
    let mut n_used = 0;
    for line in lines {
        let sha256 = ids::sha256_hex(line.json.as_bytes());
        let decision = decisions.get(&(line.key.as_str(), sha256.as_str())).copied();
        n_used += usize::from(decision.is_some());
        match decide(decision, mode(ctx.config, stage), line)? {
            Ok(line) => kept.push(line),
            Err(rejected) => output.rejected.push(rejected),
        }
    }
    let n_idle = decisions.len() - n_used;
    if n_idle > 0 {
        ctx.console.warn(&format!(
            "{n_idle} decisions of `{FILE}` on `{}` fit no row as it is now: a decision dies with the text it was made on",
            table.name()
        ));
    }
    drop_orphans(table, &kept, output);
    output.tables.insert(table, kept);
    Ok(())
}

fn check_tables(reviews: &[Review]) -> Result<(), ConfigError> {
    let reviewed: Vec<&str> =
        Stage::ALL.iter().filter_map(|stage| stage.spec().outputs.first()).map(|table| table.name()).collect();
    match reviews.iter().find(|review| !reviewed.contains(&review.table.as_str())) {
        None => Ok(()),
        Some(review) => Err(ConfigError::new(format!(
            "`{FILE}`: a decision on `{}` names the unknown table `{}` (known: {})",
            review.row_id,
            review.table,
            reviewed.join(", ")
        ))),
    }
}

/// Inner result: the row to keep, or why it stays out.
fn decide(review: Option<&Review>, mode: Mode, line: Line) -> Result<std::result::Result<Line, Rejected>> {
    let reject = |line: Line, reason, detail: &str| Rejected { key: line.key, reason, detail: detail.to_owned() };
    Ok(match review {
        None if mode == Mode::Required => {
            let detail = format!("no decision on the row with sha256 {}", ids::sha256_hex(line.json.as_bytes()));
            Err(reject(line, Reason::ReviewPending, &detail))
        }
        None => Ok(line),
        Some(review) => match review.decision {
            Decision::Accept => Ok(line),
            Decision::Reject => Err(reject(line, Reason::ReviewRejected, &review.why)),
            Decision::Edit => {
                let edited = review.edited.as_ref().with_context(|| {
                    format!("`{FILE}`: the decision `edit` on `{}` has no field `edited`", review.row_id)
                })?;
                Ok(Line { json: serde_json::to_string(edited)?, ..line })
            }
        },
    })
}

/// Rows of side tables that belong to a problem that is now out of `problems`.
fn drop_orphans(table: Table, kept: &[Line], output: &mut StageOutput) {
    if table != Table::Problems {
        return;
    }
    let problem_ids: BTreeSet<&str> = kept.iter().map(|line| line.key.as_str()).collect();
    let belongs = |line: &Line| {
        serde_json::from_str::<serde_json::Value>(&line.json)
            .ok()
            .and_then(|row| row["problem_id"].as_str().map(|id| problem_ids.contains(id)))
            .unwrap_or(true)
    };
    for lines in output.tables.values_mut() {
        lines.retain(belongs);
    }
}

fn mode(config: &ReleaseConfig, stage: Stage) -> Mode {
    let config = &config.config;
    match stage {
        Stage::Rewrite => config.rewrite.review,
        Stage::Abbreviate => config.abbreviate.review,
        Stage::Negatives => config.negatives.review,
        Stage::Queries => config.queries.review,
        _ => Mode::Optional,
    }
}
