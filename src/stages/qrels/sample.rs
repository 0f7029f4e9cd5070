//! Small made-up inputs for tests: problems whose programs come out as a plan says.

use super::{Formed, Input, Settings, form};
use crate::{
    ids,
    languages::Language,
    tables::{
        Abbreviation, Difficulty, Negative, Problem, Rewrite, SearchKind, SearchQuery, Solution, Strategy, Style,
        SubjectKind, Suite, VerdictRow,
    },
    verdict::Verdict,
};

pub(crate) const MODELS: [&str; 2] = ["Alpha-1", "beta-2"];
pub(crate) const LANGUAGES: [Language; 5] =
    [Language::Cpp, Language::Go, Language::Java, Language::Python, Language::Ruby];

/// One problem: its number, and per program (language by language, model by model) its verdict;
/// `None` is a reply without code.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub number: u32,
    pub verdicts: Vec<Option<Verdict>>,
}

impl Plan {
    /// A letter a program: `A`ccepted, `W`rong, `T`ime limit, `C`ompile error, `I`nternal error, `-` no code.
    pub(crate) fn new(number: u32, verdicts: &str) -> Self {
        let verdict = |letter| match letter {
            'A' => Some(Verdict::Accepted),
            'W' => Some(Verdict::WrongAnswer),
            'T' => Some(Verdict::TimeLimit),
            'C' => Some(Verdict::CompileError),
            'I' => Some(Verdict::InternalError),
            _ => None,
        };
        Self { number, verdicts: verdicts.chars().map(verdict).collect() }
    }
}

pub(crate) fn settings() -> Settings {
    Settings {
        release: "mini202601".to_owned(),
        seed: 7,
        created_at: "2026-01-31T00:00:00Z".to_owned(),
        max_hard_negatives: 3,
        max_search_queries: 1000,
    }
}

/// A release with every subtask in it.
pub(crate) fn mini() -> Formed {
    let plans = [
        Plan::new(1, "AAAAAAAAAA"),
        Plan::new(2, "AAWAAWCATA"),
        Plan::new(3, "--IWTCAAAW"),
        Plan::new(4, "WWWWWWWWTW"),
    ];
    form(&input(&plans), &settings())
}

pub(crate) fn input(plans: &[Plan]) -> Input {
    let mut input = Input::default();
    for plan in plans {
        add_problem(&mut input, plan);
        for (at, verdict) in plan.verdicts.iter().enumerate() {
            let solution = solution(plan.number, LANGUAGES[at / 2], MODELS[at % 2], verdict.is_some());
            input.verdicts.push(verdict_row(&solution, verdict.unwrap_or(Verdict::NoCode)));
            input.solutions.push(solution);
        }
    }
    input
}

pub(crate) fn problem_id(number: u32) -> String {
    format!("lcb_toy{number}_a")
}

fn add_problem(input: &mut Input, plan: &Plan) {
    let problem_id = problem_id(plan.number);
    let number = plan.number;
    input.problems.push(Problem {
        problem_id: problem_id.clone(),
        source: "toy".into(),
        question_id: format!("toy{number}_a"),
        platform: "atcoder".into(),
        title: format!("Original {number}"),
        statement: "Original.".into(),
        starter_code: String::new(),
        func_name: None,
        style: Style::Stdin,
        date: "2026-01-05T00:00:00".into(),
        difficulty_label: Some("easy".into()),
        time_limit_ms: None,
        memory_limit_kib: None,
    });
    input.rewrites.push(Rewrite {
        problem_id: problem_id.clone(),
        title: format!("Lanterns on pier {number}"),
        statement: format!("Count the lanterns that pier {number} needs.\u{2028}Print one number."),
        starter_code: String::new(),
        func_name: None,
        tests: Vec::new(),
        changes: Vec::new(),
        model: "writer".into(),
        reply_keys: Vec::new(),
    });
    input.abbreviations.push(Abbreviation {
        problem_id: problem_id.clone(),
        text: format!("Lanterns needed by pier {number}, one number out."),
        n_words: 8,
        model: "writer".into(),
        reply_key: String::new(),
    });
    input.difficulty.push(Difficulty {
        problem_id: problem_id.clone(),
        level: number % 3,
        n_references: 1,
        mean_cyclomatic: 1.0,
        mean_effort: 1.0,
        mean_sloc: 1.0,
        z_cyclomatic: 0.0,
        z_effort: 0.0,
        z_sloc: 0.0,
    });
    add_written(input, &problem_id, number);
}

fn add_written(input: &mut Input, problem_id: &str, number: u32) {
    for strategy in Strategy::ALL {
        input.negatives.push(Negative {
            problem_id: problem_id.to_owned(),
            strategy,
            text: format!("Lanterns off pier {number}\n\nThe pier with a {}.", strategy.name()),
            model: "writer".into(),
            reply_key: String::new(),
        });
    }
    for kind in SearchKind::ALL {
        for n in 0..2 {
            input.search_queries.push(SearchQuery {
                problem_id: problem_id.to_owned(),
                kind,
                n,
                text: format!("lantern {} number {n} of pier {number}", kind.name()),
                model: "writer".into(),
                reply_key: String::new(),
            });
        }
    }
}

pub(crate) fn solution(number: u32, language: Language, model: &str, has_code: bool) -> Solution {
    let problem_id = problem_id(number);
    let code = format!("# é {model} solves pier {number} in {}\n", language.name());
    Solution {
        solution_id: ids::solution_id(&problem_id, language, model, 0, "solve"),
        problem_id,
        language,
        model: model.to_owned(),
        sample_idx: 0,
        prompt: "solve".into(),
        code: has_code.then_some(code),
        no_code_reason: (!has_code).then(|| "no-code-block".to_owned()),
        reply_key: String::new(),
    }
}

pub(crate) fn verdict_row(solution: &Solution, verdict: Verdict) -> VerdictRow {
    VerdictRow {
        subject_id: solution.solution_id.clone(),
        subject: SubjectKind::Solution,
        problem_id: solution.problem_id.clone(),
        language: solution.language,
        model: Some(solution.model.clone()),
        suite: Suite::Rewritten,
        verdict,
        n_tests: 8,
        n_passed: if verdict == Verdict::Accepted { 8 } else { 3 },
        first_failed_test: None,
        checker: "lines".into(),
        code_sha256: solution.code.as_ref().map(|code| ids::sha256_hex(code.as_bytes())),
        toolchain: "toy 1".into(),
        isolation: "namespaces".into(),
        detail: None,
    }
}
