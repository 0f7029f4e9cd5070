//! The program itself against a stub: killed, failing, with a key to hide.

use std::{
    collections::{BTreeSet, HashMap},
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

use super::*;

const STAGES: [&str; 3] = ["rewrite", "abbreviate", "negatives"];

/// A project like the shipped one whose writer is asked over HTTP.
pub(super) struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    pub(super) fn new(writer: &str) -> Self {
        let dir = dir();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for name in ["prompts", "validators", "snapshots", "CHANGELOG.md"] {
            std::os::unix::fs::symlink(root.join(name), dir.path().join(name)).expect("a link");
        }
        let project = Self { dir };
        project.configure(&["demo-writer"], writer);
        project
    }

    /// Writes the shipped configuration with the models named described by `model`.
    pub(super) fn configure(&self, names: &[&str], model: &str) {
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipeline.toml");
        let mut text = fs_err::read_to_string(shipped).expect("pipeline.toml");
        for name in names {
            let replayed = format!("[models.{name}]\nprovider = \"replay\"\nrecordings = \"snapshots/demo/replies\"\n");
            assert!(text.contains(&replayed), "{name}");
            text = text.replace(&replayed, &format!("[models.{name}]\n{model}\n"));
        }
        fs_err::write(self.path("pipeline.toml"), text).expect("written");
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(super) fn work(&self) -> PathBuf {
        self.path("work")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_corebuild"));
        command.args(args).current_dir(self.dir.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(super) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("a run")
    }

    pub(super) fn succeed(&self, args: &[&str]) -> String {
        let out = self.run(args);
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).expect("text")
    }

    /// The tables of a stage.
    pub(super) fn tables(&self, stage: &str) -> Vec<(String, Vec<u8>)> {
        let dir = self.dir.path().join("work/demo202601").join(stage);
        let mut tables: Vec<(String, Vec<u8>)> = fs_err::read_dir(dir)
            .expect("a stage")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
            .map(|path| {
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, fs_err::read(path).expect("a table"))
            })
            .collect();
        tables.sort();
        tables
    }

    pub(super) fn journal(&self, stage: &str) -> PathBuf {
        self.dir.path().join("work/journal/llm").join(format!("{stage}.jsonl"))
    }

    /// Questions that the journals hold whole answers to.
    fn had(&self) -> BTreeSet<String> {
        let mut had = BTreeSet::new();
        for stage in STAGES {
            let text = fs_err::read_to_string(self.journal(stage)).unwrap_or_default();
            let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            for line in whole {
                let value: Value = serde_json::from_str(line).expect("a record");
                let messages = value["value"]["request"]["messages"].as_array().expect("messages").clone();
                had.insert(messages.last().expect("a message")["content"].as_str().expect("a text").to_owned());
            }
        }
        had
    }
}

/// What the demo's writer answers, by the question.
pub(super) fn recorded() -> HashMap<String, (String, String)> {
    let mut recorded = HashMap::new();
    for stage in STAGES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("snapshots/demo/replies/{stage}.jsonl"));
        for line in fs_err::read_to_string(path).expect("recordings").lines() {
            let value: Value = serde_json::from_str(line).expect("a record");
            let reply = &value["value"];
            let question = reply["request"]["messages"].as_array().expect("messages").last().expect("one").clone();
            let field = |name: &str| reply[name].as_str().expect("a text").to_owned();
            let question = question["content"].as_str().expect("a text").to_owned();
            recorded.insert(question, (field("text"), field("finish_reason")));
        }
    }
    recorded
}

/// A provider with the demo's answers that throttles a fifth of the calls.
fn demo_stub() -> Stub {
    let (recorded, n) = (recorded(), AtomicUsize::new(0));
    Stub::start(move |asked| {
        std::thread::sleep(Duration::from_millis(20));
        if n.fetch_add(1, Ordering::SeqCst) % 5 == 4 {
            return Answer::error(429, "retry-after: 0.05\r\n", "slow down");
        }
        let (text, finish) = recorded.get(&asked.question()).cloned().unwrap_or_default();
        chat(&text, if finish == "length" { "length" } else { "stop" })
    })
}

fn writer(stub: &Stub) -> String {
    openai(stub) + "concurrency = 4\nrepair = false"
}

/// Kills without mercy after a while; whether it was still alive.
fn kill_after(mut child: Child, time: Duration) -> bool {
    let start = Instant::now();
    while start.elapsed() < time {
        if child.try_wait().expect("a child").is_some() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().expect("killed");
    child.wait().expect("reaped");
    true
}

#[test]
fn case_35_killed_at_any_moment_it_ends_in_the_same_bytes_and_asks_nothing_twice() {
    let whole = Project::new("provider = \"replay\"\nrecordings = \"snapshots/demo/replies\"");
    whole.succeed(&["pull", "demo202601", "-q"]);
    for stage in STAGES {
        whole.succeed(&[stage, "demo202601", "-q"]);
    }
    let stub = demo_stub();
    let project = Project::new(&writer(&stub));
    project.succeed(&["pull", "demo202601", "-q"]);
    let mut n_kills = 0;
    for stage in STAGES {
        for round in 0_u64.. {
            let (had, n_before) = (project.had(), stub.n_asked());
            let child = project.command(&[stage, "demo202601", "-q"]).spawn().expect("a run");
            // From hardly begun to well under way, by a fixed but irregular sequence.
            let was_alive = kill_after(child, Duration::from_millis(60 + round * 37 % 190 + 4 * round));
            let twice: Vec<String> =
                stub.asked()[n_before..].iter().map(Asked::question).filter(|asked| had.contains(asked)).collect();
            assert!(twice.is_empty(), "{} replies on disk were asked for again", twice.len());
            n_kills += usize::from(was_alive);
            if !was_alive {
                break;
            }
        }
        project.succeed(&[stage, "demo202601", "-q"]);
        assert_eq!(project.tables(stage), whole.tables(stage), "{stage}");
    }
    println!("{n_kills} kills, {} calls", stub.n_asked());
    assert!(n_kills >= 5, "{n_kills} kills");
}

#[test]
fn key_is_in_no_file_and_no_message_whatever_fails() {
    const KEY: &str = "sk-planted-0123456789abcdef";
    let echo = |asked: &Asked| {
        let sent = asked.headers.lines().find(|line| line.to_lowercase().starts_with("authorization"));
        sent.unwrap_or_default().to_owned()
    };
    for status in [200, 401, 500] {
        let stub = Stub::start(move |asked| match status {
            200 => Answer::Whole { status: 200, headers: String::new(), body: echo(asked).into_bytes() },
            status => Answer::error(status, "", &format!("you sent {}", echo(asked))),
        });
        let writer = openai(&stub) + "api_key_env = \"PLANTED_KEY\"\nmax_retries = 1\nconcurrency = 1";
        let project = Project::new(&writer);
        project.succeed(&["pull", "demo202601", "-q"]);
        let out = project.command(&["rewrite", "demo202601"]).env("PLANTED_KEY", KEY).output().expect("a run");
        assert!(!out.status.success());
        assert!(stub.asked()[0].headers.contains(KEY), "the server got it");
        let said = [out.stdout, out.stderr].concat();
        assert!(!String::from_utf8_lossy(&said).contains(KEY), "status {status}");
        let mut open = vec![project.dir.path().join("work")];
        while let Some(dir) = open.pop() {
            for entry in fs_err::read_dir(dir).expect("a directory") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let bytes = fs_err::read(&path).expect("a file");
                    assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "status {status}: `{}`", path.display());
                }
            }
        }
    }
}

#[test]
fn missing_key_is_told_with_the_name_of_its_variable() {
    let project = Project::new("provider = \"anthropic\"\nmodel = \"some-model\"");
    project.succeed(&["pull", "demo202601", "-q"]);
    let out = project.command(&["rewrite", "demo202601"]).env_remove("ANTHROPIC_API_KEY").output().expect("a run");
    assert_eq!(out.status.code(), Some(6));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("ANTHROPIC_API_KEY is not set") && said.contains("hint: export ANTHROPIC_API_KEY"), "{said}");
}
