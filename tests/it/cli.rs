//! What a person types and what a script reads: help, exit codes, standard output and error.

use std::process::Stdio;

use serde_json::Value;

use crate::project::{FIRST, Project, Ran, corebuild, finished, repository, run};

fn help(args: &[&str]) -> String {
    run(corebuild(&[args, &["--help"]].concat()).env("COLUMNS", "100")).expect(0).stdout
}

#[test]
fn help_teaches_the_tool() {
    let text = help(&[]);
    insta::assert_snapshot!(text[text.find("A release is cut in stages").expect("the end")..], @"
    A release is cut in stages, each with a table on disk before and after it:

      pull → rewrite → abbreviate, negatives → tests → solve → execute → references → difficulty
           → queries → qrels → release → sanity

    Start here:
      corebuild check               what is missing on this machine, and the command that mends it
      corebuild plan                what would run and why, how many model calls and tokens
      corebuild cut demo202601      run every stale stage of the demo release, in order
      corebuild verify dist/demo202601
      corebuild explain ID          where a row comes from

    Exit codes: 0 done, 1 a bug of ours, 2 usage, 3 bad configuration or prompt, 4 a stage is incomplete
    and can be resumed, 5 validation failed, 6 something outside is not available, 130 interrupted.
    ");
    for command in ["cut", "plan", "status", "explain", "check", "verify", "pin"].iter().chain(&super::mini::STAGES) {
        assert!(text.contains(&format!("\n  {command} ")), "help does not list `{command}`");
        assert!(help(&[command]).contains("Usage: corebuild "), "{command}");
    }
}

#[test]
fn help_of_a_command_says_what_it_needs_and_what_it_ends_with() {
    let cut = help(&["cut"]);
    assert!(cut.contains("A cut that was interrupted or killed goes on where it stopped"), "{cut}");
    assert!(cut.contains("[RELEASE]  A release of pipeline.toml [default: its `default_release`]"), "{cut}");
    let verify = help(&["verify"]);
    assert!(verify.contains("Exit code 0: clean, warnings aside; 5: errors"), "{verify}");
    let explain = help(&["explain"]);
    assert!(explain.contains("a problem, a solution, a document, a query, a submission"), "{explain}");
}

#[test]
fn mistakes_in_usage_and_configuration_have_their_codes() {
    let project = Project::editable();
    for args in [&["frobnicate"][..], &["explain"], &["cut", "--workers", "many"], &["cut", "a", "b"], &[]] {
        let ran = project.run(args).expect(2);
        assert_eq!(ran.stdout, "", "{args:?}");
        assert!(ran.stderr.contains("--help"), "{}", ran.stderr);
    }
    let ran = project.run(&["cut", "demo209901"]).expect(3);
    assert!(ran.stderr.contains("unknown release `demo209901`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("(known: demo202601, demo202602)"), "{}", ran.stderr);
    let ran = run(&mut corebuild(&["plan", "--config", "no/such.toml"])).expect(3);
    assert!(ran.stderr.contains("no/such.toml"), "{}", ran.stderr);
    project.edit("pipeline.toml", "samples = 1", "samples = \"one\"");
    let ran = project.run(&["status"]).expect(3);
    assert!(ran.stderr.contains("samples") && ran.stderr.contains("pipeline.toml"), "{}", ran.stderr);
}

#[test]
fn a_broken_prompt_is_a_mistake_of_configuration() {
    let project = Project::editable();
    let prompt = project.root.join("prompts/rewrite/statement.jinja");
    let text = fs_err::read_to_string(&prompt).expect("the prompt");
    fs_err::write(&prompt, format!("{text}\n{{{{ no_such_variable }}}}\n")).expect("the prompt");
    let ran = project.run(&["cut", FIRST]).expect(3);
    assert!(ran.stderr.contains("no_such_variable") && ran.stderr.contains("statement.jinja"), "{}", ran.stderr);
}

#[test]
fn check_tells_what_is_there_and_what_is_missing() {
    let project = Project::editable();
    let ran = project.run(&["check", "--json"]).expect(0);
    let findings = ran.json()["findings"].as_array().expect("findings").clone();
    let whats: Vec<&str> = findings.iter().map(|finding| finding["what"].as_str().expect("a name")).collect();
    for what in ["sandbox", "Python", "C++", "Java", "Go", "Ruby", "model `demo-alpha`", "prompts of `rewrite`"] {
        assert!(whats.contains(&what), "`check` does not look at {what}: {whats:?}");
    }
    assert!(findings.iter().all(|finding| finding["ok"] == true && finding["found"].is_string()), "{}", ran.stdout);
    assert!(project.run(&["check"]).expect(0).stdout.ends_with("everything is there\n"));
    let changelog = project.root.join("CHANGELOG.md");
    let text = fs_err::read_to_string(&changelog).expect("the changelog");
    fs_err::write(&changelog, text.replace("## demo202602", "## demo")).expect("the changelog");
    let ran = project.run(&["check"]).expect(6);
    assert!(ran.stdout.contains("no heading of `CHANGELOG.md` names the release `demo202602`"), "{}", ran.stdout);
    fs_err::write(&changelog, text).expect("the changelog");
    fs_err::remove_file(project.root.join("snapshots")).expect("the link");
    let ran = project.run(&["check", "--json"]).expect(6);
    let missing: Vec<Value> =
        ran.json()["findings"].as_array().expect("findings").iter().filter(|f| f["ok"] == false).cloned().collect();
    assert_eq!(missing.len(), 5, "two sources and three models: {missing:?}");
    assert!(missing.iter().all(|finding| finding["problem"].is_string()));
    project.edit("pipeline.toml", "default_release", "defualt_release");
    let ran = project.run(&["check"]).expect(3);
    assert!(ran.stdout.contains("PROBLEM") && ran.stdout.contains("defualt_release"), "{}", ran.stdout);
}

#[test]
fn status_and_plan_of_a_release_that_was_not_begun() {
    let project = Project::new();
    let status = project.run(&["status", FIRST, "--json"]).expect(0).json();
    let stages = status["stages"].as_array().expect("stages");
    assert_eq!(stages.len(), 13);
    assert!(stages.iter().all(|stage| stage["state"] == "not complete"), "{status}");
    let ran = project.run(&["plan"]).expect(0);
    assert!(ran.stdout.starts_with("Plan for demo202601\n"), "{}", ran.stdout);
    assert!(!project.work.join(FIRST).exists(), "looking changes nothing");
}

#[test]
fn status_of_a_finished_release_counts_its_rows() {
    let status = finished(FIRST).run(&["status", FIRST, "--json"]).expect(0).json();
    let row = |name: &str| {
        let stages = status["stages"].as_array().expect("stages");
        stages.iter().find(|stage| stage["stage"] == name).cloned().expect("the stage")
    };
    assert_eq!(
        row("solve"),
        serde_json::json!({"stage": "solve", "state": "complete", "rows_in": 160, "rows_out": 160, "rejected": 0})
    );
    assert_eq!(row("rewrite")["rows_out"], 16);
    assert_eq!(row("sanity")["state"], "complete");
}

#[test]
fn plan_counts_the_calls_and_tokens_that_the_journal_does_not_answer() {
    let project = Project::new();
    project.run(&["pull", FIRST]).expect(0);
    let calls = |stage: &str| {
        let plan = project.run(&["plan", FIRST, "--json"]).expect(0).json();
        let stages = plan["stages"].as_array().expect("stages").clone();
        stages.into_iter().find(|row| row["stage"] == stage).expect("the stage")["calls"].clone()
    };
    let before = calls("rewrite");
    assert!(before["n_calls"].as_u64() >= Some(16) && before["input_tokens"].as_u64() > Some(5000), "{before}");
    assert_eq!(calls("negatives"), Value::Null, "what depends on replies to come is not known");
    project.run(&["rewrite", FIRST]).expect(0);
    assert_eq!(calls("negatives")["n_calls"], 64);
    fs_err::remove_file(project.stage_dir(FIRST, "rewrite").join("receipt.json")).expect("the receipt");
    assert_eq!(calls("rewrite")["n_calls"], 0, "all of it is in the journal");
}

fn explain(id: &str) -> Value {
    finished(FIRST).run(&["explain", id, FIRST, "--json"]).expect(0).json()
}

/// The rows of a table in a lineage.
fn rows<'a>(lineage: &'a Value, table: &str) -> Vec<&'a Value> {
    let rows = lineage["rows"].as_array().expect("rows").iter();
    rows.filter(|row| row["table"] == format!("{table}.jsonl")).map(|row| &row["row"]).collect()
}

#[test]
fn the_lineage_of_a_document_reaches_from_the_problem_to_its_judgements() {
    let document = finished(FIRST).rows(FIRST, "qrels", "code_documents").swap_remove(0);
    let lineage = explain(document["code_id"].as_str().expect("an id"));
    let solution_id = &document["meta"]["solution_key"];
    assert_eq!(rows(&lineage, "problems").len(), 1);
    assert_eq!(rows(&lineage, "rewrites").len(), 1);
    assert_eq!(rows(&lineage, "code_documents"), [&document]);
    assert!(!rows(&lineage, "runs").is_empty());
    assert!(rows(&lineage, "verdicts").iter().all(|row| row["subject_id"] == *solution_id));
    let solutions = rows(&lineage, "solutions");
    assert_eq!(solutions.len(), 1, "no other program of the problem belongs to it");
    assert_eq!(solutions[0]["solution_id"], *solution_id);
    let replies = lineage["replies"].as_array().expect("replies");
    assert!(replies.iter().any(|reply| reply["key"] == solutions[0]["reply_key"]), "the reply that it was read from");
    assert!(rows(&lineage, "qrels").iter().all(|row| row["doc_id"] == document["code_id"]));
}

#[test]
fn the_lineage_of_a_query_a_solution_and_a_reply() {
    let query = finished(FIRST).rows(FIRST, "qrels", "anchors").swap_remove(0);
    let lineage = explain(query["query_id"].as_str().expect("an id"));
    assert_eq!(rows(&lineage, "queries").len(), 1);
    assert_eq!(rows(&lineage, "anchors"), [&query]);
    assert!(!rows(&lineage, "qrels").is_empty() && !rows(&lineage, "verdicts").is_empty());
    assert_eq!(rows(&lineage, "problems").len(), 1);

    let lineage = explain("lcb_9001_python_demo-alpha_standard_000");
    assert_eq!((rows(&lineage, "solutions").len(), rows(&lineage, "problems").len()), (1, 1));
    assert_eq!(rows(&lineage, "verdicts")[0]["subject_id"], "lcb_9001_python_demo-alpha_standard_000");

    let key = rows(&lineage, "solutions")[0]["reply_key"].as_str().expect("a key").to_owned();
    let lineage = explain(&key);
    assert_eq!(rows(&lineage, "solutions")[0]["solution_id"], "lcb_9001_python_demo-alpha_standard_000");
    let replies = lineage["replies"].as_array().expect("replies");
    assert!(replies.iter().any(|reply| reply["key"] == key && reply["stage"] == "solve"));
}

#[test]
fn a_rejected_row_has_a_lineage_and_an_unknown_id_has_none() {
    let lineage = explain("codenet_p90009");
    assert!(rows(&lineage, "rejected").iter().any(|row| row["reason"] == "not-english"), "{lineage}");
    let ran = finished(FIRST).run(&["explain", "no_such_row"]).expect(5);
    assert!(ran.stderr.contains("no row of `demo202601` has the id `no_such_row`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: ids of another release need its name"), "{}", ran.stderr);
}

#[test]
fn pin_prints_what_the_configuration_pins() {
    let config = corebuild::config::Config::load(&repository().join("pipeline.toml")).expect("the configuration");
    for file in config.sources.values().flat_map(|source| &source.files) {
        let Some(path) = file.url.strip_prefix("file://") else { continue };
        let path = repository().join(path);
        let ran = run(&mut corebuild(&["pin", path.to_str().expect("UTF-8")])).expect(0);
        assert_eq!(ran.stdout, format!("{}\n", file.sha256), "{}", file.url);
    }
    run(&mut corebuild(&["pin", "no/such/source"])).expect(6);
}

#[test]
fn verify_of_what_is_no_release_says_so() {
    let project = Project::new();
    let ran = project.run(&["verify", "no/such/release"]).expect(6);
    assert!(ran.stderr.contains("`no/such/release` is not a directory"), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: corebuild cut"), "{}", ran.stderr);
}

#[test]
fn standard_output_is_data_and_standard_error_is_talk() {
    let project = Project::new();
    let pull = project.run(&["pull", FIRST, "--json"]).expect(0);
    assert_eq!(pull.json()["rows_out"], 16);
    assert!(pull.stderr.contains("pull     16 rows"), "{}", pull.stderr);
    let quiet = project.run(&["rewrite", FIRST, "--quiet"]).expect(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let again = project.run(&["rewrite", FIRST]).expect(0);
    assert_eq!((again.stdout.as_str(), again.stderr.as_str()), ("", "`demo202601` is up to date: nothing to do\n"));
    // Errors are told all the same.
    let failed = project.run(&["qrels", FIRST, "--quiet"]).expect(4);
    assert!(failed.stderr.starts_with("error: `qrels` needs the output of"), "{}", failed.stderr);
    let cut = Project::finished_copy().run(&["cut", FIRST, "--json"]).expect(0).json();
    assert_eq!((&cut["release"], cut["stages"].as_array().map(Vec::len)), (&Value::from(FIRST), Some(13)));
}

#[test]
fn the_environment_names_directories_as_the_options_do() {
    let project = Project::new();
    let mut command = corebuild(&["pull", FIRST, "--json"]);
    command.env("COREBUILD_CONFIG", repository().join("pipeline.toml")).env("COREBUILD_WORK", &project.work);
    run(command.current_dir("/")).expect(0);
    assert!(project.stage_dir(FIRST, "pull").join("receipt.json").exists());
}

/// As `corebuild ... | head -1` does: the reader goes away.
#[test]
fn a_closed_pipe_is_no_crash() {
    let mut command = finished(FIRST).command(&["explain", "lcb_9001", FIRST]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("corebuild starts");
    drop(child.stdout.take());
    let ran = Ran::of(child.wait_with_output().expect("the output")).expect(0);
    assert_eq!(ran.stderr, "");
}
