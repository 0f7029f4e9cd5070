//! Programs that are nearly the same: the ratio of Ratcliff and Obershelp over tokens, 2M / T.

use std::{collections::HashMap, sync::LazyLock};

use regex::Regex;

use crate::{sources::coreb::Code, stats::count};

const NEAR: f64 = 0.9;

static TOKEN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w+|[^\w\s]").expect("a valid pattern"));

/// Pairs in one language whose tokens agree by nine tenths or more.
pub(super) fn near_duplicates<'a>(codes: &[&'a Code]) -> Vec<(&'a Code, &'a Code)> {
    let tokens: Vec<Vec<&str>> =
        codes.iter().map(|code| TOKEN.find_iter(&code.code).map(|found| found.as_str()).collect()).collect();
    let mut near = Vec::new();
    for i in 0..codes.len() {
        for j in i + 1..codes.len() {
            if codes[i].language == codes[j].language && ratio(&tokens[i], &tokens[j]) >= NEAR {
                near.push((codes[i], codes[j]));
            }
        }
    }
    near
}

/// The ratio, or 0 where cheaper bounds are below what counts.
fn ratio(a: &[&str], b: &[&str]) -> f64 {
    let total = a.len() + b.len();
    let of = |n_same: usize| if total == 0 { 1.0 } else { 2.0 * count(n_same) / count(total) };
    if of(a.len().min(b.len())) < NEAR || of(n_common(a, b)) < NEAR {
        return 0.0;
    }
    let mut positions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (j, token) in b.iter().enumerate() {
        positions.entry(token).or_default().push(j);
    }
    let mut n_matched = 0;
    let mut open = vec![(0, a.len(), 0, b.len())];
    while let Some((from_a, to_a, from_b, to_b)) = open.pop() {
        let (i, j, size) = longest_match(a, &positions, (from_a, to_a), (from_b, to_b));
        if size > 0 {
            n_matched += size;
            open.push((from_a, i, from_b, j));
            open.push((i + size, to_a, j + size, to_b));
        }
    }
    of(n_matched)
}

/// Tokens in common, order aside.
fn n_common(a: &[&str], b: &[&str]) -> usize {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for token in b {
        *counts.entry(token).or_default() += 1;
    }
    a.iter()
        .filter(|token| {
            counts.get_mut(**token).is_some_and(|n| {
                if *n > 0 {
                    *n -= 1;
                    true
                } else {
                    false
                }
            })
        })
        .count()
}

/// The longest run that stands in both windows; the earliest of equals.
fn longest_match(
    a: &[&str],
    positions: &HashMap<&str, Vec<usize>>,
    window_a: (usize, usize),
    window_b: (usize, usize),
) -> (usize, usize, usize) {
    let mut best = (window_a.0, window_b.0, 0);
    // Lengths of the runs that end at the token before, by their position in b.
    let mut lengths: HashMap<usize, usize> = HashMap::new();
    for (i, token) in a.iter().enumerate().take(window_a.1).skip(window_a.0) {
        let mut next = HashMap::new();
        let here = positions.get(token).into_iter().flatten().copied();
        for j in here.filter(|j| (window_b.0..window_b.1).contains(j)) {
            let before = if j == 0 { 0 } else { lengths.get(&(j - 1)).copied().unwrap_or(0) };
            next.insert(j, before + 1);
            if before + 1 > best.2 {
                best = (i - before, j - before, before + 1);
            }
        }
        lengths = next;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_difflib() {
        let words = |text: &'static str| -> Vec<&str> { text.split(' ').collect() };
        let a = words("a b c d e f g h i j k l m n o p q r s t");
        let mut b = a.clone();
        b[4] = "x";
        assert!((ratio(&a, &b) - 0.95).abs() < 1e-12);
        b.swap(10, 11);
        assert!((ratio(&a, &b) - 0.9).abs() < 1e-12, "a swap costs one token");
        b[0] = "y";
        assert!(ratio(&a, &b) < NEAR);
        assert!((ratio(&[], &[]) - 1.0).abs() < 1e-12);
    }
}
