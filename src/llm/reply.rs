//! What a model answered, as it is recorded: raw text, never what was read out of it.

use serde::{Deserialize, Serialize};

use super::Request;
use crate::config::StructuredOutput;

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
    /// All of them, cached ones too.
    pub input_tokens: u64,
    /// All of them, thoughts too.
    pub output_tokens: u64,
    /// Input that the provider had in its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Output that was thought and not said.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// How the reply was had, as far as that is worth telling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// The form in which JSON was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<StructuredOutput>,
    /// Whether it came by the batch API, at its price.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub batch: bool,
}

impl Call {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_plain(&self) -> bool {
        *self == Self::default()
    }
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
    #[serde(default, skip_serializing_if = "Call::is_plain")]
    pub call: Call,
}

impl Reply {
    /// Whether the reply still answers when up to `max_tokens` are allowed: one that was cut at a
    /// smaller limit does not, every other one does.
    #[must_use]
    pub fn serves(&self, max_tokens: u32) -> bool {
        self.finish_reason != FinishReason::Length || self.request.sampling.max_tokens >= max_tokens
    }
}
