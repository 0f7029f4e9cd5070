//! Conformance: the same programs, friendly and hostile, against every backend that this machine
//! allows. After each, nothing of it is left, and the next run is as if it had never been.

use std::{
    collections::BTreeMap,
    net::TcpListener,
    os::{linux::net::SocketAddrExt, unix::net::UnixListener},
    path::Path,
    sync::LazyLock,
    time::Instant,
};

use super::*;

fn limits() -> Limits {
    Limits { cpu_ms: 2_000, wall_ms: 6_000, memory_mib: 256, output_kib: 1024, processes: 32 }
}

/// Every backend that can be had here; says what cannot.
fn sandboxes() -> Vec<Sandbox> {
    let mut failures = Vec::new();
    let mut found = Vec::new();
    for backend in backends(&mut failures) {
        match Sandbox::start(backend.clone()) {
            Ok(sandbox) => found.push(sandbox),
            Err(error) => failures.push(format!("{}: {error}", backend.describe())),
        }
    }
    for failure in failures {
        eprintln!("skipped: {failure}");
    }
    let walled = found.iter().any(|sandbox| sandbox.level() > Isolation::Unsafe);
    assert!(walled || std::env::var_os("COREBUILD_REQUIRE_SANDBOX").is_none(), "no sandbox");
    found
}

fn shell(sandbox: &Sandbox, script: &str, stdin: &[u8]) -> ProcessReport {
    let files = Files::new(&[PackedFile { path: "given", bytes: b"given\n" }]).unwrap();
    let job = Job {
        argv: vec!["/bin/sh".to_owned(), "-c".to_owned(), script.to_owned()],
        env: vec!["PATH=/usr/bin:/bin".to_owned()],
        files: &files,
        stdin,
        limits: &limits(),
        scratch_mib: 16,
        keep_out: true,
    };
    sandbox.run(&job).unwrap()
}

#[test]
fn streams_and_exit_code_arrive_as_they_are() {
    for sandbox in sandboxes() {
        let report = shell(&sandbox, "cat; echo oops >&2; exit 7", b"no end of line\0\xff");
        assert_eq!(report.exit, Exit::Code(7), "{}", sandbox.describe());
        assert_eq!(report.stdout, b"no end of line\0\xff");
        assert_eq!(report.stderr, b"oops\n");
        assert_eq!(report.limit, None);
    }
}

#[test]
fn what_is_left_in_out_comes_back_without_links() {
    for sandbox in sandboxes() {
        let script =
            "mkdir -p out/d; echo a > out/d/a; ln -s /etc/passwd out/link; mkfifo out/fifo; cp {program}/given out/b";
        let report = shell(&sandbox, script, b"");
        let out = report.out.unwrap();
        let files = unpack(&out).unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.path).collect();
        assert_eq!(names, ["b", "d/a"], "{}", sandbox.describe());
        assert_eq!(files[0].bytes, b"given\n");
    }
}

const HOSTILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hostile");
const PYTHON: [&str; 4] = ["/usr/bin/python3", "-I", "-S", "-B"];

/// A hostile program, ready to run.
struct Hostile {
    name: &'static str,
    argv: Vec<String>,
    files: Files,
}

/// Compiled once for all backends.
fn hostile(sandbox: &Sandbox, name: &'static str) -> Hostile {
    static COMPILED: LazyLock<Mutex<BTreeMap<&'static str, Files>>> = LazyLock::new(Mutex::default);
    let source = fs_err::read(Path::new(HOSTILE).join(name)).unwrap();
    let sources = Files::new(&[PackedFile { path: name, bytes: &source }]).unwrap();
    if Path::new(name).extension().is_some_and(|extension| extension != "c") {
        let argv = PYTHON.iter().map(|&word| word.to_owned()).chain([format!("{PROGRAM_DIR}/{name}")]).collect();
        return Hostile { name, argv, files: sources };
    }
    let mut compiled = COMPILED.lock().unwrap();
    let files = compiled.entry(name).or_insert_with(|| {
        let script = format!("mkdir out && gcc -O1 -pthread -o out/main {PROGRAM_DIR}/{name}");
        let report = run(sandbox, &["/bin/sh", "-c", &script], &sources, b"", &compile_limits(), true);
        assert_eq!(report.exit, Exit::Code(0), "{name}: {}", report.stderr.escape_ascii());
        Files::from_packed(&report.out.unwrap()).unwrap()
    });
    Hostile { name, argv: vec![format!("{PROGRAM_DIR}/main")], files: files.clone() }
}

fn compile_limits() -> Limits {
    Limits { cpu_ms: 3_000, wall_ms: 20_000, memory_mib: 512, output_kib: 256, processes: 64 }
}

fn run(
    sandbox: &Sandbox,
    argv: &[&str],
    files: &Files,
    stdin: &[u8],
    limits: &Limits,
    keep_out: bool,
) -> ProcessReport {
    let argv = argv.iter().map(|&word| word.to_owned()).collect();
    let env = vec!["PATH=/usr/bin:/bin".to_owned()];
    sandbox.run(&Job { argv, env, files, stdin, limits, scratch_mib: 16, keep_out }).unwrap()
}

/// What one hostile run came to.
struct Attack<'a> {
    sandbox: &'a Sandbox,
    name: &'static str,
    report: ProcessReport,
    took: Duration,
}

/// Runs a hostile program on every backend with walls, and then looks for what it left.
fn attack(name: &'static str, stdin: &[u8], check: impl Fn(&Attack<'_>)) {
    for sandbox in sandboxes().iter().filter(|sandbox| sandbox.level() > Isolation::Unsafe) {
        let program = hostile(sandbox, name);
        let argv: Vec<&str> = program.argv.iter().map(String::as_str).collect();
        let limits = Limits { cpu_ms: 700, wall_ms: 4_000, memory_mib: 192, output_kib: 1024, processes: 32 };
        let started = Instant::now();
        let report = run(sandbox, &argv, &program.files, stdin, &limits, true);
        let attack = Attack { sandbox, name: program.name, report, took: started.elapsed() };
        assert_eq!(n_left(sandbox), 0, "{attack}: processes are left");
        let leaks = attack.report.stdout.windows(4).any(|window| window == b"LEAK");
        assert!(!leaks, "{attack}");
        assert!(attack.took < Duration::from_secs(20), "{attack}: took {:?}", attack.took);
        check(&attack);
        let next = shell(sandbox, "read line; echo $line; ls -A", b"next\n");
        assert_eq!(next.stdout, b"next\n", "{attack}: the next run is affected: {next:?}");
        assert_eq!((next.exit, next.limit), (Exit::Code(0), None), "{attack}");
    }
}

/// Processes below the launchers of a sandbox, all idle.
fn n_left(sandbox: &Sandbox) -> usize {
    let idle = sandbox.idle.lock().unwrap();
    idle.iter().map(|slot| processes::n_below(slot.launcher_id())).sum()
}

impl std::fmt::Display for Attack<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let report = &self.report;
        let stdout = report.stdout[..report.stdout.len().min(2000)].escape_ascii();
        let ended = format!("{:?}, limit {:?}, out of memory {}", report.exit, report.limit, report.oom_killed);
        write!(f, "{} ({}): {ended}\n{stdout}", self.name, self.sandbox.describe())
    }
}

impl Attack<'_> {
    fn ends_by(&self, limits: &[LimitKind]) {
        assert!(self.report.limit.is_some_and(|limit| limits.contains(&limit)), "{self}");
    }

    fn ends_with(&self, exit: Exit) {
        assert_eq!((self.report.exit, self.report.limit), (exit, None), "{self}");
    }

    fn number(&self) -> u64 {
        String::from_utf8_lossy(&self.report.stdout).trim().parse().unwrap_or_else(|_| panic!("no number: {self}"))
    }
}

#[test]
fn a_fork_bomb_stays_within_its_processes() {
    attack("fork_bomb.c", b"", |attack| attack.ends_by(&[LimitKind::Cpu, LimitKind::Wall]));
}

#[test]
fn endless_output_is_cut_at_the_limit() {
    attack("flood_stdout.c", b"", |attack| {
        attack.ends_by(&[LimitKind::Output]);
        assert_eq!(attack.report.stdout.len(), 1 << 20);
        assert!(attack.report.stdout_bytes > 1 << 20);
    });
}

#[test]
fn a_sleeper_ends_at_the_wall_limit_with_its_output() {
    attack("sleep.py", b"", |attack| {
        attack.ends_by(&[LimitKind::Wall]);
        assert_eq!(attack.report.stdout, b"before\n");
    });
}

#[test]
fn a_program_that_ignores_signals_ends_all_the_same() {
    attack("deaf.py", b"", |attack| attack.ends_by(&[LimitKind::Cpu, LimitKind::Wall]));
}

#[test]
fn a_daemon_does_not_outlive_its_program() {
    attack("daemon.c", b"", |attack| {
        attack.ends_with(Exit::Code(0));
        assert_eq!(attack.report.stdout, b"main is done\n");
        assert!(attack.took < Duration::from_secs(3), "{attack}: took {:?}", attack.took);
    });
}

#[test]
fn the_disk_holds_as_much_as_the_scratch_directory() {
    attack("fill_disk.py", b"", |attack| {
        attack.ends_with(Exit::Code(0));
        assert!(attack.number() <= 16, "{attack}");
    });
}

#[test]
fn shared_memory_is_scratch_or_memory() {
    attack("fill_shm.c", b"", |attack| {
        attack.ends_by(&[LimitKind::Memory, LimitKind::Cpu]);
        assert!(attack.number() <= 16, "{attack}");
        if attack.sandbox.level() == Isolation::Cgroups {
            attack.ends_by(&[LimitKind::Memory]);
        }
    });
}

#[test]
fn files_are_counted_too() {
    attack("many_files.py", b"", |attack| {
        attack.ends_with(Exit::Code(0));
        assert!(attack.number() < 20_000, "{attack}");
    });
}

#[test]
fn nothing_of_the_host_or_the_caller_can_be_read() {
    attack("read_secrets.py", b"", |attack| {
        attack.ends_with(Exit::Code(0));
        let stdout = String::from_utf8_lossy(&attack.report.stdout);
        assert!(stdout.contains("ok environment"), "{attack}");
        assert!(!stdout.contains("passwd"), "{attack}");
    });
}

#[test]
fn no_socket_leads_out() {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let name = format!("corebuild-test-{}", std::process::id());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let _unix = UnixListener::bind_addr(&address).unwrap();
    let stdin = format!("{} {name}\n", tcp.local_addr().unwrap().port());
    attack("connect.py", stdin.as_bytes(), |attack| {
        attack.ends_with(Exit::Code(0));
        assert_eq!(attack.report.stdout.split(|byte| *byte == b'\n').count(), 8, "{attack}");
    });
}

#[test]
fn killing_everybody_kills_nobody_else() {
    attack("kill_all.c", b"", |attack| {
        attack.ends_with(Exit::Code(0));
        assert_eq!(attack.report.stdout, b"survived\n");
    });
}

#[test]
fn pid_1_cannot_be_read_or_changed() {
    attack("trace_parent.c", b"", |attack| attack.ends_with(Exit::Code(0)));
}

#[test]
fn links_in_out_are_not_followed() {
    attack("links_out.py", b"", |attack| {
        let out = attack.report.out.as_deref().unwrap();
        let files: Vec<_> = unpack(out).unwrap().into_iter().map(|file| (file.path, file.bytes)).collect();
        assert_eq!(files, [("hard", &b"real"[..]), ("real", &b"real"[..])], "{attack}");
    });
    attack("deep_out.py", b"", |attack| {
        attack.ends_with(Exit::Code(0));
        assert!(attack.report.out.is_none(), "{attack}");
    });
}

#[test]
fn memory_ends_at_its_limit() {
    attack("eat_memory.c", b"", |attack| {
        attack.ends_by(&[LimitKind::Memory]);
        let peak = attack.report.peak_memory_kib.unwrap();
        assert!(peak > 150 << 10, "{attack}: peak {peak} KiB");
    });
}

#[test]
fn memory_counts_over_the_tree_even_if_the_program_ends_well() {
    attack("eat_memory_together.c", b"", |attack| attack.ends_by(&[LimitKind::Memory]));
}

#[test]
fn threads_count_as_processes() {
    attack("threads.c", b"", |attack| {
        attack.ends_with(Exit::Code(0));
        assert!((20..=34).contains(&attack.number()), "{attack}");
    });
}

#[test]
fn nothing_but_scratch_can_be_written() {
    attack("overwrite.py", b"", |attack| attack.ends_with(Exit::Code(0)));
}

#[test]
fn an_abort_is_told_as_such_and_leaves_no_core() {
    attack("core_dump.c", b"", |attack| attack.ends_with(Exit::Signal(libc::SIGABRT)));
}

#[test]
fn there_is_no_way_to_more_rights() {
    attack("become_root.c", b"", |attack| attack.ends_with(Exit::Code(0)));
}

#[test]
fn closed_streams_do_not_end_a_run() {
    attack("close_streams.py", b"input", |attack| {
        attack.ends_with(Exit::Code(0));
        assert_eq!(attack.report.stdout, b"partial\n");
        assert!(attack.report.wall >= Duration::from_millis(300), "{attack}");
    });
}

#[test]
fn unread_input_is_no_error() {
    attack("exit_at_once.c", &vec![b'x'; 4 << 20], |attack| attack.ends_with(Exit::Code(0)));
}

#[test]
fn any_bytes_can_be_printed() {
    attack("binary.py", b"", |attack| {
        attack.ends_with(Exit::Code(0));
        assert_eq!(attack.report.stdout_bytes, 256 * 64 + 20);
        assert_eq!(attack.report.stderr.len(), 256);
    });
}

#[test]
fn a_program_that_kills_itself_hit_no_limit() {
    attack("kill_itself.c", b"", |attack| attack.ends_with(Exit::Signal(libc::SIGKILL)));
}

#[test]
fn cpu_time_of_children_that_nobody_waits_for_counts() {
    attack("hidden_cpu.c", b"", |attack| {
        attack.ends_by(&[LimitKind::Cpu, LimitKind::Wall]);
        if attack.sandbox.level() == Isolation::Cgroups {
            attack.ends_by(&[LimitKind::Cpu]);
        }
    });
}

#[test]
fn a_run_finds_nothing_of_the_one_before() {
    attack("leave_traces.py", b"", |attack| attack.ends_with(Exit::Code(0)));
    attack("leave_traces.py", b"", |attack| attack.ends_with(Exit::Code(0)));
    for sandbox in sandboxes().iter().filter(|sandbox| sandbox.level() > Isolation::Unsafe) {
        let program = hostile(sandbox, "leave_traces.py");
        let argv: Vec<&str> = program.argv.iter().map(String::as_str).collect();
        for _ in 0..3 {
            let report = run(sandbox, &argv, &program.files, b"", &limits(), false);
            assert_eq!(report.stdout, b"ok []\n", "{}", sandbox.describe());
        }
    }
}

#[test]
fn a_compiler_is_bounded_like_any_program() {
    let Some(sandbox) = sandboxes().into_iter().next() else { return };
    for (name, compiler) in [("compile_bomb.cpp", "g++"), ("include_secret.c", "gcc")] {
        let source = fs_err::read(Path::new(HOSTILE).join(name)).unwrap();
        let files = Files::new(&[PackedFile { path: name, bytes: &source }]).unwrap();
        let script = format!("mkdir out && {compiler} -o out/main {PROGRAM_DIR}/{name}");
        let report = run(&sandbox, &["/bin/sh", "-c", &script], &files, b"", &compile_limits(), true);
        assert!(report.out.is_none() && (report.limit.is_some() || report.exit != Exit::Code(0)), "{name}: {report:?}");
        assert!(!report.stderr.windows(4).any(|window| window == b"root"), "{}", report.stderr.escape_ascii());
        assert_eq!(n_left(&sandbox), 0);
    }
}

#[test]
fn without_walls_the_tree_is_ended_all_the_same() {
    for sandbox in sandboxes().iter().filter(|sandbox| sandbox.level() == Isolation::Unsafe) {
        for (name, exit) in [("daemon.c", Some(Exit::Code(0))), ("sleep.py", None), ("fork_bomb.c", None)] {
            let program = hostile(sandbox, name);
            let argv: Vec<&str> = program.argv.iter().map(String::as_str).collect();
            let limits = Limits { cpu_ms: 500, wall_ms: 1_500, memory_mib: 192, output_kib: 64, processes: 16 };
            let report = run(sandbox, &argv, &program.files, b"", &limits, false);
            assert_eq!(report.limit.is_none(), exit.is_some(), "{name}: {report:?}");
            assert_eq!(n_left(sandbox), 0, "{name}");
        }
    }
}

#[test]
fn many_threads_share_a_sandbox() {
    let Some(sandbox) = sandboxes().into_iter().next() else { return };
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let sandbox = &sandbox;
            scope.spawn(move || {
                for n in 0..10 {
                    let word = format!("{thread}-{n}");
                    let report = shell(sandbox, "cat; pwd; id -u", word.as_bytes());
                    let stdout = String::from_utf8(report.stdout).unwrap();
                    assert!(stdout.starts_with(&word) && stdout.contains("/tmp"), "{stdout}");
                }
            });
        }
    });
}

#[test]
fn a_program_that_is_not_there_is_no_verdict() {
    for sandbox in sandboxes() {
        let files = Files::new(&[]).unwrap();
        let job = Job {
            argv: vec!["/usr/bin/no-such-program".to_owned()],
            env: Vec::new(),
            files: &files,
            stdin: b"",
            limits: &limits(),
            scratch_mib: 1,
            keep_out: false,
        };
        assert!(matches!(sandbox.run(&job), Err(SandboxError::Start(_))), "{}", sandbox.describe());
        assert_eq!(shell(&sandbox, "echo on", b"").stdout, b"on\n");
    }
}

#[test]
fn a_lost_launcher_is_replaced_and_takes_its_run_along() {
    for sandbox in sandboxes().iter().filter(|sandbox| sandbox.level() > Isolation::Unsafe) {
        let launcher =
            nix::unistd::Pid::from_raw(i32::try_from(sandbox.idle.lock().unwrap()[0].launcher_id()).unwrap());
        let groups = sandbox.idle.lock().unwrap()[0].group_directories();
        let report = std::thread::scope(|scope| {
            let run = scope.spawn(|| shell(sandbox, "sleep 0.6; cat", b"done"));
            std::thread::sleep(Duration::from_millis(200));
            let below = processes::n_below(launcher.as_raw().unsigned_abs());
            assert!(below >= 2, "pid 1 and the program run: {below}");
            nix::sys::signal::kill(launcher, nix::sys::signal::Signal::SIGKILL).unwrap();
            run.join().unwrap()
        });
        assert_eq!(report.stdout, b"done", "{}", sandbox.describe());
        assert!(groups.iter().all(|group| !group.exists()), "{}", sandbox.describe());
        let idle = sandbox.idle.lock().unwrap();
        assert_eq!(idle.len(), 1);
        assert_ne!(i32::try_from(idle[0].launcher_id()).unwrap(), launcher.as_raw());
    }
}
