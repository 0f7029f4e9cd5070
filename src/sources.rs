//! Door 1: pinned sources → problems, their tests and their references.
//!
//! The only place that downloads and that opens archives. It owns what a source's files mean, and
//! the ledger of a pull: every record that was read is a row or a rejected row. It never judges a
//! program, never edits a test, and hands nothing on from a file whose sha256 is not the pinned one.

mod codenet;
pub mod coreb;
mod fetch;
mod livecodebench;
mod snapshot;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, path::Path};

use anyhow::{Result, bail};

pub use snapshot::{EntryKind, Manifest, ManifestEntry, measure, tree_sha256};

use crate::{
    config::{SourceConfig, SourceKind, Window},
    exit_code::ConfigError,
    tables::{Problem, Reason, Reference, Rejected, Row, SourceTest, TestOrigin},
};

/// What sources gave, each table sorted by its key.
#[derive(Clone, Debug, Default)]
pub struct Pulled {
    pub problems: Vec<Problem>,
    pub source_tests: Vec<SourceTest>,
    pub references: Vec<Reference>,
    pub rejected: Vec<Rejected>,
    /// Records read: problems, and the submissions of every CodeNet problem that is dated in the
    /// window and not excluded. `problems + references + rejected` is the same number.
    pub n_in: u64,
    /// One a source, in the order given.
    pub manifests: Vec<Manifest>,
}

/// What a pull is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// In bytes.
    Downloading,
    /// In bytes.
    Hashing,
    /// In bytes of a file, or in members of a tree.
    Reading,
}

/// How far a pull is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    pub source: &'a str,
    pub doing: Doing,
    pub n_done: u64,
    pub n_total: Option<u64>,
}

/// Told often and from one thread; an error ends the pull, so an interrupt can be raised here.
pub type OnProgress<'a> = &'a dyn Fn(Progress<'_>) -> Result<()>;

/// Where sources lie.
#[derive(Clone, Copy, Debug)]
pub struct Places<'a> {
    /// The directory of `pipeline.toml`: `file://` is relative to it.
    pub root: &'a Path,
    /// Holds `<source>@<revision>/` with downloads and `manifest.json`.
    pub snapshots: &'a Path,
}

/// Fetches and reads sources, in the order given.
///
/// # Errors
/// When a source cannot be had ([`crate::exit_code::Unavailable`]), is not the pinned one
/// ([`crate::exit_code::Invalid`]), or a disk fails. A bad record is no error: it is rejected.
pub fn pull(
    sources: &[(&str, &SourceConfig)],
    window: &Window,
    seed: u64,
    places: Places<'_>,
    on_progress: OnProgress<'_>,
) -> Result<Pulled> {
    let mut pulled = Pulled::default();
    let mut places_by_id = BTreeMap::new();
    for &(source, config) in sources {
        let fetched = fetch::fetch(source, config, places, on_progress)?;
        let manifest = Manifest::new(source, config, &fetched);
        manifest.write(&fetch::snapshot_dir(source, config, places.snapshots))?;
        pulled.manifests.push(manifest);
        let mut collector = Collector {
            source,
            config,
            window,
            seed,
            on_progress,
            pulled: &mut pulled,
            places_by_id: &mut places_by_id,
        };
        match config.kind {
            SourceKind::Livecodebench => {
                for file in &fetched {
                    livecodebench::read(&file.path, &mut collector)?;
                }
            }
            SourceKind::Codenet => codenet::read(only_one(source, &fetched)?, &mut collector)?,
        }
    }
    pulled.sort();
    Ok(pulled)
}

fn only_one<'a>(source: &str, fetched: &'a [fetch::Fetched]) -> Result<&'a Path> {
    match fetched {
        [file] => Ok(&file.path),
        _ => bail!(ConfigError::new(format!(
            "[sources.{source}] of kind `codenet` has {} `files`: it is one directory or one archive",
            fetched.len()
        ))),
    }
}

impl Pulled {
    fn sort(&mut self) {
        self.problems.sort_by_cached_key(Row::key);
        self.source_tests.sort_by_cached_key(Row::key);
        self.references.sort_by_cached_key(Row::key);
        self.rejected.sort_by_cached_key(|row| (row.sort_key(), row.detail.clone()));
    }
}

/// What the readers of all kinds of sources fill.
struct Collector<'a> {
    source: &'a str,
    config: &'a SourceConfig,
    window: &'a Window,
    seed: u64,
    on_progress: OnProgress<'a>,
    pulled: &'a mut Pulled,
    /// Ids of problems and submissions over all sources, and where they stood first.
    places_by_id: &'a mut BTreeMap<String, String>,
}

impl Collector<'_> {
    fn progress(&self, doing: Doing, n_done: u64, n_total: Option<u64>) -> Result<()> {
        (self.on_progress)(Progress { source: self.source, doing, n_done, n_total })
    }

    fn reject(&mut self, key: String, reason: Reason, detail: String) {
        self.pulled.rejected.push(Rejected { key, reason, detail });
    }

    /// Where the id stood before, if it did; otherwise notes that it stands at `place`.
    fn first_seen(&mut self, id: &str, place: &str) -> Option<String> {
        if let Some(first) = self.places_by_id.get(id) {
            return Some(first.clone());
        }
        self.places_by_id.insert(id.to_owned(), format!("`{}` {place}", self.source));
        None
    }

    /// The tests of one problem, counted from 0.
    fn tests(&mut self, problem_id: &str, tests: impl Iterator<Item = (TestOrigin, String, String)>) {
        self.pulled.source_tests.extend((0..).zip(tests).map(|(test_idx, (origin, input, output))| SourceTest {
            problem_id: problem_id.to_owned(),
            test_idx,
            origin,
            input,
            output,
        }));
    }
}

/// Whether a text is a `YYYY-MM-DDTHH:MM:SS` that a calendar could hold.
fn is_date_time(text: &str) -> bool {
    let shape = text.len() == 19
        && text.bytes().zip(*b"0000-00-00T00:00:00").all(|(byte, mark)| match mark {
            b'0' => byte.is_ascii_digit(),
            _ => byte == mark,
        });
    let within = |at: usize, low: u8, high: u8| {
        text.get(at..at + 2).and_then(|part| part.parse().ok()).is_some_and(|number: u8| (low..=high).contains(&number))
    };
    shape && within(5, 1, 12) && within(8, 1, 31) && within(11, 0, 23) && within(14, 0, 59) && within(17, 0, 59)
}
