//! Questions that cannot be answered, are asked twice, or give their answer away.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::LazyLock,
};

use regex::Regex;

use super::{Findings, Rule, View};
use crate::{sources::coreb::PublishedQuery, tables::query::Task};

pub(super) fn check(view: &View, findings: &mut Findings) {
    check_repeated_texts(view, findings);
    check_repeated_pairs(view, findings);
    check_ids(view, findings);
    for (place, query) in view.searches() {
        check_words(view, &place, query, findings);
        check_languages(&place, query, findings);
    }
    check_numbering(view, findings);
    check_types(view, findings);
}

type Group<'a> = Vec<(String, &'a PublishedQuery)>;

/// Groups of text-to-code queries with one text in one subtask.
fn check_repeated_texts(view: &View, findings: &mut Findings) {
    let mut in_subtask: BTreeMap<(&str, &str), Group> = BTreeMap::new();
    let mut anywhere: BTreeMap<&str, Group> = BTreeMap::new();
    for (place, query) in view.queries(Task::Text2Code) {
        in_subtask.entry((&query.subtask, &query.query)).or_default().push((place.clone(), query));
        anywhere.entry(&query.query).or_default().push((place, query));
    }
    for group in in_subtask.values().filter(|group| group.len() > 1) {
        let place = format!("{}: `{}`, as `{}`", group[1].0, group[1].1.query_id, group[0].1.query_id);
        findings.add(Rule::DuplicateQuery, place.clone());
        if contradicts(group) {
            findings.add(Rule::ContradictoryQuery, place);
            findings.add_part(Rule::ContradictoryQuery, "queries", group.len());
        }
    }
    for group in anywhere.values().filter(|group| contradicts(group)) {
        findings.add_part(Rule::ContradictoryQuery, "groups_over_all_subtasks", 1);
        findings.add_part(Rule::ContradictoryQuery, "queries_over_all_subtasks", group.len());
    }
}

fn contradicts(group: &Group) -> bool {
    group.iter().any(|(_, query)| query.problem_id != group[0].1.problem_id)
}

/// The same program asking for the same text under two names, and match records of one program.
fn check_repeated_pairs(view: &View, findings: &mut Findings) {
    let mut families: BTreeMap<(String, &str, &str), usize> = BTreeMap::new();
    let mut matches: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, query) in view.queries(Task::Code2Text) {
        if query.subtask == "c2t_match" {
            let n = matches.entry(&query.query).or_default();
            *n += 1;
            if *n == 2 {
                findings.add(Rule::RepeatedMatch, format!("{place}: `{}`", query.query_id));
            }
            continue;
        }
        let kind = query.subtask.replace("_canonical_", "_").replace("_full_", "_");
        let n = families.entry((kind, &query.problem_id, &query.query)).or_default();
        *n += 1;
        if *n == 2 {
            findings.add(Rule::RepeatedPair, format!("{place}: `{}`", query.query_id));
        }
    }
}

/// A problem's id less the source's prefix.
fn bare(problem_id: &str) -> String {
    problem_id.split_once('_').map_or(problem_id, |(_, id)| id).to_lowercase()
}

/// Ids of problems in search texts. A space or a hyphen for the underscore does not hide an id.
fn check_ids(view: &View, findings: &mut Findings) {
    let ids: Vec<String> = view.lookup.problems.keys().map(|problem_id| bare(problem_id)).collect();
    let telling: HashSet<&str> =
        ids.iter().map(String::as_str).filter(|id| id.contains(|c: char| c.is_ascii_alphabetic())).collect();
    for (place, query) in view.searches() {
        let text = query.query.to_lowercase();
        let own = bare(&query.problem_id);
        let spellings = [own.clone(), own.replace('_', " "), own.replace('_', "-"), own.replace('_', "")];
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        if let Some(spelling) = spellings.iter().find(|spelling| text.contains(*spelling)) {
            findings.add(Rule::LeakedId, format!("{place}: `{spelling}` in \"{}\"", query.query));
        } else if let Some(word) = words.into_iter().find(|word| telling.contains(word)) {
            findings.add(Rule::LeakedOtherId, format!("{place}: `{word}` in \"{}\"", query.query));
        }
    }
}

static DIFFICULTY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)difficulty|level").expect("a valid pattern"));
static BATCH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)batch code").expect("a valid pattern"));
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[a-z]{3,}").expect("a valid pattern"));

/// Words that say nothing of a problem.
const STOP: &[&str] = &[
    "the",
    "for",
    "with",
    "and",
    "not",
    "are",
    "from",
    "that",
    "this",
    "its",
    "into",
    "any",
    "all",
    "using",
    "use",
    "used",
    "problem",
    "problems",
    "solution",
    "solutions",
    "solve",
    "solving",
    "algorithm",
    "algorithms",
    "approach",
    "approaches",
    "efficient",
    "code",
    "find",
    "implement",
    "how",
    "what",
    "which",
    "without",
    "only",
];

/// Content words that a search has in common with its problem's statement.
fn n_shared(statement: &str, text: &str) -> usize {
    let words = |text: &str| -> HashSet<String> { WORD.find_iter(text).map(|word| word.as_str().to_owned()).collect() };
    let (of_statement, of_text) = (words(&statement.to_lowercase()), words(&text.to_lowercase()));
    of_text.iter().filter(|word| !STOP.contains(&word.as_str()) && of_statement.contains(*word)).count()
}

fn check_words(view: &View, place: &str, query: &PublishedQuery, findings: &mut Findings) {
    let quoted = || format!("{place}: \"{}\"", query.query);
    let problem = view.lookup.problems.get(query.problem_id.as_str());
    match problem.map_or(usize::MAX, |problem| n_shared(&problem.statement.text, &query.query)) {
        0 => findings.add(Rule::VacuousSearch, quoted()),
        1 => findings.add_part(Rule::VacuousSearch, "one_word", 1),
        _ => {}
    }
    if DIFFICULTY.is_match(&query.query) {
        findings.add(Rule::DifficultyWords, quoted());
    }
    if BATCH.is_match(&query.query) {
        findings.add(Rule::PromptLeak, quoted());
    }
}

static LANGUAGES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let patterns = [
        ("cpp", r"(?i)\bc\+\+|\bcpp\b"),
        ("go", r"(?i)\b(go|golang)\b"),
        ("java", r"(?i)\bjava\b"),
        ("python", r"(?i)\bpython\b"),
        ("ruby", r"(?i)\bruby\b"),
    ];
    patterns.map(|(name, pattern)| (name, Regex::new(pattern).expect("a valid pattern"))).to_vec()
});

fn check_languages(place: &str, query: &PublishedQuery, findings: &mut Findings) {
    let named = |pattern: &&(&'static str, Regex)| pattern.1.is_match(&query.query);
    let named: Vec<&str> = LANGUAGES.iter().filter(named).map(|(name, _)| *name).collect();
    let quoted = || format!("{place}: \"{}\"", query.query);
    match query.language() {
        None if !named.is_empty() => findings.add(Rule::SearchAnyLanguage, quoted()),
        Some(language) if !named.contains(&language) => {
            if !named.is_empty() {
                findings.add(Rule::SearchOtherLanguage, quoted());
            }
            findings.add(Rule::SearchUnnamedLanguage, quoted());
        }
        _ => {}
    }
}

/// Numbers of a task's queries that no query has.
fn check_numbering(view: &View, findings: &mut Findings) {
    for task in Task::ALL {
        let number = |query: &PublishedQuery| query.query_id.rsplit('_').next().and_then(|n| n.parse::<usize>().ok());
        let numbers: BTreeSet<usize> = view.release.queries[&task].iter().filter_map(number).collect();
        let last = numbers.last().copied().unwrap_or(0);
        for gap in (1..=last).filter(|n| !numbers.contains(n)) {
            findings.add(Rule::IndexGaps, format!("{}: {gap:04}", task.name()));
        }
    }
}

fn check_types(view: &View, findings: &mut Findings) {
    for (place, query) in view.all_queries() {
        if let Some(label) = query.label.as_ref().filter(|label| label.0.is_f64()) {
            findings.add(Rule::FloatIntegers, format!("{place}: `label` {}", label.0));
            findings.add_part(Rule::FloatIntegers, "label", 1);
        }
        if query.split == "text2code" && query.num_relevant_docs.is_none() {
            findings.add(Rule::NullCounts, format!("{place}: `{}`", query.query_id));
        }
    }
    for (at, text) in view.release.texts.iter().enumerate() {
        if let Some(length) = text.abbreviated_text_length.as_ref().filter(|length| length.0.is_f64()) {
            let place = super::place("text_corpus.jsonl", at, &text.text_id);
            findings.add(Rule::FloatIntegers, format!("{place}: `abbreviated_text_length` {}", length.0));
            findings.add_part(Rule::FloatIntegers, "abbreviated_text_length", 1);
        }
    }
}
