//! What pins a snapshot: the sha256 of a file or of a directory's listing, and `manifest.json`.
//!
//! Nothing here knows what a source means, and no clock stands in a manifest.

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use fs_err::File;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::fetch::Fetched;
use crate::{
    config::{SourceConfig, SourceKind},
    exit_code::{Invalid, Unavailable},
    ids,
};

/// `manifest.json`: what a snapshot consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub source: String,
    pub kind: SourceKind,
    pub revision: String,
    pub files: Vec<ManifestEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestEntry {
    pub url: String,
    pub kind: EntryKind,
    pub sha256: String,
    /// Of a directory: the sum over its files.
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    File,
    Directory,
}

impl Manifest {
    pub(super) fn new(source: &str, config: &SourceConfig, fetched: &[Fetched]) -> Self {
        Self {
            source: source.to_owned(),
            kind: config.kind,
            revision: config.revision.clone(),
            files: fetched.iter().map(|file| file.entry.clone()).collect(),
        }
    }

    /// Writes `manifest.json`, whole or not at all; an equal one is left alone.
    pub(super) fn write(&self, directory: &Path) -> Result<()> {
        let path = directory.join("manifest.json");
        let mut text = serde_json::to_string_pretty(self).context("manifest to JSON")?;
        text.push('\n');
        if fs_err::read(&path).is_ok_and(|present| present == text.as_bytes()) {
            return Ok(());
        }
        fs_err::create_dir_all(directory)?;
        let mut file = tempfile::NamedTempFile::new_in(directory)
            .with_context(|| format!("new file in `{}`", directory.display()))?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.as_file().sync_all())
            .with_context(|| format!("write `{}`", path.display()))?;
        file.persist(&path).with_context(|| format!("write `{}`", path.display()))?;
        Ok(())
    }
}

/// The pin of a file or a directory, with its kind and size: what `sha256` in `pipeline.toml` holds.
///
/// # Errors
/// When the path is not there or cannot be read.
pub fn measure(path: &Path, on_bytes: &mut dyn FnMut(u64) -> Result<()>) -> Result<(EntryKind, String, u64)> {
    let metadata = std::path::Path::metadata(path).map_err(|error| {
        Unavailable::new(format!("source `{}` cannot be read: {error}", path.display()))
            .hint("look at `files` of the source in `pipeline.toml`")
    })?;
    let (kind, (sha256, n_bytes)) = if metadata.is_dir() {
        (EntryKind::Directory, tree_hash(path, on_bytes)?)
    } else {
        (EntryKind::File, file_hash(path, on_bytes)?)
    };
    Ok((kind, sha256, n_bytes))
}

/// The sha256 of a directory: that of its listing, one line `<relative path>\0<sha256>\n` a file,
/// sorted by path as bytes, with `/` between parts.
///
/// # Errors
/// When something in it cannot be read, or is neither a file nor a directory.
pub fn tree_sha256(directory: &Path) -> Result<String> {
    tree_hash(directory, &mut |_| Ok(())).map(|(sha256, _)| sha256)
}

fn tree_hash(directory: &Path, on_bytes: &mut dyn FnMut(u64) -> Result<()>) -> Result<(String, u64)> {
    let mut files = Vec::new();
    list(directory, "", &mut files)?;
    files.sort();
    let mut listing = Sha256::new();
    let mut n_bytes = 0;
    for (relative, path) in files {
        let (sha256, n_file_bytes) = file_hash(&path, &mut |n_done| on_bytes(n_bytes + n_done))?;
        listing.update(format!("{relative}\0{sha256}\n"));
        n_bytes += n_file_bytes;
    }
    Ok((ids::hex(&listing.finalize()), n_bytes))
}

/// All files below `directory`, with their path relative to where the listing started.
fn list(directory: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    for entry in fs_err::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        let Ok(name) = entry.file_name().into_string() else {
            bail!(Invalid::new(format!("`{}` is not named in UTF-8", path.display())));
        };
        let relative = format!("{prefix}{name}");
        let file_type = entry.file_type()?;
        if file_type.is_dir() {
            list(&path, &format!("{relative}/"), files)?;
        } else if file_type.is_file() {
            files.push((relative, path));
        } else {
            bail!(Invalid::new(format!("`{}` is neither a file nor a directory", path.display())));
        }
    }
    Ok(())
}

pub(super) fn file_hash(path: &Path, on_bytes: &mut dyn FnMut(u64) -> Result<()>) -> Result<(String, u64)> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    let mut n_bytes = 0;
    loop {
        let n_read = file.read(&mut buffer)?;
        if n_read == 0 {
            return Ok((ids::hex(&hash.finalize()), n_bytes));
        }
        hash.update(&buffer[..n_read]);
        n_bytes += n_read as u64;
        on_bytes(n_bytes)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        directory
    }

    #[test]
    fn a_directory_hashes_as_its_sorted_listing() {
        // "a-b" sorts before "a/b" as bytes, though a walk meets the directory "a" first.
        let directory = tree(&[("a/b", "2"), ("a-b", "1"), ("c", "")]);
        let lines: Vec<String> = [("a-b", "1"), ("a/b", "2"), ("c", "")]
            .iter()
            .map(|(path, text)| format!("{path}\0{}\n", ids::sha256_hex(text.as_bytes())))
            .collect();
        assert_eq!(tree_sha256(directory.path()).unwrap(), ids::sha256_hex(lines.concat().as_bytes()));
        let (kind, _, n_bytes) = measure(directory.path(), &mut |_| Ok(())).unwrap();
        assert_eq!((kind, n_bytes), (EntryKind::Directory, 2));
    }

    #[test]
    fn a_renamed_or_changed_file_changes_the_hash() {
        let hashes: std::collections::BTreeSet<String> = [
            tree(&[("a", "1"), ("b", "2")]),
            tree(&[("a", "2"), ("b", "1")]),
            tree(&[("a", "1"), ("c", "2")]),
            tree(&[("a", "1")]),
        ]
        .iter()
        .map(|directory| tree_sha256(directory.path()).unwrap())
        .collect();
        assert_eq!(hashes.len(), 4);
    }

    #[test]
    fn a_symbolic_link_in_a_tree_is_refused() {
        let directory = tree(&[("a", "1")]);
        std::os::unix::fs::symlink("/etc/hostname", directory.path().join("b")).unwrap();
        let error = tree_sha256(directory.path()).unwrap_err();
        assert!(error.to_string().contains("neither a file nor a directory"), "{error}");
    }

    #[test]
    fn a_missing_source_is_unavailable() {
        let error = measure(Path::new("/nowhere/at/all"), &mut |_| Ok(())).unwrap_err();
        assert_eq!(crate::exit_code::ExitCode::of(&error), crate::exit_code::ExitCode::Unavailable);
    }
}
