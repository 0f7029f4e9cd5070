//! The only place that prints: data on standard output, everything else on standard error.
//!
//! Long work shows a bar on a terminal and a plain line every few seconds elsewhere.

use std::{
    io::{IsTerminal, Write},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How often progress is told where there is no terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(5);

/// Where messages go.
#[derive(Debug)]
pub struct Console {
    quiet: bool,
    terminal: bool,
    lost_data: AtomicBool,
}

impl Console {
    #[must_use]
    pub fn new(quiet: bool) -> Self {
        Self { quiet, terminal: std::io::stderr().is_terminal(), lost_data: AtomicBool::new(false) }
    }

    /// Data: what a script reads. A pipe that the reader closed is no error; any other failure to
    /// write is, see [`Console::lost_data`].
    pub fn data(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        if let Err(error) = writeln!(stdout, "{text}").and_then(|()| stdout.flush())
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            self.lost_data.store(true, Ordering::Relaxed);
        }
    }

    /// Whether data could not be written.
    #[must_use]
    pub fn lost_data(&self) -> bool {
        self.lost_data.load(Ordering::Relaxed)
    }

    /// A message for a person.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.warn(text);
        }
    }

    /// A message that `--quiet` does not silence.
    pub fn warn(&self, text: &str) {
        let _ = writeln!(std::io::stderr().lock(), "{text}");
    }

    /// Progress over `n_items` items of work.
    #[must_use]
    pub fn progress(&self, label: &str, n_items: u64) -> Progress {
        let bar = (self.terminal && !self.quiet).then(|| {
            let style = ProgressStyle::with_template("{prefix:>12} [{bar:32}] {pos}/{len} {elapsed} (left: {eta})")
                .expect("the template is constant")
                .progress_chars("=> ");
            let bar = ProgressBar::with_draw_target(Some(n_items), ProgressDrawTarget::stderr_with_hz(10));
            bar.set_style(style);
            bar.set_prefix(label.to_owned());
            bar
        });
        Progress {
            bar,
            label: label.to_owned(),
            n_items,
            n_done: AtomicU64::new(0),
            told: Mutex::new(Instant::now()),
            quiet: self.quiet,
        }
    }
}

/// Told from any thread.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    label: String,
    n_items: u64,
    n_done: AtomicU64,
    told: Mutex<Instant>,
    quiet: bool,
}

impl Progress {
    /// One more item is done.
    pub fn tick(&self) {
        let n_done = self.n_done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(bar) = &self.bar {
            bar.set_position(n_done);
            return;
        }
        let Ok(mut told) = self.told.try_lock() else {
            return;
        };
        if !self.quiet && told.elapsed() >= PLAIN_INTERVAL {
            *told = Instant::now();
            let _ = writeln!(std::io::stderr().lock(), "{:>12} {n_done}/{}", self.label, self.n_items);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
