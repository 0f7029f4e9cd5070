//! Files on their way into or out of the sandbox: packed into one run of bytes, so that no path of
//! the host is ever opened on behalf of a program, and no link followed.

use std::{
    io::{self, Write},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use nix::sys::memfd::{MFdFlags, memfd_create};

use crate::ids;

/// A set of files, unchangeable and cheap to clone. The launcher reads it by descriptor.
#[derive(Clone, Debug)]
pub struct Files {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    fd: OwnedFd,
    key: String,
    n_bytes: u64,
}

/// One file of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedFile<'a> {
    /// Relative, of plain names only.
    pub path: &'a str,
    pub bytes: &'a [u8],
}

impl Files {
    /// Packs `files`.
    ///
    /// # Errors
    /// When a path is not plain, or there is no memory.
    pub fn new(files: &[PackedFile<'_>]) -> io::Result<Self> {
        Self::from_packed(&pack_all(files))
    }

    /// Takes bytes packed earlier, and checks them.
    ///
    /// # Errors
    /// When the bytes are not a packed set of files with plain paths.
    pub fn from_packed(packed: &[u8]) -> io::Result<Self> {
        unpack(packed)?;
        let fd = memfd_create(c"corebuild-files", MFdFlags::MFD_CLOEXEC)?;
        let mut file = std::fs::File::from(fd);
        file.write_all(packed)?;
        let inner = Inner { fd: file.into(), key: ids::sha256_hex(packed), n_bytes: packed.len() as u64 };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Tells sets apart: the sha256 of the packed bytes.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.inner.key
    }

    pub(super) fn n_bytes(&self) -> u64 {
        self.inner.n_bytes
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.inner.fd.as_fd()
    }
}

/// Files as one run of bytes.
#[must_use]
pub fn pack_all(files: &[PackedFile<'_>]) -> Vec<u8> {
    let mut packed = Vec::new();
    for file in files {
        pack(&mut packed, file);
    }
    packed
}

/// Appends one file.
pub(super) fn pack(packed: &mut Vec<u8>, file: &PackedFile<'_>) {
    packed.extend(u32::try_from(file.path.len()).expect("a path is short").to_le_bytes());
    packed.extend(file.path.as_bytes());
    packed.extend((file.bytes.len() as u64).to_le_bytes());
    packed.extend(file.bytes);
}

/// The files of a packed set.
///
/// # Errors
/// When the bytes are cut or a path is not plain.
pub fn unpack(mut packed: &[u8]) -> io::Result<Vec<PackedFile<'_>>> {
    let mut files = Vec::new();
    while !packed.is_empty() {
        let n_path = number(&mut packed, 4)?;
        let path = str::from_utf8(take(&mut packed, n_path)?).map_err(|_| broken("a path is not UTF-8"))?;
        if !is_plain(Path::new(path)) {
            return Err(broken(&format!("`{path}` is not a plain relative path")));
        }
        let n_bytes = number(&mut packed, 8)?;
        files.push(PackedFile { path, bytes: take(&mut packed, n_bytes)? });
    }
    Ok(files)
}

/// Writes a packed set below `directory`, readable and executable by all, writable by none.
pub(super) fn write_below(directory: &Path, packed: &[u8]) -> io::Result<()> {
    for file in unpack(packed)? {
        let path: PathBuf = directory.join(file.path);
        fs_err::create_dir_all(path.parent().expect("a joined path has a parent"))?;
        let mut options = fs_err::OpenOptions::new();
        options.write(true).create_new(true);
        fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o555);
        options.open(&path)?.write_all(file.bytes)?;
    }
    Ok(())
}

fn is_plain(path: &Path) -> bool {
    path.components().next().is_some() && path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// A number of so many bytes, the least first.
fn number(packed: &mut &[u8], n_bytes: u64) -> io::Result<u64> {
    Ok(take(packed, n_bytes)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn take<'a>(packed: &mut &'a [u8], n_bytes: u64) -> io::Result<&'a [u8]> {
    let n_bytes = usize::try_from(n_bytes).ok().filter(|n| *n <= packed.len());
    let (taken, rest) = packed.split_at(n_bytes.ok_or_else(|| broken("a packed set of files is cut"))?);
    *packed = rest;
    Ok(taken)
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_files_come_back_as_they_were() {
        let files = [PackedFile { path: "a/b.txt", bytes: b"\0\xff" }, PackedFile { path: "c", bytes: b"" }];
        let mut packed = Vec::new();
        for file in &files {
            pack(&mut packed, file);
        }
        assert_eq!(unpack(&packed).unwrap(), files);
    }

    #[test]
    fn paths_that_leave_the_directory_are_refused() {
        for path in ["../x", "/x", "a/../../x", "", "./x"] {
            let mut packed = Vec::new();
            pack(&mut packed, &PackedFile { path, bytes: b"x" });
            assert!(unpack(&packed).is_err(), "{path}");
        }
    }

    #[test]
    fn cut_sets_are_refused() {
        let mut packed = Vec::new();
        pack(&mut packed, &PackedFile { path: "a", bytes: b"0123456789" });
        for n in 1..packed.len() {
            assert!(unpack(&packed[..n]).is_err(), "{n}");
        }
    }
}
