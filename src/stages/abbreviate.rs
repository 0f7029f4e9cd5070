//! Stage 3: each rewritten statement in 50 to 150 words.

use anyhow::Result;
use serde_json::json;

use super::{Context, StageOutput, asking};
use crate::{
    llm::{Reply, Request},
    pipeline::Stage,
    prompts::Prompt,
    reply::Reject,
    tables::{Abbreviation, Reason, Rewrite, Row},
};

/// Words that an abbreviation may have.
const WORDS: std::ops::RangeInclusive<usize> = 50..=150;

pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let rewrites: Vec<Rewrite> = ctx.load()?;
    let check = |place: usize, reply: &Reply| abbreviation(&rewrites[place], reply).map(drop);
    let replies = asking::ask_checked(ctx, Stage::Abbreviate, &requests(ctx, &rewrites)?, &check)?;
    let mut output = StageOutput::new(rewrites.iter().map(Row::key));
    output.max_rejected_share = Some(ctx.config.config.abbreviate.max_rejected_share);
    let mut rows = Vec::new();
    for (rewrite, reply) in rewrites.iter().zip(&replies) {
        match abbreviation(rewrite, reply) {
            Ok(row) => rows.push(row),
            Err(Reject { reason, detail }) => output.reject(rewrite.key(), reason, detail),
        }
    }
    output.table(&rows)?;
    Ok(output)
}

pub(super) fn requests(ctx: &Context, rewrites: &[Rewrite]) -> Result<Vec<Request>> {
    let prompt = Prompt::load(&ctx.store.root, Stage::Abbreviate.name(), "abbreviate")?;
    let writer = &ctx.config.release.writer;
    let request = |rewrite: &Rewrite| {
        let variables = json!({"title": rewrite.title, "statement": rewrite.statement});
        Ok(prompt.request(&rewrite.problem_id, &variables, writer, 0)?)
    };
    rewrites.iter().map(request).collect()
}

fn abbreviation(rewrite: &Rewrite, reply: &Reply) -> Result<Abbreviation, Reject> {
    let text = reply.plain_text()?.to_owned();
    let n_words = text.split_whitespace().count();
    if !WORDS.contains(&n_words) {
        let reason = if n_words < *WORDS.start() { Reason::TooShort } else { Reason::TooLong };
        return Err(Reject::new(
            reason,
            format!("{n_words} words; {} to {} are asked for", WORDS.start(), WORDS.end()),
        ));
    }
    if text.chars().count() >= rewrite.statement.chars().count() {
        return Err(Reject::new(Reason::TooLong, "not shorter than the statement"));
    }
    Ok(Abbreviation {
        problem_id: rewrite.problem_id.clone(),
        text,
        n_words,
        model: reply.request.model.clone(),
        reply_key: reply.request.key(),
    })
}
