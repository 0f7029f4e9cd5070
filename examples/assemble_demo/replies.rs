//! The recordings of the demo: the authored replies, journalled as a real model's would be.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use anyhow::{Context as _, Result};
use corebuild::{
    config::Config,
    console::Console,
    keyed_log::KeyedLog,
    llm::{Call, FinishReason, Provider, ProviderError, Providers, Reply, Request, Usage, tokens},
    pipeline::Stage,
    runner,
    stages::Context,
    store::{self, Store},
};
use serde_json::{Value, json};

use crate::sources::name;

/// When the demo's replies were written, as far as the recordings are concerned.
const RECEIVED_AT: &str = "2026-01-05T00:00:00Z";

/// Cuts the demo releases with authored replies as far as models are asked, and ships the journal.
pub(crate) fn record(demo: &Path, console: &Console) -> Result<()> {
    let work = tempfile::tempdir()?;
    let config = Config::load(Path::new("pipeline.toml"))?;
    for release in ["demo202601", "demo202602"] {
        let config = config.release(Some(release))?;
        let store = Store {
            root: PathBuf::from("."),
            work: work.path().to_path_buf(),
            dist: work.path().join("dist"),
            release: release.to_owned(),
        };
        let authored: Arc<dyn Provider> = Arc::new(Authored {
            dir: demo.join("authored"),
            tests_per_request: config.config.rewrite.tests_per_request,
        });
        let open = |_: &_, models: &[&str]| -> Result<Providers> {
            Ok(models.iter().map(|model| ((*model).to_owned(), Arc::clone(&authored))).collect::<BTreeMap<_, _>>())
        };
        let interrupted = AtomicBool::new(false);
        let n_workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let ctx = Context {
            config: &config,
            store: &store,
            console,
            n_workers,
            interrupted: &interrupted,
            open_providers: &open,
        };
        for stage in Stage::ALL.into_iter().filter(|stage| *stage <= Stage::Queries) {
            runner::run(&ctx, stage)?;
            console.note(&format!("{release} {}", stage.name()));
        }
    }
    ship(&work.path().join("journal/llm"), &demo.join("replies"))
}

/// Copies the journals, sorted by key, so that recording again gives the same files.
fn ship(journal: &Path, replies: &Path) -> Result<()> {
    if replies.exists() {
        fs_err::remove_dir_all(replies)?;
    }
    fs_err::create_dir_all(replies)?;
    for entry in fs_err::read_dir(journal)? {
        let path = entry?.path();
        let log = KeyedLog::open_read_only(&path)?;
        let mut lines = Vec::new();
        for key in log.keys() {
            let value: Option<Value> = log.get(&key)?;
            serde_json::to_writer(&mut lines, &json!({"key": key, "value": value}))?;
            lines.push(b'\n');
        }
        store::write_atomic(&replies.join(name(&path)), &lines)?;
    }
    Ok(())
}

/// Answers from files written by hand.
struct Authored {
    dir: PathBuf,
    tests_per_request: usize,
}

impl Provider for Authored {
    fn complete(&self, request: &Request) -> Result<Reply, ProviderError> {
        let (text, finish_reason) =
            self.answer(request).map_err(|error| ProviderError::NoRecording { detail: format!("{error:#}") })?;
        let usage = Usage {
            input_tokens: tokens::input_tokens(request),
            output_tokens: tokens::Encoding::O200kBase.count(&text),
            ..Usage::default()
        };
        Ok(Reply {
            request: request.clone(),
            text,
            finish_reason,
            usage,
            model_version: format!("{}-1", request.model),
            request_id: format!("authored-{}", &request.key()[..16]),
            received_at: RECEIVED_AT.to_owned(),
            call: Call::default(),
        })
    }
}

impl Authored {
    fn answer(&self, request: &Request) -> Result<(String, FinishReason)> {
        let folder = self.folder(&request.row_id)?;
        let file = match (request.stage.as_str(), request.prompt.as_str()) {
            ("rewrite", "statement") => "rewrite.json".to_owned(),
            ("rewrite", "tests") => return self.tests(&folder, request),
            ("abbreviate", _) => "abbreviation.txt".to_owned(),
            ("negatives", strategy) => format!("negatives/{strategy}.txt"),
            ("tests", _) => "synthesis.json".to_owned(),
            ("queries", _) => "queries.json".to_owned(),
            ("solve", _) => return solution(&folder, request),
            (stage, prompt) => anyhow::bail!("nothing is authored for prompt `{prompt}` of `{stage}`"),
        };
        Ok((fs_err::read_to_string(folder.join(file))?, FinishReason::Stop))
    }

    /// The folder of the problem that a row's id begins with.
    fn folder(&self, row_id: &str) -> Result<PathBuf> {
        for (prefix, dir) in [("lcb_", "lcb"), ("codenet_", "codenet")] {
            let Some(rest) = row_id.strip_prefix(prefix) else { continue };
            let folders = crate::sources::folders(&self.dir.join(dir))?;
            let owns = |folder: &&PathBuf| {
                rest.strip_prefix(&name(folder)).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '_']))
            };
            return folders.iter().find(owns).cloned().with_context(|| format!("no folder for `{row_id}`"));
        }
        anyhow::bail!("`{row_id}` belongs to no authored source")
    }

    /// The batch of rewritten tests that the request asks for.
    fn tests(&self, folder: &Path, request: &Request) -> Result<(String, FinishReason)> {
        let all: Value = serde_json::from_str(&fs_err::read_to_string(folder.join("rewrite_tests.json"))?)?;
        let number: usize = request.row_id.rsplit('/').next().unwrap_or_default().parse()?;
        let tests = all["tests"].as_array().context("`tests` is a list")?;
        let batch: Vec<&Value> =
            tests.iter().skip(number * self.tests_per_request).take(self.tests_per_request).collect();
        Ok((serde_json::to_string_pretty(&json!({"tests": batch}))?, FinishReason::Stop))
    }
}

/// `<problem>_<language>_<model>_<prompt>_<sample>` → the raw reply; a file named `.truncated.txt`
/// was cut at its token limit.
fn solution(folder: &Path, request: &Request) -> Result<(String, FinishReason)> {
    let dir = folder.join("solutions").join(&request.model);
    let is_part = |language: &str| request.row_id.contains(&format!("_{language}_{}_", request.model));
    let language = ["cpp", "go", "java", "python", "ruby"].into_iter().find(|language| is_part(language));
    let language = language.with_context(|| format!("`{}` names no language", request.row_id))?;
    let truncated = dir.join(format!("{language}.truncated.txt"));
    if truncated.exists() {
        return Ok((fs_err::read_to_string(truncated)?, FinishReason::Length));
    }
    Ok((fs_err::read_to_string(dir.join(format!("{language}.txt")))?, FinishReason::Stop))
}
