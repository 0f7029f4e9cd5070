//! The program in a reply.

use super::{
    Reject, check_refusal,
    fences::{self, Block},
    grammar::{self, Label},
    thoughts, without,
};
use crate::{languages::Language, llm::FinishReason, tables::Reason};

/// The program of `language` that a reply holds, byte for byte.
///
/// Of several blocks, those labelled with the language come before those without a label; blocks
/// labelled as output, as a shell or as another language are never it. Among equals, the longest that
/// looks like a whole program is chosen, the later one of two equally long.
///
/// # Errors
/// `no-code-block`, `empty-code`, `truncated-reply`, `unclosed-block` or `refusal`.
pub fn extract_code(text: &str, language: Language, finish_reason: FinishReason) -> Result<String, Reject> {
    check_refusal(finish_reason)?;
    let Some(start) = thoughts::answer_start(text) else {
        return Err(without("", finish_reason, Reason::NoCodeBlock, "the reply never stops thinking"));
    };
    let answer = &text[start..];
    let is_whole = |info: &str, body: &str| is_whole(info, fences::inside_tags(body), language);
    let blocks = fences::blocks(answer, &grammar::is_markdown, &is_whole);
    let block = choose(answer, &blocks, language)
        .ok_or_else(|| without(answer, finish_reason, Reason::NoCodeBlock, &describe(&blocks)))?;
    check_end(answer, &blocks, block, language, finish_reason)?;
    let whole = block.text(answer);
    let program = fences::inside_tags(&whole);
    if program.trim().is_empty() {
        return Err(without(answer, finish_reason, Reason::EmptyCode, "the code block is empty"));
    }
    Ok(program.to_owned())
}

/// Whether a block may end where `body` ends. A block without a label that would hold a labelled one is
/// sample data in front of the program, whatever the grammar makes of it.
fn is_whole(info: &str, body: &str, language: Language) -> bool {
    match grammar::label(info, language) {
        Label::Other => true,
        Label::Asked => grammar::parses(body, language),
        Label::Silent | Label::Sibling => grammar::parses(body, language) && !fences::has_labelled_fence(body),
    }
}

fn choose<'b>(answer: &str, blocks: &'b [Block], language: Language) -> Option<&'b Block> {
    let rank = |block: &Block| {
        let text = block.text(answer);
        let program = fences::inside_tags(&text);
        let label = grammar::label(&block.info, language);
        let is_program = grammar::looks_like_program(program, language);
        let has_text = !program.trim().is_empty();
        // A label is taken at its word. Without one, the text has to speak for itself.
        let counts = match label {
            Label::Asked => true,
            Label::Silent | Label::Sibling => is_program,
            Label::Other => false,
        };
        counts.then_some((has_text, label, is_program, program.len()))
    };
    blocks.iter().filter_map(|block| Some((rank(block)?, block))).max_by_key(|(rank, _)| *rank).map(|(_, block)| block)
}

/// A program whose end is not to be seen is not taken for a whole one.
fn check_end(
    answer: &str,
    blocks: &[Block],
    chosen: &Block,
    language: Language,
    finish_reason: FinishReason,
) -> Result<(), Reject> {
    let has_open_end = blocks.last().is_some_and(|last| !last.is_closed && !last.text(answer).trim().is_empty());
    match finish_reason {
        FinishReason::Length if has_open_end => {
            Err(Reject::new(Reason::TruncatedReply, "the reply was cut inside a code block"))
        }
        // A fence line in a string of a cut program looks like its end; a faulty program in front of
        // cut prose is lost with it, which is better than blaming a model for what was cut.
        FinishReason::Length if !grammar::parses(fences::inside_tags(&chosen.text(answer)), language) => {
            Err(Reject::new(Reason::TruncatedReply, "the reply was cut and its program does not parse"))
        }
        FinishReason::Other if !chosen.is_closed => Err(Reject::new(
            Reason::UnclosedBlock,
            "the code block is never closed and the reply did not end by itself",
        )),
        _ => Ok(()),
    }
}

fn describe(blocks: &[Block]) -> String {
    if blocks.is_empty() {
        return "the reply has no code block".to_owned();
    }
    let labels: Vec<String> = blocks.iter().map(|block| format!("`{}`", block.info)).collect();
    format!("no block holds a program of the language asked for; the labels are {}", labels.join(", "))
}
