//! Stage `qrels`: forms documents, queries and graded judgements from verdicts.
//!
//! [`form`] is a pure function over rows, blind to their order. Every draw is keyed by the seed and
//! the query's id, so one problem more or less changes no other problem's judgements. What cannot
//! be labelled honestly is rejected with a reason, never labelled on a guess.

mod candidate;
mod code2code;
mod code2text;
mod conflicts;
mod documents;
mod draw;
mod text2code;
mod view;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use self::{candidate::Candidate, documents::Corpora, view::View};
use super::{Context, StageOutput};
use crate::{
    config::ReleaseConfig,
    tables::{
        Abbreviation, Anchor, CodeDocument, Difficulty, Negative, Problem, Qrel, Query, Reason, Rejected, Rewrite, Row,
        SearchQuery, Solution, TextDocument, VerdictRow,
    },
};

/// Grade of a document that answers the query.
pub const POSITIVE: u32 = 2;
/// Grade of a document that looks as if it did.
pub const HARD_NEGATIVE: u32 = 1;

/// # Errors
/// When an input table cannot be read.
pub fn run(ctx: &Context) -> Result<StageOutput> {
    let input = Input {
        problems: ctx.load()?,
        rewrites: ctx.load()?,
        abbreviations: ctx.load()?,
        negatives: ctx.load()?,
        solutions: ctx.load()?,
        verdicts: ctx.load()?,
        difficulty: ctx.load()?,
        search_queries: ctx.load()?,
    };
    ctx.check_interrupted()?;
    let settings = Settings::of(ctx.config);
    let formed = form(&input, &settings);
    output(&input, &settings, formed)
}

/// The rows of all input tables.
#[derive(Clone, Debug, Default)]
pub struct Input {
    pub problems: Vec<Problem>,
    pub rewrites: Vec<Rewrite>,
    pub abbreviations: Vec<Abbreviation>,
    pub negatives: Vec<Negative>,
    pub solutions: Vec<Solution>,
    pub verdicts: Vec<VerdictRow>,
    pub difficulty: Vec<Difficulty>,
    pub search_queries: Vec<SearchQuery>,
}

/// The parameters that a label may depend on.
#[derive(Clone, Debug)]
pub struct Settings {
    pub release: String,
    pub seed: u64,
    pub created_at: String,
    pub max_hard_negatives: usize,
    pub max_search_queries: usize,
}

impl Settings {
    #[must_use]
    pub fn of(config: &ReleaseConfig) -> Self {
        Self {
            release: config.name.clone(),
            seed: config.release.seed,
            created_at: config.release.created_at.clone(),
            max_hard_negatives: config.config.qrels.max_hard_negatives,
            max_search_queries: config.config.qrels.max_search_queries,
        }
    }
}

/// What [`form`] makes, each list sorted by key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formed {
    pub code_documents: Vec<CodeDocument>,
    pub text_documents: Vec<TextDocument>,
    pub queries: Vec<Query>,
    pub qrels: Vec<Qrel>,
    pub anchors: Vec<Anchor>,
    pub rejected: Vec<Rejected>,
}

/// Forms a benchmark from rows.
#[must_use]
pub fn form(input: &Input, settings: &Settings) -> Formed {
    let mut rejected = Vec::new();
    let corpora = documents::corpora(input, settings, &mut rejected);
    let views = view::views(input, &corpora);
    let candidates = candidates(input, settings, &views, &mut rejected);
    let candidates = conflicts::without_positive(candidates, &mut rejected);
    let candidates = conflicts::resolve(candidates, &mut rejected);
    let candidates = text2code::cap_search(candidates, settings, &mut rejected);
    assemble(corpora, candidates, rejected)
}

fn candidates(input: &Input, settings: &Settings, views: &[View], rejected: &mut Vec<Rejected>) -> Vec<Candidate> {
    let mut candidates = text2code::search(input, settings, views, rejected);
    let mut solved = Vec::new();
    for view in views {
        if view.passed.is_empty() {
            rejected.push(view.reject(Reason::NoPassingSolution, "the problem gets no query"));
            continue;
        }
        solved.push(view);
        candidates.extend(text2code::retro(view, settings));
        candidates.extend(code2code::queries(view, settings));
        candidates.extend(code2text::retro(view, settings, rejected));
    }
    candidates.extend(code2text::matches(&solved, settings, rejected));
    candidates
}

fn assemble(corpora: Corpora, candidates: Vec<Candidate>, rejected: Vec<Rejected>) -> Formed {
    let mut formed = Formed { rejected, ..Formed::default() };
    for candidate in candidates {
        formed.qrels.extend(candidate.qrels());
        formed.anchors.extend(candidate.anchor());
        formed.queries.push(candidate.into_query());
    }
    formed.code_documents = corpora.codes;
    formed.text_documents = corpora.texts;
    formed.code_documents.sort_by_cached_key(Row::key);
    formed.text_documents.sort_by_cached_key(Row::key);
    formed.queries.sort_by_cached_key(Row::key);
    formed.qrels.sort_by_cached_key(Row::key);
    formed.anchors.sort_by_cached_key(Row::key);
    formed.rejected.sort_by_cached_key(Rejected::sort_key);
    formed
}

fn output(input: &Input, settings: &Settings, formed: Formed) -> Result<StageOutput> {
    let mut output = StageOutput::new(expected(input, settings, &formed));
    output.table(&formed.queries)?;
    output.table(&formed.code_documents)?;
    output.table(&formed.text_documents)?;
    output.table(&formed.qrels)?;
    output.table(&formed.anchors)?;
    output.rejected = formed.rejected;
    Ok(output)
}

/// The keys under which the input rows have to turn up: the document or the query that was made of
/// a row, or else the row's own key, which then must be among the rejected.
fn expected(input: &Input, settings: &Settings, formed: &Formed) -> BTreeSet<String> {
    let codes = formed.code_documents.iter().map(|row| (row.meta.solution_key.clone(), row.code_id.clone()));
    let texts = formed.text_documents.iter().map(|row| (documents::text_origin(row), row.text_id.clone()));
    let queries = formed.queries.iter().map(|row| (row.query_id.clone(), row.query_id.clone()));
    let made: BTreeMap<String, String> = codes.chain(texts).chain(queries).collect();
    let rejected: BTreeSet<&str> = formed.rejected.iter().map(|row| row.key.as_str()).collect();
    let rows = input.solutions.iter().map(Row::key);
    let rows = rows.chain(input.negatives.iter().map(Row::key)).chain(input.rewrites.iter().map(Row::key));
    let mut expected: BTreeSet<String> = rows.map(|key| made.get(&key).cloned().unwrap_or(key)).collect();
    expected.extend(input.search_queries.iter().map(|row| {
        let query_id = text2code::search_id(row, None, settings);
        if made.contains_key(&query_id) || rejected.contains(query_id.as_str()) { query_id } else { row.key() }
    }));
    expected
}
