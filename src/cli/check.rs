//! `corebuild check`: what is missing on this machine, each with the command that mends it.

use std::sync::atomic::AtomicBool;

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
    stages, summary,
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
        findings.extend(sources(config));
        findings.extend(models(config));
    }
    let min = config.as_ref().map_or(Isolation::Namespaces, |config| config.execute.min_isolation);
    findings.push(sandbox(min));
    findings.extend(Language::ALL.into_iter().map(toolchain));
    let n_problems = findings.iter().filter(|finding| finding.result.is_err()).count();
    console.data(&if json { as_json(&findings)? } else { as_text(&findings, n_problems) });
    let config_is_bad = config.is_err();
    Ok(match n_problems {
        0 => ExitCode::Done,
        _ if config_is_bad => ExitCode::BadConfig,
        _ => ExitCode::Unavailable,
    })
}

fn prompts_of(config: &Config, stage: Stage) -> Finding {
    let result = prompts::load_all(&config.root, stage.name())
        .map(|prompts| format!("{} templates", prompts.len()))
        .map_err(|error| Problem { message: error.message.clone(), hint: error.hint.clone() });
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

fn sources(config: &Config) -> Vec<Finding> {
    let local = config.sources.iter().flat_map(|(name, source)| source.files.iter().map(move |file| (name, file)));
    local
        .filter_map(|(name, file)| Some((name, file.url.strip_prefix("file://")?)))
        .map(|(name, path)| {
            let path = config.root.join(path);
            let result = if path.exists() {
                Ok(path.display().to_string())
            } else {
                Err(Problem { message: format!("`{}` is not there", path.display()), hint: None })
            };
            Finding { what: format!("source `{name}`"), result }
        })
        .collect()
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
                ("MISSING", format!("{}{hint}", problem.message))
            }
        };
        table.add_row([finding.what.as_str(), mark, text.as_str()]);
    }
    let end = if n_problems == 0 { "everything is there".to_owned() } else { format!("{n_problems} missing") };
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
