//! Every rule of `published.toml` has a release that breaks it, and a right release breaks none.

use std::collections::BTreeMap;

use super::*;
use crate::{
    sources::coreb::{Amount, Code, Text},
    tables::Qrel,
};

const PROBLEMS: [&str; 2] = ["lcb_abc1_a", "lcb_abc2_b"];
const WORDS: [&str; 2] = ["lanterns along a pier are lit at night", "barges carry salt through seven locks of canals"];

fn program(language: &str, name: &str, value: &str) -> String {
    match language {
        "python" => format!("{name} = int(input()) // 2\nprint({value})\n"),
        "ruby" => format!("{name} = gets.to_i # // 2\nputs {value}\n"),
        "cpp" => format!("#include <iostream>\nint main() {{ int {name}; std::cin >> {name}; {name} = {value}; }}\n"),
        "java" => format!(
            "class A {{ public static void main(String[] a) {{ int {name} = System.in.read(); {name} = {value}; }} }}\n"
        ),
        _ => format!("package main\nfunc main() {{ var {name} int; fmt.Scan(&{name}); {name} = {value} }}\n"),
    }
}

fn code(at: usize, problem: usize, language: &str, model: &str, passed: bool) -> Code {
    let text = program(language, &format!("value{problem}{model}{at}"), &format!("{at} + wide{at} * {at}"));
    Code {
        code_id: format!("code_{at:02}"),
        code_length: text.len(),
        code: text,
        language: language.to_owned(),
        model: model.to_owned(),
        problem_id: PROBLEMS[problem].to_owned(),
        solution_key: String::new(),
        passed,
        pass_rate: f64::from(u8::from(passed)),
        test_passed: if passed { 5 } else { 2 },
        test_total: 5,
        created_at: String::new(),
        corpus_version: String::new(),
    }
}

fn text(problem: usize, noise: Option<usize>) -> Text {
    let body = match noise {
        None => format!("Title\n\n{} and count them", WORDS[problem]),
        Some(n) => format!("Other\n\n{} but {n} times more often than before today", WORDS[problem]),
    };
    let id = PROBLEMS[problem];
    Text {
        text_id: noise.map_or_else(|| format!("text_{problem}"), |n| format!("text_{problem}_noise{n}")),
        text_style: String::new(),
        text_length: body.chars().count(),
        text: body,
        abbreviated_text: noise.is_none().then(|| "count lanterns".to_owned()),
        abbreviated_text_length: noise.is_none().then(|| Amount(14.into())),
        source_problem_id: noise.map_or_else(|| id.to_owned(), |n| format!("{id}_noise{n}")),
        created_at: String::new(),
        corpus_version: String::new(),
        original_text_id: None,
        original_problem_id: noise.map(|_| id.to_owned()),
        is_noise_sample: noise.map(|_| true),
        noise_type: None,
        noise_variation: None,
    }
}

struct Sample(Release);

impl Sample {
    fn query(&mut self, task: Task, query: PublishedQuery, positives: &[&str], negatives: &[&str]) {
        let graded = positives.iter().map(|id| (id, 2)).chain(negatives.iter().map(|id| (id, 1)));
        let row = |(doc_id, relevance): (&&str, u32)| Qrel {
            query_id: query.query_id.clone(),
            doc_id: (*doc_id).to_owned(),
            relevance,
        };
        self.0.qrels.entry(task).or_default().extend(graded.map(row));
        let n_relevant = u32::try_from(positives.len()).unwrap();
        let num_relevant_docs = (task == Task::Text2Code).then(|| Amount(n_relevant.into()));
        let query = PublishedQuery { num_relevant_docs, split: task.name().to_owned(), ..query };
        self.0.queries.entry(task).or_default().push(query);
    }
}

fn named(id: &str, subtask: &str, text: &str) -> PublishedQuery {
    PublishedQuery {
        query_id: format!("q_{subtask}_{id}"),
        subtask: subtask.to_owned(),
        query: text.to_owned(),
        problem_id: PROBLEMS[0].to_owned(),
        ..PublishedQuery::default()
    }
}

/// Problem 0: programs 0 to 4 passed, 5 to 9 failed; problem 1 likewise with 10 to 19.
fn sample() -> Release {
    let mut sample = Sample(Release { dir: "release_v2602".into(), ..Release::default() });
    for at in 0..20 {
        let language = ["cpp", "go", "java", "python", "ruby"][at % 5];
        let model = ["one", "two"][(at / 5) % 2];
        sample.0.codes.push(code(at, at / 10, language, model, at % 10 < 5));
    }
    sample.0.texts = (0..2).map(|problem| text(problem, None)).collect();
    sample.0.texts.extend((0..2).flat_map(|problem| (1..4).map(move |n| text(problem, Some(n)))));
    let passed = ["code_00", "code_01", "code_02", "code_03", "code_04"];
    let failed = ["code_05", "code_06", "code_07"];
    let any = Some("none".to_owned());
    let full =
        PublishedQuery { language_constraint: any.clone(), ..named("0001", "t2c_full_retro_any", "count lanterns") };
    sample.query(Task::Text2Code, full, &passed, &failed);
    let search =
        PublishedQuery { language_constraint: any, ..named("0002", "t2c_search_any", "count lanterns at night") };
    sample.query(Task::Text2Code, search, &passed, &failed);
    let python = named("0003", "t2c_search_python", "lanterns along a pier in python");
    let python = PublishedQuery { language_constraint: Some("python".to_owned()), ..python };
    sample.query(Task::Text2Code, python, &["code_03"], &failed);
    let anchor = |query| PublishedQuery {
        anchor_code_id: Some("code_00".to_owned()),
        anchor_language: Some("cpp".to_owned()),
        ..query
    };
    sample.query(Task::Code2Code, anchor(named("0001", "c2c_cross_lang", "an anchor")), &passed[1..], &failed);
    let noise = ["text_0_noise1", "text_0_noise2", "text_0_noise3"];
    sample.query(Task::Code2Text, anchor(named("0001", "c2t_full_retro_any", "an anchor")), &["text_0"], &noise);
    let pair = |query| PublishedQuery { label: Some(Amount(1.into())), text_id: Some("text_0".to_owned()), ..query };
    sample.query(Task::Code2Text, pair(named("0002", "c2t_match", "an anchor")), &["text_0"], &noise);
    sample.0
}

fn found(release: &Release) -> BTreeMap<Rule, usize> {
    let mut findings = Findings::default();
    check_release(release, &mut findings);
    findings.into_report(BTreeMap::new()).findings.into_iter().map(|finding| (finding.rule, finding.count)).collect()
}

fn regrade(release: &mut Release, task: Task, doc_id: &str, relevance: u32) {
    for qrel in release.qrels.get_mut(&task).unwrap().iter_mut().filter(|qrel| qrel.doc_id == doc_id) {
        qrel.relevance = relevance;
    }
}

fn search(release: &mut Release, text: &str) {
    release.queries.get_mut(&Task::Text2Code).unwrap()[1].query = text.to_owned();
}

fn python_search(release: &mut Release, text: &str) {
    release.queries.get_mut(&Task::Text2Code).unwrap()[2].query = text.to_owned();
}

fn copy_query(release: &mut Release, task: Task, from: usize, id: &str, change: impl Fn(&mut PublishedQuery)) {
    let mut query = release.queries[&task][from].clone();
    query.query_id = id.to_owned();
    change(&mut query);
    let qrels: Vec<Qrel> = release.qrels[&task]
        .iter()
        .filter(|qrel| qrel.query_id == release.queries[&task][from].query_id)
        .map(|qrel| Qrel { query_id: id.to_owned(), ..qrel.clone() })
        .collect();
    release.qrels.get_mut(&task).unwrap().extend(qrels);
    release.queries.get_mut(&task).unwrap().push(query);
}

/// `None` where the rule is broken by another layout alone.
#[expect(clippy::too_many_lines, reason = "one arm a rule")]
fn break_rule(rule: Rule, r: &mut Release) -> Option<()> {
    match rule {
        Rule::FailedPositive => regrade(r, Task::Text2Code, "code_05", 2),
        Rule::PassedNegativeText => regrade(r, Task::Text2Code, "code_04", 1),
        Rule::PassedNegativeCode | Rule::TranslationNegative => regrade(r, Task::Code2Code, "code_04", 1),
        Rule::UnjudgedTranslation => r.qrels.get_mut(&Task::Code2Code)?.retain(|qrel| qrel.doc_id != "code_04"),
        Rule::DroppedFailed | Rule::FewNegatives => {
            r.qrels.get_mut(&Task::Text2Code)?.retain(|qrel| qrel.doc_id != "code_05");
        }
        Rule::ForeignNegative => r.qrels.get_mut(&Task::Code2Text)?[1].doc_id = "text_1_noise1".to_owned(),
        Rule::NoPositive => r.qrels.get_mut(&Task::Code2Text)?.retain(|qrel| qrel.relevance == 1),
        Rule::UnjudgedPair => {
            let pair = &mut r.queries.get_mut(&Task::Code2Text)?[1];
            (pair.label, pair.text_id) = (Some(Amount(0.into())), Some("text_1".to_owned()));
        }
        Rule::NearDuplicateGrades | Rule::NearDuplicates => {
            let long = (0..40).map(|n| format!("x{n} = {n}\n")).collect::<Vec<_>>().concat();
            r.codes[3].code = format!("{long}{}", r.codes[3].code);
            r.codes[8].code = format!("{}\n# one more", r.codes[3].code);
            r.qrels.get_mut(&Task::Text2Code)?[5].doc_id = "code_08".to_owned();
        }
        Rule::WhitespaceDuplicate => r.codes[8].code = format!("\n{}", r.codes[3].code),
        Rule::IdenticalDocuments => r.codes[8].code = r.codes[3].code.clone(),
        Rule::ContradictoryQuery | Rule::DuplicateQuery => {
            copy_query(r, Task::Text2Code, 1, "q_t2c_search_any_0004", |query| {
                query.problem_id = PROBLEMS[1].to_owned();
            });
        }
        Rule::RepeatedPair => {
            copy_query(r, Task::Code2Text, 0, "q_c2t_canonical_retro_any_0003", |query| {
                query.subtask = "c2t_canonical_retro_any".to_owned();
            });
        }
        Rule::RepeatedMatch => copy_query(r, Task::Code2Text, 1, "q_c2t_match_0003", |_| ()),
        Rule::LeakedId => search(r, "lanterns of ABC1 A at night"),
        Rule::LeakedOtherId => search(r, "lanterns, not like abc2_b"),
        Rule::VacuousSearch => search(r, "efficient approach"),
        Rule::DifficultyWords => search(r, "lanterns of medium difficulty"),
        Rule::PromptLeak => search(r, "lanterns in batch code retrieval"),
        Rule::SearchOtherLanguage => python_search(r, "lanterns in C++"),
        Rule::SearchUnnamedLanguage => python_search(r, "lanterns"),
        Rule::SearchAnyLanguage => search(r, "lanterns in golang"),
        Rule::NoInclude => r.codes[0].code = "int main() { std::cin >> x; }".to_owned(),
        Rule::NoSlashes => {
            for _ in 0..60 {
                r.codes.push(code(r.codes.len(), 1, "ruby", "one", false));
            }
            r.codes.iter_mut().for_each(|code| code.code = code.code.replace("//", ""));
        }
        Rule::CutDivision => r.codes[3].code = "low = int(input()) // 1\nmid = (low + 9) \n".to_owned(),
        Rule::UnparsablePython => r.codes[3].code = "x = (input() // 2\n".to_owned(),
        Rule::StrayMain => r.codes[0].code.push_str("main();\n"),
        Rule::UnbalancedBraces => r.codes[0].code.push('{'),
        Rule::MislabelledLanguage => r.codes[4].code = "for x in gets:\n    puts(x)\n".to_owned(),
        Rule::NoEntryPoint => r.codes[1].code = "package main // fmt.Scan".to_owned(),
        Rule::NoInput => r.codes[3].code = "print(1 // 2)\n".to_owned(),
        Rule::SingleTest => r.codes.iter_mut().for_each(|code| code.test_total = 1),
        Rule::WrongLength => r.texts[0].text_length += 1,
        Rule::NoiseMarkup => r.texts[2].text.insert_str(0, "# Header\n"),
        Rule::NoiseSelfReference => r.texts[2].text.push_str(" unlike the original"),
        Rule::NoiseTooNear => r.texts[2].text = r.texts[0].text.clone(),
        Rule::NoiseTooFar => r.texts[2].text = "nothing in common".to_owned(),
        Rule::LongAbbreviation => r.texts[0].abbreviated_text = Some(r.texts[0].text.repeat(2)),
        Rule::ForeignId => r.codes[0].code_id = "code_v202601_00001".to_owned(),
        Rule::MissingCombination => drop(r.codes.pop()),
        Rule::IndexGaps => drop(r.queries.get_mut(&Task::Text2Code)?.remove(1)),
        Rule::FloatIntegers => r.texts[0].abbreviated_text_length = Some(Amount::of(14)),
        Rule::NullCounts => r.queries.get_mut(&Task::Text2Code)?[0].num_relevant_docs = None,
        Rule::UnsolvedProblem => {
            r.codes.iter_mut().filter(|code| code.problem_id == PROBLEMS[1]).for_each(|code| code.passed = false);
        }
        Rule::DanglingDocument => r.qrels.get_mut(&Task::Text2Code)?[0].doc_id = "code_99".to_owned(),
        Rule::DanglingQuery => r.qrels.get_mut(&Task::Text2Code)?[0].query_id = "q_none".to_owned(),
        Rule::DuplicatePair => r.qrels.get_mut(&Task::Text2Code)?[1].doc_id = "code_00".to_owned(),
        Rule::DuplicateId => r.codes[0].code_id = "code_01".to_owned(),
        Rule::BadGrade => r.qrels.get_mut(&Task::Text2Code)?[0].relevance = 3,
        Rule::AnchorJudged => r.qrels.get_mut(&Task::Code2Code)?[0].doc_id = "code_00".to_owned(),
        Rule::WrongCount => r.queries.get_mut(&Task::Text2Code)?[0].num_relevant_docs = Some(Amount(9.into())),
        Rule::ForeignPositive => r.qrels.get_mut(&Task::Text2Code)?[0].doc_id = "code_10".to_owned(),
        _ => return None,
    }
    Some(())
}

#[test]
fn a_right_release_breaks_no_rule_of_published_ones() {
    assert_eq!(found(&sample()), BTreeMap::new());
}

#[test]
fn every_rule_of_published_releases_is_broken_by_its_fixture() {
    for rule in Rule::ALL {
        let mut release = sample();
        if break_rule(*rule, &mut release).is_none() {
            assert!(!rule.is_of_published(), "`{}` has no fixture", rule.name());
            continue;
        }
        let found = found(&release);
        assert!(found.contains_key(rule), "`{}` is not found, but {found:?}", rule.name());
    }
}
