//! `corebuild` builds code-search benchmarks from programming-contest problems, and proves what it
//! built.
//!
//! # Bird's eye
//!
//! A release is cut in thirteen stages. Stages meet only through tables on disk, one JSON Lines file
//! each, sorted by key; a receipt beside a stage's tables says what it consumed and produced, and is
//! written last. So a stage can be run, skipped, killed and explained by itself, and the same inputs
//! give the same bytes.
//!
//! ```text
//! sources ─ pull ─ rewrite ─┬─ abbreviate ──────────────────────────────┐
//!                           ├─ negatives ───────────────────────────────┤
//!                           └─ tests ─ solve ─ execute ─┬─ references ─ difficulty
//!                                                       ├─ queries ─────┤
//!                                                       └───────────── qrels ─ release ─ sanity
//! ```
//!
//! # Invariants
//!
//! 1. Same inputs and recorded replies give the same bytes, with any number of workers. No clock, no
//!    unseeded draw and no map order reaches a table; times and memory live in `measurements`,
//!    outside all hashes.
//! 2. Nothing vanishes: every input key of a stage is in its output or in its `rejected.jsonl` with a
//!    reason. A stage that ends with zero rows has failed.
//! 3. A result is never confused with a breakdown: what the harness could not do never becomes a
//!    label.
//! 4. What was executed is what is released, byte for byte.
//! 5. Paid work is never lost or paid twice: raw replies and runs are journalled before they are
//!    read.
//! 6. A release, once written, is never changed.
//! 7. Secrets stay in the environment of [`llm`].
//!
//! # The map, in reading order
//!
//! The command line and the frame:
//! - [`cli`] arguments, one function a command; [`console`] the only place that prints;
//!   [`exit_code`] codes and the errors that carry them; [`summary`] what a cut ends with
//! - [`config`] `pipeline.toml` as a validated value
//! - [`pipeline`] the closed list of stages, and what is stale (pure); [`runner`] runs what is stale,
//!   checks and writes what it returns; [`receipt`] what a run recorded
//! - [`tables`] one row type a file; [`ids`] identifiers and hashes; [`store`] where things lie and how
//!   they are written; [`keyed_log`] the append-only journal; [`seeded`] draws that hang on a name
//! - [`stages`] one file a stage
//!
//! Four doors lead outside; all else is pure functions over rows:
//! 1. [`sources`] network and archives
//! 2. [`llm`] models, behind a journal, with [`prompts`] going out and [`reply`] reading what comes
//!    back
//! 3. [`sandbox`] processes, with [`languages`] (how a program is compiled and run), [`checkers`]
//!    (outputs compared), [`verdict`] (what it comes to) and [`judge`] (the three together)
//! 4. embedding models (not there yet)
//!
//! What labels and reports are made of:
//! - [`code`] what can be read off source text; [`stats`] z-scores and k-means
//! - [`retrieval`] BM25 and rankings; [`scoring`] `trec_eval`'s measures; [`report`] the HTML page
//! - [`verify`] the rules that a release must keep
//! - [`coreb`] the published releases: formed again, compared, repaired, tabulated, executed

pub mod checkers;
pub mod cli;
pub mod code;
pub mod config;
pub mod console;
pub mod coreb;
pub mod exit_code;
pub mod ids;
pub mod judge;
pub mod keyed_log;
pub mod languages;
pub mod llm;
pub mod pipeline;
pub mod prompts;
pub mod receipt;
pub mod reply;
pub mod report;
pub mod retrieval;
pub mod runner;
pub mod sandbox;
pub mod scoring;
pub mod seeded;
pub mod sources;
pub mod stages;
pub mod stats;
pub mod store;
pub mod summary;
pub mod tables;
pub mod verdict;
pub mod verify;
