//! Puts a release where it belongs: whole, checked, once.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use fs_err::File;
use rayon::prelude::*;

use crate::{exit_code::Invalid, store, verify};

/// Writes `files` as the directory `dir`, or finds them there already.
///
/// # Errors
/// [`Invalid`] when `dir` holds anything else, or when the release does not pass `verify`.
pub(crate) fn publish(dir: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    if dir.exists() {
        return same(dir, files);
    }
    let parent = dir.parent().context("a release has a directory around it")?;
    fs_err::create_dir_all(parent)?;
    let prefix = format!(".{}.partial-", dir.file_name().context("a release has a name")?.display());
    remove_leftovers(parent, &prefix)?;
    let partial = tempfile::Builder::new()
        .prefix(&prefix)
        .tempdir_in(parent)
        .with_context(|| format!("write in `{}`", parent.display()))?;
    write(partial.path(), files)?;
    check(partial.path())?;
    let partial = partial.keep();
    fs_err::rename(&partial, dir)?;
    store::sync_dir(parent)
}

/// What a killed run left behind. The release's lock is held, so nobody is writing there.
fn remove_leftovers(parent: &Path, prefix: &str) -> Result<()> {
    for entry in fs_err::read_dir(parent)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            fs_err::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Files side by side: most of the time is spent waiting for the disk.
fn write(dir: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    let mut dirs = BTreeSet::from([dir.to_path_buf()]);
    for name in files.keys() {
        let ancestors = dir.join(name);
        dirs.extend(ancestors.ancestors().skip(1).take_while(|ancestor| *ancestor != dir).map(Path::to_path_buf));
    }
    for dir in &dirs {
        fs_err::create_dir_all(dir)?;
    }
    files.par_iter().try_for_each(|(name, bytes)| write_file(&dir.join(name), bytes))?;
    for dir in &dirs {
        fs_err::set_permissions(dir, PermissionsExt::from_mode(0o755))?;
        store::sync_dir(dir)?;
    }
    Ok(())
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.set_permissions(PermissionsExt::from_mode(0o644))?;
    Ok(file.sync_all()?)
}

fn check(dir: &Path) -> Result<()> {
    let report = verify::verify(dir)?;
    if report.is_clean() {
        return Ok(());
    }
    let hint = "a fault here is one of the stages before: see what they rejected and what they let through";
    bail!(Invalid::new(format!("the release does not pass `verify`:\n{}", report.render())).hint(hint))
}

fn same(dir: &Path, files: &BTreeMap<String, Vec<u8>>) -> Result<()> {
    let mut present = Vec::new();
    list(dir, dir, &mut present)?;
    let mut differing: Vec<&str> = Vec::new();
    for (name, bytes) in files {
        let path = dir.join(name);
        if !path.is_file() || fs_err::read(path)? != *bytes {
            differing.push(name);
        }
    }
    differing.extend(present.iter().map(String::as_str).filter(|name| !files.contains_key(*name)));
    if differing.is_empty() {
        return Ok(());
    }
    differing.truncate(5);
    let message = format!("`{}` exists and differs in {}", dir.display(), differing.join(", "));
    Err(Invalid::new(message).hint("a release is never changed; choose a new name in `pipeline.toml`").into())
}

fn list(root: &Path, dir: &Path, names: &mut Vec<String>) -> Result<()> {
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in fs_err::read_dir(dir)? {
        entries.push(entry?.path());
    }
    entries.sort_unstable();
    for path in entries {
        if path.is_dir() {
            list(root, &path, names)?;
        } else {
            names.push(path.strip_prefix(root).unwrap_or(&path).display().to_string());
        }
    }
    Ok(())
}
