//! `tests`: the suites that programs are judged on.

use serde::{Deserialize, Serialize};

use super::{Row, Table, TestOrigin};
use crate::ids;

/// Which statement a suite belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suite {
    /// The problem as its source states it.
    Original,
    /// The problem as rewritten.
    Rewritten,
}

impl Suite {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Rewritten => "rewritten",
        }
    }
}

/// What a test is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Usage {
    Grading,
    /// The smallest test, kept as the one-shot example; never graded.
    Example,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    pub problem_id: String,
    pub suite: Suite,
    pub test_idx: u32,
    pub origin: TestOrigin,
    pub usage: Usage,
    pub input: String,
    pub expected: String,
    /// How many independent references printed `expected`; null for official tests.
    pub n_agreeing: Option<u32>,
}

impl Row for Test {
    const TABLE: Table = Table::Tests;

    fn key(&self) -> String {
        ids::join(&[&self.problem_id, self.suite.name(), &ids::index(self.test_idx)])
    }
}
