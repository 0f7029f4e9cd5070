//! `corebuild check`: what is missing on this machine, each with the command that mends it.

use anyhow::Result;
use serde_json::{Value, json};

use super::Global;
use crate::{
    config::{Config, Isolation},
    console::Console,
    exit_code::ExitCode,
    languages::{Language, Toolchain},
    pipeline::Stage,
    prompts,
    sandbox::Sandbox,
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

pub(super) fn run(global: &Global, json: bool, console: &Console) -> Result<ExitCode> {
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
        findings.extend(sources(config));
        findings.extend(recordings(config));
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

fn recordings(config: &Config) -> Vec<Finding> {
    config
        .models
        .iter()
        .map(|(name, model)| {
            let path = config.root.join(&model.recordings);
            let result = if path.is_dir() {
                Ok(format!("replays `{}`", model.recordings))
            } else {
                Err(Problem { message: format!("no recordings at `{}`", path.display()), hint: None })
            };
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
