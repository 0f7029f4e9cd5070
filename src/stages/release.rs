//! Stage `release`: writes `dist/<name>/`, once.
//!
//! Every file is a function of tables, receipts and configuration: no clock, no path of the
//! machine. A release appears whole or not at all, passes [`crate::verify`] before it appears, and
//! is never changed afterwards.

mod card;
mod changelog;
mod layout;
mod manifest;
mod pieces;
mod publish;
mod tokens;

pub(crate) use changelog::check as changelog_names;
pub(crate) use publish::publish;

#[cfg(test)]
mod published_tests;
#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt::Write};

use anyhow::Result;

use super::{Context, StageOutput};
use crate::{
    pipeline::Stage,
    receipt::Receipt,
    store::REJECTED,
    tables::{Anchor, CodeDocument, Qrel, Query, TextDocument},
};

/// The file that lists all others.
pub const MANIFEST: &str = "manifest.json";

/// # Errors
/// [`crate::exit_code::Invalid`] where the changelog does not name the release, where the release
/// exists with other content, or where it would not pass `verify`.
pub fn run(ctx: &Context) -> Result<StageOutput> {
    changelog::check(&ctx.store.root, &ctx.config.name)?;
    let records = Records {
        name: ctx.config.name.clone(),
        queries: ctx.load()?,
        code_documents: ctx.load()?,
        text_documents: ctx.load()?,
        qrels: ctx.load()?,
        anchors: ctx.load()?,
    };
    let provenance = provenance(ctx)?;
    ctx.check_interrupted()?;
    let files = ctx.in_parallel(|| files(&records, &provenance))??;
    ctx.in_parallel(|| publish(&ctx.store.release_dir(), &files))??;
    let mut output = StageOutput::new([]);
    output.files.insert(MANIFEST.to_owned(), files[MANIFEST].clone());
    Ok(output)
}

/// The rows that a release is made of.
#[derive(Clone, Debug, Default)]
pub struct Records {
    pub name: String,
    pub queries: Vec<Query>,
    pub code_documents: Vec<CodeDocument>,
    pub text_documents: Vec<TextDocument>,
    pub qrels: Vec<Qrel>,
    pub anchors: Vec<Anchor>,
}

/// What the records were made from.
#[derive(Clone, Debug, Default)]
pub struct Provenance {
    pub created_at: String,
    /// `[sources.<name>]`, by name.
    pub sources: BTreeMap<String, serde_json::Value>,
    /// What each model did and where it was asked, by name.
    pub models: BTreeMap<String, serde_json::Value>,
    /// Per stage what it reads of the configuration.
    pub config: BTreeMap<String, serde_json::Value>,
    pub receipts: BTreeMap<String, Receipt>,
    /// All stages' rejected rows, each with its stage.
    pub rejected: Vec<u8>,
}

/// All files of a release by path, the manifest among them.
///
/// # Errors
/// When a row does not serialise.
pub fn files(records: &Records, provenance: &Provenance) -> Result<BTreeMap<String, Vec<u8>>> {
    // The card counts tokens, which takes as long as all the rest.
    let (files, card) = rayon::join(|| layout::files(records), || card::render(records, provenance));
    let mut files = files?;
    files.insert(REJECTED.to_owned(), provenance.rejected.clone());
    files.insert("README.md".to_owned(), card.into_bytes());
    let manifest = manifest::render(records, provenance, &files)?;
    files.insert(MANIFEST.to_owned(), manifest);
    Ok(files)
}

fn provenance(ctx: &Context) -> Result<Provenance> {
    let config = ctx.config;
    let mut provenance = Provenance { created_at: config.release.created_at.clone(), ..Provenance::default() };
    for name in &config.release.sources {
        provenance.sources.insert(name.clone(), serde_json::to_value(&config.config.sources[name])?);
    }
    for name in config.release.solvers.iter().chain([&config.release.writer]) {
        let mut roles = Vec::new();
        if *name == config.release.writer {
            roles.push("writes texts");
        }
        if config.release.solvers.contains(name) {
            roles.push("writes programs");
        }
        let provider = config.model(name).provider;
        provenance.models.insert(name.clone(), serde_json::json!({"provider": provider, "roles": roles}));
    }
    let spec = Stage::Release.spec();
    provenance.config.insert(spec.name.to_owned(), (spec.config)(config));
    for stage in spec.after {
        provenance.config.insert(stage.name().to_owned(), (stage.spec().config)(config));
        let Some(receipt) = ctx.store.receipt(*stage)? else { continue };
        provenance.receipts.insert(stage.name().to_owned(), receipt);
        let rejected = fs_err::read_to_string(ctx.store.stage_dir(*stage).join(REJECTED))?;
        provenance.rejected.extend(with_stage(stage.name(), &rejected).into_bytes());
    }
    Ok(provenance)
}

/// The lines of a stage's `rejected.jsonl`, each with the stage in front.
fn with_stage(stage: &str, jsonl: &str) -> String {
    let mut lines = String::with_capacity(jsonl.len());
    for rest in jsonl.lines().filter_map(|line| line.strip_prefix('{')) {
        let _ = writeln!(lines, "{{\"stage\":\"{stage}\",{rest}");
    }
    lines
}
