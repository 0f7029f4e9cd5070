//! Replies served from a journal that holds them all.

use std::sync::{Arc, atomic::AtomicBool};

use anyhow::{Context as _, Result};
use corebuild::{
    keyed_log::KeyedLog,
    llm::{Journal, Llm, Provider, Providers, Replay, Reply, Request, journal},
};

use crate::{Figures, N_WORKERS, median, per_second, root, seconds, timed};

const N_REPLIES: usize = 20_000;
const N_RUNS: usize = 5;
const STAGE: &str = "solve";

pub(super) fn run() -> Result<Vec<Figures>> {
    let recorded = recorded()?;
    let requests = many(&recorded);
    let dir = tempfile::tempdir_in(root().join("target"))?;
    let path = journal::path(dir.path(), STAGE);
    let lines: Vec<(String, Reply)> = requests
        .iter()
        .zip(recorded.iter().cycle())
        .map(|(request, reply)| (request.key(), Reply { request: request.clone(), ..reply.clone() }))
        .collect();
    let ((), written) = timed(|| KeyedLog::open(&path)?.append_all(lines))?;
    let bytes = fs_err::metadata(&path)?.len();
    let interrupted = AtomicBool::new(false);
    let providers = providers(&requests)?;
    let (mut opened, mut served, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..N_RUNS {
        let (llm, time) = timed(|| Llm::open(dir.path(), STAGE, providers.clone(), &interrupted))?;
        opened.push(time);
        served.push(timed(|| llm.complete_all(&requests, N_WORKERS, &|| {}))?.1);
        plain.push(timed(|| parse_all(&path))?.1);
    }
    let peer = median(plain);
    let row = |what: &str, time| {
        vec![what.to_owned(), seconds(time), format!("{:.0}", per_second(N_REPLIES, time)), ratio(peer, time)]
    };
    Ok(vec![Figures {
        title: format!(
            "{N_REPLIES} replies of {} MB from a warm journal; {N_WORKERS} workers, median of {N_RUNS}",
            bytes / 1_000_000
        ),
        header: vec!["what", ">s", ">replies/s", ">x serde_json"],
        rows: vec![
            row("record, one sync", written),
            row("open: index the keys", median(opened)),
            row("serve", median(served)),
            row("serde_json over the same lines, one thread", peer),
        ],
    }])
}

fn ratio(peer: std::time::Duration, time: std::time::Duration) -> String {
    format!("{:.2}", peer.as_secs_f64() / time.as_secs_f64())
}

/// The models have to be known, and are not asked.
fn providers(requests: &[Request]) -> Result<Providers> {
    let replay: Arc<dyn Provider> = Arc::new(Replay::open(&root().join("snapshots/demo/replies"))?);
    Ok(requests.iter().map(|request| (request.model.clone(), Arc::clone(&replay))).collect())
}

/// The demo's own recordings.
fn recorded() -> Result<Vec<Reply>> {
    let journal = Journal::open_read_only(&root().join("snapshots/demo/replies"), STAGE)?;
    let journal = journal.context("the demo has recordings")?;
    let keys = journal.keys();
    keys.iter().map(|key| journal.recorded(key)?.context("a key has a reply")).collect()
}

/// Requests of the demo's lengths, all distinct.
fn many(recorded: &[Reply]) -> Vec<Request> {
    let numbers = 0..u32::try_from(N_REPLIES).expect("some thousands");
    let requests = numbers.zip(recorded.iter().cycle());
    requests.map(|(sample_idx, reply)| Request { sample_idx, ..reply.request.clone() }).collect()
}

fn parse_all(path: &std::path::Path) -> Result<usize> {
    let text = fs_err::read(path)?;
    let mut n = 0;
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let reply: serde_json::Value = serde_json::from_slice(line)?;
        n += usize::from(reply.is_object());
    }
    Ok(n)
}
