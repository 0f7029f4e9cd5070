//! Numbers of a statement's constraints, and whether a rewrite kept them.
//!
//! Numbers are compared by value: `10^5`, `10^{5}`, `1e5`, `100,000` and `100000` are one number.

use std::collections::BTreeSet;

/// Lines that begin another part of a statement.
const OTHER_PARTS: [&str; 7] = ["input", "output", "sample", "example", "note", "explanation", "problem description"];

/// Constraint numbers of `original` that `rewrite` does not hold anywhere, sorted.
pub(super) fn lost(original: &str, rewrite: &str) -> Vec<String> {
    let kept = numbers(rewrite);
    numbers(&constraints(original)).into_iter().filter(|number| !kept.contains(number)).collect()
}

/// The lines from a heading "Constraints" to the next part; without such a heading, the lines with
/// an inequality.
fn constraints(statement: &str) -> String {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in statement.lines() {
        let lower = line.trim().trim_start_matches(['#', '*', ' ']).to_lowercase();
        if lower.starts_with("constraint") {
            inside = true;
        } else if inside && OTHER_PARTS.iter().any(|part| lower.starts_with(part)) {
            inside = false;
        }
        if inside {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        let bounds = ["<=", "≤", "\\le", " < "];
        lines = statement.lines().filter(|line| bounds.iter().any(|bound| line.contains(bound))).collect();
    }
    lines.join("\n")
}

/// All numbers of a text, in canonical form.
fn numbers(text: &str) -> BTreeSet<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut numbers = BTreeSet::new();
    let mut at = 0;
    while at < chars.len() {
        // Digits inside a name (`A_1`, `x2`) are no bounds.
        let begins = chars[at].is_ascii_digit() && (at == 0 || !is_name(chars[at - 1]));
        if !begins {
            at += 1;
            continue;
        }
        let (mantissa, next) = digits(&chars, at);
        let (power, next) = exponent(&chars, next);
        numbers.insert(canonical(&mantissa, power.as_deref()));
        at = next.max(at + 1);
    }
    numbers
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Digits with an optional fraction; commas and `_` between groups of three are dropped.
fn digits(chars: &[char], mut at: usize) -> (String, usize) {
    let mut text = String::new();
    while let Some(&c) = chars.get(at) {
        let groups = |n: usize| chars[at + 1..].iter().take(n).filter(|c| c.is_ascii_digit()).count();
        match c {
            '0'..='9' => text.push(c),
            '.' if groups(1) == 1 && !text.contains('.') => text.push(c),
            ',' if groups(4) == 3 => {}
            _ => break,
        }
        at += 1;
    }
    (text, at)
}

/// `^5`, `^{5}` or `e5` behind a mantissa.
fn exponent(chars: &[char], at: usize) -> (Option<String>, usize) {
    let mut next = at;
    match chars.get(next) {
        Some('^') => next += 1,
        Some('e' | 'E') if chars.get(next + 1).is_some_and(char::is_ascii_digit) => next += 1,
        _ => return (None, at),
    }
    let scientific = chars[at] != '^';
    if chars.get(next) == Some(&'{') {
        next += 1;
    }
    let (power, mut next) = digits(chars, next);
    if power.is_empty() {
        return (None, at);
    }
    if chars.get(next) == Some(&'}') {
        next += 1;
    }
    (Some(if scientific { format!("e{power}") } else { power }), next)
}

/// The value where it fits, else the text as it stands.
fn canonical(mantissa: &str, power: Option<&str>) -> String {
    let as_written = || format!("{mantissa}^{}", power.unwrap_or("1"));
    let Some(power) = power else {
        return mantissa.parse::<u128>().map_or_else(|_| mantissa.to_owned(), |value| value.to_string());
    };
    let (base, exponent) = match power.strip_prefix('e') {
        Some(exponent) => (Some(10), exponent.parse().ok()),
        None => (mantissa.parse::<u128>().ok(), power.parse::<u32>().ok()),
    };
    let factor = if power.starts_with('e') { mantissa.parse::<u128>().ok() } else { Some(1) };
    match (base, exponent, factor) {
        (Some(base), Some(exponent), Some(factor)) => base
            .checked_pow(exponent)
            .and_then(|value| value.checked_mul(factor))
            .map_or_else(as_written, |value| value.to_string()),
        _ => as_written(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(original: &str, rewrite: &str, expected: &[&str]) {
        assert_eq!(lost(original, rewrite), expected);
    }

    #[test]
    fn notations_of_one_number_are_equal() {
        for rewrite in ["up to 100000", "up to 10^5", "up to 10^{5}", "up to 1e5", "up to 100,000"] {
            check("Constraints\n\n- 1 ≤ N ≤ 10^5\n\nInput", &format!("1 and {rewrite}"), &[]);
        }
    }

    #[test]
    fn a_lost_or_changed_bound_is_named() {
        check("Constraints:\n1 <= n <= 2000", "1 <= n <= 200", &["2000"]);
        check("Constraints:\n1 <= x <= 0.5", "between 1 and 5", &["0.5"]);
    }

    #[test]
    fn numbers_outside_the_constraints_may_change() {
        check("There are 77 boxes.\nConstraints:\nn <= 9\nSample Input 1\n5 6", "n <= 9", &[]);
    }

    #[test]
    fn indices_in_names_are_no_bounds() {
        check("Constraints:\n1 <= A_2, x3 <= 10", "between 1 and 10", &[]);
    }

    #[test]
    fn bounds_count_without_a_heading() {
        check("Given N (N ≤ 50), add.", "Given M, add.", &["50"]);
    }
}
