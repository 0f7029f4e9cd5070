//! The launcher: our own binary, started again with an empty environment and one thread, which puts
//! up the walls once and then forks a pid 1 for every run (see [`super::init`]).
//!
//! One launcher serves one run at a time. It holds nothing that a program must not see: no
//! expected output, no secret, no descriptor but its socket. It dies when the socket closes.

#![expect(clippy::disallowed_methods, reason = "reads of /proc and /dev, whose errors are handled on the spot")]

use std::{
    io::Read,
    os::fd::{AsFd, OwnedFd},
    path::PathBuf,
    time::Duration,
};

use anyhow::{Context, Result, anyhow, bail};
use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sched::{CloneFlags, unshare},
    sys::{
        prctl,
        resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit},
        signal::{Signal, kill},
        stat::{Mode, umask},
    },
    unistd::{Gid, Pid, Uid, setgroups, setresgid, setresuid},
};
use seccompiler::BpfProgram;

use super::{
    init, processes, root, seccomp, sys,
    wire::{self, Command, Ended, Reply, Run, Setup, Walls},
};

/// What the host's kernel sheds first when memory runs out: never the launcher.
const OOM_SCORE: &str = "/proc/self/oom_score_adj";

/// Never returns: this process is nothing but a launcher.
pub(super) fn main() -> ! {
    let served = std::panic::catch_unwind(|| serve().is_ok());
    sys::exit(i32::from(!served.unwrap_or(false)));
}

/// A launcher that is set up.
pub(super) struct Launcher {
    pub(super) control: OwnedFd,
    pub(super) setup: Setup,
    pub(super) filter: BpfProgram,
    /// The user that programs run as.
    pub(super) user: u32,
    oom_score: Option<std::fs::File>,
}

fn serve() -> Result<()> {
    sys::close_from(3)?;
    let control = std::io::stdin().as_fd().try_clone_to_owned()?;
    nix::unistd::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    let Some((Command::Setup(setup), _)) = wire::receive(&control)? else {
        bail!("no set-up");
    };
    match Launcher::new(control.try_clone()?, setup) {
        Ok(launcher) => {
            wire::send(control.as_fd(), &Reply::Done, &[])?;
            launcher.serve()
        }
        Err(error) => Ok(wire::send(control.as_fd(), &Reply::Failed(format!("{error:#}")), &[])?),
    }
}

impl Launcher {
    fn new(control: OwnedFd, setup: Setup) -> Result<Self> {
        // Ctrl-C at the terminal is for the program that started us.
        let _ = nix::unistd::setsid();
        umask(Mode::from_bits_truncate(0o022));
        prctl::set_dumpable(false)?;
        let oom_score = std::fs::OpenOptions::new().write(true).open(OOM_SCORE).ok();
        let filter = seccomp::program_filter().context("compile the system call filter")?;
        let user = setup.user.unwrap_or_else(|| Uid::effective().as_raw());
        match setup.walls {
            Walls::Root => isolate(CloneFlags::empty(), setup.walls)?,
            Walls::UserNamespace => {
                setup.user.map(become_user).transpose()?;
                isolate(CloneFlags::CLONE_NEWUSER, setup.walls)?;
            }
            Walls::Nothing => prctl::set_child_subreaper(true)?,
        }
        for filter in seccomp::launcher_filters().context("compile the system call filters")? {
            seccompiler::apply_filter(&filter).context("apply a system call filter")?;
        }
        Ok(Self { control, setup, filter, user, oom_score })
    }

    fn serve(self) -> Result<()> {
        while let Some((command, fds)) = wire::receive(&self.control)? {
            let reply = match command {
                Command::Load => reply(self.load(fds), |()| Reply::Done),
                Command::Run(run) => reply(self.run(&run, fds), Reply::Ended),
                // The run that it was meant for is over.
                Command::Kill => continue,
                Command::Setup(_) => Reply::Failed("set up already".to_owned()),
            };
            wire::send(self.control.as_fd(), &reply, &[])?;
        }
        Ok(())
    }

    fn load(&self, fds: Vec<OwnedFd>) -> Result<()> {
        use std::os::unix::fs::FileExt;
        let packed = std::fs::File::from(fds.into_iter().next().context("no files beside the message")?);
        let mut bytes = vec![0; usize::try_from(packed.metadata()?.len())?];
        packed.read_exact_at(&mut bytes, 0)?;
        let Some(directory) = self.program_directory() else {
            return root::load(&bytes);
        };
        let _ = fs_err::remove_dir_all(&directory);
        fs_err::create_dir(&directory)?;
        Ok(super::files::write_below(&directory, &bytes)?)
    }

    /// Without walls: a directory of the host.
    fn program_directory(&self) -> Option<PathBuf> {
        self.setup.base.as_ref().map(|base| base.join("program"))
    }

    fn run(&self, run: &Run, fds: Vec<OwnedFd>) -> Result<Ended> {
        let cpu_before = own_cpu()?;
        let (report_read, report_write) = nix::unistd::pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
        self.set_oom_score(1000);
        let forked = sys::fork(self.namespaces()).context("fork pid 1");
        let (init, pidfd) = match forked? {
            sys::Fork::Child => init::main(self, run, fds, &report_write),
            sys::Fork::Parent { child, pidfd } => (child, pidfd),
        };
        self.set_oom_score(0);
        drop(fds);
        drop(report_write);
        self.wait(init, &pidfd)?;
        let waited = sys::wait(init, 0)?.ok_or_else(|| anyhow!("pid 1 is gone without a status"))?;
        if self.setup.walls == Walls::Nothing {
            processes::kill_descendants();
        }
        let mut report = Vec::new();
        std::fs::File::from(report_read).read_to_end(&mut report)?;
        Ok(Ended {
            report: serde_json::from_slice(&report).ok(),
            init_status: waited.status,
            tree_cpu_us: micros(waited.cpu),
            launcher_cpu_us: micros(own_cpu()?.saturating_sub(cpu_before)),
            max_rss_kib: waited.max_rss_kib,
        })
    }

    /// Until pid 1 has ended, by itself or because the other side wants it to.
    fn wait(&self, init: Pid, pidfd: &OwnedFd) -> Result<()> {
        loop {
            let mut fds =
                [PollFd::new(pidfd.as_fd(), PollFlags::POLLIN), PollFd::new(self.control.as_fd(), PollFlags::POLLIN)];
            match poll(&mut fds, PollTimeout::NONE) {
                Ok(_) => (),
                Err(Errno::EINTR) => continue,
                Err(error) => return Err(error.into()),
            }
            if fds[0].any() == Some(true) {
                return Ok(());
            }
            if fds[1].any() == Some(true) {
                let command = wire::receive::<Command>(&self.control)?;
                kill(init, Signal::SIGKILL)?;
                if command.is_none() {
                    bail!("the sandbox is gone");
                }
            }
        }
    }

    fn namespaces(&self) -> CloneFlags {
        match self.setup.walls {
            Walls::Nothing => CloneFlags::empty(),
            Walls::Root | Walls::UserNamespace => {
                CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWIPC
            }
        }
    }

    /// Programs inherit what is set when pid 1 is forked, and cannot lower it: their /proc is
    /// read-only.
    fn set_oom_score(&self, score: u32) {
        use std::os::unix::fs::FileExt;
        if let Some(file) = &self.oom_score {
            let _ = file.write_all_at(score.to_string().as_bytes(), 0);
        }
    }
}

/// Leaves the host: what all runs of this launcher have in common, since a network namespace is
/// dear to make and nothing in it can be changed by a program.
fn isolate(user_namespace: CloneFlags, walls: Walls) -> Result<()> {
    let (uid, gid) = (Uid::effective(), Gid::effective());
    let flags = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWUTS
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWCGROUP;
    unshare(user_namespace | flags).context("make namespaces")?;
    if walls == Walls::UserNamespace {
        // A process that is not dumpable may not write its own maps.
        prctl::set_dumpable(true)?;
        fs_err::write("/proc/self/setgroups", "deny")?;
        fs_err::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
        fs_err::write("/proc/self/gid_map", format!("{gid} {gid} 1"))?;
        prctl::set_dumpable(false)?;
    }
    nix::unistd::sethostname("sandbox").context("set the host name")?;
    root::build(walls)
}

/// Becomes an unprivileged user of the host, for good.
pub(super) fn become_user(user: u32) -> Result<()> {
    let (uid, gid) = (Uid::from_raw(user), Gid::from_raw(user));
    setgroups(&[]).context("leave all groups")?;
    setresgid(gid, gid, gid).context("change the group")?;
    setresuid(uid, uid, uid).context("change the user")
}

/// A soft and hard limit, or the highest that the host allows below it.
pub(super) fn limit(resource: Resource, value: u64) -> Result<()> {
    let (_, hard) = getrlimit(resource)?;
    let value = value.min(hard);
    Ok(setrlimit(resource, value, value)?)
}

fn own_cpu() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let micros = |time: nix::sys::time::TimeVal| {
        u64::try_from(time.tv_sec() * 1_000_000 + time.tv_usec()).expect("CPU time is not negative")
    };
    Ok(Duration::from_micros(micros(usage.user_time()) + micros(usage.system_time())))
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

fn reply<T>(result: Result<T>, done: impl FnOnce(T) -> Reply) -> Reply {
    result.map_or_else(|error| Reply::Failed(format!("{error:#}")), done)
}
