//! `qrels` and `release` on corpora of `CoREB` v2603's size, and a BM25 search of what they wrote.
//!
//! The stages run as `corebuild` runs them: tables read from disk, rows checked, hashed, written and
//! synced, the release laid out, verified and renamed.

use std::{collections::BTreeMap, io::Write, path::Path, sync::atomic::AtomicBool, time::Duration};

use anyhow::{Context as _, Result};
use corebuild::{
    config::{Config, ReleaseConfig},
    console::Console,
    llm,
    pipeline::Stage,
    receipt::{Fingerprint, Receipt},
    retrieval::Collection,
    runner, scoring,
    stages::{Context, qrels::Input},
    store::{self, RECEIPT, REJECTED, Store},
    tables::{Difficulty, Row, query::Task},
};

use crate::{Figures, N_WORKERS, corpus, cpu_time, median, per_second, root, seconds, timed};

const N_RUNS: usize = 7;

pub(super) fn run() -> Result<Vec<Figures>> {
    let (name, input) = corpus::load()?;
    let dir = tempfile::tempdir_in(root().join("target"))?;
    let config = Config::load(&root().join("pipeline.toml"))?.release(None)?;
    let store = Store {
        root: root().to_path_buf(),
        work: dir.path().join("work"),
        dist: dir.path().join("dist"),
        release: config.name.clone(),
    };
    write_inputs(&store, &input)?;
    let cut = cut(&config, &store, &input, name)?;
    Ok(vec![cut, search(&store.release_dir(), &config)?])
}

fn write_inputs(store: &Store, input: &Input) -> Result<()> {
    for stage in Stage::ALL.into_iter().take_while(|stage| *stage != Stage::Qrels) {
        store::write_atomic(&store.stage_dir(stage).join(REJECTED), b"")?;
        let receipt = Receipt {
            tool_version: String::new(),
            fingerprint: Fingerprint::default(),
            outputs: BTreeMap::new(),
            unhashed: Vec::new(),
            rows_in: 0,
            rows_out: 0,
            rows_rejected: 0,
            rejected: BTreeMap::new(),
        };
        store::write_atomic(&store.stage_dir(stage).join(RECEIPT), &serde_json::to_vec(&receipt)?)?;
    }
    put(store, &input.problems)?;
    put(store, &input.rewrites)?;
    put(store, &input.abbreviations)?;
    put(store, &input.negatives)?;
    put(store, &input.solutions)?;
    put(store, &input.verdicts)?;
    put::<Difficulty>(store, &[])?;
    put(store, &input.search_queries)
}

fn put<R: Row>(store: &Store, rows: &[R]) -> Result<()> {
    let mut rows: Vec<&R> = rows.iter().collect();
    rows.sort_by_cached_key(|row| row.key());
    let mut bytes = Vec::new();
    for row in rows {
        serde_json::to_writer(&mut bytes, row)?;
        bytes.push(b'\n');
    }
    store::write_atomic(&store.table_path(R::TABLE), &bytes)
}

fn cut(config: &ReleaseConfig, store: &Store, input: &Input, name: &str) -> Result<Figures> {
    let (console, interrupted) = (Console::new(true), AtomicBool::new(false));
    let ctx = Context {
        config,
        store,
        console: &console,
        n_workers: N_WORKERS,
        interrupted: &interrupted,
        open_providers: &|config, models| llm::providers(config, models.iter().copied(), None),
    };
    let (mut qrels, mut release, mut cpu, mut plain) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for n in 0..N_RUNS {
        for old in [store.stage_dir(Stage::Qrels), store.stage_dir(Stage::Release), store.release_dir()] {
            if n > 0 {
                fs_err::remove_dir_all(old)?;
            }
        }
        let before = cpu_time()?;
        qrels.push(timed(|| runner::run(&ctx, Stage::Qrels))?.1);
        release.push(timed(|| runner::run(&ctx, Stage::Release))?.1);
        cpu.push(cpu_time()?.saturating_sub(before));
        plain.push(plain_write(&[store.stage_dir(Stage::Qrels), store.release_dir()])?);
    }
    let first = *qrels.first().context("there are runs")? + *release.first().context("there are runs")?;
    let total: Vec<Duration> = qrels.iter().zip(&release).map(|(qrels, release)| *qrels + *release).collect();
    let peer = median(plain);
    let row = |what: &str, time: Duration| {
        let ratio = time.as_secs_f64() / peer.as_secs_f64();
        vec![what.to_owned(), seconds(time), format!("{ratio:.1}")]
    };
    Ok(Figures {
        title: format!(
            "qrels + release on {name}: {} programs, {} texts; {N_WORKERS} workers, median of {N_RUNS}",
            input.solutions.len(),
            input.rewrites.len() + input.negatives.len()
        ),
        header: vec!["what", ">s", ">x plain write"],
        rows: vec![
            row("qrels", median(qrels)),
            row("release, verified", median(release)),
            row("both", median(total)),
            row("both, first in the process", first),
            row("both, CPU time", median(cpu)),
            row("the same files, each plainly written and synced", peer),
        ],
    })
}

/// The least that anybody would need: the same bytes written, one sync a file.
fn plain_write(dirs: &[std::path::PathBuf]) -> Result<Duration> {
    let mut files = Vec::new();
    for dir in dirs {
        read_below(dir, &mut files)?;
    }
    let to = tempfile::tempdir_in(root().join("target"))?;
    let work = || {
        for (at, bytes) in files.iter().enumerate() {
            let mut file = fs_err::File::create(to.path().join(at.to_string()))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        Ok(())
    };
    Ok(timed(work)?.1)
}

fn read_below(dir: &Path, files: &mut Vec<Vec<u8>>) -> Result<()> {
    for entry in fs_err::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            read_below(&path, files)?;
        } else {
            files.push(fs_err::read(path)?);
        }
    }
    Ok(())
}

/// Index, search and measures of every task.
fn search(release: &Path, config: &ReleaseConfig) -> Result<Figures> {
    const DEPTH: usize = 100;
    let mut rows = Vec::new();
    for task in Task::ALL {
        let (mut searched, mut scored) = (Vec::new(), Vec::new());
        let collection = Collection::load(release, task)?;
        for _ in 0..N_RUNS {
            let (rankings, time) = timed(|| Ok(collection.search_bm25(DEPTH)))?;
            searched.push(time);
            scored.push(timed(|| Ok(scoring::score_queries(&collection, &rankings, &config.config.sanity.cutoffs)))?.1);
        }
        let n = collection.queries.len();
        let time = median(searched);
        rows.push(vec![
            task.name().to_owned(),
            n.to_string(),
            collection.documents.len().to_string(),
            seconds(time),
            format!("{:.0}", per_second(n, time)),
            seconds(median(scored)),
        ]);
    }
    Ok(Figures {
        title: format!("BM25 over that release, depth {DEPTH}; {N_WORKERS} workers, median of {N_RUNS}"),
        header: vec!["task", ">queries", ">documents", ">index and search s", ">queries/s", ">score s"],
        rows,
    })
}
