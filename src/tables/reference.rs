//! `references`: accepted human submissions, as the source gives them.

use serde::{Deserialize, Serialize};

use super::{Row, Table};
use crate::languages::Language;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    pub submission_id: String,
    pub problem_id: String,
    pub language: Language,
    /// The source's wording of language and version, e.g. `Python (3.8.2)`.
    pub original_language: String,
    pub code: String,
    /// CPU time and memory that the judge reported.
    pub cpu_time_ms: Option<u64>,
    pub memory_kib: Option<u64>,
}

impl Row for Reference {
    const TABLE: Table = Table::References;

    fn key(&self) -> String {
        self.submission_id.clone()
    }
}
