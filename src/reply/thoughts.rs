//! Thinking aloud: `<think>…</think>` and its like, whose content is never the answer.

use std::ops::Range;

/// Tags that models think in.
const TAGS: [&str; 5] = ["think", "thinking", "thought", "reasoning", "reflection"];

/// A tag that opens at the beginning of `line`, blanks aside.
pub(super) fn opening(line: &str) -> Option<&'static str> {
    let rest = line.trim_start().strip_prefix('<')?;
    TAGS.into_iter().find(|tag| strip_prefix_ignore_case(rest, tag).is_some_and(|rest| rest.starts_with('>')))
}

/// Where `tag` closes: the range of its closing tag.
pub(super) fn closing(text: &str, tag: &str) -> Option<Range<usize>> {
    text.match_indices("</").find_map(|(start, _)| {
        let rest = strip_prefix_ignore_case(&text[start + 2..], tag)?;
        rest.starts_with('>').then(|| start..start + 2 + tag.len() + 1)
    })
}

/// Where the answer begins: behind the thoughts that the reply begins with. Some servers keep the
/// opening tag to themselves, so a closing tag that ends a line and was never opened counts too.
/// `None`: the reply never stops thinking.
pub(super) fn answer_start(text: &str) -> Option<usize> {
    let mut start = 0;
    while let Some(tag) = opening(&text[start..]) {
        start += closing(&text[start..], tag)?.end;
    }
    Some(orphan_closing(&text[start..]).map_or(start, |end| start + end))
}

/// The end of a closing tag that no opening tag precedes.
fn orphan_closing(text: &str) -> Option<usize> {
    TAGS.into_iter().find_map(|tag| {
        let closing = closing(text, tag)?;
        let ends_line = text[closing.end..].lines().next().is_none_or(|rest| rest.trim().is_empty());
        let before = &text[..closing.start];
        let is_opened = before.to_lowercase().contains(&format!("<{tag}>"));
        (ends_line && !is_opened).then_some(closing.end)
    })
}

fn strip_prefix_ignore_case<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_begins_behind_the_thoughts() {
        for (text, answer) in [
            ("plain", Some("plain")),
            ("<think>a</think>b", Some("b")),
            ("\n <Think>\na\n</THINK>\nb", Some("\nb")),
            ("<think>a</think>\n<reasoning>b</reasoning>c", Some("c")),
            ("never opened\n</think>\nb", Some("\nb")),
            ("a tag </think> in a sentence", Some("a tag </think> in a sentence")),
            ("<think>never closed", None),
            ("<thinker>", Some("<thinker>")),
        ] {
            assert_eq!(answer_start(text).map(|start| &text[start..]), answer, "{text}");
        }
    }
}
