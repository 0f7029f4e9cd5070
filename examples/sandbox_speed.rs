//! How many runs a second the sandbox makes, beside plain `fork` and `exec` of the same programs:
//! `cargo run --release --example sandbox_speed [workers]`.

use std::{
    io::Write,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use corebuild::{
    config::{Isolation, Limits},
    languages::{Artefact, Language, Toolchain},
    sandbox::{Files, Job, PackedFile, Sandbox, unpack},
};

const CPP: &str = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n";
const PYTHON: &str = "a, b = map(int, input().split())\nprint(a + b)\n";
const INPUT: &[u8] = b"1 2\n";
const SPAN: Duration = Duration::from_secs(3);

fn main() -> anyhow::Result<()> {
    let n_workers: usize = std::env::args().nth(1).map_or(Ok(2), |text| text.parse())?;
    let sandbox = Sandbox::probe(Isolation::Namespaces)?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{}, {n_workers} workers", sandbox.describe())?;
    let directory = tempfile::tempdir()?;
    for (language, code) in [(Language::Cpp, CPP), (Language::Python, PYTHON)] {
        let program = Program::new(&sandbox, language, code)?;
        for file in unpack(&program.packed)? {
            let path = directory.path().join(file.path);
            fs_err::write(&path, file.bytes)?;
            fs_err::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        }
        for round in 1..=3 {
            let sandboxed = rate(n_workers, || program.run(&sandbox));
            let plain = rate(n_workers, || program.run_plainly(directory.path()));
            writeln!(stdout, "{} round {round}: sandbox {sandboxed:.0}/s, plain {plain:.0}/s", language.name())?;
        }
    }
    Ok(())
}

struct Program {
    argv: Vec<String>,
    env: Vec<String>,
    packed: Vec<u8>,
    files: Files,
    limits: Limits,
}

impl Program {
    fn new(sandbox: &Sandbox, language: Language, code: &str) -> anyhow::Result<Self> {
        let limits = Limits { cpu_ms: 20_000, wall_ms: 60_000, memory_mib: 1024, output_kib: 1024, processes: 64 };
        let toolchain = Toolchain::probe(language)?;
        let plan = toolchain.compile_plan(code, None, &limits);
        let sources: Vec<PackedFile<'_>> = plan.files.iter().map(|(path, bytes)| PackedFile { path, bytes }).collect();
        let sources = corebuild::sandbox::pack_all(&sources);
        let files = Files::from_packed(&sources)?;
        let (argv, env) = (plan.argv, plan.env);
        let job =
            Job { argv, env, files: &files, stdin: b"", limits: &limits, scratch_mib: 256, keep_out: plan.keeps_out };
        let packed = sandbox.run(&job)?.out.unwrap_or(sources);
        let entry = corebuild::languages::Entry::Start;
        let run = toolchain.run_plan(&Artefact { language, entry }, &limits);
        Ok(Self { argv: run.argv, env: run.env, files: Files::from_packed(&packed)?, packed, limits })
    }

    fn run(&self, sandbox: &Sandbox) {
        let job = Job {
            argv: self.argv.clone(),
            env: self.env.clone(),
            files: &self.files,
            stdin: INPUT,
            limits: &self.limits,
            scratch_mib: 64,
            keep_out: false,
        };
        let report = sandbox.run(&job).expect("the sandbox works");
        assert_eq!(report.stdout, b"3\n", "{report:?}");
    }

    fn run_plainly(&self, directory: &std::path::Path) {
        let place = |text: &String| text.replace("{program}", &directory.display().to_string());
        let argv: Vec<String> = self.argv.iter().map(place).collect();
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
