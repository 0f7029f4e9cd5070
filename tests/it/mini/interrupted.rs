//! Cuts that are killed at any moment, and resumed: nothing lost, nothing paid twice, the same bytes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use corebuild::seeded;

use super::STAGES;
use crate::project::{FIRST, Project, differences, finished, signal, wait_until};

const SEED: u64 = 20_260_101;

/// How long each stage took, from what `cut` says on standard error.
fn durations(stderr: &str) -> BTreeMap<String, Duration> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let seconds = words.iter().position(|word| *word == "s").and_then(|at| words[at - 1].parse().ok())?;
        Some(((*words.first()?).to_owned(), Duration::from_secs_f64(seconds)))
    };
    stderr.lines().filter_map(line).collect()
}

/// Starts a cut, waits until `reached`, then a while, and kills it without warning. Whether it was
/// still running.
fn kill_after(project: &Project, mark: &str, reached: impl Fn() -> bool, delay: Duration) -> bool {
    let mut command = project.command(&["cut", FIRST, "--workers", "4"]);
    let mut child =
        command.env("IT_MARK", mark).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("corebuild starts");
    wait_until(&mut child, reached);
    std::thread::sleep(delay);
    let running = child.try_wait().expect("a child").is_none();
    if running {
        signal(child.id(), "KILL");
    }
    let status = child.wait().expect("a child");
    assert!(!running || std::os::unix::process::ExitStatusExt::signal(&status) == Some(9), "{status}");
    assert!(running || status.success(), "a resumed cut failed: {status}");
    running
}

fn receipt(project: &Project, stage: &str) -> PathBuf {
    project.stage_dir(FIRST, stage).join("receipt.json")
}

fn journal_keys(path: &Path) -> Vec<String> {
    let rows = crate::project::rows(path).into_iter();
    let mut keys: Vec<String> = rows.map(|row| row["key"].as_str().expect("a key").to_owned()).collect();
    keys.sort_unstable();
    keys
}

/// Keys of every journal of replies, by file.
fn replies(project: &Project) -> BTreeMap<String, Vec<String>> {
    let dir = project.work.join("journal/llm");
    let entries = fs_err::read_dir(&dir).expect("journals").map(|entry| entry.expect("an entry").path());
    entries
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), journal_keys(&path)))
        .collect()
}

fn assert_asked_once(project: &Project) {
    let asked = replies(project);
    for (file, keys) in &asked {
        let distinct: BTreeSet<&String> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len(), "`{file}` holds a key twice");
    }
    let uninterrupted = replies(finished(FIRST));
    assert_eq!(asked.keys().collect::<Vec<_>>(), uninterrupted.keys().collect::<Vec<_>>());
    for (file, keys) in &asked {
        assert!(*keys == uninterrupted[file], "`{file}` holds other keys than that of an uninterrupted cut");
    }
}

fn assert_same_bytes(project: &Project) {
    let differences = differences(&finished(FIRST).bytes(FIRST), &project.bytes(FIRST));
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let leftovers: Vec<_> = fs_err::read_dir(&project.dist).expect("dist").map(|e| e.expect("e").file_name()).collect();
    assert_eq!(leftovers, [FIRST]);
}

/// No process of a killed cut may live on: it would hold locks, or run programs that nobody asks for.
fn assert_no_process_survives(mark: &str) {
    let wanted = format!("IT_MARK={mark}");
    let survivors = || -> Vec<String> {
        let processes = fs_err::read_dir("/proc").expect("/proc").filter_map(Result::ok);
        let marked = processes.filter(|process| {
            let environment = fs_err::read(process.path().join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
        });
        marked.map(|process| process.file_name().to_string_lossy().into_owned()).collect()
    };
    for _ in 0..100 {
        if survivors().is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("processes of killed cuts live on: {:?}", survivors());
}

fn remove_stages(project: &Project, from: &str) {
    let first = STAGES.iter().position(|stage| *stage == from).expect("a stage");
    for stage in &STAGES[first..] {
        fs_err::remove_dir_all(project.stage_dir(FIRST, stage)).expect("a stage's directory");
    }
    fs_err::remove_dir_all(&project.dist).expect("dist");
}

/// Case 35: two kills in every stage. Runs and compiled programs come from a finished cut, so that
/// every resume is short; all replies are asked for anew.
#[test]
fn case_35_a_cut_killed_in_every_stage_resumes_to_the_same_bytes_and_asks_nothing_twice() {
    let project = Project::finished_copy();
    let start_over = || {
        remove_stages(&project, "pull");
        fs_err::remove_dir_all(project.work.join("journal/llm")).expect("journals");
    };
    start_over();
    let uninterrupted = project.run(&["cut", FIRST, "--workers", "4"]).expect(0);
    let durations = durations(&uninterrupted.stderr);
    assert_eq!(durations.len(), STAGES.len(), "{}", uninterrupted.stderr);
    assert_asked_once(&project);
    start_over();
    let mark = project.work.display().to_string();
    let mut n_kills = 0;
    for (n, stage) in STAGES.iter().enumerate().flat_map(|(n, stage)| [(n, stage), (n, stage)]) {
        let draw = seeded::unit(SEED, &["kill", stage, &n_kills.to_string()]);
        // What a command needs before its first stage counts as part of the stage.
        let delay = (durations[*stage] + Duration::from_millis(150)).mul_f64(draw);
        let reached = || n == 0 || receipt(&project, STAGES[n - 1]).exists();
        n_kills += u32::from(kill_after(&project, &mark, reached, delay));
    }
    assert!(n_kills >= 20, "only {n_kills} cuts were still running when they were killed");
    assert_no_process_survives(&mark);
    project.run(&["cut", FIRST]).expect(0);
    assert_same_bytes(&project);
    assert_asked_once(&project);
}

/// The journal of runs with a seeded share of its lines taken out.
fn forget_runs(journal: &Path, share: f64) {
    let text = fs_err::read_to_string(journal).expect("the journal");
    let kept = text.lines().filter(|line| seeded::unit(SEED, &["forget", line]) >= share);
    fs_err::write(journal, kept.fold(String::new(), |text, line| text + line + "\n")).expect("the journal");
}

fn append(path: &Path, bytes: &[u8]) {
    let mut file = fs_err::OpenOptions::new().append(true).open(path).expect("a journal");
    std::io::Write::write_all(&mut file, bytes).expect("a torn line");
}

#[test]
fn kills_among_real_runs_lose_no_recorded_run_and_torn_journals_are_mended() {
    let project = Project::finished_copy();
    remove_stages(&project, "execute");
    let (runs, asked) = (project.work.join("journal/runs.jsonl"), project.work.join("journal/llm/queries.jsonl"));
    let n_all = journal_keys(&runs).len();
    forget_runs(&runs, 0.25);
    let mark = project.work.display().to_string();
    for n in 0..8 {
        let before = fs_err::read(&runs).expect("the journal");
        let grown = || fs_err::metadata(&runs).expect("the journal").len() > before.len() as u64;
        let delay = Duration::from_secs(1).mul_f64(seeded::unit(SEED, &["kill among runs", &n.to_string()]));
        // Every second one waits until the stage has made a run that was not recorded.
        let reached = || n % 2 == 0 || grown() || receipt(&project, "execute").exists();
        kill_after(&project, &mark, reached, delay);
        let after = fs_err::read(&runs).expect("the journal");
        let whole = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        assert!(after.starts_with(&before[..whole]), "kill {n}: a recorded run was lost");
    }
    assert_no_process_survives(&mark);
    append(&runs, b"{\"key\":\"torn\",\"value\":{\"verd");
    append(&asked, b"{\"key\":\"to");
    project.run(&["cut", FIRST, "--workers", "4"]).expect(0);
    assert_same_bytes(&project);
    assert_asked_once(&project);
    let keys: BTreeSet<String> = journal_keys(&runs).into_iter().collect();
    assert!(!keys.contains("torn") && keys.len() <= n_all, "{} keys", keys.len());
}
