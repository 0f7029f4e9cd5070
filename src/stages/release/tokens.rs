//! Token counts by `cl100k_base`, of each distinct text once.

use std::collections::HashMap;

use rayon::prelude::*;
use tiktoken_rs::CoreBPE;

use super::pieces::Pieces;

/// Texts that share one memory of pieces.
const CHUNK: usize = 256;

/// Counts by text. Only looked up in, so its order shows nowhere.
pub(super) struct Tokens<'a>(HashMap<&'a str, usize>);

/// How a list of counts is spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spread {
    pub n_texts: usize,
    pub total: usize,
    pub median: usize,
    pub p95: usize,
    pub max: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn count(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut distinct: Vec<&str> = texts.collect();
        distinct.sort_unstable();
        distinct.dedup();
        let encoder = tiktoken_rs::cl100k_base_singleton();
        let counts: Vec<Vec<usize>> = distinct.par_chunks(CHUNK).map(|texts| count_chunk(encoder, texts)).collect();
        Self(distinct.into_iter().zip(counts.into_iter().flatten()).collect())
    }

    /// The spread over texts, each as often as it stands there.
    pub(super) fn spread<'b>(&self, texts: impl Iterator<Item = &'b str>) -> Spread {
        let mut counts: Vec<usize> = texts.map(|text| self.0.get(text).copied().unwrap_or(0)).collect();
        counts.sort_unstable();
        // Nearest rank: the least count that at least so many per cent of the texts do not exceed.
        let at = |percent: usize| counts.get((counts.len() * percent).div_ceil(100).saturating_sub(1)).copied();
        Spread {
            n_texts: counts.len(),
            total: counts.iter().sum(),
            median: at(50).unwrap_or(0),
            p95: at(95).unwrap_or(0),
            max: counts.last().copied().unwrap_or(0),
        }
    }
}

/// Most pieces of programs and prose stand in them again and again: each is encoded once.
fn count_chunk<'a>(encoder: &CoreBPE, texts: &[&'a str]) -> Vec<usize> {
    let mut known: HashMap<&'a str, usize> = HashMap::new();
    let mut count_piece = |piece: &'a str| *known.entry(piece).or_insert_with(|| encoder.count_ordinary(piece));
    let count = |text: &&'a str| match Pieces::of(text) {
        Some(pieces) => pieces.map(&mut count_piece).sum(),
        None => encoder.count_ordinary(text),
    };
    texts.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_count_texts_as_often_as_they_stand() {
        let texts = ["a", "a a a", "a a", "a"];
        let tokens = Tokens::count(texts.into_iter());
        let spread = tokens.spread(texts.into_iter());
        assert_eq!(spread, Spread { n_texts: 4, total: 7, median: 1, p95: 3, max: 3 });
        assert_eq!(tokens.spread(std::iter::empty()), Spread::default());
    }
}
