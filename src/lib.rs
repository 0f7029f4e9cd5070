//! `corebuild` builds code-search benchmarks from programming-contest problems, and proves what it
//! built.

pub mod checkers;
pub mod cli;
pub mod code;
pub mod config;
pub mod console;
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
