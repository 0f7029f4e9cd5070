//! What people decide about rows, in `reviews.jsonl`.

use serde_json::{Value, json};

use crate::project::{FIRST, Project};

fn line(project: &Project, n: usize) -> (String, Value) {
    let text = fs_err::read_to_string(project.stage_dir(FIRST, "negatives").join("negatives.jsonl")).expect("a table");
    let line = text.lines().nth(n).expect("a row").to_owned();
    let row = serde_json::from_str(&line).expect("a row");
    (line, row)
}

fn decision(line: &str, row: &Value, decision: &str) -> Value {
    let row_id =
        format!("{}/{}", row["problem_id"].as_str().expect("an id"), row["strategy"].as_str().expect("a name"));
    json!({"table": "negatives", "row_id": row_id, "row_sha256": corebuild::ids::sha256_hex(line.as_bytes()),
           "decision": decision, "who": "a reviewer", "when": "2026-01-03", "why": "read it"})
}

fn write(project: &Project, decisions: &[Value]) {
    let lines: Vec<String> = decisions.iter().map(|decision| format!("{decision}\n")).collect();
    fs_err::write(project.root.join("reviews.jsonl"), lines.concat()).expect("decisions");
}

fn reasons(project: &Project) -> Vec<(String, String)> {
    let rows = project.rows(FIRST, "negatives", "rejected").into_iter();
    let field = |row: &Value, name: &str| row[name].as_str().expect("a text").to_owned();
    rows.map(|row| (field(&row, "key"), field(&row, "reason"))).collect()
}

#[test]
fn where_a_review_is_required_only_what_somebody_accepted_gets_in() {
    let project = Project::finished_editable();
    let (first, first_row) = line(&project, 0);
    let (second, second_row) = line(&project, 1);
    let other_text = second.replacen(" the ", " a ", 1);
    assert_ne!(other_text, second);
    project.edit(
        "pipeline.toml",
        "[negatives]\nreview = \"optional\"\nmax_rejected_share = 0.2",
        "[negatives]\nreview = \"required\"\nmax_rejected_share = 1.0",
    );
    let accepted = decision(&first, &first_row, "accept");
    write(&project, &[accepted.clone(), decision(&other_text, &second_row, "accept")]);
    let ran = project.run(&["negatives", FIRST]).expect(0);
    assert!(ran.stderr.contains("1 decisions of `reviews.jsonl` on `negatives` fit no row"), "{}", ran.stderr);
    assert_eq!(project.rows(FIRST, "negatives", "negatives"), [first_row]);
    let rejected = reasons(&project);
    assert_eq!(rejected.len(), 63);
    assert!(rejected.iter().all(|(_, reason)| reason == "review-pending"));
    let of_second = accepted["row_id"].as_str().expect("an id");
    assert!(rejected.iter().all(|(key, _)| key != of_second));
}

#[test]
fn a_required_review_that_nobody_made_stops_the_stage_and_names_the_reason() {
    let project = Project::finished_editable();
    project.edit("pipeline.toml", "[negatives]\nreview = \"optional\"", "[negatives]\nreview = \"required\"");
    let ran = project.run(&["negatives", FIRST]).expect(4);
    assert!(ran.stderr.contains("`negatives` waits for decisions on 64 rows"), "{}", ran.stderr);
}

#[test]
fn a_reviewer_can_reject_or_edit_a_row() {
    let project = Project::finished_editable();
    let (first, first_row) = line(&project, 0);
    let (second, second_row) = line(&project, 1);
    let mut edited = second_row.clone();
    edited["text"] = json!("Another title\n\nAnother text.");
    let mut edit = decision(&second, &second_row, "edit");
    edit["edited"] = edited.clone();
    write(&project, &[decision(&first, &first_row, "reject"), edit]);
    assert_eq!(project.stale().first().map(String::as_str), Some("pull"), "decisions are an input of every stage");
    project.run(&["negatives", FIRST]).expect(0);
    let rows = project.rows(FIRST, "negatives", "negatives");
    assert_eq!((rows.len(), &rows[0]), (63, &edited));
    let rejected = reasons(&project);
    assert_eq!(rejected.len(), 1);
    assert_eq!(rejected[0].1, "review-rejected");
}
