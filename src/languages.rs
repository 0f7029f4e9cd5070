//! The programming languages, one table row each: how a program of it is compiled, or checked, and
//! run. A row knows command lines; it starts nothing but a version probe.

mod class_file;
mod go;
mod java;
mod native;
mod python;
mod ruby;
mod toolchain;

use serde::{Deserialize, Serialize};

pub use toolchain::{Artefact, CompilePlan, Entry, Keeps, RunPlan, Toolchain};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    C,
    Cpp,
    Go,
    Java,
    Python,
    Ruby,
}

impl Language {
    pub const ALL: [Self; 6] = [Self::C, Self::Cpp, Self::Go, Self::Java, Self::Python, Self::Ruby];

    /// The name in records, ids and `pipeline.toml`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Cpp => "cpp",
            Self::Go => "go",
            Self::Java => "java",
            Self::Python => "python",
            Self::Ruby => "ruby",
        }
    }

    /// The name in a sentence.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Cpp => "C++",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::Python => "Python",
            Self::Ruby => "Ruby",
        }
    }

    /// The languages that a sentence names. "Go" and "C" are words too, so they count only after
    /// "in"; a text may name a language that is not one of ours, see [`names_foreign_language`].
    #[must_use]
    pub fn named_in(text: &str) -> Vec<Self> {
        let words: Vec<&str> = words(text).collect();
        let mut named: Vec<Self> = words
            .iter()
            .enumerate()
            .filter_map(|(at, word)| Self::of_word(word, at > 0 && words[at - 1] == "in"))
            .collect();
        named.sort_unstable();
        named.dedup();
        named
    }

    fn of_word(word: &str, after_in: bool) -> Option<Self> {
        match word {
            "Go" if after_in => return Some(Self::Go),
            "C" if after_in => return Some(Self::C),
            _ => {}
        }
        match word.to_ascii_lowercase().as_str() {
            "c++" | "cpp" => Some(Self::Cpp),
            "golang" => Some(Self::Go),
            "java" => Some(Self::Java),
            "python" | "python3" => Some(Self::Python),
            "ruby" => Some(Self::Ruby),
            _ => None,
        }
    }
}

/// Whether a sentence names a programming language that is not one of ours.
#[must_use]
pub fn names_foreign_language(text: &str) -> bool {
    const FOREIGN: [&str; 9] =
        ["javascript", "typescript", "c#", "kotlin", "haskell", "php", "perl", "rustlang", "scala"];
    words(text).any(|word| FOREIGN.contains(&word.to_ascii_lowercase().as_str()))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '+' && c != '#').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_found_by_name_and_words_that_only_look_like_one_are_not() {
        assert_eq!(Language::named_in("drain a cistern in C++"), [Language::Cpp]);
        assert_eq!(Language::named_in("steps to go in a row, c a b"), []);
        assert_eq!(Language::named_in("rubys and javas"), []);
        for language in Language::ALL {
            assert_eq!(Language::named_in(&format!("drain it in {}", language.title())), [language]);
        }
        assert!(names_foreign_language("the same in JavaScript"));
        assert!(!names_foreign_language("the same in Java"));
    }
}
