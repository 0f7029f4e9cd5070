//! `corebuild` builds code-search benchmarks from programming-contest problems, and proves what it
//! built.

pub mod code;
pub mod config;
pub mod console;
pub mod exit_code;
pub mod ids;
pub mod keyed_log;
pub mod languages;
pub mod pipeline;
pub mod receipt;
pub mod runner;
pub mod stages;
pub mod store;
pub mod tables;
pub mod verdict;
pub mod verify;
