//! The file system that programs see: a root of a few read-only directories of the host, a
//! directory for the program and one for scratch.
//!
//! Built once per launcher; every run gets a copy with a fresh `/proc` and a fresh `/tmp`. Runs in
//! the launcher, after it left the host's mount namespace.

use std::{
    ffi::CString,
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use nix::{
    mount::{MntFlags, MsFlags, mount, umount2},
    sys::statvfs::{FsFlags, statvfs},
    unistd::{chdir, pivot_root},
};

use super::{files, sys, wire::Walls};

/// Where a program's files lie, read-only.
pub(super) const PROGRAM: &str = "/program";
/// Where a program may write.
pub(super) const SCRATCH: &str = "/tmp";
/// Below the scratch directory: what is handed back after a run that asks for it.
pub(super) const OUT: &str = "out";

/// Directories with compilers, interpreters and their libraries.
const DIRECTORIES: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/// What those need of `/etc`: nothing that tells of users or hosts.
const CONFIGURATION: [&str; 2] = ["/etc/ld.so.cache", "/etc/alternatives"];
/// Java keeps its settings in `/etc/java-<version>-openjdk`.
const JAVA_CONFIGURATION: &str = "java-";
const DEVICES: [(&str, u32, u32); 5] =
    [("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8), ("urandom", 1, 9)];
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    // One scratch directory, one limit.
    ("shm", SCRATCH),
];
/// Hides the host while the new root is built. Any directory that no source lies in will do.
const BUILD_AT: &str = "/tmp";
/// Files that one run may make: each costs kernel memory.
const MAX_INODES: u32 = 16_384;

/// Replaces the root of this mount namespace.
pub(super) fn build(walls: Walls) -> Result<()> {
    let none = None::<&str>;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none).context("make mounts private")?;
    let options = Some("mode=0755,size=1m,nr_inodes=256");
    mount(Some("root"), BUILD_AT, Some("tmpfs"), MsFlags::MS_NOSUID, options).context("mount a root")?;
    let root = Path::new(BUILD_AT);
    for directory in DIRECTORIES {
        show_directory(root, Path::new(directory))?;
    }
    for path in configuration() {
        bind(&path, &below(root, &path))?;
    }
    devices(&root.join("dev"))?;
    for directory in [PROGRAM, "/proc"] {
        fs_err::create_dir(below(root, Path::new(directory)))?;
    }
    fs_err::create_dir_all(below(root, Path::new(SCRATCH)))?;
    if walls == Walls::UserNamespace {
        // The kernel lets a user namespace mount a fresh /proc only where one is in full view
        // already. Each run's own is mounted over this one.
        let flags = MsFlags::MS_BIND | MsFlags::MS_REC;
        mount(Some("/proc"), &below(root, Path::new("/proc")), none, flags, none).context("bind /proc")?;
    }
    enter(root)?;
    remount_read_only(Path::new("/"))
}

/// Shows other files at [`PROGRAM`].
pub(super) fn load(packed: &[u8]) -> Result<()> {
    let none = None::<&str>;
    let _ = umount2(PROGRAM, MntFlags::MNT_DETACH);
    mount(Some("program"), PROGRAM, Some("tmpfs"), MsFlags::MS_NOSUID | MsFlags::MS_NODEV, Some("mode=0755"))
        .context("mount the program directory")?;
    files::write_below(Path::new(PROGRAM), packed).context("write the program directory")?;
    let flags = MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(none, PROGRAM, none, flags, none).context("make the program directory read-only")
}

/// What is fresh in each run; called as pid 1 of the run.
pub(super) fn mount_fresh(scratch_bytes: u64, user: u32) -> Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("proc"), "/proc", Some("proc"), flags | MsFlags::MS_NOEXEC | MsFlags::MS_RDONLY, None::<&str>)
        .context("mount /proc")?;
    let options = format!("mode=0700,size={scratch_bytes},nr_inodes={MAX_INODES},uid={user},gid={user}");
    mount(Some("scratch"), SCRATCH, Some("tmpfs"), flags, Some(options.as_str())).context("mount /tmp")?;
    Ok(chdir(SCRATCH)?)
}

/// A directory of the host, or the link that stands in its place.
fn show_directory(root: &Path, path: &Path) -> Result<()> {
    match fs_err::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => {
            Ok(fs_err::os::unix::fs::symlink(fs_err::read_link(path)?, below(root, path))?)
        }
        Ok(_) => bind(path, &below(root, path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn configuration() -> Vec<PathBuf> {
    let java = fs_err::read_dir("/etc")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(JAVA_CONFIGURATION)));
    CONFIGURATION.iter().map(PathBuf::from).chain(java).filter(|path| path.exists()).collect()
}

/// Binds `source` read-only at `target`, which is made first.
fn bind(source: &Path, target: &Path) -> Result<()> {
    let none = None::<&str>;
    if source.is_dir() {
        fs_err::create_dir_all(target)?;
    } else {
        fs_err::create_dir_all(target.parent().expect("targets lie below the root"))?;
        fs_err::File::create(target)?;
    }
    let what = || format!("bind `{}`", source.display());
    // With what is mounted below: a user namespace may not separate the two.
    mount(Some(source), target, none, MsFlags::MS_BIND | MsFlags::MS_REC, none).with_context(what)?;
    remount_read_only(target)
}

/// Keeps the flags that are set: a user namespace may not clear those.
fn remount_read_only(path: &Path) -> Result<()> {
    let none = None::<&str>;
    let set = statvfs(path)?.flags();
    let mut flags = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY | MsFlags::MS_NOSUID;
    for (have, keep) in [
        (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ] {
        if set.contains(have) {
            flags |= keep;
        }
    }
    mount(none, path, none, flags, none).with_context(|| format!("make `{}` read-only", path.display()))
}

fn devices(directory: &Path) -> Result<()> {
    fs_err::create_dir(directory)?;
    for (name, major, minor) in DEVICES {
        let path = directory.join(name);
        let c_path = CString::new(path.as_os_str().as_encoded_bytes()).expect("device names hold no zero byte");
        if sys::make_device(&c_path, major, minor).is_ok() {
            fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o666))?;
            continue;
        }
        fs_err::File::create(&path)?;
        let host = Path::new("/dev").join(name);
        mount(Some(&host), &path, None::<&str>, MsFlags::MS_BIND, None::<&str>)
            .with_context(|| format!("bind `{}`", host.display()))?;
    }
    for (name, target) in DEVICE_LINKS {
        fs_err::os::unix::fs::symlink(target, directory.join(name))?;
    }
    Ok(())
}

fn enter(root: &Path) -> Result<()> {
    chdir(root)?;
    pivot_root(".", ".").context("change the root")?;
    umount2(".", MntFlags::MNT_DETACH).context("leave the host's root")?;
    Ok(chdir("/")?)
}

fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").expect("sources are absolute"))
}
