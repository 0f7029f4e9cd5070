//! Counting tokens before a call is made, for plans and prices.
//!
//! The counts are those of two public vocabularies. For models with another one they are an
//! estimate, and [`Encoding::is_exact_for`] says so.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use tiktoken_rs::CoreBPE;

use super::{Journal, Reply, Request, Usage};

/// What chat formats add to a message beside its text, and to the request as a whole.
const PER_MESSAGE: u64 = 4;
const PER_REQUEST: u64 = 3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    Cl100kBase,
    #[default]
    O200kBase,
}

/// Model families by the beginning of their name, and the vocabulary that is theirs.
const FAMILIES: [(&str, Encoding); 8] = [
    ("gpt-3.5", Encoding::Cl100kBase),
    ("gpt-4o", Encoding::O200kBase),
    ("gpt-4.1", Encoding::O200kBase),
    ("gpt-4", Encoding::Cl100kBase),
    ("gpt-5", Encoding::O200kBase),
    ("o1", Encoding::O200kBase),
    ("o3", Encoding::O200kBase),
    ("o4", Encoding::O200kBase),
];

impl Encoding {
    /// The vocabulary of a model; the newest for models whose own is not known.
    #[must_use]
    pub fn for_model(model: &str) -> Self {
        family(model).unwrap_or_default()
    }

    /// Whether the model is known to use the vocabulary, so that counts are no estimate.
    #[must_use]
    pub fn is_exact_for(self, model: &str) -> bool {
        family(model) == Some(self)
    }

    /// Whether the model's own vocabulary is one of ours.
    #[must_use]
    pub fn is_known_for(model: &str) -> bool {
        family(model).is_some()
    }

    /// Tokens in a text. The vocabulary is loaded with the first call.
    #[must_use]
    pub fn count(self, text: &str) -> u64 {
        self.vocabulary().count_ordinary(text) as u64
    }

    fn vocabulary(self) -> &'static CoreBPE {
        match self {
            Self::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
            Self::O200kBase => tiktoken_rs::o200k_base_singleton(),
        }
    }
}

fn family(model: &str) -> Option<Encoding> {
    FAMILIES.into_iter().find(|(prefix, _)| model.starts_with(prefix)).map(|(_, encoding)| encoding)
}

/// Calls still to be made, and what they will take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Estimate {
    pub n_calls: u64,
    pub input_tokens: u64,
    /// From the prompt's earlier replies where there are any, else its limit.
    pub output_tokens: u64,
}

impl Estimate {
    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            n_calls: self.n_calls + other.n_calls,
            input_tokens: self.input_tokens + other.input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
        }
    }

    /// As if the calls had been made.
    #[must_use]
    pub fn usage(&self) -> Usage {
        Usage { input_tokens: self.input_tokens, output_tokens: self.output_tokens, ..Usage::default() }
    }
}

/// What the requests that `journal` cannot answer will take, by model.
///
/// # Errors
/// When the journal cannot be read.
pub fn estimate(journal: Option<&Journal>, requests: &[Request]) -> Result<BTreeMap<String, Estimate>> {
    let history = journal.map(History::of).transpose()?.unwrap_or_default();
    let mut estimates: BTreeMap<String, Estimate> = BTreeMap::new();
    let mut seen = std::collections::HashSet::new();
    for request in requests {
        let key = request.key();
        let estimate = estimates.entry(request.model.clone()).or_default();
        let is_had = match journal {
            Some(journal) => journal.reply(&key, request)?.is_some(),
            None => false,
        };
        if is_had || !seen.insert(key) {
            continue;
        }
        estimate.n_calls += 1;
        estimate.input_tokens += input_tokens(request);
        estimate.output_tokens += history.expected_output(request);
    }
    Ok(estimates)
}

/// Tokens that a request sends.
#[must_use]
pub fn input_tokens(request: &Request) -> u64 {
    let encoding = Encoding::for_model(&request.model);
    let messages = request.messages.iter().map(|message| encoding.count(&message.content) + PER_MESSAGE);
    let schema = request.reply_schema.as_ref().map_or(0, |schema| encoding.count(&schema.to_string()));
    PER_REQUEST + messages.sum::<u64>() + schema
}

/// Calls and output tokens so far, by model and prompt.
#[derive(Default)]
struct History(HashMap<(String, String), (u64, u64)>);

impl History {
    fn of(journal: &Journal) -> Result<Self> {
        let mut history = Self::default();
        for key in journal.keys() {
            if let Some(Reply { request, usage, .. }) = journal.recorded(&key)? {
                let (n_calls, n_tokens) = history.0.entry((request.model, request.prompt)).or_default();
                *n_calls += 1;
                *n_tokens += usage.output_tokens;
            }
        }
        Ok(history)
    }

    fn expected_output(&self, request: &Request) -> u64 {
        let limit = u64::from(request.sampling.max_tokens);
        match self.0.get(&(request.model.clone(), request.prompt.clone())) {
            Some((n_calls, n_tokens)) => n_tokens.div_ceil(*n_calls).min(limit),
            None => limit,
        }
    }
}
