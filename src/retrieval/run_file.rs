//! Run files as `trec_eval` reads them: `query_id Q0 doc_id rank score tag`, a hit a line.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

use anyhow::Result;

use super::{Hit, Ranking, Rankings};
use crate::exit_code::Invalid;

/// The text of a run. Scores are written so that they read back as the very same numbers.
#[must_use]
pub fn write(rankings: &Rankings, tag: &str) -> String {
    let mut text = String::new();
    for (query_id, ranking) in rankings {
        for (i, hit) in ranking.hits().iter().enumerate() {
            let _ = writeln!(text, "{query_id} Q0 {} {} {} {tag}", hit.doc_id, i + 1, hit.score);
        }
    }
    text
}

/// Reads a run. As in `trec_eval` only the scores count, not the ranks.
///
/// # Errors
/// When the file cannot be read, a line has not six columns, a score is no number, or a document
/// stands twice in a ranking.
pub fn read(path: &Path) -> Result<Rankings> {
    parse(&fs_err::read_to_string(path)?).map_err(|error| Invalid::new(format!("`{}` {error}", path.display())).into())
}

fn parse(text: &str) -> Result<Rankings, String> {
    let mut hits: BTreeMap<String, Vec<Hit>> = BTreeMap::new();
    for (i, line) in text.lines().enumerate() {
        let (query_id, hit) = parse_line(line).map_err(|problem| format!("line {}: {problem}", i + 1))?;
        hits.entry(query_id).or_default().push(hit);
    }
    for (query_id, hits) in &hits {
        let mut seen = BTreeSet::new();
        if let Some(twice) = hits.iter().find(|hit| !seen.insert(&hit.doc_id)) {
            return Err(format!("holds `{}` twice for query `{query_id}`", twice.doc_id));
        }
    }
    Ok(hits.into_iter().map(|(query_id, hits)| (query_id, Ranking::new(hits))).collect())
}

fn parse_line(line: &str) -> Result<(String, Hit), String> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let [query_id, _, doc_id, _, score, _] = columns[..] else {
        return Err(format!("{} columns instead of 6", columns.len()));
    };
    match score.parse::<f32>() {
        Ok(score) if score.is_finite() => Ok((query_id.to_owned(), Hit { doc_id: doc_id.to_owned(), score })),
        _ => Err(format!("`{score}` is no score")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_reads_back_as_it_was_written() {
        let hits = vec![
            Hit { doc_id: "a".to_owned(), score: 0.1 + 0.2 },
            Hit { doc_id: "b".to_owned(), score: 1.0 / 3.0 },
            Hit { doc_id: "c".to_owned(), score: 1.0 / 3.0 },
        ];
        let rankings = Rankings::from([("q".to_owned(), Ranking::new(hits))]);
        let text = write(&rankings, "t");
        assert!(text.starts_with("q Q0 c 1 0.33333334 t\nq Q0 b 2 0.33333334 t\n"), "{text}");
        assert_eq!(parse(&text).unwrap(), rankings);
    }

    #[test]
    fn only_scores_count_when_a_run_is_read() {
        let rankings = parse("q Q0 a 1 1.0 t\nq Q0 b 2 2.0 t\n").unwrap();
        assert_eq!(rankings["q"].hits()[0].doc_id, "b");
    }

    #[test]
    fn faults_of_a_run_are_named_with_their_line() {
        for (text, fault) in [
            ("q Q0 a 1 1.0\n", "line 1: 5 columns instead of 6"),
            ("q Q0 a 1 1.0 t\nq Q0 b 2 x t\n", "line 2: `x` is no score"),
            ("q Q0 a 1 NaN t\n", "line 1: `NaN` is no score"),
            ("q Q0 a 1 1.0 t\nq Q0 a 2 0.5 t\n", "holds `a` twice for query `q`"),
        ] {
            assert_eq!(parse(text).unwrap_err(), fault);
        }
    }
}
