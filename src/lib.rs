//! `corebuild` builds code-search benchmarks from programming-contest problems, and proves what it
//! built.

pub mod checkers;
pub mod code;
pub mod config;
pub mod console;
pub mod exit_code;
pub mod ids;
pub mod judge;
pub mod keyed_log;
pub mod languages;
pub mod sandbox;
pub mod tables;
pub mod verdict;
