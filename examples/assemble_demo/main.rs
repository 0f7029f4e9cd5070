//! Assembles `snapshots/demo` from what was written by hand under `snapshots/demo/authored`.
//!
//!     cargo run --release --example assemble_demo
//!
//! 1. The sources: LiveCodeBench records (private tests pickled) and a CodeNet tree.
//! 2. The pins of both in `pipeline.toml` are printed, to be pasted where they changed.
//! 3. The recordings: both demo releases are cut with a provider that answers from the authored
//!    replies, through the very code that journals a real model's replies; the journal, sorted by
//!    key, is what ships.

mod replies;
mod sources;

use std::path::Path;

use anyhow::Result;

fn main() -> Result<()> {
    let demo = Path::new("snapshots/demo");
    sources::write_livecodebench(demo)?;
    sources::write_codenet(demo)?;
    let console = corebuild::console::Console::new(false);
    for source in ["livecodebench/demo.jsonl", "Project_CodeNet"] {
        let (_, pin, _) = corebuild::sources::measure(&demo.join(source), &mut |_| Ok(()))?;
        console.data(&format!("{source} sha256 = \"{pin}\""));
    }
    replies::record(demo, &console)
}
