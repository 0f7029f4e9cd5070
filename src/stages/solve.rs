//! Stage 6: models write programs for the rewritten problems, in every language.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::json;

use super::{Context, StageOutput, asking};
use crate::{
    ids,
    languages::Language,
    llm::{Reply, Request},
    pipeline::Stage,
    prompts::Prompt,
    reply::Reject,
    tables::{Rewrite, Row, Solution, Test},
};

/// The prompt, and the last part of a solution's identity.
const PROMPT: &str = "standard";

/// One solution to be had.
struct Wanted<'a> {
    rewrite: &'a Rewrite,
    language: Language,
    model: &'a str,
    sample_idx: u32,
}

impl Wanted<'_> {
    fn solution_id(&self) -> String {
        ids::solution_id(&self.rewrite.problem_id, self.language, self.model, self.sample_idx, PROMPT)
    }
}

pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let rewrites = solvable(ctx)?;
    let wanted = wanted(ctx, &rewrites);
    let replies = asking::ask(ctx, Stage::Solve, &requests_for(ctx, &wanted)?)?;
    let solutions: Vec<Solution> = wanted.iter().zip(&replies).map(|(wanted, reply)| solution(wanted, reply)).collect();
    let mut output = StageOutput::new(solutions.iter().map(Row::key));
    output.table(&solutions)?;
    Ok(output)
}

pub(super) fn requests(ctx: &Context) -> Result<Vec<Request>> {
    let rewrites = solvable(ctx)?;
    requests_for(ctx, &wanted(ctx, &rewrites))
}

/// Rewrites whose problem has a test suite: no call is paid for a program that cannot be judged.
fn solvable(ctx: &Context) -> Result<Vec<Rewrite>> {
    let tests: Vec<Test> = ctx.load()?;
    let tested: BTreeSet<&str> = tests.iter().map(|test| test.problem_id.as_str()).collect();
    let mut rewrites: Vec<Rewrite> = ctx.load()?;
    rewrites.retain(|rewrite| tested.contains(rewrite.problem_id.as_str()));
    Ok(rewrites)
}

fn wanted<'a>(ctx: &Context<'a>, rewrites: &'a [Rewrite]) -> Vec<Wanted<'a>> {
    let solve = &ctx.config.config.solve;
    let mut wanted = Vec::new();
    for rewrite in rewrites {
        for &language in &solve.languages {
            for model in &ctx.config.release.solvers {
                let samples = (0..solve.samples).map(|sample_idx| Wanted { rewrite, language, model, sample_idx });
                wanted.extend(samples);
            }
        }
    }
    wanted
}

fn requests_for(ctx: &Context, wanted: &[Wanted]) -> Result<Vec<Request>> {
    let prompt = Prompt::load(&ctx.store.root, Stage::Solve.name(), PROMPT)?;
    let request = |wanted: &Wanted| {
        let rewrite = wanted.rewrite;
        let variables = json!({
            "statement": format!("{}\n\n{}", rewrite.title, rewrite.statement),
            "starter_code": rewrite.starter_code,
            "functional": rewrite.func_name.is_some(),
            "language": wanted.language.name(),
        });
        Ok(prompt.request(&wanted.solution_id(), &variables, wanted.model, wanted.sample_idx)?)
    };
    wanted.iter().map(request).collect()
}

/// A reply without a program is a solution all the same: its verdict is `no-code`.
fn solution(wanted: &Wanted, reply: &Reply) -> Solution {
    let (code, no_code_reason) = match reply.code(wanted.language) {
        Ok(code) => (Some(code), None),
        Err(Reject { reason, .. }) => (None, Some(reason.name().to_owned())),
    };
    Solution {
        solution_id: wanted.solution_id(),
        problem_id: wanted.rewrite.problem_id.clone(),
        language: wanted.language,
        model: wanted.model.to_owned(),
        sample_idx: wanted.sample_idx,
        prompt: PROMPT.to_owned(),
        code,
        no_code_reason,
        reply_key: reply.request.key(),
    }
}
