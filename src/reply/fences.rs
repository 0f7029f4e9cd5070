//! The fenced blocks of a reply.
//!
//! Fences as CommonMark has them, and as models write them: in tags, indented, in list items, never
//! closed. Where CommonMark would close a block at the first bare fence line, `is_whole` is asked
//! whether the block's text is complete there; a fence line inside a string or a comment is not the
//! end, and then the next one is tried.

use std::ops::Range;

use super::thoughts;

/// Candidates for the end of one block that are tried.
const MAX_CANDIDATES: usize = 24;

/// A fenced block. Ranges are of the text that was scanned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub info: String,
    /// Between the fence lines, the last line end included.
    pub body: Range<usize>,
    /// Blanks that the opening fence line begins with.
    pub indentation: usize,
    pub is_closed: bool,
}

impl Block {
    /// The block's text: the very bytes, without the fence's own indentation.
    pub(super) fn text(&self, text: &str) -> String {
        unindent(&text[self.body.clone()], self.indentation)
    }
}

/// Decides whether a block's text is complete, given its info string.
pub(super) type IsWhole<'f> = &'f dyn Fn(&str, &str) -> bool;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fence<'t> {
    mark: u8,
    length: usize,
    indentation: usize,
    info: &'t str,
}

/// Every block of `text`, in order. Blocks that only wrap other blocks are left out.
pub(super) fn blocks(text: &str, is_wrapper: &dyn Fn(&str) -> bool, is_whole: IsWhole) -> Vec<Block> {
    let lines = lines(text);
    let mut blocks = Vec::new();
    let mut n = 0;
    while n < lines.len() {
        let line = &text[lines[n].clone()];
        if let Some(tag) = thoughts::opening(line) {
            n = behind_thoughts(text, &lines, n, tag);
            continue;
        }
        let Some(fence) = opening(line).filter(|fence| !is_wrapper(fence.info) && !wraps(text, &lines, n, fence))
        else {
            n += 1;
            continue;
        };
        let (block, next) = read_block(text, &lines, n, fence, is_whole);
        blocks.push(block);
        n = next;
    }
    blocks
}

/// Lines with their line ends.
fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            start += line.len();
            start - line.len()..start
        })
        .collect()
}

/// The line behind a think block that opens on line `n`: all the rest where it never closes.
fn behind_thoughts(text: &str, lines: &[Range<usize>], n: usize, tag: &str) -> usize {
    let start = lines[n].start;
    let Some(closing) = thoughts::closing(&text[start..], tag) else {
        return lines.len();
    };
    let end = start + closing.end;
    lines.iter().position(|line| line.end >= end).map_or(lines.len(), |line| line + 1)
}

/// An unlabelled fence whose first line is a labelled one is paper around the real block.
fn wraps(text: &str, lines: &[Range<usize>], n: usize, fence: &Fence) -> bool {
    fence.info.is_empty()
        && lines[n + 1..]
            .iter()
            .map(|line| &text[line.clone()])
            .find(|line| !line.trim().is_empty())
            .and_then(opening)
            .is_some_and(|inner| !inner.info.is_empty())
}

fn read_block(text: &str, lines: &[Range<usize>], n: usize, fence: Fence, is_whole: IsWhole) -> (Block, usize) {
    let start = lines[n].end;
    let block = |end: usize, is_closed: bool| Block {
        info: fence.info.to_owned(),
        body: start..end.max(start),
        indentation: fence.indentation,
        is_closed,
    };
    let whole = |block: &Block| is_whole(fence.info, &block.text(text));
    let closes = |line: &Range<usize>, slack: usize| closes(&text[line.clone()], &fence, slack);
    let mut ends: Vec<usize> = (n + 1..lines.len()).filter(|&line| closes(&lines[line], 3)).collect();
    if ends.is_empty() {
        ends = (n + 1..lines.len()).filter(|&line| closes(&lines[line], usize::MAX)).collect();
    }
    let Some(&first) = ends.first() else {
        return (block(unclosed_end(text, start, &fence), false), lines.len());
    };
    let candidates = ends.into_iter().take(MAX_CANDIDATES).map(|end| (block(lines[end].start, true), end + 1));
    let to_the_end = || (block(text.len(), false), lines.len());
    candidates
        .chain(std::iter::once_with(to_the_end))
        .find(|(block, _)| whole(block))
        .unwrap_or_else(|| (block(lines[first].start, true), first + 1))
}

/// The end of a block that no fence line closes: a fence behind the last line's text, a closing tag
/// on the last line, or the end of the reply.
fn unclosed_end(text: &str, start: usize, fence: &Fence) -> usize {
    let body = &text[start.min(text.len())..];
    let trimmed = body.trim_end();
    let without_tags = strip_closing_tags(trimmed);
    let without_fence = without_tags.trim_end_matches(char::from(fence.mark));
    if without_tags.len() - without_fence.len() >= fence.length {
        start + without_fence.len()
    } else if without_tags.len() < trimmed.len() && without_tags.ends_with('\n') {
        start + without_tags.len()
    } else {
        text.len()
    }
}

/// Reads a line as an opening fence: blanks, list marks and tags may stand before it.
fn opening(line: &str) -> Option<Fence<'_>> {
    let line = line.trim_end();
    let rest = line.trim_start();
    let mut indentation = line.len() - rest.len();
    let unmarked = strip_list_mark(rest);
    if unmarked.len() < rest.len() {
        indentation += rest.len() - unmarked.len();
    }
    let (mark, length, info) = run(strip_opening_tags(unmarked))?;
    // In a line such as ```x``` the backticks are a span, not a fence.
    (mark != b'`' || !info.contains('`')).then(|| Fence { mark, length, indentation, info: info.trim() })
}

/// Whether a line is a bare fence that may close `fence`. More than `slack` blanks beyond the opening
/// fence's own make it part of the text.
fn closes(line: &str, fence: &Fence, slack: usize) -> bool {
    let line = line.trim_end();
    let rest = line.trim_start();
    let (Some((mark, length, after)), indentation) = (run(rest), line.len() - rest.len()) else {
        return false;
    };
    mark == fence.mark
        && length >= fence.length
        && strip_closing_tags(after).trim().is_empty()
        && indentation <= fence.indentation.saturating_add(slack)
}

/// A run of three or more fence marks, and what follows it.
fn run(text: &str) -> Option<(u8, usize, &str)> {
    let mark = text.bytes().next().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = text.bytes().take_while(|byte| *byte == mark).count();
    (length >= 3).then(|| (mark, length, &text[length..]))
}

/// `- `, `* `, `1. ` or `1) `.
fn strip_list_mark(text: &str) -> &str {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let marks: &[char] = if rest.len() < text.len() { &['.', ')'] } else { &['-', '*', '+'] };
    match rest.strip_prefix(marks) {
        Some(rest) if rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ => text,
    }
}

/// Tags that models wrap blocks in.
const TAGS: [&str; 7] = ["code", "pre", "answer", "solution", "program", "output", "final"];

fn strip_opening_tags(mut text: &str) -> &str {
    while let Some(rest) = TAGS.iter().find_map(|tag| text.strip_prefix('<')?.strip_prefix(tag)?.strip_prefix('>')) {
        text = rest.trim_start();
    }
    text
}

fn strip_closing_tags(mut text: &str) -> &str {
    while let Some(rest) = TAGS
        .iter()
        .find_map(|tag| text.trim_end_matches([' ', '\t']).strip_suffix('>')?.strip_suffix(tag)?.strip_suffix("</"))
    {
        text = rest;
    }
    text
}

/// The part of a block's text between `<code>` and `</code>` lines, where it begins and ends with
/// them: a tag inside a fence.
pub(super) fn inside_tags(text: &str) -> &str {
    let Some((first, rest)) = text.split_once('\n') else {
        return text;
    };
    let Some(tag) = TAGS.into_iter().find(|tag| first.trim() == format!("<{tag}>")) else {
        return text;
    };
    let closing = format!("</{tag}>");
    match rest.trim_end().strip_suffix(&closing) {
        Some(inner) if inner.ends_with('\n') => inner,
        _ => text,
    }
}

/// Whether a line of the text opens a block with a label.
pub(super) fn has_labelled_fence(text: &str) -> bool {
    text.lines().filter_map(opening).any(|fence| !fence.info.is_empty())
}

/// Takes up to `indentation` blanks off the beginning of every line, as CommonMark does.
fn unindent(text: &str, indentation: usize) -> String {
    if indentation == 0 {
        return text.to_owned();
    }
    text.split_inclusive('\n')
        .map(|line| {
            let n_blanks = line.bytes().take(indentation).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            &line[n_blanks..]
        })
        .collect()
}
