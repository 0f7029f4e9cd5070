//! Synthesised tests: inputs by a model, outputs by references that agree.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::json;

use super::{Material, suite::Synthesised};
use crate::{
    llm::{Reply, Request},
    pipeline::Stage,
    prompts::Prompt,
    seeded,
    stages::{
        Context, asking,
        running::{Bench, Printed},
    },
    tables::{Reason, Reference},
};

pub(super) fn prompt(ctx: &Context) -> Result<Prompt> {
    Ok(Prompt::load(&ctx.store.root, Stage::Tests.name(), "synthesise")?)
}

/// Problems with enough references and too few tests.
pub(super) fn lacking<'a>(ctx: &Context, materials: &'a [Material]) -> Vec<&'a Material> {
    let settings = &ctx.config.config.tests;
    materials
        .iter()
        .filter(|material| material.official.len() < settings.synthesise_up_to)
        .filter(|material| material.references.len() >= settings.min_agreeing)
        .collect()
}

pub(super) fn requests(ctx: &Context, prompt: &Prompt, lacking: &[&Material]) -> Result<Vec<Request>> {
    let wanted = ctx.config.config.tests.synthesise_up_to;
    let request = |material: &&Material| {
        let problem = &material.problem;
        let samples: Vec<&str> = material.official.iter().map(|test| test.input.as_str()).collect();
        let variables = json!({"statement": format!("{}\n\n{}", problem.title, problem.statement),
                               "samples": samples, "n_inputs": wanted - material.official.len()});
        Ok(prompt.request(&problem.problem_id, &variables, &ctx.config.release.writer, 0)?)
    };
    lacking.iter().map(request).collect()
}

/// Synthesised tests by problem.
pub(super) fn synthesise(ctx: &Context, materials: &[Material]) -> Result<BTreeMap<String, Vec<Synthesised>>> {
    let lacking = lacking(ctx, materials);
    let prompt = prompt(ctx)?;
    let replies = asking::ask_json(ctx, Stage::Tests, &prompt, &requests(ctx, &prompt, &lacking)?)?;
    if lacking.is_empty() {
        return Ok(BTreeMap::new());
    }
    let bench = Bench::open(ctx)?;
    let mut jobs = Vec::new();
    for (material, reply) in lacking.iter().zip(&replies) {
        let inputs = inputs(ctx, &prompt, material, reply)?;
        jobs.push((*material, inputs));
    }
    let progress = ctx.console.progress("tests", jobs.len() as u64);
    let made = ctx.in_order(&jobs, |(material, inputs)| {
        let made = synthesise_one(ctx, &bench, material, inputs);
        progress.tick();
        made
    })?;
    Ok(jobs.iter().map(|(material, _)| material.problem.problem_id.clone()).zip(made).collect())
}

/// Distinct new inputs of a reply, as many as are wanted.
fn inputs(ctx: &Context, prompt: &Prompt, material: &Material, reply: &Reply) -> Result<Vec<String>> {
    let Ok(value) = reply.json(prompt.reply_schema()?) else { return Ok(Vec::new()) };
    let mut seen: BTreeSet<&str> = material.official.iter().map(|test| test.input.trim_end()).collect();
    let given = value["inputs"].as_array().into_iter().flatten().filter_map(|input| input.as_str());
    let wanted = ctx.config.config.tests.synthesise_up_to - material.official.len();
    Ok(given.filter(|input| seen.insert(input.trim_end())).take(wanted).map(str::to_owned).collect())
}

fn synthesise_one(ctx: &Context, bench: &Bench, material: &Material, inputs: &[String]) -> Result<Vec<Synthesised>> {
    let judges = judges(ctx, bench, material)?;
    let first_idx = material.rewrite.tests.iter().map(|test| test.test_idx + 1).max().unwrap_or(0);
    let mut made = Vec::new();
    for (test_idx, input) in (first_idx..).zip(inputs) {
        ctx.check_interrupted()?;
        let expected = agreed_output(ctx, bench, material, &judges, input)?;
        made.push(Synthesised {
            test_idx,
            input: input.clone(),
            expected,
            n_agreeing: u32::try_from(judges.len()).unwrap_or(u32::MAX),
        });
    }
    Ok(made)
}

/// References that pass the official tests, drawn by seed, of as many languages as can be.
fn judges<'a>(ctx: &Context, bench: &Bench, material: &'a Material) -> Result<Vec<&'a Reference>> {
    let n_wanted = ctx.config.config.tests.min_agreeing;
    let all: Vec<&Reference> = material.references.iter().collect();
    let name = |reference: &&Reference| reference.submission_id.clone();
    let drawn =
        seeded::sample(ctx.config.release.seed, &["judges", &material.problem.problem_id], all, usize::MAX, name);
    let mut seen = BTreeSet::new();
    let (new_language, same_language): (Vec<_>, Vec<_>) =
        drawn.into_iter().partition(|reference| seen.insert(reference.language));
    let mut judges = Vec::new();
    for reference in new_language.into_iter().chain(same_language) {
        if judges.len() < n_wanted && passes_official(bench, material, reference)? {
            judges.push(reference);
        }
    }
    Ok(judges)
}

fn passes_official(bench: &Bench, material: &Material, reference: &Reference) -> Result<bool> {
    for test in &material.official {
        let printed = bench.print(reference.language, &reference.code, &test.input)?;
        let Printed::Output(output) = printed else { return Ok(false) };
        if !bench.agrees(&material.problem, &test.input, &test.output, &output)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What every judge prints, or why there is no such output. Inner result: a row's fate.
fn agreed_output(
    ctx: &Context,
    bench: &Bench,
    material: &Material,
    judges: &[&Reference],
    input: &str,
) -> Result<Result<String, (Reason, String)>> {
    let n_wanted = ctx.config.config.tests.min_agreeing;
    if judges.len() < n_wanted {
        let detail = format!("{} references pass the official tests, {n_wanted} are needed", judges.len());
        return Ok(Err((Reason::TooFewReferences, detail)));
    }
    let mut agreed: Option<String> = None;
    for judge in judges {
        let output = match bench.print(judge.language, &judge.code, input)? {
            Printed::Output(output) => output,
            Printed::Failed(why) => {
                return Ok(Err((Reason::ReferencesDisagree, format!("`{}`: {why}", judge.submission_id))));
            }
        };
        let Ok(text) = String::from_utf8(output) else {
            return Ok(Err((Reason::ReferencesDisagree, format!("`{}` prints no UTF-8", judge.submission_id))));
        };
        match &agreed {
            None => agreed = Some(text),
            Some(first) if bench.agrees(&material.problem, input, first, text.as_bytes())? => {}
            Some(_) => {
                return Ok(Err((
                    Reason::ReferencesDisagree,
                    format!("`{}` prints another output", judge.submission_id),
                )));
            }
        }
    }
    Ok(Ok(agreed.expect("there is at least one judge")))
}
