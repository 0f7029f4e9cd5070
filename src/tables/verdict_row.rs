//! `verdicts`: what all runs of one program on one suite come to.

use serde::{Deserialize, Serialize};

use super::{Row, Suite, Table};
use crate::{ids, languages::Language, verdict::Verdict};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    Solution,
    Reference,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerdictRow {
    pub subject_id: String,
    pub subject: SubjectKind,
    pub problem_id: String,
    pub language: Language,
    pub model: Option<String>,
    pub suite: Suite,
    pub verdict: Verdict,
    pub n_tests: u32,
    pub n_passed: u32,
    pub first_failed_test: Option<u32>,
    /// The checker that compared outputs, in words: "lines", "tokens abs 1e-6 rel 1e-6".
    pub checker: String,
    /// sha256 of the program text that was executed.
    pub code_sha256: Option<String>,
    /// Compiler or interpreter with version, as probed.
    pub toolchain: String,
    /// The isolation level in force, as probed.
    pub isolation: String,
    /// The compiler's message, or why there is no code; shortened.
    pub detail: Option<String>,
}

impl Row for VerdictRow {
    const TABLE: Table = Table::Verdicts;

    fn key(&self) -> String {
        ids::join(&[&self.subject_id, self.suite.name()])
    }
}
