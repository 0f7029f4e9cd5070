//! The rows of both suites of one problem.

use std::collections::{BTreeMap, BTreeSet};

use super::{Material, key};
use crate::{
    seeded,
    stages::{Context, StageOutput, rewrite},
    tables::{Reason, SourceTest, Suite, Test, TestOrigin, Usage},
};

/// A test whose output references agreed on.
#[derive(Clone, Debug)]
pub(super) struct Synthesised {
    pub(super) test_idx: u32,
    pub(super) input: String,
    /// Or why there is none.
    pub(super) expected: Result<String, (Reason, String)>,
    pub(super) n_agreeing: u32,
}

/// The official tests that are used: the first of each input, at most the configured number.
pub(super) fn official(
    ctx: &Context,
    tests: Vec<SourceTest>,
    dropped: &mut Vec<(String, Reason, String)>,
) -> Vec<SourceTest> {
    let mut inputs = BTreeMap::new();
    let mut kept = Vec::new();
    for test in tests {
        if let Some(first) = inputs.get(&test.input) {
            let key = key(&test.problem_id, Suite::Original, test.test_idx);
            dropped.push((key, Reason::DuplicateTest, format!("the input of test {first}")));
        } else {
            inputs.insert(test.input.clone(), test.test_idx);
            kept.push(test);
        }
    }
    let max = ctx.config.config.tests.max_tests;
    if max == 0 || kept.len() <= max {
        return kept;
    }
    draw(ctx.config.release.seed, &kept, max, dropped)
}

fn draw(seed: u64, tests: &[SourceTest], max: usize, dropped: &mut Vec<(String, Reason, String)>) -> Vec<SourceTest> {
    let problem_id = tests[0].problem_id.clone();
    let name = |test: &SourceTest| test.test_idx.to_string();
    let mut drawn = seeded::sample(seed, &["tests", &problem_id], tests.to_vec(), max, name);
    drawn.sort_by_key(|test| test.test_idx);
    let kept: BTreeSet<u32> = drawn.iter().map(|test| test.test_idx).collect();
    for test in tests.iter().filter(|test| !kept.contains(&test.test_idx)) {
        let key = key(&problem_id, Suite::Original, test.test_idx);
        dropped.push((key, Reason::OverSampleLimit, format!("{max} tests are drawn by `max_tests`")));
    }
    drawn
}

/// Adds the rows of one problem, or the reasons why it has none.
pub(super) fn form(
    ctx: &Context,
    material: &Material,
    synthesised: &[Synthesised],
    rows: &mut Vec<Test>,
    output: &mut StageOutput,
) {
    let original = original(material, synthesised, output);
    let rewritten = rewritten(material, &original, output);
    for mut suite in [original, rewritten] {
        output.expected.extend(suite.iter().map(|test| key(&test.problem_id, test.suite, test.test_idx)));
        let settings = &ctx.config.config.tests;
        if settings.keep_example && suite.len() > settings.min_tests {
            mark_example(&mut suite);
        }
        let n_grading = suite.iter().filter(|test| test.usage == Usage::Grading).count();
        if n_grading >= settings.min_tests {
            rows.extend(suite);
        } else {
            for test in suite {
                let detail = format!("{n_grading} grading tests, {} are needed", settings.min_tests);
                output.reject(key(&test.problem_id, test.suite, test.test_idx), Reason::TooFewTests, detail);
            }
        }
    }
}

fn original(material: &Material, synthesised: &[Synthesised], output: &mut StageOutput) -> Vec<Test> {
    let official = material.official.iter().map(|test| Test {
        problem_id: test.problem_id.clone(),
        suite: Suite::Original,
        test_idx: test.test_idx,
        origin: test.origin,
        usage: Usage::Grading,
        input: test.input.clone(),
        expected: test.output.clone(),
        n_agreeing: None,
    });
    let mut suite: Vec<Test> = official.collect();
    let problem_id = &material.problem.problem_id;
    for made in synthesised {
        match &made.expected {
            Ok(expected) => suite.push(Test {
                problem_id: problem_id.clone(),
                suite: Suite::Original,
                test_idx: made.test_idx,
                origin: TestOrigin::Synthesised,
                usage: Usage::Grading,
                input: made.input.clone(),
                expected: expected.clone(),
                n_agreeing: Some(made.n_agreeing),
            }),
            Err((reason, detail)) => {
                let key = key(problem_id, Suite::Original, made.test_idx);
                output.expected.insert(key.clone());
                output.reject(key, *reason, detail.clone());
            }
        }
    }
    suite
}

/// Official tests as the rewrite has them; synthesised ones only where nothing in them can depend
/// on the story.
fn rewritten(material: &Material, original: &[Test], output: &mut StageOutput) -> Vec<Test> {
    let by_idx: BTreeMap<u32, _> = material.rewrite.tests.iter().map(|test| (test.test_idx, test)).collect();
    let mut suite = Vec::new();
    for test in original {
        let mut test = Test { suite: Suite::Rewritten, ..test.clone() };
        if let Some(rewritten) = by_idx.get(&test.test_idx) {
            test.input.clone_from(&rewritten.input);
            test.expected.clone_from(&rewritten.output);
            suite.push(test);
        } else if [&test.input, &test.expected].iter().all(|t| rewrite::is_independent(t, material.problem.style)) {
            suite.push(test);
        } else {
            let key = key(&test.problem_id, Suite::Rewritten, test.test_idx);
            output.expected.insert(key.clone());
            output.reject(key, Reason::NeedsRewrite, "a synthesised test with words of the story");
        }
    }
    suite
}

/// The smallest test, the first of equals.
fn mark_example(suite: &mut [Test]) {
    if let Some(test) = suite.iter_mut().min_by_key(|test| (test.input.len() + test.expected.len(), test.test_idx)) {
        test.usage = Usage::Example;
    }
}
