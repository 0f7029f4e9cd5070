//! The mini build: the demo releases, cut for real, compared with what their authors expect and with
//! the golden text; twice, with other workers, and beside each other.

mod interrupted;
mod refused;
mod reviews;
mod stale;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::project::{FIRST, Project, SECOND, copy_compiled, differences, finished, repository, rows};

/// Stages in the order they run.
pub(crate) const STAGES: [&str; 13] = [
    "pull",
    "rewrite",
    "abbreviate",
    "negatives",
    "tests",
    "solve",
    "execute",
    "references",
    "difficulty",
    "queries",
    "qrels",
    "release",
    "sanity",
];

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {row}"))
}

/// What the authors of the demo's programs say that each comes to, by solution.
fn authored() -> BTreeMap<String, String> {
    let mut expected = BTreeMap::new();
    for (source, prefix) in [("lcb", "lcb"), ("codenet", "codenet")] {
        let dir = repository().join("snapshots/demo/authored").join(source);
        for entry in fs_err::read_dir(&dir).expect("authored problems") {
            let entry = entry.expect("an entry");
            let Ok(json) = fs_err::read_to_string(entry.path().join("expected.json")) else { continue };
            let verdicts: BTreeMap<String, String> = serde_json::from_str(&json).expect("expected verdicts");
            for (author, verdict) in verdicts {
                let (model, language) = author.split_once('/').expect("model/language");
                let problem = entry.file_name().to_string_lossy().into_owned();
                expected.insert(format!("{prefix}_{problem}_{language}_{model}_standard_000"), verdict);
            }
        }
    }
    expected
}

fn verdicts(project: &Project, release: &str) -> BTreeMap<String, Value> {
    let rows = project.rows(release, "execute", "verdicts").into_iter();
    let solutions = rows.filter(|row| row["subject"] == "solution" && row["suite"] == "rewritten");
    solutions.map(|row| (text(&row, "subject_id").to_owned(), row)).collect()
}

#[test]
fn every_program_of_the_demo_ends_in_the_verdict_that_its_author_expects() {
    let expected = authored();
    let mut judged = BTreeSet::new();
    let mut table = String::new();
    for release in [FIRST, SECOND] {
        for (id, row) in verdicts(finished(release), release) {
            let wanted = expected.get(&id).map_or("nothing: no expectation", String::as_str);
            let found = text(&row, "verdict");
            if found != wanted {
                let _ = writeln!(
                    table,
                    "{id:<48} expected {wanted:<14} found {found:<14} first failed test {} {}",
                    row["first_failed_test"], row["detail"]
                );
            }
            judged.insert(id);
        }
    }
    assert!(table.is_empty(), "programs that do not do what they were written for:\n{table}");
    let missing: Vec<&String> = expected.keys().filter(|id| !judged.contains(*id)).collect();
    assert!(missing.is_empty(), "expected, but never judged: {missing:?}");
}

#[test]
fn every_kind_of_failure_is_in_the_demo() {
    let verdicts = verdicts(finished(FIRST), FIRST);
    let found: BTreeSet<&str> = verdicts.values().map(|row| text(row, "verdict")).collect();
    let wanted = [
        "accepted",
        "compile-error",
        "memory-limit",
        "no-code",
        "output-limit",
        "runtime-error",
        "time-limit",
        "wrong-answer",
    ];
    assert_eq!(found.into_iter().collect::<Vec<_>>(), wanted);
}

#[test]
fn a_second_cut_runs_nothing() {
    let project = finished(FIRST);
    let receipts = || -> Vec<_> {
        let path = |stage: &&str| project.stage_dir(FIRST, stage).join("receipt.json");
        STAGES
            .iter()
            .map(path)
            .map(|path| fs_err::metadata(path).expect("a receipt").modified().expect("a time"))
            .collect()
    };
    let before = receipts();
    let started = Instant::now();
    let ran = project.run(&["cut", FIRST]).expect(0);
    let took = started.elapsed();
    assert_eq!(receipts(), before);
    assert!(ran.stderr.contains("`demo202601` is up to date: nothing to do"), "{}", ran.stderr);
    assert!(ran.stdout.contains("Release demo202601"), "the summary is shown all the same");
    assert!(project.stale().is_empty());
    // Alone it takes a fraction of a second; here other tests run beside it.
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn one_worker_in_another_directory_writes_the_same_bytes() {
    let (four, one) = (finished(FIRST), Project::new());
    copy_compiled(four, &one);
    one.run(&["cut", FIRST, "--workers", "1"]).expect(0);
    let (four, one) = (four.bytes(FIRST), one.bytes(FIRST));
    assert!(four.contains_key("demo202601/manifest.json") && four.contains_key("execute/runs.jsonl"));
    let differences = differences(&four, &one);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn both_demo_releases_verify_clean_and_share_no_problem() {
    let mut seen: BTreeMap<String, &str> = BTreeMap::new();
    for release in [FIRST, SECOND] {
        let dir = finished(release).dist.join(release);
        let ran = finished(release).run(&["verify", dir.to_str().expect("UTF-8"), "--json"]).expect(0);
        assert_eq!(ran.json()["findings"].as_array().map(Vec::len), Some(0), "{}", ran.stdout);
        for id in identifiers(&dir) {
            let other = seen.insert(id.clone(), release);
            assert!(other.is_none_or(|other| other == release), "`{id}` stands in both releases");
        }
    }
    assert!(seen.len() > 500, "only {} ids", seen.len());
}

/// All problems, documents and queries that a release names.
fn identifiers(dir: &std::path::Path) -> BTreeSet<String> {
    let files = ["code_corpus", "text_corpus", "text2code_queries", "code2code_queries", "code2text_queries"];
    let mut ids = BTreeSet::new();
    for row in files.iter().flat_map(|file| rows(&dir.join(format!("{file}.jsonl")))) {
        let own = ["code_id", "text_id", "query_id"].iter().filter_map(|field| row[*field].as_str());
        ids.extend(own.chain([text(&row["meta"], "source_problem_id")]).map(str::to_owned));
    }
    ids
}

#[test]
fn the_tables_of_the_demo_are_the_golden_ones() {
    let project = finished(FIRST);
    golden("verdicts", &golden_verdicts(project));
    golden("rejected", &golden_rejected(project));
    golden("judgements", &golden_judgements(project));
    golden("problems", &golden_problems(project));
}

/// `problem language model verdict passed/tests`: a line a program.
fn golden_verdicts(project: &Project) -> String {
    let mut lines = String::new();
    for row in project.rows(FIRST, "execute", "verdicts") {
        let _ = writeln!(
            lines,
            "{} {} {} {}/{} {}",
            text(&row, "subject_id"),
            text(&row, "suite"),
            text(&row, "verdict"),
            row["n_passed"],
            row["n_tests"],
            text(&row, "checker")
        );
    }
    lines
}

fn golden_rejected(project: &Project) -> String {
    let mut lines = String::new();
    for row in rows(&project.dist.join(FIRST).join("rejected.jsonl")) {
        let _ = writeln!(lines, "{} {} {}", text(&row, "stage"), text(&row, "key"), text(&row, "reason"));
    }
    lines
}

/// Queries and judgements by subtask.
fn golden_judgements(project: &Project) -> String {
    let queries = project.rows(FIRST, "qrels", "queries");
    let subtask_of: BTreeMap<&str, &str> =
        queries.iter().map(|row| (text(row, "query_id"), text(row, "subtask"))).collect();
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for subtask in subtask_of.values() {
        counts.entry(subtask).or_default()[0] += 1;
    }
    for row in project.rows(FIRST, "qrels", "qrels") {
        let column = match row["relevance"].as_u64() {
            Some(2) => 1,
            Some(1) => 2,
            _ => panic!("a judgement is 1 or 2: {row}"),
        };
        counts.entry(subtask_of[text(&row, "query_id")]).or_default()[column] += 1;
    }
    counts.iter().fold(String::new(), |mut lines, (subtask, [queries, positives, negatives])| {
        let _ = writeln!(lines, "{subtask} queries {queries} grade-2 {positives} grade-1 {negatives}");
        lines
    })
}

/// What was found out about each problem: whether its rewrite holds, and its level.
fn golden_problems(project: &Project) -> String {
    let level: BTreeMap<String, Value> = project
        .rows(FIRST, "difficulty", "difficulty")
        .into_iter()
        .map(|row| (text(&row, "problem_id").to_owned(), row))
        .collect();
    let mut lines = String::new();
    for row in project.rows(FIRST, "execute", "rewrite_checks") {
        let id = text(&row, "problem_id");
        let level = level.get(id).map_or_else(
            || "no level".to_owned(),
            |level| format!("level {} of {} references", level["level"], level["n_references"]),
        );
        let _ = writeln!(
            lines,
            "{id} {} changed-tests {} pass {} of {}; {level}",
            text(&row, "equivalence"),
            row["n_changed_tests"],
            row["n_pass_both"],
            row["n_pass_original"]
        );
    }
    lines
}

/// Holds `found` against `tests/golden/demo202601/<name>.txt`.
#[track_caller]
fn golden(name: &str, found: &str) {
    let path: PathBuf = repository().join("tests/golden").join(FIRST).join(format!("{name}.txt"));
    if std::env::var_os("COREBUILD_ACCEPT").is_some() {
        fs_err::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs_err::write(&path, found).expect("the golden file");
        return;
    }
    let golden = fs_err::read_to_string(&path).unwrap_or_default();
    if golden == found {
        return;
    }
    let lines = |text: &'_ str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (old, new) = (lines(&golden), lines(found));
    let gone = old.difference(&new).map(|line| format!("- {line}"));
    let come = new.difference(&old).map(|line| format!("+ {line}"));
    let diff: Vec<String> = gone.chain(come).collect();
    panic!(
        "`{}` is not what was found (no line below: their order):\n{}\naccept it with: COREBUILD_ACCEPT=1 cargo test \
         --release --test it golden",
        path.display(),
        diff.join("\n")
    );
}
