//! What a cut refuses, with the exit code and the reason that a person needs.

use std::process::Stdio;

use corebuild::seeded;

use crate::project::{FIRST, Project, signal, wait_until};

#[test]
fn case_38_a_stage_that_ends_with_zero_rows_has_failed_and_says_why() {
    let project = Project::editable();
    project.edit(
        "pipeline.toml",
        "from = \"2025-11-01\", until = \"2026-01-01\"",
        "from = \"2031-11-01\", until = \"2032-01-01\"",
    );
    let ran = project.run(&["cut", FIRST]).expect(5);
    assert!(ran.stderr.contains("`pull` ends with zero rows of `problems`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the most frequent reason is `out-of-window` (27 rows)"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "");
    assert!(!project.stage_dir(FIRST, "pull").join("receipt.json").exists(), "a failed stage has no receipt");
    let rejected = project.rows(FIRST, "pull", "rejected");
    assert!(!rejected.is_empty(), "every rejected row is there to be looked at");
    assert!(!project.dist.exists());
}

#[test]
fn a_snapshot_that_is_not_the_pinned_one_is_refused() {
    let project = Project::editable();
    let snapshots = project.root.join("snapshots");
    let shipped = fs_err::read_link(&snapshots).expect("the link");
    fs_err::remove_file(&snapshots).expect("the link");
    fs_err::create_dir_all(snapshots.join("demo/livecodebench")).expect("a directory");
    for name in ["replies", "Project_CodeNet"] {
        std::os::unix::fs::symlink(shipped.join("demo").join(name), snapshots.join("demo").join(name)).expect("a link");
    }
    let file = snapshots.join("demo/livecodebench/demo.jsonl");
    let text = fs_err::read_to_string(shipped.join("demo/livecodebench/demo.jsonl")).expect("the source");
    fs_err::write(&file, text.replacen("easy", "hard", 1)).expect("the source");
    let ran = project.run(&["pull", FIRST]).expect(5);
    assert!(
        ran.stderr.contains("demo.jsonl` of [sources.demo-livecodebench] has changed: its sha256 is "),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("\nhint: put the pinned snapshot back"), "{}", ran.stderr);
    fs_err::remove_file(&file).expect("the source");
    let ran = project.run(&["pull", FIRST]).expect(6);
    assert!(ran.stderr.contains("demo.jsonl` cannot be read"), "{}", ran.stderr);
}

#[test]
fn a_reply_that_was_never_recorded_is_named_and_the_stage_can_go_on_when_it_is_there() {
    let project = Project::finished_editable();
    let prompt = "prompts/negatives/changed-objective.jinja";
    let text = fs_err::read_to_string(project.root.join(prompt)).expect("the prompt");
    fs_err::write(project.root.join(prompt), format!("{text}Be brief.\n")).expect("the prompt");
    let ran = project.run(&["cut", FIRST]).expect(4);
    assert!(ran.stderr.contains("16 of 64 requests have no reply"), "{}", ran.stderr);
    assert!(ran.stderr.contains("codenet_p90001/changed-objective"), "{}", ran.stderr);
    assert!(ran.stderr.contains("the request has changed since: messages"), "{}", ran.stderr);
    assert!(ran.stderr.contains("asked:    Be brief."), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: record these replies"), "{}", ran.stderr);
    let plan = project.run(&["plan", FIRST, "--json"]).expect(0).json();
    let negatives = plan["stages"].as_array().expect("stages").iter().find(|row| row["stage"] == "negatives").cloned();
    assert_eq!(negatives.expect("the stage")["calls"]["n_calls"], 16);
    // Taken back, what was made before the change still stands: a stage that failed took nothing away.
    fs_err::write(project.root.join(prompt), text).expect("the prompt");
    let ran = project.run(&["cut", FIRST]).expect(0);
    assert!(ran.stderr.contains("up to date: nothing to do"), "{}", ran.stderr);
}

#[test]
fn a_stage_without_its_input_says_which_stages_come_first() {
    let project = Project::new();
    let ran = project.run(&["qrels", FIRST]).expect(4);
    assert!(ran.stderr.contains("`qrels` needs the output of: pull, rewrite, abbreviate"), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: corebuild cut demo202601"), "{}", ran.stderr);
}

#[test]
fn two_cuts_of_one_release_do_not_run_at_the_same_time() {
    let project = Project::new();
    let mut first = project.command(&["cut", FIRST]);
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("corebuild starts");
    let pulled = project.stage_dir(FIRST, "pull").join("receipt.json");
    assert!(wait_until(&mut first, || pulled.exists()));
    signal(first.id(), "STOP");
    let second = project.run(&["cut", FIRST]);
    signal(first.id(), "KILL");
    first.wait().expect("a child");
    let second = second.expect(6);
    assert!(second.stderr.contains("another corebuild is working on `demo202601`"), "{}", second.stderr);
    assert!(second.stderr.contains("\nhint: wait for it to end"), "{}", second.stderr);
    // The lock goes with the process.
    project.run(&["pull", FIRST]).expect(0);
}

#[test]
fn a_release_that_was_written_is_never_changed() {
    let project = Project::finished_editable();
    project.edit("pipeline.toml", "max_hard_negatives = 3", "max_hard_negatives = 2");
    let before = project.bytes(FIRST);
    let ran = project.run(&["cut", FIRST]).expect(5);
    assert!(ran.stderr.contains("exists and differs in "), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: a release is never changed; choose a new name"), "{}", ran.stderr);
    let after = project.bytes(FIRST);
    let changed = crate::project::differences(&before, &after);
    assert!(!changed.iter().any(|name| name.starts_with(FIRST)), "{changed:?}");
}

#[test]
fn a_release_that_the_changelog_does_not_name_is_not_written() {
    let project = Project::finished_editable();
    fs_err::remove_dir_all(&project.dist).expect("dist");
    project.edit("CHANGELOG.md", "## demo202601", "## demo202699");
    let ran = project.run(&["cut", FIRST]).expect(5);
    assert!(ran.stderr.contains("CHANGELOG.md"), "{}", ran.stderr);
    assert!(!project.dist.join(FIRST).exists());
}

#[test]
fn a_release_with_one_wrong_label_does_not_verify() {
    let project = Project::finished_copy();
    let path = project.dist.join(FIRST).join("text2code_qrels.jsonl");
    let text = fs_err::read_to_string(&path).expect("judgements");
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("\"relevance\":1")).collect();
    let draw = seeded::unit(7, &["label"]);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index"
    )]
    let line = lines[(draw * lines.len() as f64) as usize];
    fs_err::write(&path, text.replacen(line, &line.replace("\"relevance\":1", "\"relevance\":2"), 1))
        .expect("judgements");
    let dir = project.dist.join(FIRST);
    let ran = project.run(&["verify", dir.to_str().expect("UTF-8"), "--json"]).expect(5);
    let findings = ran.json()["findings"].to_string();
    let query = serde_json::from_str::<serde_json::Value>(line).expect("a judgement")["query_id"].clone();
    assert!(findings.contains(query.as_str().expect("an id")), "{findings}");
}
