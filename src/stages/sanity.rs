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
pub fn run(ctx: &Context) -> Result<StageOutput> {
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
