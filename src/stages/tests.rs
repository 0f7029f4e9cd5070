//! Stage 5: the test suites that programs are judged on.
//!
//! A problem has an original suite and, for its rewrite, a rewritten one with the same numbering.
//! Official tests come first. A problem with references and few tests gets synthesised ones: inputs
//! by a model, outputs where enough independent references agree. The smallest test of a problem is
//! kept back as the one-shot example.

mod suite;
mod synthesis;

use std::collections::BTreeMap;

use anyhow::Result;

use super::{Context, StageOutput};
use crate::{
    ids,
    llm::Request,
    tables::{Problem, Reason, Reference, Rewrite, SourceTest, Suite, Test},
};

/// All that the stage knows of one problem.
struct Material {
    problem: Problem,
    rewrite: Rewrite,
    /// Official tests: of each distinct input the first, at most the configured number.
    official: Vec<SourceTest>,
    references: Vec<Reference>,
}

pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let mut dropped = Vec::new();
    let materials = materials(ctx, &mut dropped)?;
    let synthesised = synthesis::synthesise(ctx, &materials)?;
    let mut output = StageOutput::default();
    for (key, reason, detail) in dropped {
        output.expected.insert(key.clone());
        output.reject(key, reason, detail);
    }
    let mut rows: Vec<Test> = Vec::new();
    for material in &materials {
        let made = synthesised.get(&material.problem.problem_id).map_or(&[][..], Vec::as_slice);
        suite::form(ctx, material, made, &mut rows, &mut output);
    }
    output.table(&rows)?;
    Ok(output)
}

pub(super) fn requests(ctx: &Context) -> Result<Vec<Request>> {
    let materials = materials(ctx, &mut Vec::new())?;
    synthesis::requests(ctx, &synthesis::prompt(ctx)?, &synthesis::lacking(ctx, &materials))
}

/// The key of a test before it is a row.
fn key(problem_id: &str, suite: Suite, test_idx: u32) -> String {
    ids::join(&[problem_id, suite.name(), &ids::index(test_idx)])
}

/// Problems that have a rewrite, with what belongs to them. Official tests that are not used are
/// noted in `dropped`.
fn materials(ctx: &Context, dropped: &mut Vec<(String, Reason, String)>) -> Result<Vec<Material>> {
    let mut problems: BTreeMap<String, Problem> =
        ctx.load::<Problem>()?.into_iter().map(|problem| (problem.problem_id.clone(), problem)).collect();
    let mut tests: BTreeMap<String, Vec<SourceTest>> = BTreeMap::new();
    for test in ctx.load::<SourceTest>()? {
        tests.entry(test.problem_id.clone()).or_default().push(test);
    }
    let mut references: BTreeMap<String, Vec<Reference>> = BTreeMap::new();
    for reference in ctx.load::<Reference>()? {
        references.entry(reference.problem_id.clone()).or_default().push(reference);
    }
    let mut materials = Vec::new();
    for rewrite in ctx.load::<Rewrite>()? {
        let id = rewrite.problem_id.clone();
        let Some(problem) = problems.remove(&id) else { continue };
        let official = suite::official(ctx, tests.remove(&id).unwrap_or_default(), dropped);
        materials.push(Material { problem, rewrite, official, references: references.remove(&id).unwrap_or_default() });
    }
    Ok(materials)
}
