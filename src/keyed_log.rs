//! An append-only file of keyed JSON records: what makes work resumable.
//!
//! A record is on disk (written, then `fdatasync`) before [`KeyedLog::append`] returns; one written
//! with [`KeyedLog::write`] is after the next [`KeyedLog::sync`], which many threads can share. A
//! process that dies in mid-write leaves a torn last line, which the next opening cuts off; whole
//! lines before it are never touched. The log is held under a file lock, so two processes cannot
//! interleave. The journal of model replies and the journal of runs are both of this kind.
//!
//! A large log has its index beside it (`<name>.index`), so that opening it does not read it. The
//! index is a cache: one that does not fit the log is not used, and only the owner of the log writes
//! one.

mod index;

use std::{
    io::{BufRead, BufReader, Seek, SeekFrom, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context, Result, bail};
use fs_err::{File, OpenOptions};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use index::{Index, Span};

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

/// A log that grew by this much since its index was written gets a new one.
const WORTH_AN_INDEX: u64 = 16 << 20;

#[derive(Debug)]
struct Inner {
    file: File,
    end: u64,
    /// How far the index on disk reaches.
    indexed: u64,
    index: Index,
}

/// An open log. Values are read from disk when asked for; only keys are kept in memory.
#[derive(Debug)]
pub struct KeyedLog {
    path: PathBuf,
    inner: Mutex<Inner>,
    /// The same file, so that nobody who writes waits for the disk.
    synced: File,
    is_dirty: AtomicBool,
    /// Held while somebody waits for the disk, so that nobody takes a wait begun before for his own.
    syncing: Mutex<()>,
    is_owner: bool,
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

    fn index(path: &Path, file: File, is_owner: bool) -> Result<Self> {
        let (mut index, indexed) = Index::load(path, &file)?;
        let mut reader = BufReader::with_capacity(1 << 20, file);
        reader.seek(SeekFrom::Start(indexed))?;
        let mut end = indexed;
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)?;
            if length == 0 || line.last() != Some(&b'\n') {
                break;
            }
            let KeyOnly { key } = serde_json::from_slice(&line).map_err(|error| {
                let after = if indexed == 0 { String::new() } else { format!(" after byte {indexed}") };
                Invalid::new(format!("`{}` line {number}{after} is not a journal record: {error}", path.display()))
                    .hint("put the file back as it was, or remove that line: its reply is asked for again")
            })?;
            index.insert(&key, Span { offset: end, length });
            end += length as u64;
        }
        let file = reader.into_inner();
        if is_owner && file.metadata()?.len() > end {
            file.set_len(end)?;
        }
        let synced = file.try_clone()?;
        let inner = Mutex::new(Inner { file, end, indexed, index });
        let log = Self {
            path: path.to_path_buf(),
            inner,
            synced,
            is_dirty: AtomicBool::new(false),
            syncing: Mutex::default(),
            is_owner,
        };
        log.save_index();
        Ok(log)
    }

    /// Writes the index if it saves the next opening something. A failure costs time, nothing else.
    fn save_index(&self) {
        let mut inner = self.lock();
        if self.is_owner && inner.end - inner.indexed >= WORTH_AN_INDEX {
            inner.indexed = inner.end;
            let _ = inner.index.save(&self.path, &inner.file, inner.end);
        }
    }

    /// The record of `key`, if there is one; the last one, if it was written more than once.
    ///
    /// # Errors
    /// When the file cannot be read or the record is not a `V`.
    pub fn get<V: DeserializeOwned>(&self, key: &str) -> Result<Option<V>> {
        let Some(span) = self.lock().index.get(key) else {
            return Ok(None);
        };
        let mut bytes = vec![0; span.length];
        self.synced.file().read_exact_at(&mut bytes, span.offset)?;
        let line: Line<V> = serde_json::from_slice(&bytes)
            .with_context(|| format!("`{}`: record `{key}` has another form", self.path.display()))?;
        Ok(Some(line.value))
    }

    /// Whether the log holds `key`.
    #[must_use]
    pub fn contains(&self, key: &str) -> bool {
        self.lock().index.get(key).is_some()
    }

    /// All keys, sorted.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let mut keys = self.lock().index.keys();
        keys.sort_unstable();
        keys
    }

    /// Keys there are.
    #[must_use]
    pub fn n_keys(&self) -> usize {
        self.lock().index.len()
    }

    /// Every record ever written, replaced ones too, in the order of the file.
    ///
    /// # Errors
    /// When the file cannot be read, a record is not a `V`, or `each` fails.
    pub fn for_each<V: DeserializeOwned>(&self, mut each: impl FnMut(String, V) -> Result<()>) -> Result<()> {
        let end = self.lock().end;
        let mut reader = BufReader::with_capacity(1 << 20, File::open(&self.path)?);
        let (mut at, mut line) = (0, Vec::new());
        while at < end {
            line.clear();
            at += reader.read_until(b'\n', &mut line)? as u64;
            let Line { key, value } = serde_json::from_slice(&line)
                .with_context(|| format!("`{}`: a record before byte {at} has another form", self.path.display()))?;
            each(key, value)?;
        }
        Ok(())
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
        self.write_all(records)?;
        self.sync()
    }

    /// Writes a record: it outlives this process when this returns, and the machine after the next
    /// [`KeyedLog::sync`].
    ///
    /// # Errors
    /// When the file cannot be written. What a failed write left behind is cut off again.
    pub fn write<V: Serialize>(&self, key: &str, value: &V) -> Result<()> {
        self.write_all([(key.to_owned(), value)])
    }

    fn write_all<V: Serialize>(&self, records: impl IntoIterator<Item = (String, V)>) -> Result<()> {
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
        if let Err(error) = inner.file.write_all(&bytes) {
            let _ = inner.file.set_len(end);
            return Err(error.into());
        }
        for (key, start, length) in spans {
            inner.index.insert(&key, Span { offset: end + start as u64, length });
        }
        inner.end = end + bytes.len() as u64;
        self.is_dirty.store(true, Ordering::Release);
        Ok(())
    }

    /// Waits until all that was written before is on disk.
    ///
    /// # Errors
    /// When the disk refuses; then nothing written since the last wait is sure to be there.
    pub fn sync(&self) -> Result<()> {
        let _turn = self.syncing.lock().expect("no thread panics while it waits for the disk");
        if self.is_dirty.swap(false, Ordering::AcqRel) {
            self.synced.sync_data().inspect_err(|_| self.is_dirty.store(true, Ordering::Release))?;
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().expect("no thread panics while it holds the log")
    }
}

impl Drop for KeyedLog {
    fn drop(&mut self) {
        let _ = self.sync();
        self.save_index();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_on_disk_is_used_and_one_of_another_log_is_not() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("log.jsonl");
        let index = dir.path().join("log.jsonl.index");
        let text = "x".repeat(1 << 20);
        let key = |n: usize| crate::ids::sha256_hex(&n.to_le_bytes());
        let log = KeyedLog::open(&path).expect("a new log");
        for n in 0..20 {
            log.write(&key(n), &format!("{n}{text}")).expect("a write");
        }
        assert!(!index.exists());
        drop(log);
        assert!(index.exists(), "20 MiB are worth an index");
        let log = KeyedLog::open(&path).expect("the log");
        let reach = |log: &KeyedLog| {
            let indexed = log.lock().indexed;
            (indexed, log.n_keys())
        };
        let end = fs_err::metadata(&path).expect("the log").len();
        assert_eq!(reach(&log), (end, 20), "nothing was read again");
        log.write("short", &7).expect("a write behind what is indexed");
        assert_eq!(log.n_keys(), 21);
        drop(log);
        let log = KeyedLog::open_read_only(&path).expect("the log");
        assert_eq!(log.get::<i32>("short").expect("readable"), Some(7));
        assert!(log.get::<String>(&key(19)).expect("readable").is_some_and(|text| text.starts_with("19x")));
        drop(log);
        let mut bytes = fs_err::read(&path).expect("the log");
        let end = bytes.len() - 200;
        bytes[end] = b'y';
        fs_err::write(&path, &bytes).expect("changed by hand");
        let log = KeyedLog::open_read_only(&path).expect("the log");
        assert_eq!(reach(&log), (0, 21), "the index is of another log");
    }

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
