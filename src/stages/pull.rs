//! Stage 1: the pinned sources → problems of the window, their tests, accepted submissions.

use anyhow::Result;

use super::{Context, StageOutput};
use crate::sources;

pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let pulled = sources::pull(ctx)?;
    let mut output = StageOutput::new(pulled.keys);
    output.table(&pulled.problems)?;
    output.table(&pulled.source_tests)?;
    output.table(&pulled.references)?;
    output.rejected = pulled.rejected;
    Ok(output)
}
