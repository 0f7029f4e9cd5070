//! `problems`: a contest problem as its source states it.

use serde::{Deserialize, Serialize};

use super::{Row, Table};

/// How a problem's tests reach a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// The test is standard input, the answer standard output.
    Stdin,
    /// The test is the arguments of one function, a JSON value a line; the answer one JSON value.
    Functional,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// `lcb_<question_id>` or `codenet_<problem_id>`, see [`crate::ids`].
    pub problem_id: String,
    /// The source's name in `pipeline.toml`.
    pub source: String,
    /// The id that the source itself gives.
    pub question_id: String,
    /// `leetcode`, `atcoder`, `codeforces` or `aizu`.
    pub platform: String,
    pub title: String,
    /// Plain text. Of a CodeNet page: its sections under the headings of PROBE's prompts, with the
    /// samples behind them.
    pub statement: String,
    /// The class and method to fill in; empty for [`Style::Stdin`].
    pub starter_code: String,
    pub func_name: Option<String>,
    pub style: Style,
    /// When the problem was first seen in public: the contest's date, or for CodeNet the date of the
    /// earliest submission. `YYYY-MM-DDTHH:MM:SS`.
    pub date: String,
    /// The source's own label (`easy`, `medium`, `hard`), where it gives one.
    pub difficulty_label: Option<String>,
    pub time_limit_ms: Option<u64>,
    pub memory_limit_kib: Option<u64>,
}

impl Row for Problem {
    const TABLE: Table = Table::Problems;

    fn key(&self) -> String {
        self.problem_id.clone()
    }
}
