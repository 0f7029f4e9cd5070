//! `corebuild diff`.

use std::path::Path;

use anyhow::Result;

use crate::{console::Console, coreb::diff, exit_code::ExitCode, sources::coreb::Release};

pub(super) fn run(a: &Path, b: &Path, json: bool, console: &Console) -> Result<ExitCode> {
    let diff = diff::diff(&Release::load(a)?, &Release::load(b)?);
    console.data(&if json { serde_json::to_string(&diff)? } else { diff.render() });
    Ok(ExitCode::Done)
}
