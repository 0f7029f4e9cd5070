//! Identifiers: how they are made, and the one rule that all published ones obey.
//!
//! Readers retype what looks like a number or a date ("001" becomes "1", an ISO date a timestamp),
//! so every published id starts with a letter and keeps to `[a-z0-9_-]`. Query and document ids
//! have different prefixes, since common loaders drop a hit whose id equals the query's.

use sha2::{Digest, Sha256};

use crate::languages::Language;

/// Separates the parts of a composite key. Below every printable byte, so that a key sorts before
/// the keys it is a prefix of, part by part.
const SEPARATOR: &str = "/";

/// A composite key.
#[must_use]
pub fn join(parts: &[&str]) -> String {
    parts.join(SEPARATOR)
}

/// A number in a key: padded, so that bytes sort as numbers.
#[must_use]
pub fn index(value: u32) -> String {
    format!("{value:06}")
}

/// Lower case, and `-` for whatever an id may not hold.
#[must_use]
pub fn slug(text: &str) -> String {
    text.chars()
        .map(|c| match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9' | '_' | '-') => c,
            _ => '-',
        })
        .collect()
}

/// Whether a published id is one that no reader retypes: `^[a-z][a-z0-9_-]*$`.
#[must_use]
pub fn is_safe(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-'))
}

/// `lcb_<question id>`.
#[must_use]
pub fn livecodebench_problem_id(question_id: &str) -> String {
    format!("lcb_{}", slug(question_id))
}

/// `codenet_<problem id>`.
#[must_use]
pub fn codenet_problem_id(problem_id: &str) -> String {
    format!("codenet_{}", slug(problem_id))
}

/// Problem × language × model × sample × prompt.
#[must_use]
pub fn solution_id(problem_id: &str, language: Language, model: &str, sample_idx: u32, prompt: &str) -> String {
    format!("{problem_id}_{}_{}_{}_{sample_idx:03}", language.name(), slug(model), slug(prompt))
}

/// Lower-case hex sha256.
#[must_use]
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hex.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_readers_retype_are_unsafe() {
        for id in ["001", "2024-01-01", "", "Q1", "q 1", "\"q", "q.1", "q\u{e9}"] {
            assert!(!is_safe(id), "{id}");
        }
        assert!(is_safe("q_demo202601_t2c_search_any_lcb_1873_a_000"));
    }

    #[test]
    fn slug_is_safe_behind_a_letter() {
        assert_eq!(slug("1873_A"), "1873_a");
        assert!(is_safe(&livecodebench_problem_id("Ünï 3/4")));
    }

    #[test]
    fn indices_sort_as_numbers() {
        assert!(index(9) < index(10));
        assert!(index(99_999) < index(100_000));
    }
}
