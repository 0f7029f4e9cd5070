//! What serde cannot see: names that must be known, numbers that must make sense.

use super::{Config, Release, parts::Limits};
use crate::ids;

/// Every mistake, as a sentence that names its place.
pub(super) fn mistakes(config: &Config) -> Vec<String> {
    let mut mistakes = Vec::new();
    if !config.releases.contains_key(&config.default_release) {
        mistakes.push(format!(
            "`default_release` names the unknown release `{}` (known: {})",
            config.default_release,
            names(config.releases.keys())
        ));
    }
    for (name, release) in &config.releases {
        release_mistakes(config, name, release, &mut mistakes);
    }
    for (name, source) in &config.sources {
        if source.files.is_empty() {
            mistakes.push(format!("[sources.{name}] has no `files`"));
        }
        for file in &source.files {
            if !file.url.starts_with("file://") && !file.url.starts_with("https://") {
                mistakes.push(format!("[sources.{name}] url `{}` is neither file:// nor https://", file.url));
            }
            if file.sha256.len() != 64 || !file.sha256.bytes().all(|b| b.is_ascii_hexdigit()) {
                mistakes.push(format!("[sources.{name}] sha256 of `{}` is not 64 hex digits", file.url));
            }
        }
    }
    for (name, model) in &config.models {
        mistakes.extend(model.mistakes().into_iter().map(|mistake| format!("[models.{name}] {mistake}")));
    }
    number_mistakes(config, &mut mistakes);
    mistakes
}

fn release_mistakes(config: &Config, name: &str, release: &Release, mistakes: &mut Vec<String>) {
    if !ids::is_safe(name) {
        mistakes
            .push(format!("[releases.{name}]: a release's name starts with a letter and keeps to a-z, 0-9, _ and -"));
    }
    if release.sources.is_empty() {
        mistakes.push(format!("[releases.{name}] has no `sources`"));
    }
    for source in &release.sources {
        if !config.sources.contains_key(source) {
            let known = names(config.sources.keys());
            mistakes.push(format!("[releases.{name}] names the unknown source `{source}` (known: {known})"));
        }
    }
    for model in release.solvers.iter().chain([&release.writer]) {
        if !config.models.contains_key(model) {
            let known = names(config.models.keys());
            mistakes.push(format!("[releases.{name}] names the unknown model `{model}` (known: {known})"));
        }
    }
    for (key, values) in [("sources", &release.sources), ("solvers", &release.solvers)] {
        if let Some(twice) = values.iter().enumerate().find(|(idx, value)| values[..*idx].contains(value)) {
            mistakes.push(format!("[releases.{name}] {key} names `{}` twice", twice.1));
        }
    }
    if release.solvers.is_empty() {
        mistakes.push(format!("[releases.{name}] has no `solvers`"));
    }
    for date in [&release.window.from, &release.window.until] {
        if !is_date(date) {
            mistakes.push(format!("[releases.{name}] window: `{date}` is not a date such as 2026-01-31"));
        }
    }
    if release.window.from >= release.window.until {
        mistakes.push(format!("[releases.{name}] window is empty: `from` must lie before `until`"));
    }
}

fn number_mistakes(config: &Config, mistakes: &mut Vec<String>) {
    let shares = [
        ("rewrite", "max_rejected_share", config.rewrite.max_rejected_share),
        ("abbreviate", "max_rejected_share", config.abbreviate.max_rejected_share),
        ("negatives", "max_rejected_share", config.negatives.max_rejected_share),
        ("queries", "max_rejected_share", config.queries.max_rejected_share),
        ("execute", "max_internal_error_share", config.execute.max_internal_error_share),
        ("execute", "repeat_margin", config.execute.repeat_margin),
    ];
    for (table, key, value) in shares {
        if !(0.0..=1.0).contains(&value) {
            mistakes.push(format!("[{table}] {key} = {value} is not a share between 0 and 1"));
        }
    }
    let counts = [
        ("rewrite", "tests_per_request", config.rewrite.tests_per_request),
        ("tests", "min_tests", config.tests.min_tests),
        ("tests", "min_agreeing", config.tests.min_agreeing),
        ("solve", "languages", config.solve.languages.len()),
        ("solve", "samples", config.solve.samples as usize),
        ("difficulty", "k", config.difficulty.k),
        ("difficulty", "n_runs", config.difficulty.n_runs),
        ("sanity", "cutoffs", config.sanity.cutoffs.len()),
    ];
    for (table, key, value) in counts {
        if value == 0 {
            mistakes.push(format!("[{table}] {key} is empty or 0"));
        }
    }
    let languages = &config.solve.languages;
    if let Some(twice) = languages.iter().enumerate().find(|(idx, language)| languages[..*idx].contains(language)) {
        mistakes.push(format!("[solve] languages names `{}` twice", twice.1.name()));
    }
    let [low, high] = config.negatives.temperature;
    if !(0.0 <= low && low <= high && high <= 2.0) {
        mistakes.push(format!("[negatives] temperature = [{low}, {high}] is not a range within 0 and 2"));
    }
    limit_mistakes("execute.limits", &config.execute.limits, mistakes);
    limit_mistakes("execute.compile_limits", &config.execute.compile_limits, mistakes);
    for (language, limits) in &config.execute.language_limits {
        limit_mistakes(&format!("execute.language_limits.{}", language.name()), limits, mistakes);
    }
}

fn limit_mistakes(table: &str, limits: &Limits, mistakes: &mut Vec<String>) {
    let values = [limits.cpu_ms, limits.wall_ms, limits.memory_mib, limits.output_kib, limits.processes];
    if values.contains(&0) {
        mistakes.push(format!("[{table}] has a limit of 0"));
    }
    if limits.wall_ms < limits.cpu_ms {
        mistakes.push(format!("[{table}] wall_ms is below cpu_ms"));
    }
}

fn names<'a>(keys: impl Iterator<Item = &'a String>) -> String {
    keys.map(String::as_str).collect::<Vec<_>>().join(", ")
}

pub(super) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(idx, byte)| match idx {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}
