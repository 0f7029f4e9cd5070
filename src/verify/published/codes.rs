//! Programs as they are published: what was stripped from them, and what cannot run.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use regex::Regex;

use super::{Findings, Rule, View, place};
use crate::{code, languages::Language, sources::coreb::Code};

const CODES: &str = "code_corpus.jsonl";

pub(super) fn check(view: &View, findings: &mut Findings) {
    for (at, code) in view.release.codes.iter().enumerate() {
        let place = place(CODES, at, &code.code_id);
        check_stripped(code, &place, findings);
        check_broken(view, code, &place, findings);
        check_running(code, &place, findings);
    }
    check_slashes(view, findings);
    check_midpoints(view, findings);
    check_tests(view, findings);
    check_copies(view, findings);
}

struct Patterns {
    midpoint: Regex,
    stray_main: Regex,
    python: Regex,
    entry: BTreeMap<&'static str, Regex>,
    input: BTreeMap<&'static str, Regex>,
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| {
    let regex = |pattern: &str| Regex::new(pattern).expect("a valid pattern");
    let all = |patterns: &[(&'static str, &str)]| patterns.iter().map(|(name, p)| (*name, regex(p))).collect();
    Patterns {
        midpoint: regex(r"(?m)\bmid\w*[ \t]*=[ \t]*[\w \t+()-]*\+[\w \t+()-]*$"),
        stray_main: regex(r"(?m)^main\(\);?\s*$"),
        python: regex(r"(?m)^\s*(def|for|if|while|elif|else)\b.*:\s*$"),
        entry: all(&[("cpp", r"\bmain\s*\("), ("java", r"\bvoid\s+main\b"), ("go", r"\bfunc\s+main\s*\(")]),
        input: all(&[
            ("cpp", r"\bcin\b|scanf|getline|getchar|fread|stdin"),
            ("java", r"System\.in|Scanner"),
            ("go", r"Stdin|fmt\.Scan"),
            ("python", r"\binput\b|stdin|open\(0"),
            ("ruby", r"\bgets\b|STDIN|\$stdin|ARGF|readlines?|input"),
        ]),
    }
});

fn check_stripped(code: &Code, place: &str, findings: &mut Findings) {
    if code.language == "cpp" && !code.code.contains("#include") {
        findings.add(Rule::NoInclude, place);
    }
    if code.language == "python" && PATTERNS.midpoint.is_match(&code.code) {
        findings.add(Rule::CutDivision, place);
        findings.add_part(Rule::CutDivision, "passed", usize::from(code.passed));
    }
}

fn check_broken(view: &View, code: &Code, place: &str, findings: &mut Findings) {
    if code.language == "python"
        && let Some(why) = unparsable(&code.code)
    {
        findings.add(Rule::UnparsablePython, format!("{place}: {why}"));
        add_uses(view, code, Rule::UnparsablePython, findings);
    }
    if ["cpp", "go"].contains(&code.language.as_str()) && PATTERNS.stray_main.is_match(&code.code) {
        findings.add(Rule::StrayMain, place);
        findings.add_part(Rule::StrayMain, if code.language == "cpp" { "cpp" } else { "go" }, 1);
        add_uses(view, code, Rule::StrayMain, findings);
    }
    let has_braces = ["cpp", "java", "go"].contains(&code.language.as_str());
    if has_braces && code.code.matches('{').count() != code.code.matches('}').count() {
        findings.add(Rule::UnbalancedBraces, place);
        findings.add_part(Rule::UnbalancedBraces, "passed", usize::from(code.passed));
    }
    if code.language == "ruby" && PATTERNS.python.is_match(&code.code) {
        findings.add(Rule::MislabelledLanguage, place);
        add_uses(view, code, Rule::MislabelledLanguage, findings);
    }
}

/// What hangs on a broken program.
fn add_uses(view: &View, code: &Code, rule: Rule, findings: &mut Findings) {
    let uses = view.uses.get(code.code_id.as_str()).copied().unwrap_or_default();
    findings.add_part(rule, "passed", usize::from(code.passed));
    findings.add_part(rule, "judged", uses.judged);
    findings.add_part(rule, "relevance2", uses.positive);
    findings.add_part(rule, "anchors", uses.anchor);
}

/// The grammar's error, or a block that the end of the program leaves empty, which the grammar allows.
fn unparsable(text: &str) -> Option<String> {
    if text.trim_end().ends_with(':') {
        return Some("the last block is empty".to_owned());
    }
    code::measure(Language::Python, text).err().map(|error| error.to_string())
}

fn check_running(code: &Code, place: &str, findings: &mut Findings) {
    let language = code.language.as_str();
    if PATTERNS.entry.get(language).is_some_and(|entry| !entry.is_match(&code.code)) {
        findings.add(Rule::NoEntryPoint, place);
        let part = PATTERNS.entry.keys().find(|name| **name == language).expect("it was looked up");
        findings.add_part(Rule::NoEntryPoint, part, 1);
    }
    if PATTERNS.input.get(language).is_some_and(|input| !input.is_match(&code.code)) {
        findings.add(Rule::NoInput, place);
    }
}

/// Fewer programs may do without by chance.
const ENOUGH: usize = 50;

/// A stripper of comments shows in that no program of either language holds what it strips.
fn check_slashes(view: &View, findings: &mut Findings) {
    let codes = view.release.codes.iter().filter(|code| ["python", "ruby"].contains(&code.language.as_str()));
    let codes: Vec<&Code> = codes.collect();
    if codes.len() >= ENOUGH && codes.iter().all(|code| !code.code.contains("//")) {
        for code in codes {
            findings.add(Rule::NoSlashes, format!("`{}`", code.code_id));
        }
    }
}

/// How programs with a midpoint fare, as evidence beside the cut ones.
fn check_midpoints(view: &View, findings: &mut Findings) {
    let codes = view.release.codes.iter();
    for code in codes.filter(|code| code.language == "python" && code.code.contains("mid")) {
        findings.add_part(Rule::CutDivision, "programs_with_mid", 1);
        findings.add_part(Rule::CutDivision, "programs_with_mid_passed", usize::from(code.passed));
    }
}

/// One test a program, for all of them: test counts are not what they say.
fn check_tests(view: &View, findings: &mut Findings) {
    let codes = &view.release.codes;
    if !codes.is_empty() && codes.iter().all(|code| code.test_total == 1) {
        for (at, code) in codes.iter().enumerate() {
            findings.add(Rule::SingleTest, place(CODES, at, &code.code_id));
        }
    }
}

/// Programs that are equal, or equal but for white space.
fn check_copies(view: &View, findings: &mut Findings) {
    let mut by_words: BTreeMap<String, Vec<&Code>> = BTreeMap::new();
    for code in &view.release.codes {
        let words: Vec<&str> = code.code.split_whitespace().collect();
        by_words.entry(words.join(" ")).or_default().push(code);
    }
    for group in by_words.values().filter(|group| group.len() > 1) {
        let texts: BTreeSet<&str> = group.iter().map(|code| code.code.as_str()).collect();
        let rule = if texts.len() < group.len() { Rule::IdenticalDocuments } else { Rule::WhitespaceDuplicate };
        findings.add(rule, format!("`{}` and `{}`", group[0].code_id, group[1].code_id));
        let differ = group.iter().any(|code| code.passed != group[0].passed);
        findings.add_part(rule, "different_flags", usize::from(differ));
    }
}
