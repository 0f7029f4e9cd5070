//! `corebuild repair`.

use std::path::Path;

use anyhow::Result;

use crate::{console::Console, coreb::repair, exit_code::ExitCode, sources::coreb::Release};

pub(super) fn run(dir: &Path, name: &str, dist: &Path, json: bool, console: &Console) -> Result<ExitCode> {
    let repair = repair::repair(&Release::load(dir)?, name, dist)?;
    console.data(&if json { serde_json::to_string(&repair)? } else { repair.render() });
    Ok(ExitCode::Done)
}
