//! The text of old submissions and pages: UTF-8, else one of the two Japanese encodings, else none.
//!
//! Strict: a byte that an encoding does not know rules it out. Nothing is stripped, a byte order
//! mark neither: the compilers that matter accept one, and what was judged is what is kept.

use encoding_rs::{EUC_JP, Encoding, SHIFT_JIS};

/// The text, if it is in a known encoding.
pub(super) fn decode(bytes: Vec<u8>) -> Option<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => decode_japanese(error.as_bytes()),
    }
}

/// Most EUC-JP text is valid `Shift_JIS` too, but as rows of half-width katakana, which nobody writes.
fn decode_japanese(bytes: &[u8]) -> Option<String> {
    let decode_as = |encoding: &'static Encoding| {
        encoding.decode_without_bom_handling_and_without_replacement(bytes).map(std::borrow::Cow::into_owned)
    };
    let texts = [decode_as(SHIFT_JIS), decode_as(EUC_JP)];
    texts
        .into_iter()
        .flatten()
        .min_by_key(|text| text.chars().filter(|c| ('\u{ff61}'..='\u{ff9f}').contains(c)).count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_encoding_gives_the_text_back() {
        let text = "int main() { puts(\"答えは\"); } // 整数を読む";
        for bytes in
            [text.as_bytes().to_vec(), SHIFT_JIS.encode(text).0.into_owned(), EUC_JP.encode(text).0.into_owned()]
        {
            assert_eq!(decode(bytes).as_deref(), Some(text));
        }
    }

    #[test]
    fn bytes_of_no_encoding_are_no_text() {
        assert_eq!(decode(vec![0xff, 0xfe, 0x00]), None);
        assert_eq!(decode(b"caf\xe9 \xe0".to_vec()), None);
    }

    #[test]
    fn a_byte_order_mark_stays() {
        assert_eq!(decode(b"\xef\xbb\xbfint x;".to_vec()).as_deref(), Some("\u{feff}int x;"));
    }
}
