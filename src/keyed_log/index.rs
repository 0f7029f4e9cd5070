//! Where each record of a log lies: in memory, and in a file beside a large log.
//!
//! The file holds, little-endian: a mark, how far into the log it reaches, a check of the bytes just
//! before that place, then the entries. Keys that are sha256 in hex take 32 bytes.

use std::{
    collections::HashMap,
    io::{BufWriter, Read, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

use anyhow::Result;
use fs_err::File;
use sha2::{Digest, Sha256};

const MARK: &[u8; 8] = b"cbindex1";

/// Bytes of the log that the check covers.
const CHECKED: u64 = 64 << 10;

/// Where a record lies in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) offset: u64,
    pub(super) length: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Hash([u8; 32]),
    Text(Box<str>),
}

#[derive(Debug, Default)]
pub(super) struct Index(HashMap<Key, Span>);

impl Key {
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let mut hash = [0; 32];
        let is_hash = bytes.len() == 64
            && hash.iter_mut().zip(bytes.chunks_exact(2)).all(|(byte, pair)| {
                digit(pair[0]).zip(digit(pair[1])).map(|(high, low)| *byte = high << 4 | low).is_some()
            });
        if is_hash { Self::Hash(hash) } else { Self::Text(text.into()) }
    }

    fn text(&self) -> String {
        match self {
            Self::Hash(hash) => crate::ids::hex(hash),
            Self::Text(text) => text.to_string(),
        }
    }
}

impl Index {
    pub(super) fn get(&self, key: &str) -> Option<Span> {
        self.0.get(&Key::of(key)).copied()
    }

    pub(super) fn insert(&mut self, key: &str, span: Span) {
        self.0.insert(Key::of(key), span);
    }

    pub(super) fn keys(&self) -> Vec<String> {
        self.0.keys().map(Key::text).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The index on disk and how far it reaches; an empty one where there is none that fits.
    pub(super) fn load(log: &Path, file: &File) -> Result<(Self, u64)> {
        let bytes = match fs_err::read(path(log)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((Self::default(), 0)),
            Err(error) => return Err(error.into()),
        };
        let size = file.metadata()?.len();
        let fits = |end: u64, check: &[u8]| end <= size && checksum(file, end).is_ok_and(|found| found == *check);
        Ok(parse(&bytes, fits).unwrap_or_default())
    }

    pub(super) fn save(&self, log: &Path, file: &File, end: u64) -> Result<()> {
        let path = path(log);
        let part = PathBuf::from(format!("{}.part", path.display()));
        let mut out = BufWriter::new(File::create(&part)?);
        out.write_all(MARK)?;
        out.write_all(&end.to_le_bytes())?;
        out.write_all(&checksum(file, end)?)?;
        for (key, span) in &self.0 {
            let text = match key {
                Key::Hash(_) => "",
                Key::Text(text) => text,
            };
            out.write_all(&u32::try_from(text.len())?.to_le_bytes())?;
            match key {
                Key::Hash(hash) => out.write_all(hash)?,
                Key::Text(text) => out.write_all(text.as_bytes())?,
            }
            out.write_all(&span.offset.to_le_bytes())?;
            out.write_all(&u32::try_from(span.length)?.to_le_bytes())?;
        }
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        fs_err::rename(part, path)?;
        Ok(())
    }
}

fn path(log: &Path) -> PathBuf {
    PathBuf::from(format!("{}.index", log.display()))
}

/// Of the last bytes before `end`.
fn checksum(file: &File, end: u64) -> Result<[u8; 32]> {
    let length = end.min(CHECKED);
    let mut bytes = vec![0; usize::try_from(length)?];
    file.file().read_exact_at(&mut bytes, end - length)?;
    Ok(Sha256::digest(&bytes).into())
}

fn parse(mut bytes: &[u8], fits: impl Fn(u64, &[u8]) -> bool) -> Option<(Index, u64)> {
    if take::<8>(&mut bytes)? != *MARK {
        return None;
    }
    let end = u64::from_le_bytes(take(&mut bytes)?);
    if !fits(end, &take::<32>(&mut bytes)?) {
        return None;
    }
    let mut index = HashMap::with_capacity(bytes.len() / 48);
    while !bytes.is_empty() {
        let key = match u32::from_le_bytes(take(&mut bytes)?) as usize {
            0 => Key::Hash(take(&mut bytes)?),
            length => Key::Text(std::str::from_utf8(bytes.split_off(..length)?).ok()?.into()),
        };
        let offset = u64::from_le_bytes(take(&mut bytes)?);
        let length = u32::from_le_bytes(take(&mut bytes)?) as usize;
        index.insert(key, Span { offset, length });
    }
    Some((Index(index), end))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let mut taken = [0; N];
    bytes.read_exact(&mut taken).ok()?;
    Some(taken)
}
