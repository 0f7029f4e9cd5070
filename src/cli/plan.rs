//! `corebuild plan`: what would run and why, and what it would ask of models.

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    exit_code::ExitCode,
    llm::tokens,
    pipeline::{self, Freshness, Stage},
    runner,
    stages::{self, Context},
    summary,
};

/// A stage in the plan.
struct Planned {
    stage: Stage,
    freshness: Freshness,
    /// `None` where the stage asks no model, or its requests depend on a table that is not there yet.
    calls: Option<tokens::Estimate>,
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
    ctx.console.data(&if json { as_json(ctx, &planned)? } else { as_text(ctx, &planned) });
    Ok(ExitCode::Done)
}

fn as_text(ctx: &Context, planned: &[Planned]) -> String {
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
        "Plan for {}\n{table}\nCalls already answered in the journal are not counted. Tokens are counted with \
         cl100k_base or o200k_base, as the model's family has it (o200k_base where it is unknown: an estimate). `?`: depends on a table that is not there yet.",
        ctx.config.name
    )
}

fn columns(row: &Planned) -> [String; 3] {
    match &row.calls {
        Some(calls) => [calls.n_calls.to_string(), calls.input_tokens.to_string(), calls.output_tokens.to_string()],
        None if row.stage.asks_models() && row.freshness != Freshness::Fresh => ["?".into(), "?".into(), "?".into()],
        None => [String::new(), String::new(), String::new()],
    }
}

fn as_json(ctx: &Context, planned: &[Planned]) -> Result<String> {
    let stages: Vec<Value> = planned
        .iter()
        .map(|row| {
            let causes = match &row.freshness {
                Freshness::Fresh => Vec::new(),
                Freshness::Stale(causes) => causes.clone(),
            };
            json!({"stage": row.stage.name(), "stale": row.freshness != Freshness::Fresh, "causes": causes,
                   "asks_models": row.stage.asks_models(), "calls": row.calls})
        })
        .collect();
    Ok(serde_json::to_string(&json!({"release": ctx.config.name, "stages": stages}))?)
}
