//! The one integration test binary.

mod config;
mod models;
mod tidy;
