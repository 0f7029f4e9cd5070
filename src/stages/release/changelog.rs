//! The gate: a release that the changelog does not speak of is not cut.

use std::path::Path;

use anyhow::Result;

use crate::exit_code::Invalid;

const FILE: &str = "CHANGELOG.md";

/// # Errors
/// [`Invalid`] when no heading of `CHANGELOG.md` below `root` names the release.
pub(crate) fn check(root: &Path, release: &str) -> Result<()> {
    let path = root.join(FILE);
    let text = if path.exists() { fs_err::read_to_string(&path)? } else { String::new() };
    if names(&text, release) {
        return Ok(());
    }
    let hint = format!("add a section `## {release}` that says what is in it and how it differs from the last one");
    Err(Invalid::new(format!("no heading of `{FILE}` names the release `{release}`")).hint(hint).into())
}

fn names(changelog: &str, release: &str) -> bool {
    let is_id = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let headings = changelog.lines().filter(|line| line.starts_with('#'));
    headings.flat_map(|line| line.split(|c| !is_id(c))).any(|word| word == release)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_heading_with_the_whole_name_opens_the_gate() {
        assert!(names("# Changelog\n\n## [demo202601] - 2026-02-01\n", "demo202601"));
        assert!(names("## demo202601\n", "demo202601"));
        assert!(!names("## demo202601b\n", "demo202601"));
        assert!(!names("text about demo202601\n", "demo202601"));
        assert!(!names("", "demo202601"));
    }

    #[test]
    fn a_missing_changelog_is_told_with_a_hint() {
        let dir = tempfile::tempdir().unwrap();
        let error = check(dir.path(), "demo202601").unwrap_err();
        assert_eq!(crate::exit_code::ExitCode::of(&error), crate::exit_code::ExitCode::Invalid);
        assert!(crate::exit_code::hint(&error).unwrap().contains("## demo202601"));
    }
}
