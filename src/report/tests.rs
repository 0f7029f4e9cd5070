//! The page drawn from made-up facts: whole, self-contained, escaped.

use super::*;
use crate::{
    languages::Language,
    receipt::Fingerprint,
    tables::{SubjectKind, Suite, query::Task},
    verdict::Verdict,
};

fn average(ndcg: f64) -> Average {
    let measures = BTreeMap::from([("ndcg_cut_10".to_owned(), ndcg), ("map".to_owned(), ndcg / 2.0)]);
    Average { n_queries: 12, n_averaged: 10, n_without_positive: 2, measures }
}

fn verdict(model: &str, language: Language, verdict: Verdict) -> VerdictRow {
    VerdictRow {
        subject_id: "s".to_owned(),
        subject: SubjectKind::Solution,
        problem_id: "lcb_a".to_owned(),
        language,
        model: Some(model.to_owned()),
        suite: Suite::Rewritten,
        verdict,
        n_tests: 7,
        n_passed: 0,
        first_failed_test: None,
        checker: "lines".to_owned(),
        code_sha256: None,
        toolchain: String::new(),
        isolation: String::new(),
        detail: None,
    }
}

fn receipt() -> Receipt {
    Receipt {
        tool_version: String::new(),
        fingerprint: Fingerprint::default(),
        outputs: BTreeMap::new(),
        unhashed: Vec::new(),
        rows_in: 1234,
        rows_out: 1200,
        rows_rejected: 34,
        rejected: BTreeMap::from([("too-short".to_owned(), 4), ("refusal".to_owned(), 30)]),
    }
}

fn facts(release: &str) -> Facts {
    let task = |task, ndcg| TaskScores {
        task,
        average: average(ndcg),
        subtasks: BTreeMap::from([(format!("{}_full_any", Task::short(task)), average(ndcg))]),
    };
    Facts {
        created_at: "2026-04-01T00:00:00".to_owned(),
        window: Window { from: "2026-01-01".to_owned(), until: "2026-04-01".to_owned() },
        sanity: Sanity {
            release: release.to_owned(),
            retriever: Retriever { name: "BM25".to_owned(), k1: 1.2, b: 0.75, terms: "words".to_owned(), depth: 100 },
            cutoffs: vec![5, 10],
            queries_without_positive: "excluded".to_owned(),
            definitions: crate::scoring::definitions(),
            overall: average(0.4567),
            tasks: vec![task(Task::Text2Code, 0.5), task(Task::Code2Code, 0.25), task(Task::Code2Text, 0.75)],
        },
        collections: Vec::new(),
        verdicts: vec![
            verdict("demo-<alpha>", Language::Cpp, Verdict::Accepted),
            verdict("demo-<alpha>", Language::Cpp, Verdict::TimeLimit),
            verdict("demo-beta", Language::Ruby, Verdict::WrongAnswer),
        ],
        difficulty: Vec::new(),
        receipts: vec![(Stage::Rewrite, receipt())],
    }
}

#[test]
fn the_page_shows_scores_verdicts_and_reasons() {
    let page = render(&facts("demo202601")).unwrap();
    for part in
        ["demo202601", ">0.457<", "t2c_full_any", "accepted: 1", "1,234", "refusal<b>30</b>", "No problem has a level."]
    {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn the_page_is_the_same_every_time() {
    assert_eq!(render(&facts("demo")).unwrap(), render(&facts("demo")).unwrap());
}

#[test]
fn the_page_needs_nothing_from_outside_and_runs_nothing() {
    let page = render(&facts("demo")).unwrap().to_lowercase();
    for part in ["<script", "http:", "https:", "<link", "@import", "url(", "src=", "onload"] {
        assert!(!page.contains(part), "{part}");
    }
}

#[test]
fn texts_are_escaped() {
    let page = render(&facts("<script>alert(1)</script>")).unwrap();
    assert!(!page.contains("<script"));
    assert!(!page.contains("demo-<alpha>"));
    assert!(page.contains("demo-&lt;alpha&gt;"));
}

#[test]
fn facts_without_rows_still_make_a_page() {
    let mut facts = facts("empty");
    facts.verdicts.clear();
    facts.receipts.clear();
    facts.sanity.tasks.clear();
    facts.sanity.overall.measures.clear();
    assert!(render(&facts).unwrap().contains("No problem was executed."));
}
