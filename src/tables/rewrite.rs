//! `rewrites`: the counterfactual version of a problem.

use serde::{Deserialize, Serialize};

use super::{Row, Table};

/// One test of the rewritten problem; `test_idx` is that of the source test it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RewrittenTest {
    pub test_idx: u32,
    pub input: String,
    pub output: String,
    /// False where the test was never sent to a model: purely numeric, or context-independent.
    pub changed: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rewrite {
    pub problem_id: String,
    pub title: String,
    pub statement: String,
    pub starter_code: String,
    /// The method's name in the rewritten starter code.
    pub func_name: Option<String>,
    pub tests: Vec<RewrittenTest>,
    /// What the model says it changed.
    pub changes: Vec<String>,
    pub model: String,
    /// Journal keys of the replies that the row was made from.
    pub reply_keys: Vec<String>,
}

impl Row for Rewrite {
    const TABLE: Table = Table::Rewrites;

    fn key(&self) -> String {
        self.problem_id.clone()
    }
}
