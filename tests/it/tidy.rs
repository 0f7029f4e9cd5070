//! House rules that a program can check.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use corebuild::{exit_code::ExitCode, pipeline::Stage, tables::Reason};

/// Lines of a source file without its tests.
const MAX_LINES: usize = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs_err::read_to_string(path).expect("a readable file")
}

/// All files below a directory with one of the given endings.
fn files(dir: &str, endings: &[&str]) -> Vec<PathBuf> {
    let mut open = vec![root().join(dir)];
    let mut files = Vec::new();
    while let Some(dir) = open.pop() {
        for entry in fs_err::read_dir(&dir).expect("a readable directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if endings.iter().any(|ending| path.to_string_lossy().ends_with(ending)) {
                files.push(path);
            }
        }
    }
    files.sort_unstable();
    files
}

fn sources() -> Vec<PathBuf> {
    [files("src", &[".rs"]), files("tests", &[".rs"]), files("examples", &[".rs"])].concat()
}

#[test]
fn every_source_file_says_what_it_owns() {
    for path in sources() {
        assert!(read(&path).starts_with("//! "), "`{}` does not open with `//!`", path.display());
    }
}

#[test]
fn no_source_file_outgrows_the_budget() {
    for path in files("src", &[".rs"]) {
        let text = read(&path);
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let is_tests = path.ends_with("tests.rs") || path.to_string_lossy().contains("/tests/");
        let n_lines = code.lines().count();
        assert!(is_tests || n_lines <= MAX_LINES, "`{}` has {n_lines} lines, {MAX_LINES} at most", path.display());
    }
}

#[test]
fn no_module_hides_in_mod_rs_or_a_junk_drawer() {
    for path in sources() {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let banned = ["mod", "utils", "util", "helpers", "common", "manager", "prelude", "misc"];
        assert!(!banned.contains(&stem.as_str()), "`{}`", path.display());
    }
}

#[test]
fn the_map_names_every_module_and_no_other() {
    let lib = read(&root().join("src/lib.rs"));
    let modules: BTreeSet<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let map: String = lib.lines().filter(|line| line.starts_with("//!")).collect::<Vec<_>>().join("\n");
    let named: BTreeSet<&str> = map
        .split("[`")
        .skip(1)
        .filter_map(|rest| rest.split("`]").next())
        .filter(|name| name.chars().all(|c| c.is_lowercase() || c == '_' || c == '2'))
        .collect();
    assert_eq!(named, modules);
}

#[test]
fn readme_lists_the_exit_codes_as_they_are() {
    let readme = read(&root().join("README.md"));
    let codes = [
        ExitCode::Done,
        ExitCode::Bug,
        ExitCode::Usage,
        ExitCode::BadConfig,
        ExitCode::Incomplete,
        ExitCode::Invalid,
        ExitCode::Unavailable,
        ExitCode::Interrupted,
    ];
    for code in codes {
        assert!(readme.contains(&format!("| {} |", code as u8)), "exit code {code:?} is not in the README");
    }
    let docs = read(&root().join("src/exit_code.rs"));
    for row in docs.lines().filter_map(|line| line.strip_prefix("//! | ")) {
        assert!(readme.contains(row) || row.starts_with("code"), "the README's table lacks `{row}`");
    }
}

#[test]
fn reasons_are_unique_kebab_case_and_used() {
    let names: BTreeSet<&str> = Reason::ALL.iter().map(|reason| reason.name()).collect();
    assert_eq!(names.len(), Reason::ALL.len());
    let code: String = files("src", &[".rs"])
        .iter()
        .filter(|path| !path.ends_with("tables/rejected.rs"))
        .map(|path| read(path))
        .collect();
    for reason in Reason::ALL {
        assert!(reason.name().chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", reason.name());
        let text = serde_json::to_string(reason).expect("a reason has a text form");
        assert_eq!(text, format!("\"{}\"", reason.name()));
        assert!(code.contains(&format!("Reason::{reason:?}")), "no code gives the reason `{}`", reason.name());
    }
}

#[test]
fn every_stage_that_asks_models_has_prompts_that_load() {
    for stage in Stage::ALL.into_iter().filter(|stage| stage.asks_models()) {
        let prompts = corebuild::prompts::load_all(root(), stage.name()).expect("loadable prompts");
        assert!(!prompts.is_empty(), "`{}` has no prompt", stage.name());
    }
}

#[test]
fn nothing_tracked_names_a_machine_or_a_secret() {
    // In pieces, so that this file does not hold them itself.
    let banned = [["/ro", "ot/"], ["BEGIN PRIVATE", " KEY"], ["sk-", "ant-"], ["gh", "p_"]].map(|parts| parts.concat());
    let texts = [
        sources(),
        files("prompts", &[".jinja"]),
        files("scripts", &[".sh"]),
        files("validators", &[".json", ".py", ".toml"]),
        vec![
            root().join("README.md"),
            root().join("Makefile"),
            root().join("pipeline.toml"),
            root().join("Cargo.toml"),
        ],
    ];
    for path in texts.concat() {
        let text = read(&path);
        for banned in &banned {
            assert!(!text.contains(banned), "`{}` holds `{banned}`", path.display());
        }
    }
}
