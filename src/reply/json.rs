//! The JSON value in a reply.
//!
//! Fences need no care: a value is found by parsing from every bracket on, so a fence line inside a
//! string cannot end it, and `[1]` in a sentence is a value that does not fit the schema. Broken JSON
//! is not mended: a repaired value would be ours, not the model's.

use serde_json::Value;

use super::{Reject, check_refusal, thoughts, without};
use crate::{llm::FinishReason, prompts::ReplySchema, tables::Reason};

/// Brackets from which parsing is tried.
const MAX_ATTEMPTS: usize = 1000;

/// A value found, with the length of its text.
struct Found {
    value: Value,
    length: usize,
}

/// The value that fits the schema; the longest, and the last of equally long ones.
///
/// # Errors
/// `not-json`, `off-schema`, `truncated-reply` or `refusal`.
pub fn extract_json(text: &str, schema: &ReplySchema, finish_reason: FinishReason) -> Result<Value, Reject> {
    check_refusal(finish_reason)?;
    let Some(start) = thoughts::answer_start(text) else {
        return Err(without("", finish_reason, Reason::NotJson, "the reply never stops thinking"));
    };
    let answer = &text[start..];
    let (mut found, is_cut) = values(answer);
    if is_cut && finish_reason == FinishReason::Length {
        return Err(Reject::new(Reason::TruncatedReply, "the reply was cut inside its JSON value"));
    }
    found.sort_by_key(|found| found.length);
    let Some(longest) = found.last() else {
        return Err(without(answer, finish_reason, Reason::NotJson, "the reply holds no JSON array or object"));
    };
    let fault = schema.fault(&longest.value);
    match found.into_iter().rev().find(|found| schema.fault(&found.value).is_none()) {
        Some(Found { value, .. }) => Ok(value),
        None => Err(without(answer, finish_reason, Reason::OffSchema, &fault.unwrap_or_default())),
    }
}

/// Every array and object of the text that is in none of the others, and whether the text breaks off
/// inside one.
fn values(text: &str) -> (Vec<Found>, bool) {
    let mut found: Vec<Found> = Vec::new();
    let mut is_cut = false;
    let mut at = 0;
    for _ in 0..MAX_ATTEMPTS {
        let Some(start) = text[at..].find(['{', '[']).map(|offset| at + offset) else {
            break;
        };
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                let length = values.byte_offset();
                found.push(Found { value, length });
                at = start + length;
            }
            Some(Err(error)) => {
                is_cut |= error.is_eof();
                at = start + 1;
            }
            None => break,
        }
    }
    (found, is_cut)
}
