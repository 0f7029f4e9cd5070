//! The standard streams of a run, served all at once: no stream can block another, and none the
//! limits. Bytes pass as they are; nothing here knows what they mean.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::{AsFd, OwnedFd},
    time::Duration,
};

use nix::{
    errno::Errno,
    fcntl::{FcntlArg, OFlag, fcntl},
    poll::{PollFd, PollFlags, PollTimeout, poll},
    unistd::pipe2,
};

use super::Job;

/// End of standard error that is kept.
const STDERR_TAIL: usize = 8 << 10;
/// As much as a pipe holds.
const BUFFER_BYTES: usize = 64 << 10;

/// Our ends of the program's standard streams.
pub(super) struct Pipes<'a> {
    stdin: Option<(File, &'a [u8])>,
    stdout_pipe: Option<File>,
    stderr_pipe: Option<File>,
    /// The program's ends, until it has them.
    pub(super) theirs: Option<[OwnedFd; 3]>,
    pub(super) stdout: Vec<u8>,
    pub(super) stdout_bytes: u64,
    pub(super) stderr: Vec<u8>,
    output_limit: usize,
    buffer: Vec<u8>,
}

impl<'a> Pipes<'a> {
    pub(super) fn new(job: &Job<'a>) -> io::Result<Self> {
        let (stdin_read, stdin_write) = pipe2(OFlag::O_CLOEXEC)?;
        let (stdout_read, stdout_write) = pipe2(OFlag::O_CLOEXEC)?;
        let (stderr_read, stderr_write) = pipe2(OFlag::O_CLOEXEC)?;
        for ours in [&stdin_write, &stdout_read, &stderr_read] {
            fcntl(ours, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        }
        let mut pipes = Self {
            stdin: Some((stdin_write.into(), job.stdin)),
            stdout_pipe: Some(stdout_read.into()),
            stderr_pipe: Some(stderr_read.into()),
            theirs: Some([stdin_read, stdout_write, stderr_write]),
            stdout: Vec::new(),
            stdout_bytes: 0,
            stderr: Vec::new(),
            output_limit: usize::try_from(job.limits.output_kib << 10).unwrap_or(usize::MAX),
            buffer: vec![0; BUFFER_BYTES],
        };
        // What fits in the pipe is there before the program starts.
        pipes.feed()?;
        Ok(pipes)
    }

    /// Waits for something to do; true when the launcher has something to say.
    pub(super) fn wait(&self, control: &OwnedFd, timeout: Duration) -> io::Result<bool> {
        let mut fds = vec![PollFd::new(control.as_fd(), PollFlags::POLLIN)];
        fds.extend(self.stdin.as_ref().map(|(pipe, _)| PollFd::new(pipe.as_fd(), PollFlags::POLLOUT)));
        let readable = [&self.stdout_pipe, &self.stderr_pipe].into_iter().flatten();
        fds.extend(readable.map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN)));
        let timeout = PollTimeout::try_from(timeout).unwrap_or(PollTimeout::MAX);
        match poll(&mut fds, timeout) {
            Ok(_) | Err(Errno::EINTR) => Ok(fds[0].any() == Some(true)),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn transfer(&mut self) -> io::Result<()> {
        self.feed()?;
        self.read()
    }

    /// Writes what the pipe takes. A program that closed its input, or ended, needs no more.
    fn feed(&mut self) -> io::Result<()> {
        while let Some((pipe, rest)) = &mut self.stdin {
            if rest.is_empty() {
                self.stdin = None;
                break;
            }
            match pipe.write(rest) {
                Ok(n_bytes) => *rest = &rest[n_bytes..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.stdin = None,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn read(&mut self) -> io::Result<()> {
        let (stdout, stdout_bytes, limit) = (&mut self.stdout, &mut self.stdout_bytes, self.output_limit);
        read_some(&mut self.stdout_pipe, &mut self.buffer, |bytes| {
            *stdout_bytes += bytes.len() as u64;
            let room = limit.saturating_sub(stdout.len()).min(bytes.len());
            stdout.extend(&bytes[..room]);
        })?;
        let stderr = &mut self.stderr;
        read_some(&mut self.stderr_pipe, &mut self.buffer, |bytes| {
            stderr.extend(bytes);
            let excess = stderr.len().saturating_sub(STDERR_TAIL);
            stderr.drain(..excess);
        })
    }

    /// All that is still in the pipes of a run that is over.
    pub(super) fn drain(&mut self) -> io::Result<()> {
        self.stdin = None;
        while self.stdout_pipe.is_some() || self.stderr_pipe.is_some() {
            let mut fds: Vec<PollFd<'_>> = [&self.stdout_pipe, &self.stderr_pipe]
                .into_iter()
                .flatten()
                .map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN))
                .collect();
            // Nobody is left to write, so the end of both is near.
            if poll(&mut fds, PollTimeout::from(1000_u16))? == 0 {
                break;
            }
            self.read()?;
        }
        Ok(())
    }
}

/// One read, so that no stream starves the other or the limits.
fn read_some(pipe: &mut Option<File>, buffer: &mut [u8], mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let Some(file) = pipe else {
        return Ok(());
    };
    match file.read(buffer) {
        Ok(0) => *pipe = None,
        Ok(n_bytes) => take(&buffer[..n_bytes]),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => (),
        Err(error) => return Err(error),
    }
    Ok(())
}
