//! `corebuild journal export|import`: replies packed, shipped, and replayed by somebody without a key.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};

use crate::{
    exit_code::{ExitCode, Invalid, Unavailable},
    llm::{Journal, Reply, journal},
    stages::Context,
    store,
};

/// Writes every stage's replies, sorted by key: `<stage>.jsonl` each, in a `tar.gz` or a directory.
pub(super) fn export(ctx: &Context, to: &Path) -> Result<ExitCode> {
    let dir = ctx.store.llm_journal_dir();
    let mut files = Vec::new();
    let mut n_replies = 0;
    for stage in journal::stages(&dir)? {
        let Some(journal) = Journal::open_read_only(&dir, &stage)? else { continue };
        let mut lines = Vec::new();
        for key in journal.keys() {
            let Some(reply) = journal.recorded(&key)? else { continue };
            serde_json::to_writer(&mut lines, &serde_json::json!({"key": key, "value": reply}))?;
            lines.push(b'\n');
            n_replies += 1;
        }
        files.push((format!("{stage}.jsonl"), lines));
    }
    if files.is_empty() {
        bail!(Unavailable::new(format!("there is no journal at `{}`", dir.display())).hint("corebuild cut"));
    }
    if is_archive(to) {
        store::write_atomic(to, &pack(&files)?)?;
    } else {
        fs_err::create_dir_all(to)?;
        for (name, lines) in &files {
            store::write_atomic(&to.join(name), lines)?;
        }
    }
    ctx.console.note(&format!("{n_replies} replies of {} stages in `{}`", files.len(), to.display()));
    Ok(ExitCode::Done)
}

/// Adds the replies of an export that the journal does not hold.
pub(super) fn import(ctx: &Context, from: &Path) -> Result<ExitCode> {
    let unpacked = tempfile::tempdir()?;
    let source = if is_archive(from) { unpack(from, unpacked.path())? } else { from.to_path_buf() };
    let (mut n_new, mut n_known) = (0, 0);
    for stage in journal::stages(&source)? {
        let Some(shipped) = Journal::open_read_only(&source, &stage)? else { continue };
        let own = Journal::open(&ctx.store.llm_journal_dir(), &stage)?;
        shipped.for_each(|key, reply| {
            check(&key, &stage, &reply)?;
            let has = own.recorded(&key)?.is_some_and(|had| had.serves(reply.request.sampling.max_tokens));
            if has {
                n_known += 1;
                return Ok(());
            }
            n_new += 1;
            own.append(&key, &reply)
        })?;
        own.sync()?;
    }
    if n_new + n_known == 0 {
        bail!(Invalid::new(format!("`{}` holds no replies", from.display())));
    }
    ctx.console.note(&format!("{n_new} replies are new, {n_known} were there"));
    Ok(ExitCode::Done)
}

/// A reply under a key that is not its own would answer something that was never asked.
fn check(key: &str, stage: &str, reply: &Reply) -> Result<()> {
    if reply.request.key() == key {
        return Ok(());
    }
    bail!(Invalid::new(format!(
        "`{stage}.jsonl`: the reply for row `{}` is not what its key says",
        reply.request.row_id
    )))
}

fn is_archive(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".tar.gz")
}

/// The same replies give the same bytes: no times, no owners.
fn pack(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (name, lines) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(lines.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append_data(&mut header, name, lines.as_slice())?;
    }
    Ok(archive.into_inner()?.finish()?)
}

/// Only plain files at the top are taken.
fn unpack(from: &Path, to: &Path) -> Result<PathBuf> {
    let file = fs_err::File::open(from)?;
    let mut archive = tar::Archive::new(GzDecoder::new(std::io::BufReader::new(file)));
    let broken = || format!("`{}` is no export of a journal", from.display());
    for entry in archive.entries().with_context(broken)? {
        let mut entry = entry.with_context(broken)?;
        let path = entry.path()?.into_owned();
        let is_plain = path.components().count() == 1 && entry.header().entry_type().is_file();
        if !is_plain || path.extension().is_none_or(|extension| extension != "jsonl") {
            bail!(Invalid::new(format!("{}: it holds `{}`", broken(), path.display())));
        }
        let mut out = fs_err::File::create(to.join(path.file_name().expect("a plain name")))?;
        std::io::copy(&mut entry, &mut out).with_context(broken)?;
    }
    Ok(to.to_path_buf())
}
