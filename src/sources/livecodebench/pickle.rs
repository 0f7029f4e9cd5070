//! A Python pickle that holds one string, and nothing else.
//!
//! Unpickling is code execution, so this is no unpickler: it knows the few instructions that a
//! pickled string is made of and refuses every other by name, without acting on it. It must never
//! grow a stack machine.

use thiserror::Error;

/// Why bytes are not a pickled string.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum PickleError {
    #[error("pickle opcode {name} (0x{code:02x}) at offset {offset} is refused: only a plain string is read")]
    Refused { name: &'static str, code: u8, offset: usize },
    #[error("pickle ends early: {wanted} more byte(s) expected at offset {offset}")]
    Truncated { wanted: u64, offset: usize },
    #[error("pickle does not start with PROTO 2 to 5")]
    NoProtocol,
    #[error("pickle string at offset {offset} is not UTF-8")]
    NotUtf8 { offset: usize },
    #[error("pickle holds {n_strings} strings where one is expected")]
    NotOneString { n_strings: usize },
    #[error("pickle memoizes at offset {offset} before there is a string")]
    NothingToMemoize { offset: usize },
    #[error("{n_bytes} byte(s) follow the end of the pickle")]
    TrailingBytes { n_bytes: usize },
}

const PROTO: u8 = 0x80;
const FRAME: u8 = 0x95;
const SHORT_BINUNICODE: u8 = 0x8c;
const BINUNICODE: u8 = b'X';
const BINUNICODE8: u8 = 0x8d;
const MEMOIZE: u8 = 0x94;
const BINPUT: u8 = b'q';
const LONG_BINPUT: u8 = b'r';
const STOP: u8 = b'.';

/// The string of a pickle (protocols 2 to 5).
///
/// # Errors
/// When the bytes are anything but one pickled string.
pub(super) fn decode_string(bytes: &[u8]) -> Result<&str, PickleError> {
    let mut reader = Reader { bytes, offset: 0 };
    if reader.byte()? != PROTO || !(2..=5).contains(&reader.byte()?) {
        return Err(PickleError::NoProtocol);
    }
    let mut strings = Vec::new();
    loop {
        let offset = reader.offset;
        match reader.byte()? {
            FRAME => reader.frame()?,
            SHORT_BINUNICODE => strings.push(reader.text(1)?),
            BINUNICODE => strings.push(reader.text(4)?),
            BINUNICODE8 => strings.push(reader.text(8)?),
            MEMOIZE | BINPUT | LONG_BINPUT if strings.is_empty() => {
                return Err(PickleError::NothingToMemoize { offset });
            }
            MEMOIZE => {}
            BINPUT => drop(reader.take(1)?),
            LONG_BINPUT => drop(reader.take(4)?),
            STOP => break,
            code => return Err(PickleError::Refused { name: opcode_name(code), code, offset }),
        }
        if strings.len() > 1 {
            return Err(PickleError::NotOneString { n_strings: strings.len() });
        }
    }
    match (strings.as_slice(), bytes.len() - reader.offset) {
        ([text], 0) => Ok(text),
        ([_], n_bytes) => Err(PickleError::TrailingBytes { n_bytes }),
        _ => Err(PickleError::NotOneString { n_strings: strings.len() }),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, n_bytes: u64) -> Result<&'a [u8], PickleError> {
        let left = &self.bytes[self.offset..];
        let taken = usize::try_from(n_bytes).ok().and_then(|n_bytes| left.get(..n_bytes)).ok_or_else(|| {
            PickleError::Truncated { wanted: n_bytes.saturating_sub(left.len() as u64), offset: self.bytes.len() }
        })?;
        self.offset += taken.len();
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, PickleError> {
        Ok(self.take(1)?[0])
    }

    /// A little-endian number of `width` bytes.
    fn number(&mut self, width: u64) -> Result<u64, PickleError> {
        Ok(self.take(width)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// A frame only announces how many bytes belong together: they have to be there.
    fn frame(&mut self) -> Result<(), PickleError> {
        let length = self.number(8)?;
        let left = (self.bytes.len() - self.offset) as u64;
        if length > left {
            return Err(PickleError::Truncated { wanted: length - left, offset: self.bytes.len() });
        }
        Ok(())
    }

    fn text(&mut self, width: u64) -> Result<&'a str, PickleError> {
        let length = self.number(width)?;
        let offset = self.offset;
        std::str::from_utf8(self.take(length)?).map_err(|_| PickleError::NotUtf8 { offset })
    }
}

/// The name of an opcode that is refused: those that build objects or call, and those that a
/// pickle of something else than a string starts with.
fn opcode_name(code: u8) -> &'static str {
    match code {
        b'c' => "GLOBAL",
        0x93 => "STACK_GLOBAL",
        b'R' => "REDUCE",
        b'b' => "BUILD",
        b'i' => "INST",
        b'o' => "OBJ",
        0x81 => "NEWOBJ",
        0x92 => "NEWOBJ_EX",
        b'P' => "PERSID",
        b'Q' => "BINPERSID",
        0x82 => "EXT1",
        0x83 => "EXT2",
        0x84 => "EXT4",
        b'(' => "MARK",
        b']' => "EMPTY_LIST",
        b'}' => "EMPTY_DICT",
        b')' => "EMPTY_TUPLE",
        0x8f => "EMPTY_SET",
        b'B' => "BINBYTES",
        b'C' => "SHORT_BINBYTES",
        0x8e => "BINBYTES8",
        0x96 => "BYTEARRAY8",
        b'T' => "BINSTRING",
        b'U' => "SHORT_BINSTRING",
        b'V' => "UNICODE",
        b'S' => "STRING",
        b'N' => "NONE",
        0x88 => "NEWTRUE",
        0x89 => "NEWFALSE",
        b'K' => "BININT1",
        b'M' => "BININT2",
        b'J' => "BININT",
        b'G' => "BINFLOAT",
        b'h' => "BINGET",
        b'j' => "LONG_BINGET",
        b'0' => "POP",
        b'2' => "DUP",
        PROTO => "PROTO",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As Python's pickler writes a string.
    fn pickled(text: &str, protocol: u8) -> Vec<u8> {
        let mut body = Vec::new();
        match u8::try_from(text.len()) {
            Ok(length) if protocol >= 4 => body.extend([SHORT_BINUNICODE, length]),
            _ => {
                body.push(BINUNICODE);
                body.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
            }
        }
        body.extend(text.as_bytes());
        body.extend_from_slice(if protocol >= 4 { &[MEMOIZE] } else { &[BINPUT, 0] });
        body.push(STOP);
        let mut bytes = vec![PROTO, protocol];
        if protocol >= 4 && text.len() < 65536 {
            bytes.push(FRAME);
            bytes.extend((body.len() as u64).to_le_bytes());
        }
        bytes.extend(body);
        bytes
    }

    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let answer = decode_string(bytes).map_err(|error| error.to_string());
        match expected {
            Ok(text) => assert_eq!(answer.as_deref(), Ok(text)),
            Err(part) => {
                let message = answer.expect_err("the bytes have to be refused");
                assert!(message.contains(part), "{message}");
            }
        }
    }

    #[test]
    fn strings_of_all_lengths_and_protocols_decode() {
        for text in ["", "[]", &"é[1, 2]\n".repeat(40), &"𝄞x".repeat(20_000)] {
            for protocol in 2..=5 {
                check(&pickled(text, protocol), Ok(text));
            }
        }
        check(b"\x80\x04\x8d\x02\0\0\0\0\0\0\0ok\x94.", Ok("ok"));
        check(b"\x80\x02X\x02\0\0\0okr\0\0\0\0.", Ok("ok"));
    }

    #[test]
    fn a_global_constructor_is_refused_by_name_and_offset() {
        // os.system("…"): GLOBAL in protocol 2, STACK_GLOBAL in 4.
        check(b"\x80\x02cos\nsystem\nX\x02\0\0\0ls\x85R.", Err("GLOBAL (0x63) at offset 2"));
        check(b"\x80\x04\x8c\x02os\x94\x93.", Err("STACK_GLOBAL (0x93) at offset 7"));
        check(b"\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93.", Err("2 strings"));
    }

    #[test]
    fn whatever_is_not_one_string_is_refused() {
        check(b"", Err("ends early"));
        check(b"\x80", Err("ends early"));
        check(b"S'x'\n.", Err("does not start"));
        check(b"\x80\x01.", Err("does not start"));
        check(b"\x80\x04.", Err("0 strings"));
        check(b"\x80\x04N.", Err("NONE"));
        check(b"\x80\x04]\x94.", Err("EMPTY_LIST"));
        check(b"\x80\x04\x94\x8c\x01a.", Err("before there is a string"));
        check(b"\x80\x04\x8c\x01a.x", Err("1 byte(s) follow"));
        check(b"\x80\x04\x8c\x01\xff.", Err("not UTF-8"));
        check(b"\x80\x04\x8c\x01a\x80\x04.", Err("PROTO"));
        check(b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xffa", Err("ends early"));
        check(b"\x80\x04\x95\x40\0\0\0\0\0\0\0\x8c\x01a\x94.", Err("ends early"));
    }

    #[test]
    fn a_pickle_cut_anywhere_is_refused() {
        let whole = pickled("[{\"input\": \"1\"}]", 4);
        for length in 0..whole.len() {
            assert!(decode_string(&whole[..length]).is_err(), "{length}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_string(&bytes);
            let mut behind_a_header = vec![PROTO, 4];
            behind_a_header.extend(bytes);
            let _ = decode_string(&behind_a_header);
        }

        #[test]
        fn what_is_pickled_comes_back(text in ".*", protocol in 2_u8..=5) {
            let bytes = pickled(&text, protocol);
            prop_assert_eq!(decode_string(&bytes).unwrap(), text.as_str());
        }

        #[test]
        fn one_changed_byte_never_panics(at in 0_usize..60, byte in any::<u8>()) {
            let mut bytes = pickled("[{\"input\": \"1 2\", \"output\": \"3\"}]", 4);
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = decode_string(&bytes);
        }
    }
}
