//! Stage 7: every program on every test of its suites, in the sandbox.
//!
//! A breakdown of ours is no verdict: such a program is rejected with `internal-error`, and too many
//! of them stop the stage.

mod equivalence;

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::{
    Context, StageOutput,
    running::{Bench, Judged, Subject},
};
use crate::{
    exit_code::Unavailable,
    ids,
    tables::{
        Measurement, Problem, Reason, Reference, Rewrite, Row, Run, Solution, SubjectKind, Suite, Test, Usage,
        VerdictRow,
    },
};

/// Everything that programs are judged by, by problem.
struct Desk {
    problems: BTreeMap<String, Problem>,
    rewrites: BTreeMap<String, Rewrite>,
    /// Grading tests by problem and suite.
    suites: BTreeMap<(String, Suite), Vec<Test>>,
}

pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let desk = Desk::load(ctx)?;
    let mut output = StageOutput::default();
    let subjects = subjects(ctx, &desk, &mut output)?;
    output.expected.extend(subjects.iter().map(|subject| key(&subject.subject_id, subject.suite)));
    let bench = Bench::open(ctx)?;
    let progress = ctx.console.progress("execute", subjects.len() as u64);
    let judged = ctx.in_order(&subjects, |subject| {
        ctx.check_interrupted()?;
        let tests = desk.suites.get(&(subject.problem_id.clone(), subject.suite)).map_or(&[][..], Vec::as_slice);
        let judged = bench.judge(subject, &desk.problems[&subject.problem_id], tests);
        progress.tick();
        judged
    })?;
    drop(progress);
    collect(ctx, &desk, &subjects, judged, output)
}

fn key(subject_id: &str, suite: Suite) -> String {
    ids::join(&[subject_id, suite.name()])
}

fn collect(
    ctx: &Context,
    desk: &Desk,
    subjects: &[Subject],
    judged: Vec<Judged>,
    mut output: StageOutput,
) -> Result<StageOutput> {
    let (mut verdicts, mut runs, mut measurements): (Vec<VerdictRow>, Vec<Run>, Vec<Measurement>) =
        (Vec::new(), Vec::new(), Vec::new());
    let mut broken = Vec::new();
    for (subject, judged) in subjects.iter().zip(judged) {
        match judged {
            Judged::Verdict(verdict, of_runs, of_measurements) => {
                verdicts.push(*verdict);
                runs.extend(of_runs);
                measurements.extend(of_measurements);
            }
            Judged::Broken(detail) => {
                broken.push(format!("{}: {detail}", subject.subject_id));
                output.reject(key(&subject.subject_id, subject.suite), Reason::InternalError, detail);
            }
        }
    }
    check_breakdowns(ctx, subjects.len(), &broken)?;
    output.table(&verdicts)?;
    output.table(&runs)?;
    output.table(&equivalence::checks(&desk.rewrites, &verdicts))?;
    output.table(&measurements)?;
    Ok(output)
}

/// A harness that fails often cannot be trusted with the rest either.
fn check_breakdowns(ctx: &Context, n_subjects: usize, broken: &[String]) -> Result<()> {
    #[expect(clippy::cast_precision_loss, reason = "row counts stay far below 2^52")]
    let share = broken.len() as f64 / n_subjects.max(1) as f64;
    let max = ctx.config.config.execute.max_internal_error_share;
    if share <= max {
        return Ok(());
    }
    let first: Vec<&str> = broken.iter().take(3).map(String::as_str).collect();
    bail!(
        Unavailable::new(format!(
            "{} of {n_subjects} programs have no verdict because the harness failed, more than the share {max} that \
             `max_internal_error_share` allows; first: {}",
            broken.len(),
            first.join("; ")
        ))
        .hint("corebuild check; what was judged is in the journal and is not run again")
    );
}

impl Desk {
    fn load(ctx: &Context) -> Result<Self> {
        let problems = ctx.load::<Problem>()?.into_iter().map(|row| (row.key(), row)).collect();
        let rewrites = ctx.load::<Rewrite>()?.into_iter().map(|row| (row.key(), row)).collect();
        let mut suites: BTreeMap<_, Vec<Test>> = BTreeMap::new();
        for test in ctx.load::<Test>()?.into_iter().filter(|test| test.usage == Usage::Grading) {
            suites.entry((test.problem_id.clone(), test.suite)).or_default().push(test);
        }
        Ok(Self { problems, rewrites, suites })
    }

    fn has(&self, problem_id: &str, suite: Suite) -> bool {
        self.suites.contains_key(&(problem_id.to_owned(), suite))
    }

    /// Whether the rewrite changed a test, so that both suites have something to say.
    fn changed(&self, problem_id: &str) -> bool {
        self.rewrites.get(problem_id).is_some_and(|rewrite| rewrite.tests.iter().any(|test| test.changed))
    }
}

/// What is to be judged: solutions on the rewritten suite, references on the original one, and both
/// on the other suite too where the rewrite changed tests.
fn subjects(ctx: &Context, desk: &Desk, output: &mut StageOutput) -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for solution in ctx.load::<Solution>()? {
        let subject = of_solution(desk, solution);
        add(desk, subject, Suite::Rewritten, &mut subjects, output);
    }
    for reference in ctx.load::<Reference>()? {
        add(desk, of_reference(reference), Suite::Original, &mut subjects, output);
    }
    Ok(subjects)
}

fn add(desk: &Desk, subject: Subject, own: Suite, subjects: &mut Vec<Subject>, output: &mut StageOutput) {
    if !desk.has(&subject.problem_id, own) {
        let key = key(&subject.subject_id, own);
        output.expected.insert(key.clone());
        output.reject(key, Reason::ProblemRejected, format!("`{}` has no test suite", subject.problem_id));
        return;
    }
    let other = if own == Suite::Original { Suite::Rewritten } else { Suite::Original };
    if desk.changed(&subject.problem_id) && desk.has(&subject.problem_id, other) {
        subjects.push(Subject { suite: other, ..subject.clone() });
    }
    subjects.push(Subject { suite: own, ..subject });
}

fn of_solution(desk: &Desk, solution: Solution) -> Subject {
    let func_name = desk.rewrites.get(&solution.problem_id).and_then(|rewrite| rewrite.func_name.clone());
    Subject {
        subject_id: solution.solution_id,
        subject: SubjectKind::Solution,
        problem_id: solution.problem_id,
        language: solution.language,
        model: Some(solution.model),
        suite: Suite::Rewritten,
        func_name,
        code: solution.code,
        no_code_reason: solution.no_code_reason,
    }
}

fn of_reference(reference: Reference) -> Subject {
    Subject {
        subject_id: reference.submission_id,
        subject: SubjectKind::Reference,
        problem_id: reference.problem_id,
        language: reference.language,
        model: None,
        suite: Suite::Original,
        func_name: None,
        code: Some(reference.code),
        no_code_reason: None,
    }
}
