//! `rewrite_checks`: does a program that passes the original tests pass the rewritten ones?

use serde::{Deserialize, Serialize};

use super::{Row, Table};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Equivalence {
    /// No test was changed, so there is nothing to show.
    SameTests,
    /// Every program that passes the original suite passes the rewritten one.
    Holds,
    /// Some program passes the original suite and fails the rewritten one.
    Broken,
    /// No program passes the original suite.
    Unproven,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RewriteCheck {
    pub problem_id: String,
    pub equivalence: Equivalence,
    pub n_changed_tests: u32,
    /// Programs that pass the original suite.
    pub n_pass_original: u32,
    /// Of these, the programs that pass the rewritten suite too.
    pub n_pass_both: u32,
}

impl Row for RewriteCheck {
    const TABLE: Table = Table::RewriteChecks;

    fn key(&self) -> String {
        self.problem_id.clone()
    }
}
