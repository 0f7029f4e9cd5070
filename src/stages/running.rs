//! What the stages that run programs have in common: a judge, and the journal of runs, so that no
//! run is made twice.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Context;
use crate::{
    checkers::Checker,
    config::{CheckerSpec, SourceKind},
    ids,
    judge::{self, Compiled, InternalError, Judge, TestCase},
    keyed_log::KeyedLog,
    languages::{Language, Toolchain},
    sandbox::Sandbox,
    tables::{Measurement, Problem, Run, SubjectKind, Suite, Test, VerdictRow},
    verdict::Verdict,
};

/// A judge with the toolchains of a release, and the journal of its runs.
pub(super) struct Bench<'a> {
    ctx: &'a Context<'a>,
    judge: Judge,
    journal: KeyedLog,
}

/// A program to be judged on one suite.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) subject_id: String,
    pub(super) subject: SubjectKind,
    pub(super) problem_id: String,
    pub(super) language: Language,
    pub(super) model: Option<String>,
    pub(super) suite: Suite,
    pub(super) func_name: Option<String>,
    pub(super) code: Option<String>,
    pub(super) no_code_reason: Option<String>,
}

/// What judging came to.
pub(super) enum Judged {
    Verdict(Box<VerdictRow>, Vec<Run>, Vec<Measurement>),
    /// Our failure, in words: there is no verdict.
    Broken(String),
}

/// What a program printed.
pub(super) enum Printed {
    Output(Vec<u8>),
    /// It did not compile, or failed; why, in words.
    Failed(String),
}

/// A run as the journal holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    verdict: Verdict,
    exit_code: Option<i32>,
    signal: Option<i32>,
    stdout_bytes: u64,
    limit: Option<String>,
    detail: Option<String>,
    cpu_time_ms: u64,
    wall_time_ms: u64,
    peak_memory_kib: Option<u64>,
}

impl<'a> Bench<'a> {
    /// Makes sure that every runtime starts under the configured limits before any program is
    /// judged with it.
    pub(super) fn open(ctx: &'a Context<'a>) -> Result<Self> {
        let sandbox = Sandbox::probe(ctx.config.config.execute.min_isolation)?;
        let cache = ctx.store.compile_cache();
        let toolchains = toolchains(ctx)?;
        let judge = Judge::new(sandbox, toolchains.values().cloned(), &ctx.config.config.execute, Some(cache))?;
        for language in toolchains.into_keys() {
            judge.self_test(language, &ctx.config.limits(language))?;
        }
        Ok(Self { ctx, judge, journal: KeyedLog::open(&ctx.store.run_journal())? })
    }

    /// Runs a program on an input, whatever it prints.
    pub(super) fn print(&self, language: Language, code: &str, input: &str) -> Result<Printed> {
        let program = match self.judge.compile(language, code, None).map_err(broken)? {
            Compiled::Program(program) => program,
            Compiled::Error { detail } => return Ok(Printed::Failed(detail)),
        };
        let report = self.judge.run(&program, input.as_bytes(), &self.ctx.config.limits(language)).map_err(broken)?;
        let failure = self.judge.failure(&program, &report).map_err(broken)?;
        Ok(failure.map_or(Printed::Output(report.stdout), |verdict| Printed::Failed(verdict.name().to_owned())))
    }

    /// Whether the problem's checker takes `output` for `expected`.
    pub(super) fn agrees(&self, problem: &Problem, input: &str, expected: &str, output: &[u8]) -> Result<bool> {
        let checker = self.checker(problem)?;
        self.judge.agrees(&checker, TestCase { input, expected }, output).map_err(broken)
    }

    /// Judges a program on a suite. Runs that the journal knows are not made again.
    pub(super) fn judge(&self, subject: &Subject, problem: &Problem, tests: &[Test]) -> Result<Judged> {
        let checker = self.checker(problem)?;
        let Some(code) = &subject.code else {
            let reason = subject.no_code_reason.clone();
            return Ok(self.without_runs(subject, &checker, tests, Verdict::NoCode, reason));
        };
        if tests.is_empty() {
            return Ok(Judged::Broken(InternalError::NoTests.to_string()));
        }
        let keys = self.run_keys(subject, code, problem, tests)?;
        let mut recorded = Vec::new();
        for key in &keys {
            recorded.push(self.journal.get::<Recorded>(key)?);
        }
        if recorded.iter().any(Option::is_none) {
            let program = match self.judge.compile(subject.language, code, subject.func_name.as_deref()) {
                Ok(Compiled::Program(program)) => program,
                Ok(Compiled::Error { detail }) => {
                    return Ok(self.without_runs(subject, &checker, tests, Verdict::CompileError, Some(detail)));
                }
                Err(error) => return Ok(Judged::Broken(error.to_string())),
            };
            if let Err(error) = self.run_missing(subject, &program, &checker, tests, &keys, &mut recorded)? {
                return Ok(Judged::Broken(error.to_string()));
            }
        }
        let recorded: Vec<Recorded> = recorded.into_iter().flatten().collect();
        Ok(self.with_runs(subject, &checker, tests, recorded))
    }

    /// Makes the runs that are not recorded, and records them together. Inner result: our failure.
    fn run_missing(
        &self,
        subject: &Subject,
        program: &judge::Program,
        checker: &Checker,
        tests: &[Test],
        keys: &[String],
        recorded: &mut [Option<Recorded>],
    ) -> Result<Result<(), InternalError>> {
        let limits = self.ctx.config.limits(subject.language);
        let mut fresh = Vec::new();
        let mut failure = None;
        for (idx, test) in tests.iter().enumerate().filter(|(idx, _)| recorded[*idx].is_none()) {
            let case = TestCase { input: &test.input, expected: &test.expected };
            match self.judge.run_test(program, case, checker, &limits) {
                Ok(judged) => fresh.push((idx, Recorded::of(judged))),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        self.journal.append_all(fresh.iter().map(|(idx, run)| (keys[*idx].clone(), run)))?;
        for (idx, run) in fresh {
            recorded[idx] = Some(run);
        }
        Ok(failure.map_or(Ok(()), Err))
    }

    /// All that a run's verdict can hang on.
    fn run_keys(&self, subject: &Subject, code: &str, problem: &Problem, tests: &[Test]) -> Result<Vec<String>> {
        let spec = self.ctx.config.checker(&problem.problem_id, problem.style);
        let common = json!({
            "code_sha256": ids::sha256_hex(code.as_bytes()),
            "language": subject.language,
            "func_name": subject.func_name,
            "toolchain": self.judge.toolchain(subject.language).map_err(broken)?.version,
            "isolation": self.judge.sandbox().describe(),
            "limits": self.ctx.config.limits(subject.language),
            "repeat_margin": self.ctx.config.config.execute.repeat_margin,
            "checker": spec,
            "checker_sha256": self.checker_sha256(&spec)?,
        });
        let common = ids::sha256_hex(common.to_string().as_bytes());
        let key = |test: &Test| {
            let parts =
                [common.as_str(), &ids::sha256_hex(test.input.as_bytes()), &ids::sha256_hex(test.expected.as_bytes())];
            ids::sha256_hex(parts.join(" ").as_bytes())
        };
        Ok(tests.iter().map(key).collect())
    }

    fn checker_sha256(&self, spec: &CheckerSpec) -> Result<Option<String>> {
        match spec {
            CheckerSpec::Program { path, .. } => crate::store::file_sha256(&self.ctx.config.resolve(path)),
            _ => Ok(None),
        }
    }

    fn checker(&self, problem: &Problem) -> Result<Checker> {
        let spec = self.ctx.config.checker(&problem.problem_id, problem.style);
        Ok(Checker::from_spec(&spec, &self.ctx.store.root)?)
    }

    fn without_runs(
        &self,
        subject: &Subject,
        checker: &Checker,
        tests: &[Test],
        verdict: Verdict,
        detail: Option<String>,
    ) -> Judged {
        let row = VerdictRow { detail, ..self.row(subject, checker, tests, verdict) };
        Judged::Verdict(Box::new(row), Vec::new(), Vec::new())
    }

    fn with_runs(&self, subject: &Subject, checker: &Checker, tests: &[Test], recorded: Vec<Recorded>) -> Judged {
        let verdict = Verdict::of_suite(recorded.iter().map(|run| run.verdict));
        let verdict = verdict.expect("a suite with no test was turned away before");
        let passed = |run: &&Recorded| run.verdict == Verdict::Accepted;
        let failed = tests.iter().zip(&recorded).find(|(_, run)| run.verdict != Verdict::Accepted);
        let row = VerdictRow {
            n_passed: u32::try_from(recorded.iter().filter(passed).count()).unwrap_or(u32::MAX),
            first_failed_test: failed.map(|(test, _)| test.test_idx),
            ..self.row(subject, checker, tests, verdict)
        };
        let measurements = tests.iter().zip(&recorded).map(|(test, run)| run.measurement(subject, test)).collect();
        let runs = tests.iter().zip(recorded).map(|(test, run)| run.row(subject, test)).collect();
        Judged::Verdict(Box::new(row), runs, measurements)
    }

    fn row(&self, subject: &Subject, checker: &Checker, tests: &[Test], verdict: Verdict) -> VerdictRow {
        let toolchain = self.judge.toolchain(subject.language).map_or_else(|_| String::new(), |t| t.version.clone());
        VerdictRow {
            subject_id: subject.subject_id.clone(),
            subject: subject.subject,
            problem_id: subject.problem_id.clone(),
            language: subject.language,
            model: subject.model.clone(),
            suite: subject.suite,
            verdict,
            n_tests: u32::try_from(tests.len()).unwrap_or(u32::MAX),
            n_passed: 0,
            first_failed_test: None,
            checker: checker.describe(),
            code_sha256: subject.code.as_ref().map(|code| ids::sha256_hex(code.as_bytes())),
            toolchain,
            isolation: self.judge.sandbox().describe(),
            detail: None,
        }
    }
}

impl Recorded {
    fn of(judged: judge::Judged) -> Self {
        let evidence = judged.evidence;
        Self {
            verdict: judged.verdict,
            exit_code: evidence.exit_code,
            signal: evidence.signal,
            stdout_bytes: evidence.stdout_bytes,
            limit: evidence.limit,
            detail: evidence.detail,
            cpu_time_ms: evidence.measured.cpu_time_ms,
            wall_time_ms: evidence.measured.wall_time_ms,
            peak_memory_kib: evidence.measured.peak_memory_kib,
        }
    }

    fn row(self, subject: &Subject, test: &Test) -> Run {
        Run {
            subject_id: subject.subject_id.clone(),
            suite: subject.suite,
            test_idx: test.test_idx,
            verdict: self.verdict,
            exit_code: self.exit_code,
            signal: self.signal,
            limit: self.limit,
        }
    }

    fn measurement(&self, subject: &Subject, test: &Test) -> Measurement {
        Measurement {
            subject_id: subject.subject_id.clone(),
            suite: subject.suite,
            test_idx: test.test_idx,
            cpu_time_ms: self.cpu_time_ms,
            wall_time_ms: self.wall_time_ms,
            peak_memory_kib: self.peak_memory_kib,
            stdout_bytes: self.stdout_bytes,
            detail: self.detail.clone(),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape that `map_err` takes")]
fn broken(error: InternalError) -> anyhow::Error {
    anyhow!(crate::exit_code::Unavailable::new(error.to_string()).hint("corebuild check"))
}

/// The toolchains of the release's languages: those that models solve in, all that submissions may
/// be in, and those of checking programs.
fn toolchains(ctx: &Context) -> Result<BTreeMap<Language, Toolchain>> {
    let has_submissions = |name: &String| ctx.config.config.sources[name].kind == SourceKind::Codenet;
    let mut languages: BTreeSet<Language> = ctx.config.config.solve.languages.iter().copied().collect();
    if ctx.config.release.sources.iter().any(has_submissions) {
        languages.extend(Language::ALL);
    }
    let checkers = ctx.config.config.checkers.values();
    languages.extend(checkers.filter_map(|checker| match checker {
        CheckerSpec::Program { language, .. } => Some(*language),
        _ => None,
    }));
    languages.into_iter().map(|language| Ok((language, toolchain(language)?))).collect()
}

/// Probed once a process and language: some compilers take half a second to tell their version.
fn toolchain(language: Language) -> Result<Toolchain> {
    static PROBED: OnceLock<Vec<Result<Toolchain, crate::exit_code::Unavailable>>> = OnceLock::new();
    let all = PROBED.get_or_init(|| {
        std::thread::scope(|scope| {
            let threads = Language::ALL.map(|language| scope.spawn(move || Toolchain::probe(language)));
            threads.into_iter().map(|thread| thread.join().expect("a probe does not panic")).collect()
        })
    });
    let idx = Language::ALL.iter().position(|other| *other == language).expect("the list holds every language");
    match &all[idx] {
        Ok(toolchain) => Ok(toolchain.clone()),
        Err(error) => {
            Err(crate::exit_code::Unavailable { message: error.message.clone(), hint: error.hint.clone() }.into())
        }
    }
}

/// What decides a verdict beside program, tests and limits.
pub(super) fn environment(ctx: &Context) -> Result<BTreeMap<String, String>> {
    static ISOLATION: OnceLock<String> = OnceLock::new();
    let isolation = if let Some(isolation) = ISOLATION.get() {
        isolation.clone()
    } else {
        let described = Sandbox::probe(ctx.config.config.execute.min_isolation)?.describe();
        ISOLATION.get_or_init(|| described).clone()
    };
    let mut environment = BTreeMap::from([("isolation".to_owned(), isolation)]);
    for (language, toolchain) in toolchains(ctx)? {
        environment.insert(language.name().to_owned(), toolchain.version);
    }
    Ok(environment)
}
