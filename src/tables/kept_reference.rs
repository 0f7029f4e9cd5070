//! `kept_references`: programs that are right and not outliers, with their code metrics.

use serde::{Deserialize, Serialize};

use super::{Row, SubjectKind, Table};
use crate::{code::CodeMetrics, languages::Language};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptReference {
    /// A `submission_id`, or for sources without submissions the `solution_id` of a passing solution.
    pub reference_id: String,
    pub origin: SubjectKind,
    pub problem_id: String,
    pub language: Language,
    pub metrics: CodeMetrics,
}

impl Row for KeptReference {
    const TABLE: Table = Table::KeptReferences;

    fn key(&self) -> String {
        self.reference_id.clone()
    }
}
