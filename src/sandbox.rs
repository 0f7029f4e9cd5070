//! Door 3: one program, run apart from the machine, its expected output and its neighbours.
//!
//! The sandbox knows processes and limits. It knows no language, no test and no verdict: what a
//! [`ProcessReport`] means is for [`crate::verdict`] to say. Programs are real processes with real
//! pipes; see [`launcher`] and [`init`] for who starts whom.

mod cgroup;
mod files;
mod init;
mod launcher;
mod pipes;
mod processes;
mod root;
mod seccomp;
mod slot;
mod sys;
mod wire;

use std::{io, sync::Mutex, time::Duration};

use thiserror::Error;

pub use files::{Files, PackedFile, pack_all, unpack};

use crate::{
    config::{Isolation, Limits},
    exit_code::Unavailable,
};
use cgroup::Hierarchy;
use slot::Slot;
use wire::Walls;

/// In an argument or a variable of a [`Job`]: the directory of the job's files, read-only.
pub const PROGRAM_DIR: &str = "{program}";
/// In an argument or a variable of a [`Job`]: the directory that the program may write to, empty at
/// the start, gone at the end, and the working directory.
pub const SCRATCH_DIR: &str = "{scratch}";
/// Below [`SCRATCH_DIR`]: what a program leaves here is handed back where [`Job::keep_out`] is set.
pub const OUT_DIR: &str = "{scratch}/out";

/// One run.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// Command line; the first argument is the path of the program.
    pub argv: Vec<String>,
    /// The whole environment, `NAME=value`. Nothing of ours is added.
    pub env: Vec<String>,
    /// Shown at [`PROGRAM_DIR`].
    pub files: &'a Files,
    pub stdin: &'a [u8],
    pub limits: &'a Limits,
    /// Size of the scratch directory, and of the largest file in it.
    pub scratch_mib: u64,
    /// Whether to hand back what lies in [`OUT_DIR`] after an exit with code 0.
    pub keep_out: bool,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
}

/// The limit that a run went over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitKind {
    Cpu,
    Wall,
    Memory,
    Output,
}

/// What there is to know of a run that is over. When it is returned, no process of the run is left.
#[derive(Clone, Debug)]
pub struct ProcessReport {
    pub exit: Exit,
    /// CPU time of the whole tree, whether its processes were waited for or not.
    pub cpu: Duration,
    pub wall: Duration,
    /// The tree's peak with cgroups or watched; else that of its largest process.
    pub peak_memory_kib: Option<u64>,
    /// The kernel killed a process of the tree for want of memory, maybe not the first one.
    pub oom_killed: bool,
    /// As far as the limit allows.
    pub stdout: Vec<u8>,
    /// All that was read of standard output, counted past what is kept.
    pub stdout_bytes: u64,
    /// Its end.
    pub stderr: Vec<u8>,
    pub limit: Option<LimitKind>,
    /// What lay in `out`, see [`Job::keep_out`]; unpack with [`unpack`]. `None` also where it was too
    /// much to hand back.
    pub out: Option<Vec<u8>>,
}

/// The sandbox failed, so nothing is known of the program.
#[derive(Debug, Error)]
pub enum SandboxError {
    #[error("the sandbox cannot start a launcher: {0}")]
    Launcher(String),
    #[error("the sandbox cannot start the program: {0}")]
    Start(String),
    #[error("the sandbox lost a run: {0}")]
    Lost(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Which walls and which accounting a sandbox has.
#[derive(Clone, Debug)]
struct Backend {
    walls: Walls,
    hierarchy: Option<Hierarchy>,
}

impl Backend {
    fn level(&self) -> Isolation {
        match (self.walls, &self.hierarchy) {
            (Walls::Nothing, _) => Isolation::Unsafe,
            (_, Some(_)) => Isolation::Cgroups,
            (_, None) => Isolation::Namespaces,
        }
    }

    fn describe(&self) -> String {
        let walls = match self.walls {
            Walls::Root => "namespaces",
            Walls::UserNamespace => "user namespaces",
            Walls::Nothing => return "unsafe: resource limits only".to_owned(),
        };
        match &self.hierarchy {
            Some(hierarchy) => format!("{walls}, seccomp, cgroups v{}", hierarchy.version()),
            None => format!("{walls}, seccomp, resource limits"),
        }
    }
}

/// Runs programs, from any thread; each concurrent run has a launcher of its own, kept for the next.
#[derive(Debug)]
pub struct Sandbox {
    backend: Backend,
    idle: Mutex<Vec<Slot>>,
}

impl Sandbox {
    /// The strongest sandbox that this machine allows.
    ///
    /// # Errors
    /// When it is weaker than `min`: what is missing, and what to do about it.
    pub fn probe(min: Isolation) -> Result<Self, Unavailable> {
        let mut failures = Vec::new();
        for backend in backends(&mut failures) {
            if backend.level() < min {
                break;
            }
            match Self::start(backend.clone()) {
                Ok(sandbox) => return Ok(sandbox),
                Err(error) => failures.push(format!("{}: {error}", backend.describe())),
            }
        }
        let message = format!(
            "no sandbox of isolation `{}` or better can be had:\n{}",
            serde_json::to_string(&min).unwrap_or_default().trim_matches('"'),
            failures.iter().map(|failure| format!("  - {failure}")).collect::<Vec<_>>().join("\n")
        );
        Err(Unavailable::new(message).hint(hint(min)))
    }

    /// A sandbox with this backend, tried out.
    fn start(backend: Backend) -> Result<Self, SandboxError> {
        sys::keep_launcher();
        let sandbox = Self { backend, idle: Mutex::default() };
        sandbox.try_out()?;
        Ok(sandbox)
    }

    /// A run whose result is known.
    fn try_out(&self) -> Result<(), SandboxError> {
        let files = Files::new(&[PackedFile { path: "given", bytes: b"given" }])?;
        let limits = Limits { cpu_ms: 5_000, wall_ms: 10_000, memory_mib: 64, output_kib: 16, processes: 8 };
        let script = format!("read line; read file < {PROGRAM_DIR}/given; echo $line $file");
        let report = self.run(&Job {
            argv: vec!["/bin/sh".to_owned(), "-c".to_owned(), script],
            env: Vec::new(),
            files: &files,
            stdin: b"sent\n",
            limits: &limits,
            scratch_mib: 1,
            keep_out: false,
        })?;
        // The file has no line end, so `read` reports its end; what it read counts all the same.
        if report.stdout == b"sent given\n" {
            return Ok(());
        }
        Err(SandboxError::Start(format!("a trial run ended with {:?}: {}", report.exit, report.stderr.escape_ascii())))
    }

    #[must_use]
    pub fn level(&self) -> Isolation {
        self.backend.level()
    }

    /// The isolation in force, in words.
    #[must_use]
    pub fn describe(&self) -> String {
        self.backend.describe()
    }

    /// Runs a program to its end or to its first limit.
    ///
    /// # Errors
    /// When the sandbox failed; never for anything the program did.
    ///
    /// # Panics
    /// When another thread panicked while it held the list of idle launchers: a bug.
    pub fn run(&self, job: &Job<'_>) -> Result<ProcessReport, SandboxError> {
        match self.run_once(job) {
            // Whatever became of that launcher, another one knows nothing of it.
            Err(SandboxError::Lost(_) | SandboxError::Io(_)) => self.run_once(job),
            result => result,
        }
    }

    fn run_once(&self, job: &Job<'_>) -> Result<ProcessReport, SandboxError> {
        let idle = self.idle.lock().expect("no thread panics while it holds this").pop();
        let mut slot = match idle {
            Some(slot) => slot,
            None => Slot::start(&self.backend)?,
        };
        let report = slot.run(job);
        if slot.is_sound() {
            self.idle.lock().expect("no thread panics while it holds this").push(slot);
        }
        report
    }
}

/// What may be had here, strongest first. What certainly may not goes to `failures`.
fn backends(failures: &mut Vec<String>) -> Vec<Backend> {
    let hierarchy = Hierarchy::find().map_err(|error| failures.push(format!("cgroups: {error}"))).ok();
    let root = nix::unistd::geteuid().is_root();
    let walls: &[Walls] = if root { &[Walls::Root, Walls::UserNamespace] } else { &[Walls::UserNamespace] };
    let with = |hierarchy: &Option<Hierarchy>| {
        let hierarchy = hierarchy.clone();
        walls.iter().map(move |walls| Backend { walls: *walls, hierarchy: hierarchy.clone() })
    };
    let cgroups = hierarchy.iter().flat_map(|_| with(&hierarchy));
    let unsafe_ = Backend { walls: Walls::Nothing, hierarchy: None };
    cgroups.chain(with(&None)).chain([unsafe_]).collect()
}

fn hint(min: Isolation) -> &'static str {
    match min {
        Isolation::Cgroups => {
            "run as root, or under `systemd-run --user --scope -p Delegate=yes`; or set [execute] min_isolation = \"namespaces\""
        }
        Isolation::Namespaces => {
            "allow user namespaces (`sysctl kernel.unprivileged_userns_clone=1`, in Docker `--security-opt seccomp=unconfined` or `--privileged`); only for programs that you trust: [execute] min_isolation = \"unsafe\""
        }
        Isolation::Unsafe => "see the reasons above; `/bin/sh` has to start",
    }
}

#[cfg(test)]
mod tests;
