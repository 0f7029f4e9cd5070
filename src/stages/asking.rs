//! What the stages that ask models have in common: asking, with progress, behind the journal, and
//! asking once more where a reply does not fit.

use std::collections::BTreeMap;

use anyhow::Result;

use super::Context;
use crate::{
    llm::{FinishReason, Journal, Llm, Reply, Request, tokens},
    pipeline::Stage,
    prompts::{Prompt, follow_up},
    reply::Reject,
    tables::Reason,
};

/// What is wrong with the reply at a place of the list, if anything is.
pub(super) type Check<'a> = dyn Fn(usize, &Reply) -> Result<(), Reject> + 'a;

/// The replies to `requests`, in their order.
///
/// # Errors
/// As [`Llm::complete_all`].
pub(super) fn ask(ctx: &Context, stage: Stage, requests: &[Request]) -> Result<Vec<Reply>> {
    ask_checked(ctx, stage, requests, &|_, _| Ok(()))
}

/// As [`ask`], for a prompt that asks for JSON.
///
/// # Errors
/// As [`Llm::complete_all`].
pub(super) fn ask_json(ctx: &Context, stage: Stage, prompt: &Prompt, requests: &[Request]) -> Result<Vec<Reply>> {
    let schema = prompt.reply_schema()?;
    ask_checked(ctx, stage, requests, &|_, reply| reply.json(schema).map(drop))
}

/// As [`ask`]; a reply that `check` finds fault with is shown to its model once, where the model is
/// configured so. The second reply counts if it is better, and is a recording of its own.
///
/// # Errors
/// As [`Llm::complete_all`].
pub(super) fn ask_checked(ctx: &Context, stage: Stage, requests: &[Request], check: &Check) -> Result<Vec<Reply>> {
    let requests = prepared(ctx, requests);
    let mut models: Vec<&str> = requests.iter().map(|request| request.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    let providers = (ctx.open_providers)(ctx.config, &models)?;
    let llm = Llm::open(&ctx.store.llm_journal_dir(), stage.name(), providers, ctx.interrupted)?;
    let progress = ctx.console.progress(stage.name(), requests.len() as u64);
    let mut replies = llm.complete_all(&requests, ctx.n_workers, &|| progress.tick())?;
    drop(progress);
    let (places, again) = follow_ups(ctx, &replies, check);
    if again.is_empty() {
        return Ok(replies);
    }
    let progress = ctx.console.progress(&format!("{}: once more", stage.name()), again.len() as u64);
    for (place, reply) in places.into_iter().zip(llm.complete_all(&again, ctx.n_workers, &|| progress.tick())?) {
        if check(place, &reply).is_ok() {
            replies[place] = reply;
        }
    }
    Ok(replies)
}

/// The requests as the models' settings in `pipeline.toml` make them.
pub(super) fn prepared(ctx: &Context, requests: &[Request]) -> Vec<Request> {
    let prepare = |request: &Request| Request {
        sampling: request.sampling.with(&ctx.config.model(&request.model).sampling),
        ..request.clone()
    };
    requests.iter().map(prepare).collect()
}

/// Second requests for replies that another call may mend, with their places.
fn follow_ups(ctx: &Context, replies: &[Reply], check: &Check) -> (Vec<usize>, Vec<Request>) {
    let mut follow_ups = (Vec::new(), Vec::new());
    for (place, reply) in replies.iter().enumerate() {
        let may_heal = reply.finish_reason == FinishReason::Stop && !reply.text.trim().is_empty();
        if !may_heal || !ctx.config.model(&reply.request.model).repairs() {
            continue;
        }
        if let Err(fault) = check(place, reply)
            && matches!(fault.reason, Reason::NotJson | Reason::OffSchema | Reason::TooShort | Reason::TooLong)
        {
            follow_ups.0.push(place);
            follow_ups.1.push(follow_up(reply, &fault));
        }
    }
    follow_ups
}

/// What the requests that the journal does not answer would come to, by model.
///
/// # Errors
/// When the journal cannot be read.
pub(super) fn estimate(
    ctx: &Context,
    stage: Stage,
    requests: &[Request],
) -> Result<BTreeMap<String, tokens::Estimate>> {
    let journal = Journal::open_read_only(&ctx.store.llm_journal_dir(), stage.name())?;
    tokens::estimate(journal.as_ref(), requests)
}
