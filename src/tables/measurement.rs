//! `measurements`: times, memory and words of runs: what may differ from run to run. Outside every
//! hash: no label may rest on this table.

use serde::{Deserialize, Serialize};

use super::{Row, Suite, Table};
use crate::ids;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    pub subject_id: String,
    pub suite: Suite,
    pub test_idx: u32,
    /// CPU time of the whole process tree.
    pub cpu_time_ms: u64,
    pub wall_time_ms: u64,
    /// Peak memory of the whole process tree, where the backend can tell.
    pub peak_memory_kib: Option<u64>,
    /// All that the program printed on standard output, counted past the kept part; 0 where time or
    /// memory ran out first, one more than the limit where output did.
    pub stdout_bytes: u64,
    /// What differs from the expected output, or the end of standard error; at most some hundred
    /// characters, escaped.
    pub detail: Option<String>,
}

impl Row for Measurement {
    const TABLE: Table = Table::Measurements;

    fn key(&self) -> String {
        ids::join(&[&self.subject_id, self.suite.name(), &ids::index(self.test_idx)])
    }
}
