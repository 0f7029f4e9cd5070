//! `search_queries`: what a developer would type to find code for a rewritten problem.

use serde::{Deserialize, Serialize};

use super::{Row, Table};
use crate::ids;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SearchKind {
    Algorithm,
    Description,
    Title,
}

impl SearchKind {
    pub const ALL: [Self; 3] = [Self::Algorithm, Self::Description, Self::Title];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Algorithm => "algorithm",
            Self::Description => "description",
            Self::Title => "title",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchQuery {
    pub problem_id: String,
    pub kind: SearchKind,
    pub n: u32,
    pub text: String,
    pub model: String,
    pub reply_key: String,
}

impl Row for SearchQuery {
    const TABLE: Table = Table::SearchQueries;

    fn key(&self) -> String {
        ids::join(&[&self.problem_id, self.kind.name(), &ids::index(self.n)])
    }
}
