//! What the sandbox and its launchers say to each other: JSON messages over a socket that keeps
//! message boundaries, with descriptors beside them. Nothing here acts on a message.

use std::{
    io::{self, IoSlice, IoSliceMut},
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd},
    path::PathBuf,
};

use nix::{
    cmsg_space,
    sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::sys;

/// Longest message. Environments and arguments are ours and short.
const MAX_MESSAGE: usize = 128 * 1024;
/// Most descriptors beside one message.
const MAX_FDS: usize = 4;

/// What stands between a program and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Walls {
    /// Namespaces made by root, the program under an unprivileged user of the host.
    Root,
    /// The same inside a user namespace, for callers who are not root.
    UserNamespace,
    /// None.
    Nothing,
}

/// First message to a launcher.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Setup {
    pub walls: Walls,
    /// The user and group to become before anything else runs; `None`: stay who we are.
    pub user: Option<u32>,
    /// [`Walls::Nothing`]: the directory that holds `program` and `tmp`.
    pub base: Option<PathBuf>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Command {
    Setup(Setup),
    /// Shows other files in the program directory. Beside it: the packed files.
    Load,
    /// Runs a program. Beside it: its standard input, output and error, and a file for what it
    /// leaves in `out`, where that is wanted.
    Run(Run),
    /// Ends the run in progress.
    Kill,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Run {
    pub argv: Vec<String>,
    pub env: Vec<String>,
    pub scratch_bytes: u64,
    pub file_bytes: u64,
    pub cpu_seconds: u64,
    pub stack_bytes: u64,
    /// Set where no cgroup bounds the tree.
    pub watch: Option<Watch>,
}

/// Limits of the tree that pid 1 has to keep an eye on itself.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Watch {
    pub cpu_ms: u64,
    pub memory_bytes: u64,
    pub processes: u64,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    Done,
    Failed(String),
    Ended(Ended),
}

/// A run that is over, with all its processes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ended {
    /// What pid 1 reported; `None` when it was killed first.
    pub report: Option<InitReport>,
    /// Raw wait status of pid 1.
    pub init_status: i32,
    /// CPU time of pid 1 and of all that it or the end of its namespace reaped.
    pub tree_cpu_us: u64,
    /// CPU time of the launcher itself since the run began: not the program's.
    pub launcher_cpu_us: u64,
    pub max_rss_kib: u64,
}

/// What pid 1 saw of the program.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct InitReport {
    /// Why the program never started.
    pub failure: Option<String>,
    /// Raw wait status of the program.
    pub status: i32,
    pub wall_us: u64,
    /// CPU time of pid 1 itself: not the program's.
    pub init_cpu_us: u64,
    /// The limit that pid 1 ended the run for.
    pub ended_by: Option<Overrun>,
    /// Largest sum of resident memory seen, where pid 1 watched.
    pub peak_kib: Option<u64>,
    /// Whether what the program left in `out` has been handed over.
    pub keeps_out: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Overrun {
    Cpu,
    Memory,
}

pub(super) fn send<T: Serialize>(socket: BorrowedFd<'_>, message: &T, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let bytes = serde_json::to_vec(message)?;
    let raw: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    let control = [ControlMessage::ScmRights(&raw)];
    let control = if raw.is_empty() { &[][..] } else { &control[..] };
    sendmsg::<()>(socket.as_raw_fd(), &[IoSlice::new(&bytes)], control, MsgFlags::MSG_NOSIGNAL, None)?;
    Ok(())
}

/// The next message, or `None` when the other side is gone.
pub(super) fn receive<T: DeserializeOwned>(socket: impl AsFd) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut bytes = vec![0; MAX_MESSAGE];
    let mut space = cmsg_space!([RawFd; MAX_FDS]);
    let mut fds = Vec::new();
    let n_bytes = {
        let mut slices = [IoSliceMut::new(&mut bytes)];
        let socket = socket.as_fd().as_raw_fd();
        let message = recvmsg::<()>(socket, &mut slices, Some(&mut space), MsgFlags::MSG_CMSG_CLOEXEC)?;
        for control in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(raw) = control {
                fds.extend(raw.into_iter().map(sys::own));
            }
        }
        message.bytes
    };
    if n_bytes == 0 {
        return Ok(None);
    }
    Ok(Some((serde_json::from_slice(&bytes[..n_bytes])?, fds)))
}
