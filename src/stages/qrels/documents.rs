//! The two corpora: one document a text, with the verdict's numbers.
//!
//! A label must be a function of the text that is shown. Where the same text has two labels, none
//! of its copies is a document.

use std::collections::{BTreeMap, BTreeSet};

use super::{Input, Settings, draw};
use crate::{
    ids,
    tables::{
        Abbreviation, CodeDocument, Negative, Reason, Rejected, Rewrite, Row, Solution, SubjectKind, Suite,
        TextDocument, VerdictRow,
        document::{CodeMeta, TextMeta},
    },
    verdict::Verdict,
};

/// `text_style` of a rewritten statement.
pub(super) const STATEMENT_STYLE: &str = "title_plus_description";
/// `text_style` of a hard-negative statement.
pub(super) const NOISE_STYLE: &str = "llm_generated_noise";

/// Documents in the order of their ids.
pub(super) struct Corpora {
    pub codes: Vec<CodeDocument>,
    pub texts: Vec<TextDocument>,
}

pub(super) fn corpora(input: &Input, settings: &Settings, rejected: &mut Vec<Rejected>) -> Corpora {
    let facts = Facts::of(input);
    let codes = labelled(input, &facts, rejected);
    let codes = distinct_codes(codes, rejected);
    let texts = distinct_texts(statements(input), noises(input, &facts, rejected), rejected);
    Corpora { codes: code_documents(codes, &facts, settings), texts: text_documents(texts, &facts, settings) }
}

/// The key of the row that a text document was made of.
pub(super) fn text_origin(document: &TextDocument) -> String {
    let problem_id = &document.meta.source_problem_id;
    match &document.meta.noise_type {
        Some(strategy) => ids::join(&[problem_id, strategy]),
        None => problem_id.clone(),
    }
}

/// Title, blank line, body.
pub(super) fn full_text(rewrite: &Rewrite) -> String {
    format!("{}\n\n{}", rewrite.title, rewrite.statement)
}

/// What is known of a problem or a program, by id.
struct Facts<'a> {
    verdicts: BTreeMap<&'a str, &'a VerdictRow>,
    problems: BTreeSet<&'a str>,
    abbreviations: BTreeMap<&'a str, &'a Abbreviation>,
    levels: BTreeMap<&'a str, u32>,
    labels: BTreeMap<&'a str, &'a str>,
}

impl<'a> Facts<'a> {
    fn of(input: &'a Input) -> Self {
        let on_rewritten = |row: &&VerdictRow| row.subject == SubjectKind::Solution && row.suite == Suite::Rewritten;
        Self {
            verdicts: input.verdicts.iter().filter(on_rewritten).map(|row| (row.subject_id.as_str(), row)).collect(),
            problems: input.rewrites.iter().map(|row| row.problem_id.as_str()).collect(),
            abbreviations: input.abbreviations.iter().map(|row| (row.problem_id.as_str(), row)).collect(),
            levels: input.difficulty.iter().map(|row| (row.problem_id.as_str(), row.level)).collect(),
            labels: input
                .problems
                .iter()
                .filter_map(|row| Some((row.problem_id.as_str(), row.difficulty_label.as_deref()?)))
                .collect(),
        }
    }
}

/// A program that has a text and a verdict that may become a label.
struct Labelled<'a> {
    solution: &'a Solution,
    code: &'a str,
    verdict: &'a VerdictRow,
}

impl Labelled<'_> {
    fn passed(&self) -> bool {
        self.verdict.verdict == Verdict::Accepted
    }
}

fn labelled<'a>(input: &'a Input, facts: &Facts<'a>, rejected: &mut Vec<Rejected>) -> Vec<Labelled<'a>> {
    let mut codes = Vec::with_capacity(input.solutions.len());
    for solution in &input.solutions {
        match label(solution, facts) {
            Ok(code) => codes.push(code),
            Err((reason, detail)) => rejected.push(Rejected { key: solution.key(), reason, detail }),
        }
    }
    codes.sort_by(|a, b| a.solution.solution_id.cmp(&b.solution.solution_id));
    codes
}

fn label<'a>(solution: &'a Solution, facts: &Facts<'a>) -> Result<Labelled<'a>, (Reason, String)> {
    if !facts.problems.contains(solution.problem_id.as_str()) {
        return Err((Reason::ProblemRejected, format!("`{}` has no rewrite", solution.problem_id)));
    }
    let Some(code) = solution.code.as_deref() else {
        let why = solution.no_code_reason.as_deref().unwrap_or("no program");
        return Err((Reason::NoDocument, why.to_owned()));
    };
    if code.trim().is_empty() {
        return Err((Reason::EmptyCode, "nothing but white space".to_owned()));
    }
    let Some(verdict) = facts.verdicts.get(solution.solution_id.as_str()).copied() else {
        return Err((Reason::InternalError, "no verdict on the rewritten tests".to_owned()));
    };
    breakdown(code, verdict).map_or(Ok(Labelled { solution, code, verdict }), |why| Err((Reason::InternalError, why)))
}

/// Why a verdict says nothing of the program.
fn breakdown(code: &str, row: &VerdictRow) -> Option<String> {
    if !row.verdict.is_label() || row.verdict == Verdict::NoCode {
        return Some(row.detail.clone().unwrap_or_else(|| format!("the verdict is `{}`", row.verdict.name())));
    }
    if row.n_tests == 0 {
        return Some("the verdict rests on no test".to_owned());
    }
    if (row.verdict == Verdict::Accepted) != (row.n_passed == row.n_tests) {
        return Some(format!("`{}` with {} of {} tests passed", row.verdict.name(), row.n_passed, row.n_tests));
    }
    let executed = row.code_sha256.as_deref()?;
    (executed != ids::sha256_hex(code.as_bytes())).then(|| "another text was executed than the one at hand".to_owned())
}

/// One program a text. The same text has the same verdict unless the language or the problem
/// differs, and then one document can stay only if at most one problem counts it as right.
fn distinct_codes<'a>(codes: Vec<Labelled<'a>>, rejected: &mut Vec<Rejected>) -> Vec<Labelled<'a>> {
    let mut copies: BTreeMap<&str, Vec<Labelled>> = BTreeMap::new();
    for code in codes {
        copies.entry(code.code).or_default().push(code);
    }
    let mut kept = Vec::new();
    for (_, mut copies) in copies {
        if let Some(why) = contradiction(&copies) {
            reject_all(copies, Reason::ContradictoryLabel, why, rejected);
            continue;
        }
        // A right copy stays before a wrong one: a text that solves its problem in one language and
        // was also handed in under another is a right program.
        let at = copies.iter().position(Labelled::passed).unwrap_or(0);
        let first = copies.swap_remove(at);
        let why = format!("the same text as `{}`", first.solution.solution_id);
        reject_all(copies, Reason::DuplicateDocument, &why, rejected);
        kept.push(first);
    }
    kept
}

fn contradiction(copies: &[Labelled]) -> Option<&'static str> {
    let mut flags = BTreeMap::new();
    for copy in copies {
        let context = (copy.solution.problem_id.as_str(), copy.solution.language);
        if *flags.entry(context).or_insert(copy.passed()) != copy.passed() {
            return Some("the same text passed once and failed once");
        }
    }
    let solved: BTreeSet<&str> =
        flags.iter().filter(|(_, passed)| **passed).map(|((problem, _), _)| *problem).collect();
    (solved.len() > 1).then_some("the same text solves several problems")
}

fn reject_all(copies: Vec<Labelled>, reason: Reason, why: &str, rejected: &mut Vec<Rejected>) {
    rejected.extend(copies.into_iter().map(|copy| Rejected {
        key: copy.solution.solution_id.clone(),
        reason,
        detail: why.to_owned(),
    }));
}

fn code_documents(codes: Vec<Labelled>, facts: &Facts, settings: &Settings) -> Vec<CodeDocument> {
    let mut codes = codes;
    codes.sort_by_cached_key(|code| draw::rank(settings.seed, &["code", &code.solution.solution_id]));
    let document = |(at, code): (usize, &Labelled)| {
        let problem_id = &code.solution.problem_id;
        CodeDocument {
            code_id: format!("code_{}_{:05}", settings.release, at + 1),
            code: code.code.to_owned(),
            language: code.solution.language,
            model: code.solution.model.clone(),
            code_length: code.code.chars().count(),
            meta: CodeMeta {
                source_problem_id: problem_id.clone(),
                solution_key: code.solution.solution_id.clone(),
                passed: code.passed(),
                verdict: code.verdict.verdict,
                pass_rate: f64::from(code.verdict.n_passed) / f64::from(code.verdict.n_tests),
                test_passed: code.verdict.n_passed,
                test_total: code.verdict.n_tests,
                difficulty_level: facts.levels.get(problem_id.as_str()).copied(),
                created_at: settings.created_at.clone(),
                corpus_version: settings.release.clone(),
            },
        }
    };
    codes.iter().enumerate().map(document).collect()
}

/// A text that may become a document.
struct Text<'a> {
    problem_id: &'a str,
    /// Null for a statement.
    negative: Option<&'a Negative>,
    body: String,
}

impl Text<'_> {
    fn key(&self) -> String {
        self.negative.map_or_else(|| self.problem_id.to_owned(), Row::key)
    }
}

fn statements(input: &Input) -> Vec<Text<'_>> {
    input
        .rewrites
        .iter()
        .map(|row| Text { problem_id: &row.problem_id, negative: None, body: full_text(row) })
        .collect()
}

fn noises<'a>(input: &'a Input, facts: &Facts, rejected: &mut Vec<Rejected>) -> Vec<Text<'a>> {
    let mut texts = Vec::new();
    for row in &input.negatives {
        let (reason, detail) = if !facts.problems.contains(row.problem_id.as_str()) {
            (Reason::ProblemRejected, format!("`{}` has no rewrite", row.problem_id))
        } else if row.text.trim().is_empty() {
            (Reason::NoDocument, "nothing but white space".to_owned())
        } else {
            texts.push(Text { problem_id: &row.problem_id, negative: Some(row), body: row.text.clone() });
            continue;
        };
        rejected.push(Rejected { key: row.key(), reason, detail });
    }
    texts
}

/// One document a text. Two problems with one statement have contradictory labels; a negative that
/// repeats a statement is none; of two equal negatives the first stays.
fn distinct_texts<'a>(statements: Vec<Text<'a>>, noises: Vec<Text<'a>>, rejected: &mut Vec<Rejected>) -> Vec<Text<'a>> {
    let mut copies: BTreeMap<String, Vec<Text>> = BTreeMap::new();
    for text in statements.into_iter().chain(noises) {
        copies.entry(text.body.clone()).or_default().push(text);
    }
    let mut kept = Vec::new();
    for (_, mut copies) in copies {
        copies.sort_by_cached_key(|text| (text.negative.is_some(), text.key()));
        let n_statements = copies.iter().filter(|text| text.negative.is_none()).count();
        let n_kept = usize::from(n_statements <= 1);
        let first = copies[0].key();
        for copy in copies.drain(n_kept..) {
            let reason = if n_statements > 0 { Reason::ContradictoryLabel } else { Reason::DuplicateDocument };
            rejected.push(Rejected { key: copy.key(), reason, detail: format!("the same text as `{first}`") });
        }
        kept.append(&mut copies);
    }
    kept
}

fn text_documents(texts: Vec<Text>, facts: &Facts, settings: &Settings) -> Vec<TextDocument> {
    let mut texts = texts;
    texts.sort_by_cached_key(|text| draw::rank(settings.seed, &["text", &text.key()]));
    let id = |at: usize| format!("text_{}_{:05}", settings.release, at + 1);
    let statements = texts.iter().enumerate().filter(|(_, text)| text.negative.is_none());
    let statements: BTreeMap<&str, String> = statements.map(|(at, text)| (text.problem_id, id(at))).collect();
    let document = |(at, text): (usize, &Text)| {
        let noise = text.negative;
        let original = noise.and_then(|_| statements.get(text.problem_id).cloned());
        let abbreviated = if noise.is_some() { None } else { facts.abbreviations.get(text.problem_id) };
        TextDocument {
            text_id: id(at),
            text_length: text.body.chars().count(),
            text: text.body.clone(),
            text_style: if noise.is_some() { NOISE_STYLE } else { STATEMENT_STYLE }.to_owned(),
            abbreviated_text: abbreviated.map(|row| row.text.clone()),
            abbreviated_text_length: abbreviated.map(|row| row.text.chars().count()),
            meta: TextMeta {
                source_problem_id: text.problem_id.to_owned(),
                is_noise_sample: noise.is_some(),
                noise_type: noise.map(|row| row.strategy.name().to_owned()),
                original_text_id: original,
                difficulty_level: facts.levels.get(text.problem_id).copied(),
                difficulty_label: facts.labels.get(text.problem_id).map(|label| (*label).to_owned()),
                created_at: settings.created_at.clone(),
                corpus_version: settings.release.clone(),
            },
        }
    };
    texts.iter().enumerate().map(document).collect()
}
