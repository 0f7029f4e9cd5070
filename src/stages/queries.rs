//! Stage 10: search queries for problems that somebody solved, each checked against its statement
//! and against all other queries.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde_json::{Value, json};

use super::{Context, StageOutput, asking};
use crate::{
    ids,
    languages::Language,
    llm::{Reply, Request},
    pipeline::Stage,
    prompts::Prompt,
    reply::Reject,
    retrieval,
    tables::{Reason, Rewrite, Row, SearchKind, SearchQuery, SubjectKind, Suite, VerdictRow},
    verdict::Verdict,
};

const PROMPT: &str = "search";

/// Words that say nothing of what a problem is about.
const STOP_WORDS: [&str; 40] = [
    "a", "an", "and", "any", "are", "as", "at", "be", "by", "each", "every", "find", "for", "from", "given", "how",
    "in", "into", "is", "it", "its", "number", "of", "on", "one", "or", "over", "problem", "program", "solve", "than",
    "that", "the", "to", "two", "what", "when", "which", "with", "after",
];

pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let rewrites: Vec<Rewrite> = ctx.load()?;
    let solved = solved(ctx, &rewrites)?;
    let prompt = prompt(ctx)?;
    let replies = asking::ask_json(ctx, Stage::Queries, &prompt, &requests_for(ctx, &prompt, &rewrites, &solved)?)?;
    let per_kind = ctx.config.config.queries.per_kind;
    let mut output = StageOutput::new(solved.iter().flat_map(|rewrite| keys(rewrite, per_kind)));
    output.max_rejected_share = Some(ctx.config.config.queries.max_rejected_share);
    for rewrite in rewrites.iter().filter(|rewrite| !solved.iter().any(|s| s.problem_id == rewrite.problem_id)) {
        output.reject(rewrite.key(), Reason::NoPassingSolution, "no query without a program to find");
    }
    let mut rows = Vec::new();
    for (rewrite, reply) in solved.iter().zip(&replies) {
        let value = reply.json(prompt.reply_schema()?);
        read_reply(ctx, rewrite, reply, value, &mut rows, &mut output);
    }
    let rows = without_duplicates(rows, &mut output);
    output.table(&rows)?;
    Ok(output)
}

pub(super) fn requests(ctx: &Context) -> Result<Vec<Request>> {
    let rewrites: Vec<Rewrite> = ctx.load()?;
    let solved = solved(ctx, &rewrites)?;
    requests_for(ctx, &prompt(ctx)?, &rewrites, &solved)
}

fn prompt(ctx: &Context) -> Result<Prompt> {
    Ok(Prompt::load(&ctx.store.root, Stage::Queries.name(), PROMPT)?)
}

fn solved<'a>(ctx: &Context, rewrites: &'a [Rewrite]) -> Result<Vec<&'a Rewrite>> {
    let verdicts: Vec<VerdictRow> = ctx.load()?;
    let solved: BTreeSet<&str> = verdicts
        .iter()
        .filter(|row| row.subject == SubjectKind::Solution && row.suite == Suite::Rewritten)
        .filter(|row| row.verdict == Verdict::Accepted)
        .map(|row| row.problem_id.as_str())
        .collect();
    Ok(rewrites.iter().filter(|rewrite| solved.contains(rewrite.problem_id.as_str())).collect())
}

fn requests_for(ctx: &Context, prompt: &Prompt, rewrites: &[Rewrite], solved: &[&Rewrite]) -> Result<Vec<Request>> {
    let texts: Vec<(String, String)> = rewrites
        .iter()
        .map(|rewrite| (rewrite.problem_id.clone(), format!("{}\n\n{}", rewrite.title, rewrite.statement)))
        .collect();
    let nearest = retrieval::nearest(&texts, ctx.config.config.queries.nearest_problems);
    let by_id: BTreeMap<&str, &Rewrite> =
        rewrites.iter().map(|rewrite| (rewrite.problem_id.as_str(), rewrite)).collect();
    let request = |rewrite: &&Rewrite| {
        let others: Vec<Value> = nearest[&rewrite.problem_id]
            .iter()
            .map(|id| json!({"title": by_id[id.as_str()].title, "statement": by_id[id.as_str()].statement}))
            .collect();
        let variables = json!({"title": rewrite.title, "statement": rewrite.statement, "nearest": others,
                               "per_kind": ctx.config.config.queries.per_kind});
        Ok(prompt.request(&rewrite.problem_id, &variables, &ctx.config.release.writer, 0)?)
    };
    solved.iter().map(request).collect()
}

fn keys(rewrite: &Rewrite, per_kind: u32) -> Vec<String> {
    let kinds = SearchKind::ALL.into_iter();
    kinds.flat_map(|kind| (0..per_kind).map(move |n| key(&rewrite.problem_id, kind, n))).collect()
}

fn key(problem_id: &str, kind: SearchKind, n: u32) -> String {
    ids::join(&[problem_id, kind.name(), &ids::index(n)])
}

/// The queries of one reply: those that hold go to `rows`, the others to the rejected.
fn read_reply(
    ctx: &Context,
    rewrite: &Rewrite,
    reply: &Reply,
    value: Result<Value, Reject>,
    rows: &mut Vec<SearchQuery>,
    output: &mut StageOutput,
) {
    let per_kind = ctx.config.config.queries.per_kind;
    let value = match value {
        Ok(value) => value,
        Err(Reject { reason, detail }) => {
            for key in keys(rewrite, per_kind) {
                output.reject(key, reason, detail.clone());
            }
            return;
        }
    };
    for kind in SearchKind::ALL {
        for n in 0..per_kind {
            let text = value[kind.name()][n as usize].as_str().unwrap_or_default().trim();
            match flaw(rewrite, text) {
                Some((reason, detail)) => output.reject(key(&rewrite.problem_id, kind, n), reason, detail),
                None => rows.push(SearchQuery {
                    problem_id: rewrite.problem_id.clone(),
                    kind,
                    n,
                    text: text.to_owned(),
                    model: reply.request.model.clone(),
                    reply_key: reply.request.key(),
                }),
            }
        }
    }
}

/// What is wrong with a query, seen alone.
fn flaw(rewrite: &Rewrite, text: &str) -> Option<(Reason, String)> {
    if text.split_whitespace().count() < 2 {
        return Some((Reason::TooShort, format!("`{text}` has fewer than two words")));
    }
    let lower = text.to_lowercase();
    let question_id = rewrite.problem_id.split_once('_').map_or("", |(_, id)| id);
    if lower.contains(&rewrite.problem_id) || words(&lower).iter().any(|word| word == question_id) {
        return Some((Reason::LeaksId, format!("`{text}` contains `{question_id}`")));
    }
    if lower == rewrite.title.to_lowercase() || lower == rewrite.title.to_lowercase().replace('-', " ") {
        return Some((Reason::TitleVerbatim, format!("`{text}` is the title")));
    }
    let statement: BTreeSet<String> = words(&format!("{} {}", rewrite.title, rewrite.statement)).into_iter().collect();
    let shared =
        words(text).into_iter().filter(|word| !STOP_WORDS.contains(&word.as_str()) && statement.contains(word));
    if shared.count() == 0 {
        return Some((Reason::SharesNoWords, format!("`{text}` shares no content word with the statement")));
    }
    let named = Language::named_in(text).into_iter().next();
    named.map(|language| (Reason::LeaksId, format!("`{text}` names the language {}", language.title())))
}

/// Lower-case words and numbers.
fn words(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.to_lowercase().split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A text that two problems have cannot tell them apart: all its queries go. Within one problem the
/// first stays.
fn without_duplicates(rows: Vec<SearchQuery>, output: &mut StageOutput) -> Vec<SearchQuery> {
    let mut problems: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in &rows {
        problems.entry(row.text.to_lowercase()).or_default().insert(row.problem_id.clone());
    }
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for row in rows {
        let text = row.text.to_lowercase();
        if problems[&text].len() > 1 || !seen.insert(text) {
            output.reject(row.key(), Reason::DuplicateQuery, format!("`{}` stands more than once", row.text));
        } else {
            kept.push(row);
        }
    }
    kept
}
