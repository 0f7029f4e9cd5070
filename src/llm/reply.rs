//! What a model answered, as it is recorded: raw text, never what was read out of it.

use serde::{Deserialize, Serialize};

use super::Request;

/// Why the model stopped writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FinishReason {
    /// It was done.
    Stop,
    /// It ran into `max_tokens`.
    Length,
    /// It would not answer.
    Refusal,
    /// A filter, a tool call, or something that the API calls by an unknown name.
    Other,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
}

/// A recording. It carries the whole request, so that it can be read without the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    pub request: Request,
    /// As received, byte for byte.
    pub text: String,
    pub finish_reason: FinishReason,
    pub usage: Usage,
    /// The version that the API says answered.
    pub model_version: String,
    /// The API's own id of the call.
    pub request_id: String,
    /// When the reply came, as the provider tells. Replaying keeps the time of the recording.
    pub received_at: String,
}

impl Reply {
    /// Whether the reply still answers when up to `max_tokens` are allowed: one that was cut at a
    /// smaller limit does not, every other one does.
    #[must_use]
    pub fn serves(&self, max_tokens: u32) -> bool {
        self.finish_reason != FinishReason::Length || self.request.sampling.max_tokens >= max_tokens
    }
}
