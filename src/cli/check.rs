//! `corebuild check`: what is missing on this machine, each with the command that mends it.

use std::{path::Path, sync::atomic::AtomicBool};

use anyhow::Result;
use serde_json::{Value, json};

use super::{Global, commands::Project};
use crate::{
    config::{Config, Isolation},
    console::Console,
    exit_code::{self, ExitCode},
    languages::{Language, Toolchain},
    llm,
    pipeline::Stage,
    prompts,
    sandbox::Sandbox,
    sources,
    stages::{self, release::changelog_names},
    summary,
};

/// One thing that was looked at.
struct Finding {
    what: String,
    /// What was found, or what is wrong.
    result: Result<String, Problem>,
}

struct Problem {
    message: String,
    hint: Option<String>,
}

pub(super) fn run(global: &Global, json: bool, console: &Console, interrupted: &AtomicBool) -> Result<ExitCode> {
    let mut findings = Vec::new();
    let config = Config::load(&global.config);
    findings.push(Finding {
        what: format!("configuration `{}`", global.config.display()),
        result: match &config {
            Ok(config) => Ok(format!("{} releases, default `{}`", config.releases.len(), config.default_release)),
            Err(error) => Err(Problem { message: error.to_string(), hint: error.hint.clone() }),
        },
    });
    if let Ok(config) = &config {
        findings
            .extend(Stage::ALL.into_iter().filter(|stage| stage.asks_models()).map(|stage| prompts_of(config, stage)));
        for release in config.releases.keys() {
            findings.extend(rendered(global, release, console, interrupted));
        }
        findings.extend(local_sources(config));
        findings.extend(config.releases.keys().map(|release| changelog(config, release)));
        findings.extend(models(config));
    }
    let min = config.as_ref().map_or(Isolation::Namespaces, |config| config.execute.min_isolation);
    findings.push(sandbox(min));
    findings.extend(Language::ALL.into_iter().map(toolchain));
    let n_problems = findings.iter().filter(|finding| finding.result.is_err()).count();
    console.data(&if json { as_json(&findings)? } else { as_text(&findings, n_problems) });
    let is_bad = |finding: &Finding| finding.result.is_err() && finding.what.starts_with("prompts of");
    let text_is_bad = config.is_err() || findings.iter().any(is_bad);
    Ok(match n_problems {
        0 => ExitCode::Done,
        _ if text_is_bad => ExitCode::BadConfig,
        _ => ExitCode::Unavailable,
    })
}

fn prompts_of(config: &Config, stage: Stage) -> Finding {
    let result = prompts::load_all(&config.root, stage.name())
        .map_err(|error| Problem { message: error.message.clone(), hint: error.hint.clone() })
        .and_then(|prompts| match prompts.len() {
            0 => Err(Problem { message: "no template is there".to_owned(), hint: None }),
            1 => Ok("1 template".to_owned()),
            n => Ok(format!("{n} templates")),
        });
    Finding { what: format!("prompts of `{}`", stage.name()), result }
}

/// Every prompt on every row of a release that is there, offline: what would stop a stage is told
/// before anything is paid.
fn rendered(global: &Global, release: &str, console: &Console, interrupted: &AtomicBool) -> Vec<Finding> {
    let Ok(project) = Project::open(global, Some(release)) else { return Vec::new() };
    let ctx = project.context(console, interrupted);
    let finding = |stage: Stage| {
        let result = match stages::requests(&ctx, stage) {
            Ok(None) => return None,
            Ok(Some(requests)) => Ok(format!("{} rows render", requests.len())),
            Err(error) => {
                Err(Problem { message: format!("{error:#}"), hint: exit_code::hint(&error).map(str::to_owned) })
            }
        };
        Some(Finding { what: format!("prompts of `{}` on `{release}`", stage.name()), result })
    };
    Stage::ALL.into_iter().filter(|stage| stage.asks_models()).filter_map(finding).collect()
}

fn local_sources(config: &Config) -> Vec<Finding> {
    let local = config.sources.iter().flat_map(|(name, source)| source.files.iter().map(move |file| (name, file)));
    local
        .filter_map(|(name, file)| Some((name, file.url.strip_prefix("file://")?, file.sha256.clone())))
        .map(|(name, path, pin)| {
            let path = config.root.join(path);
            Finding { what: format!("source `{name}`"), result: source(&path, &pin) }
        })
        .collect()
}

/// Whether a local source is there and is the pinned one.
fn source(path: &Path, pin: &str) -> Result<String, Problem> {
    let problem = |message: String, hint: Option<String>| Err(Problem { message, hint });
    match sources::measure(path, &mut |_| Ok(())) {
        Ok((_, sha256, _)) if sha256 == pin => Ok(path.display().to_string()),
        Ok((_, sha256, _)) => problem(
            format!("`{}` has the sha256 {sha256}, `pipeline.toml` pins {pin}", path.display()),
            Some("put the source back as it was; or, if the change is meant, pin the new hash".to_owned()),
        ),
        Err(error) => problem(format!("{error:#}"), None),
    }
}

/// The gate that `release` will ask for, long after models were paid.
fn changelog(config: &Config, release: &str) -> Finding {
    let result = match changelog_names(&config.root, release) {
        Ok(()) => Ok("has a heading".to_owned()),
        Err(error) => Err(Problem { message: format!("{error:#}"), hint: exit_code::hint(&error).map(str::to_owned) }),
    };
    Finding { what: format!("changelog of `{release}`"), result }
}

fn models(config: &Config) -> Vec<Finding> {
    config
        .models
        .iter()
        .map(|(name, model)| {
            let result = llm::availability(&config.root, name, model)
                .map_err(|error| Problem { message: error.message, hint: error.hint });
            Finding { what: format!("model `{name}`"), result }
        })
        .collect()
}

fn sandbox(min: Isolation) -> Finding {
    let result = Sandbox::probe(min)
        .map(|sandbox| sandbox.describe())
        .map_err(|error| Problem { message: error.message, hint: error.hint });
    Finding { what: "sandbox".to_owned(), result }
}

fn toolchain(language: Language) -> Finding {
    let result = Toolchain::probe(language)
        .map(|toolchain| toolchain.version)
        .map_err(|error| Problem { message: error.message, hint: error.hint });
    Finding { what: language.title().to_owned(), result }
}

fn as_text(findings: &[Finding], n_problems: usize) -> String {
    let mut table = summary::table(&["what", "", ""]);
    for finding in findings {
        let (mark, text) = match &finding.result {
            Ok(text) => ("ok", text.clone()),
            Err(problem) => {
                let hint = problem.hint.as_ref().map_or_else(String::new, |hint| format!("\nhint: {hint}"));
                ("PROBLEM", format!("{}{hint}", problem.message))
            }
        };
        table.add_row([finding.what.as_str(), mark, text.as_str()]);
    }
    let end = if n_problems == 0 { "everything is there".to_owned() } else { format!("{n_problems} to mend") };
    format!("{table}\n{end}")
}

fn as_json(findings: &[Finding]) -> Result<String> {
    let rows: Vec<Value> = findings
        .iter()
        .map(|finding| match &finding.result {
            Ok(text) => json!({"what": finding.what, "ok": true, "found": text}),
            Err(problem) => {
                json!({"what": finding.what, "ok": false, "problem": problem.message, "hint": problem.hint})
            }
        })
        .collect();
    Ok(serde_json::to_string(&json!({"findings": rows}))?)
}
