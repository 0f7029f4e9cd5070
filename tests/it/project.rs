//! A project with directories of its own, and `corebuild` run on it as a person runs it.
//!
//! One finished cut of each demo release is shared by all tests of this binary: it is made when the
//! first test asks for it, and never changed. Whoever changes something takes a copy, and so does
//! whoever cuts: a cut takes the lock.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use serde_json::Value;

pub(crate) const FIRST: &str = "demo202601";
pub(crate) const SECOND: &str = "demo202602";

/// No command of these tests takes longer on a busy machine: what does hangs.
const PATIENCE: Duration = Duration::from_mins(20);

/// The repository.
pub(crate) fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where `pipeline.toml` lies, and where tables and releases go.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    pub(crate) work: PathBuf,
    pub(crate) dist: PathBuf,
    /// Deleted with the value.
    #[expect(dead_code, reason = "owned for its end")]
    dir: Option<tempfile::TempDir>,
}

/// What a command came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Fails the test where the command ended with another code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Standard output, which must be one JSON value and nothing else.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in: {}", self.stdout))
    }
}

impl Project {
    /// The repository's configuration with nothing done yet.
    pub(crate) fn new() -> Self {
        Self::owning(temp_dir())
    }

    fn owning(dir: tempfile::TempDir) -> Self {
        let project = Self::at(repository(), dir.path());
        Self { dir: Some(dir), ..project }
    }

    fn at(root: &Path, dir: &Path) -> Self {
        Self { root: root.to_path_buf(), work: dir.join("work"), dist: dir.join("dist"), dir: None }
    }

    /// Configuration, prompts and validators of its own, to be changed; nothing done yet.
    pub(crate) fn editable() -> Self {
        let dir = temp_dir();
        let root = dir.path().join("project");
        for name in ["prompts", "validators", "pipeline.toml", "CHANGELOG.md"] {
            copy(&repository().join(name), &root.join(name));
        }
        std::os::unix::fs::symlink(repository().join("snapshots"), root.join("snapshots")).expect("a link");
        Self { root, ..Self::owning(dir) }
    }

    /// The same with the shared finished cut of the first release in its directories.
    pub(crate) fn finished_editable() -> Self {
        let project = Self::editable();
        project.take(finished(FIRST));
        project
    }

    /// The repository's configuration with a copy of the shared finished cut.
    pub(crate) fn finished_copy() -> Self {
        let project = Self::new();
        project.take(finished(FIRST));
        project
    }

    fn take(&self, other: &Self) {
        copy(&other.work, &self.work);
        copy(&other.dist, &self.dist);
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = corebuild(args);
        command.arg("--config").arg(self.root.join("pipeline.toml"));
        command.arg("--work").arg(&self.work).arg("--dist").arg(&self.dist);
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        run(&mut self.command(args))
    }

    /// Stages that `plan` would run, by name.
    pub(crate) fn stale(&self) -> Vec<String> {
        let plan = self.run(&["plan", FIRST, "--json"]).expect(0).json();
        let stages = plan["stages"].as_array().expect("stages").iter();
        stages.filter(|row| row["stale"] == true).map(|row| row["stage"].as_str().expect("a name").to_owned()).collect()
    }

    pub(crate) fn stage_dir(&self, release: &str, stage: &str) -> PathBuf {
        self.work.join(release).join(stage)
    }

    /// Rows of a table.
    pub(crate) fn rows(&self, release: &str, stage: &str, table: &str) -> Vec<Value> {
        rows(&self.stage_dir(release, stage).join(format!("{table}.jsonl")))
    }

    /// Replaces a piece of one of the project's own files.
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        assert_ne!(self.root, repository(), "the repository's own files are not edited");
        let path = self.root.join(file);
        let text = fs_err::read_to_string(&path).expect("the file");
        assert!(text.contains(from), "`{file}` holds no `{from}`");
        fs_err::write(&path, text.replacen(from, to, 1)).expect("the file");
    }

    /// Every hashed file below the work directory of a release and the release itself, by name.
    pub(crate) fn bytes(&self, release: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        read_all(&self.dist, &self.dist, &mut files);
        files.retain(|name, _| name.contains(release));
        let mut work = BTreeMap::new();
        read_all(&self.work.join(release), &self.work.join(release), &mut work);
        work.retain(|name, _| name != ".lock" && name != "execute/measurements.jsonl" && !name.contains("/.tmp"));
        files.extend(work);
        files
    }
}

/// Names of the files in which two cuts differ, each with the first lines that do.
pub(crate) fn differences(a: &BTreeMap<String, Vec<u8>>, b: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let differing = names.into_iter().filter(|name| a.get(*name) != b.get(*name));
    differing.map(|name| format!("{name}: {}", first_difference(a.get(name), b.get(name)))).collect()
}

fn first_difference(a: Option<&Vec<u8>>, b: Option<&Vec<u8>>) -> String {
    let lines = |bytes: Option<&Vec<u8>>| -> Vec<String> {
        bytes.map_or_else(Vec::new, |bytes| String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect())
    };
    let (a, b) = (lines(a), lines(b));
    let at = (0..a.len().max(b.len())).find(|n| a.get(*n) != b.get(*n)).unwrap_or_default();
    let show = |line: Option<&String>| line.map_or("(no line)".to_owned(), |line| line.chars().take(400).collect());
    format!("line {}\n  {}\n  {}", at + 1, show(a.get(at)), show(b.get(at)))
}

/// A finished cut, made with four workers when it is first asked for.
pub(crate) fn finished(release: &str) -> &'static Project {
    static FIRST_CUT: OnceLock<Project> = OnceLock::new();
    static SECOND_CUT: OnceLock<Project> = OnceLock::new();
    let place = if release == FIRST { &FIRST_CUT } else { &SECOND_CUT };
    place.get_or_init(|| {
        let project = Project::at(repository(), &shared_dir().join(release));
        project.run(&["cut", release, "--workers", "4"]).expect(0);
        project
    })
}

/// Statics are never dropped, so what is shared goes where the next run of the tests finds and
/// removes it.
fn shared_dir() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let parent = Path::new(env!("CARGO_TARGET_TMPDIR"));
        fs_err::create_dir_all(parent).expect("a directory for tests");
        for entry in fs_err::read_dir(parent).expect("a directory for tests") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let pid = name.strip_prefix("finished-").and_then(|pid| pid.parse::<u32>().ok());
            if pid.is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
                let _ = fs_err::remove_dir_all(path);
            }
        }
        parent.join(format!("finished-{}", std::process::id()))
    })
}

fn temp_dir() -> tempfile::TempDir {
    fs_err::create_dir_all(env!("CARGO_TARGET_TMPDIR")).expect("a directory for tests");
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory")
}

/// `corebuild` without what the caller's environment says to it.
pub(crate) fn corebuild(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_corebuild"));
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("COREBUILD_")) {
        command.env_remove(name);
    }
    command.args(args).stdin(Stdio::null());
    command
}

pub(crate) fn run(command: &mut Command) -> Ran {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("corebuild starts");
    let pid = child.id();
    let (told, done) = std::sync::mpsc::channel();
    std::thread::spawn(move || told.send(child.wait_with_output()));
    let Ok(output) = done.recv_timeout(PATIENCE) else {
        signal(pid, "KILL");
        panic!("{command:?} hangs")
    };
    Ran::of(output.expect("the output"))
}

pub(crate) fn signal(pid: u32, name: &str) {
    let status = Command::new("/bin/kill").args([format!("-{name}"), pid.to_string()]).status();
    assert!(status.expect("kill starts").success());
}

/// Polls until `reached` holds or the process has ended; whether it holds.
pub(crate) fn wait_until(child: &mut Child, reached: impl Fn() -> bool) -> bool {
    let started = Instant::now();
    while !reached() {
        if child.try_wait().expect("a child").is_some() {
            return reached();
        }
        assert!(started.elapsed() < PATIENCE, "nothing happens");
        std::thread::sleep(Duration::from_millis(2));
    }
    true
}

pub(crate) fn rows(path: &Path) -> Vec<Value> {
    let text = fs_err::read_to_string(path).expect("a table");
    text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

/// Copies a file or a directory. Compiled programs are never changed in place, so links will do.
fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs_err::create_dir_all(to).expect("a directory");
        for entry in fs_err::read_dir(from).expect("a directory") {
            let name = entry.expect("an entry").file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else if from.components().any(|part| part.as_os_str() == "compiled") {
        fs_err::hard_link(from, to).expect("a link");
    } else {
        fs_err::create_dir_all(to.parent().expect("a directory")).expect("a directory");
        fs_err::copy(from, to).expect("a copy");
    }
}

/// Copies the compiled programs alone: they save time and decide nothing.
pub(crate) fn copy_compiled(from: &Project, to: &Project) {
    copy(&from.work.join("cache"), &to.work.join("cache"));
}

fn read_all(root: &Path, dir: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs_err::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read_all(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("below the root").display().to_string();
            files.insert(name, fs_err::read(&path).expect("a file"));
        }
    }
}
