//! Pulls of whole sources: small ones written here, and the real ones where `COREBUILD_SHARED` names
//! the directory that holds them.

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::{
    config::SourceFile,
    exit_code::ExitCode,
    ids,
    languages::Language,
    tables::{Reason, Style},
};

/// A directory that is `root` and holds the snapshots too.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.0.path().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
        self
    }

    /// A source whose pins are those of what lies there now.
    fn source(&self, kind: SourceKind, paths: &[&str]) -> SourceConfig {
        let files = paths.iter().map(|path| {
            let (_, sha256, _) = measure(&self.0.path().join(path), &mut |_| Ok(())).unwrap();
            SourceFile { url: format!("file://{path}"), sha256 }
        });
        SourceConfig {
            kind,
            revision: "r1".to_owned(),
            files: files.collect(),
            exclude: BTreeMap::new(),
            max_references: 250,
        }
    }

    fn pull(&self, sources: &[(&str, &SourceConfig)]) -> Result<Pulled> {
        let snapshots = self.0.path().join("snapshots");
        let window = Window { from: "1970-01-01".to_owned(), until: "2100-01-01".to_owned() };
        pull(sources, &window, 7, Places { root: self.0.path(), snapshots: &snapshots }, &|_| Ok(()))
    }

    fn pull_one(&self, source: &SourceConfig) -> Pulled {
        let pulled = self.pull(&[("src", source)]).unwrap();
        let n_out = pulled.problems.len() + pulled.references.len() + pulled.rejected.len();
        assert_eq!(pulled.n_in, n_out as u64, "the ledger has to balance");
        pulled
    }
}

/// The reasons of all rejected rows, by key.
fn reasons(pulled: &Pulled) -> BTreeMap<&str, Reason> {
    pulled.rejected.iter().map(|row| (row.key.as_str(), row.reason)).collect()
}

fn shared() -> Option<PathBuf> {
    let shared = std::env::var_os("COREBUILD_SHARED").map(|shared| PathBuf::from(shared).join("data"));
    if shared.is_none() {
        // The test harness shows this where it is asked to.
        eprintln!("skipped: COREBUILD_SHARED is not set");
    }
    shared
}

const TESTS: &str = r#"[{"input":"1\n","output":"2\n","testtype":"stdin"}]"#;

fn record(id: &str) -> Value {
    json!({
        "question_title": "Twice", "question_content": "Read n.\r\nPrint twice n.\rEnd", "platform": "atcoder",
        "question_id": id, "contest_id": "abc900", "contest_date": "2025-11-08T00:00:00", "starter_code": "",
        "difficulty": "easy", "public_test_cases": TESTS,
        "private_test_cases": livecodebench::packed(r#"[{"input":"4","output":"8","testtype":"stdin"}]"#),
        "metadata": "{}", "_version": 6,
    })
}

fn with(mut record: Value, key: &str, value: impl Into<Value>) -> Value {
    record[key] = value.into();
    record
}

fn without(mut record: Value, key: &str) -> Value {
    record.as_object_mut().unwrap().shift_remove(key);
    record
}

fn json_lines(records: &[Value]) -> String {
    records.iter().flat_map(|record| [record.to_string(), "\n".to_owned()]).collect()
}

/// The only rejected row of a file with one record.
fn rejection(record: &Value) -> (String, Reason, String) {
    let place = Place::new();
    place.write("a.jsonl", json_lines(std::slice::from_ref(record)));
    let pulled = place.pull_one(&place.source(SourceKind::Livecodebench, &["a.jsonl"]));
    assert!(pulled.problems.is_empty() && pulled.source_tests.is_empty(), "{record}");
    let row = &pulled.rejected[0];
    (row.key.clone(), row.reason, row.detail.clone())
}

#[test]
fn a_record_becomes_a_problem_and_its_tests_as_stored() {
    let place = Place::new();
    let functional = r#"[{"input":"[1]\n2","output":"true","testtype":"functional"}]"#;
    let leetcode = with(record("9001"), "metadata", r#"{"func_name": "isTwice"}"#);
    let leetcode = with(leetcode, "starter_code", "class Solution:\n    def isTwice(self, a, b):\n        ");
    let leetcode = with(without(leetcode, "private_test_cases"), "public_test_cases", functional);
    place.write("a.jsonl", json_lines(&[record("abc900_B"), with(leetcode, "platform", "leetcode")]));
    let pulled = place.pull_one(&place.source(SourceKind::Livecodebench, &["a.jsonl"]));

    let [first, second] = pulled.problems.as_slice() else { panic!("{:?}", pulled.problems) };
    assert_eq!((first.problem_id.as_str(), first.style), ("lcb_9001", Style::Functional));
    assert_eq!(first.func_name.as_deref(), Some("isTwice"));
    assert_eq!((second.problem_id.as_str(), second.question_id.as_str()), ("lcb_abc900_b", "abc900_B"));
    assert_eq!(second.statement, "Read n.\nPrint twice n.\rEnd");
    let tests: Vec<_> = pulled.source_tests.iter().map(|test| (test.key(), test.origin, test.input.as_str())).collect();
    assert_eq!(
        tests,
        [
            ("lcb_9001/000000".to_owned(), TestOrigin::Public, "[1]\n2"),
            ("lcb_abc900_b/000000".to_owned(), TestOrigin::Public, "1\n"),
            ("lcb_abc900_b/000001".to_owned(), TestOrigin::Private, "4"),
        ]
    );
}

#[test]
fn tests_that_do_not_decode_or_are_empty_never_become_a_problem() {
    let cases = [
        (with(record("x"), "private_test_cases", ""), Reason::UndecodableTests, "empty"),
        (with(record("x"), "private_test_cases", "eJx="), Reason::UndecodableTests, "private_test_cases"),
        (with(record("x"), "private_test_cases", "[]"), Reason::NoTests, "empty list"),
        (with(record("x"), "private_test_cases", livecodebench::packed("[]")), Reason::NoTests, "empty list"),
        (with(record("x"), "public_test_cases", "[1]"), Reason::UndecodableTests, "public_test_cases"),
        (
            without(with(record("x"), "public_test_cases", "[]"), "private_test_cases"),
            Reason::NoTests,
            "public_test_cases",
        ),
    ];
    for (record, expected, part) in cases {
        let (key, reason, detail) = rejection(&record);
        assert_eq!((key.as_str(), reason), ("lcb_x", expected), "{detail}");
        assert!(detail.contains(part) && detail.contains("a.jsonl line 1"), "{detail}");
    }
}

#[test]
fn a_line_that_is_no_record_is_rejected_with_its_number() {
    let cases = [
        (without(record("x"), "metadata"), "missing field `metadata`"),
        (with(record("x"), "question_id", 7), "invalid type"),
        (with(record("x"), "question_id", " "), "`question_id` is empty"),
        (with(record("x"), "platform", "spoj"), "unknown variant `spoj`"),
        (with(record("x"), "contest_date", "2025-13-01T00:00:00"), "not YYYY-MM-DD"),
        (with(record("x"), "contest_date", "last May"), "not YYYY-MM-DD"),
        (with(record("x"), "question_content", "\n"), "`question_content` is empty"),
        (with(record("x"), "starter_code", "def f():"), "no `func_name`"),
        (with(record("x"), "metadata", r#"{"func_name":"f"}"#), "no `starter_code`"),
        (with(record("x"), "metadata", "[]"), "`metadata` is no JSON object"),
        (json!([1]), "line 1"),
    ];
    for (record, part) in cases {
        let (_, reason, detail) = rejection(&record);
        assert_eq!(reason, Reason::BadRecord, "{detail}");
        assert!(detail.contains(part) && detail.contains("a.jsonl line 1"), "{detail}");
    }
}

#[test]
fn broken_lines_do_not_stop_the_lines_behind_them() {
    let place = Place::new();
    let mut bytes = b"{\"question_id\": \n\n\xff\xfe\n".to_vec();
    bytes.extend(record("x").to_string().into_bytes());
    place.write("a.jsonl", bytes);
    let pulled = place.pull_one(&place.source(SourceKind::Livecodebench, &["a.jsonl"]));
    assert_eq!(pulled.problems.len(), 1);
    let keys: Vec<&str> = reasons(&pulled).into_keys().collect();
    assert_eq!(keys, ["src/a.jsonl/000000001", "src/a.jsonl/000000003"]);
}

#[test]
fn excluded_undated_repeated_and_pictured_problems_are_rejected_each_with_its_reason() {
    let place = Place::new();
    place.write(
        "a.jsonl",
        json_lines(&[
            record("kept"),
            record("bad"),
            with(record("named"), "question_title", "find-the-lanterns"),
            with(record("old"), "contest_date", "1969-12-31T23:59:59"),
            with(record("pictured"), "question_content", "See ![a](https://x/y.png) and <img src='z'>"),
        ]),
    );
    place.write("b.jsonl", json_lines(&[record("KEPT")]));
    let mut source = place.source(SourceKind::Livecodebench, &["a.jsonl", "b.jsonl"]);
    source.exclude.insert("bad".to_owned(), "several right answers".to_owned());
    source.exclude.insert("find-the-lanterns".to_owned(), "named by its title, as errata do".to_owned());
    let pulled = place.pull_one(&source);
    let expected = [
        ("lcb_bad", Reason::Excluded),
        ("lcb_kept", Reason::DuplicateProblem),
        ("lcb_named", Reason::Excluded),
        ("lcb_old", Reason::OutOfWindow),
        ("lcb_pictured", Reason::ImagesOnly),
    ];
    assert_eq!(reasons(&pulled), BTreeMap::from(expected));
    assert!(pulled.rejected[0].detail.contains("several right answers"));
    assert!(pulled.rejected[1].detail.contains("`src` a.jsonl line 1"), "{}", pulled.rejected[1].detail);
}

#[test]
fn a_changed_snapshot_is_refused_with_both_hashes() {
    let place = Place::new();
    place.write("a.jsonl", json_lines(&[record("x")]));
    let source = place.source(SourceKind::Livecodebench, &["a.jsonl"]);
    place.write("a.jsonl", json_lines(&[record("y")]));
    let now = place.source(SourceKind::Livecodebench, &["a.jsonl"]).files[0].sha256.clone();
    let error = place.pull(&[("src", &source)]).unwrap_err();
    assert_eq!(ExitCode::of(&error), ExitCode::Invalid);
    let message = error.to_string();
    assert!(message.contains(&now) && message.contains(&source.files[0].sha256), "{message}");
}

#[test]
fn the_manifest_is_the_same_whenever_it_is_written() {
    let place = Place::new();
    place.write("a.jsonl", json_lines(&[record("x")]));
    let source = place.source(SourceKind::Livecodebench, &["a.jsonl"]);
    let path = place.0.path().join("snapshots/src@r1/manifest.json");
    place.pull_one(&source);
    let first = fs_err::read(&path).unwrap();
    let pulled = place.pull_one(&source);
    assert_eq!(fs_err::read(&path).unwrap(), first);
    let manifest: Manifest = serde_json::from_slice(&first).unwrap();
    assert_eq!(manifest, pulled.manifests[0]);
    assert_eq!(manifest.files[0].url, "file://a.jsonl");
}

#[test]
fn a_downloaded_source_is_asked_for_once_and_checked_each_time() {
    let body = json_lines(&[record("x")]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/resolve/r1/test.jsonl", listener.local_addr().unwrap());
    let place = Place::new();
    let mut source = place.write("a", &body).source(SourceKind::Livecodebench, &["a"]);
    source.files[0].url = url;
    let server = std::thread::spawn(move || {
        use std::io::{BufRead, BufReader, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let head = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
        assert!(head.take_while(|line| !line.is_empty()).any(|line| line == "GET /resolve/r1/test.jsonl HTTP/1.1"));
        let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all((head + &body).as_bytes()).unwrap();
    });
    let first = place.pull_one(&source);
    server.join().unwrap();
    // The server is gone: what was downloaded serves.
    assert_same(&place.pull_one(&source), &first);
    assert_eq!(first.problems.len(), 1);
    place.write("snapshots/src@r1/test.jsonl", "tampered with");
    assert_eq!(ExitCode::of(&place.pull(&[("src", &source)]).unwrap_err()), ExitCode::Invalid);
}

const PAGE: &str = "<H1>Twice</H1>\n<p>Read <var>n</var> and print twice as much, each time.</p>\n\
    <H2>Input</H2>\n<p>One integer n.</p>\n<H2>Output</H2>\n<p>Twice n.</p>\n\
    <H2>Sample Input 1</H2>\n<pre>\n1\n</pre>\n<H2>Output for the Sample Input 1</H2>\n<pre>\n2\n</pre>\n\
    <H2>Sample Input 2</H2>\n<pre>\n5\n</pre>\n<H2>Output for the Sample Input 2</H2>\n<pre>\n10\n</pre>\n";

const SUBMISSIONS: &str = "submission_id,problem_id,user_id,date,language,original_language,filename_ext,status,cpu_time,memory,code_size,accuracy\n";

/// Problems of every fate, one of them with submissions of every fate.
fn codenet() -> Place {
    let place = Place::new();
    let row = |id: &str, rest: &str| format!("{id},p00001,u1,{rest},20,7000,1,\n");
    let table = [
        row("s000000001", "1700000000,Python,Python (3.8.2),py,Accepted"),
        row("s000000002", "1600000000,C++,C++14,cpp,Wrong Answer"),
        row("s000000003", "1700000000,OCaml,OCaml,ml,Accepted"),
        row("s000000004", "1700000000,C,C,c,Accepted"),
        row("s000000005", "1700000000,C,C,c,Accepted"),
        row("s000000006", "1700000000,C,C,c,Accepted"),
        row("s000000007", "1700000000,Java,Java,java,Accepted"),
        row("s000000007", "1700000000,Java,Java,java,Accepted"),
        row("oops", "1700000000,Java,Java,java,Accepted"),
    ];
    let list = "id,name,dataset,time_limit,memory_limit,rating,tags,complexity\n\
        p00001,Twice,AIZU,1000,131072,,,\np00002,Not there,AtCoder,,,,,\np00003,Bare,AIZU,,,,,\n\
        p00004,Old,AIZU,,,,,\np00005,にほん,AIZU,,,,,\np00006,Left out,AIZU,,,,,\np00007,No tests,AIZU,,,,,\nx,y,z,,,,,\n";
    let bare = PAGE.split("<H2>Sample").next().unwrap();
    let japanese = PAGE.replace("Read", "整数を読み込んで出力してください");
    place
        .write("tree/metadata/problem_list.csv", list)
        .write("tree/metadata/p00001.csv", format!("{SUBMISSIONS}{}", table.concat()))
        .write("tree/metadata/p00004.csv", format!("{SUBMISSIONS}s000000044,p00004,,-5,C,C,c,Accepted,,,,\n"))
        .write("tree/metadata/p00007.csv", format!("{SUBMISSIONS}s000000077,p00007,,5,C,C,c,Accepted,,,,\n"))
        .write("tree/problem_descriptions/p00001.html", PAGE)
        .write("tree/problem_descriptions/p00003.html", "<h1>Bare</h1><p>Words.</p><h2>Input</h2><p>None.</p>")
        .write("tree/problem_descriptions/p00004.html", PAGE)
        .write("tree/problem_descriptions/p00005.html", japanese)
        .write("tree/problem_descriptions/p00006.html", PAGE)
        .write("tree/problem_descriptions/p00007.html", bare)
        .write("tree/problem_descriptions/p00008.html", PAGE)
        .write("tree/derived/input_output/data/p00001/input.txt", "1\n")
        .write("tree/derived/input_output/data/p00001/output.txt", "2\n")
        .write("tree/derived/input_output/data/p00007/input.txt", "1\n")
        .write("tree/derived/input_output/data/p00007/output.txt", "\n")
        .write("tree/data/p00001/Python/s000000001.py", "print(2 * int(input()))  # ok\r\n")
        .write("tree/data/p00001/C++/s000000002.cpp", "int main() {}")
        .write("tree/data/p00001/C/s000000004.c", encoding_rs::SHIFT_JIS.encode("int main() {} // 整数").0)
        .write("tree/data/p00001/C/s000000005.c", b"\xff\xfe\0")
        .write("tree/data/p00001/C/s000000006.c", " \n");
    place
}

fn codenet_source(place: &Place, path: &str) -> SourceConfig {
    let mut source = place.source(SourceKind::Codenet, &[path]);
    source.exclude.insert("p00006".to_owned(), "several right answers".to_owned());
    source
}

#[test]
fn every_problem_and_submission_of_a_tree_is_a_row_or_has_a_reason() {
    let place = codenet();
    let pulled = place.pull_one(&codenet_source(&place, "tree"));
    let [problem] = pulled.problems.as_slice() else { panic!("{:?}", pulled.problems) };
    assert_eq!((problem.problem_id.as_str(), problem.title.as_str()), ("codenet_p00001", "Twice"));
    assert_eq!((problem.date.as_str(), problem.time_limit_ms), ("2020-09-13T12:26:40", Some(1000)));
    let tests: Vec<_> =
        pulled.source_tests.iter().map(|test| (test.origin, test.input.as_str(), test.output.as_str())).collect();
    assert_eq!(tests, [(TestOrigin::Pair, "1\n", "2\n"), (TestOrigin::Sample, "5\n", "10\n")]);
    let references: Vec<_> =
        pulled.references.iter().map(|row| (row.submission_id.as_str(), row.language, row.code.as_str())).collect();
    assert_eq!(
        references,
        [
            ("s000000001", Language::Python, "print(2 * int(input()))  # ok\r\n"),
            ("s000000004", Language::C, "int main() {} // 整数"),
        ]
    );
    let rejected: Vec<_> = pulled.rejected.iter().map(|row| (row.key.as_str(), row.reason.name())).collect();
    assert_eq!(
        rejected,
        [
            ("codenet_p00002", "no-page"),
            ("codenet_p00003", "insufficient-page"),
            ("codenet_p00004", "out-of-window"),
            ("codenet_p00005", "not-english"),
            ("codenet_p00006", "excluded"),
            ("codenet_p00007", "no-tests"),
            ("codenet_p00008", "bad-record"),
            ("s000000002", "not-accepted"),
            ("s000000003", "unsupported-language"),
            ("s000000005", "undecodable-source"),
            ("s000000006", "empty-source"),
            ("s000000007", "bad-record"),
            ("s000000007", "missing-source"),
            ("s000000077", "problem-rejected"),
            ("src/metadata/p00001.csv/000000010", "bad-record"),
            ("src/metadata/problem_list.csv/000000009", "bad-record"),
        ]
    );
}

/// A `tar.gz` of a directory, its members in reverse order under `Project_CodeNet/`.
fn archive(directory: &Path, to: &Path) {
    let mut paths = Vec::new();
    let mut left = vec![directory.to_path_buf()];
    while let Some(next) = left.pop() {
        for entry in fs_err::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { left.push(path) } else { paths.push(path) }
        }
    }
    paths.sort_by(|a, b| b.cmp(a));
    let file = fs_err::File::create(to).unwrap();
    let mut builder = tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()));
    for path in paths {
        let name = Path::new("Project_CodeNet").join(path.strip_prefix(directory).unwrap());
        builder.append_path_with_name(&path, name).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap();
}

fn assert_same(left: &Pulled, right: &Pulled) {
    assert_eq!(left.problems, right.problems);
    assert_eq!(left.source_tests, right.source_tests);
    assert_eq!(left.references, right.references);
    assert_eq!(left.rejected, right.rejected);
}

#[test]
fn an_archive_gives_what_its_directory_gives() {
    let place = codenet();
    archive(&place.0.path().join("tree"), &place.0.path().join("tree.tar.gz"));
    assert_same(
        &place.pull_one(&codenet_source(&place, "tree")),
        &place.pull_one(&codenet_source(&place, "tree.tar.gz")),
    );
}

#[test]
fn the_draw_of_references_depends_on_seed_and_ids_only() {
    let draw = |reverse: bool, seed: u64| {
        let place = Place::new();
        let mut rows: Vec<String> =
            (1..=20).map(|n| format!("s{n:09},p00001,,9,Python,Python,py,Accepted,1,1,1,\n")).collect();
        if reverse {
            rows.reverse();
        }
        for n in 1..=20 {
            place.write(&format!("tree/data/p00001/Python/s{n:09}.py"), format!("print({n})"));
        }
        place
            .write("tree/metadata/problem_list.csv", "id,name,dataset,time_limit,memory_limit\np00001,T,AIZU,,\n")
            .write("tree/metadata/p00001.csv", format!("{SUBMISSIONS}{}", rows.concat()))
            .write("tree/problem_descriptions/p00001.html", PAGE);
        let source = SourceConfig { max_references: 4, ..place.source(SourceKind::Codenet, &["tree"]) };
        let window = Window { from: "1970-01-01".to_owned(), until: "1971-01-01".to_owned() };
        let places = Places { root: place.0.path(), snapshots: place.0.path() };
        let pulled = pull(&[("src", &source)], &window, seed, places, &|_| Ok(())).unwrap();
        let over = pulled.rejected.iter().filter(|row| row.reason == Reason::OverSampleLimit).count();
        assert_eq!((pulled.references.len(), over), (4, 16));
        pulled.references.into_iter().map(|row| row.submission_id).collect::<Vec<_>>()
    };
    assert_eq!(draw(false, 1), draw(true, 1));
    assert_ne!(draw(false, 1), draw(false, 2));
}

#[test]
fn a_tree_without_its_list_of_problems_is_invalid() {
    let place = Place::new();
    place.write("tree/readme.txt", "nothing here");
    let error = place.pull(&[("src", &place.source(SourceKind::Codenet, &["tree"]))]).unwrap_err();
    assert_eq!(ExitCode::of(&error), ExitCode::Invalid);
    place.write("tree.tar.gz", b"\x1f\x8b\x08 no archive at all");
    let error = place.pull(&[("src", &place.source(SourceKind::Codenet, &["tree.tar.gz"]))]).unwrap_err();
    assert_eq!(ExitCode::of(&error), ExitCode::Invalid, "{error:#}");
}

#[test]
fn a_progress_callback_can_end_the_pull() {
    let place = codenet();
    let source = codenet_source(&place, "tree");
    let window = Window { from: "1970-01-01".to_owned(), until: "2100-01-01".to_owned() };
    let places = Places { root: place.0.path(), snapshots: place.0.path() };
    let error =
        pull(&[("src", &source)], &window, 1, places, &|_| Err(crate::exit_code::Interrupted.into())).unwrap_err();
    assert_eq!(ExitCode::of(&error), ExitCode::Interrupted);
}

/// Pulls one shared file as it lies.
fn pull_shared(kind: SourceKind, path: &Path) -> Pulled {
    let place = Place::new();
    let path = path.to_str().unwrap();
    place.pull_one(&place.source(kind, &[path]))
}

#[test]
fn all_real_records_without_private_tests_are_read() {
    let Some(shared) = shared() else { return };
    for (name, n_records) in [("v5_v6_public_342.jsonl", 342), ("release_v1_400_no_private.jsonl", 400)] {
        let pulled = pull_shared(SourceKind::Livecodebench, &shared.join("livecodebench").join(name));
        let details: Vec<&String> = pulled.rejected.iter().map(|row| &row.detail).collect();
        assert_eq!((pulled.problems.len(), details.len()), (n_records, 0), "{name}: {details:?}");
        assert!(pulled.source_tests.iter().all(|test| test.origin == TestOrigin::Public));
        assert!(pulled.problems.iter().all(|problem| !problem.statement.contains("\r\n")));
        let with_tests: std::collections::BTreeSet<&String> =
            pulled.source_tests.iter().map(|test| &test.problem_id).collect();
        assert_eq!(with_tests.len(), n_records);
        assert!(pulled.problems.iter().all(|problem| ids::is_safe(&problem.problem_id)));
    }
}

#[test]
fn the_real_pickled_private_tests_decode() {
    let Some(shared) = shared() else { return };
    let pulled = pull_shared(SourceKind::Livecodebench, &shared.join("livecodebench/real_full_record_1873_A.jsonl"));
    assert_eq!(pulled.problems[0].problem_id, "lcb_1873_a");
    let count = |origin| pulled.source_tests.iter().filter(|test| test.origin == origin).count();
    assert_eq!((count(TestOrigin::Public), pulled.rejected.len()), (1, 0));
    assert!(count(TestOrigin::Private) > 0);
    let private = pulled.source_tests.iter().find(|test| test.origin == TestOrigin::Private).unwrap();
    assert!(private.output.lines().all(|line| line == "YES" || line == "NO"), "{private:?}");
}

#[test]
fn real_records_with_packed_and_plain_copies_give_the_same_tests_twice() {
    let Some(shared) = shared() else { return };
    let name = "livecodebench/fixture_realproblems_private_is_copy_of_public.jsonl";
    let pulled = pull_shared(SourceKind::Livecodebench, &shared.join(name));
    assert_eq!((pulled.problems.len(), pulled.rejected.len()), (25, 0));
    for problem in &pulled.problems {
        let of = |origin| {
            let tests = pulled.source_tests.iter().filter(move |test| test.problem_id == problem.problem_id);
            tests.filter(|test| test.origin == origin).map(|test| (&test.input, &test.output)).collect::<Vec<_>>()
        };
        assert!(!of(TestOrigin::Public).is_empty());
        assert_eq!(of(TestOrigin::Public), of(TestOrigin::Private), "{}", problem.problem_id);
    }
}

#[test]
fn the_real_small_tree_reads_alike_as_directory_and_archive() {
    let Some(shared) = shared() else { return };
    let tree = shared.join("codenet_mini/Project_CodeNet");
    let place = Place::new();
    archive(&tree, &place.0.path().join("mini.tar.gz"));
    let from_directory = pull_shared(SourceKind::Codenet, &tree);
    let from_archive = place.pull_one(&place.source(SourceKind::Codenet, &["mini.tar.gz"]));
    assert_same(&from_directory, &from_archive);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &from_directory.rejected {
        *counts.entry(row.reason.name()).or_default() += 1;
    }
    eprintln!(
        "{} problems, {} tests, {} references; rejected: {counts:?}",
        from_directory.problems.len(),
        from_directory.source_tests.len(),
        from_directory.references.len()
    );
    assert_eq!(from_directory.problems.iter().filter(|problem| problem.question_id == "p02612").count(), 1);
    assert!(from_directory.references.len() > 800);
}
