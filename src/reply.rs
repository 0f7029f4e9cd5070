//! What a raw reply holds: a program, a JSON value or a text.
//!
//! Nothing here edits. A program is byte for byte what stood between its fences (where the fence
//! itself is indented, the lines lose that indentation as CommonMark says); a text is one contiguous
//! piece of the reply. What cannot be told for sure is rejected with a reason, never guessed.

mod code;
mod fences;
mod grammar;
mod json;
mod text;
mod thoughts;

#[cfg(test)]
mod tests;

use crate::{
    llm::{FinishReason, Reply},
    tables::Reason,
};

pub use code::extract_code;
pub use json::extract_json;
pub use text::extract_text;

/// Why a reply does not become a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    pub reason: Reason,
    pub detail: String,
}

impl Reject {
    pub(crate) fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

/// A reply that was never going to hold an answer.
///
/// # Errors
/// `refusal` where the API itself says that the model refused.
fn check_refusal(finish_reason: FinishReason) -> Result<(), Reject> {
    match finish_reason {
        FinishReason::Refusal => Err(Reject::new(Reason::Refusal, "the API reports a refusal")),
        FinishReason::Stop | FinishReason::Length | FinishReason::Other => Ok(()),
    }
}

/// Beginnings of an apology. Only looked at where the reply holds nothing of use.
const APOLOGIES: [&str; 9] = [
    "i'm sorry",
    "i am sorry",
    "sorry, ",
    "i can't ",
    "i cannot ",
    "i'm unable",
    "i am unable",
    "i won't ",
    "as an ai ",
];

/// Whether an answer without content is a refusal in words.
fn is_apology(answer: &str) -> bool {
    let start: String =
        answer.trim_start().chars().take(40).collect::<String>().to_lowercase().replace('\u{2019}', "'");
    APOLOGIES.iter().any(|apology| start.starts_with(apology))
}

/// What to say of an answer that does not hold what was asked for.
fn without(answer: &str, finish_reason: FinishReason, reason: Reason, detail: &str) -> Reject {
    if finish_reason == FinishReason::Length {
        Reject::new(Reason::TruncatedReply, "the reply was cut before its answer ended")
    } else if is_apology(answer) {
        Reject::new(Reason::Refusal, "the reply is an apology")
    } else {
        Reject::new(reason, detail)
    }
}

impl Reply {
    /// [`extract_code`] of this reply.
    ///
    /// # Errors
    /// A [`Reject`] where the reply holds no program.
    pub fn code(&self, language: crate::languages::Language) -> Result<String, Reject> {
        extract_code(&self.text, language, self.finish_reason)
    }

    /// [`extract_json`] of this reply.
    ///
    /// # Errors
    /// A [`Reject`] where the reply holds no value that fits.
    pub fn json(&self, schema: &crate::prompts::ReplySchema) -> Result<serde_json::Value, Reject> {
        extract_json(&self.text, schema, self.finish_reason)
    }

    /// [`extract_text`] of this reply.
    ///
    /// # Errors
    /// A [`Reject`] where the reply is cut, empty or a refusal.
    pub fn plain_text(&self) -> Result<&str, Reject> {
        extract_text(&self.text, self.finish_reason)
    }
}
