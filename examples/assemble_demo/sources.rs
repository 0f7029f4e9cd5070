//! The two sources of the demo, in the schemas of LiveCodeBench and CodeNet.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use base64::Engine as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// `problem.toml` of an authored LiveCodeBench problem.
#[derive(Deserialize)]
struct LivecodebenchProblem {
    title: String,
    platform: String,
    contest_id: String,
    contest_date: String,
    difficulty: String,
    func_name: Option<String>,
    private: String,
}

/// `problem.toml` of an authored CodeNet problem.
#[derive(Deserialize)]
struct CodenetProblem {
    name: String,
    dataset: String,
    time_limit: u64,
    memory_limit: u64,
}

#[derive(Deserialize)]
struct Tests {
    public: Vec<Case>,
    private: Vec<Case>,
}

#[derive(Deserialize, Serialize)]
struct Case {
    input: String,
    output: String,
    #[serde(default)]
    testtype: String,
}

/// Directories below `dir`, sorted.
pub(crate) fn folders(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in fs_err::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort_unstable();
    Ok(folders)
}

pub(crate) fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// `livecodebench/demo.jsonl`.
pub(crate) fn write_livecodebench(demo: &Path) -> Result<()> {
    let mut lines = String::new();
    for folder in folders(&demo.join("authored/lcb"))? {
        let record = livecodebench_record(&folder).with_context(|| format!("assemble `{}`", folder.display()))?;
        lines.push_str(&serde_json::to_string(&record)?);
        lines.push('\n');
    }
    fs_err::create_dir_all(demo.join("livecodebench"))?;
    Ok(fs_err::write(demo.join("livecodebench/demo.jsonl"), lines)?)
}

/// One record, its fields in the order of the published files.
fn livecodebench_record(folder: &Path) -> Result<Value> {
    let problem: LivecodebenchProblem = toml::from_str(&fs_err::read_to_string(folder.join("problem.toml"))?)?;
    let mut tests: Tests = serde_json::from_str(&fs_err::read_to_string(folder.join("tests.json"))?)?;
    let functional = problem.func_name.is_some();
    for case in tests.public.iter_mut().chain(&mut tests.private) {
        if functional { "functional" } else { "stdin" }.clone_into(&mut case.testtype);
    }
    let private = serde_json::to_string(&tests.private)?;
    let private = if problem.private == "pickle" { pickled(&private)? } else { private };
    let starter = folder.join("starter.py");
    let starter_code = if starter.exists() { fs_err::read_to_string(starter)? } else { String::new() };
    let metadata = problem.func_name.map_or_else(|| json!({}), |func_name| json!({"func_name": func_name}));
    Ok(json!({
        "question_title": problem.title,
        "question_content": fs_err::read_to_string(folder.join("statement.md"))?.trim_end(),
        "platform": problem.platform,
        "question_id": name(folder),
        "contest_id": problem.contest_id,
        "contest_date": problem.contest_date,
        "starter_code": starter_code,
        "difficulty": problem.difficulty,
        "public_test_cases": serde_json::to_string(&tests.public)?,
        "private_test_cases": private,
        "metadata": metadata.to_string(),
    }))
}

/// base64(zlib(pickle(text))), the pickle as `CPython`'s protocol 4 writes one string.
fn pickled(text: &str) -> Result<String> {
    const FRAME_LIMIT: usize = 64 * 1024;
    let mut body = Vec::new();
    if text.len() < 256 {
        body.extend_from_slice(&[0x8c, u8::try_from(text.len())?]);
    } else {
        body.push(b'X');
        body.extend_from_slice(&u32::try_from(text.len())?.to_le_bytes());
    }
    body.extend_from_slice(text.as_bytes());
    body.push(0x94);
    let mut pickle = vec![0x80, 4];
    if text.len() < FRAME_LIMIT {
        pickle.push(0x95);
        pickle.extend_from_slice(&(body.len() as u64 + 1).to_le_bytes());
    }
    pickle.extend_from_slice(&body);
    pickle.push(b'.');
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&pickle)?;
    Ok(base64::engine::general_purpose::STANDARD.encode(encoder.finish()?))
}

/// `Project_CodeNet/`.
pub(crate) fn write_codenet(demo: &Path) -> Result<()> {
    let tree = demo.join("Project_CodeNet");
    if tree.exists() {
        fs_err::remove_dir_all(&tree)?;
    }
    let mut list = "id,name,dataset,time_limit,memory_limit,rating,tags,complexity\n".to_owned();
    for folder in folders(&demo.join("authored/codenet"))? {
        let id = name(&folder);
        let problem: CodenetProblem = toml::from_str(&fs_err::read_to_string(folder.join("problem.toml"))?)?;
        let CodenetProblem { name: title, dataset, time_limit, memory_limit } = problem;
        list.extend([id.as_str(), ",", &title, ",", &dataset, ",", &time_limit.to_string(), ","]);
        list.extend([memory_limit.to_string().as_str(), ",,,\n"]);
        copy(&folder.join("page.html"), &tree.join(format!("problem_descriptions/{id}.html")))?;
        copy(&folder.join("submissions.csv"), &tree.join(format!("metadata/{id}.csv")))?;
        for side in ["input.txt", "output.txt"] {
            let from = folder.join("io").join(side);
            if from.exists() {
                copy(&from, &tree.join(format!("derived/input_output/data/{id}/{side}")))?;
            }
        }
        for language in folders(&folder.join("submissions"))? {
            for entry in fs_err::read_dir(&language)? {
                let file = entry?.path();
                let to = tree.join(format!("data/{id}/{}/{}", name(&language), name(&file)));
                copy(&file, &to)?;
            }
        }
    }
    let path = tree.join("metadata/problem_list.csv");
    Ok(fs_err::write(path, list)?)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    if let Some(parent) = to.parent() {
        fs_err::create_dir_all(parent)?;
    }
    fs_err::copy(from, to)?;
    Ok(())
}
