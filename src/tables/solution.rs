//! `solutions`: programs written by models.

use serde::{Deserialize, Serialize};

use super::{Row, Table};
use crate::languages::Language;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Solution {
    /// Problem × language × model × sample × prompt strategy, see [`crate::ids::solution_id`].
    pub solution_id: String,
    pub problem_id: String,
    pub language: Language,
    pub model: String,
    pub sample_idx: u32,
    /// The prompt's name under `prompts/solve/`.
    pub prompt: String,
    /// The program, byte for byte as it stood in the reply; null where the reply holds none.
    pub code: Option<String>,
    /// Why `code` is null: a [`super::Reason`]'s text.
    pub no_code_reason: Option<String>,
    pub reply_key: String,
}

impl Row for Solution {
    const TABLE: Table = Table::Solutions;

    fn key(&self) -> String {
        self.solution_id.clone()
    }
}
