//! Which tests depend on a problem's story, and whether a rewritten test kept its shape.

use serde_json::Value;

use crate::tables::{SourceTest, Style};

/// Answers that every contest uses.
const KEYWORDS: [&str; 18] = [
    "yes",
    "no",
    "true",
    "false",
    "possible",
    "impossible",
    "inf",
    "-inf",
    "infinity",
    "nan",
    "none",
    "null",
    "alice",
    "bob",
    "first",
    "second",
    "draw",
    "-1",
];

/// Characters of a drawn grid.
const GRID: &str = ".#*@+SGETXo";

/// Whether nothing in the test can depend on the story: every non-empty line holds only numbers and
/// contest keywords, or is a row of a grid. Such tests are never sent to a model.
#[must_use]
pub(super) fn is_context_independent(test: &SourceTest, style: Style) -> bool {
    is_independent(&test.input, style) && is_independent(&test.output, style)
}

/// The same for one side of a test.
pub(crate) fn is_independent(text: &str, style: Style) -> bool {
    text.lines().filter(|line| !line.trim().is_empty()).all(|line| match style {
        Style::Stdin => is_plain_line(line),
        Style::Functional => serde_json::from_str(line).is_ok_and(|value| is_plain_value(&value)),
    })
}

fn is_plain_line(line: &str) -> bool {
    let tokens_are_plain = line.split_whitespace().all(is_plain_token);
    tokens_are_plain || line.chars().all(|c| c == ' ' || GRID.contains(c))
}

fn is_plain_token(token: &str) -> bool {
    token.parse::<f64>().is_ok() || KEYWORDS.contains(&token.to_lowercase().as_str())
}

fn is_plain_value(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty() || is_plain_line(text),
        Value::Array(items) => items.iter().all(is_plain_value),
        Value::Object(_) => false,
        _ => true,
    }
}

/// Whether a rewritten text has the original's shape: functional values the same JSON structure,
/// lines the same number of tokens; numbers stay as they are.
pub(super) fn same_shape(original: &str, rewrite: &str, style: Style) -> Result<(), String> {
    let [old, new] = [original, rewrite].map(|text| text.trim_end_matches('\n').split('\n').collect::<Vec<_>>());
    if old.len() != new.len() {
        return Err(format!("{} lines became {}", old.len(), new.len()));
    }
    old.iter().zip(&new).try_for_each(|(old, new)| match style {
        Style::Stdin => same_tokens(old, new),
        Style::Functional => same_value_text(old, new),
    })
}

fn same_tokens(old: &str, new: &str) -> Result<(), String> {
    let [old, new] = [old, new].map(|line| line.split_whitespace().collect::<Vec<_>>());
    if old.len() != new.len() {
        return Err(format!("{} tokens became {}", old.len(), new.len()));
    }
    match old.iter().zip(&new).find(|(old, new)| old.parse::<f64>().is_ok() && old != new) {
        Some((old, new)) => Err(format!("the number {old} became `{new}`")),
        None => Ok(()),
    }
}

fn same_value_text(old: &str, new: &str) -> Result<(), String> {
    let parse = |text: &str| serde_json::from_str::<Value>(text).map_err(|_| format!("`{text}` is not JSON"));
    same_value(&parse(old)?, &parse(new)?)
}

fn same_value(old: &Value, new: &Value) -> Result<(), String> {
    match (old, new) {
        (Value::String(_), Value::String(_)) => Ok(()),
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            old.iter().zip(new).try_for_each(|(old, new)| same_value(old, new))
        }
        (Value::Array(old), Value::Array(new)) => Err(format!("{} items became {}", old.len(), new.len())),
        (old, new) if old == new => Ok(()),
        (old, new) => Err(format!("{old} became {new}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keywords_and_grids_stay_at_home() {
        for text in ["3 4\n-1 0.5 1e9", "Yes", "..#\n#.#", "", "3\n.S#\n", "true"] {
            assert!(is_independent(text, Style::Stdin), "{text}");
        }
        for text in ["[[1,2],[3]]\n\"..#\"", "null", "[true, 1.5]", "\"\""] {
            assert!(is_independent(text, Style::Functional), "{text}");
        }
    }

    #[test]
    fn words_are_sent() {
        assert!(!is_independent("2\nMira 3", Style::Stdin));
        assert!(!is_independent("[\"Mira\"]", Style::Functional));
        assert!(!is_independent("not json", Style::Functional));
    }

    #[test]
    fn shapes_keep_numbers_and_lengths() {
        assert_eq!(same_shape("2\nMira 3\n", "2\nOtto 3", Style::Stdin), Ok(()));
        assert!(same_shape("Mira 3", "Otto 4", Style::Stdin).is_err());
        assert!(same_shape("Mira 3", "Otto", Style::Stdin).is_err());
        assert_eq!(same_shape("[\"a\",\"b\"]\n1", "[\"x\",\"y\"]\n1", Style::Functional), Ok(()));
        assert!(same_shape("[\"a\",\"b\"]", "[\"x\"]", Style::Functional).is_err());
        assert!(same_shape("[\"a\",2]", "[\"x\",3]", Style::Functional).is_err());
    }
}
