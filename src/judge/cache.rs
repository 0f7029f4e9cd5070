//! Compiled programs by content: source, flags and toolchain make the key, so that a changed
//! compiler compiles anew. One file an entry; a damaged one is compiled again.

use std::{io, io::Write, path::PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    ids,
    languages::{CompilePlan, Entry, Toolchain},
    sandbox::Files,
};

/// Goes into every key; raise it when an entry's format or meaning changes.
const FORMAT: &str = "1";

pub(super) struct Cache {
    directory: PathBuf,
}

pub(super) enum Cached {
    Program { entry: Entry, files: Files },
    Error { detail: String },
}

/// First line of an entry; the packed files follow.
#[derive(Serialize, Deserialize)]
enum Header {
    Program { entry: Entry, sha256: String },
    Error { detail: String },
}

/// What a compilation depends on.
pub(super) fn key(toolchain: &Toolchain, plan: &CompilePlan) -> String {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(FORMAT.as_bytes());
    add(toolchain.language.name().as_bytes());
    add(toolchain.version.as_bytes());
    for text in plan.argv.iter().chain(&plan.env) {
        add(text.as_bytes());
    }
    for (name, bytes) in &plan.files {
        add(name.as_bytes());
        add(bytes);
    }
    ids::hex(&hash.finalize())
}

impl Cache {
    pub(super) fn open(directory: PathBuf) -> io::Result<Self> {
        fs_err::create_dir_all(&directory)?;
        Ok(Self { directory })
    }

    pub(super) fn get(&self, key: &str) -> Option<Cached> {
        let bytes = fs_err::read(self.path(key)).ok()?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let packed = &bytes[end + 1..];
        match serde_json::from_slice(&bytes[..end]).ok()? {
            Header::Program { entry, sha256 } if ids::sha256_hex(packed) == sha256 => {
                Some(Cached::Program { entry, files: Files::from_packed(packed).ok()? })
            }
            Header::Program { .. } => None,
            Header::Error { detail } => Some(Cached::Error { detail }),
        }
    }

    pub(super) fn put(&self, key: &str, cached: &Cached, packed: &[u8]) -> io::Result<()> {
        let header = match cached {
            Cached::Program { entry, .. } => Header::Program { entry: entry.clone(), sha256: ids::sha256_hex(packed) },
            Cached::Error { detail } => Header::Error { detail: detail.clone() },
        };
        let path = self.path(key);
        let directory = path.parent().expect("entries lie in a directory");
        fs_err::create_dir_all(directory)?;
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        serde_json::to_writer(&mut file, &header)?;
        file.write_all(b"\n")?;
        file.write_all(packed)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.directory.join(&key[..2]).join(key)
    }
}
