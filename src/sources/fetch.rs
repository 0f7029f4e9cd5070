//! From a `url` and a `sha256` to bytes on this machine that are the pinned ones.
//!
//! `file://` is read where it lies; `https://` is downloaded once into `<source>@<revision>/`. It
//! owns the pin: what it hands on has the sha256 of `pipeline.toml`. It knows no source's format.

mod download;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use self::download::Downloader;
use super::{
    Doing, OnProgress, Places, Progress,
    snapshot::{EntryKind, ManifestEntry, measure},
};
use crate::{
    config::{SourceConfig, SourceFile},
    exit_code::{ConfigError, Invalid},
};

/// A file or directory that is the pinned one.
#[derive(Clone, Debug)]
pub(super) struct Fetched {
    pub(super) path: PathBuf,
    pub(super) entry: ManifestEntry,
}

/// `<snapshots>/<source>@<revision>`, with `-` for what a file name should not hold.
pub(super) fn snapshot_dir(source: &str, config: &SourceConfig, snapshots: &Path) -> PathBuf {
    snapshots.join(format!("{}@{}", file_name(source), file_name(&config.revision)))
}

/// All files of a source, in its order.
pub(super) fn fetch(
    source: &str,
    config: &SourceConfig,
    places: Places<'_>,
    on_progress: OnProgress<'_>,
) -> Result<Vec<Fetched>> {
    let directory = snapshot_dir(source, config, places.snapshots);
    let mut names = Vec::new();
    let mut fetched = Vec::new();
    for file in &config.files {
        let path = if let Some(path) = file.url.strip_prefix("file://") {
            places.root.join(path)
        } else {
            let path = directory.join(download_name(source, &file.url)?);
            if names.contains(&path) {
                bail!(ConfigError::new(format!("[sources.{source}] downloads two files to `{}`", path.display())));
            }
            names.push(path.clone());
            let tell = |n_done, n_total| on_progress(Progress { source, doing: Doing::Downloading, n_done, n_total });
            if !path.exists() {
                Downloader::new()?.download(&file.url, &path, &file.sha256, &tell)?;
            }
            path
        };
        let entry = pinned(source, file, &path, on_progress)?;
        fetched.push(Fetched { path, entry });
    }
    Ok(fetched)
}

/// Holds what lies at `path` against the pin.
fn pinned(source: &str, file: &SourceFile, path: &Path, on_progress: OnProgress<'_>) -> Result<ManifestEntry> {
    let (kind, sha256, bytes) =
        measure(path, &mut |n_done| on_progress(Progress { source, doing: Doing::Hashing, n_done, n_total: None }))?;
    if !sha256.eq_ignore_ascii_case(&file.sha256) {
        let what = match kind {
            EntryKind::File => "file",
            EntryKind::Directory => "directory",
        };
        bail!(
            Invalid::new(format!(
                "the {what} `{}` of [sources.{source}] has changed: its sha256 is {sha256}, `pipeline.toml` pins {}",
                path.display(),
                file.sha256
            ))
            .hint("put the pinned snapshot back, or pin the new one under a new `revision`")
        );
    }
    Ok(ManifestEntry { url: file.url.clone(), kind, sha256, bytes })
}

/// The last part of the url's path.
fn download_name(source: &str, url: &str) -> Result<String> {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let (_, after_scheme) = path.split_once("://").unwrap_or_default();
    let name = after_scheme.split_once('/').and_then(|(_, path)| path.rsplit('/').next()).unwrap_or_default();
    let name = file_name(name);
    if name.is_empty() || name.starts_with('.') || name == "manifest.json" {
        bail!(ConfigError::new(format!("[sources.{source}] url `{url}` does not end in the name of a file")));
    }
    Ok(name)
}

fn file_name(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_is_named_by_its_url() {
        let cases = [
            ("https://host/a/resolve/main/test6.jsonl?download=true", Some("test6.jsonl")),
            ("https://host/a%20b.tar.gz#x", Some("a-20b.tar.gz")),
            ("https://host", None),
            ("https://host/", None),
            ("https://host/a/..", None),
            ("https://host/manifest.json", None),
        ];
        for (url, expected) in cases {
            assert_eq!(download_name("s", url).ok().as_deref(), expected, "{url}");
        }
    }
}
