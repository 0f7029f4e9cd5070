//! Each stage's wall time on the demo.
//!
//! Cold: an empty work directory. From journals: every stage's output gone, replies, runs and
//! compiled programs still there. Up to date: nothing to do, which is only noticed.

use std::{sync::atomic::AtomicBool, time::Duration};

use anyhow::Result;
use corebuild::{config::Config, console::Console, llm, pipeline::Stage, runner, stages::Context, store::Store};

use crate::{Figures, N_WORKERS, root, seconds, timed};

pub(super) fn run() -> Result<Vec<Figures>> {
    let dir = tempfile::tempdir_in(root().join("target"))?;
    let config = Config::load(&root().join("pipeline.toml"))?.release(None)?;
    let store = Store {
        root: root().to_path_buf(),
        work: dir.path().join("work"),
        dist: dir.path().join("dist"),
        release: config.name.clone(),
    };
    let (console, interrupted) = (Console::new(false), AtomicBool::new(false));
    let ctx = Context {
        config: &config,
        store: &store,
        console: &console,
        n_workers: N_WORKERS,
        interrupted: &interrupted,
        open_providers: &|config, models| llm::providers(config, models.iter().copied(), None),
    };
    let cold = all(&ctx)?;
    for stage in Stage::ALL {
        fs_err::remove_dir_all(store.stage_dir(stage))?;
    }
    fs_err::remove_dir_all(store.release_dir())?;
    let journalled = all(&ctx)?;
    let fresh = all(&ctx)?;
    let mut rows = Vec::new();
    for (at, stage) in Stage::ALL.into_iter().enumerate() {
        let n_rows = store.receipt(stage)?.map_or(0, |receipt| receipt.rows_out);
        rows.push(row(stage.name(), n_rows.to_string(), [cold[at], journalled[at], fresh[at]]));
    }
    let sum = |times: &[Duration]| times.iter().sum();
    rows.push(row("all", String::new(), [sum(&cold), sum(&journalled), sum(&fresh)]));
    let n_stages = Stage::ALL.len();
    let rate = |times: &[Duration]| format!("{:.2}", crate::per_second(n_stages, sum(times)));
    rows.push(vec!["stages/s".to_owned(), String::new(), rate(&cold), rate(&journalled), rate(&fresh)]);
    Ok(vec![Figures {
        title: format!("stages on the demo, seconds; {N_WORKERS} workers, one cut"),
        header: vec!["stage", ">rows", ">cold", ">from journals", ">up to date"],
        rows,
    }])
}

fn row(name: &str, n_rows: String, times: [Duration; 3]) -> Vec<String> {
    let mut row = vec![name.to_owned(), n_rows];
    row.extend(times.map(seconds));
    row
}

fn all(ctx: &Context) -> Result<Vec<Duration>> {
    let one = |stage: Stage| {
        let (_, time) = timed(|| runner::run(ctx, stage))?;
        ctx.console.note(&format!("{:>12} {} s", stage.name(), seconds(time)));
        Ok(time)
    };
    Stage::ALL.into_iter().map(one).collect()
}
