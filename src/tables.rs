//! The rows that pass between stages, one type a file, and the closed list of tables.
//!
//! A table is a JSON Lines file (UTF-8, LF), sorted by [`Row::key`]. Rows are plain data: no
//! behaviour beyond their key lives here, and nothing here opens a file (see [`crate::store`]).

pub mod abbreviation;
pub mod difficulty;
pub mod document;
pub mod kept_reference;
pub mod measurement;
pub mod negative;
pub mod problem;
pub mod query;
pub mod reference;
pub mod rejected;
pub mod review;
pub mod rewrite;
pub mod rewrite_check;
pub mod run;
pub mod search_query;
pub mod solution;
pub mod source_test;
pub mod test;
pub mod verdict_row;

pub use abbreviation::Abbreviation;
pub use difficulty::Difficulty;
pub use document::{CodeDocument, TextDocument};
pub use kept_reference::KeptReference;
pub use measurement::Measurement;
pub use negative::{Negative, Strategy};
pub use problem::{Problem, Style};
pub use query::{Anchor, Qrel, Query};
pub use reference::Reference;
pub use rejected::{Reason, Rejected};
pub use review::{Decision, Review};
pub use rewrite::{Rewrite, RewrittenTest};
pub use rewrite_check::RewriteCheck;
pub use run::Run;
pub use search_query::{SearchKind, SearchQuery};
pub use solution::Solution;
pub use source_test::{SourceTest, TestOrigin};
pub use test::{Suite, Test, Usage};
pub use verdict_row::{SubjectKind, VerdictRow};

use serde::{Serialize, de::DeserializeOwned};

/// A row of one table.
pub trait Row: Serialize + DeserializeOwned + Send + Sync {
    /// The table that holds rows of this type.
    const TABLE: Table;

    /// The row's key, unique in its table. Tables are sorted by it as bytes, so numbers in it are
    /// zero-padded.
    fn key(&self) -> String;
}

/// Every table that a stage writes, in pipeline order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    Problems,
    SourceTests,
    References,
    Rewrites,
    Abbreviations,
    Negatives,
    Tests,
    Solutions,
    Runs,
    Verdicts,
    RewriteChecks,
    Measurements,
    KeptReferences,
    Difficulty,
    SearchQueries,
    CodeDocuments,
    TextDocuments,
    Queries,
    Qrels,
    Anchors,
}

impl Table {
    pub const ALL: [Self; 20] = [
        Self::Problems,
        Self::SourceTests,
        Self::References,
        Self::Rewrites,
        Self::Abbreviations,
        Self::Negatives,
        Self::Tests,
        Self::Solutions,
        Self::Runs,
        Self::Verdicts,
        Self::RewriteChecks,
        Self::Measurements,
        Self::KeptReferences,
        Self::Difficulty,
        Self::SearchQueries,
        Self::CodeDocuments,
        Self::TextDocuments,
        Self::Queries,
        Self::Qrels,
        Self::Anchors,
    ];

    /// The table's name: its file stem, and its name in receipts and messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Problems => "problems",
            Self::SourceTests => "source_tests",
            Self::References => "references",
            Self::Rewrites => "rewrites",
            Self::Abbreviations => "abbreviations",
            Self::Negatives => "negatives",
            Self::Tests => "tests",
            Self::Solutions => "solutions",
            Self::Runs => "runs",
            Self::Verdicts => "verdicts",
            Self::RewriteChecks => "rewrite_checks",
            Self::Measurements => "measurements",
            Self::KeptReferences => "kept_references",
            Self::Difficulty => "difficulty",
            Self::SearchQueries => "search_queries",
            Self::CodeDocuments => "code_documents",
            Self::TextDocuments => "text_documents",
            Self::Queries => "queries",
            Self::Qrels => "qrels",
            Self::Anchors => "anchors",
        }
    }

    /// Whether the table's bytes stand in receipts. Times and memory differ from run to run, so
    /// the table of measurements stays outside every hash.
    #[must_use]
    pub fn is_hashed(self) -> bool {
        self != Self::Measurements
    }
}
