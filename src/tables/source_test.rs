//! `source_tests`: the tests that a source gives, before anything is made of them.

use serde::{Deserialize, Serialize};

use super::{Row, Table};
use crate::ids;

/// Where a test comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestOrigin {
    /// Shown with the problem (LiveCodeBench's public tests).
    Public,
    /// The judge's own (LiveCodeBench's private tests).
    Private,
    /// CodeNet's derived input and output pair.
    Pair,
    /// Scraped from the samples on the problem's page.
    Sample,
    /// Input by a model, output agreed on by references.
    Synthesised,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceTest {
    pub problem_id: String,
    /// Counts from 0 over all origins of the problem.
    pub test_idx: u32,
    pub origin: TestOrigin,
    pub input: String,
    pub output: String,
}

impl Row for SourceTest {
    const TABLE: Table = Table::SourceTests;

    fn key(&self) -> String {
        ids::join(&[&self.problem_id, &ids::index(self.test_idx)])
    }
}
