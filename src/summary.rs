//! What a cut ends with: rows per stage, verdicts, queries, grades, the first scores.

use std::collections::BTreeMap;

use anyhow::Result;
use comfy_table::{CellAlignment, Table as TextTable, presets};
use serde_json::{Value, json};

use crate::{
    pipeline::Stage,
    report::Sanity,
    scoring::TaskScores,
    stages::Context,
    tables::{Qrel, Query, SubjectKind, VerdictRow},
};

/// Counts over the tables of one release.
#[derive(Debug)]
pub struct Summary {
    release: String,
    stages: Vec<StageRow>,
    /// Solutions by (language, model), then verdict.
    verdicts: BTreeMap<(String, String), BTreeMap<String, usize>>,
    queries: BTreeMap<String, usize>,
    /// Judgements by task, then grade.
    grades: BTreeMap<String, BTreeMap<u32, usize>>,
    /// nDCG@10 of BM25 by task.
    ndcg: BTreeMap<String, f64>,
    release_dir: String,
    report: String,
}

#[derive(Debug)]
struct StageRow {
    name: &'static str,
    rows_in: usize,
    rows_out: usize,
    rejected: BTreeMap<String, usize>,
}

/// Counts what is on disk.
///
/// # Errors
/// When a table cannot be read.
pub fn of(ctx: &Context) -> Result<Summary> {
    let mut stages = Vec::new();
    for stage in Stage::ALL {
        if let Some(receipt) = ctx.store.receipt(stage)? {
            stages.push(StageRow {
                name: stage.name(),
                rows_in: receipt.rows_in,
                rows_out: receipt.rows_out,
                rejected: receipt.rejected,
            });
        }
    }
    let queries: Vec<Query> = ctx.load()?;
    let sanity_dir = ctx.store.stage_dir(Stage::Sanity);
    Ok(Summary {
        release: ctx.config.name.clone(),
        stages,
        verdicts: count_verdicts(&ctx.load()?),
        grades: count_grades(&queries, &ctx.load()?),
        queries: count(queries.iter().map(|query| query.subtask.clone())),
        ndcg: ndcg(&serde_json::from_slice(&fs_err::read(sanity_dir.join("sanity.json"))?)?),
        release_dir: ctx.store.release_dir().display().to_string(),
        report: sanity_dir.join("report.html").display().to_string(),
    })
}

fn count<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_insert(0) += 1;
    }
    counts
}

fn count_verdicts(rows: &[VerdictRow]) -> BTreeMap<(String, String), BTreeMap<String, usize>> {
    let mut counts: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.subject == SubjectKind::Solution && row.suite.name() == "rewritten") {
        let group = (row.language.name().to_owned(), row.model.clone().unwrap_or_default());
        *counts.entry(group).or_default().entry(row.verdict.name().to_owned()).or_insert(0) += 1;
    }
    counts
}

fn count_grades(queries: &[Query], qrels: &[Qrel]) -> BTreeMap<String, BTreeMap<u32, usize>> {
    let tasks: BTreeMap<&str, &str> =
        queries.iter().map(|query| (query.query_id.as_str(), query.split.name())).collect();
    let mut counts: BTreeMap<String, BTreeMap<u32, usize>> = BTreeMap::new();
    for qrel in qrels {
        let task = tasks.get(qrel.query_id.as_str()).copied().unwrap_or("unknown");
        *counts.entry(task.to_owned()).or_default().entry(qrel.relevance).or_insert(0) += 1;
    }
    counts
}

fn ndcg(sanity: &Sanity) -> BTreeMap<String, f64> {
    let of = |scores: &TaskScores| {
        Some((scores.task.name().to_owned(), scores.average.measures.get("ndcg_cut_10").copied()?))
    };
    sanity.tasks.iter().filter_map(of).collect()
}

/// An empty table with a header, for a terminal. Columns whose title begins with `>` are numbers.
#[must_use]
pub fn table(header: &[&str]) -> TextTable {
    let mut table = TextTable::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_header(header.iter().map(|title| title.trim_start_matches('>')));
    for (title, column) in header.iter().zip(table.column_iter_mut()) {
        if title.starts_with('>') {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

impl Summary {
    /// For a person.
    #[must_use]
    pub fn text(&self) -> String {
        [
            format!("Release {}", self.release),
            self.stage_table(),
            "Solutions by verdict".to_owned(),
            self.verdict_table(),
            "Queries by subtask".to_owned(),
            self.query_table(),
            "Judgements by grade, and the first search: BM25".to_owned(),
            self.grade_table(),
            format!("release  {}\nreport   {}", self.release_dir, self.report),
        ]
        .join("\n")
    }

    fn stage_table(&self) -> String {
        let mut table = table(&["stage", ">rows in", ">rows out", ">rejected", "why"]);
        for row in self.stages.iter().filter(|row| row.rows_in + row.rows_out > 0) {
            let why: Vec<String> = row.rejected.iter().map(|(reason, n)| format!("{reason} {n}")).collect();
            table.add_row([
                row.name.to_owned(),
                row.rows_in.to_string(),
                row.rows_out.to_string(),
                row.rejected.values().sum::<usize>().to_string(),
                why.join("\n"),
            ]);
        }
        table.to_string()
    }

    fn verdict_table(&self) -> String {
        let seen: std::collections::BTreeSet<&String> = self.verdicts.values().flat_map(BTreeMap::keys).collect();
        let order = crate::verdict::Verdict::ALL.iter().rev().map(|verdict| verdict.name().to_owned());
        let columns: Vec<String> = order.filter(|name| seen.contains(name)).collect();
        let numbers: Vec<String> = columns.iter().map(|name| format!(">{name}")).collect();
        let mut header = vec!["language", "model"];
        header.extend(numbers.iter().map(String::as_str));
        let mut table = table(&header);
        for ((language, model), counts) in &self.verdicts {
            let mut row = vec![language.clone(), model.clone()];
            row.extend(columns.iter().map(|name| counts.get(name).copied().unwrap_or(0).to_string()));
            table.add_row(row);
        }
        table.to_string()
    }

    fn query_table(&self) -> String {
        let mut table = table(&["subtask", ">queries"]);
        for (subtask, n) in &self.queries {
            table.add_row([subtask.clone(), n.to_string()]);
        }
        table.to_string()
    }

    fn grade_table(&self) -> String {
        let mut table = table(&["task", ">grade 2", ">grade 1", ">nDCG@10"]);
        for (task, counts) in &self.grades {
            let of = |grade| counts.get(&grade).copied().unwrap_or(0).to_string();
            let ndcg = self.ndcg.get(task).map_or_else(|| "-".to_owned(), |score| format!("{score:.4}"));
            table.add_row([task.clone(), of(2), of(1), ndcg]);
        }
        table.to_string()
    }

    /// For a script.
    ///
    /// # Errors
    /// Never in practice: all keys are text.
    pub fn json(&self) -> Result<String> {
        let stages: Vec<Value> = self
            .stages
            .iter()
            .map(|row| {
                json!({"stage": row.name, "rows_in": row.rows_in, "rows_out": row.rows_out, "rejected": row.rejected})
            })
            .collect();
        let verdicts: Vec<Value> = self
            .verdicts
            .iter()
            .map(|((language, model), counts)| json!({"language": language, "model": model, "verdicts": counts}))
            .collect();
        Ok(serde_json::to_string(&json!({
            "release": self.release, "stages": stages, "verdicts": verdicts, "queries": self.queries,
            "grades": self.grades, "bm25_ndcg_cut_10": self.ndcg, "dir": self.release_dir, "report": self.report,
        }))?)
    }
}
