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
}
