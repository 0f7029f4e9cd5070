//! `corebuild relabel`.

use std::path::Path;

use anyhow::Result;

use crate::{coreb::relabel, exit_code::ExitCode, sources::coreb::Release, stages::Context};

pub(super) fn run(ctx: &Context, dir: &Path, tests: &Path, json: bool) -> Result<ExitCode> {
    let relabelling = relabel::relabel(ctx, &Release::load(dir)?, tests)?;
    ctx.console.data(&if json { serde_json::to_string(&relabelling)? } else { relabelling.render() });
    Ok(if relabelling.not_judged.is_empty() { ExitCode::Done } else { ExitCode::Unavailable })
}
