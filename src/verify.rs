//! Holds a release against the declared rules: schemas, ids, references, labels, hashes.
//!
//! It reads a release of ours or a bare BEIR directory, changes nothing, and finds everything it
//! can rather than the first fault. It trusts no other room: what `qrels` guarantees is checked
//! again here from the files alone.

mod beir;
mod duplicates;
mod labels;
mod lines;
mod manifest;
mod records;
mod rules;
mod texts;

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt::Write, path::Path};

use anyhow::{Result, bail};
use serde::Serialize;

pub use self::rules::{Declared, Rule, Severity};
use crate::exit_code::{Invalid, Unavailable};

/// At most so many places are named per rule.
const MAX_EXAMPLES: usize = 5;

/// Checks the release in `dir`.
///
/// # Errors
/// When `dir` is not there, holds no release, or cannot be read. Faults are findings, not errors.
pub fn verify(dir: &Path) -> Result<Report> {
    if !dir.is_dir() {
        bail!(Unavailable::new(format!("`{}` is not a directory", dir.display())));
    }
    let mut findings = Findings::default();
    let n_records = match Layout::of(dir) {
        Some(Layout::Records) => records::check(dir, &mut findings)?,
        Some(Layout::Beir) => beir::check(dir, "", &mut findings)?.n_records,
        None => bail!(
            Invalid::new(format!("`{}` holds no release", dir.display()))
                .hint("name a directory with `code_corpus.jsonl` or with `corpus.jsonl` in it")
        ),
    };
    Ok(findings.into_report(n_records))
}

/// How the files of a release are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// The published record files.
    Records,
    /// `corpus.jsonl`, `queries.jsonl`, `qrels/`.
    Beir,
}

impl Layout {
    fn of(dir: &Path) -> Option<Self> {
        let has = |names: &[&str]| names.iter().any(|name| dir.join(name).exists());
        if has(&["manifest.json", "code_corpus.jsonl", "text_corpus.jsonl", "text2code_queries.jsonl"]) {
            Some(Self::Records)
        } else if has(&["corpus.jsonl", "queries.jsonl", "qrels"]) {
            Some(Self::Beir)
        } else {
            None
        }
    }
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub rule: Rule,
    pub severity: Severity,
    pub count: usize,
    /// The first places, each with file and line.
    pub examples: Vec<String>,
    pub meaning: &'static str,
}

/// What was found, errors first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Records read, by file.
    pub n_records: BTreeMap<String, usize>,
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether the release is fit for use: warnings do not make it unfit.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }

    /// A table for a person.
    #[must_use]
    pub fn render(&self) -> String {
        let n_records: usize = self.n_records.values().sum();
        let mut text = format!("{n_records} records in {} files: ", self.n_records.len());
        if self.findings.is_empty() {
            return text + "no fault found\n";
        }
        let n_errors = self.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
        let n_warnings = self.findings.len() - n_errors;
        let _ = writeln!(text, "{n_errors} rules broken, {n_warnings} warnings");
        for finding in &self.findings {
            let severity = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let _ = writeln!(text, "\n{severity} {} × {}: {}", finding.rule.name(), finding.count, finding.meaning);
            for example in &finding.examples {
                let _ = writeln!(text, "  {example}");
            }
            if finding.count > finding.examples.len() {
                let _ = writeln!(text, "  and {} more", finding.count - finding.examples.len());
            }
        }
        text
    }
}

/// Findings as they come in.
#[derive(Debug, Default)]
struct Findings(BTreeMap<Rule, (usize, Vec<String>)>);

impl Findings {
    /// What a check returns, with what it found.
    fn of<T>(check: impl FnOnce(&mut Self) -> Result<T>) -> (Result<T>, Self) {
        let mut findings = Self::default();
        (check(&mut findings), findings)
    }

    /// Takes over what another check found, behind what was found before.
    fn take<T>(&mut self, (result, others): (Result<T>, Self)) -> Result<T> {
        for (rule, (n_more, more)) in others.0 {
            let (count, examples) = self.0.entry(rule).or_default();
            *count += n_more;
            examples.extend(more);
            examples.truncate(MAX_EXAMPLES);
        }
        result
    }

    fn add(&mut self, rule: Rule, place: impl Into<String>) {
        let (count, examples) = self.0.entry(rule).or_default();
        *count += 1;
        if examples.len() < MAX_EXAMPLES {
            examples.push(place.into());
        }
    }

    fn into_report(self, n_records: BTreeMap<String, usize>) -> Report {
        let finding = |(rule, (count, examples)): (Rule, (usize, Vec<String>))| {
            let declared = rule.declared();
            Finding { rule, severity: declared.severity, count, examples, meaning: &declared.meaning }
        };
        let mut findings: Vec<Finding> = self.0.into_iter().map(finding).collect();
        findings.sort_by_key(|finding| (finding.severity, finding.rule));
        Report { n_records, findings }
    }
}
