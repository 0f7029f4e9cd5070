//! Batch APIs, as they misbehave.

use std::collections::HashMap;

use serde_json::Value;

use super::{stub::chat_body, *};

/// What becomes of a row in a batch.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Answered,
    Twice,
    Missing,
    /// In the file of errors, for good.
    Invalid,
    Expired,
}

/// A batch API of `OpenAI`'s kind whose rows meet the fate that `fate` names, given the row and how
/// often it was handed over before. Results come in an order of their own.
fn openai_batches(
    polls: usize,
    fate: impl Fn(&str, usize) -> Fate + Send + Sync + 'static,
) -> (Stub, Arc<Mutex<HashMap<String, usize>>>) {
    let files: Mutex<HashMap<String, Vec<u8>>> = Mutex::default();
    let batches: Mutex<Vec<(Value, usize)>> = Mutex::default();
    let handed: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let counts = Arc::clone(&handed);
    let stub = Stub::start(move |asked| {
        let (mut files, mut batches) = (files.lock().expect("ok"), batches.lock().expect("ok"));
        let path = asked.path.trim_start_matches("/v1").to_owned();
        if path == "/files" {
            let id = format!("file-{}", files.len());
            files.insert(id.clone(), lines_of_upload(&asked.body));
            return Answer::ok(&json!({"id": id}));
        }
        if path == "/batches" {
            let input = asked.json()["input_file_id"].as_str().expect("a file").to_owned();
            let (out, errors) = results(&files[&input], &mut counts.lock().expect("ok"), &fate);
            let n = batches.len();
            files.insert(format!("out-{n}"), out);
            files.insert(format!("err-{n}"), errors);
            let batch = json!({"id": format!("batch-{n}"), "metadata": asked.json()["metadata"], "status": "completed",
                "output_file_id": format!("out-{n}"), "error_file_id": format!("err-{n}")});
            batches.push((batch.clone(), polls));
            return Answer::ok(&batch);
        }
        if path.starts_with("/batches?") {
            let all: Vec<&Value> = batches.iter().map(|(batch, _)| batch).collect();
            return Answer::ok(&json!({"data": all}));
        }
        if let Some(id) = path.strip_prefix("/batches/") {
            let (batch, left) = batches.iter_mut().find(|(batch, _)| batch["id"] == *id).expect("a known batch");
            if *left > 0 {
                *left -= 1;
                return Answer::ok(&json!({"id": id, "status": "in_progress"}));
            }
            return Answer::ok(batch);
        }
        let file = path.strip_prefix("/files/").and_then(|path| path.strip_suffix("/content")).expect("a file");
        Answer::Whole { status: 200, headers: String::new(), body: files[file].clone() }
    });
    (stub, handed)
}

/// The JSON Lines in a multipart upload.
fn lines_of_upload(body: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(body.to_vec()).expect("text");
    text.lines().filter(|line| line.starts_with('{')).flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

fn results(
    input: &[u8],
    handed: &mut HashMap<String, usize>,
    fate: &impl Fn(&str, usize) -> Fate,
) -> (Vec<u8>, Vec<u8>) {
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let rows: Vec<Value> =
        String::from_utf8_lossy(input).lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect();
    // From the last to the first: no order is promised.
    for row in rows.iter().rev() {
        let id = &row["custom_id"];
        let name = row["body"]["messages"][0]["content"].as_str().expect("a row").to_owned();
        let before = *handed.entry(name.clone()).and_modify(|n| *n += 1).or_insert(1) - 1;
        let response = json!({"custom_id": id, "error": null, "response": {"status_code": 200,
            "request_id": "r", "body": chat_body(&format!("answer to {name}"), "stop")}});
        let error = |response: Value, error: Value| json!({"custom_id": id, "response": response, "error": error});
        match fate(&name, before) {
            Fate::Answered => out.push(response),
            Fate::Twice => out.extend([response.clone(), response]),
            Fate::Missing => {}
            Fate::Invalid => errors.push(error(
                json!({"status_code": 400, "body": {"error": {"message": "too long", "type": "invalid_request_error"}}}),
                Value::Null,
            )),
            Fate::Expired => errors.push(error(Value::Null, json!({"code": "batch_expired", "message": "expired"}))),
        }
    }
    let lines = |rows: Vec<Value>| rows.iter().flat_map(|row| format!("{row}\n").into_bytes()).collect();
    (lines(out), lines(errors))
}

fn batch_model(stub: &Stub) -> String {
    openai(stub) + "mode = \"batch\"\nbatch_poll_s = 0\nprice = { date = \"2026-01-01\", input = 2.0, output = 10.0 }\n"
}

#[test]
fn case_36_rows_are_matched_by_key_and_only_what_is_missing_is_sent_again() {
    let (stub, handed) = openai_batches(2, |row, before| match (row, before) {
        ("row-1", 0) => Fate::Missing,
        ("row-2", _) => Fate::Twice,
        ("row-3", _) => Fate::Invalid,
        _ => Fate::Answered,
    });
    let dir = dir();
    let error = complete(dir.path(), &batch_model(&stub), &requests(6)).expect_err("one row is invalid");
    assert_eq!(ExitCode::of(&error), ExitCode::Incomplete);
    assert!(error.to_string().contains("1 of 6 requests have no reply: rows row-3"), "{error}");
    assert!(error.to_string().contains("too long"), "{error}");
    let counts = |row: &str| handed.lock().expect("ok")[row];
    assert_eq!(["row-0", "row-1", "row-2", "row-3"].map(counts), [1, 2, 1, 1], "only the missing one twice");
    let journal = Journal::open_read_only(dir.path(), "rewrite").expect("readable").expect("is there");
    for request in requests(6).iter().filter(|request| request.row_id != "row-3") {
        let reply = journal.reply(&request.key(), request).expect("readable").expect("answered");
        assert_eq!(reply.text, format!("answer to {}", request.row_id));
        assert!(reply.call.batch);
    }
    let notes = fs_err::read_to_string(dir.path().join("rewrite.failures.jsonl")).expect("notes");
    assert!(notes.contains("a second result"), "{notes}");
}

#[test]
fn case_37_what_came_before_a_batch_expired_is_kept() {
    let (stub, handed) = openai_batches(0, |row, before| {
        let n: usize = row["row-".len()..].parse().expect("a number");
        if n % 5 >= 3 && before == 0 { Fate::Expired } else { Fate::Answered }
    });
    let dir = dir();
    let replies = complete(dir.path(), &batch_model(&stub), &requests(10)).expect("answered in two batches");
    assert!(replies.iter().all(|reply| reply.text == format!("answer to {}", reply.request.row_id)));
    let twice = handed.lock().expect("ok").values().filter(|n| **n == 2).count();
    assert_eq!((twice, handed.lock().expect("ok").values().sum::<usize>()), (4, 14), "60 % are kept");
}

#[test]
fn case_37_batch_that_succeeded_with_failed_rows_alone_has_failed() {
    let (stub, _) = openai_batches(0, |_, _| Fate::Invalid);
    let dir = dir();
    let error = complete(dir.path(), &batch_model(&stub), &requests(4)).expect_err("nothing came");
    assert_eq!(ExitCode::of(&error), ExitCode::Unavailable);
    assert!(error.to_string().contains("all its rows failed, the first with: HTTP 400: too long"), "{error}");
    let ledger = fs_err::read_to_string(dir.path().join("rewrite.batches.jsonl")).expect("a ledger");
    assert!(ledger.contains("\"status\":\"failed\""), "{ledger}");
    assert_eq!(n_journalled(dir.path()), 0);
}

#[test]
fn interrupted_wait_is_taken_up_again_without_handing_anything_over_twice() {
    let (stub, handed) = openai_batches(30, |_, _| Fate::Answered);
    let (dir, interrupted) = (dir(), AtomicBool::new(false));
    let model = batch_model(&stub);
    let providers = || llm::providers(&config(&model), ["m"], None).expect("providers");
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            let llm = Llm::open(dir.path(), "rewrite", providers(), &interrupted).expect("opens");
            llm.complete_all(&requests(5), 4, &|| ())
        });
        while !stub.asked().iter().any(|asked| asked.path.starts_with("/v1/batches/")) {
            std::thread::sleep(Duration::from_millis(5));
        }
        interrupted.store(true, Ordering::Relaxed);
        let error = first.join().expect("no panic").expect_err("interrupted");
        assert_eq!(ExitCode::of(&error), ExitCode::Interrupted);
    });
    let replies = complete(dir.path(), &model, &requests(5)).expect("answered");
    assert_eq!(replies.len(), 5);
    assert!(handed.lock().expect("ok").values().all(|n| *n == 1), "the same batch was waited for");
}

#[test]
fn batch_whose_id_was_lost_with_the_process_is_found_again() {
    let (stub, handed) = openai_batches(0, |_, _| Fate::Answered);
    let (dir, model) = (dir(), batch_model(&stub));
    complete(dir.path(), &model, &requests(5)).expect("answered");
    // As if the process had died between sending the batch and reading its id.
    let ledger = dir.path().join("rewrite.batches.jsonl");
    let text = fs_err::read_to_string(&ledger).expect("a ledger");
    fs_err::write(&ledger, text.lines().next().expect("the intention").to_owned() + "\n").expect("written");
    fs_err::remove_file(dir.path().join("rewrite.jsonl")).expect("removed");
    complete(dir.path(), &model, &requests(5)).expect("answered");
    assert!(handed.lock().expect("ok").values().all(|n| *n == 1), "{handed:?}");
}

#[test]
fn anthropic_batches_bring_all_kinds_of_results() {
    let batches: Mutex<Vec<Value>> = Mutex::default();
    let stub = Stub::start(move |asked| {
        let mut batches = batches.lock().expect("ok");
        if asked.path == "/v1/messages/batches" {
            batches.push(asked.json());
            return Answer::ok(&json!({"id": format!("b{}", batches.len() - 1), "processing_status": "in_progress"}));
        }
        let rest = asked.path.strip_prefix("/v1/messages/batches/b").expect("a batch");
        let Some(n) = rest.strip_suffix("/results") else {
            return Answer::ok(&json!({"id": "b", "processing_status": "ended"}));
        };
        let n: usize = n.parse().expect("a number");
        let rows = batches[n]["requests"].as_array().expect("rows").clone();
        let body: String = rows
            .iter()
            .rev()
            .map(|row| {
                let name = row["params"]["messages"][0]["content"].as_str().expect("a row");
                let result = match (name, n) {
                    ("row-1", 0) => json!({"type": "expired"}),
                    ("row-2", 0) => json!({"type": "errored", "error": {"type": "error",
                        "error": {"type": "overloaded_error", "message": "busy"}}}),
                    ("row-3", _) => json!({"type": "errored", "error": {"type": "error",
                        "error": {"type": "invalid_request_error", "message": "bad row"}}}),
                    _ => json!({"type": "succeeded", "message": {"id": "m", "model": "stub-1",
                        "stop_reason": "end_turn", "content": [{"type": "text", "text": name}],
                        "usage": {"input_tokens": 5, "output_tokens": 5}}}),
                };
                json!({"custom_id": row["custom_id"], "result": result}).to_string() + "\n"
            })
            .collect();
        Answer::Whole { status: 200, headers: String::new(), body: body.into_bytes() }
    });
    let model = format!(
        "provider = \"anthropic\"\nmode = \"batch\"\nbatch_poll_s = 0\nbase_url = \"{}\"\nmodel = \"stub\"\n",
        stub.url()
    );
    let dir = dir();
    let error = complete(dir.path(), &model, &requests(5)).expect_err("one row is bad");
    assert!(error.to_string().contains("1 of 5 requests have no reply: rows row-3"), "{error}");
    assert!(error.to_string().contains("bad row"), "{error}");
    assert_eq!(n_journalled(dir.path()), 4);
    let handed: Vec<usize> = stub
        .asked()
        .iter()
        .filter(|asked| asked.path == "/v1/messages/batches")
        .map(|asked| asked.json()["requests"].as_array().expect("rows").len())
        .collect();
    assert_eq!(handed, [5, 2]);
}
