//! A corrected release from a published one: the same corpora, our rules of forming.
//!
//! The published rows become the rows that stage `qrels` reads, and that stage's own [`qrels::form`]
//! does the rest, so a repaired release is held to what a cut release is held to. Pass flags are
//! taken as published: what they are worth only an execution can tell, see [`REMAINING`].

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::json;

use super::{
    corpus::{self, Problem as Published},
    search::{self, Score},
};
use crate::{
    exit_code::ConfigError,
    ids,
    languages::Language,
    sources::coreb::{Code, PublishedQuery, Release},
    stages::{
        qrels::{self, Formed, Input, Settings},
        release::{self, Provenance, Records},
    },
    tables::{
        Abbreviation, Negative, Problem, Reason, Rejected, Rewrite, SearchKind, SearchQuery, Solution, Strategy, Style,
        SubjectKind, Suite, VerdictRow, query::Task,
    },
    verdict::Verdict,
};

/// What stays wrong until somebody runs the programs.
pub const REMAINING: &str = "pass flags are the published ones: a failed program stands as `wrong-answer` whatever \
                             its failure was, and programs whose text was damaged before they were judged keep \
                             their flags; only a new execution can mend that (`corebuild relabel` says where)";

const SEED: u64 = 42;
const PROMPT: &str = "published";
const MAX_HARD_NEGATIVES: usize = 3;
/// The published cap of a block.
const MAX_SEARCHES: usize = 50;

/// What a repair came to.
#[derive(Clone, Debug, Serialize)]
pub struct Repair {
    pub name: String,
    pub dir: String,
    pub verify_clean: bool,
    pub remaining: &'static str,
    /// Rows that were not taken over, by reason.
    pub rejected: BTreeMap<&'static str, usize>,
    pub judgements: Judgements,
    /// BM25, nDCG@10, by task and subtask.
    pub scores: BTreeMap<String, Change>,
}

/// Judgements before and after, by grade.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Judgements {
    pub positives_before: usize,
    pub positives_after: usize,
    pub hard_negatives_before: usize,
    pub hard_negatives_after: usize,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Change {
    pub before: Score,
    pub after: Score,
}

/// Writes the repaired release `name` into `dist`.
///
/// # Errors
/// When the name is none, when the release exists with other content, or does not pass `verify`.
pub fn repair(published: &Release, name: &str, dist: &Path) -> Result<Repair> {
    if !ids::is_safe(name) || name.contains(['_', '/']) {
        bail!(
            ConfigError::new(format!("`{name}` cannot be the name of a release"))
                .hint("use lower-case letters, digits and hyphens")
        );
    }
    let (input, mut rejected) = input(published);
    let created_at = published.codes.iter().map(|code| code.created_at.clone()).max().unwrap_or_default();
    let settings = Settings {
        release: name.to_owned(),
        seed: SEED,
        created_at: created_at.clone(),
        max_hard_negatives: MAX_HARD_NEGATIVES,
        max_search_queries: MAX_SEARCHES,
    };
    let mut formed = qrels::form(&input, &settings);
    rejected.append(&mut formed.rejected);
    rejected.sort_by_cached_key(Rejected::sort_key);
    let provenance = provenance(published, &rejected, created_at)?;
    let dir = dist.join(name);
    release::publish(&dir, &release::files(&records(name, formed), &provenance)?)?;
    report(published, name, &dir, &rejected)
}

fn records(name: &str, formed: Formed) -> Records {
    Records {
        name: name.to_owned(),
        queries: formed.queries,
        code_documents: formed.code_documents,
        text_documents: formed.text_documents,
        qrels: formed.qrels,
        anchors: formed.anchors,
    }
}

fn provenance(published: &Release, rejected: &[Rejected], created_at: String) -> Result<Provenance> {
    let mut hashes = BTreeMap::new();
    for name in crate::sources::coreb::files() {
        hashes.insert(name.clone(), ids::sha256_hex(&fs_err::read(published.dir.join(&name))?));
    }
    let models: BTreeSet<&str> = published.codes.iter().map(|code| code.model.as_str()).collect();
    let model = |name: &&str| ((*name).to_owned(), json!({"provider": "published", "roles": ["writes programs"]}));
    let mut provenance = Provenance { created_at, ..Provenance::default() };
    provenance.sources.insert("coreb".to_owned(), json!({"kind": "coreb", "files": hashes, "remaining": REMAINING}));
    provenance.models = models.iter().map(model).collect();
    for row in rejected {
        provenance.rejected.extend(format!("{}\n", serde_json::to_string(row)?).into_bytes());
    }
    Ok(provenance)
}

/// Published rows as the rows that `qrels` reads, and those that no stage would have let through.
fn input(published: &Release) -> (Input, Vec<Rejected>) {
    let problems = corpus::problems(published);
    let mut input = Input::default();
    let mut rejected = Vec::new();
    for problem in &problems {
        add_statement(&mut input, problem);
        for (noise, strategy) in problem.noise.iter().zip(Strategy::ALL) {
            input.negatives.push(Negative {
                problem_id: problem.id.to_owned(),
                strategy,
                text: noise.text.clone(),
                model: PROMPT.to_owned(),
                reply_key: String::new(),
            });
        }
        let mut n_by_key: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        for code in &problem.codes {
            let sample_idx = n_by_key.entry((&code.language, &code.model)).or_default();
            add_program(&mut input, code, *sample_idx, &mut rejected);
            *sample_idx += 1;
        }
    }
    input.search_queries = searches(published, &problems, &mut rejected);
    (input, rejected)
}

fn add_statement(input: &mut Input, problem: &Published) {
    let text = &problem.statement.text;
    let (title, statement) = text.split_once("\n\n").unwrap_or((text, ""));
    let question_id = problem.id.split_once('_').map_or(problem.id, |(_, id)| id);
    input.problems.push(Problem {
        problem_id: problem.id.to_owned(),
        source: "coreb".to_owned(),
        question_id: question_id.to_owned(),
        platform: if question_id.contains('_') { "atcoder" } else { "leetcode" }.to_owned(),
        title: title.to_owned(),
        statement: statement.to_owned(),
        starter_code: String::new(),
        func_name: None,
        style: Style::Stdin,
        date: String::new(),
        difficulty_label: None,
        time_limit_ms: None,
        memory_limit_kib: None,
    });
    input.rewrites.push(Rewrite {
        problem_id: problem.id.to_owned(),
        title: title.to_owned(),
        statement: statement.to_owned(),
        starter_code: String::new(),
        func_name: None,
        tests: Vec::new(),
        changes: Vec::new(),
        model: PROMPT.to_owned(),
        reply_keys: Vec::new(),
    });
    if let Some(text) = &problem.statement.abbreviated_text {
        input.abbreviations.push(Abbreviation {
            problem_id: problem.id.to_owned(),
            text: text.clone(),
            n_words: text.split_whitespace().count(),
            model: PROMPT.to_owned(),
            reply_key: String::new(),
        });
    }
}

fn add_program(input: &mut Input, code: &Code, sample_idx: u32, rejected: &mut Vec<Rejected>) {
    let Some(language) = Language::ALL.into_iter().find(|language| language.name() == code.language) else {
        let detail = format!("`{}`", code.language);
        rejected.push(Rejected { key: code.code_id.clone(), reason: Reason::UnsupportedLanguage, detail });
        return;
    };
    let solution_id = ids::solution_id(&code.problem_id, language, &code.model, sample_idx, PROMPT);
    input.verdicts.push(VerdictRow {
        subject_id: solution_id.clone(),
        subject: SubjectKind::Solution,
        problem_id: code.problem_id.clone(),
        language,
        model: Some(code.model.clone()),
        suite: Suite::Rewritten,
        verdict: if code.passed { Verdict::Accepted } else { Verdict::WrongAnswer },
        n_tests: 1,
        n_passed: u32::from(code.passed),
        first_failed_test: None,
        checker: PROMPT.to_owned(),
        code_sha256: Some(ids::sha256_hex(code.code.as_bytes())),
        toolchain: PROMPT.to_owned(),
        isolation: PROMPT.to_owned(),
        detail: None,
    });
    input.solutions.push(Solution {
        solution_id,
        problem_id: code.problem_id.clone(),
        language,
        model: code.model.clone(),
        sample_idx,
        prompt: PROMPT.to_owned(),
        code: Some(code.code.clone()),
        no_code_reason: None,
        reply_key: String::new(),
    });
}

/// The published search strings, once each, less those that give an id or their prompt away.
fn searches(published: &Release, problems: &[Published], rejected: &mut Vec<Rejected>) -> Vec<SearchQuery> {
    let ids: BTreeSet<&str> = problems.iter().flat_map(|problem| names(problem.id)).collect();
    let mut seen = BTreeSet::new();
    let mut n_by_kind: BTreeMap<(&str, SearchKind), u32> = BTreeMap::new();
    let mut rows = Vec::new();
    for query in published.queries[&Task::Text2Code].iter().filter(|query| query.is_search()) {
        if let Some(reason) = reject_search(query, &ids) {
            rejected.push(Rejected { key: query.query_id.clone(), reason, detail: query.query.clone() });
            continue;
        }
        if !seen.insert((query.problem_id.as_str(), query.query.to_lowercase())) {
            let detail = format!("`{}` has it already", query.problem_id);
            rejected.push(Rejected { key: query.query_id.clone(), reason: Reason::DuplicateQuery, detail });
            continue;
        }
        let kind = kind(query);
        let n = n_by_kind.entry((&query.problem_id, kind)).or_default();
        rows.push(SearchQuery {
            problem_id: query.problem_id.clone(),
            kind,
            n: *n,
            text: query.query.clone(),
            model: PROMPT.to_owned(),
            reply_key: String::new(),
        });
        *n += 1;
    }
    rows
}

fn kind(query: &PublishedQuery) -> SearchKind {
    match query.original_query_type.as_deref() {
        Some("title_search") => SearchKind::Title,
        Some("description_search") => SearchKind::Description,
        _ => SearchKind::Algorithm,
    }
}

/// A problem's id, and the one that its source gives it.
fn names(problem_id: &str) -> [&str; 2] {
    [problem_id, problem_id.split_once('_').map_or(problem_id, |(_, id)| id)]
}

fn reject_search(query: &PublishedQuery, ids: &BTreeSet<&str>) -> Option<Reason> {
    let text = query.query.to_lowercase();
    let own = names(&query.problem_id)[1];
    let spellings = [own.to_owned(), own.replace('_', " "), own.replace('_', "-"), own.replace('_', "")];
    let words = || text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    if spellings.iter().any(|spelling| text.contains(spelling.as_str())) || words().any(|word| ids.contains(word)) {
        return Some(Reason::LeaksId);
    }
    text.contains("batch code").then_some(Reason::MentionsOriginal)
}

fn report(published: &Release, name: &str, dir: &Path, rejected: &[Rejected]) -> Result<Repair> {
    let repaired = Release::load(dir)?;
    let mut scores: BTreeMap<String, Change> = BTreeMap::new();
    for (subtask, before) in search::bm25(published) {
        scores.entry(subtask).or_default().before = before;
    }
    for (subtask, after) in search::bm25(&repaired) {
        scores.entry(subtask).or_default().after = after;
    }
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for row in rejected {
        *counts.entry(row.reason.name()).or_default() += 1;
    }
    let n = |release: &Release, grade| release.all_qrels().filter(|qrel| qrel.relevance == grade).count();
    Ok(Repair {
        name: name.to_owned(),
        dir: dir.display().to_string(),
        verify_clean: crate::verify::verify(dir)?.is_clean(),
        remaining: REMAINING,
        rejected: counts,
        judgements: Judgements {
            positives_before: n(published, 2),
            positives_after: n(&repaired, 2),
            hard_negatives_before: n(published, 1),
            hard_negatives_after: n(&repaired, 1),
        },
        scores,
    })
}

impl Repair {
    /// For a person.
    #[must_use]
    pub fn render(&self) -> String {
        let header = ["BM25, nDCG@10", ">queries before", ">after", ">score before", ">after", ">change"];
        let mut table = crate::summary::table(&header);
        let score = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"));
        for (name, Change { before, after }) in &self.scores {
            let change = before.ndcg_10.zip(after.ndcg_10).map_or_else(String::new, |(a, b)| format!("{:+.4}", b - a));
            let (n_before, n_after) = (before.n_queries.to_string(), after.n_queries.to_string());
            table.add_row([name.clone(), n_before, n_after, score(before.ndcg_10), score(after.ndcg_10), change]);
        }
        let mut text = format!("{table}\n");
        let Judgements { positives_before, positives_after, hard_negatives_before, hard_negatives_after } =
            self.judgements;
        let _ = writeln!(text, "positives: {positives_before} before, {positives_after} after");
        let _ = writeln!(text, "hard negatives: {hard_negatives_before} before, {hard_negatives_after} after");
        for (reason, n) in &self.rejected {
            let _ = writeln!(text, "rejected: {n} {reason}");
        }
        let _ = write!(text, "`{}` passes `verify`. What remains: {}", self.dir, self.remaining);
        text
    }
}
