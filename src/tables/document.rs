//! `code_documents` and `text_documents`: what a query can find. The release writes these rows as
//! they are, so field names and nesting follow the published records.

use serde::{Deserialize, Serialize};

use super::{Row, Table};
use crate::languages::Language;

/// A program, whether it passed or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeDocument {
    pub code_id: String,
    pub code: String,
    pub language: Language,
    pub model: String,
    /// Unicode characters in `code`.
    pub code_length: usize,
    pub meta: CodeMeta,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeMeta {
    pub source_problem_id: String,
    /// The `solution_id`.
    pub solution_key: String,
    pub passed: bool,
    pub verdict: crate::verdict::Verdict,
    /// `test_passed / test_total`.
    pub pass_rate: f64,
    pub test_passed: u32,
    pub test_total: u32,
    /// The problem's level by code metrics, where its references allow one; 0 is the easiest.
    pub difficulty_level: Option<u32>,
    pub created_at: String,
    pub corpus_version: String,
}

/// A rewritten statement, or a hard-negative one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextDocument {
    pub text_id: String,
    /// Title, blank line, body.
    pub text: String,
    /// `title_plus_description` or `llm_generated_noise`.
    pub text_style: String,
    /// Unicode characters in `text`.
    pub text_length: usize,
    pub abbreviated_text: Option<String>,
    pub abbreviated_text_length: Option<usize>,
    pub meta: TextMeta,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextMeta {
    /// The problem that the text states; for noise the problem that it was made from.
    pub source_problem_id: String,
    pub is_noise_sample: bool,
    /// The [`super::Strategy`] of a noise text.
    pub noise_type: Option<String>,
    /// The text that a noise text was made from.
    pub original_text_id: Option<String>,
    pub difficulty_level: Option<u32>,
    pub difficulty_label: Option<String>,
    pub created_at: String,
    pub corpus_version: String,
}

impl Row for CodeDocument {
    const TABLE: Table = Table::CodeDocuments;

    fn key(&self) -> String {
        self.code_id.clone()
    }
}

impl Row for TextDocument {
    const TABLE: Table = Table::TextDocuments;

    fn key(&self) -> String {
        self.text_id.clone()
    }
}
