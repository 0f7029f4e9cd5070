//! The one integration test binary.

mod config;
mod tidy;
