//! Statements, noise texts, ids and problems.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::LazyLock,
};

use regex::Regex;

use super::{Findings, Rule, View, place};
use crate::{sources::coreb::Text, stats::count};

const TEXTS: &str = "text_corpus.jsonl";

pub(super) fn check(view: &View, findings: &mut Findings) {
    let statements: HashMap<&str, HashSet<String>> =
        view.lookup.problems.values().map(|problem| (problem.id, words(&problem.statement.text))).collect();
    for (at, text) in view.release.texts.iter().enumerate() {
        let place = place(TEXTS, at, &text.text_id);
        let n_chars = text.text.chars().count();
        if n_chars != text.text_length {
            let why = format!("{place}: {} is stated, it has {n_chars} characters", text.text_length);
            findings.add(Rule::WrongLength, why);
        }
        if text.is_noise() {
            check_noise(text, &place, statements.get(text.problem_id()), findings);
        } else if text.abbreviated_text.as_ref().is_some_and(|short| short.chars().count() >= n_chars) {
            findings.add(Rule::LongAbbreviation, place);
        }
    }
    check_problems(view, findings);
    check_release_id(view, findings);
}

static MARKUP: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?m)\*\*|^#").expect("a valid pattern"));
static ORIGINAL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)\boriginal\b").expect("a valid pattern"));
static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\p{L}\p{N}_]+").expect("a valid pattern"));

fn words(text: &str) -> HashSet<String> {
    WORD.find_iter(&text.to_lowercase()).map(|word| word.as_str().to_owned()).collect()
}

fn check_noise(text: &Text, place: &str, statement: Option<&HashSet<String>>, findings: &mut Findings) {
    let opening: String = text.text.chars().take(200).collect();
    if MARKUP.is_match(&opening) {
        findings.add(Rule::NoiseMarkup, place);
    }
    if ORIGINAL.is_match(&text.text) {
        findings.add(Rule::NoiseSelfReference, place);
    }
    let Some(statement) = statement else { return };
    let words = words(&text.text);
    let n_shared = words.intersection(statement).count();
    let jaccard = count(n_shared) / count(words.len() + statement.len() - n_shared).max(1.0);
    if jaccard >= 0.8 {
        findings.add(Rule::NoiseTooNear, format!("{place}: {jaccard:.2}"));
    } else if jaccard < 0.1 {
        findings.add(Rule::NoiseTooFar, format!("{place}: {jaccard:.2}"));
    }
}

fn check_problems(view: &View, findings: &mut Findings) {
    let models: BTreeSet<&str> = view.release.codes.iter().map(|code| code.model.as_str()).collect();
    let languages: BTreeSet<&str> = view.release.codes.iter().map(|code| code.language.as_str()).collect();
    for problem in view.lookup.problems.values() {
        for (model, language) in models.iter().flat_map(|model| languages.iter().map(move |l| (*model, *l))) {
            if !problem.codes.iter().any(|code| code.model == model && code.language == language) {
                findings.add(Rule::MissingCombination, format!("`{}`: {model} in {language}", problem.id));
            }
        }
        if problem.passed().next().is_none() {
            findings.add(Rule::UnsolvedProblem, format!("`{}`", problem.id));
            findings.add_part(Rule::UnsolvedProblem, "documents", problem.codes.len() + 1 + problem.noise.len());
        }
    }
    findings.add_part(Rule::UnsolvedProblem, "of_problems", view.lookup.problems.len());
}

static RELEASE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"v(20)?(\d{4})").expect("a valid pattern"));

/// `v2603` and `v202603` name one release.
fn release_in(name: &str) -> Option<String> {
    Some(RELEASE.captures(name)?.get(2)?.as_str().to_owned())
}

/// Document ids that hold another release's name than the directory.
fn check_release_id(view: &View, findings: &mut Findings) {
    let dir = view.release.dir.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(own) = dir.and_then(|name| release_in(&name)) else { return };
    let codes = view.release.codes.iter().map(|code| ("code_ids", &code.code_id));
    let texts = view.release.texts.iter().map(|text| ("text_ids", &text.text_id));
    for (kind, id) in codes.chain(texts) {
        if release_in(id).is_some_and(|release| release != own) {
            findings.add(Rule::ForeignId, format!("`{id}` in a release named {own}"));
            findings.add_part(Rule::ForeignId, kind, 1);
        }
    }
}
