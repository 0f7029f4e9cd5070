//! How many runs a second the judge's sandbox makes, beside plain `fork` and `exec` of the same
//! programs: `cargo run --release --example sandbox_speed [workers]`.

use std::{
    collections::BTreeMap,
    io::Write,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::bail;
use corebuild::{
    config::{ExecuteConfig, Isolation, Limits},
    judge::{Compiled, Judge, Program},
    languages::{Language, Toolchain},
    sandbox::Sandbox,
};

const CPP: &str = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n";
const PYTHON: &str = "a, b = map(int, input().split())\nprint(a + b)\n";
const INPUT: &[u8] = b"1 2\n";
const SPAN: Duration = Duration::from_secs(3);

fn main() -> anyhow::Result<()> {
    let n_workers: usize = std::env::args().nth(1).map_or(Ok(2), |text| text.parse())?;
    let toolchains = [Toolchain::probe(Language::Cpp)?, Toolchain::probe(Language::Python)?];
    let config = config();
    let judge = Judge::new(Sandbox::probe(config.min_isolation)?, toolchains, &config, None)?;
    let directory = tempfile::tempdir()?;
    let cpp = plain_cpp(directory.path())?;
    let python = plain_python(directory.path())?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{}, {n_workers} workers", judge.sandbox().describe())?;
    for (language, code, argv) in [(Language::Cpp, CPP, cpp), (Language::Python, PYTHON, python)] {
        let Compiled::Program(program) = judge.compile(language, code, None)? else { bail!("it does not compile") };
        for round in 1..=3 {
            let sandboxed = rate(n_workers, || run(&judge, &program, &config.limits));
            let plain = rate(n_workers, || run_plainly(&argv));
            writeln!(stdout, "{} round {round}: sandbox {sandboxed:.0}/s, plain {plain:.0}/s", language.name())?;
        }
    }
    Ok(())
}

fn config() -> ExecuteConfig {
    let limits = Limits { cpu_ms: 10_000, wall_ms: 30_000, memory_mib: 1024, output_kib: 1024, processes: 64 };
    ExecuteConfig {
        min_isolation: Isolation::Namespaces,
        compile_limits: limits.clone(),
        limits,
        language_limits: BTreeMap::new(),
        repeat_margin: 0.25,
        max_internal_error_share: 0.0,
    }
}

fn plain_cpp(directory: &Path) -> anyhow::Result<Vec<String>> {
    let (source, program) = (directory.join("main.cpp"), directory.join("main"));
    fs_err::write(&source, CPP)?;
    Command::new("/usr/bin/g++").arg("-O2").arg("-o").args([&program, &source]).status()?;
    Ok(vec![program.display().to_string()])
}

fn plain_python(directory: &Path) -> anyhow::Result<Vec<String>> {
    let source = directory.join("main.py");
    fs_err::write(&source, PYTHON)?;
    let interpreter = ["/usr/bin/python3", "-I", "-S", "-B"].map(str::to_owned);
    Ok(interpreter.into_iter().chain([source.display().to_string()]).collect())
}

fn run(judge: &Judge, program: &Program, limits: &Limits) {
    let report = judge.run(program, INPUT, limits).expect("the sandbox works");
    assert_eq!(report.stdout, b"3\n", "{report:?}");
}

fn run_plainly(argv: &[String]) {
    let mut child = Command::new(&argv[0])
        .args(&argv[1..])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    child.stdin.take().expect("it is piped").write_all(INPUT).expect("the pipe has room");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.stdout, b"3\n");
}

/// Runs a second, over all workers.
#[expect(clippy::cast_precision_loss, reason = "some thousands of runs")]
fn rate(n_workers: usize, run: impl Fn() + Sync) -> f64 {
    // The first run of a worker starts its launcher.
    std::thread::scope(|scope| (0..n_workers).for_each(|_| drop(scope.spawn(&run))));
    let started = Instant::now();
    let n_runs: u64 = std::thread::scope(|scope| {
        let work = || {
            let mut n_runs = 0;
            while started.elapsed() < SPAN {
                run();
                n_runs += 1;
            }
            n_runs
        };
        let workers: Vec<_> = (0..n_workers).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker ends")).sum()
    });
    n_runs as f64 / started.elapsed().as_secs_f64()
}
