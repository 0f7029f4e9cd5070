//! The report on a release: one self-contained HTML page, without scripts and without anything from
//! outside. Draws facts; computes no score and reads no file.

mod chart;
mod view;

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use minijinja::{Environment, UndefinedBehavior, syntax::SyntaxConfig, value::Serde};
use serde::{Deserialize, Serialize};

use crate::{
    config::Window,
    pipeline::Stage,
    receipt::Receipt,
    retrieval::Collection,
    scoring::{Average, TaskScores},
    tables::{Difficulty, VerdictRow},
};

/// `sanity.json`: how well a plain retriever does on the release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sanity {
    pub release: String,
    pub retriever: Retriever,
    pub cutoffs: Vec<usize>,
    pub queries_without_positive: String,
    /// What each measure is, by name.
    pub definitions: BTreeMap<String, String>,
    /// Over all queries of all tasks.
    pub overall: Average,
    pub tasks: Vec<TaskScores>,
}

/// What searched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retriever {
    pub name: String,
    pub k1: f64,
    pub b: f64,
    /// How texts become terms.
    pub terms: String,
    /// Hits kept per query.
    pub depth: usize,
}

/// All that the report shows.
#[derive(Debug)]
pub struct Facts {
    pub created_at: String,
    pub window: Window,
    pub sanity: Sanity,
    pub collections: Vec<Collection>,
    pub verdicts: Vec<VerdictRow>,
    pub difficulty: Vec<Difficulty>,
    /// In pipeline order.
    pub receipts: Vec<(Stage, Receipt)>,
}

/// Draws the page.
///
/// # Errors
/// When the template does not fit the view: a bug of ours.
pub fn render(facts: &Facts) -> Result<String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build().context("set the template's syntax")?,
    );
    // The name's ending is what turns escaping on.
    environment
        .add_template("report.html", include_str!("report/report.html"))
        .context("parse the report's template")?;
    let template = environment.get_template("report.html").context("find the report's template")?;
    template.render(Serde(view::View::new(facts))).context("draw the report")
}

#[cfg(test)]
mod tests;
