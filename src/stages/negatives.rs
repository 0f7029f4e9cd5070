//! Stage 4: four statements near each rewritten one that ask for something else.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::json;

use super::{Context, StageOutput, asking};
use crate::{
    ids,
    llm::{Reply, Request},
    pipeline::Stage,
    prompts::Prompt,
    reply::Reject,
    seeded,
    tables::{Negative, Reason, Rewrite, Strategy},
};

/// A negative with fewer words states no problem.
const MIN_WORDS: usize = 40;

/// Above this word Jaccard similarity a negative is the rewrite again.
const MAX_SIMILARITY: f64 = 0.95;

/// Phrases that give away that there is another statement.
const GIVEAWAYS: [&str; 5] =
    ["original problem", "original statement", "modified problem", "modified version", "unlike the original"];

pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let rewrites: Vec<Rewrite> = ctx.load()?;
    let wanted: Vec<(&Rewrite, Strategy)> =
        rewrites.iter().flat_map(|rewrite| Strategy::ALL.map(|strategy| (rewrite, strategy))).collect();
    let replies = asking::ask(ctx, Stage::Negatives, &requests(ctx, &rewrites)?)?;
    let key = |rewrite: &Rewrite, strategy: Strategy| ids::join(&[&rewrite.problem_id, strategy.name()]);
    let mut output = StageOutput::new(wanted.iter().map(|(rewrite, strategy)| key(rewrite, *strategy)));
    output.max_rejected_share = Some(ctx.config.config.negatives.max_rejected_share);
    let mut rows = Vec::new();
    for ((rewrite, strategy), reply) in wanted.iter().zip(&replies) {
        match negative(rewrite, *strategy, reply) {
            Ok(row) => rows.push(row),
            Err(Reject { reason, detail }) => output.reject(key(rewrite, *strategy), reason, detail),
        }
    }
    output.table(&rows)?;
    Ok(output)
}

/// For each rewrite one request a strategy, in the order of [`Strategy::ALL`].
pub(super) fn requests(ctx: &Context, rewrites: &[Rewrite]) -> Result<Vec<Request>> {
    let mut prompts = Vec::new();
    for strategy in Strategy::ALL {
        prompts.push((strategy, Prompt::load(&ctx.store.root, Stage::Negatives.name(), strategy.name())?));
    }
    let mut requests = Vec::new();
    for rewrite in rewrites {
        for (strategy, prompt) in &prompts {
            let row_id = ids::join(&[&rewrite.problem_id, strategy.name()]);
            let variables = json!({"title": rewrite.title, "statement": rewrite.statement});
            let mut request = prompt.request(&row_id, &variables, &ctx.config.release.writer, 0)?;
            request.sampling.temperature = Some(temperature(ctx, &row_id));
            requests.push(request);
        }
    }
    Ok(requests)
}

/// Drawn from the configured range by (seed, row), in hundredths.
fn temperature(ctx: &Context, row_id: &str) -> f64 {
    let [low, high] = ctx.config.config.negatives.temperature;
    let share = seeded::unit(ctx.config.release.seed, &["temperature", row_id]);
    ((low + share * (high - low)) * 100.0).round() / 100.0
}

fn negative(rewrite: &Rewrite, strategy: Strategy, reply: &Reply) -> Result<Negative, Reject> {
    let text = reply.plain_text()?.to_owned();
    let n_words = text.split_whitespace().count();
    if n_words < MIN_WORDS {
        return Err(Reject::new(Reason::TooShort, format!("{n_words} words, at least {MIN_WORDS} are needed")));
    }
    let lower = text.to_lowercase();
    if let Some(giveaway) = GIVEAWAYS.iter().find(|giveaway| lower.contains(*giveaway)) {
        return Err(Reject::new(Reason::MentionsOriginal, format!("says `{giveaway}`")));
    }
    let similarity = word_jaccard(&lower, &format!("{} {}", rewrite.title, rewrite.statement).to_lowercase());
    if similarity > MAX_SIMILARITY {
        return Err(Reject::new(Reason::TooSimilar, format!("word Jaccard {similarity:.3} with the rewrite")));
    }
    Ok(Negative {
        problem_id: rewrite.problem_id.clone(),
        strategy,
        text,
        model: reply.request.model.clone(),
        reply_key: reply.request.key(),
    })
}

/// Shared words over all words, as sets.
fn word_jaccard(a: &str, b: &str) -> f64 {
    let [a, b] = [a, b].map(|text| text.split_whitespace().collect::<BTreeSet<_>>());
    let n_union = a.union(&b).count();
    if n_union == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "word counts stay far below 2^52")]
    let share = a.intersection(&b).count() as f64 / n_union as f64;
    share
}
