//! BM25 as Lucene computes it, over terms made for code.
//!
//! score(q, d) = Σ over the terms of q of idf · tf / (tf + k1 · (1 - b + b · |d| / mean |d|)), with
//! idf = ln(1 + (N - df + 0.5) / (df + 0.5)), in double precision; a term that stands twice in the
//! query counts twice. Equal input gives equal scores with any number of threads.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use super::{Hit, Ranking, Rankings, order};
use crate::stats::count;

/// Lucene's defaults.
pub const K1: f64 = 1.2;
pub const B: f64 = 0.75;

/// One line on how texts become terms, for reports.
pub const TOKENIZER: &str = "runs of letters, digits and `_`, lower case; an identifier as a whole and its camelCase and snake_case parts; \
     no stemming, no stop words";

/// An inverted index.
#[derive(Debug)]
pub struct Bm25 {
    doc_ids: Vec<String>,
    /// k1 · (1 - b + b · |d| / mean |d|), by document.
    norms: Vec<f64>,
    terms: HashMap<String, Term>,
}

#[derive(Debug, Default)]
struct Term {
    idf: f64,
    /// Document and term frequency, by rising document.
    postings: Vec<(usize, f64)>,
}

impl Bm25 {
    /// Indexes `(id, text)` pairs.
    #[must_use]
    pub fn new(documents: &[(String, String)]) -> Self {
        let counts: Vec<BTreeMap<String, usize>> = documents.par_iter().map(|(_, text)| term_counts(text)).collect();
        let lengths: Vec<f64> = counts.iter().map(|terms| count(terms.values().sum())).collect();
        let mean = crate::stats::mean(&lengths).filter(|mean| *mean > 0.0).unwrap_or(1.0);
        let norms = lengths.iter().map(|length| K1 * (1.0 - B + B * length / mean)).collect();
        let mut terms: HashMap<String, Term> = HashMap::new();
        for (doc, counts) in counts.into_iter().enumerate() {
            for (term, n) in counts {
                terms.entry(term).or_default().postings.push((doc, count(n)));
            }
        }
        for term in terms.values_mut() {
            let df = count(term.postings.len());
            term.idf = (1.0 + (count(documents.len()) - df + 0.5) / (df + 0.5)).ln();
        }
        Self { doc_ids: documents.iter().map(|(id, _)| id.clone()).collect(), norms, terms }
    }

    /// The best `depth` documents that share a term with the query.
    #[must_use]
    pub fn search(&self, query: &str, depth: usize) -> Ranking {
        #[expect(clippy::cast_possible_truncation, reason = "rankings compare single precision")]
        let score = |(doc, score): (usize, f64)| (doc, score as f32);
        let mut hits: Vec<(usize, f32)> =
            self.scores(query).into_iter().enumerate().filter(|(_, score)| *score > 0.0).map(score).collect();
        hits.sort_by(|a, b| order((a.1, &self.doc_ids[a.0]), (b.1, &self.doc_ids[b.0])));
        hits.truncate(depth);
        Ranking(hits.into_iter().map(|(doc, score)| Hit { doc_id: self.doc_ids[doc].clone(), score }).collect())
    }

    /// Scores of all documents. Terms are added up in the order of their bytes, so that sums do not
    /// depend on the query's word order.
    fn scores(&self, query: &str) -> Vec<f64> {
        let mut scores = vec![0.0; self.doc_ids.len()];
        for (term, n) in term_counts(query) {
            let Some(term) = self.terms.get(&term) else { continue };
            for (doc, tf) in &term.postings {
                scores[*doc] += count(n) * term.idf * tf / (tf + self.norms[*doc]);
            }
        }
        scores
    }

    /// Searches for many `(id, text)` queries.
    #[must_use]
    pub fn search_all(&self, queries: &[(String, String)], depth: usize) -> Rankings {
        queries.par_iter().map(|(id, text)| (id.clone(), self.search(text, depth))).collect()
    }
}

fn term_counts(text: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for term in tokenize(text) {
        *counts.entry(term).or_insert(0) += 1;
    }
    counts
}

/// The terms of a text, see [`TOKENIZER`].
#[must_use]
pub fn tokenize(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for identifier in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        let parts = parts(identifier);
        if parts.len() > 1 {
            terms.push(identifier.trim_matches('_').to_lowercase());
        }
        terms.extend(parts.into_iter().map(str::to_lowercase));
    }
    terms
}

/// `maxHTTPValue_2` → `max`, `HTTP`, `Value`, `2`. Digits stay with the letters before them.
fn parts(identifier: &str) -> Vec<&str> {
    identifier.split('_').flat_map(camel_parts).collect()
}

fn camel_parts(word: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = word.char_indices().collect();
    let mut parts = Vec::new();
    let mut start = 0;
    for i in 1..chars.len() {
        let (before, here) = (chars[i - 1].1, chars[i].1);
        let next_is_lower = chars.get(i + 1).is_some_and(|(_, next)| next.is_lowercase());
        if here.is_uppercase() && (!before.is_uppercase() || next_is_lower) {
            parts.push(&word[start..chars[i].0]);
            start = chars[i].0;
        }
    }
    if start < word.len() {
        parts.push(&word[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents() -> Vec<(String, String)> {
        [
            ("d1", "int maxValue = computeMax(values);"),
            ("d2", "def compute_max(values): return max(values)"),
            ("d3", "the quick brown fox"),
            ("d4", "values values values int"),
        ]
        .map(|(id, text)| (id.to_owned(), text.to_owned()))
        .to_vec()
    }

    #[test]
    fn identifiers_are_terms_as_a_whole_and_in_parts() {
        assert_eq!(tokenize("maxHTTPValue_2"), ["maxhttpvalue_2", "max", "http", "value", "2"]);
        assert_eq!(tokenize("dp2[i]+=x;"), ["dp2", "i", "x"]);
        assert_eq!(tokenize("__init__ _ \"10^5\""), ["init", "10", "5"]);
        assert_eq!(tokenize("parseJSON Éa"), ["parsejson", "parse", "json", "éa"]);
    }

    #[test]
    fn scores_are_those_of_bm25s_with_the_method_lucene() {
        let index = Bm25::new(&documents());
        let query = "compute the max of values max";
        let expected = [1.212_097_056_153_694, 1.273_241_332_257_477, 0.633_669_897_013_650_5, 0.274_365_341_491_332_6];
        for (found, expected) in index.scores(query).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn rankings_do_not_depend_on_the_number_of_threads_or_the_order_of_words() {
        let documents: Vec<(String, String)> =
            (0..300).map(|i| (format!("d{i}"), format!("w{} w{} w{} w{}", i % 7, i % 11, i % 13, i % 17))).collect();
        let queries: Vec<(String, String)> = (0..50).map(|i| (format!("q{i}"), format!("w{i} w3 w1"))).collect();
        let with = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| Bm25::new(&documents).search_all(&queries, 100))
        };
        assert_eq!(with(1), with(2));
        let index = Bm25::new(&documents);
        assert_eq!(index.search("w1 w2 w3", 9), index.search("w3 w1 w2", 9));
    }

    #[test]
    fn documents_without_a_common_term_are_not_retrieved() {
        let index = Bm25::new(&documents());
        assert_eq!(index.search("fox", 10).hits().len(), 1);
        assert!(index.search("", 10).hits().is_empty());
        assert!(Bm25::new(&[]).search("fox", 10).hits().is_empty());
    }
}
