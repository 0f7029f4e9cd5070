//! Documents with the same text, and whether they are judged alike.

use std::collections::{BTreeMap, BTreeSet};

use super::{Findings, Rule};

/// A judgement as far as it matters here.
pub(super) type Judged<'a> = (&'a str, &'a str, i64);

/// `documents` are ids with texts; an absent judgement is grade 0.
pub(super) fn check<'a>(
    documents: impl Iterator<Item = (&'a str, &'a str)>,
    qrels: impl Iterator<Item = Judged<'a>>,
    findings: &mut Findings,
) {
    let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (id, text) in documents {
        by_text.entry(text).or_default().push(id);
    }
    let groups: Vec<Vec<&str>> = by_text.into_values().filter(|ids| ids.len() > 1).collect();
    let group_of: BTreeMap<&str, usize> =
        groups.iter().enumerate().flat_map(|(at, ids)| ids.iter().map(move |id| (*id, at))).collect();
    let mut grades: BTreeMap<(usize, &str), BTreeMap<&str, i64>> = BTreeMap::new();
    for (query_id, doc_id, grade) in qrels {
        if let Some(group) = group_of.get(doc_id) {
            grades.entry((*group, query_id)).or_default().insert(doc_id, grade);
        }
    }
    let mut contradictory = BTreeSet::new();
    for ((group, query_id), judged) in grades {
        let grade = |id: &str| judged.get(id).copied().unwrap_or(0);
        let ids = &groups[group];
        if let Some(other) = ids.iter().find(|id| grade(id) != grade(ids[0])) {
            let (first, second) = (grade(ids[0]), grade(other));
            findings.add(
                Rule::ContradictoryDuplicates,
                format!("`{}` (grade {first}) and `{other}` (grade {second}) of `{query_id}`", ids[0]),
            );
            contradictory.insert(group);
        }
    }
    let alike = groups.iter().enumerate().filter(|(at, _)| !contradictory.contains(at));
    for ids in alike.map(|(_, ids)| ids) {
        findings.add(Rule::IdenticalDocuments, format!("`{}` and `{}`{}", ids[0], ids[1], more(ids)));
    }
}

fn more(ids: &[&str]) -> String {
    if ids.len() > 2 { format!(" and {} more", ids.len() - 2) } else { String::new() }
}
