//! The one integration test binary.

mod config;
mod real_data;
mod tidy;
