//! The test lists of a record: JSON text, or base64 over zlib over a pickled JSON text.
//!
//! A list that does not decode, or that is empty, is an error and never "no failing test".

use std::io::Read;

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::read::ZlibDecoder;
use serde::Deserialize;
use thiserror::Error;

use super::pickle::{self, PickleError};
use crate::tables::Style;

/// Private tests that inflate to more are refused. The largest known are some hundred MiB.
const MAX_INFLATED: u64 = 1 << 30;

/// One test, exactly as stored.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredTest {
    pub(super) input: String,
    pub(super) output: String,
    testtype: TestType,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TestType {
    Stdin,
    Functional,
}

#[derive(Debug, Error)]
pub(super) enum PayloadError {
    #[error("the field is empty")]
    Blank,
    #[error("not a JSON list of tests: {0}")]
    Json(serde_json::Error),
    #[error("neither JSON nor base64: {0}")]
    Base64(base64::DecodeError),
    #[error("does not inflate: {0}")]
    Inflate(std::io::Error),
    #[error("inflates to more than {0} bytes")]
    TooLarge(u64),
    #[error(transparent)]
    Pickle(PickleError),
    #[error("test {test_idx} is of another type than the problem")]
    OtherType { test_idx: usize },
}

/// The tests of a JSON list, all of the problem's style.
pub(super) fn public_tests(text: &str, style: Style) -> Result<Vec<StoredTest>, PayloadError> {
    let tests: Vec<StoredTest> = serde_json::from_str(text).map_err(PayloadError::Json)?;
    let wanted = match style {
        Style::Stdin => TestType::Stdin,
        Style::Functional => TestType::Functional,
    };
    match tests.iter().position(|test| test.testtype != wanted) {
        Some(test_idx) => Err(PayloadError::OtherType { test_idx }),
        None => Ok(tests),
    }
}

/// As [`public_tests`], packed or not.
pub(super) fn private_tests(text: &str, style: Style) -> Result<Vec<StoredTest>, PayloadError> {
    match text.trim_ascii_start().bytes().next() {
        None => Err(PayloadError::Blank),
        // No base64 starts like this.
        Some(b'[' | b'{') => public_tests(text, style),
        Some(_) => packed_tests(text, style, MAX_INFLATED),
    }
}

fn packed_tests(text: &str, style: Style, max_inflated: u64) -> Result<Vec<StoredTest>, PayloadError> {
    let packed = STANDARD.decode(text.trim_ascii()).map_err(PayloadError::Base64)?;
    let mut pickled = Vec::new();
    ZlibDecoder::new(packed.as_slice())
        .take(max_inflated.saturating_add(1))
        .read_to_end(&mut pickled)
        .map_err(PayloadError::Inflate)?;
    if pickled.len() as u64 > max_inflated {
        return Err(PayloadError::TooLarge(max_inflated));
    }
    public_tests(pickle::decode_string(&pickled).map_err(PayloadError::Pickle)?, style)
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use flate2::{Compression, write::ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    const LIST: &str = r#"[{"input": "1 2\n", "output": "3\n", "testtype": "stdin"}]"#;

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// As the source packs its private tests.
    pub(in crate::sources) fn packed(list: &str) -> String {
        let mut bytes = b"\x80\x04X".to_vec();
        bytes.extend(u32::try_from(list.len()).unwrap().to_le_bytes());
        bytes.extend(list.as_bytes());
        bytes.extend(b"\x94.");
        STANDARD.encode(deflated(&bytes))
    }

    #[test]
    fn both_forms_give_the_stored_bytes() {
        let plain = private_tests(LIST, Style::Stdin).unwrap();
        assert_eq!(plain[0].input, "1 2\n");
        assert_eq!(private_tests(&packed(LIST), Style::Stdin).unwrap(), plain);
    }

    #[test]
    fn payloads_that_do_not_decode_are_errors() {
        let cut = {
            let whole = packed(LIST);
            whole[..whole.len() / 2 / 4 * 4].to_owned()
        };
        let constructor = STANDARD.encode(deflated(b"\x80\x02cos\nsystem\n."));
        let not_deflated = STANDARD.encode(b"plain bytes");
        let cases = [
            ("", "empty"),
            (" \n", "empty"),
            ("[{\"input\": 1}]", "not a JSON list"),
            ("{}", "not a JSON list"),
            ("[", "not a JSON list"),
            ("!!", "neither JSON nor base64"),
            (&not_deflated, "does not inflate"),
            (&cut, "does not inflate"),
            (&constructor, "GLOBAL"),
            (&packed("not json"), "not a JSON list"),
            (r#"[{"input": "", "output": "", "testtype": "stdin", "more": 1}]"#, "unknown field"),
            (r#"[{"input": "", "output": "", "testtype": "functional"}]"#, "another type"),
        ];
        for (text, part) in cases {
            let message = private_tests(text, Style::Stdin).unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn what_inflates_beyond_the_limit_is_refused() {
        let bomb = STANDARD.encode(deflated(&vec![0; 1 << 20]));
        let error = packed_tests(&bomb, Style::Stdin, 1000).unwrap_err();
        assert!(matches!(error, PayloadError::TooLarge(1000)), "{error}");
    }

    proptest! {
        #[test]
        fn no_text_makes_decoding_panic(text in ".*", bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = private_tests(&text, Style::Functional);
            let _ = private_tests(&STANDARD.encode(deflated(&bytes)), Style::Stdin);
            let _ = private_tests(&STANDARD.encode(&bytes), Style::Stdin);
        }
    }
}
