//! A compiler or interpreter of this machine, and what it has to be told for one program.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde::{Deserialize, Serialize};

use super::{Language, go, java, native, python, ruby};
use crate::{
    config::Limits,
    exit_code::Unavailable,
    sandbox::{PROGRAM_DIR, SCRATCH_DIR},
};

/// Where tools may lie: what a sandboxed program can see. Never the caller's PATH, which may lead to
/// wrappers in somebody's home.
const TOOL_DIRECTORIES: [&str; 3] = ["/usr/bin", "/usr/local/bin", "/bin"];

/// The toolchain of one language, probed.
#[derive(Clone, Debug)]
pub struct Toolchain {
    pub language: Language,
    /// As the tool itself puts it.
    pub version: String,
    tools: Tools,
}

#[derive(Clone, Debug)]
enum Tools {
    Native(native::Compiler),
    Go(go::Tools),
    Java(java::Tools),
    Python(python::Interpreter),
    Ruby(ruby::Interpreter),
}

/// What to do before a program can run.
#[derive(Clone, Debug)]
pub struct CompilePlan {
    /// The files that the compiler reads: the program text as it is, under the name it needs.
    pub files: Vec<(String, Vec<u8>)>,
    pub argv: Vec<String>,
    pub env: Vec<String>,
    pub keeps: Keeps,
    pub entry: Entry,
}

/// Which files make the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    /// Those that the compiler reads, once it has found them in order.
    Sources,
    /// Those that the compiler makes.
    Out,
    Both,
}

/// How a program is entered, as far as the program text tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Entry {
    /// An executable, or a script read from its start.
    Start,
    /// Java: the public class, which wins where several have a `main`.
    Class(Option<String>),
    /// Python: a driver that calls a method of the program.
    Driver,
}

/// A program ready to run, apart from its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artefact {
    pub language: Language,
    pub entry: Entry,
}

/// How to run a program.
#[derive(Clone, Debug)]
pub struct RunPlan {
    pub argv: Vec<String>,
    pub env: Vec<String>,
}

impl Toolchain {
    /// Finds the toolchain of a language and asks it for its version.
    ///
    /// # Errors
    /// When it is not there or does not work; the hint is the command that installs it.
    pub fn probe(language: Language) -> Result<Self, Unavailable> {
        let (version, tools) = match language {
            Language::C | Language::Cpp => {
                native::probe(language).map(|(version, compiler)| (version, Tools::Native(compiler)))
            }
            Language::Go => go::probe().map(|(version, tools)| (version, Tools::Go(tools))),
            Language::Java => java::probe().map(|(version, tools)| (version, Tools::Java(tools))),
            Language::Python => python::probe().map(|(version, tools)| (version, Tools::Python(tools))),
            Language::Ruby => ruby::probe().map(|(version, tools)| (version, Tools::Ruby(tools))),
        }
        .map_err(|error| {
            Unavailable::new(format!("{} has no toolchain: {error}", language.title()))
                .hint(format!("apt-get install --no-install-recommends {}", package(language)))
        })?;
        Ok(Self { language, version, tools })
    }

    /// How to compile, or check, a program. `func_name` is the method that a functional problem asks
    /// for.
    #[must_use]
    pub fn compile_plan(&self, code: &str, func_name: Option<&str>, limits: &Limits) -> CompilePlan {
        match &self.tools {
            Tools::Native(compiler) => compiler.compile_plan(code),
            Tools::Go(tools) => tools.compile_plan(code),
            Tools::Java(tools) => tools.compile_plan(code, limits),
            Tools::Python(interpreter) => interpreter.compile_plan(code, func_name),
            Tools::Ruby(interpreter) => interpreter.compile_plan(code),
        }
    }

    /// How a compiled program is entered, from the files that the compiler left.
    #[must_use]
    pub fn entry(&self, plan: &CompilePlan, out: &[crate::sandbox::PackedFile<'_>]) -> Entry {
        match &plan.entry {
            Entry::Class(public) => Entry::Class(java::main_class(out, public.as_deref())),
            entry => entry.clone(),
        }
    }

    #[must_use]
    pub fn run_plan(&self, artefact: &Artefact, limits: &Limits) -> RunPlan {
        match &self.tools {
            Tools::Native(_) => RunPlan { argv: vec![format!("{PROGRAM_DIR}/main")], env: environment(&[]) },
            Tools::Go(_) => go::run_plan(limits),
            Tools::Java(tools) => tools.run_plan(&artefact.entry, limits),
            Tools::Python(interpreter) => interpreter.run_plan(&artefact.entry),
            Tools::Ruby(interpreter) => interpreter.run_plan(),
        }
    }

    /// Whether a run that failed says itself that it ran out of memory: a runtime with a heap limit
    /// of its own ends before the sandbox sees anything.
    #[must_use]
    pub fn says_out_of_memory(&self, exit_code: i32, stderr: &[u8]) -> bool {
        matches!(self.tools, Tools::Java(_)) && java::says_out_of_memory(exit_code, stderr)
    }
}

fn package(language: Language) -> &'static str {
    match language {
        Language::C => "gcc libc6-dev",
        Language::Cpp => "g++",
        Language::Go => "golang-go",
        Language::Java => "openjdk-17-jdk-headless",
        Language::Python => "python3",
        Language::Ruby => "ruby",
    }
}

/// What every program finds in its environment, and `more`.
pub(super) fn environment(more: &[&str]) -> Vec<String> {
    let common = [
        "PATH=/usr/bin:/bin".to_owned(),
        "LANG=C.UTF-8".to_owned(),
        "TZ=UTC".to_owned(),
        format!("HOME={SCRATCH_DIR}"),
    ];
    common.into_iter().chain(more.iter().map(|&variable| variable.to_owned())).collect()
}

/// The real path of a tool.
pub(super) fn find(name: &str) -> Result<PathBuf, String> {
    let mut candidates = TOOL_DIRECTORIES.iter().map(|directory| Path::new(directory).join(name));
    candidates
        .find_map(|path| fs_err::canonicalize(path).ok())
        .ok_or_else(|| format!("`{name}` is in none of {}", TOOL_DIRECTORIES.join(", ")))
}

/// What a tool prints, outside the sandbox and without our environment.
pub(super) fn ask(tool: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(tool)
        .args(arguments)
        .env_clear()
        .envs([("PATH", "/usr/bin:/bin"), ("LANG", "C.UTF-8"), ("HOME", "/nonexistent"), ("GOCACHE", "off")])
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("`{}` does not start: {error}", tool.display()))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{} {}` fails: {}", tool.display(), arguments.join(" "), stderr.trim()));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(if text.trim().is_empty() { String::from_utf8_lossy(&output.stderr).into_owned() } else { text })
}

/// The first line of what a tool prints.
pub(super) fn ask_version(tool: &Path, arguments: &[&str]) -> Result<String, String> {
    Ok(ask(tool, arguments)?.lines().next().unwrap_or_default().trim().to_owned())
}

/// A plan whose only file is the program text.
pub(super) fn plan(file_name: &str, code: &str, argv: Vec<String>, keeps: Keeps) -> CompilePlan {
    CompilePlan {
        files: vec![(file_name.to_owned(), code.as_bytes().to_vec())],
        argv,
        env: environment(&[&format!("TMPDIR={SCRATCH_DIR}")]),
        keeps,
        entry: Entry::Start,
    }
}

/// A command line of constants and paths of ours.
pub(super) fn words(tool: &Path, arguments: &[&str]) -> Vec<String> {
    std::iter::once(tool.display().to_string()).chain(arguments.iter().map(|&argument| argument.to_owned())).collect()
}

/// Several commands, the first failure ending them. No text of a program stands in the script.
pub(super) fn script(lines: &[String]) -> Vec<String> {
    vec!["/bin/sh".to_owned(), "-e".to_owned(), "-c".to_owned(), lines.join("\n")]
}
