//! What a stage would consume now: configuration, prompts, validators, input tables, toolchains.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::Result;

use crate::{
    config::SourceKind,
    ids,
    pipeline::Stage,
    prompts,
    receipt::{Fingerprint, Receipt},
    stages::Context,
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

/// Local source files change under our feet, unlike pinned downloads; `pull` itself refuses those
/// that are not what `pipeline.toml` pins, so here their size and time are enough to notice.
fn local_sources(ctx: &Context) -> Result<BTreeMap<String, String>> {
    let mut hashes = BTreeMap::new();
    for name in &ctx.config.release.sources {
        let source = &ctx.config.config.sources[name];
        for file in source.files.iter().filter(|file| file.url.starts_with("file://")) {
            let path = ctx.config.resolve(&file.url);
            if source.kind == SourceKind::Livecodebench
                && let Some(sha256) = store::file_sha256(&path)?
            {
                hashes.insert(file.url.clone(), sha256);
            }
        }
    }
    Ok(hashes)
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
    if stage == Stage::Release && !store.release_dir().join("manifest.json").exists() {
        damaged.push(format!("{}/manifest.json", store.release));
    }
    Ok(damaged)
}
