//! What can be typed: arguments, and one function a command.

mod check;
mod commands;
mod cost;
mod diff;
mod explain;
mod journal;
mod plan;
mod preview;
mod relabel;
mod repair;
mod reproduce;

use std::{
    path::PathBuf,
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use clap::{Args, Parser, Subcommand};

use crate::{console::Console, exit_code};

const AFTER_HELP: &str = "\
A release is cut in stages, each with a table on disk before and after it:

  pull → rewrite → abbreviate, negatives → tests → solve → execute → references → difficulty
       → queries → qrels → release → sanity

Start here:
  corebuild check               what is missing on this machine, and the command that mends it
  corebuild plan                what would run and why, how many model calls and tokens
  corebuild cut demo202601      run every stale stage of the demo release, in order
  corebuild verify dist/demo202601
  corebuild explain ID          where a row comes from

Exit codes: 0 done, 1 a bug of ours, 2 usage, 3 bad configuration or prompt, 4 a stage is incomplete
and can be resumed, 5 validation failed, 6 something outside is not available, 130 interrupted.";

/// Builds code-search benchmarks from programming-contest problems, and proves what it built.
#[derive(Debug, Parser)]
#[command(version, about, after_help = AFTER_HELP, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// The parameters of the build; prompts and validators lie beside it
    #[arg(long, global = true, default_value = "pipeline.toml", env = "COREBUILD_CONFIG", value_name = "FILE")]
    config: PathBuf,
    /// Where tables, receipts and journals go
    #[arg(long, global = true, env = "COREBUILD_WORK", value_name = "DIR")]
    work: Option<PathBuf>,
    /// Where releases go
    #[arg(long, global = true, env = "COREBUILD_DIST", value_name = "DIR")]
    dist: Option<PathBuf>,
    /// Threads and sandboxed programs at a time [default: the number of cores]
    #[arg(long, global = true, value_name = "N")]
    workers: Option<usize>,
    /// Say nothing but warnings and errors
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Cut a release: run every stage that is stale, in order
    #[command(after_help = "Runs nothing that is up to date. A cut that was interrupted or killed goes on where it \
                            stopped: no model reply is asked for twice. Ends with a summary table.")]
    Cut(Run),
    /// Say what `cut` would run and why, how many model calls and tokens, and at what price
    Plan(Target),
    /// Show the prompts that a stage makes of real rows, with tokens and price
    Preview {
        /// rewrite, abbreviate, negatives, tests, solve or queries
        #[arg(value_parser = stage_that_asks)]
        stage: crate::pipeline::Stage,
        #[command(flatten)]
        target: Target,
        /// Rows shown
        #[arg(short, default_value_t = 3, value_name = "N")]
        n: usize,
        /// Ask the model, and show what is read out of its replies (they go into the journal)
        #[arg(long)]
        call: bool,
        /// With --call: stop before this is passed, in dollars
        #[arg(long, value_name = "DOLLARS", requires = "call")]
        max_cost: Option<f64>,
    },
    /// Say what models' replies cost so far, by stage and model
    Cost(Target),
    /// Pack the replies of models, or take over packed ones
    Journal {
        #[command(subcommand)]
        action: JournalAction,
    },
    /// Say how far a release is: rows in, out and rejected, stage by stage
    Status(Target),
    /// Tell a row's whole lineage from disk: problem, rewrite, replies, runs, verdict, judgements
    #[command(after_help = "ID is any id that stands in a table or a release: a problem, a solution, a document, a \
                            query, a submission, or the key of a model's reply.")]
    Explain {
        id: String,
        #[command(flatten)]
        target: Target,
    },
    /// Say what is missing on this machine, each with the command that mends it
    Check {
        /// One JSON object on standard output
        #[arg(long)]
        json: bool,
    },
    /// Check a release: schemas, references between files, labels, manifest
    #[command(
        after_help = "DIR is a release in CoREB's layout (as `cut` writes it, or as its authors publish it) or in \
                      BEIR's. Exit code 0: clean; 5: findings, each with its rule, what it means for a score, and \
                      the rows. `--help` tells all rules.",
        after_long_help = crate::verify::rules_help()
    )]
    Verify {
        dir: PathBuf,
        /// One JSON object on standard output
        #[arg(long)]
        json: bool,
    },
    /// Form a published `CoREB` release again from its corpora, and compare row by row
    #[command(after_help = "Draws with the authors' generator what the authors drew. Says for each subtask what is \
                            identical, in another order, missing or extra, and why. Exit code 5: something differs \
                            that is not known to be out of reach.")]
    Reproduce {
        /// `v202602` or `v202603`
        release: String,
        /// A copy of the release's files, as they lie on the hub
        #[arg(long, value_name = "DIR")]
        from: PathBuf,
        /// The paper's tables from the data, each cell beside the published one
        #[arg(long)]
        tables: bool,
        /// One JSON object on standard output
        #[arg(long)]
        json: bool,
    },
    /// Compare two releases: what was added, removed, changed; ids that collide; what both hold
    Diff {
        a: PathBuf,
        b: PathBuf,
        /// One JSON object on standard output
        #[arg(long)]
        json: bool,
    },
    /// Form a corrected release from a published one's corpora by our rules
    #[command(
        after_help = "Positives passed, no right program is a negative, no id leaks, no question is asked twice. \
                            Dropped rows stand in the new release's rejected.jsonl. Pass flags are taken as \
                            published: see `corebuild relabel`."
    )]
    Repair {
        dir: PathBuf,
        /// The new release's name, which its ids carry
        #[arg(long, value_name = "NAME")]
        name: String,
        /// One JSON object on standard output
        #[arg(long)]
        json: bool,
    },
    /// Run a published release's programs, and say where a pass flag and an execution disagree
    #[command(after_help = "Tests are the public ones of the original problems. No flag is changed.")]
    Relabel {
        dir: PathBuf,
        /// LiveCodeBench records of the original problems, one JSON object a line
        #[arg(long, value_name = "FILE")]
        tests: PathBuf,
        /// One JSON object on standard output
        #[arg(long)]
        json: bool,
    },
    /// Hash a local source as `sha256` in pipeline.toml wants it
    Pin {
        /// A file or a directory
        path: PathBuf,
    },
    #[command(flatten)]
    Stage(StageCommand),
}

/// A release, and how to print.
#[derive(Clone, Debug, Args)]
pub(crate) struct Target {
    /// A release of pipeline.toml [default: its `default_release`]
    release: Option<String>,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// A release, and what may be spent on it.
#[derive(Clone, Debug, Args)]
pub(crate) struct Run {
    #[command(flatten)]
    target: Target,
    /// Ask no model once this could be passed, in dollars; calls in flight count
    #[arg(long, value_name = "DOLLARS")]
    max_cost: Option<f64>,
}

#[derive(Debug, Subcommand)]
enum JournalAction {
    /// Write all replies to FILE.tar.gz, or into a directory that `recordings` can name
    Export { to: PathBuf },
    /// Add the replies of an export to this project's journal; what is there stays
    Import { from: PathBuf },
}

fn stage_that_asks(name: &str) -> Result<crate::pipeline::Stage, String> {
    let mut stages = crate::pipeline::Stage::ALL.into_iter().filter(|stage| stage.asks_models());
    stages.find(|stage| stage.name() == name).ok_or_else(|| {
        let names = crate::pipeline::Stage::ALL.into_iter().filter(|stage| stage.asks_models());
        format!("stages that ask models: {}", names.map(crate::pipeline::Stage::name).collect::<Vec<_>>().join(", "))
    })
}

macro_rules! stage_commands {
    ($($name:ident $about:literal,)*) => {
        /// Each stage is a command of its own.
        #[derive(Debug, Subcommand)]
        enum StageCommand {
            $(#[doc = $about] $name(Run),)*
        }

        impl StageCommand {
            fn split(&self) -> (crate::pipeline::Stage, &Run) {
                match self { $(Self::$name(run) => (crate::pipeline::Stage::$name, run),)* }
            }
        }
    };
}

stage_commands! {
    Pull "Stage 1: read the pinned sources",
    Rewrite "Stage 2: have each problem rewritten, and check what came back",
    Abbreviate "Stage 3: have each rewritten statement put in 50 to 150 words",
    Negatives "Stage 4: have four near-miss statements written per problem",
    Tests "Stage 5: form the test suites",
    Solve "Stage 6: have models write programs in every language",
    Execute "Stage 7: run every program on every test, in the sandbox",
    References "Stage 8: keep right programs, drop outliers of complexity",
    Difficulty "Stage 9: cluster problems into levels",
    Queries "Stage 10: have search queries written",
    Qrels "Stage 11: form documents, queries and graded judgements",
    Release "Stage 12: write the release",
    Sanity "Stage 13: search the release with BM25, score it, draw the report",
}

/// Runs the command line and returns its exit code.
#[must_use]
pub fn main() -> process::ExitCode {
    let cli = Cli::parse();
    let console = Console::new(cli.global.quiet);
    let interrupted = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&interrupted);
    let result = commands::dispatch(&cli.global, &cli.command, &console, &interrupted);
    let code = match result {
        Ok(code) => code,
        Err(error) => {
            console.warn(&format!("error: {error:#}"));
            if let Some(hint) = exit_code::hint(&error) {
                console.warn(&format!("hint: {hint}"));
            }
            exit_code::ExitCode::of(&error)
        }
    };
    let code = if console.lost_data() && code == exit_code::ExitCode::Done {
        console.warn("error: standard output cannot be written");
        exit_code::ExitCode::Unavailable
    } else {
        code
    };
    process::ExitCode::from(code as u8)
}

/// The first Ctrl-C lets what is in flight finish, the second ends the process: what is on disk is
/// whole either way.
fn listen_for_interrupts(interrupted: &Arc<AtomicBool>) {
    let flag = Arc::clone(interrupted);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            process::exit(exit_code::ExitCode::Interrupted as i32);
        }
    };
    // Without a handler Ctrl-C ends the process at once, which loses nothing either.
    let _ = ctrlc::set_handler(handler);
}
