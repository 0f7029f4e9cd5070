//! `runs`: one program on one test, and what its verdict rests on. What a program says in words, and
//! how much, stands in `measurements`: a program may print an address or a random number, and no
//! such thing may reach a hashed table.

use serde::{Deserialize, Serialize};

use super::{Row, Suite, Table};
use crate::{ids, verdict::Verdict};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// A `solution_id` or a `submission_id`.
    pub subject_id: String,
    pub suite: Suite,
    pub test_idx: u32,
    pub verdict: Verdict,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// The limit that ended the run, in words with its value: "cpu 4000 ms".
    pub limit: Option<String>,
}

impl Row for Run {
    const TABLE: Table = Table::Runs;

    fn key(&self) -> String {
        ids::join(&[&self.subject_id, self.suite.name(), &ids::index(self.test_idx)])
    }
}
