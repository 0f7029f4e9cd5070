//! What must hold of labels, whatever the verdicts are.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{
    sample::{self, Plan, settings},
    *,
};
use crate::{languages::Language, verdict::Verdict};

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    let verdict = prop_oneof![
        4 => Just(Some(Verdict::Accepted)),
        2 => Just(Some(Verdict::WrongAnswer)),
        1 => Just(Some(Verdict::TimeLimit)),
        1 => Just(Some(Verdict::InternalError)),
        1 => Just(None),
    ];
    let problem = proptest::collection::vec(verdict, 0..=10);
    proptest::collection::vec(problem, 1..6).prop_map(|problems| {
        let plan = |(number, verdicts)| Plan { number, verdicts };
        (1..).zip(problems).map(plan).collect()
    })
}

/// Judgements by what they are about rather than by document number, which every document shifts.
fn judgements(formed: &Formed) -> BTreeMap<String, BTreeSet<(u32, String)>> {
    let codes = formed.code_documents.iter().map(|row| (&row.code_id, row.meta.solution_key.clone()));
    let texts = formed.text_documents.iter().map(|row| (&row.text_id, documents::text_origin(row)));
    let keys: BTreeMap<&String, String> = codes.chain(texts).collect();
    let mut judgements: BTreeMap<String, BTreeSet<(u32, String)>> = BTreeMap::new();
    for qrel in &formed.qrels {
        judgements.entry(qrel.query_id.clone()).or_default().insert((qrel.relevance, keys[&qrel.doc_id].clone()));
    }
    judgements
}

fn rotate<T>(rows: &mut [T], turn: usize) {
    let n = rows.len().max(1);
    rows.rotate_left(turn % n);
    rows.reverse();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_program_that_passed_is_ever_a_hard_negative(plans in plans()) {
        let formed = form(&sample::input(&plans), &settings());
        let passed: BTreeMap<&str, bool> =
            formed.code_documents.iter().map(|row| (row.code_id.as_str(), row.meta.passed)).collect();
        for qrel in &formed.qrels {
            if let Some(passed) = passed.get(qrel.doc_id.as_str()) {
                prop_assert_eq!(*passed, qrel.relevance == POSITIVE, "{:?}", qrel);
            }
        }
    }

    #[test]
    fn every_query_has_a_positive_except_match_pairs_of_label_0(plans in plans()) {
        let formed = form(&sample::input(&plans), &settings());
        for query in &formed.queries {
            let graded = |grade| {
                formed.qrels.iter().filter(|row| row.query_id == query.query_id && row.relevance == grade).count()
            };
            prop_assert_eq!(graded(POSITIVE), query.meta.num_relevant_docs as usize);
            prop_assert_eq!(graded(HARD_NEGATIVE), query.meta.num_hard_negatives as usize);
            if query.label == Some(0) {
                prop_assert_eq!((graded(POSITIVE), graded(HARD_NEGATIVE)), (0, 1));
            } else {
                prop_assert!(graded(POSITIVE) > 0, "{}", query.query_id);
                prop_assert!(graded(HARD_NEGATIVE) <= settings().max_hard_negatives);
            }
        }
    }

    #[test]
    fn one_problem_more_changes_no_other_problems_judgements(plans in plans(), more in plans()) {
        let before = form(&sample::input(&plans), &settings());
        let mut all = plans;
        all.push(Plan { number: 90, ..more[0].clone() });
        let after = form(&sample::input(&all), &settings());
        let (before, after) = (judgements(&before), judgements(&after));
        for (query_id, judged) in before {
            // The new problem may become the partner of a match pair, which then frees the old one
            // for the other pair of the same problem.
            let pair = |n| format!("{}_{n}", query_id.trim_end_matches(['2', '3']).trim_end_matches('_'));
            let is_new = |id: &String| after.get(id).is_some_and(|j| j.contains(&(1, sample::problem_id(90))));
            let may_change = query_id.contains("_match_") && (is_new(&pair(2)) || is_new(&pair(3)));
            prop_assert!(may_change || judged == after[&query_id], "{}", query_id);
        }
    }

    #[test]
    fn the_order_of_input_rows_does_not_matter(plans in plans(), turn in 0usize..50) {
        let input = sample::input(&plans);
        let mut turned = input.clone();
        rotate(&mut turned.rewrites, turn);
        rotate(&mut turned.abbreviations, turn);
        rotate(&mut turned.negatives, turn);
        rotate(&mut turned.solutions, turn);
        rotate(&mut turned.verdicts, turn);
        rotate(&mut turned.search_queries, turn);
        prop_assert_eq!(form(&input, &settings()), form(&turned, &settings()));
    }

    #[test]
    fn nothing_vanishes(plans in plans()) {
        let input = sample::input(&plans);
        let formed = form(&input, &settings());
        let rejected: BTreeSet<String> = formed.rejected.iter().map(|row| row.key.clone()).collect();
        let output = output(&input, &settings(), formed).unwrap();
        let made: BTreeSet<&String> = output.tables.values().flatten().map(|line| &line.key).collect();
        prop_assert_eq!(output.expected.len(), plans.len() * (1 + 4 + 6) + input.solutions.len());
        for key in &output.expected {
            prop_assert!(made.contains(key) || rejected.contains(key), "{}", key);
        }
    }

    #[test]
    fn failed_programs_are_drawn_as_far_as_there_are_any(plans in plans()) {
        let formed = form(&sample::input(&plans), &settings());
        for query in formed.queries.iter().filter(|query| query.split != crate::tables::query::Task::Code2Text) {
            let failed = formed.code_documents.iter().filter(|row| {
                !row.meta.passed && row.meta.source_problem_id == query.meta.source_problem_id
            });
            prop_assert_eq!(query.meta.num_hard_negatives as usize, failed.count().min(3));
        }
    }
}

fn subtasks(formed: &Formed) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for query in &formed.queries {
        *counts.entry(query.subtask.as_str()).or_insert(0) += 1;
    }
    counts
}

fn rejected(formed: &Formed, reason: Reason) -> Vec<&str> {
    formed.rejected.iter().filter(|row| row.reason == reason).map(|row| row.key.as_str()).collect()
}

#[test]
fn a_small_release_has_every_subtask() {
    insta::assert_debug_snapshot!(subtasks(&sample::mini()), @r#"
    {
        "c2c_cross_lang": 18,
        "c2c_cross_model": 18,
        "c2c_mono_lang": 14,
        "c2t_canonical_retro_any": 3,
        "c2t_canonical_retro_go": 1,
        "c2t_canonical_retro_python": 1,
        "c2t_canonical_retro_ruby": 1,
        "c2t_full_retro_any": 3,
        "c2t_full_retro_cpp": 2,
        "c2t_full_retro_go": 1,
        "c2t_full_retro_java": 2,
        "c2t_full_retro_python": 2,
        "c2t_full_retro_ruby": 3,
        "c2t_match": 12,
        "t2c_canonical_retro_any": 3,
        "t2c_canonical_retro_cpp": 2,
        "t2c_canonical_retro_go": 2,
        "t2c_canonical_retro_java": 2,
        "t2c_canonical_retro_python": 3,
        "t2c_canonical_retro_ruby": 3,
        "t2c_full_retro_any": 3,
        "t2c_full_retro_cpp": 2,
        "t2c_full_retro_go": 2,
        "t2c_full_retro_java": 2,
        "t2c_full_retro_python": 3,
        "t2c_full_retro_ruby": 3,
        "t2c_search_any": 18,
        "t2c_search_cpp": 12,
        "t2c_search_go": 12,
        "t2c_search_java": 12,
        "t2c_search_python": 18,
        "t2c_search_ruby": 18,
    }
    "#);
}

#[test]
fn judgements_of_one_problem_are_as_the_rules_say() {
    // C++ by both, Go by neither, Java by beta, Python by alpha; Ruby fails.
    let formed = form(&sample::input(&[Plan::new(1, "AAWTWAAWCW"), Plan::new(2, "A")]), &settings());
    let lines: Vec<String> = judgements(&formed)
        .into_iter()
        .filter(|(id, _)| id.contains("toy1") && !id.contains("_search_"))
        .map(|(id, judged)| {
            let short = |key: &String| key.replace("lcb_toy1_a", "").replace("_solve_000", "");
            let of = |grade| judged.iter().filter(|(g, _)| *g == grade).map(|(_, key)| short(key)).collect::<Vec<_>>();
            format!("{}: 2 {} | 1 {}", id.replace("q_mini202601_", ""), of(2).join(" "), of(1).join(" "))
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    c2c_cross_lang_lcb_toy1_a_cpp_alpha-1_solve_000: 2 _python_alpha-1 | 1 _go_alpha-1 _java_alpha-1 _ruby_alpha-1
    c2c_cross_lang_lcb_toy1_a_cpp_beta-2_solve_000: 2 _java_beta-2 | 1 _go_beta-2 _python_beta-2 _ruby_beta-2
    c2c_cross_lang_lcb_toy1_a_java_beta-2_solve_000: 2 _cpp_beta-2 | 1 _go_beta-2 _python_beta-2 _ruby_beta-2
    c2c_cross_lang_lcb_toy1_a_python_alpha-1_solve_000: 2 _cpp_alpha-1 | 1 _go_alpha-1 _java_alpha-1 _ruby_alpha-1
    c2c_cross_model_lcb_toy1_a_cpp_alpha-1_solve_000: 2 _java_beta-2 | 1 _go_beta-2 _python_beta-2 _ruby_beta-2
    c2c_cross_model_lcb_toy1_a_cpp_beta-2_solve_000: 2 _python_alpha-1 | 1 _go_alpha-1 _java_alpha-1 _ruby_alpha-1
    c2c_cross_model_lcb_toy1_a_java_beta-2_solve_000: 2 _cpp_alpha-1 _python_alpha-1 | 1 _go_alpha-1 _go_beta-2 _ruby_alpha-1
    c2c_cross_model_lcb_toy1_a_python_alpha-1_solve_000: 2 _cpp_beta-2 _java_beta-2 | 1 _go_alpha-1 _go_beta-2 _ruby_beta-2
    c2c_mono_lang_lcb_toy1_a_cpp_alpha-1_solve_000: 2 _cpp_beta-2 | 1 _go_beta-2 _ruby_alpha-1 _ruby_beta-2
    c2c_mono_lang_lcb_toy1_a_cpp_beta-2_solve_000: 2 _cpp_alpha-1 | 1 _go_beta-2 _python_beta-2 _ruby_alpha-1
    c2t_canonical_retro_any_lcb_toy1_a_0: 2  | 1 /changed-constraint /changed-operation /changed-structure
    c2t_full_retro_any_lcb_toy1_a_0: 2  | 1 /changed-constraint /changed-objective /changed-structure
    c2t_full_retro_java_lcb_toy1_a_0: 2  | 1 /changed-constraint /changed-objective /changed-structure
    c2t_full_retro_python_lcb_toy1_a_0: 2  | 1 /changed-constraint /changed-objective /changed-structure
    c2t_match_lcb_toy1_a_0: 2  | 1 /changed-objective /changed-operation /changed-structure
    c2t_match_lcb_toy1_a_1: 2  | 1 /changed-constraint /changed-objective /changed-structure
    c2t_match_lcb_toy1_a_2: 2  | 1 lcb_toy2_a
    t2c_canonical_retro_any_lcb_toy1_a_0: 2 _cpp_alpha-1 _cpp_beta-2 _java_beta-2 _python_alpha-1 | 1 _go_alpha-1 _java_alpha-1 _python_beta-2
    t2c_canonical_retro_cpp_lcb_toy1_a_0: 2 _cpp_alpha-1 _cpp_beta-2 | 1 _go_alpha-1 _java_alpha-1 _ruby_alpha-1
    t2c_canonical_retro_java_lcb_toy1_a_0: 2 _java_beta-2 | 1 _go_alpha-1 _go_beta-2 _java_alpha-1
    t2c_canonical_retro_python_lcb_toy1_a_0: 2 _python_alpha-1 | 1 _go_beta-2 _python_beta-2 _ruby_beta-2
    t2c_full_retro_any_lcb_toy1_a_0: 2 _cpp_alpha-1 _cpp_beta-2 _java_beta-2 _python_alpha-1 | 1 _java_alpha-1 _python_beta-2 _ruby_beta-2
    t2c_full_retro_cpp_lcb_toy1_a_0: 2 _cpp_alpha-1 _cpp_beta-2 | 1 _go_beta-2 _python_beta-2 _ruby_beta-2
    t2c_full_retro_java_lcb_toy1_a_0: 2 _java_beta-2 | 1 _go_beta-2 _java_alpha-1 _python_beta-2
    t2c_full_retro_python_lcb_toy1_a_0: 2 _python_alpha-1 | 1 _go_alpha-1 _java_alpha-1 _python_beta-2
    "#);
}

#[test]
fn ids_are_safe_and_documents_are_numbered_without_a_hint() {
    let formed = sample::mini();
    let ids = formed.queries.iter().map(|row| &row.query_id);
    let ids = ids.chain(formed.code_documents.iter().map(|row| &row.code_id));
    for id in ids.chain(formed.text_documents.iter().map(|row| &row.text_id)) {
        assert!(crate::ids::is_safe(id), "{id}");
        assert!(id.contains("_mini202601_"), "{id}");
    }
    let problems: Vec<&str> = formed.text_documents.iter().map(|row| row.meta.source_problem_id.as_str()).collect();
    assert!(!problems.is_sorted(), "{problems:?}");
    let passed: Vec<bool> = formed.code_documents.iter().map(|row| row.meta.passed).collect();
    assert!(!passed.is_sorted() && !passed.iter().rev().is_sorted());
}

#[test]
fn no_code2text_retrieval_asks_with_the_same_program_twice() {
    let formed = sample::mini();
    let mut anchors = BTreeSet::new();
    for query in formed.queries.iter().filter(|query| query.subtask.contains("c2t_") && query.label.is_none()) {
        assert!(anchors.insert(&query.query), "{}", query.query_id);
    }
    assert!(!anchors.is_empty());
}

#[test]
fn a_single_program_goes_to_the_full_family() {
    let formed = form(&sample::input(&[Plan::new(1, "A"), Plan::new(2, "A")]), &settings());
    let c2t: Vec<&str> = subtasks(&formed).into_keys().filter(|subtask| subtask.starts_with("c2t")).collect();
    assert_eq!(c2t, ["c2t_full_retro_any", "c2t_match"]);
    let missing = rejected(&formed, Reason::NoAnchor);
    assert!(missing.contains(&"q_mini202601_c2t_canonical_retro_any_lcb_toy1_a_0"), "{missing:?}");
    assert!(missing.contains(&"q_mini202601_c2t_match_lcb_toy1_a_1"), "{missing:?}");
}

#[test]
fn a_lone_problem_has_no_match_partner() {
    let formed = form(&sample::input(&[Plan::new(1, "AA")]), &settings());
    assert_eq!(rejected(&formed, Reason::NoPartner).len(), 2);
}

#[test]
fn a_search_query_of_a_language_names_it_and_only_it() {
    let mut input = sample::input(&[Plan::new(1, "A-A-A-A-A-")]);
    input.search_queries[0].text = "lanterns in Python".into();
    let formed = form(&input, &settings());
    assert_eq!(rejected(&formed, Reason::NamesLanguage), [input.search_queries[0].key()]);
    let search = formed.queries.iter().filter(|query| query.subtask.contains("search"));
    for query in search {
        let named: Vec<&str> = Language::named_in(&query.query).into_iter().map(Language::name).collect();
        let wanted = query.language_constraint.as_deref().unwrap();
        assert_eq!(named.first().copied().unwrap_or("none"), wanted, "{}", query.query);
        assert!(named.len() <= 1);
    }
    assert!(formed.queries.iter().any(|query| query.query.ends_with(" in C++")));
}

#[test]
fn a_search_block_keeps_its_limit_and_the_same_queries_when_one_comes_in() {
    let capped = Settings { max_search_queries: 4, ..settings() };
    let plans = [Plan::new(1, "A"), Plan::new(2, "A"), Plan::new(3, "A")];
    let ids = |formed: &Formed| -> BTreeSet<String> {
        let search = formed.queries.iter().filter(|query| query.subtask == "t2c_search_any");
        search.map(|query| query.query_id.clone()).collect()
    };
    let (few, more) = (form(&sample::input(&plans[..2]), &capped), form(&sample::input(&plans), &capped));
    assert_eq!((ids(&few).len(), ids(&more).len()), (4, 4));
    assert_eq!(rejected(&few, Reason::OverQueryLimit).len(), 2 * (12 - 4));
    for id in ids(&more) {
        assert!(id.contains("toy3") || ids(&few).contains(&id), "{id} was out and came in");
    }
}

#[test]
fn two_problems_that_ask_the_same_both_lose_the_question() {
    let mut input = sample::input(&[Plan::new(1, "A"), Plan::new(2, "A")]);
    let text = input.abbreviations[0].text.to_uppercase();
    input.abbreviations[1].text = text.replace(' ', "  ");
    let out = form(&input, &settings());
    let keys = rejected(&out, Reason::ContradictoryLabel);
    assert_eq!(keys.len(), 4, "{keys:?}");
    assert!(keys.iter().all(|key| key.contains("canonical_retro")));
}

#[test]
fn a_problem_that_asks_the_same_twice_asks_once() {
    let mut input = sample::input(&[Plan::new(1, "A")]);
    input.search_queries[1].text = input.search_queries[0].text.clone();
    let out = form(&input, &settings());
    assert_eq!(rejected(&out, Reason::DuplicateQuery).len(), 2);
}

/// Puts the text of one program in the place of others'.
fn with_copies(plans: &[Plan], from: usize, to: &[usize]) -> Formed {
    let mut input = sample::input(plans);
    let code = input.solutions[from].code.clone();
    for at in to {
        input.solutions[*at].code.clone_from(&code);
        input.verdicts[*at].code_sha256 = input.verdicts[from].code_sha256.clone();
    }
    form(&input, &settings())
}

#[test]
fn equal_programs_become_one_document() {
    let formed = with_copies(&[Plan::new(1, "AAW")], 0, &[1]);
    assert_eq!(rejected(&formed, Reason::DuplicateDocument), ["lcb_toy1_a_cpp_beta-2_solve_000"]);
    assert_eq!(formed.code_documents.len(), 2);
}

#[test]
fn a_text_that_passed_once_and_failed_once_is_no_document() {
    let formed = with_copies(&[Plan::new(1, "AWA")], 0, &[1]);
    assert_eq!(rejected(&formed, Reason::ContradictoryLabel).len(), 2);
    assert_eq!(formed.code_documents.len(), 1);
}

#[test]
fn a_right_program_also_handed_in_under_another_language_stays_right() {
    // The C++ text fails, its copy under Go passes.
    let formed = with_copies(&[Plan::new(1, "WWAW")], 0, &[2]);
    assert_eq!(rejected(&formed, Reason::DuplicateDocument), ["lcb_toy1_a_cpp_alpha-1_solve_000"]);
    assert!(formed.code_documents.iter().any(|row| row.meta.passed && row.language == Language::Go));
}

#[test]
fn a_text_that_solves_two_problems_is_no_document() {
    let formed = with_copies(&[Plan::new(1, "AW"), Plan::new(2, "AW")], 0, &[2]);
    assert_eq!(rejected(&formed, Reason::ContradictoryLabel).len(), 2);
}

#[test]
fn a_text_that_solves_one_of_two_problems_stays_with_that_one() {
    let formed = with_copies(&[Plan::new(1, "WA"), Plan::new(2, "AW")], 0, &[2]);
    assert_eq!(rejected(&formed, Reason::DuplicateDocument), ["lcb_toy1_a_cpp_alpha-1_solve_000"]);
}

#[test]
fn a_negative_that_repeats_a_statement_is_no_document() {
    let mut input = sample::input(&[Plan::new(1, "A")]);
    input.negatives[0].text = documents::full_text(&input.rewrites[0]);
    input.negatives[1].text = input.negatives[2].text.clone();
    let formed = form(&input, &settings());
    assert_eq!(rejected(&formed, Reason::ContradictoryLabel), [input.negatives[0].key()]);
    assert_eq!(rejected(&formed, Reason::DuplicateDocument), [input.negatives[2].key()]);
    assert_eq!(formed.text_documents.len(), 3);
}

#[test]
fn two_problems_with_one_statement_have_no_text() {
    let mut input = sample::input(&[Plan::new(1, "A"), Plan::new(2, "A")]);
    input.rewrites[1].title = input.rewrites[0].title.clone();
    input.rewrites[1].statement = input.rewrites[0].statement.clone();
    let formed = form(&input, &settings());
    assert!(!formed.queries.iter().any(|query| query.subtask.contains("full_retro")));
    assert!(rejected(&formed, Reason::ContradictoryLabel).contains(&"lcb_toy1_a"));
    assert!(!rejected(&formed, Reason::NoPositive).is_empty());
}

#[test]
fn a_breakdown_is_no_label() {
    let mut input = sample::input(&[Plan::new(1, "AAAAAA-I")]);
    input.solutions[0].code = Some("  \n".into());
    input.verdicts[1].n_tests = 0;
    input.verdicts[2].n_passed = 7;
    input.verdicts[3].code_sha256 = Some("0".repeat(64));
    input.verdicts.remove(4);
    let formed = form(&input, &settings());
    assert_eq!(formed.code_documents.len(), 1);
    assert_eq!(rejected(&formed, Reason::EmptyCode).len(), 1);
    assert_eq!(rejected(&formed, Reason::NoDocument).len(), 1);
    assert_eq!(rejected(&formed, Reason::InternalError).len(), 5);
}

#[test]
fn verdicts_on_the_original_tests_are_no_label() {
    let mut input = sample::input(&[Plan::new(1, "AW")]);
    let mut original = input.verdicts[1].clone();
    original.suite = crate::tables::Suite::Original;
    original.verdict = Verdict::Accepted;
    input.verdicts.push(original);
    let formed = form(&input, &settings());
    assert_eq!(formed.code_documents.iter().filter(|row| row.meta.passed).count(), 1);
}

#[test]
fn a_row_without_its_problem_is_rejected() {
    let mut input = sample::input(&[Plan::new(1, "A"), Plan::new(2, "A")]);
    input.rewrites.remove(1);
    let formed = form(&input, &settings());
    assert_eq!(rejected(&formed, Reason::ProblemRejected).len(), 1 + 4 + 6);
}

#[test]
fn lengths_count_characters_and_rates_are_real() {
    let formed = sample::mini();
    for row in &formed.code_documents {
        assert_eq!(row.code_length, row.code.chars().count());
        assert_ne!(row.code_length, row.code.len(), "the sample has a character of two bytes");
        assert!((row.meta.pass_rate - f64::from(row.meta.test_passed) / 8.0).abs() < f64::EPSILON);
        assert!(row.meta.difficulty_level.is_some());
    }
    let statement = formed.text_documents.iter().find(|row| !row.meta.is_noise_sample).unwrap();
    assert_eq!(statement.abbreviated_text_length, statement.abbreviated_text.as_ref().map(|text| text.chars().count()));
    assert_eq!(statement.meta.difficulty_label.as_deref(), Some("easy"));
}
