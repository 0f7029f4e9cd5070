//! One function a command.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use anyhow::{Result, bail};
use serde_json::{Value, json};

use super::{
    Command, Global, JournalAction, Run, Target, check, cost, diff, explain, journal, plan, preview, relabel, repair,
    reproduce,
};
use crate::{
    config::{Config, ReleaseConfig},
    console::Console,
    exit_code::{ExitCode, Unavailable},
    llm::{self, Budget},
    pipeline::Stage,
    receipt::Receipt,
    runner::{self, Outcome},
    sources,
    stages::{Context, OpenProviders},
    store::Store,
    summary, verify,
};

/// What a command works on, owned: the context that stages borrow.
pub(super) struct Project {
    pub(super) config: ReleaseConfig,
    pub(super) store: Store,
    pub(super) n_workers: usize,
    open_providers: Box<OpenProviders<'static>>,
}

impl Project {
    pub(super) fn open(global: &Global, release: Option<&str>) -> Result<Self> {
        Self::with_budget(global, release, None)
    }

    /// A project that spends no more than `max_cost` dollars on models.
    fn with_budget(global: &Global, release: Option<&str>, max_cost: Option<f64>) -> Result<Self> {
        let config = Config::load(&global.config)?.release(release)?;
        let budget = max_cost.map(|limit| Arc::new(Budget::new(limit)));
        let root = config.config.root.clone();
        let store = Store {
            work: global.work.clone().unwrap_or_else(|| root.join("work")),
            dist: global.dist.clone().unwrap_or_else(|| root.join("dist")),
            release: config.name.clone(),
            root,
        };
        let open_providers = Box::new(move |config: &ReleaseConfig, models: &[&str]| {
            llm::providers(config, models.iter().copied(), budget.as_ref())
        });
        Ok(Self { config, store, n_workers: n_workers(global), open_providers })
    }

    pub(super) fn context<'a>(&'a self, console: &'a Console, interrupted: &'a AtomicBool) -> Context<'a> {
        Context {
            config: &self.config,
            store: &self.store,
            console,
            n_workers: self.n_workers,
            interrupted,
            open_providers: &*self.open_providers,
        }
    }
}

fn n_workers(global: &Global) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    global.workers.unwrap_or(cores).max(1)
}

pub(super) fn dispatch(
    global: &Global,
    command: &Command,
    console: &Console,
    interrupted: &AtomicBool,
) -> Result<ExitCode> {
    match command {
        Command::Check { json } => check::run(global, *json, console, interrupted),
        Command::Verify { dir, json } => run_verify(dir, *json, console),
        Command::Reproduce { release, from, tables, json } if *tables => {
            reproduce::tables(release, from, *json, console)
        }
        Command::Reproduce { release, from, json, .. } => reproduce::run(release, from, *json, console),
        Command::Diff { a, b, json } => diff::run(a, b, *json, console),
        Command::Repair { dir, name, json } => {
            let dist = global.dist.clone().unwrap_or_else(|| PathBuf::from("dist"));
            repair::run(dir, name, &dist, *json, console)
        }
        Command::Relabel { dir, tests, json } => {
            let project = Project::open(global, None)?;
            relabel::run(&project.context(console, interrupted), dir, tests, *json)
        }
        Command::Pin { path } => {
            let (_, sha256, _) = sources::measure(path, &mut |_| Ok(()))?;
            console.data(&sha256);
            Ok(ExitCode::Done)
        }
        Command::Cut(Run { target, max_cost }) => {
            let project = Project::with_budget(global, target.release.as_deref(), *max_cost)?;
            cut(&project.context(console, interrupted), target, &Stage::ALL)
        }
        Command::Stage(stage) => {
            let (stage, Run { target, max_cost }) = stage.split();
            let project = Project::with_budget(global, target.release.as_deref(), *max_cost)?;
            cut(&project.context(console, interrupted), target, &[stage])
        }
        Command::Plan(target) => {
            let project = Project::open(global, target.release.as_deref())?;
            plan::run(&project.context(console, interrupted), target.json)
        }
        Command::Preview { stage, target, n, call, max_cost } => {
            let project = Project::with_budget(global, target.release.as_deref(), *max_cost)?;
            preview::run(&project.context(console, interrupted), *stage, *n, *call, target.json)
        }
        Command::Cost(target) => {
            let project = Project::open(global, target.release.as_deref())?;
            cost::run(&project.context(console, interrupted), target.json)
        }
        Command::Journal { action } => {
            let project = Project::open(global, None)?;
            let ctx = project.context(console, interrupted);
            match action {
                JournalAction::Export { to } => journal::export(&ctx, to),
                JournalAction::Import { from } => journal::import(&ctx, from),
            }
        }
        Command::Status(target) => {
            let project = Project::open(global, target.release.as_deref())?;
            status(&project.context(console, interrupted), target.json)
        }
        Command::Explain { id, target } => {
            let project = Project::open(global, target.release.as_deref())?;
            explain::run(&project.context(console, interrupted), id, target.json)
        }
    }
}

/// Brings the given stages up to date, in order.
fn cut(ctx: &Context, target: &Target, stages: &[Stage]) -> Result<ExitCode> {
    let _lock = ctx.store.lock()?;
    let mut n_ran = 0;
    for stage in stages {
        let started = std::time::Instant::now();
        match runner::run(ctx, *stage)? {
            Outcome::UpToDate(_) => {}
            Outcome::Ran(receipt) => {
                n_ran += 1;
                ctx.console.note(&stage_line(*stage, &receipt, started.elapsed().as_secs_f64()));
            }
        }
    }
    if n_ran == 0 {
        ctx.console.note(&format!("`{}` is up to date: nothing to do", ctx.config.name));
    }
    if stages.len() == Stage::ALL.len() {
        let summary = summary::of(ctx)?;
        ctx.console.data(&if target.json { summary.json()? } else { summary.text() });
    } else if target.json {
        let receipt = ctx.store.receipt(stages[0])?;
        ctx.console.data(&serde_json::to_string(&receipt)?);
    }
    Ok(ExitCode::Done)
}

fn stage_line(stage: Stage, receipt: &Receipt, seconds: f64) -> String {
    let rejected: Vec<String> = receipt.rejected.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
    let rejected = if rejected.is_empty() { String::new() } else { format!("  rejected: {}", rejected.join(", ")) };
    format!("{:>12} {:>6} rows {seconds:>7.1} s{rejected}", stage.name(), receipt.rows_out)
}

fn status(ctx: &Context, json: bool) -> Result<ExitCode> {
    let mut rows: Vec<Value> = Vec::new();
    let mut table = summary::table(&["stage", "state", ">rows in", ">rows out", ">rejected"]);
    for stage in Stage::ALL {
        let receipt = ctx.store.receipt(stage)?;
        let state = if receipt.is_some() { "complete" } else { "not complete" };
        let (rows_in, rows_out, rejected) =
            receipt.map_or((0, 0, 0), |receipt| (receipt.rows_in, receipt.rows_out, receipt.rows_rejected));
        rows.push(json!({"stage": stage.name(), "state": state, "rows_in": rows_in, "rows_out": rows_out,
                         "rejected": rejected}));
        table.add_row([
            stage.name().to_owned(),
            state.to_owned(),
            rows_in.to_string(),
            rows_out.to_string(),
            rejected.to_string(),
        ]);
    }
    let text = if json {
        serde_json::to_string(&json!({"release": ctx.config.name, "stages": rows}))?
    } else {
        table.to_string()
    };
    ctx.console.data(&text);
    Ok(ExitCode::Done)
}

fn run_verify(dir: &Path, json: bool, console: &Console) -> Result<ExitCode> {
    if !dir.is_dir() {
        bail!(Unavailable::new(format!("`{}` is not a directory", dir.display())).hint("corebuild cut"));
    }
    let report = verify::verify(dir)?;
    console.data(&if json { serde_json::to_string(&report)? } else { report.render() });
    Ok(if report.is_clean() { ExitCode::Done } else { ExitCode::Invalid })
}
