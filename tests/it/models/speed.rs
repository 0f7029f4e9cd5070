//! Two thousand calls in a process of their own, so that its memory can be told.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use super::*;

const N_CALLS: u32 = 2000;
const CONCURRENCY: u32 = 64;
const LATENCY: Duration = Duration::from_millis(50);

/// Set in the child: where the stub is.
const STUB: &str = "COREBUILD_TEST_STUB";

#[test]
fn two_thousand_calls_at_concurrency_64_are_made_side_by_side() {
    if let Ok(url) = std::env::var(STUB) {
        return child(&url);
    }
    let stub = Stub::start(|asked| {
        std::thread::sleep(LATENCY);
        chat(&asked.question(), "stop")
    });
    let exe = std::env::current_exe().expect("this test");
    let name = "models::speed::two_thousand_calls_at_concurrency_64_are_made_side_by_side";
    let run = || {
        let out = Command::new(&exe).args([name, "--exact", "--nocapture"]).env(STUB, stub.url()).output();
        let out = String::from_utf8(out.expect("a run").stdout).expect("text");
        let figure = |key: &str| -> f64 {
            let rest = out.split(key).nth(1).unwrap_or_else(|| panic!("no {key} in {out}"));
            rest.split_whitespace().next().expect("a figure").parse().expect("a number")
        };
        (figure("seconds="), figure("peak_mib="))
    };
    let ideal = LATENCY.as_secs_f64() * f64::from(N_CALLS.div_ceil(CONCURRENCY));
    // Other tests share the cores: the best of three says what the code can do.
    let runs = [run(), run(), run()];
    let seconds = runs.iter().map(|(seconds, _)| *seconds).fold(f64::INFINITY, f64::min);
    let peak = runs.iter().map(|(_, peak)| *peak).fold(0.0, f64::max);
    println!("{N_CALLS} calls: {seconds:.2} s, ideal {ideal:.2} s, peak {peak:.0} MiB");
    assert!(peak < 150.0, "{peak} MiB");
    assert_eq!(stub.n_asked(), 3 * N_CALLS as usize);
    // Not a benchmark: calls one after another would take 64 times the ideal.
    assert!(seconds <= 8.0 * ideal, "{seconds:.2} s, ideal {ideal:.2} s");
}

fn child(url: &str) {
    let model = format!("provider = \"openai\"\nbase_url = \"{url}\"\nmodel = \"stub\"\nconcurrency = {CONCURRENCY}\n");
    let (dir, requests, start) = (dir(), requests(N_CALLS as usize), Instant::now());
    let replies = complete(dir.path(), &model, &requests).expect("answered");
    let seconds = start.elapsed().as_secs_f64();
    assert!(replies.iter().zip(&requests).all(|(reply, request)| reply.text == request.row_id));
    let status = fs_err::read_to_string("/proc/self/status").expect("a status");
    let peak = status.split("VmHWM:").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("a peak");
    let peak: f64 = peak.parse().expect("a number");
    println!("seconds={seconds:.3} peak_mib={:.1} ", peak / 1024.0);
}

#[test]
fn warm_journal_answers_without_a_call_and_a_large_one_opens_by_its_index() {
    let n = if std::env::var_os("COREBUILD_MEASURE").is_some() { 1_000_000 } else { 20_000 };
    let (dir, requests) = (dir(), requests(n));
    let text = "x".repeat(1000);
    let journal = Journal::open(dir.path(), "rewrite").expect("opens");
    for request in &requests {
        let reply = Reply {
            request: request.clone(),
            text: text.clone(),
            finish_reason: FinishReason::Stop,
            usage: llm::Usage { input_tokens: 1, output_tokens: 1, ..llm::Usage::default() },
            model_version: String::new(),
            request_id: String::new(),
            received_at: String::new(),
            call: llm::Call::default(),
        };
        journal.append(&request.key(), &reply).expect("written");
    }
    drop(journal);
    let index = dir.path().join("rewrite.jsonl.index");
    assert!(index.exists(), "a journal of this size is worth one");
    let start = Instant::now();
    let journal = Journal::open(dir.path(), "rewrite").expect("opens");
    let opened = start.elapsed();
    assert_eq!(journal.keys().len(), n);
    drop(journal);
    fs_err::remove_file(&index).expect("removed");
    let start = Instant::now();
    drop(Journal::open_read_only(dir.path(), "rewrite").expect("opens"));
    let scanned = start.elapsed();
    let unreachable = "provider = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"stub\"\n";
    let asked = &requests[..n.min(100_000)];
    let start = Instant::now();
    let replies = complete(dir.path(), unreachable, asked).expect("from the journal");
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(replies.len(), asked.len());
    let size = fs_err::metadata(dir.path().join("rewrite.jsonl")).expect("a file").len() >> 20;
    println!(
        "{n} replies, {size} MiB: opened by index in {opened:?}, without in {scanned:?}; {} replayed in {seconds:.2} s \
         (with opening): {:.0} a second",
        asked.len(),
        f64::from(u32::try_from(asked.len()).expect("few")) / seconds
    );
}
