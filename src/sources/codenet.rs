//! CodeNet: problem pages, submissions and sample pairs of a `Project_CodeNet` tree.
//!
//! It owns which problems and submissions are taken. A problem's date is that of its earliest
//! submission of any status; where no submission has a date it is 1970-01-01T00:00:00, so a window
//! that wants such problems has to begin there. Nothing is unpacked to disk.

mod encoding;
mod metadata;
mod page;
mod tree;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Result, bail};
use sha2::{Digest, Sha256};

use self::{
    metadata::{BadRow, ListedProblem, Submission},
    page::Page,
    tree::{Member, SourcePath, Tree},
};
use super::{Collector, Doing};
use crate::{
    exit_code::Invalid,
    ids,
    languages::Language,
    tables::{Problem, Reason, Reference, Style, TestOrigin},
};

/// Of a problem that no dated submission dates.
const NO_DATE: &str = "1970-01-01T00:00:00";

/// All that describes problems, by CodeNet's problem id.
#[derive(Debug, Default)]
struct Descriptions {
    problem_list: Option<Vec<u8>>,
    pages: BTreeMap<String, Option<Vec<u8>>>,
    inputs: BTreeMap<String, Option<Vec<u8>>>,
    outputs: BTreeMap<String, Option<Vec<u8>>>,
    submissions: BTreeMap<String, Submissions>,
}

/// The table of submissions of one problem.
#[derive(Debug, Default)]
struct Submissions {
    /// Empty unless the problem is wanted: most problems of a tree lie outside the window.
    rows: Vec<Submission>,
    bad_rows: Vec<BadRow>,
    n_rows: usize,
    date: Option<String>,
}

/// A reference whose text is still to be read.
struct Chosen {
    problem_id: String,
    language: Language,
    submission: Submission,
}

/// Reads a tree into `collector`.
pub(super) fn read(path: &Path, collector: &mut Collector<'_>) -> Result<()> {
    let tree = Tree::open(path)?;
    let mut descriptions = describe(&tree, collector)?;
    let Some(list) = descriptions.problem_list.take() else {
        bail!(
            Invalid::new(format!(
                "`{}` of [sources.{}] has no `metadata/problem_list.csv`",
                path.display(),
                collector.source
            ))
            .hint("name the `Project_CodeNet` directory, or a `tar.gz` of it")
        );
    };
    let rows = metadata::read_problem_list(&list)
        .map_err(|detail| Invalid::new(format!("`{}`: metadata/problem_list.csv: {detail}", path.display())))?;
    let mut chosen = BTreeMap::new();
    let mut listed_ids = BTreeSet::new();
    for row in rows {
        collector.pulled.n_in += 1;
        match row {
            Ok(listed) => {
                take_problem(&listed, &mut descriptions, collector, &mut chosen);
                listed_ids.insert(listed.problem_id);
            }
            Err(bad) => reject_row("metadata/problem_list.csv", &bad, collector),
        }
    }
    reject_unlisted(&descriptions, &listed_ids, collector);
    read_references(&tree, chosen, collector)
}

/// First pass: everything but the submissions' texts.
fn describe(tree: &Tree, collector: &Collector<'_>) -> Result<Descriptions> {
    let mut descriptions = Descriptions::default();
    let mut n_members = 0;
    tree.descriptions(&mut |member, bytes| {
        n_members += 1;
        collector.progress(Doing::Reading, n_members, None)?;
        match member {
            Member::ProblemList => descriptions.problem_list = bytes,
            Member::Page(id) => drop(descriptions.pages.insert(id, bytes)),
            Member::Input(id) => drop(descriptions.inputs.insert(id, bytes)),
            Member::Output(id) => drop(descriptions.outputs.insert(id, bytes)),
            Member::Metadata(id) => {
                let submissions = submissions(&id, bytes.unwrap_or_default().as_slice(), collector)?;
                descriptions.submissions.insert(id, submissions);
            }
        }
        Ok(())
    })?;
    Ok(descriptions)
}

fn submissions(id: &str, bytes: &[u8], collector: &Collector<'_>) -> Result<Submissions> {
    let rows = metadata::read_submissions(id, bytes)
        .map_err(|detail| Invalid::new(format!("[sources.{}]: metadata/{id}.csv: {detail}", collector.source)))?;
    let mut submissions = Submissions { n_rows: rows.len(), ..Submissions::default() };
    for row in rows {
        match row {
            Ok(row) => submissions.rows.push(row),
            Err(bad) => submissions.bad_rows.push(bad),
        }
    }
    let earliest = submissions.rows.iter().filter_map(|row| row.date).min();
    submissions.date = earliest.map(metadata::iso_date_time);
    let is_wanted = collector.window.contains(submissions.date()) && !collector.config.exclude.contains_key(id);
    if !is_wanted {
        submissions.rows = Vec::new();
        submissions.bad_rows = Vec::new();
    }
    Ok(submissions)
}

impl Submissions {
    fn date(&self) -> &str {
        self.date.as_deref().unwrap_or(NO_DATE)
    }
}

/// Takes a listed problem with its tests and chooses its references, or rejects it.
fn take_problem(
    listed: &ListedProblem,
    descriptions: &mut Descriptions,
    collector: &mut Collector<'_>,
    chosen: &mut BTreeMap<SourcePath, Chosen>,
) {
    let id = &listed.problem_id;
    let problem_id = ids::codenet_problem_id(id);
    let submissions = descriptions.submissions.remove(id).unwrap_or_default();
    if let Some((reason, detail)) = unwanted(listed, &submissions, collector) {
        let detail = format!("{detail}; with it {} submissions, not read", submissions.n_rows);
        collector.reject(problem_id, reason, detail);
        return;
    }
    collector.pulled.n_in += submissions.n_rows as u64;
    for bad in &submissions.bad_rows {
        reject_row(&format!("metadata/{id}.csv"), bad, collector);
    }
    match statement_and_tests(id, descriptions) {
        Ok((page, tests)) => {
            collector.tests(&problem_id, tests.into_iter());
            let problem = problem(listed, &page, submissions.date(), collector.source);
            collector.pulled.problems.push(problem);
            choose_references(&problem_id, id, submissions.rows, collector, chosen);
        }
        Err((reason, detail)) => {
            collector.reject(problem_id.clone(), reason, detail);
            for submission in submissions.rows {
                collector.reject(submission.submission_id, Reason::ProblemRejected, problem_id.clone());
            }
        }
    }
}

/// Why a problem is left out before its page is looked at.
fn unwanted(
    listed: &ListedProblem,
    submissions: &Submissions,
    collector: &mut Collector<'_>,
) -> Option<(Reason, String)> {
    let problem_id = ids::codenet_problem_id(&listed.problem_id);
    if let Some(first) = collector.first_seen(&problem_id, "metadata/problem_list.csv") {
        return Some((Reason::DuplicateProblem, format!("the id stands first in {first}")));
    }
    if let Some(reason) = collector.config.exclude.get(&listed.problem_id) {
        return Some((Reason::Excluded, reason.clone()));
    }
    if !collector.window.contains(submissions.date()) {
        let detail = match &submissions.date {
            Some(date) => format!("first submission of {date}"),
            None => format!("no submission has a date, so it counts as {NO_DATE}"),
        };
        return Some((Reason::OutOfWindow, detail));
    }
    None
}

type Tests = Vec<(TestOrigin, String, String)>;

/// The problem's page and its tests: the derived pair first, then the page's samples, none twice.
fn statement_and_tests(id: &str, descriptions: &mut Descriptions) -> Result<(Page, Tests), (Reason, String)> {
    let bytes = descriptions.pages.remove(id).ok_or((Reason::NoPage, format!("problem_descriptions/{id}.html")))?;
    let html = bytes
        .and_then(encoding::decode)
        .ok_or_else(|| (Reason::Insufficient, "the page is in no known encoding".to_owned()))?;
    let page = page::read(&html)?;
    let pair = (descriptions.inputs.remove(id), descriptions.outputs.remove(id));
    let mut tests = Tests::new();
    if let (Some(input), Some(output)) = pair {
        let text = |bytes: Option<Vec<u8>>| bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let (Some(input), Some(output)) = (text(input), text(output)) else {
            return Err((Reason::UndecodableTests, format!("derived/input_output/data/{id} is not UTF-8")));
        };
        tests.push((TestOrigin::Pair, input, output));
    }
    let samples = page.samples.iter().map(|sample| (TestOrigin::Sample, sample.input.clone(), sample.output.clone()));
    tests.extend(samples);
    // Pairs were scraped off the page, some of them without a result.
    tests.retain(|(_, _, output)| !output.trim().is_empty());
    let mut inputs = BTreeSet::new();
    tests.retain(|(_, input, _)| inputs.insert(input.trim_ascii().to_owned()));
    if tests.is_empty() {
        return Err((Reason::NoTests, "neither a derived pair nor a sample on the page".to_owned()));
    }
    Ok((page, tests))
}

fn problem(listed: &ListedProblem, page: &Page, date: &str, source: &str) -> Problem {
    Problem {
        problem_id: ids::codenet_problem_id(&listed.problem_id),
        source: source.to_owned(),
        question_id: listed.problem_id.clone(),
        platform: listed.platform.clone(),
        title: if listed.name.is_empty() { page.title.clone().unwrap_or_default() } else { listed.name.clone() },
        statement: page.statement(),
        starter_code: String::new(),
        func_name: None,
        style: Style::Stdin,
        date: date.to_owned(),
        difficulty_label: None,
        time_limit_ms: listed.time_limit_ms,
        memory_limit_kib: listed.memory_limit_kib,
    }
}

/// Draws up to `max_references` accepted submissions a language; the others are rejected.
///
/// The draw is by the sha256 of seed and submission id, so it depends neither on the order of rows
/// nor on what else stands in the table.
fn choose_references(
    problem_id: &str,
    id: &str,
    rows: Vec<Submission>,
    collector: &mut Collector<'_>,
    chosen: &mut BTreeMap<SourcePath, Chosen>,
) {
    let mut drawn: BTreeMap<Language, BTreeMap<Vec<u8>, Submission>> = BTreeMap::new();
    for row in rows {
        let key = row.submission_id.clone();
        if row.status != "Accepted" {
            collector.reject(key, Reason::NotAccepted, row.status);
        } else if let Some(language) = metadata::language(&row.language) {
            match collector.first_seen(&row.submission_id, &format!("metadata/{id}.csv")) {
                Some(first) => {
                    collector.reject(key, Reason::BadRecord, format!("the submission stands first in {first}"));
                }
                None => drop(drawn.entry(language).or_default().insert(rank(collector.seed, &row.submission_id), row)),
            }
        } else {
            collector.reject(key, Reason::UnsupportedLanguage, row.language);
        }
    }
    for (language, submissions) in drawn {
        for (n_drawn, submission) in submissions.into_values().enumerate() {
            if n_drawn < collector.config.max_references {
                let path =
                    format!("data/{id}/{}/{}.{}", submission.language, submission.submission_id, submission.extension);
                chosen.insert(path, Chosen { problem_id: problem_id.to_owned(), language, submission });
            } else {
                let detail = format!("{} {} are drawn", collector.config.max_references, language.name());
                collector.reject(submission.submission_id, Reason::OverSampleLimit, detail);
            }
        }
    }
}

fn rank(seed: u64, submission_id: &str) -> Vec<u8> {
    Sha256::digest(format!("{seed}/{submission_id}")).to_vec()
}

/// Second pass: the texts of the chosen submissions.
fn read_references(tree: &Tree, mut chosen: BTreeMap<SourcePath, Chosen>, collector: &mut Collector<'_>) -> Result<()> {
    let wanted: BTreeSet<SourcePath> = chosen.keys().cloned().collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let mut n_done = 0;
    tree.sources(&wanted, &mut |path, bytes| {
        n_done += 1;
        collector.progress(Doing::Reading, n_done, Some(wanted.len() as u64))?;
        if let Some(reference) = chosen.remove(path) {
            take_reference(reference, bytes, collector);
        }
        Ok(())
    })?;
    for (path, missing) in chosen {
        collector.reject(missing.submission.submission_id, Reason::MissingSource, path);
    }
    Ok(())
}

fn take_reference(chosen: Chosen, bytes: Option<Vec<u8>>, collector: &mut Collector<'_>) {
    let Chosen { problem_id, language, submission } = chosen;
    let key = submission.submission_id.clone();
    let Some(bytes) = bytes else {
        collector.reject(key, Reason::UndecodableSource, "the file is larger than any program".to_owned());
        return;
    };
    let Some(code) = encoding::decode(bytes) else {
        collector.reject(key, Reason::UndecodableSource, "neither UTF-8 nor Shift_JIS nor EUC-JP".to_owned());
        return;
    };
    if code.trim().is_empty() {
        collector.reject(key, Reason::EmptySource, problem_id);
        return;
    }
    collector.pulled.references.push(Reference {
        submission_id: submission.submission_id,
        problem_id,
        language,
        original_language: submission.original_language,
        code,
        cpu_time_ms: submission.cpu_time_ms,
        memory_kib: submission.memory_kib,
    });
}

fn reject_row(file: &str, bad: &BadRow, collector: &mut Collector<'_>) {
    let key = ids::join(&[collector.source, file, &format!("{:09}", bad.line)]);
    collector.reject(key, Reason::BadRecord, format!("{file} line {}: {}", bad.line, bad.detail));
}

/// What describes a problem that the list does not hold.
fn reject_unlisted(descriptions: &Descriptions, listed_ids: &BTreeSet<String>, collector: &mut Collector<'_>) {
    let described: BTreeSet<&String> = descriptions.pages.keys().chain(descriptions.submissions.keys()).collect();
    for id in described.into_iter().filter(|id| !listed_ids.contains(*id)) {
        collector.pulled.n_in += 1;
        let n_submissions = descriptions.submissions.get(id).map_or(0, |submissions| submissions.n_rows);
        let detail = format!("not in metadata/problem_list.csv; with it {n_submissions} submissions, not read");
        collector.reject(ids::codenet_problem_id(id), Reason::BadRecord, detail);
    }
}
