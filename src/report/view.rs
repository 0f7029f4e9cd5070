//! Facts → what the template shows: texts, widths and places, in the order they are drawn.

mod charts;
mod tables;

use serde::Serialize;

use super::Facts;
use crate::tables::query::Task;

/// The page.
#[derive(Debug, Serialize)]
pub(super) struct View {
    release: String,
    window: String,
    created_at: String,
    tool_version: &'static str,
    cutoff: usize,
    tiles: Vec<Tile>,
    retriever: String,
    terms: String,
    depth: usize,
    definitions: Vec<(String, String)>,
    tasks: Vec<tables::TaskRow>,
    subtasks: Vec<tables::SubtaskGroup>,
    grades: Vec<tables::GradeRow>,
    verdicts: Vec<tables::VerdictGroup>,
    verdict_names: Vec<&'static str>,
    stages: Vec<tables::StageRow>,
    histogram: charts::Histogram,
    scatter: charts::Scatter,
}

/// A number that stands for itself.
#[derive(Debug, Serialize)]
struct Tile {
    value: String,
    label: &'static str,
}

impl View {
    pub(super) fn new(facts: &Facts) -> Self {
        let retriever = &facts.sanity.retriever;
        let cutoff = cutoff(facts);
        Self {
            release: facts.sanity.release.clone(),
            window: format!("{} to {}", facts.window.from, facts.window.until),
            created_at: facts.created_at.chars().take(10).collect(),
            tool_version: env!("CARGO_PKG_VERSION"),
            cutoff,
            tiles: tiles(facts),
            retriever: format!("{}, k1 {}, b {}", retriever.name, retriever.k1, retriever.b),
            terms: retriever.terms.clone(),
            depth: retriever.depth,
            definitions: facts.sanity.definitions.clone().into_iter().collect(),
            tasks: tables::task_rows(&facts.sanity, cutoff),
            subtasks: tables::subtask_groups(&facts.sanity, cutoff),
            grades: tables::grade_rows(&facts.collections),
            verdicts: tables::verdict_groups(&facts.verdicts),
            verdict_names: tables::VERDICTS_DRAWN.iter().map(|verdict| verdict.name()).collect(),
            stages: tables::stage_rows(&facts.receipts),
            histogram: charts::tests_per_problem(&facts.verdicts),
            scatter: charts::difficulty(&facts.difficulty),
        }
    }
}

/// The cutoff in the headline: 10 where it was measured.
fn cutoff(facts: &Facts) -> usize {
    let cutoffs = &facts.sanity.cutoffs;
    if cutoffs.contains(&10) { 10 } else { cutoffs.first().copied().unwrap_or(10) }
}

fn tiles(facts: &Facts) -> Vec<Tile> {
    let collection = |task| facts.collections.iter().find(|collection| collection.task == task);
    let n_documents = |task| collection(task).map_or(0, |collection| collection.documents.len());
    let n_problems = distinct(facts.verdicts.iter().map(|row| row.problem_id.as_str()));
    let n_models = distinct(facts.verdicts.iter().filter_map(|row| row.model.as_deref()));
    let n_queries = facts.collections.iter().map(|collection| collection.queries.len()).sum();
    let n_qrels = facts.collections.iter().map(|collection| collection.qrels.len()).sum();
    [
        (n_problems, "problems executed"),
        (n_models, "solver models"),
        (n_documents(Task::Text2Code), "code documents"),
        (n_documents(Task::Code2Text), "text documents"),
        (n_queries, "queries"),
        (n_qrels, "judgements"),
    ]
    .into_iter()
    .map(|(n, label)| Tile { value: grouped(n), label })
    .collect()
}

fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> usize {
    values.collect::<std::collections::BTreeSet<_>>().len()
}

/// `12,017`
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn task_title(task: Task) -> &'static str {
    match task {
        Task::Text2Code => "Text to code",
        Task::Code2Code => "Code to code",
        Task::Code2Text => "Code to text",
    }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!([0, 999, 1000, 12_017, 1_234_567].map(grouped), ["0", "999", "1,000", "12,017", "1,234,567"]);
    }
}
