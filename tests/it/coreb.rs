//! The published `CoREB` releases, where a copy of them is at hand: `COREBUILD_SHARED` names the directory
//! that holds `data/coreb`. Without it these tests skip and say so.

use std::{collections::BTreeMap, path::PathBuf};

use corebuild::{
    coreb::{
        diff,
        forming::Edition,
        repair, reproduction,
        tables::{self, Mark},
    },
    sources::coreb::{Release, files, nesting},
    verify::{self, Report},
};

fn shared(test: &str) -> Option<PathBuf> {
    let dir = std::env::var_os("COREBUILD_SHARED").map(PathBuf::from);
    if dir.is_none() {
        console(&format!("{test} skips: COREBUILD_SHARED is not set"));
    }
    dir
}

/// Standard error of a test, which `cargo test -- --nocapture` shows.
#[expect(clippy::print_stderr, reason = "a test that skips says so")]
fn console(text: &str) {
    eprintln!("{text}");
}

fn dir(shared: &std::path::Path, edition: Edition) -> PathBuf {
    shared.join("data/coreb").join(format!("release_{}", edition.file_name()))
}

fn release(shared: &std::path::Path, edition: Edition) -> Release {
    Release::load(&dir(shared, edition)).expect("a readable release")
}

#[test]
fn every_published_record_is_the_same_bytes_after_nesting_and_flattening() {
    let Some(shared) = shared("nesting") else { return };
    for edition in Edition::ALL {
        for name in files() {
            let text = fs_err::read_to_string(dir(&shared, edition).join(&name)).expect("a readable file");
            for line in text.lines() {
                let record: serde_json::Value = serde_json::from_str(line).expect("a record");
                let nested = nesting::unflatten(record);
                assert!(name.ends_with("qrels.jsonl") || nested["meta"].is_object());
                assert_eq!(nesting::line(&nesting::flatten(nested)), line, "{name}");
            }
        }
    }
}

#[test]
fn a_nested_release_is_read_as_the_flattened_one() {
    let Some(shared) = shared("reading") else { return };
    let flat = release(&shared, Edition::V202602);
    let copy = tempfile::tempdir().expect("a directory");
    for name in files() {
        let text = fs_err::read_to_string(dir(&shared, Edition::V202602).join(&name)).expect("a readable file");
        let nest =
            |line: &str| nesting::line(&nesting::unflatten(serde_json::from_str(line).expect("a record"))) + "\n";
        fs_err::write(copy.path().join(&name), text.lines().map(nest).collect::<String>()).expect("a written file");
    }
    let nested = Release::load(copy.path()).expect("a readable release");
    assert_eq!((nested.codes, nested.texts), (flat.codes, flat.texts));
    assert_eq!((nested.queries, nested.qrels), (flat.queries, flat.qrels));
}

#[test]
fn v202603_is_formed_again_row_by_row() {
    let Some(shared) = shared("v202603") else { return };
    let reproduction = reproduction::reproduce(&release(&shared, Edition::V202603), Edition::V202603);
    let qrels = reproduction.qrels.total;
    assert_eq!((qrels.published, qrels.identical, qrels.extra), (12_017, 12_017, 0), "{}", reproduction.render());
    let queries = reproduction.queries.total;
    assert_eq!((queries.published, queries.identical, queries.missing, queries.extra), (2601, 2584, 17, 0));
    assert!(reproduction.is_complete());
}

#[test]
fn v202602_is_formed_again_but_for_its_draw() {
    let Some(shared) = shared("v202602") else { return };
    let reproduction = reproduction::reproduce(&release(&shared, Edition::V202602), Edition::V202602);
    let qrels = reproduction.qrels.total;
    assert_eq!((qrels.published, qrels.identical, qrels.missing, qrels.extra), (11_810, 4173, 7637, 0));
    let queries = reproduction.queries.total;
    assert_eq!((queries.published, queries.identical, queries.missing, queries.extra), (2604, 2341, 263, 0));
    assert_eq!(reproduction.relevance1_allowed_by_rule, Some(7637));
    assert_eq!(reproduction.relevance1_forced_by_pool, Some(859));
    assert!(reproduction.is_complete());
}

#[test]
fn a_changed_judgement_is_no_reproduction() {
    let Some(shared) = shared("a changed judgement") else { return };
    let mut release = release(&shared, Edition::V202603);
    let qrels = release.qrels.values_mut().next().expect("a task");
    qrels.swap(0, 1);
    qrels.pop();
    let reproduction = reproduction::reproduce(&release, Edition::V202603);
    assert_eq!((reproduction.qrels.total.extra, reproduction.qrels.total.published), (1, 12_016));
    assert!(reproduction.qrels.total.order_differs >= 2);
    assert!(!reproduction.is_complete());
}

/// Rule, count, queries, parts.
type Expected = (&'static str, usize, Option<usize>, &'static [(&'static str, usize)]);

fn check_findings(report: &Report, expected: &[Expected], absent: &[&str]) {
    let found: BTreeMap<&str, _> = report.findings.iter().map(|finding| (finding.rule.name(), finding)).collect();
    for (rule, count, queries, parts) in expected {
        let finding = found.get(rule).unwrap_or_else(|| panic!("nothing found by `{rule}`"));
        assert_eq!(finding.count, *count, "{rule}");
        assert!(queries.is_none() || finding.queries == *queries, "{rule}: {:?}", finding.queries);
        for (part, n) in *parts {
            assert_eq!(finding.parts.get(part), Some(n), "{rule}, {part}");
        }
    }
    for rule in absent {
        assert!(!found.contains_key(rule), "`{rule}` found {:?}", found[rule].examples);
    }
}

/// What neither release has.
const ABSENT: &[&str] = &[
    "dangling-document",
    "dangling-query",
    "duplicate-pair",
    "duplicate-id",
    "anchor-judged",
    "identical-documents",
    "wrong-count",
    "foreign-positive",
    "bad-grade",
];

#[test]
fn verify_finds_in_v202602_what_is_known_of_it() {
    let Some(shared) = shared("verify v202602") else { return };
    let report = verify::verify(&dir(&shared, Edition::V202602)).expect("a report");
    let expected: &[Expected] = &[
        ("failed-positive", 199, Some(132), &[]),
        ("passed-negative-text2code", 937, Some(446), &[]),
        ("passed-negative-code2code", 240, Some(111), &[]),
        ("translation-negative", 197, None, &[]),
        ("unjudged-translation", 488, None, &[]),
        ("foreign-negative", 3790, None, &[]),
        ("no-positive", 206, None, &[]),
        ("unjudged-pair", 206, None, &[]),
        ("few-negatives", 79, None, &[("none", 37)]),
        ("near-duplicate-grades", 12, None, &[("text2code", 8), ("code2code", 4)]),
        ("near-duplicates", 9, None, &[("different_flags", 2)]),
        ("repeated-pair", 429, None, &[]),
        ("repeated-match", 103, None, &[]),
        ("leaked-id", 129, None, &[]),
        ("leaked-other-id", 2, None, &[]),
        ("difficulty-words", 136, None, &[]),
        ("search-other-language", 6, None, &[]),
        ("search-unnamed-language", 176, None, &[]),
        ("search-any-language", 8, None, &[]),
        ("no-include", 334, None, &[]),
        ("no-slashes", 668, None, &[]),
        ("cut-division", 11, None, &[("passed", 0), ("programs_with_mid", 14), ("programs_with_mid_passed", 0)]),
        (
            "stray-main",
            133,
            None,
            &[("cpp", 113), ("go", 20), ("passed", 38), ("judged", 611), ("relevance2", 206), ("anchors", 125)],
        ),
        ("unparsable-python", 29, None, &[("passed", 1), ("judged", 71), ("relevance2", 11)]),
        ("mislabelled-language", 25, None, &[("judged", 93), ("relevance2", 4)]),
        ("no-entry-point", 22, None, &[("cpp", 8), ("java", 4), ("go", 10)]),
        ("single-test", 1670, None, &[]),
        ("whitespace-duplicate", 1, None, &[("different_flags", 0)]),
        ("wrong-length", 291, None, &[]),
        ("noise-too-far", 7, None, &[]),
        ("long-abbreviation", 2, None, &[]),
        ("foreign-id", 2505, None, &[("code_ids", 1670), ("text_ids", 835)]),
        ("index-gaps", 7, None, &[]),
        ("float-integers", 579, None, &[("label", 412), ("abbreviated_text_length", 167)]),
        ("null-counts", 902, None, &[]),
        ("unsolved-problem", 64, None, &[("of_problems", 167)]),
    ];
    let absent = ["dropped-failed", "contradictory-query", "prompt-leak", "noise-too-near", "missing-combination"];
    check_findings(&report, expected, &[ABSENT, &absent].concat());
    assert!(!report.is_clean());
}

#[test]
fn verify_finds_in_v202603_what_is_known_of_it() {
    let Some(shared) = shared("verify v202603") else { return };
    let report = verify::verify(&dir(&shared, Edition::V202603)).expect("a report");
    let expected: &[Expected] = &[
        ("failed-positive", 176, Some(113), &[]),
        ("passed-negative-text2code", 1497, Some(534), &[]),
        ("passed-negative-code2code", 579, Some(214), &[]),
        ("translation-negative", 331, None, &[]),
        ("unjudged-translation", 486, None, &[]),
        ("dropped-failed", 172, None, &[]),
        ("no-positive", 190, None, &[]),
        ("unjudged-pair", 190, None, &[]),
        ("few-negatives", 93, None, &[("none", 57)]),
        ("near-duplicate-grades", 22, None, &[("text2code", 4), ("code2code", 18)]),
        ("near-duplicates", 11, None, &[("different_flags", 2)]),
        (
            "contradictory-query",
            7,
            None,
            &[("queries", 14), ("groups_over_all_subtasks", 9), ("queries_over_all_subtasks", 32)],
        ),
        ("duplicate-query", 8, None, &[]),
        ("repeated-pair", 410, None, &[]),
        ("repeated-match", 95, None, &[]),
        ("leaked-id", 145, None, &[]),
        ("difficulty-words", 123, None, &[]),
        ("prompt-leak", 17, None, &[]),
        ("search-unnamed-language", 213, None, &[]),
        ("no-include", 348, None, &[]),
        ("no-slashes", 699, None, &[]),
        ("cut-division", 28, None, &[("passed", 0), ("programs_with_mid", 32), ("programs_with_mid_passed", 0)]),
        ("unparsable-python", 31, None, &[("passed", 0), ("judged", 91), ("relevance2", 3)]),
        ("mislabelled-language", 13, None, &[("judged", 16), ("relevance2", 2)]),
        ("no-entry-point", 6, None, &[("cpp", 4), ("go", 2)]),
        ("single-test", 1744, None, &[]),
        ("noise-too-near", 14, None, &[]),
        ("missing-combination", 6, None, &[]),
        ("index-gaps", 8, None, &[]),
        ("float-integers", 555, None, &[("label", 380), ("abbreviated_text_length", 175)]),
        ("null-counts", 856, None, &[]),
        ("unsolved-problem", 80, None, &[("of_problems", 175)]),
    ];
    let absent = [
        "foreign-negative",
        "leaked-other-id",
        "search-other-language",
        "search-any-language",
        "stray-main",
        "whitespace-duplicate",
        "wrong-length",
        "noise-too-far",
        "long-abbreviation",
    ];
    check_findings(&report, expected, &[ABSENT, &absent].concat());
}

#[test]
fn the_two_releases_share_ids_and_no_problem() {
    let Some(shared) = shared("diff") else { return };
    let [a, b] = Edition::ALL.map(|edition| release(&shared, edition));
    let diff = diff::diff(&a, &b);
    let collisions = diff.id_collisions;
    assert_eq!((collisions.code_ids, collisions.text_ids, collisions.query_ids), (1670, 835, 952));
    assert_eq!(diff.shared.problems, 0);
    assert_eq!((diff.problems.removed, diff.problems.added), (167, 175));
    let same = diff::diff(&a, &a);
    assert_eq!((same.judgements.same, same.judgements.added, same.queries.same), (11_810, 0, 2604));
    assert!(!same.disjoint);
}

#[test]
fn a_repaired_release_is_clean_and_written_once() {
    let Some(shared) = shared("repair") else { return };
    for edition in Edition::ALL {
        let dist = tempfile::tempdir().expect("a directory");
        let published = release(&shared, edition);
        let name = format!("{}r1", edition.name());
        let repaired = repair::repair(&published, &name, dist.path()).expect("a repaired release");
        let report = verify::verify(&dist.path().join(&name)).expect("a report");
        assert!(repaired.verify_clean && report.is_clean(), "{}", report.render());
        assert!(repaired.judgements.positives_after > 1000 && repaired.scores.len() > 10);
        assert!(dist.path().join(&name).join("rejected.jsonl").is_file());
        repair::repair(&published, &name, dist.path()).expect("the same release again");
    }
}

#[test]
fn the_papers_figures_equal_the_data_but_where_they_are_known_not_to() {
    let Some(shared) = shared("tables") else { return };
    for edition in Edition::ALL {
        let cells = tables::cells(&release(&shared, edition), edition);
        let marked = |mark| cells.iter().filter(|cell| cell.mark == mark).count();
        assert_eq!((marked(Mark::Differs), marked(Mark::Disagree)), (0, 5), "{}", tables::render(&cells));
        assert!(marked(Mark::Equal) >= 8);
    }
}
