//! `negatives`: statements near a rewritten one that ask for something else.

use serde::{Deserialize, Serialize};

use super::{Row, Table};
use crate::ids;

/// What a hard-negative statement changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    ChangedConstraint,
    ChangedObjective,
    ChangedOperation,
    ChangedStructure,
}

impl Strategy {
    pub const ALL: [Self; 4] =
        [Self::ChangedConstraint, Self::ChangedObjective, Self::ChangedOperation, Self::ChangedStructure];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ChangedConstraint => "changed-constraint",
            Self::ChangedObjective => "changed-objective",
            Self::ChangedOperation => "changed-operation",
            Self::ChangedStructure => "changed-structure",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Negative {
    pub problem_id: String,
    pub strategy: Strategy,
    /// Title, blank line, body.
    pub text: String,
    pub model: String,
    pub reply_key: String,
}

impl Row for Negative {
    const TABLE: Table = Table::Negatives;

    fn key(&self) -> String {
        ids::join(&[&self.problem_id, self.strategy.name()])
    }
}
