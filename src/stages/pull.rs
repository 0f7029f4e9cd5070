//! Stage 1: the pinned sources → problems of the window, their tests, accepted submissions.

use anyhow::Result;

use super::{Context, StageOutput};
use crate::{
    sources::{self, Places, Progress},
    tables::Row,
};

pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let config = ctx.config;
    let sources: Vec<_> =
        config.release.sources.iter().map(|name| (name.as_str(), &config.config.sources[name])).collect();
    let snapshots = ctx.store.root.join("snapshots");
    let places = Places { root: &ctx.store.root, snapshots: &snapshots };
    let on_progress = |_: Progress| ctx.check_interrupted();
    let pulled = sources::pull(&sources, &config.release.window, config.release.seed, places, &on_progress)?;
    let rows = pulled.problems.iter().map(Row::key).chain(pulled.references.iter().map(Row::key));
    let mut output = StageOutput::new(rows.chain(pulled.rejected.iter().map(|row| row.key.clone())));
    output.table(&pulled.problems)?;
    output.table(&pulled.source_tests)?;
    output.table(&pulled.references)?;
    output.rejected = pulled.rejected;
    Ok(output)
}
