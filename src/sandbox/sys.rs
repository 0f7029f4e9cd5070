//! Every `unsafe` of the crate, each behind a safe function that states why it is sound.
//!
//! Nothing here decides anything: it is system calls that `nix` does not offer, or offers as unsafe.
//!
//! The sandbox never forks this multithreaded program. It starts its own binary again as a
//! *launcher* (see [`super::launcher`]), and all forks happen there, in a process of one thread.

#![expect(unsafe_code, reason = "the one module for it, each use with its invariant")]

use std::{
    ffi::CStr,
    io,
    os::fd::{FromRawFd, OwnedFd, RawFd},
    time::Duration,
};

use nix::{sched::CloneFlags, sys::signal::Signal, unistd::Pid};

/// The name (`argv[0]`) under which our binary is a launcher.
pub(super) const LAUNCHER_NAME: &str = "corebuild-sandbox-launcher";

/// Runs before `main` of whichever program links this crate, so that a test binary can be a
/// launcher as well as `corebuild` itself can.
///
/// Sound: the function has the type that the loader calls, touches nothing but `std::env::args_os`
/// (which the standard library fills in earlier in the same list), and returns at once unless
/// this process was started as a launcher; then it never returns.
#[used]
#[unsafe(link_section = ".init_array")]
static ENTER_LAUNCHER: extern "C" fn() = {
    extern "C" fn enter() {
        if std::env::args_os().next().is_some_and(|name| name == LAUNCHER_NAME) {
            super::launcher::main();
        }
    }
    enter
};

/// Refers to the hook, so that the linker keeps it wherever the sandbox is used.
pub(super) fn keep_launcher() -> bool {
    std::hint::black_box(&raw const ENTER_LAUNCHER).is_null()
}

/// Which side of a fork this is.
pub(super) enum Fork {
    Parent { child: Pid, pidfd: OwnedFd },
    Child,
}

/// As `fork`, with new namespaces and a descriptor of the child.
pub(super) fn fork(namespaces: CloneFlags) -> io::Result<Fork> {
    let mut pidfd: RawFd = -1;
    let flags = namespaces.bits() | libc::CLONE_PIDFD | Signal::SIGCHLD as i32;
    // SAFETY: without CLONE_VM and with a null stack this is fork: the child gets a copy of the
    // address space and of the one thread there is (launchers have no second one), so no lock can
    // be held by a thread that the child lacks. `pidfd` outlives the call.
    let pid = unsafe { libc::syscall(libc::SYS_clone, i64::from(flags), 0, &raw mut pidfd, 0, 0) };
    match pid {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        pid => {
            let child = Pid::from_raw(i32::try_from(pid).expect("a process id fits in pid_t"));
            Ok(Fork::Parent { child, pidfd: own(pidfd) })
        }
    }
}

/// Takes ownership of a descriptor that the kernel has just handed out.
pub(super) fn own(fd: RawFd) -> OwnedFd {
    // SAFETY: callers pass numbers that a system call has just returned to them alone.
    unsafe { OwnedFd::from_raw_fd(fd) }
}

/// What `wait4` tells of a child: its raw status, and what it and its reaped children used.
pub(super) struct Waited {
    pub pid: Pid,
    pub status: i32,
    pub cpu: Duration,
    pub max_rss_kib: u64,
}

/// Waits for a child (-1: for any). `None`: there is nothing to report with `WNOHANG`.
pub(super) fn wait(pid: Pid, options: i32) -> io::Result<Option<Waited>> {
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which zero bytes are a value; both places outlive the call.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid.as_raw(), &raw mut status, options | libc::__WALL, &raw mut usage), usage)
    };
    match waited {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(Some(Waited {
            pid: Pid::from_raw(pid),
            status,
            cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
            max_rss_kib: u64::try_from(usage.ru_maxrss).unwrap_or(0),
        })),
    }
}

fn duration(time: libc::timeval) -> Duration {
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_usec).unwrap_or(0) * 1000)
}

/// Closes every descriptor from `first` on.
pub(super) fn close_from(first: u32) -> io::Result<()> {
    // SAFETY: called at the start of a launcher, before it owns any descriptor above standard error.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) })
}

/// Marks every descriptor from `first` on to be closed by exec.
pub(super) fn close_on_exec_from(first: u32) -> io::Result<()> {
    const CLOSE_RANGE_CLOEXEC: u32 = 1 << 2;
    // SAFETY: changes a flag of descriptors, invalidates none.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, CLOSE_RANGE_CLOEXEC) })
}

/// Every signal back to its default action: what is ignored stays ignored over exec.
pub(super) fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: SIG_DFL runs no code of ours; the calls for KILL, STOP and the two signals that
        // the C library keeps fail without effect.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Gives up every capability, now and over exec.
pub(super) fn drop_capabilities() -> io::Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    for capability in 0..64 {
        // SAFETY: plain numbers. Unknown capabilities and a lacking CAP_SETPCAP are no obstacle:
        // `no_new_privs` keeps exec from giving any back.
        unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    }
    let header: [u32; 2] = [VERSION_3, 0];
    let none = [0_u32; 6];
    // SAFETY: version 3 reads a header of two words and a set of two times three words; both live on
    // this frame.
    check(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) })
}

/// Makes a node for a device.
pub(super) fn make_device(path: &CStr, major: u32, minor: u32) -> io::Result<()> {
    // SAFETY: `path` is a C string that outlives the call.
    check(unsafe { libc::mknod(path.as_ptr(), libc::S_IFCHR | 0o666, libc::makedev(major, minor)) }.into())
}

/// Ends the process without running anything else.
pub(super) fn exit(code: i32) -> ! {
    // SAFETY: never returns, touches no memory.
    unsafe { libc::_exit(code) }
}

fn check(result: i64) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
