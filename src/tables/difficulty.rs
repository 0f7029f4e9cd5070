//! `difficulty`: a level per problem, from the code metrics of its references.

use serde::{Deserialize, Serialize};

use super::{Row, Table};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difficulty {
    pub problem_id: String,
    /// 0 is the easiest.
    pub level: u32,
    pub n_references: u32,
    /// Means over the problem's kept Python references.
    pub mean_cyclomatic: f64,
    pub mean_effort: f64,
    pub mean_sloc: f64,
    /// The same as z-scores over all problems: what k-means clusters.
    pub z_cyclomatic: f64,
    pub z_effort: f64,
    pub z_sloc: f64,
}

impl Row for Difficulty {
    const TABLE: Table = Table::Difficulty;

    fn key(&self) -> String {
        self.problem_id.clone()
    }
}
