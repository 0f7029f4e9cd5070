//! Control groups, version 1 and 2: limits and counters of a whole process tree.
//!
//! A launcher enters its group once and its children inherit it, since moving a process between
//! groups can wait ten milliseconds for the kernel. Nothing here starts or ends a process.

use std::{
    fs::File,
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// Groups of ours, in each hierarchy that we need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hierarchy {
    V1 { memory: PathBuf, pids: PathBuf, cpuacct: PathBuf },
    V2 { base: PathBuf },
}

/// Of `/proc/self/mountinfo`: one mounted hierarchy.
struct Mounted {
    point: PathBuf,
    /// Which part of the hierarchy is mounted.
    root: PathBuf,
    version: u32,
    controllers: Vec<String>,
}

impl Hierarchy {
    /// What this machine mounts and lets us write.
    ///
    /// # Errors
    /// Why there are no cgroups for us, as a fragment of a sentence.
    pub(super) fn find() -> Result<Self, String> {
        let mounts = fs_err::read_to_string("/proc/self/mountinfo").map_err(|error| error.to_string())?;
        let own = fs_err::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let mounted: Vec<Mounted> = mounts.lines().filter_map(parse_mount).collect();
        let hierarchy =
            find_v1(&mounted).or_else(|| find_v2(&mounted, &own)).ok_or("no cgroup hierarchy is mounted")?;
        if let Self::V2 { base } = &hierarchy {
            enable_controllers(base)?;
        }
        remove_stale(&hierarchy);
        Ok(hierarchy)
    }

    #[must_use]
    pub(super) fn version(&self) -> u32 {
        match self {
            Self::V1 { .. } => 1,
            Self::V2 { .. } => 2,
        }
    }

    fn directories(&self) -> Vec<&Path> {
        match self {
            Self::V1 { memory, pids, cpuacct } => {
                let mut all = vec![memory.as_path(), pids, cpuacct];
                all.dedup();
                all
            }
            Self::V2 { base } => vec![base],
        }
    }
}

/// At the top of what we see: below a group that others manage, ours would be in their way.
fn find_v1(mounted: &[Mounted]) -> Option<Hierarchy> {
    let of = |controller: &str| {
        let found =
            mounted.iter().find(|mount| mount.version == 1 && mount.controllers.iter().any(|c| c == controller));
        found.map(|mount| mount.point.clone())
    };
    Some(Hierarchy::V1 { memory: of("memory")?, pids: of("pids")?, cpuacct: of("cpuacct")? })
}

/// Our own group: what a parent has delegated to us starts there.
fn find_v2(mounted: &[Mounted], own: &str) -> Option<Hierarchy> {
    let mount = mounted.iter().find(|mount| mount.version == 2)?;
    let path = Path::new(own.lines().find_map(|line| line.strip_prefix("0::"))?);
    let relative = path.strip_prefix(&mount.root).or_else(|_| path.strip_prefix("/")).ok()?;
    Some(Hierarchy::V2 { base: mount.point.join(relative) })
}

fn parse_mount(line: &str) -> Option<Mounted> {
    let (before, after) = line.split_once(" - ")?;
    let before: Vec<&str> = before.split(' ').collect();
    let after: Vec<&str> = after.split(' ').collect();
    let version = match *after.first()? {
        "cgroup" => 1,
        "cgroup2" => 2,
        _ => return None,
    };
    Some(Mounted {
        point: PathBuf::from(before.get(4)?),
        root: PathBuf::from(before.get(3)?),
        version,
        controllers: after.get(2)?.split(',').map(str::to_owned).collect(),
    })
}

/// A version 2 group with processes of its own may not hand controllers down, so we move ourselves
/// into a leaf first where that is needed.
fn enable_controllers(base: &Path) -> Result<(), String> {
    let available = read(&base.join("cgroup.controllers"))?;
    for controller in ["memory", "pids", "cpu"] {
        if !available.split_whitespace().any(|name| name == controller) {
            return Err(format!("the cgroup controller `{controller}` is not available in `{}`", base.display()));
        }
    }
    let control = base.join("cgroup.subtree_control");
    let wanted = "+memory +pids +cpu";
    if fs_err::write(&control, wanted).is_ok() {
        return Ok(());
    }
    let leaf = base.join("corebuild-main");
    let moved = fs_err::create_dir_all(&leaf)
        .and_then(|()| fs_err::write(leaf.join("cgroup.procs"), std::process::id().to_string()))
        .and_then(|()| fs_err::write(&control, wanted));
    moved.map_err(|error| format!("cgroups cannot be delegated: {error}"))
}

fn read(path: &Path) -> Result<String, String> {
    fs_err::read_to_string(path).map_err(|error| error.to_string())
}

const PREFIX: &str = "corebuild-";

/// Groups whose maker is gone, e.g. killed.
fn remove_stale(hierarchy: &Hierarchy) {
    for directory in hierarchy.directories() {
        let Ok(entries) = fs_err::read_dir(directory) else {
            continue;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let maker =
                name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse::<u32>().ok());
            if maker.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
                let _ = fs_err::remove_dir(entry.path());
            }
        }
    }
}

/// The group of one launcher.
#[derive(Debug)]
pub(super) struct Group {
    directories: Vec<PathBuf>,
    memory_limits: Vec<File>,
    memory_reset: Option<File>,
    memory_usage: File,
    memory_peak: Option<File>,
    oom_events: File,
    processes_limit: File,
    cpu: File,
    set: Option<(u64, u64)>,
}

/// Counters that only grow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counters {
    pub cpu: Duration,
    pub oom_kills: u64,
    pub memory_bytes: u64,
}

impl Group {
    /// Makes a group.
    ///
    /// # Errors
    /// Where we may not.
    pub(super) fn new(hierarchy: &Hierarchy) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("{PREFIX}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let mut directories = Vec::new();
        for directory in hierarchy.directories() {
            let directory = directory.join(&name);
            fs_err::create_dir(&directory)?;
            directories.push(directory);
        }
        let group = match hierarchy {
            Hierarchy::V1 { memory, pids, cpuacct } => {
                Self::open_v1(&memory.join(&name), &pids.join(&name), &cpuacct.join(&name))
            }
            Hierarchy::V2 { base } => Self::open_v2(&base.join(&name)),
        };
        match group {
            Ok(group) => Ok(Self { directories, ..group }),
            Err(error) => {
                remove(&directories);
                Err(error)
            }
        }
    }

    fn open_v1(memory: &Path, pids: &Path, cpuacct: &Path) -> io::Result<Self> {
        let swap = open(&memory.join("memory.memsw.limit_in_bytes"));
        Ok(Self {
            directories: Vec::new(),
            memory_limits: [open(&memory.join("memory.limit_in_bytes"))?].into_iter().chain(swap).collect(),
            memory_reset: Some(open(&memory.join("memory.max_usage_in_bytes"))?),
            memory_usage: open(&memory.join("memory.usage_in_bytes"))?,
            memory_peak: Some(open(&memory.join("memory.max_usage_in_bytes"))?),
            oom_events: open(&memory.join("memory.oom_control"))?,
            processes_limit: open(&pids.join("pids.max"))?,
            cpu: open(&cpuacct.join("cpuacct.usage"))?,
            set: None,
        })
    }

    fn open_v2(group: &Path) -> io::Result<Self> {
        // No swap: memory that is swapped out would escape the limit.
        let _ = fs_err::write(group.join("memory.swap.max"), "0");
        let peak = open(&group.join("memory.peak")).ok();
        Ok(Self {
            directories: Vec::new(),
            memory_limits: vec![open(&group.join("memory.max"))?],
            // Since Linux 6.12 a write resets the peak as seen through the same descriptor.
            memory_reset: peak.as_ref().map(File::try_clone).transpose()?,
            memory_usage: open(&group.join("memory.current"))?,
            memory_peak: peak,
            oom_events: open(&group.join("memory.events"))?,
            processes_limit: open(&group.join("pids.max"))?,
            cpu: open(&group.join("cpu.stat"))?,
            set: None,
        })
    }

    /// Moves a process in.
    ///
    /// # Errors
    /// Where we may not.
    pub(super) fn enter(&self, pid: u32) -> io::Result<()> {
        self.directories.iter().try_for_each(|directory| fs_err::write(directory.join("cgroup.procs"), pid.to_string()))
    }

    /// Sets the limits of the next run.
    ///
    /// # Errors
    /// When the kernel refuses, e.g. since it cannot shed what is used already.
    pub(super) fn set_limits(&mut self, memory_bytes: u64, n_processes: u64) -> io::Result<()> {
        let before = self.set.replace((memory_bytes, n_processes));
        if before.map(|(memory, _)| memory) != Some(memory_bytes) {
            self.set_memory(memory_bytes)?;
        }
        if before.map(|(_, processes)| processes) != Some(n_processes) {
            write(&self.processes_limit, &n_processes.to_string())?;
        }
        Ok(())
    }

    /// Version 1 limits memory and memory with swap; the first may never be above the second.
    fn set_memory(&self, bytes: u64) -> io::Result<()> {
        let text = bytes.to_string();
        let inwards = self.memory_limits.iter().try_for_each(|file| write(file, &text));
        inwards.or_else(|_| self.memory_limits.iter().rev().try_for_each(|file| write(file, &text)))
    }

    /// Starts the peak anew, where the kernel can.
    pub(super) fn reset_peak(&self) {
        if let Some(file) = &self.memory_reset {
            let _ = write(file, "0");
        }
    }

    /// The counters now.
    ///
    /// # Errors
    /// When a file of the group does not read as it should.
    pub(super) fn counters(&self) -> io::Result<Counters> {
        Ok(Counters {
            cpu: parse_cpu(&read_text(&self.cpu)?)?,
            oom_kills: parse_field(&read_text(&self.oom_events)?, "oom_kill").unwrap_or(0),
            memory_bytes: number(&read_text(&self.memory_usage)?)?,
        })
    }

    /// CPU time so far.
    ///
    /// # Errors
    /// As [`Group::counters`].
    pub(super) fn cpu(&self) -> io::Result<Duration> {
        parse_cpu(&read_text(&self.cpu)?)
    }

    /// The most memory used since the last reset, where the kernel tells.
    #[must_use]
    pub(super) fn peak_bytes(&self) -> Option<u64> {
        number(&read_text(self.memory_peak.as_ref()?).ok()?).ok()
    }

    #[cfg(test)]
    pub(super) fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// Removes the group; its processes have to be gone.
    pub(super) fn remove(&self) {
        remove(&self.directories);
    }
}

fn remove(directories: &[PathBuf]) {
    for directory in directories {
        // The kernel may still be letting go of a process that has been reaped.
        for _ in 0..100 {
            match fs_err::remove_dir(directory) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                _ => break,
            }
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    let writable = fs_err::OpenOptions::new().read(true).write(true).open(path);
    Ok(writable.or_else(|_| fs_err::File::open(path))?.into_parts().0)
}

fn write(file: &File, text: &str) -> io::Result<()> {
    file.write_all_at(text.as_bytes(), 0)
}

fn read_text(file: &File) -> io::Result<String> {
    let mut bytes = [0; 2048];
    let n_bytes = file.read_at(&mut bytes, 0)?;
    Ok(String::from_utf8_lossy(&bytes[..n_bytes]).into_owned())
}

/// `cpuacct.usage` holds nanoseconds, `cpu.stat` microseconds after a name.
fn parse_cpu(text: &str) -> io::Result<Duration> {
    match parse_field(text, "usage_usec") {
        Some(micros) => Ok(Duration::from_micros(micros)),
        None => Ok(Duration::from_nanos(number(text)?)),
    }
}

fn parse_field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

fn number(text: &str) -> io::Result<u64> {
    let text = text.trim();
    text.parse().map_err(|_| io::Error::new(io::ErrorKind::InvalidData, format!("`{text}` is no number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const V1: &str = "\
33 24 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid - cgroup cgroup rw,cpu,cpuacct
36 24 0:31 / /sys/fs/cgroup/memory rw,nosuid - cgroup cgroup rw,memory
37 24 0:32 / /sys/fs/cgroup/pids rw,nosuid - cgroup cgroup rw,pids
38 24 0:33 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw";

    fn mounts(text: &str) -> Vec<Mounted> {
        text.lines().filter_map(parse_mount).collect()
    }

    #[test]
    fn version_1_is_found_by_controller_and_not_by_directory_name() {
        let Some(Hierarchy::V1 { memory, cpuacct, .. }) = find_v1(&mounts(V1)) else {
            panic!("not found");
        };
        assert_eq!(memory, Path::new("/sys/fs/cgroup/memory"));
        assert_eq!(cpuacct, Path::new("/sys/fs/cgroup/cpu,cpuacct"));
    }

    #[test]
    fn version_2_starts_at_our_own_group() {
        let mounted = mounts("25 24 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate");
        let found = find_v2(&mounted, "0::/user.slice/run-1.scope\n");
        assert_eq!(found, Some(Hierarchy::V2 { base: "/sys/fs/cgroup/user.slice/run-1.scope".into() }));
    }

    #[test]
    fn version_2_in_a_container_is_relative_to_what_is_mounted() {
        let mounted = mounts("25 24 0:22 /docker/c1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
        let found = find_v2(&mounted, "0::/docker/c1/sub\n");
        assert_eq!(found, Some(Hierarchy::V2 { base: "/sys/fs/cgroup/sub".into() }));
    }

    #[test]
    fn counters_of_both_versions_parse() {
        assert_eq!(parse_cpu("1500000\n").unwrap(), Duration::from_micros(1500));
        assert_eq!(parse_cpu("usage_usec 1500\nuser_usec 1000\n").unwrap(), Duration::from_micros(1500));
        assert_eq!(parse_field("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n", "oom_kill"), Some(3));
        assert_eq!(parse_field("low 0\noom 1\noom_kill 2\noom_group_kill 7\n", "oom_kill"), Some(2));
    }
}
