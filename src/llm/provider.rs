//! What a source of replies must be able to do.

use std::time::Duration;

use thiserror::Error;

use super::{Reply, Request};

/// Answers requests: an API, recordings, or whoever writes replies by hand.
pub trait Provider: Send + Sync {
    /// One reply to one request. Called from several threads at once. Must not retry (the caller
    /// does) and must not keep anything (the caller journals). The reply's `request` is one with the
    /// same key.
    ///
    /// # Errors
    /// A [`ProviderError`] when there is no reply. A refusal or a cut answer is a reply.
    fn complete(&self, request: &Request) -> Result<Reply, ProviderError>;
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
    },
    /// Will not heal: a bad key, a bad request, an unknown model.
    #[error("{message}")]
    Fatal { message: String },
    /// Replay only: nobody has recorded the reply.
    #[error("{detail}")]
    NoRecording { detail: String },
}
