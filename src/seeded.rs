//! Draws that hang on a seed and a name, and on nothing else.
//!
//! Each draw is keyed by what it is for, not taken from a running stream: adding a row never shifts
//! another row's draw, and neither the order of rows nor the number of workers matters.

use sha2::{Digest, Sha256};

/// A 64-bit value for (seed, parts): the first eight bytes of their sha256.
#[must_use]
pub fn value(seed: u64, parts: &[&str]) -> u64 {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("a sha256 has 32 bytes"))
}

/// A number in `[0, 1)` for (seed, parts).
#[must_use]
pub fn unit(seed: u64, parts: &[&str]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    let unit = (value(seed, parts) >> 11) as f64 / (1_u64 << 53) as f64;
    unit
}

/// At most `n` of `items`, drawn uniformly without replacement for (seed, parts), in draw order.
/// `name` tells items apart; equal names are equally likely to be dropped.
#[must_use]
pub fn sample<T>(seed: u64, parts: &[&str], items: Vec<T>, n: usize, name: impl Fn(&T) -> String) -> Vec<T> {
    let mut keyed: Vec<(u64, String, T)> = items
        .into_iter()
        .map(|item| {
            let name = name(&item);
            let mut all = parts.to_vec();
            all.push(&name);
            (value(seed, &all), name, item)
        })
        .collect();
    keyed.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    keyed.into_iter().take(n).map(|(_, _, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_does_not_hang_on_the_order_of_items() {
        let items: Vec<u32> = (0..100).collect();
        let reversed: Vec<u32> = (0..100).rev().collect();
        let draw = |items| sample(42, &["q"], items, 7, u32::to_string);
        assert_eq!(draw(items), draw(reversed));
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(value(1, &["ab", "c"]), value(1, &["a", "bc"]));
    }

    #[test]
    fn draws_spread_evenly_enough() {
        let mut counts = [0_u32; 10];
        for query in 0..2000_u32 {
            let drawn = sample(1, &[&query.to_string()], (0..10_usize).collect(), 3, usize::to_string);
            for item in drawn {
                counts[item] += 1;
            }
        }
        assert!(counts.iter().all(|count| (500..700).contains(count)), "{counts:?}");
    }
}
