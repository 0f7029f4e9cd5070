//! `manifest.json`: what is in the release and what it was made from, so that two cuts compare by
//! one file. It holds no time but the configured one, and no path of the machine.

use std::collections::BTreeMap;

use anyhow::Result;
use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::{Provenance, Records};
use crate::ids;

pub(super) fn render(records: &Records, provenance: &Provenance, files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>> {
    let (prompts, others) = consumed(provenance);
    let (read, validators): (BTreeMap<_, _>, BTreeMap<_, _>) =
        others.into_iter().partition(|(name, _)| name.starts_with("file://"));
    let listed: BTreeMap<&String, Value> = files.par_iter().map(|(name, bytes)| (name, entry(name, bytes))).collect();
    let manifest = json!({
        "release": records.name,
        "tool_version": env!("CARGO_PKG_VERSION"),
        "created_at": provenance.created_at,
        "sources": provenance.sources,
        "models": provenance.models,
        "prompts": prompts,
        "validators": validators,
        "local_sources": read,
        "toolchains": toolchains(provenance),
        "config": provenance.config,
        "receipts": provenance.receipts,
        "files": listed,
    });
    let mut bytes = serde_json::to_vec_pretty(&without_machine_paths(manifest))?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn entry(name: &str, bytes: &[u8]) -> Value {
    let is_table = std::path::Path::new(name).extension().is_some_and(|extension| extension == "jsonl");
    let rows = is_table.then(|| bytes.split(|byte| *byte == b'\n').count() - 1);
    json!({"sha256": ids::sha256_hex(bytes), "bytes": bytes.len(), "rows": rows})
}

/// Prompt templates, and all other files below the project that stages consumed, with hashes.
fn consumed(provenance: &Provenance) -> (BTreeMap<&String, &String>, BTreeMap<&String, &String>) {
    let files = provenance.receipts.values().flat_map(|receipt| &receipt.fingerprint.files);
    files.partition(|(name, _)| name.starts_with("prompts/"))
}

fn toolchains(provenance: &Provenance) -> BTreeMap<&String, &String> {
    provenance.receipts.values().flat_map(|receipt| &receipt.fingerprint.environment).collect()
}

/// An absolute `file://` address says where a file lay on one machine; its name is enough, since
/// its hash stands beside it.
fn without_machine_paths(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(shortened(text)),
        Value::Array(values) => Value::Array(values.into_iter().map(without_machine_paths).collect()),
        Value::Object(map) => {
            let entries = map.into_iter().map(|(key, value)| (shortened(key), without_machine_paths(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        other => other,
    }
}

fn shortened(text: String) -> String {
    match text.strip_prefix("file:///") {
        Some(path) => format!("file://{}", path.rsplit('/').next().unwrap_or(path)),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_addresses_lose_their_directories() {
        let value = json!({"file:///home/x/a.jsonl": ["file:///b/c.tar.gz", "file://snapshots/demo", "https://x/y"]});
        let expected = json!({"file://a.jsonl": ["file://c.tar.gz", "file://snapshots/demo", "https://x/y"]});
        assert_eq!(without_machine_paths(value), expected);
    }
}
