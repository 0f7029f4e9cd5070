//! The manifest against the files.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::Result;
use rayon::prelude::*;
use serde_json::Value;

use super::{Findings, Rule};
use crate::store;

const FILE: &str = "manifest.json";

/// Checks every listed file, and that no other lies beside them. Gives the release's name.
pub(super) fn check(dir: &Path, findings: &mut Findings) -> Result<Option<String>> {
    let path = dir.join(FILE);
    if !path.is_file() {
        findings.add(Rule::NoManifest, format!("`{FILE}`"));
        return Ok(None);
    }
    let manifest: Value = match serde_json::from_slice(&fs_err::read(path)?) {
        Ok(manifest) => manifest,
        Err(error) => {
            findings.add(Rule::BadJson, format!("`{FILE}`: {error}"));
            return Ok(None);
        }
    };
    let listed = manifest["files"].as_object().cloned().unwrap_or_default();
    let names: Vec<&String> = listed.keys().collect();
    let hashes: Vec<_> = names.par_iter().map(|name| store::file_sha256(&dir.join(name))).collect();
    for ((name, entry), sha256) in listed.iter().zip(hashes) {
        match sha256? {
            None => findings.add(Rule::ManifestMismatch, format!("`{name}` is listed and not there")),
            Some(sha256) if entry["sha256"] != sha256.as_str() => {
                findings.add(Rule::ManifestMismatch, format!("`{name}` has another sha256 than listed"));
            }
            Some(_) => {}
        }
    }
    for name in files_below(dir, dir)? {
        if name != FILE && !listed.contains_key(&name) {
            findings.add(Rule::ManifestMismatch, format!("`{name}` is there and not listed"));
        }
    }
    Ok(manifest["release"].as_str().map(str::to_owned))
}

fn files_below(root: &Path, dir: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs_err::read_dir(dir)? {
        let path: PathBuf = entry?.path();
        if path.is_dir() {
            names.extend(files_below(root, &path)?);
        } else {
            names.insert(path.strip_prefix(root).unwrap_or(&path).display().to_string());
        }
    }
    Ok(names)
}
