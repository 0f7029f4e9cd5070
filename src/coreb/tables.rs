//! The paper's tables from the data, each cell beside the published figure.
//!
//! The figures stand in `profiles/coreb.toml` with table and cell. A cell is never made to agree: what
//! is computed is what the files hold.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::forming::Edition;
use crate::{
    sources::coreb::{Code, Release},
    stats::count,
};

/// Figures are printed to three decimals.
const ROUNDING: f64 = 0.000_5;

/// What a cell counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Measure {
    Queries,
    Judgements,
    Relevance1,
    Relevance2,
    Passed,
    PassRate,
}

/// A published figure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    table: String,
    cell: String,
    release: String,
    measure: Measure,
    /// Of subtask names.
    #[serde(default)]
    prefix: String,
    language: Option<String>,
    /// How the model's name begins.
    model: Option<String>,
    #[serde(rename = "published")]
    figure: f64,
    /// Why data and paper are known to disagree.
    disagrees: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Profile {
    cells: Vec<Published>,
}

static PROFILE: LazyLock<Profile> = LazyLock::new(|| {
    toml::from_str(include_str!("../../profiles/coreb.toml")).expect("a test reads the declared figures")
});

/// How a computed cell compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Mark {
    #[serde(rename = "equal")]
    Equal,
    /// And nobody knows why.
    #[serde(rename = "differs")]
    Differs,
    #[serde(rename = "data and paper disagree")]
    Disagree,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    pub table: &'static str,
    pub cell: &'static str,
    pub published: f64,
    pub data: f64,
    pub mark: Mark,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
}

/// All cells of a release whose published figure is known.
#[must_use]
pub fn cells(release: &Release, edition: Edition) -> Vec<Cell> {
    let of_release = PROFILE.cells.iter().filter(|published| published.release == edition.name());
    of_release.map(|published| cell(published, release)).collect()
}

fn cell(published: &'static Published, release: &Release) -> Cell {
    let data = published.value(release);
    let mark = if (data - published.figure).abs() <= ROUNDING {
        Mark::Equal
    } else if published.disagrees.is_some() {
        Mark::Disagree
    } else {
        Mark::Differs
    };
    let why = published.disagrees.as_deref().filter(|_| mark == Mark::Disagree);
    Cell { table: &published.table, cell: &published.cell, published: published.figure, data, mark, why }
}

impl Published {
    fn value(&self, release: &Release) -> f64 {
        let of_grade = |grade: Option<u32>| {
            let qrels = release.all_qrels().filter(|qrel| grade.is_none_or(|grade| qrel.relevance == grade));
            count(qrels.filter(|qrel| self.has_prefix(qrel.query_id.trim_start_matches("q_"))).count())
        };
        match self.measure {
            Measure::Queries => count(release.all_queries().filter(|query| self.has_prefix(&query.subtask)).count()),
            Measure::Judgements => of_grade(None),
            Measure::Relevance1 => of_grade(Some(1)),
            Measure::Relevance2 => of_grade(Some(2)),
            Measure::Passed => self.n_codes(release, |code| code.passed),
            Measure::PassRate => self.n_codes(release, |code| code.passed) / self.n_codes(release, |_| true).max(1.0),
        }
    }

    fn has_prefix(&self, subtask: &str) -> bool {
        subtask.starts_with(&self.prefix)
    }

    fn n_codes(&self, release: &Release, keep: impl Fn(&Code) -> bool) -> f64 {
        let is_of = |code: &&Code| {
            self.language.as_ref().is_none_or(|language| code.language == *language)
                && self.model.as_ref().is_none_or(|model| code.model.starts_with(model.as_str()))
        };
        count(release.codes.iter().filter(is_of).filter(|code| keep(code)).count())
    }
}

/// For a person.
#[must_use]
pub fn render(cells: &[Cell]) -> String {
    let mut table = crate::summary::table(&["table", "cell", ">published", ">data", "mark", "why"]);
    let figure = |value: f64| if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.3}") };
    for Cell { table: name, cell, published, data, mark, why } in cells {
        let mark = match mark {
            Mark::Equal => "equal",
            Mark::Differs => "differs",
            Mark::Disagree => "data and paper disagree",
        };
        let row = [(*name).to_owned(), (*cell).to_owned(), figure(*published), figure(*data), mark.to_owned()];
        table.add_row(row.into_iter().chain([why.unwrap_or_default().to_owned()]));
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_figure_is_of_a_known_release() {
        assert!(!PROFILE.cells.is_empty());
        for published in &PROFILE.cells {
            assert!(Edition::named(&published.release).is_some(), "{published:?}");
        }
    }
}
