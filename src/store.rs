//! Where things lie, and how they are written: sorted, atomic, locked.
//!
//! Everything that can be made again is below one work directory, a directory a release and in it
//! one a stage. A file appears under its name only when it is whole (temporary file, fsync, rename).
//! Nothing here knows what a row means.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use fs_err::File;

use crate::{
    exit_code::{Invalid, Unavailable},
    ids,
    pipeline::Stage,
    receipt::Receipt,
    tables::{Row, Table},
};

pub const REJECTED: &str = "rejected.jsonl";
pub const RECEIPT: &str = "receipt.json";

/// The work directory of one release, the releases' directory, and the project they belong to.
#[derive(Clone, Debug)]
pub struct Store {
    /// Where `pipeline.toml`, `prompts/` and `validators/` lie.
    pub root: PathBuf,
    pub work: PathBuf,
    pub dist: PathBuf,
    pub release: String,
}

/// Held while a release is being worked on; gone with the process.
#[derive(Debug)]
pub struct WorkLock(#[expect(dead_code, reason = "the open file is the lock")] File);

impl Store {
    /// Takes the release's lock.
    ///
    /// # Errors
    /// When another process works on the same release.
    pub fn lock(&self) -> Result<WorkLock> {
        let dir = self.work.join(&self.release);
        fs_err::create_dir_all(&dir)?;
        let path = dir.join(".lock");
        let file = File::create(&path)?;
        file.file().try_lock().map_err(|_| {
            Unavailable::new(format!("another corebuild is working on `{}`", self.release))
                .hint(format!("wait for it to end; it holds `{}`", path.display()))
        })?;
        Ok(WorkLock(file))
    }

    #[must_use]
    pub fn stage_dir(&self, stage: Stage) -> PathBuf {
        self.work.join(&self.release).join(stage.name())
    }

    #[must_use]
    pub fn table_path(&self, table: Table) -> PathBuf {
        self.stage_dir(Stage::writer_of(table)).join(format!("{}.jsonl", table.name()))
    }

    /// The journal of model replies of a stage; shared by all releases, so that none is paid twice.
    #[must_use]
    pub fn llm_journal_dir(&self) -> PathBuf {
        self.work.join("journal").join("llm")
    }

    /// The journal of runs.
    #[must_use]
    pub fn run_journal(&self) -> PathBuf {
        self.work.join("journal").join("runs.jsonl")
    }

    /// Compiled programs, by content.
    #[must_use]
    pub fn compile_cache(&self) -> PathBuf {
        self.work.join("cache").join("compiled")
    }

    /// The release's own directory.
    #[must_use]
    pub fn release_dir(&self) -> PathBuf {
        self.dist.join(&self.release)
    }

    /// All rows of a table.
    ///
    /// # Errors
    /// When the table is not there or a line is not a row; the message names the line.
    pub fn load<R: Row>(&self) -> Result<Vec<R>> {
        read_rows(&self.table_path(R::TABLE))
    }

    /// A stage's receipt, if the stage is complete.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn receipt(&self, stage: Stage) -> Result<Option<Receipt>> {
        let path = self.stage_dir(stage).join(RECEIPT);
        match fs_err::read(&path) {
            // A receipt that is no receipt is none: the stage runs again.
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Rows of any JSON Lines file.
///
/// # Errors
/// As [`Store::load`].
pub fn read_rows<R: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<R>> {
    let mut rows = Vec::new();
    for (number, line) in BufReader::new(File::open(path)?).split(b'\n').enumerate() {
        let row = serde_json::from_slice(&line?).map_err(|error| {
            Invalid::new(format!("`{}` line {} is not a row of this table: {error}", path.display(), number + 1))
        })?;
        rows.push(row);
    }
    Ok(rows)
}

/// Writes a file so that it is either whole or not there.
///
/// # Errors
/// When the directory cannot be written.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let dir = path.parent().context("a file has a directory")?;
    let dir = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
    fs_err::create_dir_all(dir)?;
    let mut file = tempfile::NamedTempFile::new_in(dir).with_context(|| format!("write in `{}`", dir.display()))?;
    file.write_all(bytes).with_context(|| format!("write `{}`", path.display()))?;
    file.as_file().sync_all()?;
    let file = file.persist(path).with_context(|| format!("write `{}`", path.display()))?;
    set_readable(&file)?;
    sync_dir(dir)
}

/// Temporary files are private to their owner; what is kept is as readable as any file.
fn set_readable(file: &std::fs::File) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(file.set_permissions(std::fs::Permissions::from_mode(0o644))?)
}

/// Makes a rename in `dir` last.
///
/// # Errors
/// When the directory cannot be synced.
pub fn sync_dir(dir: &Path) -> Result<()> {
    Ok(File::open(dir)?.sync_all()?)
}

/// sha256 of a file's bytes, `None` when it is not there.
///
/// # Errors
/// When the file is there and cannot be read.
pub fn file_sha256(path: &Path) -> Result<Option<String>> {
    match fs_err::read(path) {
        Ok(bytes) => Ok(Some(ids::sha256_hex(&bytes))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}
