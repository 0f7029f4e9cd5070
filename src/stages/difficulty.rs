//! Clusters problems into levels by the code metrics of their Python references.
//!
//! One language only, since metrics of two languages are not comparable. Means per problem become
//! z-scores over all problems, k-means clusters those, and levels rise with complexity.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{Context, StageOutput};
use crate::{
    languages::Language,
    stats::{self, kmeans},
    tables::{Difficulty, KeptReference, Reason, Rewrite},
};

/// The language whose metrics decide.
const LANGUAGE: Language = Language::Python;

/// A problem's means over its references.
#[derive(Debug)]
struct Means {
    problem_id: String,
    n_references: u32,
    cyclomatic: f64,
    effort: f64,
    sloc: f64,
}

/// # Errors
/// When a table cannot be read.
pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let rewrites: Vec<Rewrite> = ctx.load()?;
    let by_problem = group(ctx.load()?);
    let mut output = StageOutput::new(rewrites.iter().map(|row| row.problem_id.clone()));
    let mut means = Vec::new();
    for rewrite in &rewrites {
        let references = by_problem.get(&rewrite.problem_id).map_or(&[][..], Vec::as_slice);
        match means_of(&rewrite.problem_id, references)? {
            Some(row) => means.push(row),
            None => output.reject(&rewrite.problem_id, Reason::TooFewReferences, why(references)),
        }
    }
    let settings = &ctx.config.config.difficulty;
    let params = kmeans::Params {
        k: settings.k,
        min_cluster: settings.min_cluster,
        n_runs: settings.n_runs,
        max_iterations: settings.max_iterations,
        seed: ctx.config.release.seed,
    };
    let rows = ctx.in_parallel(|| rate(&means, &params))??;
    output.table(&rows)?;
    Ok(output)
}

fn group(references: Vec<KeptReference>) -> BTreeMap<String, Vec<KeptReference>> {
    let mut groups: BTreeMap<String, Vec<KeptReference>> = BTreeMap::new();
    for row in references.into_iter().filter(|row| row.language == LANGUAGE) {
        groups.entry(row.problem_id.clone()).or_default().push(row);
    }
    groups
}

/// `None` where some mean is undefined. References of undefined effort count for the other means.
fn means_of(problem_id: &str, references: &[KeptReference]) -> Result<Option<Means>> {
    let mean = |values: Vec<f64>| stats::mean(&values);
    let metrics = || references.iter().map(|row| &row.metrics);
    let (Some(cyclomatic), Some(effort), Some(sloc)) = (
        mean(metrics().map(|m| f64::from(m.cyclomatic)).collect()),
        mean(metrics().filter_map(|m| m.halstead_effort).collect()),
        mean(metrics().map(|m| f64::from(m.sloc)).collect()),
    ) else {
        return Ok(None);
    };
    let n_references = u32::try_from(references.len())?;
    Ok(Some(Means { problem_id: problem_id.to_owned(), n_references, cyclomatic, effort, sloc }))
}

fn why(references: &[KeptReference]) -> String {
    if references.is_empty() {
        format!("no {} reference is kept", LANGUAGE.title())
    } else {
        format!("the effort of all {} {} references is undefined", references.len(), LANGUAGE.title())
    }
}

fn rate(means: &[Means], params: &kmeans::Params) -> Result<Vec<Difficulty>> {
    let z = |value: fn(&Means) -> f64| stats::z_scores(&means.iter().map(value).collect::<Vec<f64>>());
    let (cyclomatic, effort, sloc) = (z(|m| m.cyclomatic), z(|m| m.effort), z(|m| m.sloc));
    let points: Vec<[f64; 3]> = (0..means.len()).map(|i| [cyclomatic[i], effort[i], sloc[i]]).collect();
    let levels = kmeans::levels(&points, params)?;
    let rows = means.iter().zip(&points).zip(levels).map(|((means, point), level)| Difficulty {
        problem_id: means.problem_id.clone(),
        level,
        n_references: means.n_references,
        mean_cyclomatic: rounded(means.cyclomatic),
        mean_effort: rounded(means.effort),
        mean_sloc: rounded(means.sloc),
        z_cyclomatic: rounded(point[0]),
        z_effort: rounded(point[1]),
        z_sloc: rounded(point[2]),
    });
    Ok(rows.collect())
}

/// To six decimals: what is left is the same on every machine.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{code::CodeMetrics, tables::SubjectKind};

    const PARAMS: kmeans::Params = kmeans::Params { k: 2, min_cluster: 1, n_runs: 5, max_iterations: 100, seed: 1 };

    fn kept(id: &str, language: Language, cyclomatic: u32, halstead_effort: Option<f64>) -> KeptReference {
        KeptReference {
            reference_id: id.to_owned(),
            origin: SubjectKind::Reference,
            problem_id: "p".to_owned(),
            language,
            metrics: CodeMetrics { cyclomatic, halstead_effort, sloc: 10 },
        }
    }

    #[test]
    fn undefined_effort_is_left_out_of_its_mean_only() {
        let rows = [kept("a", LANGUAGE, 2, Some(100.0)), kept("b", LANGUAGE, 4, None)];
        let means = means_of("p", &rows).unwrap().unwrap();
        assert_eq!((means.n_references, means.cyclomatic, means.effort), (2, 3.0, 100.0));
    }

    #[test]
    fn a_problem_without_a_defined_effort_has_no_level() {
        assert!(means_of("p", &[]).unwrap().is_none());
        assert!(means_of("p", &[kept("a", LANGUAGE, 2, None)]).unwrap().is_none());
        assert!(group(vec![kept("a", Language::Cpp, 2, Some(1.0))]).is_empty());
    }

    #[test]
    fn harder_problems_have_higher_levels() {
        let means: Vec<Means> = [(1.0, 50.0), (20.0, 9000.0), (2.0, 60.0), (22.0, 9500.0)]
            .iter()
            .enumerate()
            .map(|(i, (cyclomatic, effort))| Means {
                problem_id: format!("p{i}"),
                n_references: 1,
                cyclomatic: *cyclomatic,
                effort: *effort,
                sloc: 5.0,
            })
            .collect();
        let rows = rate(&means, &PARAMS).unwrap();
        assert_eq!(rows.iter().map(|row| row.level).collect::<Vec<_>>(), [0, 1, 0, 1]);
        assert_eq!(rows.iter().map(|row| row.z_sloc).collect::<Vec<_>>(), [0.0; 4]);
    }
}
