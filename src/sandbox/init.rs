//! Pid 1 of a run: mounts what is fresh, starts the program as its child, reaps whatever is left to
//! it, and reports the program's raw wait status by a pipe that no program holds. Its end is the
//! end of every process of the run.
//!
//! The program is a child and not pid 1 itself, since the kernel keeps signals without a handler
//! from a pid 1: `abort` would not end it.

#![expect(clippy::disallowed_methods, reason = "reads of /proc and /dev, whose errors are handled on the spot")]

use std::{
    ffi::CString,
    io::{Read, Seek, SeekFrom, Write},
    os::fd::{AsFd, OwnedFd},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sched::CloneFlags,
    sys::{
        prctl,
        resource::{Resource, UsageWho, getrusage},
        signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask},
        signalfd::{SfdFlags, SignalFd},
    },
    unistd::{Pid, chdir, dup2_stderr, dup2_stdin, dup2_stdout, execve, pipe2, setsid},
};

use super::{
    files::{self, PackedFile},
    launcher::{Launcher, become_user, limit},
    processes, root, sys,
    wire::{InitReport, Overrun, Run, Walls, Watch},
};

/// How often pid 1 looks at the tree where no cgroup does.
const WATCH_INTERVAL_MS: u16 = 10;
const MAX_OPEN_FILES: u64 = 512;
/// Most that is handed back from `out`.
const MAX_OUT_BYTES: u64 = 128 << 20;
const MAX_OUT_FILES: usize = 4096;
const MAX_OUT_DEPTH: usize = 16;

/// Never returns to the launcher that was forked.
pub(super) fn main(launcher: &Launcher, run: &Run, fds: Vec<OwnedFd>, report: &OwnedFd) -> ! {
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let outcome = supervise(launcher, run, fds).unwrap_or_else(|error| InitReport {
            failure: Some(format!("{error:#}")),
            status: 0,
            wall_us: 0,
            init_cpu_us: 0,
            ended_by: None,
            peak_kib: None,
            keeps_out: false,
        });
        let bytes = serde_json::to_vec(&outcome).expect("a report is plain data");
        std::fs::File::from(report.try_clone().expect("a descriptor can be cloned")).write_all(&bytes).is_ok()
    }));
    sys::exit(i32::from(!ended.unwrap_or(false)));
}

fn supervise(launcher: &Launcher, run: &Run, fds: Vec<OwnedFd>) -> Result<InitReport> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    let scratch = match &launcher.setup.base {
        None => {
            root::mount_fresh(run.scratch_bytes, launcher.user)?;
            PathBuf::from(root::SCRATCH)
        }
        Some(base) => fresh_directory(&base.join("tmp"), launcher)?,
    };
    let mut fds = fds.into_iter();
    let streams = [(); 3].map(|()| fds.next());
    let [Some(stdin), Some(stdout), Some(stderr)] = streams else {
        bail!("a run needs three descriptors");
    };
    let (failure_read, failure_write) = pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
    let children = run.watch.map(|_| child_signals()).transpose()?;
    let started = Instant::now();
    let (program, _pidfd) = match sys::fork(CloneFlags::empty()).context("fork the program")? {
        sys::Fork::Child => become_program(launcher, run, [stdin, stdout, stderr], &failure_write),
        sys::Fork::Parent { child, pidfd } => (child, pidfd),
    };
    drop((stdin, stdout, stderr, failure_write));
    let mut watched = Watched::default();
    let status = match (run.watch, children) {
        (Some(watch), Some(children)) => watched.wait(program, watch, &children)?,
        _ => wait(program)?,
    };
    let wall = started.elapsed();
    end_all(launcher.setup.walls);
    let mut failure = String::new();
    std::fs::File::from(failure_read).read_to_string(&mut failure)?;
    let out = fds.next().filter(|_| status == 0);
    let keeps_out = out.map(|target| collect(&scratch.join(root::OUT), target)).transpose()?.unwrap_or(false);
    Ok(InitReport {
        failure: (!failure.is_empty()).then_some(failure),
        status,
        wall_us: micros(wall),
        init_cpu_us: own_cpu_us()?,
        ended_by: watched.ended_by,
        peak_kib: run.watch.map(|_| watched.peak_kib),
        keeps_out,
    })
}

fn fresh_directory(path: &Path, launcher: &Launcher) -> Result<PathBuf> {
    let _ = fs_err::remove_dir_all(path);
    fs_err::create_dir(path)?;
    if let Some(user) = launcher.setup.user {
        std::os::unix::fs::chown(path, Some(user), Some(user))?;
    }
    chdir(path)?;
    Ok(path.to_path_buf())
}

/// Reaps all comers until the program itself has ended.
fn wait(program: Pid) -> Result<i32> {
    loop {
        match sys::wait(Pid::from_raw(-1), 0) {
            Ok(Some(waited)) if waited.pid == program => return Ok(waited.status),
            Ok(_) => (),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error).context("wait for the program"),
        }
    }
}

/// The tree's use, looked at every few milliseconds: a best effort where cgroups cannot be had.
#[derive(Default)]
struct Watched {
    ended_by: Option<Overrun>,
    peak_kib: u64,
}

impl Watched {
    fn wait(&mut self, program: Pid, watch: Watch, children: &SignalFd) -> Result<i32> {
        loop {
            let mut fds = [PollFd::new(children.as_fd(), PollFlags::POLLIN)];
            poll(&mut fds, PollTimeout::from(WATCH_INTERVAL_MS))?;
            while children.read_signal()?.is_some() {}
            while let Ok(Some(waited)) = sys::wait(Pid::from_raw(-1), libc::WNOHANG) {
                if waited.pid == program {
                    return Ok(waited.status);
                }
            }
            self.look(program, watch)?;
        }
    }

    fn look(&mut self, program: Pid, watch: Watch) -> Result<()> {
        let usage = processes::usage();
        self.peak_kib = self.peak_kib.max(usage.memory_kib);
        let reaped = getrusage(UsageWho::RUSAGE_CHILDREN)?;
        let cpu_us = micros(usage.cpu) + time_us(reaped.user_time()) + time_us(reaped.system_time());
        let overrun = if usage.memory_kib * 1024 > watch.memory_bytes {
            Overrun::Memory
        } else if cpu_us > watch.cpu_ms * 1000 {
            Overrun::Cpu
        } else {
            return Ok(());
        };
        self.ended_by.get_or_insert(overrun);
        // The rest goes with pid 1.
        let _ = kill(program, Signal::SIGKILL);
        Ok(())
    }
}

fn child_signals() -> Result<SignalFd> {
    let mut set = SigSet::empty();
    set.add(Signal::SIGCHLD);
    set.thread_block()?;
    Ok(SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)?)
}

/// Ends and reaps all that is left, so that `out` holds still and every CPU second is counted.
fn end_all(walls: Walls) {
    if walls == Walls::Nothing {
        return processes::kill_descendants();
    }
    let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
    while sys::wait(Pid::from_raw(-1), 0).is_ok() {}
}

/// The forked child turns into the program, or says why it cannot.
fn become_program(launcher: &Launcher, run: &Run, streams: [OwnedFd; 3], failure: &OwnedFd) -> ! {
    let Err(error) = try_become_program(launcher, run, streams);
    if let Ok(failure) = failure.try_clone() {
        let _ = std::fs::File::from(failure).write_all(format!("{error:#}").as_bytes());
    }
    sys::exit(127);
}

fn try_become_program(launcher: &Launcher, run: &Run, streams: [OwnedFd; 3]) -> Result<std::convert::Infallible> {
    let argv = c_strings(&run.argv)?;
    let env = c_strings(&run.env)?;
    let path = argv.first().context("nothing to run")?;
    setsid()?;
    let [stdin, stdout, stderr] = streams;
    dup2_stdin(stdin)?;
    dup2_stdout(stdout)?;
    dup2_stderr(stderr)?;
    // Ours are all marked already; this is for what a future one may forget (Linux 5.11).
    let _ = sys::close_on_exec_from(3);
    sys::reset_signals();
    sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::empty()), None)?;
    set_limits(run)?;
    // The same addresses in every run: a program that prints one, or sorts by it, repeats itself.
    nix::sys::personality::set(nix::sys::personality::Persona::ADDR_NO_RANDOMIZE)?;
    if launcher.setup.walls != Walls::UserNamespace {
        launcher.setup.user.map(become_user).transpose()?;
    }
    sys::drop_capabilities().context("give up capabilities")?;
    seccompiler::apply_filter(&launcher.filter).context("apply the system call filter")?;
    execve(path, &argv, &env).with_context(|| format!("execute `{}`", path.to_string_lossy()))
}

fn set_limits(run: &Run) -> Result<()> {
    limit(Resource::RLIMIT_CORE, 0)?;
    limit(Resource::RLIMIT_FSIZE, run.file_bytes)?;
    limit(Resource::RLIMIT_NOFILE, MAX_OPEN_FILES)?;
    limit(Resource::RLIMIT_CPU, run.cpu_seconds)?;
    limit(Resource::RLIMIT_STACK, run.stack_bytes)?;
    limit(Resource::RLIMIT_MEMLOCK, 1 << 16)?;
    limit(Resource::RLIMIT_MSGQUEUE, 0)?;
    if let Some(watch) = run.watch {
        // A backstop well above the limit: the watch has to see the tree grow past it. Never
        // RLIMIT_AS, which counts what Go and Java reserve and do not use.
        limit(Resource::RLIMIT_DATA, watch.memory_bytes * 2 + (1 << 30))?;
        limit(Resource::RLIMIT_NPROC, watch.processes)?;
    }
    Ok(())
}

fn c_strings(texts: &[String]) -> Result<Vec<CString>> {
    texts.iter().map(|text| CString::new(text.as_str()).context("a zero byte in an argument")).collect()
}

/// Packs what the program left in `out` and writes it to `target`; false where that is too much.
/// All other processes are gone, and links are not followed.
fn collect(out: &Path, target: OwnedFd) -> Result<bool> {
    let mut collected = Collected::default();
    if out.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        collected.directory(out, "", 0)?;
    }
    if collected.too_much {
        return Ok(false);
    }
    let mut target = std::fs::File::from(target);
    target.seek(SeekFrom::Start(0))?;
    target.write_all(&collected.packed)?;
    Ok(true)
}

#[derive(Default)]
struct Collected {
    packed: Vec<u8>,
    n_files: usize,
    too_much: bool,
}

impl Collected {
    fn directory(&mut self, directory: &Path, prefix: &str, depth: usize) -> Result<()> {
        self.too_much |= depth > MAX_OUT_DEPTH;
        if self.too_much {
            return Ok(());
        }
        let mut entries = std::fs::read_dir(directory)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let Some(name) = entry.file_name().to_str().map(|name| format!("{prefix}{name}")) else {
                continue;
            };
            let kind = entry.file_type()?;
            if kind.is_dir() {
                self.directory(&entry.path(), &format!("{name}/"), depth + 1)?;
            } else if kind.is_file() {
                self.file(&entry, &name)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, entry: &std::fs::DirEntry, name: &str) -> Result<()> {
        self.n_files += 1;
        self.too_much |= self.n_files > MAX_OUT_FILES;
        self.too_much |= self.packed.len() as u64 + entry.metadata()?.len() > MAX_OUT_BYTES;
        if !self.too_much {
            files::pack(&mut self.packed, &PackedFile { path: name, bytes: &std::fs::read(entry.path())? });
        }
        Ok(())
    }
}

fn own_cpu_us() -> Result<u64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    Ok(time_us(usage.user_time()) + time_us(usage.system_time()))
}

fn time_us(time: nix::sys::time::TimeVal) -> u64 {
    u64::try_from(time.tv_sec() * 1_000_000 + time.tv_usec()).expect("CPU time is not negative")
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
