//! Door 2 with providers that answer as they are told to.

use std::sync::{
    Mutex,
    atomic::{AtomicU32, AtomicUsize},
};

use super::{request::tests::request, *};
use crate::exit_code::ExitCode;

/// A provider that answers as it is told to and counts what it is asked.
#[derive(Default)]
struct Scripted {
    asked: Mutex<Vec<String>>,
    n_failures: AtomicU32,
    /// Rows whose answers need more tokens than these.
    long: Vec<(&'static str, u32)>,
    refused: Vec<&'static str>,
    unknown: Vec<&'static str>,
    fatal: Vec<&'static str>,
}

fn reply(request: &Request, text: &str, finish_reason: FinishReason) -> Reply {
    Reply {
        request: request.clone(),
        text: text.to_owned(),
        finish_reason,
        usage: Usage { input_tokens: 10, output_tokens: 30, ..Usage::default() },
        model_version: "demo-alpha-1".to_owned(),
        request_id: format!("req-{}", request.row_id),
        received_at: "2026-01-01T00:00:00Z".to_owned(),
        call: Call::default(),
    }
}

impl Provider for Scripted {
    fn complete(&self, request: &Request) -> Result<Reply, ProviderError> {
        let row_id = request.row_id.as_str();
        self.asked.lock().expect("not poisoned").push(row_id.to_owned());
        if self.n_failures.load(Ordering::SeqCst) > 0 {
            self.n_failures.fetch_sub(1, Ordering::SeqCst);
            let retry_after = Some(Duration::from_millis(1));
            return Err(ProviderError::Transient {
                message: "503 overloaded".to_owned(),
                retry_after,
                is_overload: true,
            });
        }
        if self.fatal.contains(&row_id) {
            return Err(ProviderError::fatal("401 bad key"));
        }
        if self.unknown.contains(&row_id) {
            return Err(ProviderError::NoRecording { detail: "nobody recorded it".to_owned() });
        }
        if self.refused.contains(&row_id) {
            return Ok(reply(request, "", FinishReason::Refusal));
        }
        let needs = self.long.iter().find(|(row, _)| *row == row_id).map_or(1, |(_, needs)| *needs);
        if needs > request.sampling.max_tokens {
            return Ok(reply(request, "cut", FinishReason::Length));
        }
        Ok(reply(request, &format!("answer to {row_id}"), FinishReason::Stop))
    }
}

impl Scripted {
    fn asked(&self) -> Vec<String> {
        let mut asked = std::mem::take(&mut *self.asked.lock().expect("not poisoned"));
        asked.sort_unstable();
        asked
    }
}

static GO_ON: AtomicBool = AtomicBool::new(false);

fn open(dir: &Path, provider: &Arc<Scripted>) -> Llm<'static> {
    let providers = Providers::from([("demo-alpha".to_owned(), Arc::clone(provider) as Arc<dyn Provider>)]);
    Llm::open(dir, "rewrite", providers, &GO_ON).expect("opens")
}

fn complete(dir: &Path, provider: &Arc<Scripted>, requests: &[Request]) -> Result<Vec<Reply>> {
    open(dir, provider).complete_all(requests, 3, &|| ())
}

fn dir() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

#[test]
fn replies_come_in_the_order_asked_and_no_request_is_sent_twice() {
    let (dir, provider) = (dir(), Arc::new(Scripted::default()));
    let requests: Vec<Request> = ["c", "a", "b", "a", "c"].map(request).to_vec();
    let n_done = AtomicUsize::new(0);
    let replies = open(dir.path(), &provider)
        .complete_all(&requests, 3, &|| {
            n_done.fetch_add(1, Ordering::Relaxed);
        })
        .expect("all answered");
    let rows: Vec<&str> = replies.iter().map(|reply| reply.request.row_id.as_str()).collect();
    assert_eq!(rows, ["c", "a", "b", "a", "c"]);
    assert_eq!(provider.asked(), ["a", "b", "c"]);
    assert_eq!(n_done.into_inner(), 5);
    assert_eq!(complete(dir.path(), &provider, &requests).expect("from the journal"), replies);
    assert_eq!(provider.asked(), [""; 0]);
}

#[test]
fn case_33_new_parser_costs_no_call_and_new_temperature_does() {
    let (dir, provider) = (dir(), Arc::new(Scripted::default()));
    let mut requests = ["a", "b"].map(request).to_vec();
    let raw = complete(dir.path(), &provider, &requests).expect("all answered");
    assert_eq!(provider.asked(), ["a", "b"]);
    // What is read out of a reply is nowhere in the journal, so reading it differently starts from
    // the same raw text.
    assert_eq!(complete(dir.path(), &provider, &requests).expect("from the journal"), raw);
    assert_eq!(provider.asked(), [""; 0]);
    for request in &mut requests {
        request.sampling.temperature = Some(0.9);
    }
    complete(dir.path(), &provider, &requests).expect("all answered");
    assert_eq!(provider.asked(), ["a", "b"]);
}

#[test]
fn case_34_raising_max_tokens_sends_only_the_cut_rows_again() {
    let long = vec![("b", 150), ("d", 500)];
    let (dir, provider) = (dir(), Arc::new(Scripted { long, ..Scripted::default() }));
    let mut requests = ["a", "b", "c", "d"].map(request).to_vec();
    let replies = complete(dir.path(), &provider, &requests).expect("all answered");
    assert_eq!(replies[1].finish_reason, FinishReason::Length);
    assert_eq!(provider.asked(), ["a", "b", "c", "d"]);
    complete(dir.path(), &provider, &requests).expect("a cut reply serves its own limit");
    assert_eq!(provider.asked(), [""; 0]);
    for request in &mut requests {
        request.sampling.max_tokens = 200;
    }
    let replies = complete(dir.path(), &provider, &requests).expect("all answered");
    assert_eq!(provider.asked(), ["b", "d"]);
    let finish_reasons: Vec<FinishReason> = replies.iter().map(|reply| reply.finish_reason).collect();
    let (stop, length) = (FinishReason::Stop, FinishReason::Length);
    assert_eq!(finish_reasons, [stop, stop, stop, length]);
}

#[test]
fn refusal_is_recorded_as_one_and_not_asked_again() {
    let (dir, provider) = (dir(), Arc::new(Scripted { refused: vec!["a"], ..Scripted::default() }));
    let requests = [request("a")];
    for _ in 0..2 {
        let replies = complete(dir.path(), &provider, &requests).expect("answered");
        assert_eq!(replies[0].finish_reason, FinishReason::Refusal);
    }
    assert_eq!(provider.asked(), ["a"]);
}

#[test]
fn transport_error_is_retried_and_never_served_as_an_answer() {
    let (dir, provider) = (dir(), Arc::new(Scripted { n_failures: AtomicU32::new(2), ..Scripted::default() }));
    let replies = complete(dir.path(), &provider, &[request("a")]).expect("answered at last");
    assert_eq!(replies[0].text, "answer to a");
    assert_eq!(provider.asked(), ["a", "a", "a"]);
    let failures = fs_err::read_to_string(dir.path().join("rewrite.failures.jsonl")).expect("the failures");
    assert_eq!(failures.matches("503 overloaded").count(), 2);

    provider.n_failures.store(1000, Ordering::SeqCst);
    let error = complete(dir.path(), &provider, &[request("a"), request("b")]).expect_err("the provider is down");
    assert_eq!(ExitCode::of(&error), ExitCode::Incomplete);
    assert_eq!(provider.asked().len(), Traffic::default().max_retries as usize + 1, "`a` is in the journal");
    let journal = Journal::open_read_only(dir.path(), "rewrite").expect("readable").expect("is there");
    assert_eq!(journal.keys(), [request("a").key()]);
}

#[test]
fn stage_without_all_replies_is_incomplete_and_keeps_what_it_had() {
    let (dir, provider) = (dir(), Arc::new(Scripted { unknown: vec!["b", "d"], ..Scripted::default() }));
    let requests = ["a", "b", "c", "d", "e"].map(request);
    let error = complete(dir.path(), &provider, &requests).expect_err("two rows have no recording");
    assert_eq!(ExitCode::of(&error), ExitCode::Incomplete);
    assert_eq!(
        error.to_string(),
        "stage `rewrite`: 2 of 5 requests have no reply: rows b, d\n\
         `b` (model `demo-alpha`, prompt `statement`): nobody recorded it"
    );
    assert!(crate::exit_code::hint(&error).is_some());
    provider.asked();
    let provider = Arc::new(Scripted::default());
    complete(dir.path(), &provider, &requests).expect("all answered");
    assert_eq!(provider.asked(), ["b", "d"]);
}

#[test]
fn refusing_provider_stops_the_stage_at_once() {
    let (dir, provider) = (dir(), Arc::new(Scripted { fatal: vec!["a"], ..Scripted::default() }));
    let requests: Vec<Request> = (0..100).map(|n| request(if n == 0 { "a" } else { "b" })).collect();
    let error = open(dir.path(), &provider).complete_all(&requests, 1, &|| ()).expect_err("a bad key");
    assert_eq!(ExitCode::of(&error), ExitCode::Unavailable);
    assert!(error.to_string().contains("401 bad key") && error.to_string().contains("row `a`"), "{error}");
    assert_eq!(provider.asked(), ["a"]);
}

#[test]
fn interrupted_run_stops_between_calls_and_goes_on_later() {
    let interrupted = AtomicBool::new(false);
    let (dir, provider) = (dir(), Arc::new(Scripted::default()));
    let requests: Vec<Request> = (0..20).map(|n| request(&format!("{n:02}"))).collect();
    let providers = Providers::from([("demo-alpha".to_owned(), Arc::clone(&provider) as Arc<dyn Provider>)]);
    let llm = Llm::open(dir.path(), "rewrite", providers, &interrupted).expect("opens");
    let n_done = AtomicUsize::new(0);
    let stop_at_seven = || {
        if n_done.fetch_add(1, Ordering::SeqCst) + 1 == 7 {
            interrupted.store(true, Ordering::SeqCst);
        }
    };
    let error = llm.complete_all(&requests, 1, &stop_at_seven).expect_err("interrupted");
    assert_eq!(ExitCode::of(&error), ExitCode::Interrupted);
    drop(llm);
    assert_eq!(provider.asked().len(), 7);
    complete(dir.path(), &provider, &requests).expect("all answered");
    assert_eq!(provider.asked().len(), 13);
}

#[test]
fn unknown_model_is_named_before_anything_is_asked() {
    let (dir, provider) = (dir(), Arc::new(Scripted::default()));
    let mut requests = [request("a"), request("b")];
    requests[1].model = "demo-gamma".to_owned();
    let error = complete(dir.path(), &provider, &requests).expect_err("an unknown model");
    assert_eq!(ExitCode::of(&error), ExitCode::BadConfig);
    assert_eq!(provider.asked(), [""; 0]);
}

#[test]
fn reply_to_another_request_is_not_taken() {
    struct Confused;
    impl Provider for Confused {
        fn complete(&self, _: &Request) -> Result<Reply, ProviderError> {
            Ok(reply(&request("other"), "text", FinishReason::Stop))
        }
    }
    let dir = dir();
    let providers = Providers::from([("demo-alpha".to_owned(), Arc::new(Confused) as Arc<dyn Provider>)]);
    let llm = Llm::open(dir.path(), "rewrite", providers, &GO_ON).expect("opens");
    assert!(llm.complete_all(&[request("a")], 1, &|| ()).is_err());
    assert_eq!(llm.journal().keys(), [""; 0]);
}

#[test]
fn journal_shipped_as_recordings_replays_to_the_same_replies() {
    let (recorded, work) = (dir(), dir());
    let scripted = Arc::new(Scripted { long: vec![("b", 150)], ..Scripted::default() });
    let mut requests = ["a", "b", "c"].map(request).to_vec();
    let replies = complete(recorded.path(), &scripted, &requests).expect("all answered");
    let replay = || {
        let replay = Replay::open(recorded.path()).expect("recordings");
        let providers = Providers::from([("demo-alpha".to_owned(), Arc::new(replay) as Arc<dyn Provider>)]);
        Llm::open(work.path(), "rewrite", providers, &GO_ON).expect("opens")
    };
    assert_eq!(replay().complete_all(&requests, 2, &|| ()).expect("all recorded"), replies);

    requests[1].sampling.max_tokens = 200;
    let error = replay().complete_all(&requests, 2, &|| ()).expect_err("cut at 100").to_string();
    assert!(error.contains("was cut at 100 tokens, 200 are asked for now"), "{error}");

    requests[2].messages[0].content = "rewrite c well".to_owned();
    let error = replay().complete_all(&requests[2..], 2, &|| ()).expect_err("changed since").to_string();
    assert!(error.contains("has changed since: messages"), "{error}");
    assert!(error.contains("recorded: rewrite c\n  asked:    rewrite c well"), "{error}");

    let error = replay().complete_all(&[request("z")], 2, &|| ()).expect_err("never recorded").to_string();
    assert!(error.contains("holds no reply for the row"), "{error}");
}

#[test]
fn estimate_counts_only_what_is_missing() {
    let (dir, provider) = (dir(), Arc::new(Scripted::default()));
    let requests = ["a", "b", "b", "c"].map(request);
    let fresh = tokens::estimate(None, &requests).expect("counts");
    assert_eq!(fresh["demo-alpha"].n_calls, 3);
    assert_eq!(fresh["demo-alpha"].output_tokens, 300, "the limit, without any history");
    assert_eq!(fresh["demo-alpha"].input_tokens, 3 * tokens::input_tokens(&requests[0]));
    complete(dir.path(), &provider, &requests[..1]).expect("answered");
    let journal = Journal::open_read_only(dir.path(), "rewrite").expect("readable");
    let rest = tokens::estimate(journal.as_ref(), &requests).expect("counts");
    assert_eq!(rest["demo-alpha"].n_calls, 2);
    assert_eq!(rest["demo-alpha"].output_tokens, 60, "as long as the replies so far");
}

#[test]
fn tokens_are_those_of_the_public_vocabularies() {
    use tokens::Encoding::{self, Cl100kBase, O200kBase};
    assert_eq!(Cl100kBase.count("hello world"), 2);
    assert_eq!(O200kBase.count("hello world"), 2);
    assert_eq!(Encoding::for_model("gpt-4-turbo"), Cl100kBase);
    assert_eq!(Encoding::for_model("gpt-4o-mini"), O200kBase);
    assert!(!O200kBase.is_exact_for("demo-alpha"));
}
