//! An append-only file of keyed JSON records: what makes work resumable.
//!
//! A record is on disk (written, then `fdatasync`) before [`KeyedLog::append`] returns. A process
//! that dies in mid-write leaves a torn last line, which the next opening cuts off; whole lines
//! before it are never touched. The log is held under a file lock, so two processes cannot
//! interleave. The journal of model replies and the journal of runs are both of this kind.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

use anyhow::{Context, Result, bail};
use fs_err::{File, OpenOptions};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::exit_code::Invalid;

/// A line of the log.
#[derive(Serialize, Deserialize)]
struct Line<V> {
    key: String,
    value: V,
}

/// Only the key of a line, for the index.
#[derive(Deserialize)]
struct KeyOnly {
    key: String,
}

/// Where a record lies in the file.
#[derive(Clone, Copy, Debug)]
struct Span {
    offset: u64,
    length: usize,
}

#[derive(Debug)]
struct Inner {
    file: File,
    end: u64,
    index: HashMap<String, Span>,
}

/// An open log. Values are read from disk when asked for; only keys are kept in memory.
#[derive(Debug)]
pub struct KeyedLog {
    path: PathBuf,
    inner: Mutex<Inner>,
}

impl KeyedLog {
    /// Opens or creates a log for reading and appending, and locks it.
    ///
    /// # Errors
    /// When another process holds the log, the file cannot be read, or a line before the last is
    /// not a record.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(parent) = path.parent() {
            fs_err::create_dir_all(parent)?;
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        if file.file().try_lock().is_err() {
            bail!(crate::exit_code::Unavailable::new(format!("`{}` is in use by another corebuild", path.display())));
        }
        Self::index(path, file, true)
    }

    /// Opens a log that is only read, such as shipped recordings.
    ///
    /// # Errors
    /// As [`KeyedLog::open`].
    pub fn open_read_only(path: &Path) -> Result<Self> {
        Self::index(path, File::open(path)?, false)
    }

    fn index(path: &Path, file: File, repair: bool) -> Result<Self> {
        let mut reader = BufReader::new(file);
        let mut index = HashMap::new();
        let mut end = 0;
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)?;
            if length == 0 || line.last() != Some(&b'\n') {
                break;
            }
            let KeyOnly { key } = serde_json::from_slice(&line).map_err(|error| {
                Invalid::new(format!("`{}` line {number} is not a journal record: {error}", path.display()))
                    .hint("put the file back as it was, or remove that line: its reply is asked for again")
            })?;
            index.insert(key, Span { offset: end, length });
            end += length as u64;
        }
        let file = reader.into_inner();
        if repair && file.metadata()?.len() > end {
            file.set_len(end)?;
        }
        Ok(Self { path: path.to_path_buf(), inner: Mutex::new(Inner { file, end, index }) })
    }

    /// The record of `key`, if there is one; the last one, if it was written more than once.
    ///
    /// # Errors
    /// When the file cannot be read or the record is not a `V`.
    pub fn get<V: DeserializeOwned>(&self, key: &str) -> Result<Option<V>> {
        let mut inner = self.lock();
        let Some(span) = inner.index.get(key).copied() else {
            return Ok(None);
        };
        let mut bytes = vec![0; span.length];
        inner.file.seek(SeekFrom::Start(span.offset))?;
        inner.file.read_exact(&mut bytes)?;
        drop(inner);
        let line: Line<V> = serde_json::from_slice(&bytes)
            .with_context(|| format!("`{}`: record `{key}` has another form", self.path.display()))?;
        Ok(Some(line.value))
    }

    /// Whether the log holds `key`.
    #[must_use]
    pub fn contains(&self, key: &str) -> bool {
        self.lock().index.contains_key(key)
    }

    /// All keys, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = self.lock().index.keys().cloned().collect();
        keys.sort_unstable();
        keys
    }

    /// Writes a record and waits until it is on disk.
    ///
    /// # Errors
    /// When the file cannot be written. What a failed write left behind is cut off again.
    pub fn append<V: Serialize>(&self, key: &str, value: &V) -> Result<()> {
        self.append_all([(key.to_owned(), value)])
    }

    /// Writes several records with one wait for the disk.
    ///
    /// # Errors
    /// As [`KeyedLog::append`]; then none of the records counts.
    pub fn append_all<V: Serialize>(&self, records: impl IntoIterator<Item = (String, V)>) -> Result<()> {
        let mut bytes = Vec::new();
        let mut spans = Vec::new();
        for (key, value) in records {
            let start = bytes.len();
            serde_json::to_writer(&mut bytes, &Line { key: key.clone(), value })?;
            bytes.push(b'\n');
            spans.push((key, start, bytes.len() - start));
        }
        let mut inner = self.lock();
        let end = inner.end;
        if let Err(error) = inner.file.write_all(&bytes).and_then(|()| inner.file.sync_data()) {
            let _ = inner.file.set_len(end);
            return Err(error.into());
        }
        for (key, start, length) in spans {
            inner.index.insert(key, Span { offset: end + start as u64, length });
        }
        inner.end = end + bytes.len() as u64;
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().expect("no thread panics while it holds the log")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_last_line_is_cut_off_and_the_rest_kept() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("log.jsonl");
        let log = KeyedLog::open(&path).expect("a new log");
        log.append("a", &1).expect("an append");
        log.append("b", &2).expect("an append");
        drop(log);
        let mut file = OpenOptions::new().append(true).open(&path).expect("the log");
        file.write_all(b"{\"key\":\"c\",\"val").expect("a torn write");
        drop(file);
        let log = KeyedLog::open(&path).expect("the torn log");
        assert_eq!(log.keys(), ["a", "b"]);
        log.append("c", &3).expect("an append after the repair");
        drop(log);
        let log = KeyedLog::open(&path).expect("the repaired log");
        assert_eq!(log.get::<i32>("c").expect("readable"), Some(3));
        assert_eq!(log.get::<i32>("d").expect("readable"), None);
    }

    #[test]
    fn second_writer_is_refused() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("log.jsonl");
        let _log = KeyedLog::open(&path).expect("a new log");
        assert!(KeyedLog::open(&path).is_err());
    }
}
