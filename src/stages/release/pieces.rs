//! The pieces of a text that `cl100k_base` encodes one by one, found by hand.
//!
//! The vocabulary's own regular expression needs a backtracking engine, which is most of the time
//! that counting takes. What this scanner finds is exactly what the expression finds; where it
//! would need the full tables of Unicode it finds nothing, and the caller asks the library.

/// The scanner at a place in a text.
pub(super) struct Pieces<'a> {
    text: &'a str,
    at: usize,
}

/// The expression's three kinds of characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
    Space,
    Other,
}

impl<'a> Pieces<'a> {
    /// `None` for a text with letters or digits beyond ASCII: which of these characters the
    /// expression counts as letters is not what the standard library calls alphabetic.
    pub(super) fn of(text: &'a str) -> Option<Self> {
        let is_known = |c: char| c.is_ascii() || !c.is_alphanumeric();
        (text.is_ascii() || text.chars().all(is_known)).then_some(Self { text, at: 0 })
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        let length = contraction(rest)
            .or_else(|| word(rest, first))
            .or_else(|| digits(rest))
            .or_else(|| others(rest))
            .unwrap_or_else(|| spaces(rest));
        self.at += length;
        Some(&rest[..length])
    }
}

fn kind(c: char) -> Kind {
    match c {
        'a'..='z' | 'A'..='Z' => Kind::Letter,
        '0'..='9' => Kind::Digit,
        c if c.is_whitespace() => Kind::Space,
        _ => Kind::Other,
    }
}

/// Bytes of the longest run from the start of one kind.
fn run(text: &str, wanted: Kind) -> usize {
    text.char_indices().find(|(_, c)| kind(*c) != wanted).map_or(text.len(), |(at, _)| at)
}

/// `'(?i:[sdmt]|ll|ve|re)`
fn contraction(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('\'')?.as_bytes();
    match rest.first()?.to_ascii_lowercase() {
        b's' | b'd' | b'm' | b't' => Some(2),
        first => {
            let second = rest.get(1)?.to_ascii_lowercase();
            matches!((first, second), (b'l', b'l') | (b'v' | b'r', b'e')).then_some(3)
        }
    }
}

/// `[^\r\n\p{L}\p{N}]?+\p{L}++`
fn word(text: &str, first: char) -> Option<usize> {
    let skipped = match kind(first) {
        Kind::Letter => 0,
        Kind::Digit => return None,
        _ if matches!(first, '\r' | '\n') => return None,
        _ => first.len_utf8(),
    };
    let n_letters = run(&text[skipped..], Kind::Letter);
    (n_letters > 0).then_some(skipped + n_letters)
}

/// `\p{N}{1,3}+`
fn digits(text: &str) -> Option<usize> {
    let n_digits = text.bytes().take(3).take_while(u8::is_ascii_digit).count();
    (n_digits > 0).then_some(n_digits)
}

/// ` ?[^\s\p{L}\p{N}]++[\r\n]*+`
fn others(text: &str) -> Option<usize> {
    let skipped = usize::from(text.starts_with(' '));
    let n_others = run(&text[skipped..], Kind::Other);
    let end = skipped + n_others;
    let is_line_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    (n_others > 0).then(|| end + text[end..].bytes().take_while(is_line_end).count())
}

/// `\s++$|\s*[\r\n]|\s+(?!\S)|\s`: all at the end of the text, else up to the last line end, else
/// all but the last, which goes with what follows.
fn spaces(text: &str) -> usize {
    let end = run(text, Kind::Space);
    if end == text.len() {
        return end;
    }
    let spaces = &text[..end];
    match (spaces.rfind(['\r', '\n']), spaces.char_indices().next_back()) {
        (Some(at), _) => at + 1,
        (None, Some((last, _))) if last > 0 => last,
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        Pieces::of(text).unwrap().collect()
    }

    #[test]
    fn programs_and_prose_fall_into_the_expressions_pieces() {
        assert_eq!(pieces("I'll don'T\n"), ["I", "'ll", " don", "'T", "\n"]);
        assert_eq!(
            pieces("a[i]  += 12345;\r\n\n  b"),
            ["a", "[i", "]", " ", " +=", " ", "123", "45", ";\r\n\n", " ", " b"]
        );
        assert_eq!(pieces("x \u{2264} 10\u{a0}\u{a0}y  "), ["x", " \u{2264}", " ", "10", "\u{a0}", "\u{a0}y", "  "]);
    }

    #[test]
    fn letters_beyond_ascii_are_left_to_the_library() {
        assert!(Pieces::of("na\u{ef}ve").is_none());
        assert!(Pieces::of("\u{663c}").is_none());
        assert!(Pieces::of("\u{bd}").is_none());
        assert!(Pieces::of("\u{301}").is_some_and(|pieces| pieces.count() == 1));
    }

    proptest! {
        #[test]
        fn counts_by_pieces_are_the_librarys(text in "([ -~]|[\t\n\r\u{b}\u{c}\u{a0}\u{2028}\u{2264}'A-Za-z0-9 ]){0,60}") {
            let library = tiktoken_rs::cl100k_base_singleton();
            let by_pieces: usize = pieces(&text).iter().map(|piece| library.count_ordinary(piece)).sum();
            prop_assert_eq!(pieces(&text).concat(), text.clone());
            prop_assert_eq!(by_pieces, library.count_ordinary(&text));
        }
    }
}
