//! Door 2 over real HTTP: providers that throttle, cut, refuse, time out, lie and die.
#![expect(clippy::print_stdout, reason = "figures and what is skipped")]

mod batches;
mod kills;
mod real;
mod repairs;
mod speed;
mod stub;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use FinishReason::{Length, Refusal, Stop};
use corebuild::{
    config::{Config, ReleaseConfig, StructuredOutput},
    exit_code::{self, ExitCode},
    llm::{self, Budget, FinishReason, Journal, Llm, Message, Reply, Request, Role, Sampling},
};
use serde_json::json;

use stub::{Answer, Asked, Stub, chat};

static GO_ON: AtomicBool = AtomicBool::new(false);

fn config(model: &str) -> ReleaseConfig {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline.toml");
    let text = fs_err::read_to_string(shipped).expect("pipeline.toml") + "\n[models.m]\n" + model;
    Config::parse(&text, "pipeline.toml", Path::new(".")).expect("a good file").release(None).expect("a release")
}

fn request(row_id: &str) -> Request {
    Request {
        stage: "rewrite".to_owned(),
        prompt: "statement".to_owned(),
        prompt_version: 1,
        row_id: row_id.to_owned(),
        model: "m".to_owned(),
        messages: vec![Message { role: Role::User, content: row_id.to_owned() }],
        sampling: Sampling::of(Some(0.5), None, 100),
        reply_schema: None,
        sample_idx: 0,
    }
}

fn requests(n: usize) -> Vec<Request> {
    (0..n).map(|n| request(&format!("row-{n}"))).collect()
}

fn complete_within(
    dir: &Path,
    model: &str,
    requests: &[Request],
    budget: Option<&Arc<Budget>>,
) -> anyhow::Result<Vec<Reply>> {
    let providers = llm::providers(&config(model), ["m"], budget)?;
    Llm::open(dir, "rewrite", providers, &GO_ON)?.complete_all(requests, 4, &|| ())
}

fn complete(dir: &Path, model: &str, requests: &[Request]) -> anyhow::Result<Vec<Reply>> {
    complete_within(dir, model, requests, None)
}

fn dir() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

fn openai(stub: &Stub) -> String {
    format!("provider = \"openai\"\nbase_url = \"{}\"\nmodel = \"stub\"\n", stub.url())
}

fn n_journalled(dir: &Path) -> usize {
    Journal::open_read_only(dir, "rewrite").expect("readable").map_or(0, |journal| journal.keys().len())
}

#[test]
fn all_three_formats_bring_a_reply_with_everything_that_came_with_it() {
    let stub = Stub::start(|asked| match asked.path.as_str() {
        "/v1/chat/completions" => chat("hello", "stop"),
        "/v1/messages" => Answer::ok(&json!({"id": "x", "model": "stub-1", "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "hello"}], "usage": {"input_tokens": 100, "output_tokens": 10}})),
        "/v1/models/stub:generateContent" => Answer::ok(&json!({"modelVersion": "stub-1", "responseId": "x",
            "candidates": [{"content": {"parts": [{"text": "hello"}]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10}})),
        path => Answer::error(404, "", path),
    });
    for provider in ["openai", "anthropic", "gemini"] {
        let model = format!("provider = \"{provider}\"\nbase_url = \"{}\"\nmodel = \"stub\"\n", stub.url());
        let dir = dir();
        let reply = complete(dir.path(), &model, &requests(1)).expect("answered").remove(0);
        assert_eq!((reply.text.as_str(), reply.finish_reason), ("hello", FinishReason::Stop), "{provider}");
        assert_eq!((reply.usage.input_tokens, reply.usage.output_tokens), (100, 10));
        assert_eq!((reply.model_version.as_str(), reply.request_id.as_str()), ("stub-1", "req-7"));
        assert_eq!(reply.received_at, "2026-01-31T12:00:00Z");
        complete(dir.path(), &model, &requests(1)).expect("from the journal");
    }
    assert_eq!(stub.n_asked(), 3, "the journal answered the second time");
}

#[test]
fn throttled_calls_wait_as_long_as_they_are_told_to() {
    let n = AtomicUsize::new(0);
    let stub = Stub::start(move |_| match n.fetch_add(1, Ordering::SeqCst) {
        0..3 => Answer::error(429, "retry-after: 1\r\n", "slow down"),
        _ => chat("ok", "stop"),
    });
    let (dir, start) = (dir(), Instant::now());
    complete(dir.path(), &(openai(&stub) + "concurrency = 3"), &requests(6)).expect("answered at last");
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(stub.n_asked(), 9);
    let failures = fs_err::read_to_string(dir.path().join("rewrite.failures.jsonl")).expect("failures");
    assert_eq!(failures.matches("HTTP 429: slow down").count(), 3);
}

#[test]
fn broken_answers_are_asked_for_again_and_never_served() {
    let seen: Mutex<BTreeMap<String, usize>> = Mutex::default();
    let stub = Stub::start(move |asked| {
        let row = asked.question();
        let n = *seen.lock().expect("not poisoned").entry(row.clone()).and_modify(|n| *n += 1).or_insert(0);
        match (row.as_str(), n) {
            ("row-0", 0) => Answer::Cut,
            ("row-1", 0) => Answer::Silence(Duration::from_secs(3)),
            ("row-2", 0) => Answer::ok(&json!({"choices": []})),
            ("row-3", 0) => Answer::Whole { status: 200, headers: String::new(), body: b"<html>".to_vec() },
            ("row-4", 0) => Answer::error(500, "", "oops"),
            _ => chat(&row, "stop"),
        }
    });
    let dir = dir();
    let replies = complete(dir.path(), &(openai(&stub) + "timeout_s = 1"), &requests(6)).expect("all healed");
    let texts: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
    assert_eq!(texts, ["row-0", "row-1", "row-2", "row-3", "row-4", "row-5"]);
    assert_eq!(stub.n_asked(), 11);
    assert_eq!(n_journalled(dir.path()), 6);
}

#[test]
fn what_cannot_heal_ends_the_stage_at_once_with_the_providers_words_and_our_hint() {
    for (status, hint) in [(400, "sampling"), (401, "key"), (403, "key"), (404, "base_url")] {
        let stub = Stub::start(move |_| Answer::error(status, "", "no such thing here"));
        let dir = dir();
        let error = complete(dir.path(), &(openai(&stub) + "concurrency = 2"), &requests(50)).expect_err("refused");
        assert_eq!(ExitCode::of(&error), ExitCode::Unavailable);
        assert!(error.to_string().contains(&format!("HTTP {status}: no such thing here")), "{error}");
        assert!(exit_code::hint(&error).is_some_and(|text| text.contains(hint)), "{:?}", exit_code::hint(&error));
        assert!(stub.n_asked() <= 2, "{} calls", stub.n_asked());
        assert_eq!(n_journalled(dir.path()), 0);
    }
}

#[test]
fn provider_that_is_down_ends_the_stage_soon_and_resumable() {
    let stub = Stub::start(|_| Answer::error(503, "retry-after: 0\r\n", "down for maintenance"));
    let dir = dir();
    let model = openai(&stub) + "concurrency = 2\nmax_retries = 1";
    let error = complete(dir.path(), &model, &requests(500)).expect_err("down");
    assert_eq!(ExitCode::of(&error), ExitCode::Incomplete);
    assert!(error.to_string().contains("500 of 500 requests have no reply"), "{error}");
    assert!(error.to_string().contains("down for maintenance"), "{error}");
    assert!(stub.n_asked() <= 10, "{} calls", stub.n_asked());
}

#[test]
fn content_filter_is_a_refusal_and_case_34_sends_only_cut_rows_again() {
    let stub = Stub::start(|asked| {
        let limit = asked.json()["max_tokens"].as_u64().expect("a limit");
        match asked.question().as_str() {
            "row-0" => Answer::error(400, "", "The response was filtered: content_filter"),
            "row-1" | "row-3" if limit < 200 => chat("cut sho", "length"),
            row => chat(row, "stop"),
        }
    });
    let (dir, mut requests) = (dir(), requests(5));
    let replies = complete(dir.path(), &openai(&stub), &requests).expect("answered");
    let finishes = |replies: &[Reply]| -> Vec<FinishReason> { replies.iter().map(|r| r.finish_reason).collect() };
    assert_eq!(finishes(&replies), [Refusal, Length, Stop, Length, Stop]);
    assert_eq!(stub.n_asked(), 5);
    for request in &mut requests {
        request.sampling.max_tokens = 200;
    }
    let replies = complete(dir.path(), &openai(&stub), &requests).expect("answered");
    assert_eq!(finishes(&replies), [Refusal, Stop, Stop, Stop, Stop]);
    let again: Vec<String> = stub.asked()[5..].iter().map(Asked::question).collect();
    assert_eq!(again.len(), 2, "{again:?}");
}

#[test]
fn server_without_schemas_is_probed_once_and_the_form_is_recorded() {
    let stub = Stub::start(|asked| match asked.json()["response_format"]["type"].as_str() {
        Some("json_schema") => Answer::error(400, "", "response_format json_schema is not supported"),
        Some("json_object") => chat("{}", "stop"),
        _ => chat("no form", "stop"),
    });
    let mut requests = requests(20);
    for request in &mut requests {
        request.reply_schema = Some(json!({"type": "object"}));
    }
    let dir = dir();
    let replies = complete(dir.path(), &openai(&stub), &requests).expect("answered");
    assert!(replies.iter().all(|reply| reply.call.structured_output == Some(StructuredOutput::JsonObject)));
    assert_eq!(stub.n_asked(), 21, "one probe");
    let none = openai(&stub) + "structured_output = \"none\"";
    let replies = complete(self::dir().path(), &none, &requests).expect("answered");
    assert!(replies.iter().all(|reply| reply.text == "no form"));
}

#[test]
fn max_cost_stops_before_it_is_passed_calls_in_flight_included() {
    let stub = Stub::start(|_| {
        std::thread::sleep(Duration::from_millis(20));
        chat("ok", "stop")
    });
    // 100 tokens in and 10 out are 0.0002 + 0.0001; at most, 100 out are 0.001.
    let model = openai(&stub) + "concurrency = 8\nprice = { date = \"2026-01-01\", input = 2.0, output = 10.0 }\n";
    let (dir, budget) = (dir(), Arc::new(Budget::new(0.005)));
    let error = complete_within(dir.path(), &model, &requests(100), Some(&budget)).expect_err("too dear");
    assert_eq!(ExitCode::of(&error), ExitCode::Incomplete);
    assert!(error.to_string().contains("--max-cost"), "{error}");
    assert!(budget.spent() <= budget.limit(), "{} of {}", budget.spent(), budget.limit());
    let n = n_journalled(dir.path());
    assert!((10..=16).contains(&n), "{n} replies for 0.005 at 0.0003 each, with 0.001 for the last to fear");
    assert_eq!(stub.n_asked(), n, "every call that was paid is in the journal");
    let unknown = openai(&stub);
    let error = complete_within(dir.path(), &unknown, &requests(100), Some(&budget)).expect_err("no price");
    assert_eq!(ExitCode::of(&error), ExitCode::BadConfig);
}

#[test]
fn requests_and_tokens_a_minute_are_kept_to() {
    let stub = Stub::start(|_| chat("ok", "stop"));
    let (dir, start) = (dir(), Instant::now());
    // A portion is 10 calls, then 2 a second.
    let model = openai(&stub) + "concurrency = 16\nrequests_per_minute = 120\n";
    complete(dir.path(), &model, &requests(14)).expect("answered");
    assert!(start.elapsed() >= Duration::from_millis(1900), "{:?}", start.elapsed());
    // 6,000 tokens a minute: 500 at once, then 100 a second; each call may take 100 and what it sends.
    let start = Instant::now();
    let model = openai(&stub) + "concurrency = 16\ntokens_per_minute = 6000\n";
    complete(self::dir().path(), &model, &requests(8)).expect("answered");
    assert!(start.elapsed() >= Duration::from_millis(1500), "{:?}", start.elapsed());
}

#[test]
fn samples_of_one_row_are_calls_of_their_own_with_seeds_of_their_own() {
    let stub = Stub::start(|asked| chat(&asked.json()["seed"].to_string(), "stop"));
    let mut samples = vec![request("a"), request("a"), request("a")];
    for (n, sample) in (0..).zip(&mut samples) {
        sample.sample_idx = n;
        sample.sampling.seed = Some(40);
    }
    let replies = complete(dir().path(), &openai(&stub), &samples).expect("answered");
    let texts: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
    assert_eq!(texts, ["40", "41", "42"]);
}

#[test]
fn request_bytes_are_the_same_for_the_same_request() {
    let stub = Stub::start(|_| chat("ok", "stop"));
    for _ in 0..2 {
        complete(dir().path(), &openai(&stub), &requests(1)).expect("answered");
    }
    let asked = stub.asked();
    assert_eq!(asked[0].body, asked[1].body);
    assert!(asked[0].json()["response_format"].is_null());
    assert_eq!((asked[0].method.as_str(), asked[0].path.as_str()), ("POST", "/v1/chat/completions"));
    assert!(!asked[0].headers.to_lowercase().contains("authorization"), "no key is named for this server");
}

#[test]
fn the_real_build_in_the_shipped_comments_is_a_good_file() {
    let shipped = fs_err::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline.toml")).expect("a file");
    let build = shipped.split("\n# [releases.v202604]\n").nth(1).expect("the build").split("\n\n# ---").next();
    let lines = build.expect("its end").lines().map(|line| line.trim_start_matches('#').trim_start_matches(' '));
    let build = lines.filter(|line| !line.starts_with("# ")).collect::<Vec<_>>().join("\n");
    let text = format!("{shipped}\n[releases.v202604]\n{build}\n");
    let config = Config::parse(&text, "pipeline.toml", Path::new(".")).expect("a good build");
    let release = config.release(Some("v202604")).expect("a release");
    for name in release.release.solvers.iter().chain([&release.release.writer]) {
        assert!(release.model(name).price.is_some(), "{name}");
    }
    assert_eq!(release.config.sources["livecodebench"].exclude.len(), 17);
}
