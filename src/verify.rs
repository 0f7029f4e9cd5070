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
mod published;
mod records;
mod rules;
mod texts;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

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
        Some(Layout::Published) => published::check(dir, &mut findings),
        Some(Layout::Beir) => beir::check(dir, "", &mut findings)?.n_records,
        None => bail!(
            Invalid::new(format!("`{}` holds no release", dir.display()))
                .hint("name a directory with `code_corpus.jsonl` or with `corpus.jsonl` in it")
        ),
    };
    Ok(findings.into_report(n_records))
}

/// All rules with what they mean, for `--help`.
#[must_use]
pub fn rules_help() -> String {
    let mut text = String::from(
        "DIR is a release in CoREB's layout (as `cut` writes it, or as its authors publish it) or in BEIR's.\n\
         Exit code 0: clean, warnings aside; 5: errors.\n\nRules:\n",
    );
    for rule in Rule::ALL {
        let Declared { severity, meaning, row, .. } = rule.declared();
        let row = row.as_ref().map_or_else(String::new, |row| format!(", row {row}"));
        let _ = writeln!(text, "  {} ({}{row}): {meaning}", rule.name(), severity.name());
    }
    text
}

/// How the files of a release are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Our record files.
    Records,
    /// The record files as `CoREB`'s authors publish them: no manifest, no verdicts.
    Published,
    /// `corpus.jsonl`, `queries.jsonl`, `qrels/`.
    Beir,
}

impl Layout {
    fn of(dir: &Path) -> Option<Self> {
        let has = |names: &[&str]| names.iter().any(|name| dir.join(name).exists());
        if !has(&["manifest.json", "anchors.jsonl"]) && has(&["code_corpus.jsonl"]) {
            Some(Self::Published)
        } else if has(&["manifest.json", "code_corpus.jsonl", "text_corpus.jsonl", "text2code_queries.jsonl"]) {
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
    /// How many queries it touches, where that is another number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<usize>,
    /// What the count is made of, and what hangs on it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<&'static str, usize>,
    /// The first places, each with file and line.
    pub examples: Vec<String>,
    /// The row in the table of the published releases' faults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<&'static str>,
    pub meaning: &'static str,
    /// How a heuristic rule of ours differs from that table's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<&'static str>,
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
            let (severity, rule) = (finding.severity.name(), finding.rule.name());
            let _ = writeln!(text, "\n{severity} {rule} × {}: {}", finding.count, finding.meaning);
            text += &render_details(finding);
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

fn render_details(finding: &Finding) -> String {
    let mut details: Vec<String> = finding.row.iter().map(|row| format!("row {row}")).collect();
    details.extend(finding.queries.map(|n| format!("{n} queries")));
    details.extend(finding.parts.iter().map(|(part, n)| format!("{part} {n}")));
    details.extend(finding.differs.map(|differs| format!("our count differs from the published one: {differs}")));
    if details.is_empty() { String::new() } else { format!("  ({})\n", details.join("; ")) }
}

/// Findings as they come in.
#[derive(Debug, Default)]
struct Findings(BTreeMap<Rule, Tally>);

/// What is known of one broken rule so far.
#[derive(Debug, Default)]
struct Tally {
    count: usize,
    queries: BTreeSet<String>,
    parts: BTreeMap<&'static str, usize>,
    examples: Vec<String>,
}

impl Findings {
    /// What a check returns, with what it found.
    fn of<T>(check: impl FnOnce(&mut Self) -> Result<T>) -> (Result<T>, Self) {
        let mut findings = Self::default();
        (check(&mut findings), findings)
    }

    /// Takes over what another check found, behind what was found before.
    fn take<T>(&mut self, (result, others): (Result<T>, Self)) -> Result<T> {
        for (rule, more) in others.0 {
            let tally = self.0.entry(rule).or_default();
            tally.count += more.count;
            tally.queries.extend(more.queries);
            for (part, n) in more.parts {
                *tally.parts.entry(part).or_default() += n;
            }
            tally.examples.extend(more.examples);
            tally.examples.truncate(MAX_EXAMPLES);
        }
        result
    }

    fn add(&mut self, rule: Rule, place: impl Into<String>) {
        let tally = self.0.entry(rule).or_default();
        tally.count += 1;
        if tally.examples.len() < MAX_EXAMPLES {
            tally.examples.push(place.into());
        }
    }

    /// A fault of a query's; the query counts once, however often it is at fault.
    fn add_of_query(&mut self, rule: Rule, query_id: &str, place: impl Into<String>) {
        self.add(rule, place);
        self.0.entry(rule).or_default().queries.insert(query_id.to_owned());
    }

    /// Counts a part of what was found by a rule. A rule that found nothing has no parts.
    fn add_part(&mut self, rule: Rule, part: &'static str, n: usize) {
        if let Some(tally) = self.0.get_mut(&rule) {
            *tally.parts.entry(part).or_default() += n;
        }
    }

    fn into_report(self, n_records: BTreeMap<String, usize>) -> Report {
        let finding = |(rule, tally): (Rule, Tally)| {
            let declared = rule.declared();
            Finding {
                rule,
                severity: declared.severity,
                count: tally.count,
                queries: (!tally.queries.is_empty()).then_some(tally.queries.len()),
                parts: tally.parts,
                examples: tally.examples,
                row: declared.row.as_deref(),
                meaning: &declared.meaning,
                differs: declared.differs.as_deref(),
            }
        };
        let mut findings: Vec<Finding> = self.0.into_iter().map(finding).collect();
        findings.sort_by_key(|finding| (finding.severity, finding.rule));
        Report { n_records, findings }
    }
}
