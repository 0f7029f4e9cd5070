//! Rankings, and what makes them: BM25 over the collections of a release.
//!
//! A ranking's order is the one in which `trec_eval` reads a run, so that whoever rescores a run
//! file gets our numbers. What a ranking is worth is said in [`crate::scoring`], not here.

pub mod bm25;
pub mod collection;
pub mod run_file;

use std::{cmp::Ordering, collections::BTreeMap};

pub use bm25::Bm25;
pub use collection::Collection;

use rayon::prelude::*;

/// A retrieved document.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub doc_id: String,
    /// Single precision, since `trec_eval` keeps scores so: what it takes for a tie is one here.
    pub score: f32,
}

/// One query's hits, best first: by score, then by document id descending as bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking(Vec<Hit>);

/// The rankings of many queries, by query id.
pub type Rankings = BTreeMap<String, Ranking>;

impl Ranking {
    /// Sorts hits of any order.
    #[must_use]
    pub fn new(mut hits: Vec<Hit>) -> Self {
        hits.sort_by(|a, b| order((a.score, &a.doc_id), (b.score, &b.doc_id)));
        Self(hits)
    }

    #[must_use]
    pub fn hits(&self) -> &[Hit] {
        &self.0
    }

    /// Leaves a document out.
    pub fn remove(&mut self, doc_id: &str) {
        self.0.retain(|hit| hit.doc_id != doc_id);
    }

    /// Keeps the best `depth`.
    pub fn truncate(&mut self, depth: usize) {
        self.0.truncate(depth);
    }
}

/// The order of a run: scores descending, ids descending.
fn order(a: (f32, &str), b: (f32, &str)) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| b.1.as_bytes().cmp(a.1.as_bytes()))
}

/// The `n` texts nearest to each text by BM25, itself left out, best first. A text that shares no
/// term with any other has none.
#[must_use]
pub fn nearest(texts: &[(String, String)], n: usize) -> BTreeMap<String, Vec<String>> {
    let index = Bm25::new(texts);
    let neighbours = |(id, text): &(String, String)| {
        let hits = index.search(text, n + 1);
        let others = hits.hits().iter().map(|hit| hit.doc_id.clone()).filter(|other| other != id);
        (id.clone(), others.take(n).collect())
    };
    texts.par_iter().map(neighbours).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(doc_id: &str, score: f32) -> Hit {
        Hit { doc_id: doc_id.to_owned(), score }
    }

    #[test]
    fn ties_are_broken_by_document_id_descending_as_bytes() {
        let ranking = Ranking::new(["a", "é", "B", "ab", "z"].map(|id| hit(id, 1.0)).to_vec());
        let ids: Vec<&str> = ranking.hits().iter().map(|hit| hit.doc_id.as_str()).collect();
        assert_eq!(ids, ["é", "z", "ab", "a", "B"]);
    }

    #[test]
    fn nearest_texts_leave_out_the_text_itself() {
        let texts = [("a", "walk the tree"), ("b", "walk the graph"), ("c", "walk the tree again"), ("d", "sum")]
            .map(|(id, text)| (id.to_owned(), text.to_owned()));
        let nearest = nearest(&texts, 1);
        assert_eq!(nearest["a"], ["c"]);
        assert_eq!(nearest["c"], ["a"]);
        assert!(nearest["d"].is_empty());
    }
}
