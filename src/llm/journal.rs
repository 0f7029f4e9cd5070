//! The replies of one stage on disk, by request key: `<dir>/<stage>.jsonl`.
//!
//! Work journals and shipped recordings are the same format. Refusals and cut replies are replies
//! and stand here as such; failures of the way there stand in `<stage>.failures.jsonl`, so that
//! nothing can serve them as an answer.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard},
};

use anyhow::Result;
use serde::Serialize;

use super::{Reply, Request};
use crate::keyed_log::KeyedLog;

#[derive(Debug)]
pub struct Journal {
    replies: KeyedLog,
    dir: PathBuf,
    stage: String,
    /// Opened with the first failure: most journals have none.
    failures: Mutex<Option<KeyedLog>>,
}

/// A call that brought no reply.
#[derive(Serialize)]
struct Failure<'a> {
    row_id: &'a str,
    model: &'a str,
    message: &'a str,
}

/// The file of a stage's replies.
#[must_use]
pub fn path(dir: &Path, stage: &str) -> PathBuf {
    dir.join(format!("{stage}.jsonl"))
}

/// Stages that a directory of journals holds replies of, sorted; none where there is no directory.
///
/// # Errors
/// When the directory cannot be read.
pub fn stages(dir: &Path) -> Result<Vec<String>> {
    let mut stages = Vec::new();
    if !dir.is_dir() {
        return Ok(stages);
    }
    for entry in fs_err::read_dir(dir)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        stages.extend(name.strip_suffix(".jsonl").filter(|stage| !stage.contains('.')).map(str::to_owned));
    }
    stages.sort_unstable();
    Ok(stages)
}

impl Journal {
    /// Opens or creates the journal and locks it.
    ///
    /// # Errors
    /// When the file cannot be opened, is in use, or is not a journal.
    pub fn open(dir: &Path, stage: &str) -> Result<Self> {
        Ok(Self::of(KeyedLog::open(&path(dir, stage))?, dir, stage))
    }

    /// Opens a journal that is only looked at; `None` where there is none.
    ///
    /// # Errors
    /// When the file cannot be read or is not a journal.
    pub fn open_read_only(dir: &Path, stage: &str) -> Result<Option<Self>> {
        let path = path(dir, stage);
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some(Self::of(KeyedLog::open_read_only(&path)?, dir, stage)))
    }

    fn of(replies: KeyedLog, dir: &Path, stage: &str) -> Self {
        Self { replies, dir: dir.to_path_buf(), stage: stage.to_owned(), failures: Mutex::new(None) }
    }

    /// The reply recorded under `key`, which is `request`'s, if it still answers the request.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn reply(&self, key: &str, request: &Request) -> Result<Option<Reply>> {
        Ok(self.recorded(key)?.filter(|reply| reply.serves(request.sampling.max_tokens)))
    }

    /// The reply recorded under `key`, whatever is asked now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn recorded(&self, key: &str) -> Result<Option<Reply>> {
        self.replies.get(key)
    }

    /// Every key recorded, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.replies.keys()
    }

    /// Records a reply; it takes the place of an earlier one. It outlives this process when this
    /// returns, and the machine after the next [`Journal::sync`].
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&self, key: &str, reply: &Reply) -> Result<()> {
        self.replies.write(key, reply)
    }

    /// Waits until all that was recorded is on disk; returns at once where nothing is new.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn sync(&self) -> Result<()> {
        self.replies.sync()
    }

    /// Every reply ever recorded, replaced ones too, in the order of the file.
    ///
    /// # Errors
    /// When the file cannot be read or `each` fails.
    pub fn for_each(&self, each: impl FnMut(String, Reply) -> Result<()>) -> Result<()> {
        self.replies.for_each(each)
    }

    /// Where the journal lies.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn stage(&self) -> &str {
        &self.stage
    }

    /// Records that a call brought no reply.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append_failure(&self, key: &str, request: &Request, message: &str) -> Result<()> {
        self.note(key, &Failure { row_id: &request.row_id, model: &request.model, message })
    }

    /// Records what was odd about a request whose row is not at hand.
    pub(super) fn append_note(&self, key: &str, model: &str, message: &str) -> Result<()> {
        self.note(key, &Failure { row_id: "", model, message })
    }

    fn note(&self, key: &str, failure: &Failure) -> Result<()> {
        let mut failures = self.lock_failures();
        let log = match failures.take() {
            Some(log) => log,
            None => KeyedLog::open(&self.dir.join(format!("{}.failures.jsonl", self.stage)))?,
        };
        failures.insert(log).write(key, failure)
    }

    fn lock_failures(&self) -> MutexGuard<'_, Option<KeyedLog>> {
        self.failures.lock().expect("no thread panics while it holds the failures")
    }
}
