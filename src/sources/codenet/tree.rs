//! A `Project_CodeNet` tree, as a directory or as an archive that is never unpacked.
//!
//! It owns where things lie in the tree, and reads members whole up to a limit each. It knows
//! nothing of what they say. An archive has 13.9 million members in any order, so it is read twice:
//! once for all that describes problems, once for the chosen submissions.

use std::{
    collections::BTreeSet,
    io::{BufReader, Read},
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use flate2::read::MultiGzDecoder;
use fs_err::File;

use crate::exit_code::Invalid;

/// What describes problems. Larger members are no part of a sane tree.
const MAX_DESCRIPTION: u64 = 1 << 28;
/// Judges take at most 512 KiB of source.
const MAX_SOURCE: u64 = 1 << 22;

/// A member that describes problems, by problem id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Member {
    ProblemList,
    Metadata(String),
    Page(String),
    Input(String),
    Output(String),
}

/// A submission's text: `data/<problem>/<language>/<file>`.
pub(super) type SourcePath = String;

#[derive(Debug)]
pub(super) enum Tree {
    Directory(PathBuf),
    Archive { path: PathBuf, is_compressed: bool },
}

/// Gets a member's bytes; `None` when it is larger than its limit.
type Visit<'a> = &'a mut dyn FnMut(Member, Option<Vec<u8>>) -> Result<()>;
type VisitSource<'a> = &'a mut dyn FnMut(&str, Option<Vec<u8>>) -> Result<()>;

impl Tree {
    pub(super) fn open(path: &Path) -> Result<Self> {
        if path.is_dir() {
            let inner = path.join("Project_CodeNet");
            return Ok(Self::Directory(if inner.is_dir() { inner } else { path.to_path_buf() }));
        }
        let mut magic = [0; 2];
        let is_compressed = File::open(path)?.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b];
        Ok(Self::Archive { path: path.to_path_buf(), is_compressed })
    }

    /// Every member that describes problems. A member that stands twice is an error.
    pub(super) fn descriptions(&self, visit: Visit<'_>) -> Result<()> {
        match self {
            Self::Directory(root) => {
                let mut paths = Vec::new();
                for part in ["metadata", "problem_descriptions", "derived/input_output/data"] {
                    list(&root.join(part), part, &mut paths)?;
                }
                paths.sort();
                for relative in paths {
                    if let Some(member) = member(&relative) {
                        visit(member, read_whole(File::open(root.join(&relative))?, MAX_DESCRIPTION)?)?;
                    }
                }
                Ok(())
            }
            Self::Archive { path, is_compressed } => {
                let mut seen = BTreeSet::new();
                entries(path, *is_compressed, &mut |name, entry| {
                    let Some(member) = member(name) else { return Ok(()) };
                    if !seen.insert(member.clone()) {
                        bail!(Invalid::new(format!("archive `{}` holds `{name}` twice", path.display())));
                    }
                    visit(member, read_whole(entry, MAX_DESCRIPTION).map_err(|error| broken(path, &error))?)
                })
            }
        }
    }

    /// The wanted submissions that are there, in any order, each once.
    pub(super) fn sources(&self, wanted: &BTreeSet<SourcePath>, visit: VisitSource<'_>) -> Result<()> {
        match self {
            Self::Directory(root) => {
                for relative in wanted {
                    let path = root.join(relative);
                    if path.is_file() {
                        visit(relative, read_whole(File::open(path)?, MAX_SOURCE)?)?;
                    }
                }
                Ok(())
            }
            Self::Archive { path, is_compressed } => {
                let mut seen = BTreeSet::new();
                entries(path, *is_compressed, &mut |name, entry| match wanted.get(inside(name)) {
                    Some(relative) if seen.insert(relative) => {
                        visit(relative, read_whole(entry, MAX_SOURCE).map_err(|error| broken(path, &error))?)
                    }
                    _ => Ok(()),
                })
            }
        }
    }
}

/// Visits the files of an archive, in its order.
fn entries(path: &Path, is_compressed: bool, visit: &mut dyn FnMut(&str, &mut dyn Read) -> Result<()>) -> Result<()> {
    let file = BufReader::with_capacity(1 << 20, File::open(path)?);
    let reader: Box<dyn Read> = if is_compressed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) };
    let mut archive = tar::Archive::new(reader);
    for entry in archive.entries().map_err(|error| broken(path, &error))? {
        let mut entry = entry.map_err(|error| broken(path, &error))?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        visit(&name, &mut entry)?;
    }
    Ok(())
}

fn broken(path: &Path, error: &std::io::Error) -> Invalid {
    Invalid::new(format!("archive `{}` cannot be read: {error}", path.display()))
        .hint("it is a `tar.gz` of a `Project_CodeNet` tree")
}

/// A path in an archive without what stands before the tree's own directories.
fn inside(name: &str) -> &str {
    let name = name.strip_prefix("./").unwrap_or(name);
    name.strip_prefix("Project_CodeNet/").unwrap_or(name)
}

fn member(name: &str) -> Option<Member> {
    let parts: Vec<&str> = inside(name).split('/').collect();
    let problem_id = |file: &str, extension: &str| {
        let id = file.strip_suffix(extension)?;
        is_problem_id(id).then(|| id.to_owned())
    };
    match parts.as_slice() {
        ["metadata", "problem_list.csv"] => Some(Member::ProblemList),
        ["metadata", file] => problem_id(file, ".csv").map(Member::Metadata),
        ["problem_descriptions", file] => problem_id(file, ".html").map(Member::Page),
        ["derived", "input_output", "data", id, "input.txt"] => problem_id(id, "").map(Member::Input),
        ["derived", "input_output", "data", id, "output.txt"] => problem_id(id, "").map(Member::Output),
        _ => None,
    }
}

/// `p` and digits. Ids become parts of paths, so nothing else may pass.
pub(super) fn is_problem_id(id: &str) -> bool {
    is_numbered(id, 'p')
}

/// `s` and digits.
pub(super) fn is_submission_id(id: &str) -> bool {
    is_numbered(id, 's')
}

fn is_numbered(id: &str, letter: char) -> bool {
    id.strip_prefix(letter).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
}

fn list(directory: &Path, prefix: &str, paths: &mut Vec<String>) -> Result<()> {
    if !directory.is_dir() {
        return Ok(());
    }
    for entry in fs_err::read_dir(directory)? {
        let entry = entry?;
        let relative = format!("{prefix}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &relative, paths)?;
        } else {
            paths.push(relative);
        }
    }
    Ok(())
}

fn read_whole(reader: impl Read, limit: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_told_by_their_place() {
        let cases = [
            ("Project_CodeNet/metadata/problem_list.csv", Some(Member::ProblemList)),
            ("./Project_CodeNet/metadata/p00001.csv", Some(Member::Metadata("p00001".to_owned()))),
            ("problem_descriptions/p00001.html", Some(Member::Page("p00001".to_owned()))),
            ("derived/input_output/data/p00001/input.txt", Some(Member::Input("p00001".to_owned()))),
            ("Project_CodeNet/derived/input_output/data/p00001/output.txt", Some(Member::Output("p00001".to_owned()))),
            ("data/p00001/C++/s000000001.cpp", None),
            ("metadata/../p1.csv", None),
            ("metadata/p1x.csv", None),
            ("problem_descriptions/p.html", None),
            ("other/metadata/p00001.csv", None),
        ];
        for (name, expected) in cases {
            assert_eq!(member(name), expected, "{name}");
        }
    }

    #[test]
    fn a_member_beyond_its_limit_is_not_held() {
        assert_eq!(read_whole(b"123".as_slice(), 3).unwrap(), Some(b"123".to_vec()));
        assert_eq!(read_whole(b"1234".as_slice(), 3).unwrap(), None);
    }
}
