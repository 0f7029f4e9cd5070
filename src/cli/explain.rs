//! `corebuild explain ID`: a row's lineage, read off the tables on disk.
//!
//! The walk is generic: it finds every row that carries the id, then follows the ids in these rows
//! up towards the source. Only its own release's tables and journals are read.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader},
};

use anyhow::{Result, bail};
use serde_json::{Value, json};

use crate::{
    exit_code::{ExitCode, Invalid},
    ids,
    pipeline::Stage,
    stages::Context,
    store::REJECTED,
    tables::Table,
};

/// Fields that point from a row to what it was made from.
const LINKS: [&str; 9] = [
    "problem_id",
    "solution_id",
    "subject_id",
    "reference_id",
    "solution_key",
    "source_problem_id",
    "anchor_code_id",
    "reply_key",
    "original_text_id",
];

/// Texts longer than this are cut in the human view.
const SHOWN: usize = 160;

/// A row that belongs to the lineage.
struct Found {
    stage: Stage,
    table: String,
    row: Value,
}

pub(super) fn run(ctx: &Context, id: &str, json: bool) -> Result<ExitCode> {
    let rows = load_all(ctx)?;
    let ids = lineage_ids(&rows, id);
    let found: Vec<&Found> = rows.iter().filter(|found| belongs(found, id, &ids)).collect();
    let replies = replies(ctx, id, &found)?;
    if found.is_empty() && replies.is_empty() {
        bail!(
            Invalid::new(format!("no row of `{}` has the id `{id}`", ctx.config.name))
                .hint("ids of another release need its name: corebuild explain ID RELEASE")
        );
    }
    ctx.console.data(&if json { as_json(id, &found, &replies)? } else { as_text(id, &found, &replies) });
    Ok(ExitCode::Done)
}

fn load_all(ctx: &Context) -> Result<Vec<Found>> {
    let mut rows = Vec::new();
    for stage in Stage::ALL {
        let tables = stage.spec().outputs.iter().map(|table: &Table| format!("{}.jsonl", table.name()));
        for table in tables.chain([REJECTED.to_owned()]) {
            let path = ctx.store.stage_dir(stage).join(&table);
            if !path.exists() {
                continue;
            }
            for line in BufReader::new(fs_err::File::open(&path)?).lines() {
                rows.push(Found { stage, table: table.clone(), row: serde_json::from_str(&line?)? });
            }
        }
    }
    Ok(rows)
}

/// The id itself and all ids that its rows were made from.
fn lineage_ids(rows: &[Found], id: &str) -> BTreeSet<String> {
    let mut by_id: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for found in rows {
        for own in own_ids(&found.row) {
            by_id.entry(own).or_default().push(found);
        }
    }
    let mut ids = BTreeSet::new();
    let mut open = vec![id.to_owned()];
    while let Some(next) = open.pop() {
        if !ids.insert(next.clone()) {
            continue;
        }
        for found in by_id.get(next.as_str()).into_iter().flatten() {
            open.extend(links(&found.row));
        }
    }
    ids
}

/// Ids that name the row itself.
fn own_ids(row: &Value) -> Vec<&str> {
    let own = ["query_id", "code_id", "text_id", "solution_id", "submission_id", "subject_id", "reference_id", "key"];
    let named: Vec<&str> = own.iter().filter_map(|field| row[*field].as_str()).take(1).collect();
    if named.is_empty() { row["problem_id"].as_str().into_iter().collect() } else { named }
}

fn links(row: &Value) -> Vec<String> {
    let direct = LINKS.iter().filter_map(|field| row[*field].as_str());
    let nested = LINKS.iter().filter_map(|field| row["meta"][*field].as_str());
    direct.chain(nested).map(str::to_owned).collect()
}

/// Rows that carry the id in any field, and rows of what it was made from (but not all that was ever
/// made of the same problem).
fn belongs(found: &Found, id: &str, ids: &BTreeSet<String>) -> bool {
    mentions(&found.row, id) || own_ids(&found.row).iter().any(|own| ids.contains(*own))
}

fn mentions(value: &Value, id: &str) -> bool {
    match value {
        Value::String(text) => text == id,
        Value::Array(items) => items.iter().any(|item| mentions(item, id)),
        Value::Object(fields) => fields.values().any(|field| mentions(field, id)),
        _ => false,
    }
}

/// The journalled replies that the rows name, and the one whose key was asked for.
fn replies(ctx: &Context, id: &str, found: &[&Found]) -> Result<Vec<Value>> {
    let mut keys: BTreeSet<String> = BTreeSet::from([id.to_owned()]);
    for row in found.iter().map(|found| &found.row) {
        keys.extend(row["reply_key"].as_str().map(str::to_owned));
        keys.extend(
            row["reply_keys"].as_array().into_iter().flatten().filter_map(|key| key.as_str().map(str::to_owned)),
        );
    }
    let mut replies = Vec::new();
    for stage in Stage::ALL.into_iter().filter(|stage| stage.asks_models()) {
        let path = ctx.store.llm_journal_dir().join(format!("{}.jsonl", stage.name()));
        if !path.exists() {
            continue;
        }
        let log = crate::keyed_log::KeyedLog::open_read_only(&path)?;
        for key in &keys {
            if let Some(reply) = log.get::<Value>(key)? {
                replies.push(json!({"stage": stage.name(), "key": key, "reply": reply}));
            }
        }
    }
    Ok(replies)
}

fn as_json(id: &str, found: &[&Found], replies: &[Value]) -> Result<String> {
    let rows: Vec<Value> = found
        .iter()
        .map(|found| json!({"stage": found.stage.name(), "table": found.table, "row": found.row}))
        .collect();
    Ok(serde_json::to_string(&json!({"id": id, "rows": rows, "replies": replies}))?)
}

fn as_text(id: &str, found: &[&Found], replies: &[Value]) -> String {
    let mut lines = vec![format!("Lineage of {id}")];
    let mut last = String::new();
    for found in found {
        let place = format!("{} / {}", found.stage.name(), found.table);
        if place != last {
            lines.push(format!("\n{place}"));
            last = place;
        }
        lines.push(format!("  {}", fields(&found.row)));
    }
    for reply in replies {
        let text = reply["reply"].to_string();
        lines.push(format!("\nreply of a model, stage {}, key {}", reply["stage"], reply["key"]));
        lines.push(format!("  {} (sha256 {})", shorten(&text), &ids::sha256_hex(text.as_bytes())[..12]));
    }
    lines.join("\n")
}

fn fields(row: &Value) -> String {
    let Some(fields) = row.as_object() else { return shorten(&row.to_string()) };
    let parts: Vec<String> = fields
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| format!("{name}: {}", shorten(&value.to_string())))
        .collect();
    parts.join("\n    ")
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let head: String = text.chars().take(SHOWN).collect();
    format!("{head}… ({} characters)", text.chars().count())
}
