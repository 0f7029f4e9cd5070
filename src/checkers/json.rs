//! One JSON value, types kept apart. Our own reader, since integers here have any number of digits
//! and must not pass through a float.

use std::collections::BTreeMap;

use super::{Breakdown, Comparison, mismatch, quote};

/// Of numbers with a fraction, absolute or relative.
const TOLERANCE: f64 = 1e-9;
/// Deeper values are refused rather than overflow the stack.
const MAX_DEPTH: usize = 256;

pub(super) fn compare(expected: &[u8], output: &[u8]) -> Result<Comparison, Breakdown> {
    let expected_value = parse(expected)
        .map_err(|error| Breakdown(format!("the expected output {} is not JSON: {error}", quote(expected))))?;
    let value = match parse(output) {
        Ok(value) => value,
        Err(error) => return Ok(mismatch(format!("the output {} is not one JSON value: {error}", quote(output)))),
    };
    let mut path = String::from("$");
    if equal(&expected_value, &value, &mut path) {
        return Ok(Comparison::Match);
    }
    Ok(mismatch(format!("at {path}: {} is expected, not {}", quote(expected), quote(output))))
}

#[derive(Debug, PartialEq)]
enum Value {
    Null,
    Bool(bool),
    /// Digits without a plus, leading zeros or a negative zero.
    Integer(String),
    Fraction(f64),
    Text(String),
    Array(Vec<Value>),
    Object(BTreeMap<String, Value>),
}

/// On inequality `path` says where.
fn equal(expected: &Value, value: &Value, path: &mut String) -> bool {
    match (expected, value) {
        (Value::Fraction(expected), Value::Fraction(value)) => near(*expected, *value),
        // A fraction that is whole may be printed as an integer; an integer is nothing else.
        (Value::Fraction(expected), Value::Integer(digits)) => {
            digits.parse().is_ok_and(|value: f64| near(*expected, value))
        }
        (Value::Array(expected), Value::Array(values)) if expected.len() == values.len() => {
            expected.iter().zip(values).enumerate().all(|(idx, (a, b))| below(path, &format!("[{idx}]"), a, b))
        }
        (Value::Object(expected), Value::Object(values)) if expected.keys().eq(values.keys()) => {
            expected.iter().zip(values.values()).all(|((key, a), b)| below(path, &format!(".{key}"), a, b))
        }
        (Value::Array(_) | Value::Object(_), _) => false,
        _ => expected == value,
    }
}

fn below(path: &mut String, step: &str, expected: &Value, value: &Value) -> bool {
    let length = path.len();
    path.push_str(step);
    let equal = equal(expected, value, path);
    if equal {
        path.truncate(length);
    }
    equal
}

fn near(expected: f64, value: f64) -> bool {
    (expected - value).abs() <= TOLERANCE.max(TOLERANCE * expected.abs())
}

fn parse(text: &[u8]) -> Result<Value, String> {
    let text = str::from_utf8(text).map_err(|_| "it is not UTF-8".to_owned())?;
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.blanks();
    if reader.at < text.len() {
        return Err(reader.error("more follows the value"));
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, String> {
        if depth > MAX_DEPTH {
            return Err(self.error("the value is nested too deep"));
        }
        self.blanks();
        match self.peek() {
            Some(b'[') => self.array(depth),
            Some(b'{') => self.object(depth),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, String> {
        let mut values = Vec::new();
        self.items(b']', |reader| {
            values.push(reader.value(depth + 1)?);
            Ok(())
        })?;
        Ok(Value::Array(values))
    }

    fn object(&mut self, depth: usize) -> Result<Value, String> {
        let mut values = BTreeMap::new();
        self.items(b'}', |reader| {
            reader.blanks();
            let key = reader.string()?;
            reader.blanks();
            reader.expect(b':')?;
            values.insert(key, reader.value(depth + 1)?);
            Ok(())
        })?;
        Ok(Value::Object(values))
    }

    /// What stands between an opening bracket, which is next, and `close`.
    fn items(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Result<(), String>) -> Result<(), String> {
        self.at += 1;
        self.blanks();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            item(self)?;
            self.blanks();
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Escapes are left to a proper reader once the end is found.
    fn string(&mut self) -> Result<String, String> {
        let start = self.at;
        self.expect(b'"')?;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(self.error("a string has no end")),
            }
        }
        self.at += 1;
        let quoted = self.text.get(start..self.at).ok_or_else(|| self.error("a string has no end"))?;
        serde_json::from_str(quoted).map_err(|error| format!("the string {} : {error}", quote(quoted.as_bytes())))
    }

    fn number(&mut self) -> Result<Value, String> {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|byte| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9'));
        let digits = &rest[..length.count()];
        self.at += digits.len();
        // The reader of numbers knows the grammar; the digits are kept as they stand.
        let number: f64 = serde_json::from_str(digits).map_err(|_| self.error("a number is malformed"))?;
        if digits.contains(['.', 'e', 'E']) {
            return Ok(Value::Fraction(number));
        }
        Ok(Value::Integer(if digits == "-0" { "0".to_owned() } else { digits.to_owned() }))
    }

    fn word(&mut self) -> Result<Value, String> {
        for (word, value) in [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error("no value starts here"))
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.peek() != Some(byte) {
            return Err(self.error(&format!("`{}` is missing", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, what: &str) -> String {
        format!("{what} (byte {})", self.at)
    }
}
