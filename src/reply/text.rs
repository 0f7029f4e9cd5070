//! The text in a reply, freed of what models say around it.
//!
//! The clean-up takes whole lines off the top: rules (`---`), lead sentences that end in a colon
//! ("Here is the modified problem:"), and header labels ("Modified Problem:", `## Problem Statement`,
//! `**Title:**`), of which a title on the same line is kept. At the bottom it takes rules and offers
//! of more help. A fence around the whole text goes too. What is left is one contiguous piece of the
//! reply.

use super::{Reject, check_refusal, is_apology, thoughts, without};
use crate::{llm::FinishReason, tables::Reason};

/// An apology this long is a text.
const MAX_APOLOGY_WORDS: usize = 60;

/// A lead sentence is no longer than this.
const MAX_LEAD_WORDS: usize = 25;

/// How sentences that announce the text begin.
const LEADS: [&str; 7] = ["here is", "here's", "here are", "here you go", "below is", "the following is", "i have "];

/// Words of agreement before it.
const AGREEMENTS: [&str; 5] = ["sure", "certainly", "of course", "okay", "absolutely"];

/// Adjectives and nouns that header labels are made of.
const HEADER_WORDS: [&str; 21] = [
    "modified",
    "new",
    "changed",
    "altered",
    "revised",
    "perturbed",
    "rewritten",
    "hard",
    "negative",
    "summary",
    "abbreviated",
    "abbreviation",
    "concise",
    "version",
    "variant",
    "problem",
    "statement",
    "title",
    "description",
    "task",
    "text",
];

/// How offers of more help begin.
const OFFERS: [&str; 4] = ["let me know", "feel free", "i hope this", "would you like"];

/// The text of a reply.
///
/// # Errors
/// `truncated-reply`, `refusal`, or `too-short` where nothing is left.
pub fn extract_text(text: &str, finish_reason: FinishReason) -> Result<&str, Reject> {
    check_refusal(finish_reason)?;
    if finish_reason == FinishReason::Length {
        return Err(Reject::new(Reason::TruncatedReply, "the reply was cut at the token limit"));
    }
    let Some(start) = thoughts::answer_start(text) else {
        return Err(without("", finish_reason, Reason::TooShort, "the reply never stops thinking"));
    };
    let answer = clean(&text[start..]);
    if is_apology(answer) && answer.split_whitespace().count() < MAX_APOLOGY_WORDS {
        return Err(Reject::new(Reason::Refusal, "the reply is an apology"));
    }
    if answer.is_empty() {
        return Err(Reject::new(Reason::TooShort, "the reply is empty"));
    }
    Ok(answer)
}

fn clean(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let shorter = without_tail(without_head(without_fence(text)));
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

/// The inside of a fence that stands around the whole text.
fn without_fence(text: &str) -> &str {
    let inside = || {
        let (first, rest) = text.split_once('\n')?;
        let (body, last) = rest.rsplit_once('\n')?;
        let is_fence = |line: &str| line.starts_with("```") || line.starts_with("~~~");
        let is_label = first.trim_start_matches(['`', '~']).trim().chars().all(char::is_alphanumeric);
        let is_only = !body.lines().any(is_fence);
        (is_fence(first) && is_label && is_fence(last) && last.trim_matches(['`', '~']).trim().is_empty() && is_only)
            .then(|| body.trim())
    };
    inside().unwrap_or(text)
}

fn without_head(text: &str) -> &str {
    let line = text.lines().next().unwrap_or("");
    let rest = text[line.len()..].trim_start();
    if is_rule(line) || (is_lead(line) && !rest.is_empty()) {
        return rest;
    }
    match after_header(line) {
        Some("") if !rest.is_empty() => rest,
        Some("") | None => text,
        Some(title) => &text[line.len() - title.len()..],
    }
}

fn without_tail(text: &str) -> &str {
    let line = text.lines().next_back().unwrap_or("");
    let rest = text[..text.len() - line.len()].trim_end();
    let start = line.to_lowercase();
    let is_offer = OFFERS.iter().any(|offer| start.starts_with(offer));
    if !rest.is_empty() && (is_rule(line) || is_offer) { rest } else { text }
}

/// `---`, `***` or `___`.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && ["-", "*", "_", "="].iter().any(|mark| line.replace(mark, "").is_empty())
}

/// A line that only announces the text: "Sure! Here is the problem:", "Certainly.".
fn is_lead(line: &str) -> bool {
    let plain = line.trim().trim_matches('*').to_lowercase();
    let agreement = AGREEMENTS.iter().find_map(|word| plain.strip_prefix(word));
    let rest = agreement.unwrap_or(&plain).trim_start_matches([',', '!', '.', ' ']);
    if rest.is_empty() {
        return true;
    }
    rest.ends_with(':')
        && rest.split_whitespace().count() <= MAX_LEAD_WORDS
        && LEADS.iter().any(|lead| rest.starts_with(lead))
}

/// What follows a header label on its line: "Modified Problem: Tea" gives "Tea". `None` where the
/// line is no header. The title itself may be set in bold or as a heading; that stays the model's.
fn after_header(line: &str) -> Option<&str> {
    let is_heading = line.trim_start().starts_with(['#', '*']);
    let bare = line.trim_start_matches(['#', '*', ' ']);
    let (label, title) = match bare.split_once(':') {
        Some((label, title)) => (label, title),
        None if is_heading => (bare, ""),
        None => return None,
    };
    let label = label.trim_matches(['*', ' ']).to_lowercase();
    let is_label = !label.is_empty()
        && label.split_whitespace().all(|word| HEADER_WORDS.contains(&word.trim_matches(['(', ')', '-'])));
    let title = title.trim_start_matches(['*', ' ']);
    is_label.then_some(title)
}
