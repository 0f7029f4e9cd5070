//! Tokens between blanks, numbers with a fraction to a tolerance.

use super::{Comparison, mismatch, quote};

pub(super) fn compare(expected: &[u8], output: &[u8], abs: f64, rel: f64) -> Comparison {
    let (expected, output) = (tokens(expected), tokens(output));
    if expected.len() != output.len() {
        return mismatch(format!("{} tokens are expected, not {}", expected.len(), output.len()));
    }
    let differing = expected.iter().zip(&output).position(|(a, b)| !equal(a, b, abs, rel));
    differing.map_or(Comparison::Match, |idx| {
        mismatch(format!("token {}: {} is expected, not {}", idx + 1, quote(expected[idx]), quote(output[idx])))
    })
}

fn tokens(text: &[u8]) -> Vec<&[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()).collect()
}

/// Only where the expected token is a decimal fraction: an integer is right or wrong.
fn equal(expected: &[u8], output: &[u8], abs: f64, rel: f64) -> bool {
    if expected == output {
        return true;
    }
    let (Some(expected), Some(output)) = (fraction(expected), decimal(output)) else {
        return false;
    };
    (output - expected).abs() <= abs.max(rel * expected.abs())
}

fn fraction(token: &[u8]) -> Option<f64> {
    token.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')).then(|| decimal(token))?
}

/// A number in digits: `inf` and `nan` are words.
fn decimal(token: &[u8]) -> Option<f64> {
    let text = str::from_utf8(token).ok()?;
    let number: f64 = text.parse().ok()?;
    (number.is_finite() && text.bytes().any(|byte| byte.is_ascii_digit())).then_some(number)
}
