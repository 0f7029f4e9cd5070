//! Searches the written release with BM25, scores it, and draws the report.
//!
//! Reads the release's own files, as anybody would who only has those; what lies under `work/` is
//! read for the report alone. The run files allow rescoring by any other tool.

use anyhow::Result;

use super::{Context, StageOutput};
use crate::{
    pipeline::Stage,
    report::{self, Facts, Retriever, Sanity},
    retrieval::{Collection, Rankings, bm25, run_file},
    scoring::{self, QueryScore, TaskScores, WithoutPositive},
    tables::query::Task,
};

/// Hits kept per query; measures without a cutoff see no more.
const DEPTH: usize = 100;
const TAG: &str = "corebuild-bm25";
const WITHOUT_POSITIVE: WithoutPositive = WithoutPositive::Excluded;

/// # Errors
/// When a file of the release or a table cannot be read.
pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let mut output = StageOutput::default();
    let (mut collections, mut all_scores, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
    for task in Task::ALL {
        ctx.check_interrupted()?;
        let collection = Collection::load(&ctx.store.release_dir(), task)?;
        let (rankings, scores, averages) = search(ctx, &collection)?;
        output.files.insert(format!("bm25_{}.run", task.name()), run_file::write(&rankings, TAG).into_bytes());
        all_scores.extend(scores);
        tasks.push(averages);
        collections.push(collection);
    }
    let sanity = Sanity {
        release: ctx.config.name.clone(),
        retriever: retriever(),
        cutoffs: cutoffs(ctx).to_vec(),
        queries_without_positive: "excluded from all averages".to_owned(),
        definitions: scoring::definitions(),
        overall: scoring::average(&all_scores, WITHOUT_POSITIVE),
        tasks,
    };
    let json = serde_json::to_string_pretty(&sanity)? + "\n";
    output.files.insert("sanity.json".to_owned(), json.into_bytes());
    let html = report::render(&facts(ctx, sanity, collections)?)?;
    output.files.insert("report.html".to_owned(), html.into_bytes());
    Ok(output)
}

fn cutoffs<'a>(ctx: &Context<'a>) -> &'a [usize] {
    &ctx.config.config.sanity.cutoffs
}

fn search(ctx: &Context, collection: &Collection) -> Result<(Rankings, Vec<QueryScore>, TaskScores)> {
    let rankings = ctx.in_parallel(|| collection.search_bm25(DEPTH))?;
    let scores = scoring::score_queries(collection, &rankings, cutoffs(ctx));
    let averages = scoring::average_task(collection.task, &scores, WITHOUT_POSITIVE);
    Ok((rankings, scores, averages))
}

fn retriever() -> Retriever {
    Retriever {
        name: "BM25 (Lucene's idf)".to_owned(),
        k1: bm25::K1,
        b: bm25::B,
        terms: bm25::TOKENIZER.to_owned(),
        depth: DEPTH,
    }
}

fn facts(ctx: &Context, sanity: Sanity, collections: Vec<Collection>) -> Result<Facts> {
    let mut receipts = Vec::new();
    for stage in Stage::ALL {
        // This stage's own receipt, if there is one, is of an earlier run.
        if stage != Stage::Sanity
            && let Some(receipt) = ctx.store.receipt(stage)?
        {
            receipts.push((stage, receipt));
        }
    }
    Ok(Facts {
        created_at: ctx.config.release.created_at.clone(),
        window: ctx.config.release.window.clone(),
        sanity,
        collections,
        verdicts: ctx.load()?,
        difficulty: ctx.load()?,
        receipts,
    })
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::atomic::AtomicBool};

    use super::*;
    use crate::{
        config::{Config, ReleaseConfig},
        console::Console,
        exit_code::ExitCode,
        store::Store,
    };

    const CONFIG: &str = r#"
default_release = "r1"
[releases.r1]
sources = ["s"]
window = { from = "2026-01-01", until = "2026-02-01" }
created_at = "2026-02-05"
writer = "m"
solvers = ["m"]
seed = 1
[sources.s]
kind = "livecodebench"
revision = "1"
files = [{ url = "file://x", sha256 = "0000000000000000000000000000000000000000000000000000000000000000" }]
[models.m]
provider = "replay"
recordings = "r"
[rewrite]
max_rejected_share = 0.1
tests_per_request = 1
[abbreviate]
max_rejected_share = 0.1
[negatives]
max_rejected_share = 0.1
temperature = [0.5, 1.0]
[tests]
min_tests = 1
max_tests = 0
synthesise_up_to = 1
min_agreeing = 3
keep_example = false
[solve]
languages = ["python"]
samples = 1
[execute]
min_isolation = "namespaces"
repeat_margin = 0.3
max_internal_error_share = 0.01
limits = { cpu_ms = 1000, wall_ms = 3000, memory_mib = 256, output_kib = 64, processes = 8 }
compile_limits = { cpu_ms = 1000, wall_ms = 3000, memory_mib = 256, output_kib = 64, processes = 8 }
[references]
sigmas = 3.0
min_group = 3
[difficulty]
k = 3
min_cluster = 1
n_runs = 2
max_iterations = 10
[queries]
max_rejected_share = 0.1
per_kind = 1
nearest_problems = 1
[qrels]
max_hard_negatives = 3
max_search_queries = 5
[sanity]
cutoffs = [1, 10]
"#;

    fn code(id: &str, text: &str) -> String {
        format!(
            r#"{{"code_id":"{id}","code":"{text}","language":"python","model":"m","code_length":1,"meta":{{"source_problem_id":"p","solution_key":"k","passed":true,"verdict":"accepted","pass_rate":1.0,"test_passed":1,"test_total":1,"difficulty_level":null,"created_at":"","corpus_version":""}}}}"#
        )
    }

    fn query(id: &str, task: &str, text: &str) -> String {
        format!(
            r#"{{"query_id":"{id}","query":"{text}","split":"{task}","subtask":"{task}_all","meta":{{"source_problem_id":"p","num_relevant_docs":1,"num_hard_negatives":0,"difficulty_level":null,"created_at":"","generator_version":""}}}}"#
        )
    }

    fn qrel(query_id: &str, doc_id: &str, relevance: u32) -> String {
        format!(r#"{{"query_id":"{query_id}","doc_id":"{doc_id}","relevance":{relevance}}}"#)
    }

    /// A release of three programs, one text, and a query or two per task.
    fn write_release(root: &Path) {
        let files = [
            ("dist/r1/code_corpus.jsonl", vec![code("c1", "walk tree"), code("c2", "walk graph"), code("c3", "sum")]),
            (
                "dist/r1/text_corpus.jsonl",
                vec![r#"{"text_id":"t1","text":"Walk a tree","text_style":"s","text_length":1,"abbreviated_text":null,"abbreviated_text_length":null,"meta":{"source_problem_id":"p","is_noise_sample":false,"noise_type":null,"original_text_id":null,"difficulty_level":null,"difficulty_label":null,"created_at":"","corpus_version":""}}"#.to_owned()],
            ),
            ("dist/r1/text2code_queries.jsonl", vec![query("q1", "text2code", "walk a tree")]),
            ("dist/r1/text2code_qrels.jsonl", vec![qrel("q1", "c2", 2), qrel("q1", "c1", 1)]),
            ("dist/r1/code2code_queries.jsonl", vec![query("q2", "code2code", "walk tree")]),
            ("dist/r1/code2code_qrels.jsonl", vec![qrel("q2", "c2", 2)]),
            ("dist/r1/code2text_queries.jsonl", vec![query("q3", "code2text", "tree"), query("q4", "code2text", "tree")]),
            ("dist/r1/code2text_qrels.jsonl", vec![qrel("q3", "t1", 2)]),
            ("dist/r1/anchors.jsonl", vec![r#"{"query_id":"q2","code_id":"c1"}"#.to_owned()]),
            ("work/r1/execute/verdicts.jsonl", Vec::new()),
            ("work/r1/difficulty/difficulty.jsonl", Vec::new()),
        ];
        for (name, lines) in files {
            let text = lines.join("\n") + if lines.is_empty() { "" } else { "\n" };
            crate::store::write_atomic(&root.join(name), text.as_bytes()).unwrap();
        }
    }

    fn run_in(root: &Path, n_workers: usize) -> Result<StageOutput> {
        let config = Config::parse(CONFIG, "pipeline.toml", root)?.release(None)?;
        let store =
            Store { root: root.to_owned(), work: root.join("work"), dist: root.join("dist"), release: "r1".to_owned() };
        let (console, interrupted) = (Console::new(true), AtomicBool::new(false));
        let open_providers = |_: &ReleaseConfig, _: &[&str]| anyhow::bail!("sanity asks no model");
        run(&Context {
            config: &config,
            store: &store,
            console: &console,
            n_workers,
            interrupted: &interrupted,
            open_providers: &open_providers,
        })
    }

    #[test]
    fn a_release_is_searched_scored_and_drawn_the_same_with_any_number_of_workers() {
        let root = tempfile::tempdir().unwrap();
        write_release(root.path());
        let output = run_in(root.path(), 1).unwrap();
        assert_eq!(output.files, run_in(root.path(), 2).unwrap().files);
        let sanity: Sanity = serde_json::from_slice(&output.files["sanity.json"]).unwrap();
        let ndcg: Vec<f64> = sanity.tasks.iter().map(|task| task.average.measures["ndcg_cut_10"]).collect();
        // The hard negative stands first; the anchor is left out; the query without a positive too.
        assert_eq!(ndcg, [0.630_93, 1.0, 1.0]);
        assert_eq!((sanity.overall.n_queries, sanity.overall.n_averaged), (4, 3));
        let run = String::from_utf8(output.files["bm25_code2code.run"].clone()).unwrap();
        assert!(run.starts_with("q2 Q0 c2 1 ") && run.lines().count() == 1, "{run}");
        assert!(output.files.contains_key("report.html"));
    }

    #[test]
    fn a_release_that_is_not_there_is_unavailable() {
        let root = tempfile::tempdir().unwrap();
        let error = run_in(root.path(), 1).unwrap_err();
        assert_eq!(ExitCode::of(&error), ExitCode::Unavailable, "{error:#}");
    }
}
