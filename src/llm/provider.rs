//! What a source of replies must be able to do.

use std::time::Duration;

use thiserror::Error;

use super::{Jobs, Reply, Request, Traffic};

/// Answers requests: an API, recordings, or whoever writes replies by hand.
pub trait Provider: Send + Sync {
    /// One reply to one request. Called from several threads at once. Must not retry (the caller
    /// does) and must not keep anything (the caller journals). The reply's `request` is one with the
    /// same key.
    ///
    /// # Errors
    /// A [`ProviderError`] when there is no reply. A refusal or a cut answer is a reply.
    fn complete(&self, request: &Request) -> Result<Reply, ProviderError>;

    /// How fast it may be asked, and at what price.
    fn traffic(&self) -> Traffic {
        Traffic::default()
    }

    /// Where requests are handed over in batches instead.
    fn batches(&self) -> Option<&Jobs> {
        None
    }
}

/// Why there is no reply. None of these is ever taken for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProviderError {
    /// May heal: throttled, overloaded, timed out, connection lost.
    #[error("{message}")]
    Transient {
        message: String,
        /// How long the provider asks to be left alone.
        retry_after: Option<Duration>,
        /// Whether there were too many calls, so that fewer at a time help.
        is_overload: bool,
    },
    /// Will not heal: a bad key, a bad request, an unknown model.
    #[error("{message}")]
    Fatal { message: String, hint: Option<String> },
    /// Replay only: nobody has recorded the reply.
    #[error("{detail}")]
    NoRecording { detail: String },
}

impl ProviderError {
    /// One that may heal and is nobody's load.
    #[must_use]
    pub fn transient(message: impl Into<String>, retry_after: Option<Duration>) -> Self {
        Self::Transient { message: message.into(), retry_after, is_overload: false }
    }

    /// One that will not heal, with nothing to advise.
    #[must_use]
    pub fn fatal(message: &str) -> Self {
        Self::Fatal { message: message.to_owned(), hint: None }
    }
}
