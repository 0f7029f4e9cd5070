//! A launcher with its cgroup, as the sandbox holds it, and one run on it: limits and report.
//!
//! The limits of the tree are enforced here, from outside; what cgroups cannot bound is watched by
//! the run's pid 1 (see [`super::init`]).

use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        linux::net::SocketAddrExt,
        unix::{
            net::{SocketAddr, UnixListener},
            process::CommandExt,
        },
    },
    process::{Child, Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use nix::sys::{
    memfd::{MFdFlags, memfd_create},
    socket::{AddressFamily, SockFlag, SockType, socketpair},
};
use tempfile::TempDir;

use super::{
    Backend, Exit, Files, Job, LimitKind, OUT_DIR, PROGRAM_DIR, ProcessReport, SCRATCH_DIR, SandboxError,
    cgroup::{Counters, Group},
    pipes::Pipes,
    processes, root, sys,
    wire::{self, Ended, Overrun, Reply, Run, Setup, Walls, Watch},
};

/// Users (and groups) of programs: below the numbers that systems hand out by themselves. Each
/// launcher has its own, so that what the kernel counts by user is not shared.
const FIRST_USER: u32 = 59_000;
const N_USERS: u32 = 900;
/// What launcher, pid 1 and the run's kernel structures take of the cgroup.
const OVERHEAD_BYTES: u64 = 6 << 20;
const OVERHEAD_PROCESSES: u64 = 2;
/// Processes that its user may start elsewhere during a run without a user of its own.
const SLACK: u64 = 64;
/// How long a killed run may take to be gone, and a launcher to answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest and shortest time between two looks at the CPU time.
const LOOK_MAX: Duration = Duration::from_millis(250);
const LOOK_MIN: Duration = Duration::from_millis(2);

#[derive(Debug)]
pub(super) struct Slot {
    control: Option<OwnedFd>,
    launcher: Child,
    group: Option<Group>,
    walls: Walls,
    user: Option<User>,
    base: Option<TempDir>,
    loaded: Option<String>,
    sound: bool,
}

impl Slot {
    pub(super) fn start(backend: &Backend) -> Result<Self, SandboxError> {
        let flags = SockFlag::SOCK_CLOEXEC;
        let (ours, theirs) =
            socketpair(AddressFamily::Unix, SockType::SeqPacket, None, flags).map_err(io::Error::from)?;
        let group = backend.hierarchy.as_ref().map(Group::new).transpose()?;
        let launcher = Command::new("/proc/self/exe")
            .arg0(sys::LAUNCHER_NAME)
            .env_clear()
            .current_dir("/")
            .stdin(theirs)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let user = nix::unistd::geteuid().is_root().then(User::reserve).transpose()?;
        let mut slot = Self {
            control: Some(ours),
            launcher,
            group,
            walls: backend.walls,
            user,
            base: None,
            loaded: None,
            sound: true,
        };
        slot.set_up()?;
        Ok(slot)
    }

    fn set_up(&mut self) -> Result<(), SandboxError> {
        if let Some(group) = &self.group {
            group.enter(self.launcher.id())?;
        }
        if self.walls == Walls::Nothing {
            self.base = Some(open_directory()?);
        }
        let base = self.base.as_ref().map(|base| base.path().to_path_buf());
        let user = self.user.as_ref().map(|user| user.id);
        let setup = Setup { walls: self.walls, user, base };
        self.send(&wire::Command::Setup(setup), &[])?;
        self.expect_done().map_err(|error| SandboxError::Launcher(error.to_string()))
    }

    #[cfg(test)]
    pub(super) fn launcher_id(&self) -> u32 {
        self.launcher.id()
    }

    #[cfg(test)]
    pub(super) fn group_directories(&self) -> Vec<std::path::PathBuf> {
        self.group.iter().flat_map(|group| group.directories().to_vec()).collect()
    }

    /// Whether the next run may use it.
    pub(super) fn is_sound(&self) -> bool {
        self.sound
    }

    pub(super) fn run(&mut self, job: &Job<'_>) -> Result<ProcessReport, SandboxError> {
        // Only a run that comes back leaves a launcher in a known state.
        self.sound = false;
        self.load(job.files)?;
        let before = self.prepare(job)?;
        let mut pipes = Pipes::new(job)?;
        let fds = pipes.theirs.take().expect("new pipes have both ends");
        let out = job.keep_out.then(|| memfd_create(c"corebuild-out", MFdFlags::MFD_CLOEXEC)).transpose();
        let out = out.map_err(io::Error::from)?;
        let started = Instant::now();
        self.send(
            &wire::Command::Run(self.message(job)),
            &fds.iter().chain(&out).map(AsFd::as_fd).collect::<Vec<_>>(),
        )?;
        drop(fds);
        let mut run = Progress { job, started, before, limit: None, killed_at: None };
        let ended = self.follow(&mut run, &mut pipes);
        let ended = match ended {
            Err(SandboxError::Lost(_)) if self.ran_out_of_memory(before)? => None,
            ended => Some(ended?),
        };
        pipes.drain()?;
        self.sound = ended.is_some();
        self.report(&run, pipes, ended, out)
    }

    fn load(&mut self, files: &Files) -> Result<(), SandboxError> {
        if self.loaded.as_deref() != Some(files.key()) {
            self.loaded = None;
            if let Some(group) = &mut self.group {
                group.set_limits(files.n_bytes() * 2 + (64 << 20), 64)?;
            }
            self.send(&wire::Command::Load, &[files.fd()])?;
            self.expect_done()?;
            self.loaded = Some(files.key().to_owned());
        }
        Ok(())
    }

    fn prepare(&mut self, job: &Job<'_>) -> Result<Option<Counters>, SandboxError> {
        let Some(group) = &mut self.group else {
            return Ok(None);
        };
        let memory = (job.limits.memory_mib << 20) + job.files.n_bytes() + OVERHEAD_BYTES;
        group.set_limits(memory, job.limits.processes + OVERHEAD_PROCESSES)?;
        group.reset_peak();
        Ok(Some(group.counters()?))
    }

    fn message(&self, job: &Job<'_>) -> Run {
        let limits = job.limits;
        // Without a user of its own, what the kernel counts for the program includes everything else of ours.
        let shares_user = self.walls == Walls::Nothing && self.user.is_none();
        let others = if shares_user { processes::n_of_user(nix::unistd::geteuid().as_raw()) + SLACK } else { 0 };
        Run {
            argv: job.argv.iter().map(|text| self.place(text)).collect(),
            env: job.env.iter().map(|text| self.place(text)).collect(),
            scratch_bytes: job.scratch_mib << 20,
            file_bytes: job.scratch_mib << 20,
            cpu_seconds: limits.cpu_ms.div_ceil(1000) + 1,
            stack_bytes: limits.memory_mib << 20,
            watch: self.group.is_none().then_some(Watch {
                cpu_ms: limits.cpu_ms,
                memory_bytes: limits.memory_mib << 20,
                processes: limits.processes + OVERHEAD_PROCESSES + others,
            }),
        }
    }

    /// Puts directories in the place of their names.
    fn place(&self, text: &str) -> String {
        let (program, scratch) = match &self.base {
            None => (root::PROGRAM.to_owned(), root::SCRATCH.to_owned()),
            Some(base) => {
                (base.path().join("program").display().to_string(), base.path().join("tmp").display().to_string())
            }
        };
        debug_assert!(OUT_DIR.starts_with(SCRATCH_DIR) && OUT_DIR.ends_with(root::OUT));
        text.replace(PROGRAM_DIR, &program).replace(SCRATCH_DIR, &scratch)
    }

    /// Until the launcher says that the run is over.
    fn follow(&mut self, run: &mut Progress<'_>, pipes: &mut Pipes<'_>) -> Result<Ended, SandboxError> {
        loop {
            self.enforce(run, pipes)?;
            let timeout = run.next_look(self.group.is_some(), self.cpu_used(run)?);
            if pipes.wait(self.control()?, timeout)? {
                return match self.receive()? {
                    Reply::Ended(ended) => Ok(ended),
                    Reply::Failed(error) => Err(SandboxError::Start(error)),
                    Reply::Done => Err(SandboxError::Lost("an answer out of turn".to_owned())),
                };
            }
            pipes.transfer()?;
        }
    }

    fn enforce(&mut self, run: &mut Progress<'_>, pipes: &Pipes<'_>) -> Result<(), SandboxError> {
        if let Some(killed_at) = run.killed_at {
            if killed_at.elapsed() > PATIENCE {
                return Err(SandboxError::Lost("a killed run does not end".to_owned()));
            }
            return Ok(());
        }
        let limit = if pipes.stdout_bytes > run.output_limit() {
            LimitKind::Output
        } else if self.ran_out_of_memory(run.before)? {
            // What is left may go on for long, but not as it was meant to.
            LimitKind::Memory
        } else if self.cpu_used(run)?.is_some_and(|cpu| cpu > run.cpu_limit()) {
            LimitKind::Cpu
        } else if run.started.elapsed() > run.wall_limit() {
            LimitKind::Wall
        } else {
            return Ok(());
        };
        run.limit = Some(limit);
        run.killed_at = Some(Instant::now());
        self.send(&wire::Command::Kill, &[])
    }

    fn cpu_used(&self, run: &Progress<'_>) -> Result<Option<Duration>, SandboxError> {
        let (Some(group), Some(before)) = (&self.group, run.before) else {
            return Ok(None);
        };
        Ok(Some(group.cpu()?.saturating_sub(before.cpu)))
    }

    /// The launcher may be what the kernel chose to kill.
    fn ran_out_of_memory(&self, before: Option<Counters>) -> io::Result<bool> {
        match (&self.group, before) {
            (Some(group), Some(before)) => Ok(group.counters()?.oom_kills > before.oom_kills),
            _ => Ok(false),
        }
    }

    fn report(
        &self,
        run: &Progress<'_>,
        pipes: Pipes<'_>,
        ended: Option<Ended>,
        out: Option<OwnedFd>,
    ) -> Result<ProcessReport, SandboxError> {
        let init = ended.as_ref().and_then(|ended| ended.report.as_ref());
        if let Some(failure) = init.and_then(|init| init.failure.as_ref()) {
            return Err(SandboxError::Start(failure.clone()));
        }
        let oom_killed = self.ran_out_of_memory(run.before)?;
        if init.is_none() && run.limit.is_none() && !oom_killed {
            let status = ended.map(|ended| ended.init_status);
            return Err(SandboxError::Lost(format!("pid 1 ended without a report (status {status:?})")));
        }
        let cpu = self.cpu(run, ended.as_ref())?;
        let overrun = init.and_then(|init| init.ended_by).map(|overrun| match overrun {
            Overrun::Cpu => LimitKind::Cpu,
            Overrun::Memory => LimitKind::Memory,
        });
        let limit = oom_killed
            .then_some(LimitKind::Memory)
            .or(run.limit)
            .or(overrun)
            .or((pipes.stdout_bytes > run.output_limit()).then_some(LimitKind::Output))
            .or((cpu > run.cpu_limit()).then_some(LimitKind::Cpu));
        let keep_out = init.is_some_and(|init| init.keeps_out);
        Ok(ProcessReport {
            exit: init.map_or(Exit::Signal(libc::SIGKILL), |init| exit(init.status)),
            cpu,
            wall: init.map_or_else(|| run.started.elapsed(), |init| Duration::from_micros(init.wall_us)),
            peak_memory_kib: self.peak_kib(run, ended.as_ref()),
            oom_killed,
            stdout_bytes: pipes.stdout_bytes,
            stdout: pipes.stdout,
            stderr: pipes.stderr,
            limit,
            out: out.filter(|_| keep_out).map(read_all).transpose()?,
        })
    }

    /// The tree's CPU time, less what launcher and pid 1 used.
    fn cpu(&self, run: &Progress<'_>, ended: Option<&Ended>) -> Result<Duration, SandboxError> {
        let ours = ended.map_or(0, |ended| ended.launcher_cpu_us)
            + ended.and_then(|ended| ended.report.as_ref()).map_or(0, |init| init.init_cpu_us);
        let all = match self.cpu_used(run)? {
            Some(cpu) => cpu,
            None => {
                ended.map_or(Duration::ZERO, |ended| Duration::from_micros(ended.tree_cpu_us + ended.launcher_cpu_us))
            }
        };
        Ok(all.saturating_sub(Duration::from_micros(ours)))
    }

    /// What the run added to the cgroup, or the largest process where that is more: pages that an
    /// earlier run left in the cache are not this one's.
    fn peak_kib(&self, run: &Progress<'_>, ended: Option<&Ended>) -> Option<u64> {
        let group = self.group.as_ref().zip(run.before);
        let tree = match group {
            Some((group, before)) => group.peak_bytes().map(|peak| peak.saturating_sub(before.memory_bytes) >> 10),
            None => ended.and_then(|ended| ended.report.as_ref()?.peak_kib),
        };
        tree.max(ended.map(|ended| ended.max_rss_kib))
    }

    fn control(&self) -> Result<&OwnedFd, SandboxError> {
        self.control.as_ref().ok_or_else(|| SandboxError::Lost("the launcher is gone".to_owned()))
    }

    fn send(&self, command: &wire::Command, fds: &[std::os::fd::BorrowedFd<'_>]) -> Result<(), SandboxError> {
        let sent = wire::send(self.control()?.as_fd(), command, fds);
        sent.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
                SandboxError::Lost("the launcher is gone".to_owned())
            }
            _ => error.into(),
        })
    }

    fn receive(&self) -> Result<Reply, SandboxError> {
        match wire::receive(self.control()?) {
            Ok(Some((reply, _))) => Ok(reply),
            Ok(None) => Err(SandboxError::Lost("the launcher is gone".to_owned())),
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                Err(SandboxError::Lost("the launcher is gone".to_owned()))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn expect_done(&self) -> Result<(), SandboxError> {
        match self.receive()? {
            Reply::Done => Ok(()),
            Reply::Failed(error) => Err(SandboxError::Start(error)),
            Reply::Ended(_) => Err(SandboxError::Lost("an answer out of turn".to_owned())),
        }
    }
}

impl Drop for Slot {
    /// The launcher ends by itself when its socket closes, and takes with it what it started.
    fn drop(&mut self) {
        self.control = None;
        let asked = Instant::now();
        while matches!(self.launcher.try_wait(), Ok(None)) {
            if asked.elapsed() > Duration::from_secs(2) {
                let _ = self.launcher.kill();
                let _ = self.launcher.wait();
                break;
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        if let Some(group) = &self.group {
            group.remove();
        }
    }
}

/// A user that no other launcher on this machine has.
#[derive(Debug)]
struct User {
    id: u32,
    /// A name that can be bound once, and that the kernel frees whatever becomes of us.
    _reservation: UnixListener,
}

impl User {
    fn reserve() -> io::Result<Self> {
        for id in FIRST_USER..FIRST_USER + N_USERS {
            let name = SocketAddr::from_abstract_name(format!("corebuild-sandbox-user-{id}"))?;
            match UnixListener::bind_addr(&name) {
                Ok(listener) => return Ok(Self { id, _reservation: listener }),
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => (),
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(format!("{N_USERS} launchers run on this machine already")))
    }
}

/// A run that is under way.
struct Progress<'a> {
    job: &'a Job<'a>,
    started: Instant,
    before: Option<Counters>,
    limit: Option<LimitKind>,
    killed_at: Option<Instant>,
}

impl Progress<'_> {
    fn cpu_limit(&self) -> Duration {
        Duration::from_millis(self.job.limits.cpu_ms)
    }

    fn wall_limit(&self) -> Duration {
        Duration::from_millis(self.job.limits.wall_ms)
    }

    fn output_limit(&self) -> u64 {
        self.job.limits.output_kib << 10
    }

    /// The earliest moment at which a limit can be reached.
    fn next_look(&self, has_group: bool, cpu_used: Option<Duration>) -> Duration {
        if self.killed_at.is_some() {
            return LOOK_MAX;
        }
        let wall = self.wall_limit().saturating_sub(self.started.elapsed());
        let cpu = match cpu_used.filter(|_| has_group) {
            Some(used) => self.cpu_limit().saturating_sub(used) / n_cpus(),
            None => wall,
        };
        cpu.min(wall).clamp(LOOK_MIN, LOOK_MAX)
    }
}

/// Asked once: the answer is put together from files.
fn n_cpus() -> u32 {
    static N_CPUS: OnceLock<u32> = OnceLock::new();
    *N_CPUS
        .get_or_init(|| std::thread::available_parallelism().map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)))
}

fn exit(status: i32) -> Exit {
    if libc::WIFSIGNALED(status) { Exit::Signal(libc::WTERMSIG(status)) } else { Exit::Code(libc::WEXITSTATUS(status)) }
}

/// The launcher wrote through the same description, so the position is not at the start.
fn read_all(file: OwnedFd) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    let file = File::from(file);
    let mut bytes = vec![0; usize::try_from(file.metadata()?.len()).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// For runs without walls: the program's user has to get in.
fn open_directory() -> io::Result<TempDir> {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::Builder::new().prefix("corebuild-").tempdir()?;
    fs_err::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755))?;
    Ok(directory)
}
