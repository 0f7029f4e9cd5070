//! What the stages that ask models have in common: asking, with progress, behind the journal.

use anyhow::Result;

use super::Context;
use crate::{
    llm::{Journal, Llm, Reply, Request, tokens},
    pipeline::Stage,
};

/// The replies to `requests`, in their order.
///
/// # Errors
/// As [`Llm::complete_all`].
pub(super) fn ask(ctx: &Context, stage: Stage, requests: &[Request]) -> Result<Vec<Reply>> {
    let mut models: Vec<&str> = requests.iter().map(|request| request.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    let providers = (ctx.open_providers)(ctx.config, &models)?;
    let llm = Llm::open(&ctx.store.llm_journal_dir(), stage.name(), providers, ctx.interrupted)?;
    let progress = ctx.console.progress(stage.name(), requests.len() as u64);
    llm.complete_all(requests, ctx.n_workers, &|| progress.tick())
}

/// What the requests that the journal does not answer would come to.
///
/// # Errors
/// When the journal cannot be read.
pub(super) fn estimate(ctx: &Context, stage: Stage, requests: &[Request]) -> Result<tokens::Estimate> {
    let journal = Journal::open_read_only(&ctx.store.llm_journal_dir(), stage.name())?;
    let by_model = tokens::estimate(journal.as_ref(), requests)?;
    Ok(by_model.into_values().fold(tokens::Estimate::default(), |sum, estimate| sum.plus(&estimate)))
}
