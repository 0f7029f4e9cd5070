//! `corebuild plan`: what would run and why, what it would ask of models, and at what price.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    config::Mode,
    exit_code::ExitCode,
    llm::tokens::{self, Estimate},
    pipeline::{self, Freshness, Stage},
    runner,
    stages::{self, Context},
    summary,
};

/// A stage in the plan.
struct Planned {
    stage: Stage,
    freshness: Freshness,
    /// By model. `None` where the stage asks no model, or its requests depend on a table that is not
    /// there yet.
    calls: Option<BTreeMap<String, Estimate>>,
}

/// What a model would cost.
struct Priced {
    model: String,
    calls: Estimate,
    mode: Mode,
    /// In dollars, with the date of the price list; `None` where the file has no price.
    price: Option<(f64, String)>,
}

pub(super) fn run(ctx: &Context, json: bool) -> Result<ExitCode> {
    let mut states = Vec::new();
    for stage in Stage::ALL {
        states.push((stage, runner::state(ctx, stage)?));
    }
    let mut planned = Vec::new();
    for (stage, freshness) in pipeline::plan(&states) {
        let calls = if freshness == Freshness::Fresh { None } else { stages::estimate(ctx, stage).unwrap_or_default() };
        planned.push(Planned { stage, freshness, calls });
    }
    let priced = prices(ctx, &planned);
    ctx.console.data(&if json { as_json(ctx, &planned, &priced)? } else { as_text(ctx, &planned, &priced) });
    Ok(ExitCode::Done)
}

impl Planned {
    fn sum(&self) -> Option<Estimate> {
        let calls = self.calls.as_ref()?;
        Some(calls.values().fold(Estimate::default(), |sum, estimate| sum.plus(estimate)))
    }
}

fn prices(ctx: &Context, planned: &[Planned]) -> Vec<Priced> {
    let mut by_model: BTreeMap<&String, Estimate> = BTreeMap::new();
    for (model, estimate) in planned.iter().filter_map(|row| row.calls.as_ref()).flatten() {
        let sum = by_model.entry(model).or_default();
        *sum = sum.plus(estimate);
    }
    let priced = |(model, calls): (&String, Estimate)| {
        let config = ctx.config.model(model);
        let mode = config.mode();
        let price = config.price.as_ref().map(|price| {
            let dollars = if mode == Mode::Replay { 0.0 } else { price.of(&calls.usage(), mode == Mode::Batch) };
            (dollars, price.date.clone())
        });
        Priced { model: model.clone(), calls, mode, price }
    };
    by_model.into_iter().filter(|(_, calls)| calls.n_calls > 0).map(priced).collect()
}

fn as_text(ctx: &Context, planned: &[Planned], priced: &[Priced]) -> String {
    if planned.iter().all(|row| row.freshness == Freshness::Fresh) {
        return format!("`{}` is up to date: nothing would run", ctx.config.name);
    }
    let mut table = summary::table(&["stage", "would run", "why", ">model calls", ">tokens in", ">tokens out"]);
    for row in planned {
        let (would, why) = match &row.freshness {
            Freshness::Fresh => ("no", String::new()),
            Freshness::Stale(causes) => ("yes", causes.join("\n")),
        };
        let [calls, tokens_in, tokens_out] = columns(row);
        table.add_row([row.stage.name().to_owned(), would.to_owned(), why, calls, tokens_in, tokens_out]);
    }
    format!(
        "Plan for {}\n{table}\n{}Calls already answered in the journal are not counted. `?`: depends on a table that is \
         not there yet. Output is taken to be as long as the prompt's replies so far, or its limit.",
        ctx.config.name,
        price_text(priced)
    )
}

fn price_text(priced: &[Priced]) -> String {
    if priced.is_empty() {
        return String::new();
    }
    let mut table =
        summary::table(&["model", "mode", ">calls", ">tokens in", ">tokens out", "counted", ">price", "of"]);
    for row in priced {
        let (price, date) = match (&row.price, row.mode) {
            (Some((dollars, date)), _) => (format!("${dollars:.2}"), date.clone()),
            (None, Mode::Replay) => ("$0.00".to_owned(), String::new()),
            (None, _) => ("unknown".to_owned(), "no `price`".to_owned()),
        };
        table.add_row([
            row.model.clone(),
            mode_name(row.mode).to_owned(),
            row.calls.n_calls.to_string(),
            row.calls.input_tokens.to_string(),
            row.calls.output_tokens.to_string(),
            if tokens::Encoding::is_known_for(&row.model) { "exactly" } else { "estimated" }.to_owned(),
            price,
            date,
        ]);
    }
    format!("{table}\n")
}

pub(super) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Live => "live",
        Mode::Batch => "batch",
        Mode::Replay => "replay",
    }
}

fn columns(row: &Planned) -> [String; 3] {
    match row.sum() {
        Some(calls) => [calls.n_calls.to_string(), calls.input_tokens.to_string(), calls.output_tokens.to_string()],
        None if row.stage.asks_models() && row.freshness != Freshness::Fresh => ["?".into(), "?".into(), "?".into()],
        None => Default::default(),
    }
}

fn as_json(ctx: &Context, planned: &[Planned], priced: &[Priced]) -> Result<String> {
    let stages: Vec<Value> = planned
        .iter()
        .map(|row| {
            let causes = match &row.freshness {
                Freshness::Fresh => Vec::new(),
                Freshness::Stale(causes) => causes.clone(),
            };
            json!({"stage": row.stage.name(), "stale": row.freshness != Freshness::Fresh, "causes": causes,
                   "asks_models": row.stage.asks_models(), "calls": row.sum(), "by_model": row.calls})
        })
        .collect();
    let models: Vec<Value> = priced
        .iter()
        .map(|row| {
            json!({"model": row.model, "mode": mode_name(row.mode), "calls": row.calls,
                   "tokens_are_exact": tokens::Encoding::is_known_for(&row.model),
                   "dollars": row.price.as_ref().map(|(dollars, _)| dollars),
                   "price_date": row.price.as_ref().map(|(_, date)| date)})
        })
        .collect();
    Ok(serde_json::to_string(&json!({"release": ctx.config.name, "stages": stages, "models": models}))?)
}
