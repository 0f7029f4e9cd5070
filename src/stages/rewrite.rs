//! Stage 2: the counterfactual version of each problem, and the checks that it must pass.
//!
//! Two questions a problem: one for the statement, then, for tests that depend on the story, one
//! for each batch of them. Tests without words are never sent and never change.

mod names;
mod numbers;
mod starter;
mod story;

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::{Value, json};

use super::{Context, StageOutput, asking};
use crate::{
    ids,
    llm::{Reply, Request},
    pipeline::Stage,
    prompts::{Prompt, ReplySchema},
    reply::Reject,
    tables::{Problem, Reason, Rewrite, RewrittenTest, Row, SourceTest, Style},
};

pub(crate) use story::is_independent;

/// A problem with its tests, in order.
struct Original {
    problem: Problem,
    tests: Vec<SourceTest>,
}

/// A batch of tests sent in one request: positions in [`Original::tests`].
struct Batch<'a> {
    original: &'a Original,
    draft: &'a Draft,
    positions: Vec<usize>,
    number: usize,
}

/// A rewritten statement whose tests are still to come.
struct Draft {
    title: String,
    statement: String,
    starter_code: String,
    func_name: Option<String>,
    changes: Vec<String>,
    reply_key: String,
}

pub(super) fn run(ctx: &Context) -> Result<StageOutput> {
    let originals = originals(ctx)?;
    let mut output = StageOutput::new(originals.iter().map(|original| original.problem.key()));
    output.max_rejected_share = Some(ctx.config.config.rewrite.max_rejected_share);
    let prompt = prompt(ctx, "statement")?;
    let replies = asking::ask_json(ctx, Stage::Rewrite, &prompt, &statement_requests(ctx, &prompt, &originals)?)?;
    let mut drafts = Vec::new();
    for (original, reply) in originals.iter().zip(&replies) {
        match draft(prompt.reply_schema()?, original, reply) {
            Ok(draft) => drafts.push((original, draft)),
            Err(Reject { reason, detail }) => output.reject(original.problem.key(), reason, detail),
        }
    }
    let batches = batches(ctx, &drafts);
    let prompt = self::prompt(ctx, "tests")?;
    let replies = asking::ask_json(ctx, Stage::Rewrite, &prompt, &test_requests(ctx, &prompt, &batches)?)?;
    let mut rewritten = rewritten_tests(prompt.reply_schema()?, &batches, &replies);
    let mut rows = Vec::new();
    for (original, draft) in &drafts {
        let answers = rewritten.remove(&original.problem.problem_id).unwrap_or_default();
        match rewrite(ctx, original, draft, answers) {
            Ok(row) => rows.push(row),
            Err(Reject { reason, detail }) => output.reject(original.problem.key(), reason, detail),
        }
    }
    output.table(&rows)?;
    Ok(output)
}

/// The requests for statements; those for tests depend on the replies to these.
pub(super) fn requests(ctx: &Context) -> Result<Vec<Request>> {
    statement_requests(ctx, &prompt(ctx, "statement")?, &originals(ctx)?)
}

fn prompt(ctx: &Context, name: &str) -> Result<Prompt> {
    Ok(Prompt::load(&ctx.store.root, Stage::Rewrite.name(), name)?)
}

fn originals(ctx: &Context) -> Result<Vec<Original>> {
    let mut tests: BTreeMap<String, Vec<SourceTest>> = BTreeMap::new();
    for test in ctx.load::<SourceTest>()? {
        tests.entry(test.problem_id.clone()).or_default().push(test);
    }
    let problems: Vec<Problem> = ctx.load()?;
    let original =
        |problem: Problem| Original { tests: tests.remove(&problem.problem_id).unwrap_or_default(), problem };
    Ok(problems.into_iter().map(original).collect())
}

fn statement_requests(ctx: &Context, prompt: &Prompt, originals: &[Original]) -> Result<Vec<Request>> {
    let request = |original: &Original| {
        let problem = &original.problem;
        let variables = json!({"title": problem.title, "statement": problem.statement,
                               "starter_code": problem.starter_code});
        Ok(prompt.request(&problem.problem_id, &variables, &ctx.config.release.writer, 0)?)
    };
    originals.iter().map(request).collect()
}

fn draft(schema: &ReplySchema, original: &Original, reply: &Reply) -> Result<Draft, Reject> {
    let value = reply.json(schema)?;
    let field = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let changes = value["changes"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let draft = Draft {
        title: field("title").trim().to_owned(),
        statement: field("statement").trim().to_owned(),
        starter_code: field("starter_code"),
        func_name: starter::function_name(&field("starter_code")),
        changes: changes.map(str::to_owned).collect(),
        reply_key: reply.request.key(),
    };
    check(&original.problem, &draft)?;
    Ok(draft)
}

fn check(problem: &Problem, draft: &Draft) -> Result<(), Reject> {
    if draft.title.eq_ignore_ascii_case(&problem.title) || draft.statement == problem.statement.trim() {
        return Err(Reject::new(Reason::Unchanged, "title or statement is the original's"));
    }
    let lost = numbers::lost(&problem.statement, &draft.statement);
    if !lost.is_empty() {
        return Err(Reject::new(Reason::LostNumber, format!("not in the rewrite: {}", lost.join(", "))));
    }
    let kept = names::kept(&problem.statement, &format!("{}\n{}", draft.title, draft.statement));
    if !kept.is_empty() {
        return Err(Reject::new(Reason::KeptName, format!("still in the rewrite: {}", kept.join(", "))));
    }
    match problem.style {
        Style::Stdin if draft.starter_code.trim().is_empty() => Ok(()),
        Style::Stdin => Err(Reject::new(Reason::BadStarterCode, "starter code for a problem that has none")),
        Style::Functional => starter::same_shape(&problem.starter_code, &draft.starter_code)
            .map_err(|detail| Reject::new(Reason::BadStarterCode, detail)),
    }
}

fn batches<'a>(ctx: &Context, drafts: &'a [(&'a Original, Draft)]) -> Vec<Batch<'a>> {
    let size = ctx.config.config.rewrite.tests_per_request;
    let mut batches = Vec::new();
    for (original, draft) in drafts {
        let depends = |test: &SourceTest| !story::is_context_independent(test, original.problem.style);
        let positions: Vec<usize> = (0..original.tests.len()).filter(|&idx| depends(&original.tests[idx])).collect();
        for (number, positions) in positions.chunks(size).enumerate() {
            batches.push(Batch { original, draft, positions: positions.to_vec(), number });
        }
    }
    batches
}

fn test_requests(ctx: &Context, prompt: &Prompt, batches: &[Batch]) -> Result<Vec<Request>> {
    let request = |batch: &Batch| {
        let problem = &batch.original.problem;
        let tests: Vec<Value> = batch
            .positions
            .iter()
            .map(|&idx| &batch.original.tests[idx])
            .map(|test| json!({"input": test.input, "output": test.output}))
            .collect();
        let row_id = ids::join(&[&problem.problem_id, "tests", &ids::index(u32::try_from(batch.number)?)]);
        let variables = json!({"original_statement": problem.statement,
                               "rewritten_statement": batch.draft.statement,
                               "tests": tests, "n_tests": tests.len()});
        Ok(prompt.request(&row_id, &variables, &ctx.config.release.writer, 0)?)
    };
    batches.iter().map(request).collect()
}

/// A test's position, and its new input and output.
type Rewritten = (usize, (String, String));

/// What the model made of a problem's tests, by position, and the keys of its replies.
#[derive(Default)]
struct Answers {
    tests: BTreeMap<usize, (String, String)>,
    reply_keys: Vec<String>,
    flaw: Option<Reject>,
}

fn rewritten_tests(schema: &ReplySchema, batches: &[Batch], replies: &[Reply]) -> BTreeMap<String, Answers> {
    let mut answers: BTreeMap<String, Answers> = BTreeMap::new();
    for (batch, reply) in batches.iter().zip(replies) {
        let answers = answers.entry(batch.original.problem.problem_id.clone()).or_default();
        answers.reply_keys.push(reply.request.key());
        match read_tests(schema, batch, reply) {
            Ok(tests) => answers.tests.extend(tests),
            Err(flaw) => answers.flaw = Some(flaw),
        }
    }
    answers
}

fn read_tests(schema: &ReplySchema, batch: &Batch, reply: &Reply) -> Result<Vec<Rewritten>, Reject> {
    let value = reply.json(schema)?;
    let tests = value["tests"].as_array().cloned().unwrap_or_default();
    if tests.len() != batch.positions.len() {
        let detail = format!("{} tests were sent, {} came back", batch.positions.len(), tests.len());
        return Err(Reject::new(Reason::TestCountChanged, detail));
    }
    let mut rewritten = Vec::new();
    for (&idx, test) in batch.positions.iter().zip(&tests) {
        let original = &batch.original.tests[idx];
        let [input, output] = ["input", "output"].map(|side| test[side].as_str().unwrap_or_default().to_owned());
        story::same_shape(&original.input, &input, batch.original.problem.style)
            .and_then(|()| story::same_shape(&original.output, &output, batch.original.problem.style))
            .map_err(|detail| Reject::new(Reason::TestShapeChanged, format!("test {}: {detail}", original.test_idx)))?;
        rewritten.push((idx, (input, output)));
    }
    Ok(rewritten)
}

fn rewrite(ctx: &Context, original: &Original, draft: &Draft, mut answers: Answers) -> Result<Rewrite, Reject> {
    if let Some(flaw) = answers.flaw.take() {
        return Err(flaw);
    }
    let tests = original.tests.iter().enumerate().map(|(idx, test)| match answers.tests.remove(&idx) {
        Some((input, output)) => RewrittenTest { test_idx: test.test_idx, input, output, changed: true },
        None => RewrittenTest {
            test_idx: test.test_idx,
            input: test.input.clone(),
            output: test.output.clone(),
            changed: false,
        },
    });
    let mut reply_keys = vec![draft.reply_key.clone()];
    reply_keys.append(&mut answers.reply_keys);
    Ok(Rewrite {
        problem_id: original.problem.problem_id.clone(),
        title: draft.title.clone(),
        statement: draft.statement.clone(),
        starter_code: draft.starter_code.clone(),
        func_name: draft.func_name.clone(),
        tests: tests.collect(),
        changes: draft.changes.clone(),
        model: ctx.config.release.writer.clone(),
        reply_keys,
    })
}
