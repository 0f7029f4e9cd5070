//! Runs against every backend that this machine allows.

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
        println!("{}: {report:?}", sandbox.describe());
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
