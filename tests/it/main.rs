//! The one integration test binary.

mod config;
mod coreb;
mod tidy;
