//! Runs a published release's programs on tests at hand, and says where a pass flag and an execution
//! disagree. No flag is changed: public tests are fewer than those that a flag was earned on, so a
//! failed program that passes them all proves nothing yet, while a passed one that fails one does.
//!
//! C++ programs are published without their includes, which their harness put in; the same is done
//! here, and how many would not compile without is told.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::Write,
    path::Path,
};

use anyhow::{Context as _, Result, anyhow};
use serde::{Deserialize, Serialize};

use crate::{
    checkers::Checker,
    exit_code::Unavailable,
    ids,
    judge::{Compiled, InternalError, Judge, TestCase},
    keyed_log::KeyedLog,
    languages::{Language, Toolchain},
    sandbox::Sandbox,
    sources::coreb::{Code, Release},
    stages::Context,
    tables::Style,
    verdict::Verdict,
};

/// What the authors' harness put in front of C++ programs.
const CPP_INCLUDES: &str = "#include <bits/stdc++.h>\n";
const MAX_EXAMPLES: usize = 5;

/// What running a release came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Relabelling {
    pub n_programs: usize,
    /// Programs whose problem has tests at hand.
    pub n_judged: usize,
    pub n_tests: usize,
    pub by_language: BTreeMap<String, Counts>,
    pub disagreements: Vec<Disagreement>,
    /// Programs that our harness could not judge.
    pub not_judged: Vec<String>,
}

/// Flags against executions, of one language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub flagged_passed: usize,
    pub flagged_failed: usize,
    pub passed_but_does_not_compile: usize,
    pub passed_but_fails_a_test: usize,
    pub failed_but_passes_all: usize,
    /// Programs that stand without any include and were given one.
    pub given_includes: usize,
}

/// Programs of one language with one contradiction and one cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    pub language: String,
    pub flag: &'static str,
    pub execution: String,
    pub count: usize,
    /// Of these, programs of problems where no program passes: there the rewrite may have changed
    /// what the tests ask for.
    pub where_nothing_passes: usize,
    pub examples: Vec<String>,
}

/// A problem's public tests.
struct Tests {
    style: Style,
    tests: Vec<StoredTest>,
}

#[derive(Debug, Deserialize)]
struct StoredTest {
    input: String,
    output: String,
}

#[derive(Debug, Deserialize)]
struct Record {
    question_id: String,
    public_test_cases: String,
    metadata: String,
}

/// Runs all programs of `release` whose problem stands in `tests`.
///
/// # Errors
/// When the tests cannot be read, or sandbox or toolchains are missing.
pub fn relabel(ctx: &Context, release: &Release, tests: &Path) -> Result<Relabelling> {
    let tests = read_tests(tests)?;
    let bench = Bench::open(ctx, release)?;
    let progress = ctx.console.progress("relabel", release.codes.len() as u64);
    let outcomes = ctx.in_order(&release.codes, |code| {
        ctx.check_interrupted()?;
        let outcome = match tests.get(code.problem_id.as_str()) {
            Some(tests) => bench.judge(code, tests)?,
            None => Outcome::NoTests,
        };
        progress.tick();
        Ok(outcome)
    })?;
    Ok(summarise(release, &outcomes, &tests))
}

fn read_tests(path: &Path) -> Result<HashMap<String, Tests>> {
    let records: Vec<Record> = crate::store::read_rows(path)?;
    let tests = |record: Record| -> Result<(String, Tests)> {
        let tests = serde_json::from_str(&record.public_test_cases)
            .with_context(|| format!("public tests of `{}` in `{}`", record.question_id, path.display()))?;
        let style = if record.metadata.contains("func_name") { Style::Functional } else { Style::Stdin };
        Ok((ids::livecodebench_problem_id(&record.question_id), Tests { style, tests }))
    };
    records.into_iter().map(tests).collect()
}

/// What a program came to.
#[derive(Clone, Debug)]
enum Outcome {
    Verdict(Verdict),
    NoTests,
    Broken(String),
}

/// A judge of the release's languages, and the journal of its verdicts.
struct Bench<'a> {
    ctx: &'a Context<'a>,
    judge: Judge,
    journal: KeyedLog,
}

impl<'a> Bench<'a> {
    fn open(ctx: &'a Context<'a>, release: &Release) -> Result<Self> {
        let execute = &ctx.config.config.execute;
        let sandbox = Sandbox::probe(execute.min_isolation)?;
        let languages: BTreeSet<Language> = release.codes.iter().filter_map(language_of).collect();
        let toolchains = languages.iter().map(|language| Toolchain::probe(*language)).collect::<Result<Vec<_>, _>>()?;
        let judge = Judge::new(sandbox, toolchains, execute, Some(ctx.store.compile_cache()))?;
        for language in languages {
            judge.self_test(language, &ctx.config.limits(language))?;
        }
        let journal = KeyedLog::open(&ctx.store.work.join("journal").join("relabel.jsonl"))?;
        Ok(Self { ctx, judge, journal })
    }

    fn judge(&self, code: &Code, tests: &Tests) -> Result<Outcome> {
        let Some(language) = language_of(code) else { return Ok(Outcome::NoTests) };
        let text = as_judged(code);
        let key = self.key(language, &text, tests)?;
        if let Some(verdict) = self.journal.get::<Verdict>(&key)? {
            return Ok(Outcome::Verdict(verdict));
        }
        match self.run(language, &text, &code.problem_id, tests) {
            Ok(verdict) => {
                self.journal.append(&key, &verdict)?;
                Ok(Outcome::Verdict(verdict))
            }
            Err(error) => Ok(Outcome::Broken(error.to_string())),
        }
    }

    fn run(&self, language: Language, text: &str, problem_id: &str, tests: &Tests) -> Result<Verdict> {
        let program = match self.judge.compile(language, text, None)? {
            Compiled::Program(program) => program,
            Compiled::Error { .. } => return Ok(Verdict::CompileError),
        };
        let spec = self.ctx.config.checker(problem_id, tests.style);
        let checker = Checker::from_spec(&spec, &self.ctx.store.root)?;
        let limits = self.ctx.config.limits(language);
        for test in &tests.tests {
            let case = TestCase { input: &test.input, expected: &test.output };
            let judged = self.judge.run_test(&program, case, &checker, &limits)?;
            if judged.verdict != Verdict::Accepted {
                return Ok(judged.verdict);
            }
        }
        if tests.tests.is_empty() { Err(InternalError::NoTests.into()) } else { Ok(Verdict::Accepted) }
    }

    fn key(&self, language: Language, text: &str, tests: &Tests) -> Result<String> {
        let toolchain = self.judge.toolchain(language).map_err(|error| anyhow!(Unavailable::new(error.to_string())))?;
        let mut parts = vec![language.name().to_owned(), toolchain.version.clone(), self.judge.sandbox().describe()];
        parts.push(serde_json::to_string(&self.ctx.config.limits(language))?);
        parts.push(text.to_owned());
        parts.extend(tests.tests.iter().flat_map(|test| [test.input.clone(), test.output.clone()]));
        Ok(ids::sha256_hex(serde_json::to_string(&parts)?.as_bytes()))
    }
}

fn language_of(code: &Code) -> Option<Language> {
    Language::ALL.into_iter().find(|language| language.name() == code.language)
}

fn lacks_includes(code: &Code) -> bool {
    code.language == "cpp" && !code.code.contains("#include")
}

fn as_judged(code: &Code) -> String {
    let includes = if lacks_includes(code) { CPP_INCLUDES } else { "" };
    format!("{includes}{}", code.code)
}

fn summarise(release: &Release, outcomes: &[Outcome], tests: &HashMap<String, Tests>) -> Relabelling {
    let mut result = Relabelling { n_programs: release.codes.len(), ..Relabelling::default() };
    let solved: BTreeSet<&str> = release
        .codes
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| matches!(outcome, Outcome::Verdict(Verdict::Accepted)))
        .map(|(code, _)| code.problem_id.as_str())
        .collect();
    let problems: BTreeSet<&str> = release.codes.iter().map(|code| code.problem_id.as_str()).collect();
    result.n_tests = problems.iter().filter_map(|id| tests.get(*id)).map(|tests| tests.tests.len()).sum();
    let mut groups: BTreeMap<(String, bool, &'static str), Vec<&Code>> = BTreeMap::new();
    for (code, outcome) in release.codes.iter().zip(outcomes) {
        match outcome {
            Outcome::Verdict(verdict) => {
                result.n_judged += 1;
                result.by_language.entry(code.language.clone()).or_default().add(code, *verdict);
                if code.passed != (*verdict == Verdict::Accepted) {
                    groups.entry((code.language.clone(), code.passed, verdict.name())).or_default().push(code);
                }
            }
            Outcome::Broken(why) => result.not_judged.push(format!("`{}`: {why}", code.code_id)),
            Outcome::NoTests => {}
        }
    }
    for ((language, passed, execution), codes) in groups {
        result.disagreements.push(Disagreement {
            language,
            flag: if passed { "passed" } else { "failed" },
            execution: execution.to_owned(),
            count: codes.len(),
            where_nothing_passes: codes.iter().filter(|code| !solved.contains(code.problem_id.as_str())).count(),
            examples: codes.iter().take(MAX_EXAMPLES).map(|code| code.code_id.clone()).collect(),
        });
    }
    result
}

impl Counts {
    fn add(&mut self, code: &Code, verdict: Verdict) {
        self.flagged_passed += usize::from(code.passed);
        self.flagged_failed += usize::from(!code.passed);
        self.given_includes += usize::from(lacks_includes(code));
        match (code.passed, verdict) {
            (false, Verdict::Accepted) => self.failed_but_passes_all += 1,
            (true, Verdict::Accepted) | (false, _) => {}
            (true, Verdict::CompileError) => self.passed_but_does_not_compile += 1,
            (true, _) => self.passed_but_fails_a_test += 1,
        }
    }
}

impl Relabelling {
    /// For a person.
    #[must_use]
    pub fn render(&self) -> String {
        let mut table = crate::summary::table(&[
            "language",
            ">flagged passed",
            ">does not compile",
            ">fails a test",
            ">flagged failed",
            ">passes all",
        ]);
        for (language, counts) in &self.by_language {
            let numbers = [
                counts.flagged_passed,
                counts.passed_but_does_not_compile,
                counts.passed_but_fails_a_test,
                counts.flagged_failed,
                counts.failed_but_passes_all,
            ];
            table.add_row(std::iter::once(language.clone()).chain(numbers.map(|n| n.to_string())));
        }
        let mut text = format!("{table}\n");
        let Self { n_programs, n_judged, n_tests, .. } = self;
        let _ = writeln!(text, "{n_judged} of {n_programs} programs judged on {n_tests} public tests of the originals");
        for (language, counts) in self.by_language.iter().filter(|(_, counts)| counts.given_includes > 0) {
            let _ = writeln!(text, "{language}: {} programs were given the includes they lack", counts.given_includes);
        }
        for Disagreement { language, flag, execution, count, where_nothing_passes, examples } in &self.disagreements {
            let _ = writeln!(
                text,
                "{language}: flagged {flag}, execution says {execution}: {count} ({where_nothing_passes} where no program of the problem passes), as {}",
                examples.join(", ")
            );
        }
        for broken in &self.not_judged {
            let _ = writeln!(text, "not judged: {broken}");
        }
        text + "No flag was changed. Passing the public tests does not show that a failed program is right."
    }
}
