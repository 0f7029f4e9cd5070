//! Replies that do not fit are shown to their model once; what was asked is planned, counted, shipped.

use serde_json::Value;

use super::{
    kills::{Project, recorded},
    *,
};

const RECORDED: &str = "provider = \"replay\"\nrecordings = \"snapshots/demo/replies\"";

/// The demo's writer, whose JSON is broken and whose summaries are short at the first attempt.
fn sloppy() -> Stub {
    let recorded = recorded();
    Stub::start(move |asked| {
        let body = asked.json();
        let messages = body["messages"].as_array().expect("messages");
        let is_second = messages.len() > 2;
        let question = messages[1]["content"].as_str().expect("a text");
        let Some((text, _)) = recorded.get(question) else { return chat("{}", "stop") };
        match (is_second, text.trim_start().starts_with('{')) {
            (false, true) => chat("{\"title\": \"half", "stop"),
            (false, false) if question.starts_with("Summarise") => chat("Too short.", "stop"),
            _ => chat(text, "stop"),
        }
    })
}

#[test]
fn faulty_reply_is_shown_to_its_model_once_and_both_are_recorded() {
    let stub = sloppy();
    let project = Project::new(&(openai(&stub) + "concurrency = 8"));
    for stage in ["pull", "rewrite"] {
        project.succeed(&[stage, "demo202601", "-q"]);
    }
    let n_rewrites = stub.n_asked();
    project.succeed(&["abbreviate", "demo202601", "-q"]);
    let journal = fs_err::read_to_string(project.journal("abbreviate")).expect("a journal");
    assert_eq!(journal.lines().count(), stub.n_asked() - n_rewrites, "each call is recorded");
    let seconds =
        journal.lines().filter(|line| line.contains("That answer cannot be used: 2 words; 50 to 150")).count();
    assert_eq!(2 * seconds, journal.lines().count(), "every first one was short, and asked for once more");
    let table = project.tables("abbreviate").into_iter().find(|(name, _)| name == "abbreviations.jsonl");
    let n_rows = String::from_utf8_lossy(&table.expect("a table").1).lines().count();
    assert!(n_rows > seconds / 2, "{n_rows} of {seconds} second replies became rows");
    let n = stub.n_asked();
    fs_err::remove_dir_all(project.work().join("demo202601/abbreviate")).expect("removed");
    project.succeed(&["abbreviate", "demo202601", "-q"]);
    assert_eq!(stub.n_asked(), n, "the journal answers first and second requests");
}

#[test]
fn journal_is_shipped_and_replayed_by_somebody_without_key_or_server() {
    let stub = sloppy();
    let project = Project::new(&(openai(&stub) + "concurrency = 8"));
    for stage in ["pull", "rewrite", "abbreviate"] {
        project.succeed(&[stage, "demo202601", "-q"]);
    }
    project.succeed(&["journal", "export", "replies.tar.gz"]);
    project.succeed(&["journal", "export", "recordings"]);
    let first = fs_err::read(project.path("replies.tar.gz")).expect("an archive");
    project.succeed(&["journal", "export", "again.tar.gz"]);
    assert_eq!(fs_err::read(project.path("again.tar.gz")).expect("an archive"), first, "the same bytes");

    let dead = "provider = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\nmodel = \"stub\"\nmax_retries = 0";
    let stranger = Project::new(dead);
    stranger.succeed(&["pull", "demo202601", "-q"]);
    let archive = project.path("replies.tar.gz").display().to_string();
    stranger.succeed(&["journal", "import", &archive]);
    let replayer = Project::new(&format!(
        "provider = \"openai\"\nmode = \"replay\"\nrecordings = \"{}\"\nmodel = \"stub\"",
        project.path("recordings").display()
    ));
    replayer.succeed(&["pull", "demo202601", "-q"]);
    for stage in ["rewrite", "abbreviate"] {
        for other in [&stranger, &replayer] {
            other.succeed(&[stage, "demo202601", "-q"]);
            assert_eq!(other.tables(stage), project.tables(stage), "{stage}");
        }
    }
    fs_err::write(project.path("bad.tar.gz"), b"not an archive").expect("written");
    assert!(!stranger.run(&["journal", "import", &project.path("bad.tar.gz").display().to_string()]).status.success());
}

#[test]
fn plan_prices_what_is_missing_and_cost_what_was_had() {
    let stub = sloppy();
    let price = "price = { date = \"2026-01-01\", input = 2.0, output = 10.0 }\nconcurrency = 8\nrepair = false\n";
    let project = Project::new(&(openai(&stub) + price));
    project.succeed(&["pull", "demo202601", "-q"]);
    let plan: Value = serde_json::from_str(&project.succeed(&["plan", "demo202601", "--json"])).expect("JSON");
    let model = &plan["models"][0];
    let (calls, dollars) = (model["calls"]["n_calls"].as_u64(), model["dollars"].as_f64().expect("a price"));
    assert!(calls.is_some_and(|n| n > 10) && dollars > 0.0, "{plan}");
    assert_eq!((model["mode"].as_str(), model["price_date"].as_str()), (Some("live"), Some("2026-01-01")));
    let too_dear = project.run(&["rewrite", "demo202601", "--max-cost", "0.0001"]);
    assert_eq!(too_dear.status.code(), Some(4), "{}", String::from_utf8_lossy(&too_dear.stderr));
    assert_eq!(stub.n_asked(), 0);
    let args = ["preview", "rewrite", "demo202601", "-n", "2", "--call", "--json"];
    let rows: Value = serde_json::from_str(&project.succeed(&args)).expect("JSON");
    assert_eq!(rows["rows"][1]["reply"]["parsed"]["rejected"], "not-json");
    assert_eq!(stub.n_asked(), 2);
    let cost: Value = serde_json::from_str(&project.succeed(&["cost", "--json"])).expect("JSON");
    let expected = 2.0 * (100.0 * 2.0 + 10.0 * 10.0) / 1e6;
    assert!((cost["dollars"].as_f64().expect("a sum") - expected).abs() < 1e-12, "{cost}");
}

#[test]
fn case_27_check_renders_every_prompt_on_every_row_offline() {
    let project = Project::new(RECORDED);
    project.succeed(&["pull", "demo202601", "-q"]);
    let table = project.work().join("demo202601/pull/problems.jsonl");
    let text = fs_err::read_to_string(&table).expect("a table");
    let check = || {
        let out = project.run(&["check", "--json"]);
        let findings: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        let all = findings["findings"].as_array().expect("findings").clone();
        all.into_iter().find(|finding| finding["what"] == "prompts of `rewrite` on `demo202601`").expect("a finding")
    };
    assert_eq!(check()["ok"], true, "{}", check());
    let mut row: Value = serde_json::from_str(text.lines().next().expect("a row")).expect("JSON");
    row["statement"] = json!("  ");
    let broken = format!("{row}\n{}", text.split_once('\n').expect("more rows").1);
    fs_err::write(&table, broken).expect("written");
    let problem = check()["problem"].as_str().expect("a problem").to_owned();
    for part in [
        "prompts/rewrite/statement.jinja",
        "line ",
        "`statement`",
        "is empty",
        row["problem_id"].as_str().expect("an id"),
    ] {
        assert!(problem.contains(part), "{problem}");
    }
}
