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
    failures_path: PathBuf,
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
        let failures_path = dir.join(format!("{stage}.failures.jsonl"));
        Self { replies, failures_path, failures: Mutex::new(None) }
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

    /// Records a reply; on disk when this returns. It takes the place of an earlier one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&self, key: &str, reply: &Reply) -> Result<()> {
        self.replies.append(key, reply)
    }

    /// Records that a call brought no reply.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append_failure(&self, key: &str, request: &Request, message: &str) -> Result<()> {
        let failure = Failure { row_id: &request.row_id, model: &request.model, message };
        let mut failures = self.lock_failures();
        let log = match failures.take() {
            Some(log) => log,
            None => KeyedLog::open(&self.failures_path)?,
        };
        failures.insert(log).append(key, &failure)
    }

    fn lock_failures(&self) -> MutexGuard<'_, Option<KeyedLog>> {
        self.failures.lock().expect("no thread panics while it holds the failures")
    }
}
