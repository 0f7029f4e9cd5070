//! The measures themselves, one ranking at a time, as `trec_eval` defines them. Hits come best
//! first; none of these functions knows a document.

use crate::stats::count;

/// nDCG with linear gain over the first `k` hits. `judged` are the gains of all judged documents.
/// 0 where nothing gains.
#[must_use]
pub fn ndcg(gains: &[u32], judged: &[u32], k: usize) -> f64 {
    let mut ideal = judged.to_vec();
    ideal.sort_unstable_by(|a, b| b.cmp(a));
    let best = dcg(&ideal, k);
    if best > 0.0 { dcg(gains, k) / best } else { 0.0 }
}

fn dcg(gains: &[u32], k: usize) -> f64 {
    gains.iter().take(k).enumerate().map(|(i, gain)| f64::from(*gain) / count(i + 2).log2()).sum()
}

/// Average precision over the first `k` hits, divided by all `n_relevant`.
#[must_use]
pub fn average_precision(relevant: &[bool], n_relevant: usize, k: usize) -> f64 {
    let mut n_found = 0;
    let mut sum = 0.0;
    for (i, _) in relevant.iter().take(k).enumerate().filter(|(_, is_relevant)| **is_relevant) {
        n_found += 1;
        sum += count(n_found) / count(i + 1);
    }
    if n_relevant > 0 { sum / count(n_relevant) } else { 0.0 }
}

#[must_use]
pub fn recall(relevant: &[bool], n_relevant: usize, k: usize) -> f64 {
    if n_relevant > 0 { count(n_found(relevant, k)) / count(n_relevant) } else { 0.0 }
}

/// Divided by `k` even where fewer were retrieved.
#[must_use]
pub fn precision(relevant: &[bool], k: usize) -> f64 {
    if k > 0 { count(n_found(relevant, k)) / count(k) } else { 0.0 }
}

#[must_use]
pub fn reciprocal_rank(relevant: &[bool]) -> f64 {
    relevant.iter().position(|is_relevant| *is_relevant).map_or(0.0, |i| 1.0 / count(i + 1))
}

fn n_found(relevant: &[bool], k: usize) -> usize {
    relevant.iter().take(k).filter(|is_relevant| **is_relevant).count()
}
