//! Input of the size of `CoREB`'s second release: its own texts and verdicts, or rows made up.

use std::path::Path;

use anyhow::{Context as _, Result};
use corebuild::{
    ids,
    languages::Language,
    seeded,
    stages::qrels::Input,
    store,
    tables::{
        Abbreviation, Negative, Rewrite, SearchKind, SearchQuery, Solution, Strategy, SubjectKind, Suite, VerdictRow,
    },
    verdict::Verdict,
};
use serde_json::Value;

const N_PROBLEMS: u32 = 175;
const N_PROGRAMS: usize = 1744;
const LANGUAGES: [Language; 5] = [Language::Cpp, Language::Go, Language::Java, Language::Python, Language::Ruby];

/// What the figures are of, and the rows.
pub(super) fn load() -> Result<(&'static str, Input)> {
    match super::shared() {
        Some(shared) => Ok(("CoREB v2603", published(&shared.join("data/coreb/release_v2603"))?)),
        None => Ok(("rows of CoREB v2603's size", made_up())),
    }
}

fn published(dir: &Path) -> Result<Input> {
    let rows = |name: &str| store::read_rows::<Value>(&dir.join(name));
    let mut input = Input::default();
    for row in rows("code_corpus.jsonl")? {
        let language = serde_json::from_value(row["language"].clone())?;
        add_program(
            &mut input,
            &text(&row, "meta_source_problem_id"),
            &text(&row, "model"),
            language,
            text(&row, "code"),
            row["meta_passed"] == true,
        );
    }
    for row in rows("text_corpus.jsonl")? {
        add_published_text(&mut input, &row)?;
    }
    for row in rows("text2code_queries.jsonl")? {
        // Published searches name ids; `verify` would not let them pass.
        let query = text(&row, "query");
        if text(&row, "subtask").contains("search") && !query.contains(|c: char| c.is_ascii_digit()) {
            add_search(&mut input, &text(&row, "meta_source_problem_id"), query);
        }
    }
    Ok(input)
}

fn text(row: &Value, field: &str) -> String {
    row[field].as_str().unwrap_or_default().to_owned()
}

fn add_published_text(input: &mut Input, row: &Value) -> Result<()> {
    if row["meta_is_noise_sample"] == true {
        let at =
            Strategy::ALL.iter().zip(1..).find(|(_, n)| row["meta_noise_variation"].as_f64() == Some(f64::from(*n)));
        let (strategy, _) = at.context("a noise text has a variation of 1 to 4")?;
        input.negatives.push(negative(&text(row, "meta_original_problem_id"), *strategy, text(row, "text")));
        return Ok(());
    }
    let full = text(row, "text");
    let (title, statement) = full.split_once("\n\n").context("a text has a title")?;
    add_problem(input, &text(row, "meta_source_problem_id"), title, statement, text(row, "abbreviated_text"));
    Ok(())
}

/// Problems of ten programs and five texts; words are drawn by seed, so that counts and lengths are
/// those of the published release.
fn made_up() -> Input {
    let mut input = Input::default();
    for number in 0..N_PROBLEMS {
        let problem_id = format!("lcb_made_{}_a", ids::index(number));
        let title = words(&problem_id, "title", 4);
        add_problem(
            &mut input,
            &problem_id,
            &title,
            &words(&problem_id, "statement", 330),
            words(&problem_id, "short", 45),
        );
        for strategy in Strategy::ALL {
            let body = format!("{title}\n\n{}", words(&problem_id, strategy.name(), 330));
            input.negatives.push(negative(&problem_id, strategy, body));
        }
        for n in 0..2 {
            add_search(&mut input, &problem_id, words(&problem_id, &format!("search {n}"), 12));
        }
        for (at, language) in LANGUAGES.into_iter().enumerate() {
            for model in ["one", "two"] {
                if input.solutions.len() < N_PROGRAMS {
                    let code = words(&problem_id, &format!("{at} {model}"), 220).replace(". ", ";\n    ");
                    let passed = (number as usize + at).is_multiple_of(3);
                    add_program(&mut input, &problem_id, model, language, code, passed);
                }
            }
        }
    }
    input
}

fn words(problem_id: &str, what: &str, n: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ka", "lo", "mi", "nu", "re", "sa", "to", "vi", "an", "el", "or", "un", "est", "ing", "able", "tion"];
    let mut text = String::new();
    for at in 0..n {
        let mut draw = seeded::value(1, &[problem_id, what, &at.to_string()]);
        for _ in 0..=draw % 3 {
            draw >>= 4;
            text.push_str(SYLLABLES[usize::try_from(draw % 16).expect("below 16")]);
        }
        text.push_str(if at % 9 == 8 { ". " } else { " " });
    }
    text
}

fn add_problem(input: &mut Input, problem_id: &str, title: &str, statement: &str, abbreviated: String) {
    input.rewrites.push(Rewrite {
        problem_id: problem_id.to_owned(),
        title: title.to_owned(),
        statement: statement.to_owned(),
        starter_code: String::new(),
        func_name: None,
        tests: Vec::new(),
        changes: Vec::new(),
        model: String::new(),
        reply_keys: Vec::new(),
    });
    input.abbreviations.push(Abbreviation {
        problem_id: problem_id.to_owned(),
        text: abbreviated,
        n_words: 0,
        model: String::new(),
        reply_key: String::new(),
    });
}

fn negative(problem_id: &str, strategy: Strategy, text: String) -> Negative {
    Negative { problem_id: problem_id.to_owned(), strategy, text, model: String::new(), reply_key: String::new() }
}

fn add_search(input: &mut Input, problem_id: &str, text: String) {
    let n = u32::try_from(input.search_queries.len()).expect("some hundreds");
    let (problem_id, kind) = (problem_id.to_owned(), SearchKind::Algorithm);
    input.search_queries.push(SearchQuery {
        problem_id,
        kind,
        n,
        text,
        model: String::new(),
        reply_key: String::new(),
    });
}

fn add_program(input: &mut Input, problem_id: &str, model: &str, language: Language, code: String, passed: bool) {
    let solution_id = ids::solution_id(problem_id, language, model, 0, "solve");
    input.verdicts.push(VerdictRow {
        subject_id: solution_id.clone(),
        subject: SubjectKind::Solution,
        problem_id: problem_id.to_owned(),
        language,
        model: Some(model.to_owned()),
        suite: Suite::Rewritten,
        verdict: if passed { Verdict::Accepted } else { Verdict::WrongAnswer },
        n_tests: 10,
        n_passed: if passed { 10 } else { 3 },
        first_failed_test: (!passed).then_some(3),
        checker: "lines".to_owned(),
        code_sha256: Some(ids::sha256_hex(code.as_bytes())),
        toolchain: String::new(),
        isolation: "namespaces".to_owned(),
        detail: None,
    });
    input.solutions.push(Solution {
        solution_id,
        problem_id: problem_id.to_owned(),
        language,
        model: model.to_owned(),
        sample_idx: 0,
        prompt: "solve".to_owned(),
        code: Some(code),
        no_code_reason: None,
        reply_key: String::new(),
    });
}
