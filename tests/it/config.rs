//! Good and bad configurations, each bad one with the message that it earns.

use std::path::Path;

use corebuild::config::Config;

fn shipped() -> String {
    fs_err::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline.toml")).expect("pipeline.toml")
}

/// Replaces a piece of the shipped file and returns what loading it says.
fn mistake(from: &str, to: &str) -> String {
    let text = shipped();
    assert!(text.contains(from), "pipeline.toml holds no `{from}`");
    let error = Config::parse(&text.replacen(from, to, 1), "pipeline.toml", Path::new("."));
    error.expect_err("a bad configuration").to_string()
}

fn check(from: &str, to: &str, expected: &str) {
    let message = mistake(from, to);
    assert!(message.contains(expected), "expected `{expected}` in:\n{message}");
}

#[test]
fn the_shipped_file_is_good() {
    let config = Config::parse(&shipped(), "pipeline.toml", Path::new(".")).expect("a good file");
    assert!(config.release(None).is_ok());
    assert!(config.release(Some("demo202602")).is_ok());
    let unknown = config.release(Some("demo209901")).expect_err("no such release").to_string();
    assert!(unknown.contains("known: demo202601, demo202602"), "{unknown}");
}

#[test]
fn an_unknown_key_is_an_error_with_its_line() {
    check("[solve]\n", "[solve]\nsamplez = 1\n", "unknown field `samplez`");
    assert!(mistake("[solve]\n", "[solve]\nsamplez = 1\n").contains("| samplez = 1"));
}

#[test]
fn an_unknown_language_names_the_known_ones() {
    check("\"python\", \"ruby\"]", "\"pyhton\", \"ruby\"]", "unknown variant `pyhton`");
    check("\"python\", \"ruby\"]", "\"pyhton\", \"ruby\"]", "`python`");
}

#[test]
fn unknown_names_list_the_known_ones() {
    check(
        "writer = \"demo-writer\"",
        "writer = \"demo-righter\"",
        "unknown model `demo-righter` (known: demo-alpha, demo-beta, demo-writer)",
    );
    check("sources = [\"demo-livecodebench\"", "sources = [\"demo-lcb\"", "unknown source `demo-lcb`");
    check("default_release = \"demo202601\"", "default_release = \"x\"", "unknown release `x`");
}

#[test]
fn all_mistakes_are_told_at_once() {
    let text = shipped()
        .replacen("samples = 1", "samples = 0", 1)
        .replacen("max_internal_error_share = 0.01", "max_internal_error_share = 7", 1)
        .replacen("until = \"2026-01-01\"", "until = \"soon\"", 1);
    let message = Config::parse(&text, "pipeline.toml", Path::new(".")).expect_err("three mistakes").to_string();
    assert!(message.starts_with("3 mistake(s) in `pipeline.toml`"), "{message}");
    for part in ["[solve] samples", "max_internal_error_share = 7", "`soon` is not a date"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn limits_and_pins_must_make_sense() {
    check("cpu_ms = 2000, wall_ms = 10000", "cpu_ms = 2000, wall_ms = 1000", "wall_ms is below cpu_ms");
    check("cpu_ms = 2000, wall_ms = 10000", "cpu_ms = 0, wall_ms = 10000", "has a limit of 0");
    check("file://snapshots/demo/livecodebench", "ftp://snapshots/demo/livecodebench", "neither file:// nor https://");
    check("until = \"2026-01-01\"", "until = \"2025-01-01\"", "window is empty");
}
