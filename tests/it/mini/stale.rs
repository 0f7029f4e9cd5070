//! What a change makes stale: exactly the stage that reads it, and what depends on that.

use crate::project::{FIRST, Project};

/// A change to the project, and the stages that it makes stale.
struct Change {
    file: &'static str,
    from: &'static str,
    to: &'static str,
    stale: &'static [&'static str],
}

const AFTER_REWRITE: &[&str] = &[
    "rewrite",
    "abbreviate",
    "negatives",
    "tests",
    "solve",
    "execute",
    "references",
    "difficulty",
    "queries",
    "qrels",
    "release",
    "sanity",
];
const AFTER_TESTS: &[&str] =
    &["tests", "solve", "execute", "references", "difficulty", "queries", "qrels", "release", "sanity"];
const AFTER_SOLVE: &[&str] = &["solve", "execute", "references", "difficulty", "queries", "qrels", "release", "sanity"];

const CHANGES: &[Change] = &[
    Change { file: "prompts/rewrite/statement.jinja", from: "\n", to: "\n\n", stale: AFTER_REWRITE },
    Change {
        file: "prompts/abbreviate/abbreviate.jinja",
        from: "\n",
        to: "\n\n",
        stale: &["abbreviate", "qrels", "release", "sanity"],
    },
    Change {
        file: "prompts/negatives/changed-objective.jinja",
        from: "\n",
        to: "\n\n",
        stale: &["negatives", "qrels", "release", "sanity"],
    },
    Change { file: "prompts/tests/synthesise.jinja", from: "\n", to: "\n\n", stale: AFTER_TESTS },
    Change { file: "prompts/solve/standard.jinja", from: "\n", to: "\n\n", stale: AFTER_SOLVE },
    Change {
        file: "prompts/queries/search.jinja",
        from: "\n",
        to: "\n\n",
        stale: &["queries", "qrels", "release", "sanity"],
    },
    Change {
        file: "validators/replies/queries-search.schema.json",
        from: "\n",
        to: "\n\n",
        stale: &["queries", "qrels", "release", "sanity"],
    },
    Change { file: "validators/checkers/twin_sleds.py", from: "\n", to: "\n\n", stale: AFTER_TESTS },
    Change { file: "pipeline.toml", from: "repeat_margin = 0.3", to: "repeat_margin = 0.2", stale: AFTER_TESTS },
    Change { file: "pipeline.toml", from: "memory_mib = 512", to: "memory_mib = 500", stale: AFTER_TESTS },
    Change { file: "pipeline.toml", from: "k = 5", to: "k = 4", stale: &["difficulty", "qrels", "release", "sanity"] },
    Change {
        file: "pipeline.toml",
        from: "max_hard_negatives = 3",
        to: "max_hard_negatives = 2",
        stale: &["qrels", "release", "sanity"],
    },
    Change { file: "pipeline.toml", from: "cutoffs = [1, ", to: "cutoffs = [2, ", stale: &["sanity"] },
    Change { file: "CHANGELOG.md", from: "First demo", to: "The first demo", stale: &["release", "sanity"] },
];

#[test]
fn a_change_makes_exactly_its_stage_and_what_depends_on_it_stale() {
    let project = Project::finished_editable();
    assert_eq!(project.stale(), [""; 0], "a copy of the project elsewhere is up to date");
    for change in CHANGES {
        // Prompts begin with front matter: a blank line is added behind the last line instead.
        if change.from == "\n" {
            let path = project.root.join(change.file);
            let text = fs_err::read_to_string(&path).expect("the file");
            fs_err::write(&path, format!("{text}\n")).expect("the file");
            assert_eq!(project.stale(), change.stale, "{}", change.file);
            fs_err::write(&path, text).expect("the file");
        } else {
            project.edit(change.file, change.from, change.to);
            assert_eq!(project.stale(), change.stale, "{}: {}", change.file, change.to);
            project.edit(change.file, change.to, change.from);
        }
    }
    assert_eq!(project.stale(), [""; 0], "a change taken back leaves nothing stale");
}

#[test]
fn a_price_or_a_comment_makes_nothing_stale() {
    let project = Project::finished_editable();
    project.edit(
        "pipeline.toml",
        "provider = \"replay\"",
        "provider = \"replay\"\nprice = { date = \"2026-01-01\", input = 3.0, output = 15.0 }",
    );
    project.edit("pipeline.toml", "[solve]\n", "# A comment.\n[solve]\n");
    assert_eq!(project.stale(), [""; 0]);
}

#[test]
fn an_output_that_is_gone_or_was_edited_makes_its_stage_stale() {
    let project = Project::finished_copy();
    let table = project.stage_dir(FIRST, "negatives").join("negatives.jsonl");
    let bytes = fs_err::read(&table).expect("a table");
    let why = || {
        let plan = project.run(&["plan", FIRST, "--json"]).expect(0).json();
        let stages = plan["stages"].as_array().expect("stages").clone();
        stages.into_iter().find(|row| row["stage"] == "negatives").expect("the stage")["causes"].clone()
    };
    for damage in [None, Some(&bytes[..bytes.len() - 1])] {
        match damage {
            None => fs_err::remove_file(&table).expect("a table"),
            Some(bytes) => fs_err::write(&table, bytes).expect("a table"),
        }
        assert_eq!(project.stale(), ["negatives", "qrels", "release", "sanity"]);
        assert_eq!(why(), serde_json::json!(["`negatives.jsonl` is missing or was changed by hand"]));
    }
    // Times and memory lie outside all hashes, but they are part of the stage's output.
    fs_err::write(&table, &bytes).expect("a table");
    fs_err::remove_file(project.stage_dir(FIRST, "execute").join("measurements.jsonl")).expect("a table");
    assert_eq!(project.stale()[..2], ["execute", "references"]);
}

#[test]
fn an_output_that_is_made_again_with_the_same_bytes_runs_nothing_else() {
    let project = Project::finished_copy();
    fs_err::remove_file(project.stage_dir(FIRST, "qrels").join("qrels.jsonl")).expect("a table");
    let ran = project.run(&["cut", FIRST]).expect(0);
    let stages: Vec<&str> = ran.stderr.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(stages, ["qrels"], "{}", ran.stderr);
}
