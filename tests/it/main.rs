//! The one integration test binary.

mod cli;
mod config;
mod coreb;
mod external;
mod mini;
mod models;
mod project;
mod real_data;
mod tidy;
