//! What a stage would consume now: configuration, prompts, validators, input tables, toolchains.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::Result;

use crate::{
    ids,
    pipeline::Stage,
    prompts,
    receipt::{Fingerprint, Receipt},
    stages::{Context, release::MANIFEST},
    store::{self, Store},
    tables::Table,
};

/// `None` when an input stage is not complete.
///
/// # Errors
/// When a file cannot be read, or a toolchain of a stage that runs programs is missing.
pub fn fingerprint(ctx: &Context, stage: Stage) -> Result<Option<Fingerprint>> {
    let spec = stage.spec();
    let mut inputs = BTreeMap::new();
    for upstream in stage.upstream() {
        let Some(receipt) = ctx.store.receipt(upstream)? else { return Ok(None) };
        if spec.after.contains(&upstream) {
            let json = serde_json::to_vec(&receipt)?;
            inputs.insert(format!("receipt of {}", upstream.name()), ids::sha256_hex(&json));
        }
        for table in spec.inputs.iter().filter(|table| Stage::writer_of(**table) == upstream) {
            inputs.insert(table.name().to_owned(), table_sha256(&receipt, *table));
        }
    }
    let config = serde_json::to_vec(&(spec.config)(ctx.config))?;
    Ok(Some(Fingerprint {
        stage: spec.name.to_owned(),
        stage_version: spec.version,
        config_sha256: ids::sha256_hex(&config),
        files: files(ctx, stage)?,
        inputs,
        environment: crate::stages::environment(ctx, stage)?,
    }))
}

fn table_sha256(receipt: &Receipt, table: Table) -> String {
    let name = format!("{}.jsonl", table.name());
    receipt.outputs.get(&name).map_or_else(|| "unhashed".to_owned(), |output| output.sha256.clone())
}

/// Prompts, reply schemas, checkers and decisions that the stage reads.
fn files(ctx: &Context, stage: Stage) -> Result<BTreeMap<String, String>> {
    let root = &ctx.store.root;
    let mut paths = Vec::new();
    let mut hashes = BTreeMap::new();
    if stage.asks_models() {
        for prompt in prompts::load_all(root, stage.name())? {
            hashes.insert(prompt.file().to_owned(), prompt.sha256().to_owned());
        }
    }
    if stage.runs_programs() {
        paths.extend(files_below(&root.join("validators").join("checkers"))?);
    }
    if stage == Stage::Release {
        paths.push(root.join("CHANGELOG.md"));
    }
    paths.push(root.join(super::reviews::FILE));
    for path in paths {
        if let Some(sha256) = store::file_sha256(&path)? {
            let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            hashes.insert(name, sha256);
        }
    }
    if stage == Stage::Pull {
        hashes.extend(local_sources(ctx)?);
    }
    Ok(hashes)
}

/// Local sources change under our feet, unlike pinned downloads. `pull` itself refuses those that are
/// not what `pipeline.toml` pins; here it is enough to notice: a file by its hash, a tree (which may
/// hold millions) by its listing of paths and sizes.
fn local_sources(ctx: &Context) -> Result<BTreeMap<String, String>> {
    let mut hashes = BTreeMap::new();
    for name in &ctx.config.release.sources {
        let source = &ctx.config.config.sources[name];
        for file in source.files.iter().filter(|file| file.url.starts_with("file://")) {
            let path = ctx.config.resolve(&file.url);
            if path.is_dir() {
                hashes.insert(format!("{} (listing)", file.url), listing_sha256(&path)?);
            } else if let Some(sha256) = store::file_sha256(&path)? {
                hashes.insert(file.url.clone(), sha256);
            }
        }
    }
    Ok(hashes)
}

fn listing_sha256(dir: &Path) -> Result<String> {
    let mut listing = String::new();
    for path in files_below(dir)? {
        let name = path.strip_prefix(dir).unwrap_or(&path).display().to_string();
        listing.extend([name.as_str(), "\0", &fs_err::metadata(&path)?.len().to_string(), "\n"]);
    }
    Ok(ids::sha256_hex(listing.as_bytes()))
}

/// All files below a directory, sorted; none when it is not there.
fn files_below(dir: &Path) -> Result<Vec<PathBuf>> {
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths = Vec::new();
    for entry in fs_err::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            paths.extend(files_below(&path)?);
        } else {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}

/// Output files that are not what the receipt says.
///
/// # Errors
/// When a file is there and cannot be read.
pub fn damaged_outputs(store: &Store, stage: Stage, receipt: &Receipt) -> Result<Vec<String>> {
    let mut damaged = Vec::new();
    for (name, output) in &receipt.outputs {
        let sha256 = store::file_sha256(&store.stage_dir(stage).join(name))?;
        if sha256.as_deref() != Some(output.sha256.as_str()) {
            damaged.push(name.clone());
        }
    }
    for name in &receipt.unhashed {
        if !store.stage_dir(stage).join(name).exists() {
            damaged.push(name.clone());
        }
    }
    if stage == Stage::Release {
        damaged.extend(damaged_release(store)?);
    }
    Ok(damaged)
}

/// Files of the written release that are not what its manifest says.
fn damaged_release(store: &Store) -> Result<Vec<String>> {
    let dir = store.release_dir();
    let name = |file: &str| format!("{}/{file}", store.release);
    let in_work = store::file_sha256(&store.stage_dir(Stage::Release).join(MANIFEST))?;
    if in_work.is_none() || store::file_sha256(&dir.join(MANIFEST))? != in_work {
        return Ok(vec![name(MANIFEST)]);
    }
    let manifest: serde_json::Value = serde_json::from_slice(&fs_err::read(dir.join(MANIFEST))?)?;
    let mut damaged = Vec::new();
    for (file, entry) in manifest["files"].as_object().into_iter().flatten() {
        if store::file_sha256(&dir.join(file))?.as_deref() != entry["sha256"].as_str() {
            damaged.push(name(file));
        }
    }
    Ok(damaged)
}
