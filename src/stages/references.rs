//! Keeps programs that are right, measures their code, and drops outliers of complexity.
//!
//! A problem's references are its accepted submissions that pass the original suite; where its
//! source has none, the solutions that pass the rewritten suite stand in. Only relations within one
//! problem and language are used here: metrics of two languages are not comparable.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rayon::prelude::*;

use super::{Context, StageOutput};
use crate::{
    code,
    languages::Language,
    stats,
    tables::{KeptReference, Reason, Reference, Rejected, Solution, SubjectKind, Suite, VerdictRow},
    verdict::Verdict,
};

/// A program that may become a reference.
#[derive(Debug)]
struct Candidate {
    reference_id: String,
    origin: SubjectKind,
    problem_id: String,
    language: Language,
    code: Option<String>,
}

/// # Errors
/// When a table cannot be read.
pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let candidates = candidates(ctx.load()?, ctx.load()?);
    let verdicts = verdicts(ctx.load()?);
    ctx.check_interrupted()?;
    let mut output = StageOutput::new(candidates.iter().map(|candidate| candidate.reference_id.clone()));
    let measured: Vec<Result<KeptReference, Rejected>> =
        ctx.in_parallel(|| candidates.par_iter().map(|candidate| measure(candidate, &verdicts)).collect())?;
    let mut rows = Vec::new();
    for result in measured {
        match result {
            Ok(row) => rows.push(row),
            Err(rejected) => output.rejected.push(rejected),
        }
    }
    let settings = &ctx.config.config.references;
    let (kept, outliers) = drop_outliers(rows, settings.sigmas, settings.min_group);
    output.rejected.extend(outliers);
    output.table(&kept)?;
    Ok(output)
}

/// All references, and the solutions of problems that have none.
fn candidates(references: Vec<Reference>, solutions: Vec<Solution>) -> Vec<Candidate> {
    let with_references: BTreeSet<String> = references.iter().map(|row| row.problem_id.clone()).collect();
    let solutions = solutions.into_iter().filter(|row| !with_references.contains(&row.problem_id)).map(from_solution);
    references.into_iter().map(from_reference).chain(solutions).collect()
}

fn from_reference(row: Reference) -> Candidate {
    Candidate {
        reference_id: row.submission_id,
        origin: SubjectKind::Reference,
        problem_id: row.problem_id,
        language: row.language,
        code: Some(row.code),
    }
}

fn from_solution(row: Solution) -> Candidate {
    Candidate {
        reference_id: row.solution_id,
        origin: SubjectKind::Solution,
        problem_id: row.problem_id,
        language: row.language,
        code: row.code,
    }
}

fn verdicts(rows: Vec<VerdictRow>) -> BTreeMap<(String, Suite), Verdict> {
    rows.into_iter().map(|row| ((row.subject_id, row.suite), row.verdict)).collect()
}

fn suite_of(origin: SubjectKind) -> Suite {
    match origin {
        SubjectKind::Reference => Suite::Original,
        SubjectKind::Solution => Suite::Rewritten,
    }
}

fn measure(candidate: &Candidate, verdicts: &BTreeMap<(String, Suite), Verdict>) -> Result<KeptReference, Rejected> {
    let reject = |reason, detail: String| Rejected { key: candidate.reference_id.clone(), reason, detail };
    let suite = suite_of(candidate.origin);
    match verdicts.get(&(candidate.reference_id.clone(), suite)) {
        None => return Err(reject(Reason::ProblemRejected, format!("no verdict on the {} suite", suite.name()))),
        Some(Verdict::InternalError) => return Err(reject(Reason::InternalError, String::new())),
        Some(Verdict::Accepted) => {}
        Some(verdict) => return Err(reject(Reason::FailedTests, verdict.name().to_owned())),
    }
    let code = candidate.code.as_deref().unwrap_or_default();
    let metrics = code::measure(candidate.language, code).map_err(|e| reject(Reason::Unparsable, e.to_string()))?;
    Ok(KeptReference {
        reference_id: candidate.reference_id.clone(),
        origin: candidate.origin,
        problem_id: candidate.problem_id.clone(),
        language: candidate.language,
        metrics,
    })
}

/// Within each problem and language; small groups have no outliers.
fn drop_outliers(rows: Vec<KeptReference>, sigmas: f64, min_group: usize) -> (Vec<KeptReference>, Vec<Rejected>) {
    let mut groups: BTreeMap<(String, Language), Vec<f64>> = BTreeMap::new();
    for row in &rows {
        groups.entry(group_of(row)).or_default().push(f64::from(row.metrics.cyclomatic));
    }
    let bounds: BTreeMap<(String, Language), f64> = groups
        .into_iter()
        .filter(|(_, values)| values.len() >= min_group)
        .filter_map(|(group, values)| Some((group, stats::upper_bound(&values, sigmas)?)))
        .collect();
    let mut outliers = Vec::new();
    let kept = rows.into_iter().filter(|row| {
        let bound = bounds.get(&group_of(row)).copied().unwrap_or(f64::INFINITY);
        let is_kept = f64::from(row.metrics.cyclomatic) <= bound;
        if !is_kept {
            let detail = format!("cyclomatic {} above {bound:.2}", row.metrics.cyclomatic);
            outliers.push(Rejected { key: row.reference_id.clone(), reason: Reason::ComplexityOutlier, detail });
        }
        is_kept
    });
    (kept.collect(), outliers)
}

fn group_of(row: &KeptReference) -> (String, Language) {
    (row.problem_id.clone(), row.language)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::CodeMetrics;

    fn reference(id: &str, problem_id: &str, code: &str) -> Reference {
        Reference {
            submission_id: id.to_owned(),
            problem_id: problem_id.to_owned(),
            language: Language::Python,
            original_language: "Python (3.8.2)".to_owned(),
            code: code.to_owned(),
            cpu_time_ms: None,
            memory_kib: None,
        }
    }

    fn solution(id: &str, problem_id: &str) -> Solution {
        Solution {
            solution_id: id.to_owned(),
            problem_id: problem_id.to_owned(),
            language: Language::Python,
            model: "m".to_owned(),
            sample_idx: 0,
            prompt: "p".to_owned(),
            code: Some("print(1)".to_owned()),
            no_code_reason: None,
            reply_key: String::new(),
        }
    }

    fn kept(id: usize, language: Language, cyclomatic: u32) -> KeptReference {
        KeptReference {
            reference_id: format!("s{id:03}"),
            origin: SubjectKind::Reference,
            problem_id: "p".to_owned(),
            language,
            metrics: CodeMetrics { cyclomatic, halstead_effort: None, sloc: 1 },
        }
    }

    #[test]
    fn solutions_stand_in_only_where_a_problem_has_no_references() {
        let found = candidates(vec![reference("s1", "a", "")], vec![solution("x", "a"), solution("y", "b")]);
        let ids: Vec<&str> = found.iter().map(|candidate| candidate.reference_id.as_str()).collect();
        assert_eq!(ids, ["s1", "y"]);
    }

    #[test]
    fn only_accepted_and_parsable_programs_are_kept_each_with_its_reason() {
        let programs = [("s1", "print(1)"), ("s2", "print(1)"), ("s3", "if"), ("s4", ""), ("s5", "")];
        let rows = programs.map(|(id, code)| reference(id, "a", code)).to_vec();
        let mut verdicts = BTreeMap::new();
        for (id, verdict) in [
            ("s1", Verdict::Accepted),
            ("s2", Verdict::TimeLimit),
            ("s3", Verdict::Accepted),
            ("s4", Verdict::InternalError),
        ] {
            verdicts.insert((id.to_owned(), Suite::Original), verdict);
        }
        // A verdict on the other suite is no evidence.
        verdicts.insert(("s5".to_owned(), Suite::Rewritten), Verdict::Accepted);
        let reasons: Vec<Option<Reason>> =
            candidates(rows, Vec::new()).iter().map(|c| measure(c, &verdicts).err().map(|r| r.reason)).collect();
        let expected = [
            None,
            Some(Reason::FailedTests),
            Some(Reason::Unparsable),
            Some(Reason::InternalError),
            Some(Reason::ProblemRejected),
        ];
        assert_eq!(reasons, expected);
    }

    #[test]
    fn outliers_are_judged_per_language_and_small_groups_are_left_alone() {
        let mut rows: Vec<KeptReference> = (0..19).map(|id| kept(id, Language::Python, 3)).collect();
        rows.push(kept(19, Language::Python, 60));
        rows.push(kept(20, Language::Cpp, 60));
        rows.push(kept(21, Language::Cpp, 2));
        let (left, outliers) = drop_outliers(rows.clone(), 3.0, 10);
        assert_eq!(outliers.iter().map(|row| row.key.as_str()).collect::<Vec<_>>(), ["s019"]);
        assert_eq!(left.len(), 21);
        assert!(drop_outliers(rows, 3.0, 21).1.is_empty());
    }
}
