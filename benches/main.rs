//! The benchmarks: `cargo bench` runs all, `cargo bench -- NAME` one of them.
//!
//! Each prints a table with medians, and where there is a peer the ratio to it, measured on the same
//! input in the same run. `docs/benchmarks.md` holds figures and what they mean. With
//! `COREBUILD_SHARED` the input is real data, without it rows of the same size.

mod corpus;
mod execute;
mod release;
mod replay;
mod stages;

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use corebuild::{console::Console, summary::table};
use nix::sys::{
    resource::{UsageWho, getrusage},
    time::{TimeVal, TimeValLike},
};

/// Threads of everything that is measured.
const N_WORKERS: usize = 2;

/// A table to print.
struct Figures {
    title: String,
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

/// A benchmark by name.
type Bench = (&'static str, fn() -> Result<Vec<Figures>>);

const BENCHES: [Bench; 4] =
    [("release", release::run), ("execute", execute::run), ("replay", replay::run), ("stages", stages::run)];

fn main() -> Result<()> {
    rayon::ThreadPoolBuilder::new().num_threads(N_WORKERS).build_global()?;
    let names: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    if let Some(unknown) = names.iter().find(|name| BENCHES.iter().all(|(known, _)| known != name)) {
        bail!("unknown benchmark `{unknown}`");
    }
    let console = Console::new(true);
    for (name, run) in BENCHES {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            for figures in run()? {
                console.data(&format!("\n{}\n{}", figures.title, figures.text()));
            }
        }
    }
    Ok(())
}

impl Figures {
    fn text(&self) -> String {
        let mut text = table(&self.header);
        for row in &self.rows {
            text.add_row(row);
        }
        text.to_string()
    }
}

/// Where the project lies.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The directory of real data, where there is one.
fn shared() -> Option<PathBuf> {
    std::env::var_os("COREBUILD_SHARED").map(PathBuf::from)
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let started = Instant::now();
    let result = work()?;
    Ok((result, started.elapsed()))
}

/// CPU time of this process so far, all threads.
fn cpu_time() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds = |time: TimeVal| Duration::from_micros(u64::try_from(time.num_microseconds()).unwrap_or_default());
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn per_second(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}
