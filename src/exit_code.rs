//! Exit codes, and the error types that carry them.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | a bug of ours |
//! | 2 | usage |
//! | 3 | bad configuration or prompt |
//! | 4 | a stage is incomplete and can be resumed |
//! | 5 | validation failed |
//! | 6 | something outside is not available: sandbox, compiler, source, model |
//! | 130 | interrupted |

use thiserror::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    Done = 0,
    Bug = 1,
    Usage = 2,
    BadConfig = 3,
    Incomplete = 4,
    Invalid = 5,
    Unavailable = 6,
    Interrupted = 130,
}

/// The configuration or a prompt is wrong: stop now.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct ConfigError {
    pub message: String,
    pub hint: Option<String>,
}

/// Some rows are still to be made; what is made is on disk.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct Incomplete {
    pub message: String,
    pub hint: Option<String>,
}

/// The data is not what it must be.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct Invalid {
    pub message: String,
    pub hint: Option<String>,
}

/// Something outside is missing or broken: never a verdict, never a row.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct Unavailable {
    pub message: String,
    pub hint: Option<String>,
}

/// Ctrl-C.
#[derive(Debug, Error)]
#[error("interrupted: what is done is on disk, the same command goes on from there")]
pub struct Interrupted;

macro_rules! constructors {
    ($($name:ident)*) => {$(
        impl $name {
            #[must_use]
            pub fn new(message: impl Into<String>) -> Self {
                Self { message: message.into(), hint: None }
            }

            /// A command to run, or a thing to look at.
            #[must_use]
            pub fn hint(mut self, hint: impl Into<String>) -> Self {
                self.hint = Some(hint.into());
                self
            }
        }
    )*};
}

constructors! { ConfigError Incomplete Invalid Unavailable }

impl ExitCode {
    /// The code of an error: that of the first typed cause, be it attached as context or a source;
    /// an I/O error is the machine's; anything else is a bug.
    #[must_use]
    pub fn of(error: &anyhow::Error) -> Self {
        if error.downcast_ref::<ConfigError>().is_some() {
            Self::BadConfig
        } else if error.downcast_ref::<Incomplete>().is_some() {
            Self::Incomplete
        } else if error.downcast_ref::<Invalid>().is_some() {
            Self::Invalid
        } else if error.downcast_ref::<Unavailable>().is_some() {
            Self::Unavailable
        } else if error.downcast_ref::<Interrupted>().is_some() {
            Self::Interrupted
        } else if error.chain().any(<dyn std::error::Error>::is::<std::io::Error>) {
            Self::Unavailable
        } else {
            Self::Bug
        }
    }
}

/// The hint of the first typed cause that has one.
#[must_use]
pub fn hint(error: &anyhow::Error) -> Option<&str> {
    error
        .downcast_ref::<ConfigError>()
        .and_then(|e| e.hint.as_deref())
        .or_else(|| error.downcast_ref::<Incomplete>().and_then(|e| e.hint.as_deref()))
        .or_else(|| error.downcast_ref::<Invalid>().and_then(|e| e.hint.as_deref()))
        .or_else(|| error.downcast_ref::<Unavailable>().and_then(|e| e.hint.as_deref()))
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_typed_error_decides_below_and_above_context() {
        let below = anyhow::Error::from(Invalid::new("bad rows").hint("look")).context("stage `qrels`");
        assert_eq!((ExitCode::of(&below), hint(&below)), (ExitCode::Invalid, Some("look")));
        let io = std::io::Error::other("no disk");
        let above = Err::<(), _>(io).context(Incomplete::new("not all rows")).expect_err("an error");
        assert_eq!(ExitCode::of(&above), ExitCode::Incomplete);
        assert_eq!(ExitCode::of(&anyhow::anyhow!("what")), ExitCode::Bug);
    }
}
