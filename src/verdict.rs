//! What a run comes to: the closed list of verdicts, their order, and the one translation from
//! what the sandbox saw to a verdict.
//!
//! `internal-error` is ours, never the program's: it must not become a label.

use serde::{Deserialize, Serialize};

/// In order of precedence, first the one that decides: a program's verdict is the least of its
/// runs' verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The harness failed. Never a label.
    InternalError,
    /// The reply held no program.
    NoCode,
    CompileError,
    TimeLimit,
    MemoryLimit,
    OutputLimit,
    RuntimeError,
    WrongAnswer,
    Accepted,
}

impl Verdict {
    pub const ALL: [Self; 9] = [
        Self::InternalError,
        Self::NoCode,
        Self::CompileError,
        Self::TimeLimit,
        Self::MemoryLimit,
        Self::OutputLimit,
        Self::RuntimeError,
        Self::WrongAnswer,
        Self::Accepted,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InternalError => "internal-error",
            Self::NoCode => "no-code",
            Self::CompileError => "compile-error",
            Self::TimeLimit => "time-limit",
            Self::MemoryLimit => "memory-limit",
            Self::OutputLimit => "output-limit",
            Self::RuntimeError => "runtime-error",
            Self::WrongAnswer => "wrong-answer",
            Self::Accepted => "accepted",
        }
    }

    /// Whether the verdict says something of the program, and so may become a label.
    #[must_use]
    pub fn is_label(self) -> bool {
        self != Self::InternalError
    }
}
