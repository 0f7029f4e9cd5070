//! Tests per second of the judge, all isolation on, against plain fork and exec of the same programs.
//!
//! Both sides use the toolchains' own command lines, feed real pipes, and compare by lines; the peer
//! knows no limit and no wall. Compilation is outside of the figures.

use std::{
    collections::BTreeMap,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use corebuild::{
    checkers::Checker,
    config::{Config, Limits, SourceConfig, SourceFile, SourceKind, Window},
    judge::{Compiled, Judge, Program, TestCase},
    languages::{Keeps, Language, Toolchain},
    sandbox::{PROGRAM_DIR, SCRATCH_DIR, Sandbox},
    sources::{self, Places},
    verdict::Verdict,
};
use serde::Deserialize;

use crate::{Figures, N_WORKERS, median, per_second, root, shared, timed};

const N_RUNS: usize = 3;
/// Runs of one side and round, at least, so that a round is no matter of milliseconds.
const N_TESTS: usize = 300;
const LANGUAGES: [Language; 3] = [Language::C, Language::Cpp, Language::Python];

/// Programs of one language with the tests of their problem.
struct Set {
    name: String,
    language: Language,
    programs: Vec<(String, Vec<(String, String)>)>,
}

/// A program ready on both sides, and its tests.
struct Ready<'a> {
    ours: Program,
    plain: Plain,
    tests: &'a [(String, String)],
}

/// A program in a directory of this machine.
struct Plain {
    dir: tempfile::TempDir,
    argv: Vec<String>,
    env: Vec<(String, String)>,
}

pub(super) fn run() -> Result<Vec<Figures>> {
    let config = Config::load(&root().join("pipeline.toml"))?;
    let sandbox = Sandbox::probe(config.execute.min_isolation)?;
    let isolation = sandbox.describe();
    let toolchains: Vec<Toolchain> = LANGUAGES.into_iter().map(Toolchain::probe).collect::<Result<_, _>>()?;
    let judge = Judge::new(sandbox, toolchains, &config.execute, None)?;
    let mut rows = Vec::new();
    for set in sets()? {
        rows.push(measure(&judge, &set, &config.execute.limits)?);
    }
    Ok(vec![Figures {
        title: format!("execute, {isolation}; {N_WORKERS} workers, median of {N_RUNS} rounds"),
        header: vec![
            "programs",
            ">programs",
            ">runs",
            ">ours tests/s",
            ">plain tests/s",
            ">ours/plain",
            ">ms more a test",
        ],
        rows,
    }])
}

fn sets() -> Result<Vec<Set>> {
    let tree = match shared() {
        Some(shared) => shared.join("data/codenet_mini/Project_CodeNet"),
        None => root().join("snapshots/demo/Project_CodeNet"),
    };
    let mut sets = of_codenet(&tree)?;
    if let Some(shared) = shared() {
        sets.retain(|set| set.language != Language::Python);
        sets.push(peer_set(&shared.join("peerset/set.json"))?);
    }
    Ok(sets)
}

#[derive(Deserialize)]
struct PeerProblem {
    inputs: Vec<String>,
    outputs: Vec<String>,
    solutions: Vec<String>,
}

fn peer_set(path: &Path) -> Result<Set> {
    let problems: Vec<PeerProblem> = serde_json::from_slice(&fs_err::read(path)?)?;
    let mut programs = Vec::new();
    for problem in problems {
        let tests: Vec<_> = problem.inputs.into_iter().zip(problem.outputs).collect();
        programs.extend(problem.solutions.into_iter().map(|code| (code, tests.clone())));
    }
    Ok(Set { name: "peer set, Python".to_owned(), language: Language::Python, programs })
}

/// A CodeNet tree's references on their problems' pairs and samples.
fn of_codenet(tree: &Path) -> Result<Vec<Set>> {
    let (_, sha256, _) = sources::measure(tree, &mut |_| Ok(()))?;
    let config = SourceConfig {
        kind: SourceKind::Codenet,
        revision: "1".to_owned(),
        files: vec![SourceFile { url: format!("file://{}", tree.display()), sha256 }],
        exclude: BTreeMap::new(),
        max_references: 12,
    };
    let window = Window { from: "1970-01-01".to_owned(), until: "2100-01-01".to_owned() };
    let snapshots = tempfile::tempdir()?;
    let places = Places { root: Path::new("/"), snapshots: snapshots.path() };
    let pulled = sources::pull(&[("tree", &config)], &window, 1, places, &|_| Ok(()))?;
    let mut tests: BTreeMap<&str, Vec<(String, String)>> = BTreeMap::new();
    for test in &pulled.source_tests {
        tests.entry(&test.problem_id).or_default().push((test.input.clone(), test.output.clone()));
    }
    let mut sets = Vec::new();
    for language in LANGUAGES {
        let of_language = pulled.references.iter().filter(|row| row.language == language);
        let programs: Vec<_> = of_language
            .filter_map(|row| Some((row.code.clone(), tests.get(row.problem_id.as_str())?.clone())))
            .collect();
        if !programs.is_empty() {
            sets.push(Set { name: format!("CodeNet tree, {}", language.title()), language, programs });
        }
    }
    Ok(sets)
}

fn measure(judge: &Judge, set: &Set, limits: &Limits) -> Result<Vec<String>> {
    let toolchain = judge.toolchain(set.language)?;
    let mut ready = Vec::new();
    for (code, tests) in &set.programs {
        if let Compiled::Program(ours) = judge.compile(set.language, code, None)? {
            ready.push(Ready { plain: Plain::build(toolchain, code, &ours, limits)?, ours, tests });
        }
    }
    let n_once: usize = ready.iter().map(|program| program.tests.len()).sum();
    let n_rounds = N_TESTS.div_ceil(n_once.max(1));
    let n_tests = n_once * n_rounds;
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..N_RUNS {
        let judged = |program: &Ready<'_>, (input, expected): &(String, String)| {
            let test = TestCase { input, expected };
            Ok(judge.run_test(&program.ours, test, &Checker::Lines, limits)?.verdict == Verdict::Accepted)
        };
        let (passed, time) = timed(|| count_passed(&ready, n_rounds, judged))?;
        ours.push(time);
        let (passed_plainly, time) =
            timed(|| count_passed(&ready, n_rounds, |program, test| program.plain.passes(&test.0, &test.1)))?;
        plain.push(time);
        ensure!(passed == passed_plainly, "{}: {passed} tests pass, plainly {passed_plainly}", set.name);
    }
    Ok(row(&set.name, ready.len(), n_tests, median(ours), median(plain)))
}

fn row(name: &str, n_programs: usize, n_tests: usize, ours: Duration, plain: Duration) -> Vec<String> {
    let (ours_rate, plain_rate) = (per_second(n_tests, ours), per_second(n_tests, plain));
    let more = 1000.0 * (ours.as_secs_f64() - plain.as_secs_f64()) / per_second(n_tests, Duration::from_secs(1));
    vec![
        name.to_owned(),
        n_programs.to_string(),
        n_tests.to_string(),
        format!("{ours_rate:.1}"),
        format!("{plain_rate:.1}"),
        format!("{:.2}", ours_rate / plain_rate),
        format!("{:.2}", more * f64::from(u32::try_from(N_WORKERS).unwrap_or(1))),
    ]
}

/// All programs on all their tests, a program at a time on each thread.
fn count_passed(
    programs: &[Ready<'_>],
    n_rounds: usize,
    passes: impl Fn(&Ready<'_>, &(String, String)) -> Result<bool> + Sync,
) -> Result<usize> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<usize> {
        let mut n_passed = 0;
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= programs.len() * n_rounds {
                return Ok(n_passed);
            }
            let program = &programs[at % programs.len()];
            for test in program.tests {
                n_passed += usize::from(passes(program, test)?);
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..N_WORKERS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no run panics")).sum()
    })
}

impl Plain {
    /// Compiles by the toolchain's own command line, with nothing around it.
    fn build(toolchain: &Toolchain, code: &str, ours: &Program, limits: &Limits) -> Result<Self> {
        let dir = tempfile::tempdir()?;
        let (sources, scratch) = (dir.path().join("program"), dir.path().join("scratch"));
        fs_err::create_dir(&sources)?;
        fs_err::create_dir(&scratch)?;
        let plan = toolchain.compile_plan(code, None, limits);
        for (name, bytes) in &plan.files {
            fs_err::write(sources.join(name), bytes)?;
        }
        let keeps_out = plan.keeps != Keeps::Sources;
        let program = if keeps_out { scratch.join("out") } else { sources.clone() };
        let place = |program: &Path, text: &str| {
            text.replace(PROGRAM_DIR, &program.to_string_lossy()).replace(SCRATCH_DIR, &scratch.to_string_lossy())
        };
        if keeps_out {
            let argv: Vec<String> = plan.argv.iter().map(|argument| place(&sources, argument)).collect();
            let env = plan.env.iter().map(|variable| place(&sources, variable));
            let env: Vec<(String, String)> = variables(env);
            let output = Command::new(&argv[0]).args(&argv[1..]).env_clear().envs(env).output()?;
            ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let plan = toolchain.run_plan(&ours.artefact, limits);
        let argv = plan.argv.iter().map(|argument| place(&program, argument)).collect();
        let env = variables(plan.env.iter().map(|variable| place(&program, variable)));
        Ok(Self { dir, argv, env })
    }

    fn passes(&self, input: &str, expected: &str) -> Result<bool> {
        let mut command = Command::new(&self.argv[0]);
        command.args(&self.argv[1..]).env_clear().envs(self.env.iter().cloned()).current_dir(self.dir.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut stdin = child.stdin.take().context("standard input is a pipe")?;
        let output = std::thread::scope(|scope| {
            // A program that reads no input is free to leave: a broken pipe is no error.
            if input.len() < 32 << 10 {
                let _ = stdin.write_all(input.as_bytes());
                drop(stdin);
            } else {
                scope.spawn(move || stdin.write_all(input.as_bytes()));
            }
            child.wait_with_output()
        })?;
        Ok(output.status.success() && lines(&output.stdout).eq(lines(expected.as_bytes())))
    }
}

fn variables(texts: impl Iterator<Item = String>) -> Vec<(String, String)> {
    texts.filter_map(|text| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))).collect()
}

/// Lines without the blanks at their ends, up to the last that has something on it.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.trim_ascii_end().split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end)
}
