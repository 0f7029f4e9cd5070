//! Draws without a stream: whatever is drawn has a rank of its own, made of the seed, the drawing
//! query and the thing drawn. One more query or one more document shifts no other draw.

use sha2::{Digest, Sha256};

/// Where a thing stands in a keyed shuffle.
pub(super) type Rank = [u8; 32];

/// The rank of `parts` under `seed`. Lengths are hashed too, so no two lists of parts run together.
pub(super) fn rank(seed: u64, parts: &[&str]) -> Rank {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_depends_on_the_seed_and_on_where_parts_end() {
        let ranks = [rank(1, &["ab", "c"]), rank(1, &["a", "bc"]), rank(2, &["ab", "c"]), rank(1, &["abc"])];
        for (at, one) in ranks.iter().enumerate() {
            assert!(ranks[at + 1..].iter().all(|other| other != one));
        }
        assert_eq!(ranks[0], rank(1, &["ab", "c"]));
    }
}
