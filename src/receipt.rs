//! What a stage consumed and produced: written last, so that its presence means complete.
//!
//! A receipt holds no time and no path of the machine: the same inputs give the same bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// All that decides a stage's output. Two equal fingerprints mean: nothing to do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    pub stage: String,
    pub stage_version: u32,
    /// sha256 of the slice of the configuration that the stage reads.
    pub config_sha256: String,
    /// sha256 by file below the project's directory: prompts, validators, sources, reviews.
    pub files: BTreeMap<String, String>,
    /// sha256 by input table.
    pub inputs: BTreeMap<String, String>,
    /// Compilers and interpreters with their versions, where the stage runs programs.
    pub environment: BTreeMap<String, String>,
}

impl Fingerprint {
    /// In what it differs from an earlier one, as sentences.
    #[must_use]
    pub fn differences(&self, earlier: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        if self.stage_version != earlier.stage_version {
            differences.push(format!("stage version {} → {}", earlier.stage_version, self.stage_version));
        }
        if self.config_sha256 != earlier.config_sha256 {
            differences.push("its part of `pipeline.toml` changed".to_owned());
        }
        let maps =
            [(&self.files, &earlier.files), (&self.inputs, &earlier.inputs), (&self.environment, &earlier.environment)];
        for (now, before) in maps {
            differences.extend(map_differences(now, before));
        }
        differences
    }
}

fn map_differences(now: &BTreeMap<String, String>, before: &BTreeMap<String, String>) -> Vec<String> {
    let mut keys: Vec<&String> = now.keys().chain(before.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.into_iter()
        .filter_map(|key| match (now.get(key), before.get(key)) {
            (Some(now), Some(before)) if now != before => Some(format!("`{key}` changed")),
            (Some(_), None) => Some(format!("`{key}` is new")),
            (None, Some(_)) => Some(format!("`{key}` is gone")),
            _ => None,
        })
        .collect()
}

/// One output file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    pub sha256: String,
    /// Lines of a table; null for other files.
    pub rows: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    pub tool_version: String,
    pub fingerprint: Fingerprint,
    /// By file name, `rejected.jsonl` among them. Files outside all hashes are not listed.
    pub outputs: BTreeMap<String, Output>,
    /// Files that the stage wrote and that stay outside all hashes (times, memory).
    pub unhashed: Vec<String>,
    pub rows_in: usize,
    pub rows_out: usize,
    pub rows_rejected: usize,
    /// Rejected rows by reason.
    pub rejected: BTreeMap<String, usize>,
}
