//! Whether an output is right: the five ways to compare it with the expected one.
//!
//! A checker compares bytes. It runs nothing itself (a checking program is run by its caller), and
//! it gives no verdict. Where it cannot tell, that is a breakdown and not a mismatch.

mod json;
mod tokens;

use std::path::Path;

use serde::Serialize;

use crate::{
    config::CheckerSpec,
    exit_code::ConfigError,
    languages::Language,
    sandbox::{Exit, ProcessReport},
};

/// What a comparison comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    Match,
    /// Where the two differ first; shortened and escaped.
    Mismatch {
        detail: String,
    },
}

/// The output of one test, and what it is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    pub input: &'a str,
    pub expected: &'a str,
    pub output: &'a [u8],
}

/// The checker cannot tell: never the program's fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Breakdown(pub String);

#[derive(Clone, Debug, PartialEq)]
pub enum Checker {
    Exact,
    Lines,
    Tokens { abs: f64, rel: f64 },
    Json,
    Program(CheckingProgram),
}

/// A checker of a problem's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckingProgram {
    pub language: Language,
    pub path: String,
    pub code: String,
}

impl Checker {
    /// The checker of a specification; `root` is the directory that its paths are relative to.
    ///
    /// # Errors
    /// When the checking program cannot be read.
    pub fn from_spec(spec: &CheckerSpec, root: &Path) -> Result<Self, ConfigError> {
        Ok(match spec {
            CheckerSpec::Exact => Self::Exact,
            CheckerSpec::Lines => Self::Lines,
            CheckerSpec::Tokens { abs, rel } => Self::Tokens { abs: *abs, rel: *rel },
            CheckerSpec::Json => Self::Json,
            CheckerSpec::Program { language, path } => {
                let code = fs_err::read_to_string(root.join(path)).map_err(|error| {
                    ConfigError::new(error.to_string()).hint("paths in [checkers] are relative to `pipeline.toml`")
                })?;
                Self::Program(CheckingProgram { language: *language, path: path.clone(), code })
            }
        })
    }

    /// The checker in words, for verdict rows.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Exact => "exact".to_owned(),
            Self::Lines => "lines".to_owned(),
            Self::Tokens { abs: 0.0, rel: 0.0 } => "tokens".to_owned(),
            Self::Tokens { abs, rel } => format!("tokens abs {abs:e} rel {rel:e}"),
            Self::Json => "json".to_owned(),
            Self::Program(program) => format!("program {}", program.path),
        }
    }

    /// Compares. `run` runs a checking program on its standard input.
    ///
    /// # Errors
    /// When the expected output is unusable, or a checking program neither accepts nor rejects.
    pub fn compare(
        &self,
        case: Case<'_>,
        run: impl FnOnce(&CheckingProgram, &[u8]) -> Result<ProcessReport, String>,
    ) -> Result<Comparison, Breakdown> {
        let Case { expected, output, .. } = case;
        let expected = expected.as_bytes();
        match self {
            Self::Exact => Ok(exact(expected, output)),
            Self::Lines => Ok(lines(expected, output)),
            Self::Tokens { abs, rel } => Ok(tokens::compare(expected, output, *abs, *rel)),
            Self::Json => json::compare(expected, output),
            Self::Program(program) => by_program(program, case, run),
        }
    }
}

fn exact(expected: &[u8], output: &[u8]) -> Comparison {
    if expected == output {
        return Comparison::Match;
    }
    let at = expected.iter().zip(output).take_while(|(a, b)| a == b).count();
    let (expected, output) = (&expected[at..], &output[at..]);
    mismatch(format!("at byte {at} {} is expected, not {}", quote(expected), quote(output)))
}

fn lines(expected: &[u8], output: &[u8]) -> Comparison {
    let (expected, output) = (significant_lines(expected), significant_lines(output));
    let differing = expected.iter().zip(&output).position(|(a, b)| a != b);
    match differing {
        Some(idx) => {
            mismatch(format!("line {}: {} is expected, not {}", idx + 1, quote(expected[idx]), quote(output[idx])))
        }
        None if expected.len() == output.len() => Comparison::Match,
        None => mismatch(format!("{} lines are expected, not {}", expected.len(), output.len())),
    }
}

/// Lines without the blanks at their ends, and without the blank lines at the end.
fn significant_lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

#[derive(Serialize)]
struct Question<'a> {
    input: &'a str,
    expected: &'a str,
    output: &'a str,
}

fn by_program(
    program: &CheckingProgram,
    case: Case<'_>,
    run: impl FnOnce(&CheckingProgram, &[u8]) -> Result<ProcessReport, String>,
) -> Result<Comparison, Breakdown> {
    let output = String::from_utf8_lossy(case.output);
    let question = Question { input: case.input, expected: case.expected, output: &output };
    let question = serde_json::to_vec(&question).expect("strings are JSON");
    let path = &program.path;
    let report = run(program, &question).map_err(|error| Breakdown(format!("checker `{path}`: {error}")))?;
    match (report.limit, report.exit) {
        (None, Exit::Code(0)) => Ok(Comparison::Match),
        (None, Exit::Code(1)) if !is_crash(&report) => {
            let detail = if report.stdout.is_empty() { &report.stderr } else { &report.stdout };
            Ok(mismatch(format!("checker `{path}` rejects: {}", quote(detail.trim_ascii()))))
        }
        (limit, exit) => Err(Breakdown(format!(
            "checker `{path}` ended with {exit:?}, limit {limit:?}: {}",
            quote(report.stderr.trim_ascii())
        ))),
    }
}

/// An interpreter ends with 1 for an error that nobody caught, too.
fn is_crash(report: &ProcessReport) -> bool {
    const TRACEBACK: &[u8] = b"Traceback (most recent call last)";
    report.stderr.windows(TRACEBACK.len()).any(|window| window == TRACEBACK)
}

fn mismatch(detail: String) -> Comparison {
    Comparison::Mismatch { detail }
}

/// The start of some bytes, escaped.
fn quote(bytes: &[u8]) -> String {
    const MAX_QUOTED: usize = 60;
    let shown = bytes[..bytes.len().min(MAX_QUOTED)].escape_ascii();
    let dots = if bytes.len() > MAX_QUOTED { "..." } else { "" };
    format!("`{shown}`{dots}")
}

#[cfg(test)]
mod tests;
