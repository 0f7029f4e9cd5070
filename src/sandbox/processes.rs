//! The processes below this one, as `/proc` shows them: to end them where no namespace does it,
//! and to add up what they use where no cgroup does.

#![expect(clippy::disallowed_methods, reason = "reads of /proc and /dev, whose errors are handled on the spot")]

use std::{os::unix::fs::MetadataExt, time::Duration};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use super::sys;

/// Ends and reaps every descendant, however it tried to leave.
pub(super) fn kill_descendants() {
    // Stopped first: those that fork faster than they are found would never end.
    let mut n_stopped = 0;
    loop {
        let found = descendants();
        for process in &found {
            let _ = kill(process.pid, Signal::SIGSTOP);
        }
        if found.len() == n_stopped {
            break;
        }
        n_stopped = found.len();
    }
    loop {
        for process in descendants() {
            let _ = kill(process.pid, Signal::SIGKILL);
        }
        match sys::wait(Pid::from_raw(-1), libc::WNOHANG) {
            Err(_) => return,
            Ok(Some(_)) => (),
            // Killed but not yet gone.
            Ok(None) => std::thread::sleep(Duration::from_micros(200)),
        }
    }
}

/// What the descendants use now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    pub cpu: Duration,
    /// Anonymous and shared memory that is resident: what the tree would free by ending.
    pub memory_kib: u64,
    pub n_processes: u64,
}

pub(super) fn usage() -> Usage {
    descendants().into_iter().fold(Usage::default(), |sum, process| Usage {
        cpu: sum.cpu + process.cpu,
        memory_kib: sum.memory_kib + resident_kib(process.pid).unwrap_or(0),
        n_processes: sum.n_processes + process.n_threads,
    })
}

/// Processes and threads of a user, as a limit by user counts them.
pub(super) fn n_of_user(user: u32) -> u64 {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = entries.filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == user));
    own.filter_map(|entry| Some(read_stat(entry.file_name().to_str()?.parse().ok()?)?.n_threads)).sum()
}

/// How many processes there are below another one, itself not counted.
#[cfg(test)]
pub(super) fn n_below(pid: u32) -> usize {
    below(Pid::from_raw(i32::try_from(pid).expect("a process id fits in pid_t"))).len()
}

struct Process {
    pid: Pid,
    parent: Pid,
    cpu: Duration,
    n_threads: u64,
}

fn descendants() -> Vec<Process> {
    below(Pid::this())
}

fn below(ancestor: Pid) -> Vec<Process> {
    let mut others: Vec<Process> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| read_stat(entry.ok()?.file_name().to_str()?.parse().ok()?))
        .collect();
    let mut known = vec![ancestor];
    let mut found = Vec::new();
    loop {
        let (below, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(|process| known.contains(&process.parent));
        if below.is_empty() {
            return found;
        }
        known.extend(below.iter().map(|process| process.pid));
        found.extend(below);
        others = rest;
    }
}

fn read_stat(pid: i32) -> Option<Process> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(pid, &String::from_utf8_lossy(&stat))
}

/// The name in parentheses may hold anything, so fields count from its last parenthesis.
fn parse_stat(pid: i32, stat: &str) -> Option<Process> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |idx: usize| fields.get(idx)?.parse::<u64>().ok();
    // State is field 3 of proc(5), so field n stands at n - 3.
    let ticks: u64 = (14..=17).filter_map(|field| number(field - 3)).sum();
    Some(Process {
        pid: Pid::from_raw(pid),
        parent: Pid::from_raw(i32::try_from(number(1)?).ok()?),
        cpu: Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND),
        n_threads: number(17)?,
    })
}

/// Fixed for all programs, whatever the kernel's own tick.
const TICKS_PER_SECOND: u64 = 100;

fn resident_kib(pid: Pid) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    Some(status.lines().filter_map(parse_resident).sum())
}

fn parse_resident(line: &str) -> Option<u64> {
    let (name, value) = line.split_once(':')?;
    matches!(name, "RssAnon" | "RssShmem").then(|| value.trim().trim_end_matches(" kB").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_may_name_itself_to_look_like_more_fields() {
        let stat = "7 (a) R 1 (b) S 3 7 7 0 -1 4194560 1 0 0 0 250 50 10 0 20 0 5 0 9 1 1 1";
        let process = parse_stat(7, stat).unwrap();
        assert_eq!(process.parent, Pid::from_raw(3));
        assert_eq!(process.cpu, Duration::from_millis(3100));
        assert_eq!(process.n_threads, 5);
    }

    #[test]
    fn resident_memory_leaves_out_mapped_files() {
        assert_eq!(parse_resident("RssAnon:\t     120 kB"), Some(120));
        assert_eq!(parse_resident("RssFile:\t     999 kB"), None);
    }
}
