//! LiveCodeBench: JSON Lines of `code_generation_lite`, one problem a line, tests within.
//!
//! Lines are many MB long, so the file is streamed and one line is held at a time. A line that is
//! not a record costs that line; it never ends the pull. Test bytes stay exactly as stored; of the
//! statement only CR LF is turned into LF.

mod payload;
mod pickle;

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
};

use anyhow::{Context, Result};
use fs_err::File;
use serde::Deserialize;

use self::payload::StoredTest;
#[cfg(test)]
pub(super) use self::payload::tests::packed;
use super::{Collector, Doing, is_date_time};
use crate::{
    ids,
    tables::{Problem, Reason, Style, TestOrigin},
};

/// A longer line is no record: it is skipped and rejected.
const MAX_LINE: u64 = 1 << 30;

/// Fewer letters than this around pictures are no statement.
const MIN_LETTERS_BESIDE_IMAGES: usize = 20;

/// A line. Extra keys are let be; `private_test_cases` is missing from republished files.
#[derive(Debug, Deserialize)]
struct Record {
    question_title: String,
    question_content: String,
    platform: Platform,
    question_id: String,
    #[serde(rename = "contest_id")]
    _contest_id: String,
    contest_date: String,
    starter_code: String,
    difficulty: String,
    public_test_cases: String,
    private_test_cases: Option<String>,
    metadata: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Platform {
    Leetcode,
    Atcoder,
    Codeforces,
}

#[derive(Debug, Default, Deserialize)]
struct Metadata {
    func_name: Option<String>,
}

/// What becomes of a record that is no problem.
struct Fault {
    key: String,
    reason: Reason,
    detail: String,
}

/// Reads one file into `collector`.
pub(super) fn read(path: &Path, collector: &mut Collector<'_>) -> Result<()> {
    let file = File::open(path)?;
    let n_bytes = file.metadata().with_context(|| format!("size of `{}`", path.display()))?.len();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut lines = Lines { reader: BufReader::with_capacity(1 << 20, file), line: Vec::new(), n_read: 0, line_idx: 0 };
    while let Some(within_limit) = lines.next(MAX_LINE).with_context(|| format!("read `{}`", path.display()))? {
        collector.progress(Doing::Reading, lines.n_read, Some(n_bytes))?;
        if lines.line.trim_ascii().is_empty() && within_limit {
            continue;
        }
        collector.pulled.n_in += 1;
        let place = format!("{name} line {}", lines.line_idx);
        let key = ids::join(&[collector.source, &name, &format!("{:09}", lines.line_idx)]);
        let record = if within_limit {
            parse_record(&lines.line)
        } else {
            Err(format!("the line is longer than {MAX_LINE} bytes"))
        };
        let taken = match record {
            Ok(record) => take(record, collector, &place),
            Err(detail) => Err(Fault { key, reason: Reason::BadRecord, detail: format!("{place}: {detail}") }),
        };
        if let Err(Fault { key, reason, detail }) = taken {
            collector.reject(key, reason, detail);
        }
    }
    Ok(())
}

/// Lines as bytes, each up to a limit; what a longer line holds beyond it is skipped.
struct Lines<R> {
    reader: R,
    line: Vec<u8>,
    n_read: u64,
    /// Of the line at hand, from 1.
    line_idx: u64,
}

impl<R: BufRead> Lines<R> {
    /// Moves to the next line; `Some(false)` when it is longer than `max_line`.
    fn next(&mut self, max_line: u64) -> std::io::Result<Option<bool>> {
        self.line.clear();
        let n_taken = (&mut self.reader).take(max_line + 1).read_until(b'\n', &mut self.line)? as u64;
        if n_taken == 0 {
            return Ok(None);
        }
        self.n_read += n_taken;
        self.line_idx += 1;
        if n_taken <= max_line || self.line.ends_with(b"\n") {
            return Ok(Some(true));
        }
        self.line.clear();
        self.n_read += self.reader.skip_until(b'\n')? as u64;
        Ok(Some(false))
    }
}

fn parse_record(line: &[u8]) -> Result<Record, String> {
    let record: Record = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if record.question_id.trim().is_empty() {
        return Err("`question_id` is empty".to_owned());
    }
    if !is_date_time(&record.contest_date) {
        return Err(format!("`contest_date` `{}` is not YYYY-MM-DDTHH:MM:SS", record.contest_date));
    }
    if record.question_content.trim().is_empty() {
        return Err("`question_content` is empty".to_owned());
    }
    Ok(record)
}

/// Adds the record's problem and tests, or says why not.
fn take(record: Record, collector: &mut Collector<'_>, place: &str) -> Result<(), Fault> {
    let problem_id = ids::livecodebench_problem_id(&record.question_id);
    let fault = |reason, detail| Fault { key: problem_id.clone(), reason, detail: format!("{place}: {detail}") };
    if let Some(first) = collector.first_seen(&problem_id, place) {
        return Err(fault(Reason::DuplicateProblem, format!("the id stands first in {first}")));
    }
    // The source's own errata name LeetCode's problems by their slug, which is the record's title.
    let exclude = &collector.config.exclude;
    if let Some(reason) = exclude.get(&record.question_id).or_else(|| exclude.get(&record.question_title)) {
        return Err(fault(Reason::Excluded, reason.clone()));
    }
    if !collector.window.contains(&record.contest_date) {
        return Err(fault(Reason::OutOfWindow, format!("contest of {}", record.contest_date)));
    }
    let func_name = func_name(&record).map_err(|detail| fault(Reason::BadRecord, detail))?;
    let style = if func_name.is_some() { Style::Functional } else { Style::Stdin };
    let statement = record.question_content.replace("\r\n", "\n");
    if is_only_images(&statement) {
        return Err(fault(Reason::ImagesOnly, "hardly a word stands beside the pictures".to_owned()));
    }
    let tests = tests(&record, style).map_err(|(reason, detail)| fault(reason, detail))?;
    collector.tests(&problem_id, tests.into_iter().map(|(origin, test)| (origin, test.input, test.output)));
    collector.pulled.problems.push(Problem {
        problem_id,
        source: collector.source.to_owned(),
        question_id: record.question_id,
        platform: record.platform.name().to_owned(),
        title: record.question_title,
        statement,
        starter_code: record.starter_code,
        func_name,
        style,
        date: record.contest_date,
        difficulty_label: Some(record.difficulty).filter(|label| !label.is_empty()),
        time_limit_ms: None,
        memory_limit_kib: None,
    });
    Ok(())
}

impl Platform {
    fn name(self) -> &'static str {
        match self {
            Self::Leetcode => "leetcode",
            Self::Atcoder => "atcoder",
            Self::Codeforces => "codeforces",
        }
    }
}

/// The function to fill in: named in the metadata exactly where there is starter code.
fn func_name(record: &Record) -> Result<Option<String>, String> {
    let metadata: Metadata =
        serde_json::from_str(&record.metadata).map_err(|error| format!("`metadata` is no JSON object: {error}"))?;
    match (metadata.func_name.filter(|name| !name.is_empty()), record.starter_code.trim().is_empty()) {
        (Some(name), false) => Ok(Some(name)),
        (None, true) => Ok(None),
        (Some(name), true) => Err(format!("`func_name` is `{name}` and there is no `starter_code`")),
        (None, false) => Err("there is `starter_code` and no `func_name`".to_owned()),
    }
}

/// Public tests first, as the source's own runner orders them.
fn tests(record: &Record, style: Style) -> Result<Vec<(TestOrigin, StoredTest)>, (Reason, String)> {
    let undecodable =
        |field: &str, error: payload::PayloadError| (Reason::UndecodableTests, format!("`{field}`: {error}"));
    let public = payload::public_tests(&record.public_test_cases, style)
        .map_err(|error| undecodable("public_test_cases", error))?;
    let private = match &record.private_test_cases {
        None => Vec::new(),
        Some(text) => {
            let tests =
                payload::private_tests(text, style).map_err(|error| undecodable("private_test_cases", error))?;
            if tests.is_empty() {
                return Err((Reason::NoTests, "`private_test_cases` is an empty list".to_owned()));
            }
            tests
        }
    };
    if public.is_empty() && private.is_empty() {
        return Err((Reason::NoTests, "`public_test_cases` is an empty list".to_owned()));
    }
    let public = public.into_iter().map(|test| (TestOrigin::Public, test));
    Ok(public.chain(private.into_iter().map(|test| (TestOrigin::Private, test))).collect())
}

/// Whether pictures are there and next to nothing else.
fn is_only_images(statement: &str) -> bool {
    let mut rest = statement;
    let mut n_images = 0;
    let mut n_letters = 0;
    while let Some((start, end)) = next_image(rest) {
        n_images += 1;
        n_letters += count_letters(&rest[..start]);
        rest = &rest[end..];
    }
    n_images > 0 && n_letters + count_letters(rest) < MIN_LETTERS_BESIDE_IMAGES
}

/// Where the next `![…](…)` or `<img …>` starts and ends.
fn next_image(text: &str) -> Option<(usize, usize)> {
    let found = [("![", ')'), ("<img", '>')].into_iter().filter_map(|(open, close)| {
        let start = text.find(open)?;
        Some((start, start + text[start..].find(close)? + 1))
    });
    found.min()
}

fn count_letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic()).count()
}
