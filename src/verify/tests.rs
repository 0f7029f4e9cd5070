//! Every rule has a release that breaks it, and a right release breaks none.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Value, json};

use super::*;
use crate::{stages::release::sample, tables::query::Task};

type Files = BTreeMap<String, Vec<u8>>;

fn rules_of(files: &Files) -> Vec<Rule> {
    report_of(files).findings.into_iter().map(|finding| finding.rule).collect()
}

fn report_of(files: &Files) -> Report {
    let dir = tempfile::tempdir().unwrap();
    sample::put(dir.path(), files);
    verify(dir.path()).unwrap()
}

/// Changes the first row that `pick` finds.
fn edit(files: &mut Files, name: &str, pick: impl Fn(&Value) -> bool, change: impl Fn(&mut Value)) {
    let text = String::from_utf8(files[name].clone()).unwrap();
    let mut changed = false;
    let mut lines = String::new();
    for line in text.lines() {
        let mut row: Value = serde_json::from_str(line).unwrap();
        if !changed && pick(&row) {
            change(&mut row);
            changed = true;
        }
        lines.push_str(&row.to_string());
        lines.push('\n');
    }
    assert!(changed, "`{name}` has no such row");
    files.insert(name.to_owned(), lines.into_bytes());
}

fn append(files: &mut Files, name: &str, line: &str) {
    files.get_mut(name).unwrap().extend(format!("{line}\n").into_bytes());
}

fn replace(files: &mut Files, name: &str, from: &str, to: &str) {
    let text = String::from_utf8(files[name].clone()).unwrap();
    assert!(text.contains(from), "`{name}` has no {from}");
    files.insert(name.to_owned(), text.replacen(from, to, 1).into_bytes());
}

fn rows(files: &Files, name: &str) -> Vec<Value> {
    String::from_utf8(files[name].clone()).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn any(_: &Value) -> bool {
    true
}

const CODES: &str = "code_corpus.jsonl";
const TEXTS: &str = "text_corpus.jsonl";
const T2C: &str = "text2code_queries.jsonl";
const T2C_QRELS: &str = "text2code_qrels.jsonl";
const C2C: &str = "code2code_queries.jsonl";
const C2T: &str = "code2text_queries.jsonl";
const C2T_QRELS: &str = "code2text_qrels.jsonl";
const BEIR_CORPUS: &str = "beir/text2code/corpus.jsonl";
const BEIR_TSV: &str = "beir/text2code/qrels/test.tsv";

/// A code that is `passed` or not, of a problem of the mini release.
fn code(files: &Files, passed: bool, problem: &str) -> String {
    let rows = rows(files, CODES);
    let found = rows.iter().find(|row| row["meta"]["passed"] == passed && row["meta"]["source_problem_id"] == problem);
    found.expect("such a program")["code_id"].as_str().unwrap().to_owned()
}

/// Breaks one rule in a right release.
#[expect(clippy::too_many_lines, reason = "one arm a rule")]
fn break_rule(rule: Rule, files: &mut Files) {
    let problem = "lcb_toy2_a";
    let of_query = |row: &Value| row["query_id"] == "q_mini202601_t2c_full_retro_any_lcb_toy2_a_0";
    match rule {
        Rule::MissingFile => drop(files.remove("anchors.jsonl")),
        Rule::BlankLine => append(files, T2C, ""),
        Rule::BadJson => append(files, T2C, "[1]"),
        Rule::OffSchema => edit(files, CODES, any, |row| row["meta"]["test_total"] = json!("8")),
        Rule::ManifestMismatch => drop(files.insert("rejected.jsonl".into(), Vec::new())),
        Rule::NoManifest => drop(files.remove("manifest.json")),
        Rule::UnsafeId => edit(files, CODES, any, |row| row["code_id"] = json!("001")),
        Rule::ForeignId => edit(files, TEXTS, any, |row| row["text_id"] = json!("text_v202601_00001")),
        Rule::DuplicateId => {
            let line = rows(files, T2C)[0].to_string();
            append(files, T2C, &line);
        }
        Rule::SharedPrefix => edit(files, CODES, any, |row| row["code_id"] = json!("q_mini202601_x")),
        Rule::EmptyText => edit(files, TEXTS, any, |row| row["text"] = json!(" \n")),
        Rule::WrongLength => {
            edit(files, CODES, any, |row| row["code_length"] = json!(row["code"].as_str().unwrap().len()));
        }
        Rule::WrongVerdict => {
            edit(files, CODES, |row| row["meta"]["passed"] == true, |row| row["meta"]["test_passed"] = json!(7));
        }
        Rule::IdenticalDocuments => identical(files, "lcb_toy4_a", "lcb_toy4_a"),
        Rule::ContradictoryDuplicates => identical(files, problem, "lcb_toy1_a"),
        Rule::DanglingQuery => append(
            files,
            T2C_QRELS,
            &json!({"query_id": "q_mini202601_no", "doc_id": code(files, true, problem), "relevance": 2}).to_string(),
        ),
        Rule::DanglingDocument => edit(files, T2C_QRELS, any, |row| row["doc_id"] = json!("code_mini202601_99999")),
        Rule::DuplicatePair => {
            let mut row = rows(files, T2C_QRELS)[0].clone();
            row["relevance"] = json!(1);
            append(files, T2C_QRELS, &row.to_string());
        }
        Rule::BadGrade => edit(files, T2C_QRELS, any, |row| row["relevance"] = json!("2.0")),
        Rule::NoPositive => {
            let kept = rows(files, T2C_QRELS).into_iter().filter(|row| !of_query(row));
            let lines: Vec<String> = kept.map(|row| row.to_string()).collect();
            files.insert(T2C_QRELS.into(), (lines.join("\n") + "\n").into_bytes());
        }
        Rule::FailedPositive => {
            let failed = |row: &Value| of_query(row) && row["relevance"] == 1;
            edit(files, T2C_QRELS, failed, |row| row["relevance"] = json!(2));
        }
        Rule::PassedNegative | Rule::MissingPositive => {
            let passed = |row: &Value| of_query(row) && row["relevance"] == 2;
            edit(files, T2C_QRELS, passed, |row| row["relevance"] = json!(1));
        }
        Rule::ForeignPositive | Rule::ForeignNegative => {
            let (grade, other) = match rule {
                Rule::ForeignPositive => (2, code(files, true, "lcb_toy1_a")),
                _ => (1, code(files, false, "lcb_toy4_a")),
            };
            let mine = |row: &Value| of_query(row) && row["relevance"] == grade;
            edit(files, T2C_QRELS, mine, |row| row["doc_id"] = json!(other));
        }
        Rule::WrongTarget => {
            let python = |row: &Value| row["subtask"] == "t2c_full_retro_python";
            edit(files, T2C, python, |row| row["language_constraint"] = json!("ruby"));
        }
        Rule::AnchorJudged => {
            let query = rows(files, C2C)[0].clone();
            let anchor = &query["meta"]["anchor_code_id"];
            let row = json!({"query_id": query["query_id"], "doc_id": anchor, "relevance": 2});
            append(files, "code2code_qrels.jsonl", &row.to_string());
        }
        Rule::AnchorMap => edit(files, "anchors.jsonl", any, |row| row["code_id"] = json!("code_mini202601_99999")),
        Rule::MatchPair => {
            edit(files, C2T, |row| row["label"] == 0, |row| row["text_id"] = json!("text_mini202601_99999"));
        }
        Rule::WrongCount => edit(files, T2C, any, |row| row["meta"]["num_relevant_docs"] = json!(0)),
        Rule::DuplicateQuery => {
            let search: Vec<Value> =
                rows(files, T2C).into_iter().filter(|row| row["subtask"] == "t2c_search_any").collect();
            let (first, second) = (search[0].clone(), search[1]["query_id"].clone());
            edit(files, T2C, |row| row["query_id"] == second, |row| row["query"] = first["query"].clone());
        }
        Rule::ContradictoryQuery => {
            let one = rows(files, T2C).into_iter().find(of_query).unwrap();
            let other = |row: &Value| row["query_id"] == "q_mini202601_t2c_full_retro_any_lcb_toy1_a_0";
            edit(files, T2C, other, |row| row["query"] = json!(one["query"].as_str().unwrap().to_uppercase()));
        }
        Rule::RepeatedPair => {
            let full = rows(files, C2T).into_iter().find(|row| row["subtask"] == "c2t_full_retro_any").unwrap();
            let same_problem = |row: &Value| {
                row["subtask"] == "c2t_canonical_retro_any"
                    && row["meta"]["source_problem_id"] == full["meta"]["source_problem_id"]
            };
            edit(files, C2T, same_problem, |row| row["query"] = full["query"].clone());
        }
        Rule::LeakedId => {
            let search = |row: &Value| row["subtask"] == "t2c_search_any";
            edit(files, T2C, search, |row| {
                let id = row["meta"]["source_problem_id"].as_str().unwrap().replace("lcb_", "").to_uppercase();
                row["query"] = json!(format!("solve {id}, lanterns"));
            });
        }
        Rule::SearchLanguage => {
            let search = |row: &Value| row["subtask"] == "t2c_search_ruby";
            edit(files, T2C, search, |row| row["query"] = json!("lanterns in Java"));
        }
        Rule::NoTitle => edit(files, BEIR_CORPUS, any, |row| drop(row.as_object_mut().unwrap().remove("title"))),
        Rule::NoHeader => replace(files, BEIR_TSV, "query-id\tcorpus-id\tscore\n", ""),
        Rule::BadColumns => append(files, BEIR_TSV, "q_mini202601_x 0 code_mini202601_00001 1"),
        Rule::QrelsDisagree => edit(files, "beir/text2code/qrels/test.jsonl", any, |row| row["score"] = json!(0)),
        Rule::MixedConfigs => replace(files, "beir/text2code/README.md", "qrels/test.jsonl", "qrels/test.tsv"),
        Rule::BeirMismatch => edit(files, BEIR_CORPUS, any, |row| row["text"] = json!("another program")),
        published => unreachable!("`{}` is for releases in their authors' layout", published.name()),
    }
}

/// Gives a failed program of one problem the text of a program of another.
fn identical(files: &mut Files, to: &str, from: &str) {
    let from_id = code(files, from != "lcb_toy4_a", from);
    let from_row = rows(files, CODES).into_iter().find(|row| row["code_id"] == from_id).unwrap();
    let other = |row: &Value| {
        row["meta"]["source_problem_id"] == to && row["meta"]["passed"] == false && row["code_id"] != from_id
    };
    edit(files, CODES, other, |row| {
        row["code"] = from_row["code"].clone();
        row["code_length"] = from_row["code_length"].clone();
    });
}

#[test]
fn a_right_release_breaks_no_rule() {
    let report = report_of(&sample::mini());
    assert_eq!(report.findings, [], "{}", report.render());
    assert!(report.is_clean());
    assert!(report.n_records[CODES] > 0);
    assert!(report.render().contains("no fault found"));
}

#[test]
fn every_rule_is_broken_by_its_fixture() {
    for rule in Rule::ALL.iter().filter(|rule| !rule.is_of_published()) {
        let mut files = sample::mini();
        break_rule(*rule, &mut files);
        let found = rules_of(&files);
        assert!(found.contains(rule), "{} not among {found:?}", rule.name());
    }
}

#[test]
fn only_errors_make_a_release_unfit() {
    let mut files = sample::mini();
    files.remove("manifest.json");
    let report = report_of(&files);
    assert_eq!(report.findings.len(), 1, "{}", report.render());
    assert!(report.is_clean());
    break_rule(Rule::WrongLength, &mut files);
    let report = report_of(&files);
    assert!(!report.is_clean());
    assert_eq!(report.findings[0].rule, Rule::WrongLength, "errors come first");
    assert!(report.findings[0].examples[0].starts_with("`code_corpus.jsonl` line 1: "), "{:?}", report.findings[0]);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["findings"][0]["rule"], "wrong-length");
    assert_eq!(json["findings"][0]["severity"], "error");
}

#[test]
fn case_46_two_equal_documents_of_which_one_is_relevant_are_both_named() {
    let mut files = sample::mini();
    break_rule(Rule::ContradictoryDuplicates, &mut files);
    let report = report_of(&files);
    let finding = report.findings.iter().find(|finding| finding.rule == Rule::ContradictoryDuplicates).unwrap();
    assert_eq!(finding.examples[0].matches("`code_mini202601_").count(), 2, "{:?}", finding.examples);
}

#[test]
fn a_match_pair_of_label_0_needs_no_positive_and_any_other_query_does() {
    let mut files = sample::mini();
    let pair = rows(&files, C2T).into_iter().find(|row| row["label"] == 0).unwrap();
    let of_pair = |row: &Value| row["query_id"] == pair["query_id"];
    edit(&mut files, C2T_QRELS, of_pair, |row| row["relevance"] = json!(2));
    assert!(rules_of(&files).contains(&Rule::MatchPair));
    assert!(rules_of(&files).contains(&Rule::ForeignPositive));
}

#[test]
fn a_directory_without_a_release_is_an_error_with_a_hint() {
    let dir = tempfile::tempdir().unwrap();
    let error = verify(dir.path()).unwrap_err();
    assert!(crate::exit_code::hint(&error).unwrap().contains("corpus.jsonl"));
    assert!(verify(Path::new("no/such/directory")).is_err());
}

#[test]
fn each_beir_directory_of_a_release_is_right_by_itself() {
    for task in Task::ALL {
        let dir = tempfile::tempdir().unwrap();
        sample::put(dir.path(), &sample::mini());
        let report = verify(&dir.path().join("beir").join(task.name())).unwrap();
        assert_eq!(report.findings, [], "{}", report.render());
    }
}

/// A BEIR directory of two queries and two documents.
fn tiny_beir() -> Files {
    let lines = |ids: [&str; 2]| {
        ids.map(|id| json!({"_id": id, "title": "", "text": format!("text\u{2028}of {id}")}).to_string() + "\n")
            .concat()
    };
    let tsv = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t1\nq2\td2\t2\n";
    let files = [
        ("corpus.jsonl", lines(["d1", "d2"])),
        ("queries.jsonl", lines(["q1", "q2"])),
        ("qrels/test.tsv", tsv.to_owned()),
    ];
    files.map(|(name, text)| (name.to_owned(), text.into_bytes())).into()
}

/// Case 40: what BEIR's loader does with odd files, and what we say to it.
#[test]
fn case_40_the_nine_shapes_that_break_a_loader_are_named_with_their_line() {
    type Break = fn(&mut Files);
    let shapes: [(&str, Break, Rule, &str); 9] = [
        (
            "no header line",
            |f| replace(f, "qrels/test.tsv", "query-id\tcorpus-id\tscore\n", ""),
            Rule::NoHeader,
            "`qrels/test.tsv` line 1",
        ),
        (
            "TREC's four columns",
            |f| replace(f, "qrels/test.tsv", "q1\td2\t1", "q1\t0\td2\t1"),
            Rule::BadColumns,
            "`qrels/test.tsv` line 3",
        ),
        (
            "a score 2.0",
            |f| replace(f, "qrels/test.tsv", "q2\td2\t2", "q2\td2\t2.0"),
            Rule::BadGrade,
            "`qrels/test.tsv` line 4",
        ),
        (
            "an unknown query",
            |f| append(f, "qrels/test.tsv", "q9\td2\t2"),
            Rule::DanglingQuery,
            "`qrels/test.tsv` line 5",
        ),
        (
            "an unknown document",
            |f| append(f, "qrels/test.tsv", "q2\td9\t2"),
            Rule::DanglingDocument,
            "`qrels/test.tsv` line 5",
        ),
        (
            "an id with a quote",
            |f| replace(f, "queries.jsonl", "\"q2\"", "\"\\\"q2\""),
            Rule::UnsafeId,
            "`queries.jsonl` line 2",
        ),
        ("a number for an id", |f| replace(f, "corpus.jsonl", "\"d1\"", "1"), Rule::UnsafeId, "`corpus.jsonl` line 1"),
        ("a blank last line", |f| append(f, "qrels/test.tsv", ""), Rule::BlankLine, "`qrels/test.tsv` line 5"),
        (
            "a pair judged twice",
            |f| append(f, "qrels/test.tsv", "q1\td1\t1"),
            Rule::DuplicatePair,
            "`qrels/test.tsv` line 5",
        ),
    ];
    assert_eq!(rules_of(&tiny_beir()), [], "as it is, with U+2028 in every text");
    for (shape, break_it, rule, place) in shapes {
        let mut files = tiny_beir();
        break_it(&mut files);
        let report = report_of(&files);
        let finding = report.findings.iter().find(|finding| finding.rule == rule);
        let finding = finding.unwrap_or_else(|| panic!("{shape}: {}", report.render()));
        assert!(finding.examples[0].starts_with(place), "{shape}: {:?}", finding.examples);
        assert!(!report.is_clean());
    }
}

#[test]
fn case_40_crlf_is_accepted() {
    let crlf = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace('\n', "\r\n").into_bytes();
    let files: Files = tiny_beir().into_iter().map(|(name, bytes)| (name, crlf(bytes))).collect();
    assert_eq!(rules_of(&files), []);
}

#[test]
fn case_41_a_corpus_needs_a_title_and_configurations_of_one_kind() {
    let mut files = tiny_beir();
    replace(&mut files, "corpus.jsonl", "\"title\":\"\",", "");
    files.insert(
        "README.md".into(),
        b"---\nconfigs:\n- path: x\n  path: qrels/test.tsv\n  path: corpus.jsonl\n---\n".to_vec(),
    );
    assert_eq!(rules_of(&files), [Rule::NoTitle, Rule::MixedConfigs]);
}

#[test]
fn case_42_ids_that_a_reader_retypes_are_refused() {
    for id in ["001", "2024-01-01"] {
        let mut files = tiny_beir();
        for name in ["corpus.jsonl", "qrels/test.tsv"] {
            let text = String::from_utf8(files[name].clone()).unwrap().replace("d1", id);
            files.insert(name.to_owned(), text.into_bytes());
        }
        assert_eq!(rules_of(&files), [Rule::UnsafeId], "{id}");
    }
}
