//! `abbreviations`: a rewritten statement in 50 to 150 words.

use serde::{Deserialize, Serialize};

use super::{Row, Table};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Abbreviation {
    pub problem_id: String,
    pub text: String,
    /// Whitespace-separated words in `text`.
    pub n_words: usize,
    pub model: String,
    pub reply_key: String,
}

impl Row for Abbreviation {
    const TABLE: Table = Table::Abbreviations;

    fn key(&self) -> String {
        self.problem_id.clone()
    }
}
