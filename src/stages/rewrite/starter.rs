//! LeetCode-style starter code: `class Solution:` with one method to fill in.

/// A method's name, and its types in order; the last is the return type.
#[derive(Debug, PartialEq)]
struct Signature {
    name: String,
    types: Vec<String>,
}

/// The method's name.
pub(super) fn function_name(starter_code: &str) -> Option<String> {
    signature(starter_code).ok().map(|signature| signature.name)
}

/// Whether the rewritten starter code has the same parameter types and return type.
pub(super) fn same_shape(original: &str, rewrite: &str) -> Result<(), String> {
    if !rewrite.contains("class Solution") {
        return Err("no `class Solution`".to_owned());
    }
    let [original, rewrite] = [signature(original)?, signature(rewrite)?];
    if original.types == rewrite.types {
        return Ok(());
    }
    Err(format!("types ({}) became ({})", original.types.join(", "), rewrite.types.join(", ")))
}

fn signature(starter_code: &str) -> Result<Signature, String> {
    let missing = || format!("no method in `{}`", starter_code.trim());
    let (_, rest) = starter_code.split_once("def ").ok_or_else(missing)?;
    let (name, rest) = rest.split_once('(').ok_or_else(missing)?;
    let close = closing(rest).ok_or_else(missing)?;
    let mut types: Vec<String> = split_parameters(&rest[..close])
        .into_iter()
        .filter(|parameter| parameter.trim() != "self")
        .map(|parameter| parameter.split_once(':').map_or("", |(_, kind)| kind).trim().to_owned())
        .collect();
    let after = rest[close + 1..].split(':').next().unwrap_or_default();
    types.push(after.trim().trim_start_matches("->").trim().to_owned());
    Ok(Signature { name: name.trim().to_owned(), types })
}

/// Where the parenthesis that was opened before `text` closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// At commas that stand in no bracket: `Dict[str, int]` is one type.
fn split_parameters(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTER: &str = "class Solution:\n    def count(self, xs: List[int], by: Dict[str, int]) -> bool:\n        ";

    #[test]
    fn names_may_change_and_types_may_not() {
        let renamed = STARTER.replace("count", "tally").replace("xs", "ys");
        assert_eq!(same_shape(STARTER, &renamed), Ok(()));
        assert!(same_shape(STARTER, &renamed.replace("bool", "int")).is_err());
        assert!(same_shape(STARTER, &renamed.replace("ys: List[int], ", "")).is_err());
    }

    #[test]
    fn the_method_is_found() {
        assert_eq!(function_name(STARTER).as_deref(), Some("count"));
        assert_eq!(function_name("nothing"), None);
    }
}
