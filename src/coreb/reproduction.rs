//! Holds what was formed again against what was published, row by row and subtask by subtask.
//!
//! A row is identical when it stands in both in the same order; `created_at` is a clock and is not
//! compared. What is missing and why is known is told with its reason; what is missing for no reason
//! is a failure.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt::Write,
};

use serde::Serialize;

use super::{
    corpus::Lookup,
    forming::{self, Edition, Formed},
};
use crate::{
    sources::coreb::{PublishedQuery, Release},
    tables::{Qrel, query::Task},
};

/// How published rows and formed rows compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub published: usize,
    pub identical: usize,
    /// In both, at another place.
    pub order_differs: usize,
    pub missing: usize,
    pub extra: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.published += other.published;
        self.identical += other.identical;
        self.order_differs += other.order_differs;
        self.missing += other.missing;
        self.extra += other.extra;
    }
}

/// One kind of row: in total, and by subtask.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Side {
    #[serde(flatten)]
    pub total: Counts,
    pub by_subtask: BTreeMap<String, Counts>,
}

/// Rows that could not be formed, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unexplained {
    pub subtask: String,
    /// `queries` or `qrels`.
    pub rows: &'static str,
    pub count: usize,
    pub why: String,
}

/// What reproducing a release came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reproduction {
    pub release: &'static str,
    pub qrels: Side,
    pub queries: Side,
    /// v202602: judgements of relevance 1 that its pool rule allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance1_allowed_by_rule: Option<usize>,
    /// Of these, how many the pool leaves no choice about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance1_forced_by_pool: Option<usize>,
    pub unexplained: Vec<Unexplained>,
}

/// Forms the release in memory and compares.
#[must_use]
pub fn reproduce(release: &Release, edition: Edition) -> Reproduction {
    let formed = forming::form(release, edition);
    let subtasks = release.all_queries().map(|query| (query.query_id.as_str(), query.subtask.as_str())).collect();
    let qrels = compare_qrels(release, &formed, &subtasks);
    let queries = compare_queries(release, &formed);
    let mut unexplained = unknown_queries(&formed, &subtasks);
    let allowed = (!edition.draws_negatives()).then(|| Allowed::of(release));
    if allowed.is_some() {
        unexplained.extend(undrawn(&qrels));
    }
    Reproduction {
        release: edition.name(),
        qrels,
        queries,
        relevance1_allowed_by_rule: allowed.as_ref().map(|allowed| allowed.n_allowed),
        relevance1_forced_by_pool: allowed.map(|allowed| allowed.n_forced),
        unexplained,
    }
}

impl Reproduction {
    /// Whether everything is identical but for what is known to be out of reach.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let is_explained = |side: &Side, rows: &str| {
            let known: usize = self.unexplained.iter().filter(|part| part.rows == rows).map(|part| part.count).sum();
            side.total.missing <= known && side.total.extra == 0 && side.total.order_differs == 0
        };
        let undrawn: usize = self.qrels.total.missing;
        let is_allowed = self.relevance1_allowed_by_rule.is_none_or(|allowed| allowed == undrawn);
        is_explained(&self.qrels, "qrels") && is_explained(&self.queries, "queries") && is_allowed
    }

    /// A table for a person.
    #[must_use]
    pub fn render(&self) -> String {
        let mut table =
            crate::summary::table(&["subtask", ">published", ">identical", ">order differs", ">missing", ">extra"]);
        for (name, side) in [("qrels", &self.qrels), ("queries", &self.queries)] {
            let rows = side.by_subtask.iter().map(|(subtask, counts)| (subtask.as_str(), counts));
            for (subtask, counts) in rows.chain([("all", &side.total)]) {
                let Counts { published, identical, order_differs, missing, extra } = *counts;
                let numbers = [published, identical, order_differs, missing, extra].map(|n| n.to_string());
                table.add_row(std::iter::once(format!("{name} {subtask}")).chain(numbers));
            }
        }
        format!("{table}\n{}", self.render_reasons())
    }

    fn render_reasons(&self) -> String {
        let mut text = String::from("`created_at` is a clock and is not compared.\n");
        if let (Some(allowed), Some(forced)) = (self.relevance1_allowed_by_rule, self.relevance1_forced_by_pool) {
            let _ = writeln!(
                text,
                "{allowed} judgements of relevance 1 are allowed by the rule of their pool, {forced} of them forced by it."
            );
        }
        for Unexplained { subtask, rows, count, why } in &self.unexplained {
            let _ = writeln!(text, "unexplained: {count} {rows} of {subtask}: {why}");
        }
        text
    }
}

/// A row to compare: its subtask, and all that it says.
type Keyed = (String, String);

/// Compares two sequences. What is in both counts as identical where it comes in the same order.
fn compare(published: &[Keyed], formed: &[Keyed]) -> BTreeMap<String, Counts> {
    let all = |rows: &'_ [Keyed]| -> HashSet<String> { rows.iter().map(|(_, key)| key.clone()).collect() };
    let (in_published, in_formed) = (all(published), all(formed));
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    let mut common = formed.iter().filter(|(_, key)| in_published.contains(key));
    for (subtask, key) in published {
        let counts = counts.entry(subtask.clone()).or_default();
        counts.published += 1;
        if !in_formed.contains(key) {
            counts.missing += 1;
        } else if common.next().is_some_and(|(_, formed)| formed == key) {
            counts.identical += 1;
        } else {
            counts.order_differs += 1;
        }
    }
    for (subtask, _) in formed.iter().filter(|(_, key)| !in_published.contains(key)) {
        counts.entry(subtask.clone()).or_default().extra += 1;
    }
    counts
}

impl Side {
    fn extend(&mut self, counts: BTreeMap<String, Counts>) {
        for (subtask, counts) in counts {
            self.total.add(counts);
            self.by_subtask.entry(subtask).or_default().add(counts);
        }
    }
}

fn compare_qrels(release: &Release, formed: &Formed, subtasks: &HashMap<&str, &str>) -> Side {
    let mut subtasks: HashMap<&str, &str> = subtasks.clone();
    subtasks.extend(formed.queries.values().flatten().map(|query| (query.query_id.as_str(), query.subtask.as_str())));
    let keyed = |qrel: &Qrel| {
        let subtask = subtasks.get(qrel.query_id.as_str()).copied().unwrap_or("unknown");
        (subtask.to_owned(), format!("{} {} {}", qrel.query_id, qrel.doc_id, qrel.relevance))
    };
    let rows = |qrels: Option<&Vec<Qrel>>| -> Vec<Keyed> { qrels.into_iter().flatten().map(keyed).collect() };
    let mut side = Side::default();
    for task in Task::ALL {
        side.extend(compare(&rows(release.qrels.get(&task)), &rows(formed.qrels.get(&task))));
    }
    side
}

fn compare_queries(release: &Release, formed: &Formed) -> Side {
    let keyed = |query: &PublishedQuery| {
        let timeless = PublishedQuery { created_at: String::new(), ..query.clone() };
        (query.subtask.clone(), format!("{timeless:?}"))
    };
    let rows =
        |queries: Option<&Vec<PublishedQuery>>| -> Vec<Keyed> { queries.into_iter().flatten().map(keyed).collect() };
    let mut side = Side::default();
    for task in Task::ALL {
        side.extend(compare(&rows(release.queries.get(&task)), &rows(formed.queries.get(&task))));
    }
    side
}

fn unknown_queries(formed: &Formed, subtasks: &HashMap<&str, &str>) -> Vec<Unexplained> {
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for (query_id, why) in &formed.unknown {
        let subtask = subtasks.get(query_id.as_str()).copied().unwrap_or("unknown");
        *counts.entry((subtask.to_owned(), why)).or_default() += 1;
    }
    let unexplained = |((subtask, why), count): ((String, &str), usize)| Unexplained {
        subtask,
        rows: "queries",
        count,
        why: why.to_owned(),
    };
    counts.into_iter().map(unexplained).collect()
}

fn undrawn(qrels: &Side) -> Vec<Unexplained> {
    const WHY: &str = "hard negatives were added by another program; no seed or stream gives their draw";
    let missing = qrels.by_subtask.iter().filter(|(_, counts)| counts.missing > 0);
    let unexplained = |(subtask, counts): (&String, &Counts)| Unexplained {
        subtask: subtask.clone(),
        rows: "qrels",
        count: counts.missing,
        why: WHY.to_owned(),
    };
    missing.map(unexplained).collect()
}

/// v202602's rule of hard negatives: three of what is there, failed programs before passed ones;
/// for code-to-text queries any three noise texts of the release.
struct Allowed {
    n_allowed: usize,
    n_forced: usize,
}

impl Allowed {
    fn of(release: &Release) -> Self {
        let lookup = Lookup::of(release);
        let mut judged: HashMap<&str, Vec<&Qrel>> = HashMap::new();
        for qrel in release.all_qrels() {
            judged.entry(&qrel.query_id).or_default().push(qrel);
        }
        let mut allowed = Self { n_allowed: 0, n_forced: 0 };
        for query in release.all_queries() {
            let qrels = judged.get(query.query_id.as_str()).map_or(&[][..], Vec::as_slice);
            allowed.count(query, qrels, &lookup);
        }
        allowed
    }

    fn count(&mut self, query: &PublishedQuery, qrels: &[&Qrel], lookup: &Lookup) {
        let drawn: Vec<&str> =
            qrels.iter().filter(|qrel| qrel.relevance == 1).map(|qrel| qrel.doc_id.as_str()).collect();
        if query.subtask.starts_with("c2t_") {
            let is_noise = |id: &&&str| lookup.texts.get(**id).is_some_and(|text| text.is_noise());
            self.n_allowed += if drawn.len() == MAX_DRAWN { drawn.iter().filter(is_noise).count() } else { 0 };
            return;
        }
        let Some(problem) = lookup.problems.get(query.problem_id.as_str()) else { return };
        let taken: HashSet<&str> = qrels
            .iter()
            .filter(|qrel| qrel.relevance == 2)
            .map(|qrel| qrel.doc_id.as_str())
            .chain(query.anchor_code_id.as_deref())
            .collect();
        let free = |passed| problem.codes.iter().filter(move |code| code.passed == passed);
        let free = |passed| -> HashSet<&str> {
            free(passed).map(|code| code.code_id.as_str()).filter(|id| !taken.contains(id)).collect()
        };
        let (failed, passed) = (free(false), free(true));
        let n_failed = drawn.iter().filter(|id| failed.contains(*id)).count();
        let n_passed = drawn.iter().filter(|id| passed.contains(*id)).count();
        let n_wanted = MAX_DRAWN.min(failed.len() + passed.len());
        let obeys =
            n_failed == MAX_DRAWN.min(failed.len()) && n_failed + n_passed == drawn.len() && drawn.len() == n_wanted;
        self.n_allowed += if obeys { drawn.len() } else { 0 };
        self.n_forced += usize::from(failed.len() <= MAX_DRAWN) * n_failed;
        self.n_forced += usize::from(failed.len() + passed.len() <= MAX_DRAWN) * n_passed;
    }
}

const MAX_DRAWN: usize = 3;
