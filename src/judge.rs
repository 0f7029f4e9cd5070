//! Compiles programs, runs them on tests, and says what each run comes to: sandbox, toolchains,
//! checkers and verdicts tied together, for any number of threads.
//!
//! A verdict comes with its evidence. Whatever goes wrong on our side is an [`InternalError`], never
//! a verdict.

mod cache;
mod evidence;
mod self_test;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, RwLock},
    time::Duration,
};

use thiserror::Error;

use crate::{
    checkers::{Breakdown, Case, Checker, CheckingProgram, Comparison},
    config::{ExecuteConfig, Limits},
    languages::{Artefact, Keeps, Language, Toolchain},
    sandbox::{Exit, Files, Job, LimitKind, PackedFile, ProcessReport, Sandbox, SandboxError, pack_all, unpack},
    verdict::Verdict,
};
use cache::{Cache, Cached};
pub use evidence::{Evidence, Measured};
use evidence::{Part, limit_words, message};

/// Scratch space of a run and of a compilation.
const RUN_SCRATCH_MIB: u64 = 64;
const COMPILE_SCRATCH_MIB: u64 = 256;

/// A program that used less than this part of its CPU limit until its wall limit was asleep. One that
/// used more, even alone, may have been kept from the processor by other work.
const ASLEEP_SHARE: u64 = 5;

/// Our failure: nothing is known of the program.
#[derive(Debug, Error)]
pub enum InternalError {
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    #[error("checker: {0}")]
    Checker(#[from] Breakdown),
    #[error("no toolchain for {}", .0.title())]
    NoToolchain(Language),
    #[error("there is no test to judge by")]
    NoTests,
    #[error("wall time ran out when a program had used {0:?} of CPU time: the machine is too busy to say why")]
    Starved(Duration),
    #[error("the compiler of {} got too little of the machine to end in time", .0.title())]
    CompilerStarved(Language),
    #[error("the compiler of {} left no program", .0.title())]
    NoArtefact(Language),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// A program that can be run.
#[derive(Clone, Debug)]
pub struct Program {
    pub artefact: Artefact,
    pub files: Files,
}

/// What compiling came to.
#[derive(Clone, Debug)]
pub enum Compiled {
    Program(Program),
    /// The compiler rejected the program, or went over its own limits on it.
    Error {
        detail: String,
    },
}

/// A test as the judge sees it.
#[derive(Clone, Copy, Debug)]
pub struct TestCase<'a> {
    pub input: &'a str,
    pub expected: &'a str,
}

/// One run, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    pub verdict: Verdict,
    pub evidence: Evidence,
}

/// For any number of threads.
pub struct Judge {
    sandbox: Sandbox,
    toolchains: BTreeMap<Language, Toolchain>,
    compile_limits: Limits,
    repeat_margin: f64,
    cache: Option<Cache>,
    checking_programs: Mutex<BTreeMap<String, Program>>,
    /// Read by every run; written by a run that has to be alone.
    alone: RwLock<()>,
}

impl Judge {
    /// `cache_dir`: where compiled programs are kept from one call to the next.
    ///
    /// # Errors
    /// When the cache directory cannot be made.
    pub fn new(
        sandbox: Sandbox,
        toolchains: impl IntoIterator<Item = Toolchain>,
        config: &ExecuteConfig,
        cache_dir: Option<PathBuf>,
    ) -> std::io::Result<Self> {
        Ok(Self {
            sandbox,
            toolchains: toolchains.into_iter().map(|toolchain| (toolchain.language, toolchain)).collect(),
            compile_limits: config.compile_limits.clone(),
            repeat_margin: config.repeat_margin,
            cache: cache_dir.map(Cache::open).transpose()?,
            checking_programs: Mutex::default(),
            alone: RwLock::default(),
        })
    }

    #[must_use]
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// The toolchain of a language.
    ///
    /// # Errors
    /// When the judge was made without it.
    pub fn toolchain(&self, language: Language) -> Result<&Toolchain, InternalError> {
        self.toolchains.get(&language).ok_or(InternalError::NoToolchain(language))
    }

    /// Compiles a program, or checks its syntax. `func_name`: the method that a functional problem
    /// asks for.
    ///
    /// # Errors
    /// [`InternalError`]; a program that does not compile is [`Compiled::Error`].
    pub fn compile(&self, language: Language, code: &str, func_name: Option<&str>) -> Result<Compiled, InternalError> {
        let toolchain = self.toolchain(language)?;
        let plan = toolchain.compile_plan(code, func_name, &self.compile_limits);
        let key = cache::key(toolchain, &plan);
        if let Some(cached) = self.cache.as_ref().and_then(|cache| cache.get(&key)) {
            return Ok(match cached {
                Cached::Program { entry, files } => {
                    Compiled::Program(Program { artefact: Artefact { language, entry }, files })
                }
                Cached::Error { detail } => Compiled::Error { detail },
            });
        }
        let sources: Vec<PackedFile<'_>> = plan.files.iter().map(|(path, bytes)| PackedFile { path, bytes }).collect();
        let report = self.run_compiler(&Job {
            argv: plan.argv.clone(),
            env: plan.env.clone(),
            files: &Files::new(&sources)?,
            stdin: b"",
            limits: &self.compile_limits,
            scratch_mib: COMPILE_SCRATCH_MIB,
            keep_out: plan.keeps != Keeps::Sources,
        })?;
        if report.limit == Some(LimitKind::Wall) {
            return Err(InternalError::CompilerStarved(language));
        }
        if let Some(detail) = compile_error(&report, &self.compile_limits) {
            // What a limit ended might have gone well on another day.
            if let (Some(cache), None) = (&self.cache, report.limit) {
                cache.put(&key, &Cached::Error { detail: detail.clone() }, &[])?;
            }
            return Ok(Compiled::Error { detail });
        }
        let Some(out) = report.out.or((plan.keeps == Keeps::Sources).then(Vec::new)) else {
            return Ok(Compiled::Error { detail: "the compiled program is too large".to_owned() });
        };
        let mut parts = unpack(&out)?;
        if parts.is_empty() && plan.keeps != Keeps::Sources {
            return Err(InternalError::NoArtefact(language));
        }
        let entry = toolchain.entry(&plan, &parts);
        if plan.keeps != Keeps::Out {
            parts.extend(sources);
        }
        let packed = pack_all(&parts);
        let files = Files::from_packed(&packed)?;
        if let Some(cache) = &self.cache {
            cache.put(&key, &Cached::Program { entry: entry.clone(), files: files.clone() }, &packed)?;
        }
        Ok(Compiled::Program(Program { artefact: Artefact { language, entry }, files }))
    }

    /// Runs a program and says nothing of its output, as where outputs are still to be agreed on.
    ///
    /// # Errors
    /// [`InternalError`].
    pub fn run(&self, program: &Program, stdin: &[u8], limits: &Limits) -> Result<ProcessReport, InternalError> {
        Ok(self.run_fairly(program, stdin, limits)?.0)
    }

    /// Runs a program on one test and judges it.
    ///
    /// # Errors
    /// [`InternalError`].
    pub fn run_test(
        &self,
        program: &Program,
        test: TestCase<'_>,
        checker: &Checker,
        limits: &Limits,
    ) -> Result<Judged, InternalError> {
        let (report, repeated) = self.run_fairly(program, test.input.as_bytes(), limits)?;
        let (verdict, comparison) = if let Some(verdict) = self.failure(program, &report)? {
            (verdict, None)
        } else {
            let comparison = self.compare(checker, test, &report.stdout)?;
            (Verdict::of_output(&comparison), Some(comparison))
        };
        Ok(Judged { verdict, evidence: evidence::of(&report, verdict, comparison, limits, repeated) })
    }

    /// Runs a program on all tests, in their order.
    ///
    /// # Errors
    /// [`InternalError`], also for an empty list: no test is no pass.
    pub fn run_suite(
        &self,
        program: &Program,
        tests: &[TestCase<'_>],
        checker: &Checker,
        limits: &Limits,
    ) -> Result<(Verdict, Vec<Judged>), InternalError> {
        let judged: Vec<Judged> =
            tests.iter().map(|test| self.run_test(program, *test, checker, limits)).collect::<Result<_, _>>()?;
        let verdict = Verdict::of_suite(judged.iter().map(|judged| judged.verdict));
        Ok((verdict.ok_or(InternalError::NoTests)?, judged))
    }

    /// Whether a checker takes `output` for what the test expects.
    ///
    /// # Errors
    /// [`InternalError`].
    pub fn agrees(&self, checker: &Checker, test: TestCase<'_>, output: &[u8]) -> Result<bool, InternalError> {
        Ok(matches!(self.compare(checker, test, output)?, Comparison::Match))
    }

    /// What a run says without its output being looked at: a failing verdict, or nothing.
    ///
    /// # Errors
    /// When the judge has no toolchain for the program's language.
    pub fn failure(&self, program: &Program, report: &ProcessReport) -> Result<Option<Verdict>, InternalError> {
        let toolchain = self.toolchain(program.artefact.language)?;
        let says_out_of_memory = match report.exit {
            Exit::Code(code) => toolchain.says_out_of_memory(code, &report.stderr),
            Exit::Signal(_) => false,
        };
        Ok(Verdict::of_process(report, says_out_of_memory))
    }

    fn compare(&self, checker: &Checker, test: TestCase<'_>, output: &[u8]) -> Result<Comparison, InternalError> {
        let case = Case { input: test.input, expected: test.expected, output };
        Ok(checker.compare(case, |program, question| {
            self.run_checking_program(program, question).map_err(|error| error.to_string())
        })?)
    }

    fn run_checking_program(
        &self,
        checking: &CheckingProgram,
        question: &[u8],
    ) -> Result<ProcessReport, InternalError> {
        let known =
            self.checking_programs.lock().expect("no thread panics while it holds this").get(&checking.code).cloned();
        let program = match known {
            Some(program) => program,
            None => match self.compile(checking.language, &checking.code, None)? {
                Compiled::Program(program) => {
                    let mut known = self.checking_programs.lock().expect("no thread panics while it holds this");
                    known.entry(checking.code.clone()).or_insert(program).clone()
                }
                Compiled::Error { detail } => return Err(Breakdown(format!("it does not compile: {detail}")).into()),
            },
        };
        // The checker is ours, and so are its limits.
        let limits = self.compile_limits.clone();
        self.together(&self.job(&program, question, &limits)?)
    }

    /// One run whose time counts. A run that used up to a margin more than its CPU limit is allowed
    /// to end, so that it is known to be near; what is near, or waited until the wall limit, is
    /// repeated with nothing else running, and the repetition counts.
    fn run_fairly(
        &self,
        program: &Program,
        stdin: &[u8],
        limits: &Limits,
    ) -> Result<(ProcessReport, bool), InternalError> {
        let stretched = Limits { cpu_ms: scale(limits.cpu_ms, 1.0 + self.repeat_margin), ..limits.clone() };
        let job = self.job(program, stdin, &stretched)?;
        let near = scale(limits.cpu_ms, 1.0 - self.repeat_margin);
        let mut report = self.together(&job)?;
        let is_near = report.limit.is_none() && report.cpu >= Duration::from_millis(near) && self.repeat_margin > 0.0;
        let repeated = is_near || report.limit == Some(LimitKind::Wall);
        if repeated {
            let _alone = self.alone.write().expect("no thread panics while it holds this");
            report = self.sandbox.run(&job)?;
        }
        if report.limit == Some(LimitKind::Wall) && report.cpu > Duration::from_millis(limits.cpu_ms / ASLEEP_SHARE) {
            return Err(InternalError::Starved(report.cpu));
        }
        if report.limit.is_none() && report.cpu > Duration::from_millis(limits.cpu_ms) {
            report.limit = Some(LimitKind::Cpu);
        }
        Ok((report, repeated))
    }

    /// A compiler does not sleep: where wall time runs out before CPU time does, the machine was
    /// busy, which says nothing of the program. It gets a second chance, alone.
    fn run_compiler(&self, job: &Job<'_>) -> Result<ProcessReport, InternalError> {
        let report = self.together(job)?;
        if report.limit != Some(LimitKind::Wall) {
            return Ok(report);
        }
        let _alone = self.alone.write().expect("no thread panics while it holds this");
        Ok(self.sandbox.run(job)?)
    }

    fn together(&self, job: &Job<'_>) -> Result<ProcessReport, InternalError> {
        let _together = self.alone.read().expect("no thread panics while it holds this");
        Ok(self.sandbox.run(job)?)
    }

    fn job<'a>(&self, program: &'a Program, stdin: &'a [u8], limits: &'a Limits) -> Result<Job<'a>, InternalError> {
        let plan = self.toolchain(program.artefact.language)?.run_plan(&program.artefact, limits);
        Ok(Job {
            argv: plan.argv,
            env: plan.env,
            files: &program.files,
            stdin,
            limits,
            scratch_mib: RUN_SCRATCH_MIB,
            keep_out: false,
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "milliseconds of a limit"
)]
fn scale(milliseconds: u64, factor: f64) -> u64 {
    (milliseconds as f64 * factor.max(0.0)).ceil() as u64
}

/// Why a program did not compile. The compiler's limits are the program's to keep, too.
fn compile_error(report: &ProcessReport, limits: &Limits) -> Option<String> {
    if let Some(kind) = report.limit {
        return Some(format!("the compiler went over its limit: {}", limit_words(kind, limits)));
    }
    match report.exit {
        Exit::Code(0) => None,
        // Some compilers complain on standard output.
        Exit::Code(_) if report.stderr.trim_ascii().is_empty() => Some(message(&report.stdout, Part::Start)),
        Exit::Code(_) => Some(message(&report.stderr, Part::Start)),
        Exit::Signal(signal) => {
            Some(format!("signal {signal} ended the compiler: {}", message(&report.stderr, Part::End)))
        }
    }
}

#[cfg(test)]
mod tests;
