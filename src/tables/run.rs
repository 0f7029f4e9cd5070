//! `runs`: one program on one test, with the evidence for its verdict.

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
    /// What the program printed on standard output. Past the limit it counts as one byte more than
    /// the limit, and where time or memory ran out as 0: how far such a run came depends on the
    /// machine.
    pub stdout_bytes: u64,
    /// The limit that ended the run, in words with its value: "cpu 4000 ms".
    pub limit: Option<String>,
    /// What differs from the expected output, or the end of standard error; at most some hundred
    /// characters, escaped.
    pub detail: Option<String>,
}

impl Row for Run {
    const TABLE: Table = Table::Runs;

    fn key(&self) -> String {
        ids::join(&[&self.subject_id, self.suite.name(), &ids::index(self.test_idx)])
    }
}
