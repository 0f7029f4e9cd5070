//! What two releases have in common, by content and by id.
//!
//! Two releases that are to be scored together must share no problem, and no id may stand for two
//! things. Both are told here, beside what was added, removed and changed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use serde::Serialize;

use crate::sources::coreb::Release;

const MAX_EXAMPLES: usize = 5;

/// One kind of thing in two releases, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    pub added: usize,
    pub removed: usize,
    /// The same id, another content.
    pub changed: usize,
    pub same: usize,
    pub examples: Vec<String>,
}

/// Ids that stand for different things in the two releases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Collisions {
    pub code_ids: usize,
    pub text_ids: usize,
    pub query_ids: usize,
}

/// What stands in both releases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shared {
    pub problems: usize,
    /// Documents and queries with the very same text, whatever their ids.
    pub code_texts: usize,
    pub statement_texts: usize,
    pub query_texts: usize,
}

/// B against A.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diff {
    pub problems: Changes,
    pub codes: Changes,
    pub texts: Changes,
    pub queries: Changes,
    /// By query and document; another grade is a change.
    pub judgements: Changes,
    pub id_collisions: Collisions,
    pub shared: Shared,
    /// No problem and no document in common.
    pub disjoint: bool,
}

#[must_use]
pub fn diff(a: &Release, b: &Release) -> Diff {
    let problems = Changes::between(&problems(a), &problems(b));
    let codes = Changes::between(&codes(a), &codes(b));
    let texts = Changes::between(&texts(a), &texts(b));
    let queries = Changes::between(&queries(a), &queries(b));
    let judgements = Changes::between(&judgements(a), &judgements(b));
    let id_collisions = Collisions { code_ids: codes.changed, text_ids: texts.changed, query_ids: queries.changed };
    let shared = Shared {
        problems: problems.same + problems.changed,
        code_texts: n_common(a.codes.iter().map(|code| &code.code), b.codes.iter().map(|code| &code.code)),
        statement_texts: n_common(a.texts.iter().map(|text| &text.text), b.texts.iter().map(|text| &text.text)),
        query_texts: n_common(a.all_queries().map(|query| &query.query), b.all_queries().map(|query| &query.query)),
    };
    let disjoint = shared.problems == 0 && shared.code_texts == 0 && shared.statement_texts == 0;
    Diff { problems, codes, texts, queries, judgements, id_collisions, shared, disjoint }
}

type ById = BTreeMap<String, String>;

/// A problem is its statement.
fn problems(release: &Release) -> ById {
    let statements = release.texts.iter().filter(|text| !text.is_noise());
    statements.map(|text| (text.source_problem_id.clone(), text.text.clone())).collect()
}

fn codes(release: &Release) -> ById {
    let content = |code: &crate::sources::coreb::Code| format!("{}\0{}\0{}", code.problem_id, code.language, code.code);
    release.codes.iter().map(|code| (code.code_id.clone(), content(code))).collect()
}

fn texts(release: &Release) -> ById {
    release.texts.iter().map(|text| (text.text_id.clone(), text.text.clone())).collect()
}

/// A query is its problem and its text.
fn queries(release: &Release) -> ById {
    let content = |query: &crate::sources::coreb::PublishedQuery| format!("{}\0{}", query.problem_id, query.query);
    release.all_queries().map(|query| (query.query_id.clone(), content(query))).collect()
}

fn judgements(release: &Release) -> ById {
    let row = |qrel: &crate::tables::Qrel| (format!("{} {}", qrel.query_id, qrel.doc_id), qrel.relevance.to_string());
    release.all_qrels().map(row).collect()
}

impl Changes {
    fn between(a: &ById, b: &ById) -> Self {
        let mut changes = Self::default();
        let mut examples = Vec::new();
        for (id, content) in a {
            match b.get(id) {
                None => {
                    changes.removed += 1;
                    examples.push(format!("removed `{id}`"));
                }
                Some(other) if other == content => changes.same += 1,
                Some(_) => {
                    changes.changed += 1;
                    examples.push(format!("changed `{id}`"));
                }
            }
        }
        let added: Vec<&String> = b.keys().filter(|id| !a.contains_key(*id)).collect();
        changes.added = added.len();
        examples.extend(added.into_iter().map(|id| format!("added `{id}`")));
        examples.truncate(MAX_EXAMPLES);
        Self { examples, ..changes }
    }
}

fn n_common<'a>(a: impl Iterator<Item = &'a String>, b: impl Iterator<Item = &'a String>) -> usize {
    let a: BTreeSet<&String> = a.collect();
    b.collect::<BTreeSet<&String>>().intersection(&a).count()
}

impl Diff {
    /// For a person.
    #[must_use]
    pub fn render(&self) -> String {
        let mut table = crate::summary::table(&["", ">added", ">removed", ">changed", ">same"]);
        let kinds = [
            ("problems", &self.problems),
            ("programs", &self.codes),
            ("texts", &self.texts),
            ("queries", &self.queries),
            ("judgements", &self.judgements),
        ];
        for (name, changes) in kinds {
            let Changes { added, removed, changed, same, .. } = changes;
            let numbers = [added, removed, changed, same].map(ToString::to_string);
            table.add_row(std::iter::once(name.to_owned()).chain(numbers));
        }
        let mut text = format!("{table}\n");
        let Collisions { code_ids, text_ids, query_ids } = self.id_collisions;
        let n_collisions = code_ids + text_ids + query_ids;
        let _ = writeln!(
            text,
            "ids that stand for different things: {n_collisions} ({code_ids} programs, {text_ids} texts, {query_ids} queries)"
        );
        let Shared { problems, code_texts, statement_texts, query_texts } = self.shared;
        let _ = writeln!(
            text,
            "in both: {problems} problems; same text: {code_texts} programs, {statement_texts} texts, {query_texts} queries"
        );
        let verdict = if self.disjoint { "disjoint" } else { "not disjoint" };
        let _ = write!(text, "the releases are {verdict}");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_id(rows: &[(&str, &str)]) -> ById {
        rows.iter().map(|(id, content)| ((*id).to_owned(), (*content).to_owned())).collect()
    }

    #[test]
    fn every_row_is_added_removed_changed_or_the_same() {
        let a = by_id(&[("1", "x"), ("2", "y"), ("3", "z")]);
        let b = by_id(&[("2", "y"), ("3", "other"), ("4", "w"), ("5", "v")]);
        let changes = Changes::between(&a, &b);
        assert_eq!((changes.added, changes.removed, changes.changed, changes.same), (2, 1, 1, 1));
        assert_eq!(changes.examples, ["removed `1`", "changed `3`", "added `4`", "added `5`"]);
    }
}
