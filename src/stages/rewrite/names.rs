//! Proper names of a statement, and whether a rewrite still holds one.
//!
//! A name is a capitalised word in mid-sentence that the text never writes small. That misses names
//! that only begin sentences and is meant to: a false alarm costs a paid rewrite.

use std::collections::BTreeSet;

/// Capitalised words that are no names.
const COMMON: [&str; 54] = [
    "Input",
    "Output",
    "Example",
    "Examples",
    "Sample",
    "Constraints",
    "Constraint",
    "Explanation",
    "Note",
    "Notes",
    "Yes",
    "No",
    "True",
    "False",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
    "English",
    "Latin",
    "Unicode",
    "Euclidean",
    "Manhattan",
    "Fibonacci",
    "Print",
    "Problem",
    "Description",
    "Standard",
    "Format",
    "Statement",
    "Time",
    "Limit",
    "Memory",
    "Score",
    "Points",
    "Subtask",
    "Subtasks",
    "Task",
    "Return",
    "Given",
];

/// Names of `original` that stand in `rewrite` as whole words, sorted.
pub(super) fn kept(original: &str, rewrite: &str) -> Vec<String> {
    let words: BTreeSet<&str> = words(rewrite).map(|(_, word)| word).collect();
    names(original).into_iter().filter(|name| words.contains(name.as_str())).collect()
}

fn names(text: &str) -> BTreeSet<String> {
    let small: BTreeSet<&str> =
        words(text).map(|(_, word)| word).filter(|word| word.starts_with(char::is_lowercase)).collect();
    words(text)
        .filter(|(at, word)| is_capitalised(word) && !begins_sentence(&text[..*at]))
        .map(|(_, word)| word)
        .filter(|word| !COMMON.contains(word) && !small.contains(word.to_lowercase().as_str()))
        .map(str::to_owned)
        .collect()
}

/// Words with where they begin.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !is_word(c)).filter(|word| !word.is_empty()).map(move |word| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        (at, word)
    })
}

/// One capital, then at least two small letters and nothing else.
fn is_capitalised(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase) && word.chars().count() >= 3 && chars.all(char::is_lowercase)
}

/// Whether what stands before ends a sentence, a line or a heading. Inside quotes and brackets a
/// word begins a thing of its own.
fn begins_sentence(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let trimmed = line.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '(' | '[' | '`' | '-' | '*' | '“' | '‘')
    });
    trimmed.is_empty() || trimmed.ends_with(['.', '!', '?', ':', ';', '=', ','].as_slice()) && !trimmed.ends_with(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_name_is_named() {
        let original = "In the harbour of Skarnholm the keeper Barrowick counts boats. Boats leave.";
        assert_eq!(kept(original, "In Skarnholm somebody counts."), ["Skarnholm"]);
        assert!(kept(original, "In the garden of Ambleford somebody counts plants.").is_empty());
    }

    #[test]
    fn words_that_also_stand_small_or_begin_sentences_are_no_names() {
        assert!(names("The lamp burns. Lamp Oil is dear, and oil lasts. Print it.").is_empty());
    }

    #[test]
    fn headings_and_answers_are_no_names() {
        assert!(names("print Yes or No. See Sample Input 1 and the Constraints").is_empty());
    }
}
