//! `reviews.jsonl`: what people decided about rows. An input like any other.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    Accept,
    Reject,
    /// Use `edited` in place of the row.
    Edit,
}

/// One decision. It counts only while the row it was made on is the row at hand: `row_sha256` is
/// the hash of the row's line in its table, so a decision dies with the text it was made on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    pub table: String,
    pub row_id: String,
    pub row_sha256: String,
    pub decision: Decision,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<serde_json::Value>,
    pub who: String,
    pub when: String,
    pub why: String,
}
