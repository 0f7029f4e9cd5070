//! `corebuild cost`: what the replies in the journal cost, by stage and model.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use serde::Serialize;
use serde_json::json;

use crate::{
    config::{Config, Mode},
    exit_code::ExitCode,
    llm::{Journal, Reply, journal, spending},
    stages::Context,
    summary,
};

/// Replies of one stage and model. One that was asked for again counts each time.
#[derive(Default, Serialize)]
struct Sum {
    n_calls: u64,
    n_batch: u64,
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    reasoning_tokens: u64,
    /// At the prices of `pipeline.toml`; `None` where it has none.
    dollars: Option<f64>,
}

pub(super) fn run(ctx: &Context, json: bool) -> Result<ExitCode> {
    let sums = sums(&ctx.store.llm_journal_dir(), &ctx.config.config)?;
    ctx.console.data(&if json { as_json(&sums)? } else { as_text(&sums) });
    Ok(ExitCode::Done)
}

fn sums(dir: &Path, config: &Config) -> Result<BTreeMap<(String, String), Sum>> {
    let mut sums: BTreeMap<(String, String), Sum> = BTreeMap::new();
    for stage in journal::stages(dir)? {
        let Some(journal) = Journal::open_read_only(dir, &stage)? else { continue };
        journal.for_each(|_, reply| {
            sums.entry((stage.clone(), reply.request.model.clone())).or_default().add(&reply, config);
            Ok(())
        })?;
    }
    Ok(sums)
}

impl Sum {
    fn add(&mut self, reply: &Reply, config: &Config) {
        self.n_calls += 1;
        self.n_batch += u64::from(reply.call.batch);
        self.input_tokens += reply.usage.input_tokens;
        self.cached_tokens += reply.usage.cached_tokens;
        self.output_tokens += reply.usage.output_tokens;
        self.reasoning_tokens += reply.usage.reasoning_tokens;
        let model = config.models.get(&reply.request.model);
        let price = model.filter(|model| model.mode() != Mode::Replay).and_then(|model| model.price.as_ref());
        let is_free = model.is_some_and(|model| model.mode() == Mode::Replay);
        if price.is_some() || is_free {
            *self.dollars.get_or_insert(0.0) += spending::cost(price, reply);
        }
    }
}

fn as_text(sums: &BTreeMap<(String, String), Sum>) -> String {
    let mut table = summary::table(&[
        "stage",
        "model",
        ">replies",
        ">by batch",
        ">tokens in",
        ">of these cached",
        ">tokens out",
        ">of these thought",
        ">cost",
    ]);
    for ((stage, model), sum) in sums {
        let numbers =
            [sum.n_calls, sum.n_batch, sum.input_tokens, sum.cached_tokens, sum.output_tokens, sum.reasoning_tokens];
        let cost = sum.dollars.map_or("no `price`".to_owned(), |dollars| format!("${dollars:.4}"));
        let cells = [stage.clone(), model.clone()].into_iter().chain(numbers.map(|n| n.to_string())).chain([cost]);
        table.add_row(cells);
    }
    let total: f64 = sums.values().filter_map(|sum| sum.dollars).sum();
    format!("{table}\n${total:.4} in all, at the prices of `pipeline.toml`; replayed models cost nothing")
}

fn as_json(sums: &BTreeMap<(String, String), Sum>) -> Result<String> {
    let rows: Vec<_> =
        sums.iter().map(|((stage, model), sum)| json!({"stage": stage, "model": model, "sum": sum})).collect();
    let total: f64 = sums.values().filter_map(|sum| sum.dollars).sum();
    Ok(serde_json::to_string(&json!({"rows": rows, "dollars": total}))?)
}
