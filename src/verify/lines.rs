//! JSON Lines with line numbers, as strictly as the pickiest loader reads them: no blank line, one
//! object a line. CRLF is accepted, since every loader accepts it; U+2028 is a character like any.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::{Findings, Rule};

/// A record and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Placed<T> {
    pub row: T,
    /// "`file` line 3".
    pub place: String,
}

/// The objects of a file; what is wrong with it becomes findings.
pub(super) fn read(dir: &Path, name: &str, shown: &str, findings: &mut Findings) -> Result<Vec<Placed<Value>>> {
    let mut rows = Vec::new();
    let Some(bytes) = bytes(dir, name, shown, findings)? else { return Ok(rows) };
    for (number, line) in numbered(&bytes) {
        let place = format!("`{shown}` line {number}");
        if line.iter().all(u8::is_ascii_whitespace) {
            findings.add(Rule::BlankLine, place);
            continue;
        }
        match serde_json::from_slice::<Value>(line) {
            Ok(row) if row.is_object() => rows.push(Placed { row, place }),
            Ok(_) => findings.add(Rule::BadJson, format!("{place}: not an object")),
            Err(error) => findings.add(Rule::BadJson, format!("{place}: {error}")),
        }
    }
    Ok(rows)
}

/// A file's bytes; a finding where it is not there.
pub(super) fn bytes(dir: &Path, name: &str, shown: &str, findings: &mut Findings) -> Result<Option<Vec<u8>>> {
    let path = dir.join(name);
    if !path.is_file() {
        findings.add(Rule::MissingFile, format!("`{shown}`"));
        return Ok(None);
    }
    Ok(Some(fs_err::read(path)?))
}

/// Lines from 1 on, without their ends. What ends the file is no line of its own.
pub(super) fn numbered(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = (!bytes.is_empty()).then(|| body.split(|byte| *byte == b'\n'));
    let bare = |line| <[u8]>::strip_suffix(line, b"\r").unwrap_or(line);
    (1..).zip(lines.into_iter().flatten().map(bare))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(usize, &str)> {
        numbered(text.as_bytes()).map(|(number, line)| (number, std::str::from_utf8(line).unwrap())).collect()
    }

    #[test]
    fn the_last_line_end_is_no_line_and_a_blank_line_is_one() {
        assert_eq!(lines(""), []);
        assert_eq!(lines("a\nb"), [(1, "a"), (2, "b")]);
        assert_eq!(lines("a\r\nb\r\n"), [(1, "a"), (2, "b")]);
        assert_eq!(lines("a\n\n"), [(1, "a"), (2, "")]);
    }
}
