//! The report's two drawings: a histogram and a scatter plot.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    report::chart::{Scale, Tick, padded, round_step, tenth},
    stats::count,
    tables::{Difficulty, Suite, VerdictRow},
};

/// The plots' coordinate system; the template draws frames and titles around it.
const LEFT: f64 = 46.0;
const RIGHT: f64 = 548.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 262.0;
/// Columns of a histogram, at most.
const N_COLUMNS: usize = 12;

#[derive(Debug, Serialize)]
pub(super) struct Histogram {
    bars: Vec<Bar>,
    ticks: Vec<Tick>,
    n_problems: usize,
}

#[derive(Debug, Serialize)]
struct Bar {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    /// Where the label stands.
    middle: f64,
    label: String,
    n: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct Scatter {
    points: Vec<Point>,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
    levels: Vec<Level>,
}

#[derive(Debug, Serialize)]
struct Point {
    x: f64,
    y: f64,
    level: u32,
    title: String,
}

#[derive(Debug, Serialize)]
struct Level {
    level: u32,
    n: usize,
}

/// Grading tests of each problem's rewritten suite.
pub(super) fn tests_per_problem(verdicts: &[VerdictRow]) -> Histogram {
    let mut n_tests: BTreeMap<&str, u32> = BTreeMap::new();
    for row in verdicts.iter().filter(|row| row.suite == Suite::Rewritten) {
        let n = n_tests.entry(&row.problem_id).or_insert(0);
        *n = (*n).max(row.n_tests);
    }
    let columns = columns(&n_tests.into_values().collect::<Vec<u32>>());
    let most = count(columns.iter().map(|(_, n)| *n).max().unwrap_or(0)).max(1.0);
    let step = round_step(most, 4).max(1.0);
    let scale = Scale::new([0.0, (most / step).ceil() * step], [BOTTOM, TOP]);
    let room = (RIGHT - LEFT) / count(columns.len().max(1));
    let bar = |(i, (label, n)): (usize, &(String, usize))| {
        let (x, y) = (LEFT + room * count(i), scale.at(count(*n)));
        Bar {
            x: tenth(x + room * 0.1),
            y,
            width: tenth(room * 0.8),
            height: tenth(BOTTOM - y),
            middle: tenth(x + room / 2.0),
            label: label.clone(),
            n: *n,
        }
    };
    Histogram {
        bars: columns.iter().enumerate().map(bar).collect(),
        ticks: scale.ticks(step),
        n_problems: columns.iter().map(|(_, n)| n).sum(),
    }
}

/// Columns of equal width with their labels, from the least value to the greatest.
fn columns(values: &[u32]) -> Vec<(String, usize)> {
    let (Some(least), Some(most)) = (values.iter().min().copied(), values.iter().max().copied()) else {
        return Vec::new();
    };
    let width = (most - least) / u32::try_from(N_COLUMNS).expect("the constant is small") + 1;
    let first = least / width * width;
    (0..=(most - first) / width)
        .map(|i| first + i * width)
        .map(|from| {
            let n = values.iter().filter(|value| (from..from + width).contains(value)).count();
            let label = if width == 1 { from.to_string() } else { format!("{from}\u{2013}{}", from + width - 1) };
            (label, n)
        })
        .collect()
}

/// Problems by z-score of complexity (across) and of effort (up), coloured by level.
pub(super) fn difficulty(rows: &[Difficulty]) -> Scatter {
    let ([x_from, x_to], x_step) = padded(rows.iter().map(|row| row.z_cyclomatic).chain([-1.0, 1.0]), 6);
    let ([y_from, y_to], y_step) = padded(rows.iter().map(|row| row.z_effort).chain([-1.0, 1.0]), 6);
    let x_scale = Scale::new([x_from, x_to], [LEFT, RIGHT]);
    let y_scale = Scale::new([y_from, y_to], [BOTTOM, TOP]);
    let mut levels: BTreeMap<u32, usize> = BTreeMap::new();
    for row in rows {
        *levels.entry(row.level).or_insert(0) += 1;
    }
    Scatter {
        points: rows.iter().map(|row| point(row, x_scale, y_scale)).collect(),
        x_ticks: x_scale.ticks(x_step),
        y_ticks: y_scale.ticks(y_step),
        levels: levels.into_iter().map(|(level, n)| Level { level, n }).collect(),
    }
}

fn point(row: &Difficulty, x_scale: Scale, y_scale: Scale) -> Point {
    Point {
        x: x_scale.at(row.z_cyclomatic),
        y: y_scale.at(row.z_effort),
        level: row.level,
        title: format!(
            "{}: level {}, complexity {:.1}, effort {:.0}, {:.1} lines, {} references",
            row.problem_id, row.level, row.mean_cyclomatic, row.mean_effort, row.mean_sloc, row.n_references
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn columns_cover_every_value_once() {
        assert_eq!(columns(&[3, 4, 4, 6]), [("3", 1), ("4", 2), ("5", 0), ("6", 1)].map(|(l, n)| (l.to_owned(), n)));
        let values: Vec<u32> = (0..100).map(|i| i * 7 % 95).collect();
        let columns = columns(&values);
        assert!(columns.len() <= super::N_COLUMNS + 1);
        assert_eq!(columns.iter().map(|(_, n)| n).sum::<usize>(), values.len());
    }

    #[test]
    fn no_values_have_no_columns() {
        assert!(columns(&[]).is_empty());
    }
}
