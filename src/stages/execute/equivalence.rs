//! Does a program that passes the original tests pass the rewritten ones?

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    tables::{Rewrite, RewriteCheck, Suite, VerdictRow, rewrite_check::Equivalence},
    verdict::Verdict,
};

/// One row a rewrite. Only problems with changed tests have something to show.
pub(super) fn checks(rewrites: &BTreeMap<String, Rewrite>, verdicts: &[VerdictRow]) -> Vec<RewriteCheck> {
    let mut passed: BTreeMap<(&str, Suite), BTreeSet<&str>> = BTreeMap::new();
    for row in verdicts.iter().filter(|row| row.verdict == Verdict::Accepted) {
        passed.entry((row.problem_id.as_str(), row.suite)).or_default().insert(row.subject_id.as_str());
    }
    let none = BTreeSet::new();
    let check = |rewrite: &Rewrite| {
        let of = |suite| passed.get(&(rewrite.problem_id.as_str(), suite)).unwrap_or(&none);
        let n_changed = rewrite.tests.iter().filter(|test| test.changed).count();
        let n_original = of(Suite::Original).len();
        let n_both = of(Suite::Original).intersection(of(Suite::Rewritten)).count();
        RewriteCheck {
            problem_id: rewrite.problem_id.clone(),
            equivalence: equivalence(n_changed, n_original, n_both),
            n_changed_tests: u32::try_from(n_changed).unwrap_or(u32::MAX),
            n_pass_original: u32::try_from(n_original).unwrap_or(u32::MAX),
            n_pass_both: u32::try_from(n_both).unwrap_or(u32::MAX),
        }
    };
    rewrites.values().map(check).collect()
}

fn equivalence(n_changed: usize, n_original: usize, n_both: usize) -> Equivalence {
    match (n_changed, n_original) {
        (0, _) => Equivalence::SameTests,
        (_, 0) => Equivalence::Unproven,
        _ if n_both == n_original => Equivalence::Holds,
        _ => Equivalence::Broken,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_program_that_fails_the_rewrite_breaks_it() {
        assert_eq!(equivalence(0, 0, 0), Equivalence::SameTests);
        assert_eq!(equivalence(3, 0, 0), Equivalence::Unproven);
        assert_eq!(equivalence(3, 5, 5), Equivalence::Holds);
        assert_eq!(equivalence(3, 5, 4), Equivalence::Broken);
    }
}
