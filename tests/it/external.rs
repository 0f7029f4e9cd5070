//! The release as others read and score it: BEIR's loader, Hugging Face `datasets`, `pytrec_eval`.
//!
//! They run where their packages install: a virtual environment under `target/`, made once. Where it
//! cannot be made the tests say why and pass, unless `COREBUILD_REQUIRE_PYTHON` is set.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use corebuild::{
    ids,
    report::Sanity,
    retrieval::{Collection, Hit, Ranking, Rankings, run_file},
    scoring::{self, QueryScore},
    seeded,
    tables::query::Task,
};
use serde_json::Value;

use crate::project::{FIRST, finished, repository};

/// Its dependencies would bring torch; its loader of files needs none of them but tqdm.
const BEIR: &str = "beir==2.2.0";
const TOLERANCE: f64 = 1e-9;

/// The interpreter that has the packages, if it can be had.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match PYTHON.get_or_init(make_environment) {
        Ok(python) => Some(python),
        Err(why) => {
            assert!(std::env::var_os("COREBUILD_REQUIRE_PYTHON").is_none(), "{why}");
            // Standard error of a passing test is shown by `--nocapture` alone; this one matters.
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("skipped: {why}\n").as_bytes());
            None
        }
    }
}

fn make_environment() -> Result<PathBuf, String> {
    let requirements = repository().join("tests/python/requirements.txt");
    let wanted = fs_err::read_to_string(&requirements).map_err(|error| error.to_string())? + BEIR;
    let name = format!("python-{}", &ids::sha256_hex(wanted.as_bytes())[..12]);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let python = dir.join("bin/python");
    let complete = dir.join("complete");
    if complete.exists() {
        return Ok(python);
    }
    let base = ["python3", "/usr/bin/python3"].into_iter().find(|base| has_venv(base));
    let base = base.ok_or("no python3 with the modules venv and ensurepip (Debian: apt-get install python3-venv)")?;
    command(Command::new(base).args(["-m", "venv", "--clear"]).arg(&dir))?;
    let pip = |args: &[&str]| command(Command::new(&python).args(["-m", "pip", "install", "-q"]).args(args));
    pip(&["-r", requirements.to_str().ok_or("the path is not UTF-8")?])?;
    pip(&["--no-deps", BEIR])?;
    fs_err::write(complete, "").map_err(|error| error.to_string())?;
    Ok(python)
}

fn has_venv(python: &str) -> bool {
    Command::new(python).args(["-c", "import venv, ensurepip"]).output().is_ok_and(|output| output.status.success())
}

/// Standard output of a command; where it fails, the end of what it says.
fn command(command: &mut Command) -> Result<String, String> {
    // A network that does not answer is no reason to wait for minutes.
    command.env("PIP_RETRIES", "1").env("PIP_DISABLE_PIP_VERSION_CHECK", "1").env("HF_HUB_OFFLINE", "1");
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return String::from_utf8(output.stdout).map_err(|error| error.to_string());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().collect();
    Err(format!("{command:?} failed: {}", lines[lines.len().saturating_sub(12)..].join("\n")))
}

fn script(python: &Path, name: &str, args: &[&Path], more: &[&str]) -> Value {
    let cache = tempfile::tempdir().expect("a temporary directory");
    let mut run = Command::new(python);
    run.arg(repository().join("tests/python").join(name)).args(args).args(more).env("HF_HOME", cache.path());
    let stdout = command(&mut run).unwrap_or_else(|error| panic!("{error}"));
    serde_json::from_str(&stdout).expect("JSON")
}

fn release_dir() -> PathBuf {
    finished(FIRST).dist.join(FIRST)
}

fn collection(task: Task) -> Collection {
    Collection::load(&release_dir(), task).expect("a task of the release")
}

#[test]
fn beir_and_datasets_load_each_task_as_it_was_written() {
    let Some(python) = python() else { return };
    for task in Task::ALL {
        let collection = collection(task);
        let found = script(python, "load.py", &[&release_dir().join("beir").join(task.name())], &[]);
        let documents: BTreeMap<&str, &str> =
            collection.documents.iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
        // Match pairs of label 0 are no searches.
        let searches = collection.queries.iter().filter(|query| query.label != Some(0));
        let queries: BTreeMap<&str, &str> = searches.map(|row| (row.query_id.as_str(), row.query.as_str())).collect();
        let mut judged: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
        for row in collection.qrels.iter().filter(|row| queries.contains_key(row.query_id.as_str())) {
            judged.entry(&row.query_id).or_default().insert(&row.doc_id, row.relevance);
        }
        assert!(documents.len() > 50 && queries.len() > 100 && judged.len() == queries.len());
        for reader in ["beir", "datasets"] {
            let found = &found[reader];
            assert!(found["corpus"] == serde_json::json!(documents), "{reader}: corpus of {}", task.name());
            assert!(found["queries"] == serde_json::json!(queries), "{reader}: queries of {}", task.name());
            assert!(found["qrels"] == serde_json::json!(judged), "{reader}: judgements of {}", task.name());
        }
        assert_eq!(found["beir"]["titles"], serde_json::json!([""]));
        let columns = serde_json::json!({
            "corpus": {"_id": "string", "title": "string", "text": "string"},
            "queries": {"_id": "string", "text": "string"},
            "default": {"query-id": "string", "corpus-id": "string", "score": "int64"},
        });
        assert_eq!(found["columns"], columns);
    }
}

#[test]
fn datasets_loads_every_configuration_of_the_card() {
    let Some(python) = python() else { return };
    let found = script(python, "load_release.py", &[&release_dir()], &[]);
    let found = found.as_object().expect("an object");
    let names: BTreeSet<&str> = found.keys().map(String::as_str).collect();
    let tasks = Task::ALL.iter().flat_map(|task| ["queries", "qrels"].map(|kind| format!("{}_{kind}", task.name())));
    let expected: Vec<String> = tasks.chain(["code_corpus".to_owned(), "text_corpus".to_owned()]).collect();
    assert_eq!(names, expected.iter().map(String::as_str).collect());
    for (name, config) in found {
        let n_rows = crate::project::rows(&release_dir().join(format!("{name}.jsonl"))).len();
        assert_eq!((&config["rows"], &config["split"]), (&Value::from(n_rows), &Value::from(FIRST)), "{name}");
    }
}

#[test]
fn pytrec_eval_scores_the_first_search_as_we_do() {
    let Some(python) = python() else { return };
    let dir = finished(FIRST).stage_dir(FIRST, "sanity");
    let sanity: Sanity =
        serde_json::from_slice(&fs_err::read(dir.join("sanity.json")).expect("scores")).expect("scores");
    for scores in &sanity.tasks {
        let run = dir.join(format!("bm25_{}.run", scores.task.name()));
        let theirs = score(python, scores.task, &run, &sanity.cutoffs);
        compare(scores.task, &run, &sanity.cutoffs, &theirs);
        assert_eq!(scores.average.n_averaged, theirs.len(), "{}", scores.task.name());
        for (name, value) in &scores.average.measures {
            let values: Vec<f64> = theirs.values().filter_map(|measures| measures.get(name).copied()).collect();
            if values.is_empty() {
                continue; // a measure of our own
            }
            #[expect(clippy::cast_precision_loss, reason = "a number of queries")]
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            assert!((value - mean).abs() < 0.5e-6 + TOLERANCE, "{} {name}: {value} is not {mean}", scores.task.name());
        }
    }
}

/// Scores of few values, so that nearly every hit is tied with others: who breaks ties otherwise
/// scores otherwise. Some queries retrieve nothing that is relevant, some nothing at all.
#[test]
fn pytrec_eval_scores_a_search_full_of_ties_as_we_do() {
    let Some(python) = python() else { return };
    let cutoffs = [1, 2, 3, 5, 10, 20, 100, 1000];
    let dir = tempfile::tempdir().expect("a temporary directory");
    for task in Task::ALL {
        let collection = collection(task);
        let mut rankings = Rankings::new();
        for query in collection.queries.iter().filter(|query| seeded::unit(1, &["empty", &query.query_id]) > 0.1) {
            let draw = |kind: &str, doc: &str| seeded::unit(1, &[kind, &query.query_id, doc]);
            let found = collection.documents.iter().filter(|(id, _)| draw("found", id) < 0.6);
            #[expect(clippy::cast_possible_truncation, reason = "four values")]
            let hit = |id: &String| Hit { doc_id: id.clone(), score: (draw("score", id) * 4.0).floor() as f32 / 3.0 };
            let anchor = collection.anchors.get(&query.query_id);
            let hits = found.map(|(id, _)| hit(id)).filter(|hit| Some(&hit.doc_id) != anchor).collect();
            rankings.insert(query.query_id.clone(), Ranking::new(hits));
        }
        let run = dir.path().join(task.name());
        fs_err::write(&run, run_file::write(&rankings, "ties")).expect("a run");
        let theirs = score(python, task, &run, &cutoffs);
        assert!(theirs.len() > 100);
        compare(task, &run, &cutoffs, &theirs);
    }
}

type Scores = BTreeMap<String, BTreeMap<String, f64>>;

fn score(python: &Path, task: Task, run: &Path, cutoffs: &[usize]) -> Scores {
    let qrels = release_dir().join("beir").join(task.name()).join("qrels/test.tsv");
    let cutoffs: Vec<String> = cutoffs.iter().map(usize::to_string).collect();
    let found = script(python, "score.py", &[&qrels, run], &[&cutoffs.join(",")]);
    serde_json::from_value(found["scores"].clone()).expect("scores by query and measure")
}

/// Every measure that `pytrec_eval` gives, of every query, against ours.
fn compare(task: Task, run: &Path, cutoffs: &[usize], theirs: &Scores) {
    let rankings = run_file::read(run).expect("a run");
    let ours: BTreeMap<String, QueryScore> = scoring::score_queries(&collection(task), &rankings, cutoffs)
        .into_iter()
        .map(|score| (score.query_id.clone(), score))
        .collect();
    let mut differences = String::new();
    for (query_id, measures) in theirs {
        assert_eq!(measures.len(), 2 + 4 * cutoffs.len());
        for (name, value) in measures {
            let found = ours[query_id].measures.get(name).copied();
            if found.is_none_or(|found| (found - value).abs() > TOLERANCE) {
                let _ = writeln!(differences, "{query_id} {name}: ours {found:?}, theirs {value}");
            }
        }
    }
    assert!(differences.is_empty(), "{}:\n{differences}", task.name());
}
