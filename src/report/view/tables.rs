//! The report's tables and the bars in them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{grouped, task_title};
use crate::{
    languages::Language,
    pipeline::Stage,
    receipt::Receipt,
    report::{Sanity, chart::tenth},
    retrieval::Collection,
    scoring::{Average, HARD_NEGATIVE, POSITIVE},
    stats::count,
    tables::{Reason, SubjectKind, Suite, VerdictRow},
    verdict::Verdict,
};

/// What stands where a measure is undefined.
const UNDEFINED: &str = "\u{2013}";

#[derive(Debug, Serialize)]
pub(super) struct TaskRow {
    title: &'static str,
    class: &'static str,
    ndcg: String,
    width: f64,
    recall: String,
    map: String,
    recip_rank: String,
    intrusion: String,
    intrusion_first: String,
    tied: String,
    n_averaged: String,
    n_without_positive: String,
}

#[derive(Debug, Serialize)]
pub(super) struct SubtaskGroup {
    title: &'static str,
    class: &'static str,
    rows: Vec<SubtaskRow>,
}

#[derive(Debug, Serialize)]
struct SubtaskRow {
    name: String,
    ndcg: String,
    width: f64,
    n_queries: String,
    n_queries_width: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct GradeRow {
    title: &'static str,
    class: &'static str,
    n_positive: String,
    n_hard: String,
    positive_width: f64,
    hard_width: f64,
    positive_per_query: String,
    hard_per_query: String,
}

#[derive(Debug, Serialize)]
pub(super) struct VerdictGroup {
    language: &'static str,
    rows: Vec<VerdictBar>,
}

#[derive(Debug, Serialize)]
struct VerdictBar {
    name: String,
    n: String,
    accepted: String,
    segments: Vec<Segment>,
}

#[derive(Debug, Serialize)]
struct Segment {
    name: &'static str,
    n: usize,
    width: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct StageRow {
    name: &'static str,
    about: &'static str,
    rows_in: String,
    rows_out: String,
    n_rejected: String,
    reasons: Vec<ReasonCount>,
}

#[derive(Debug, Serialize)]
struct ReasonCount {
    name: String,
    n: usize,
    describe: String,
}

pub(super) fn task_rows(sanity: &Sanity, cutoff: usize) -> Vec<TaskRow> {
    let tasks = sanity.tasks.iter().map(|row| task_row(task_title(row.task), row.task.short(), &row.average, cutoff));
    tasks.chain([task_row("All queries", "all", &sanity.overall, cutoff)]).collect()
}

fn task_row(title: &'static str, class: &'static str, average: &Average, cutoff: usize) -> TaskRow {
    let ndcg = format!("ndcg_cut_{cutoff}");
    TaskRow {
        title,
        class,
        ndcg: decimal(average, &ndcg),
        width: percent_of(average, &ndcg),
        recall: decimal(average, &format!("recall_{cutoff}")),
        map: decimal(average, "map"),
        recip_rank: decimal(average, "recip_rank"),
        intrusion: share(average, &format!("hard_negative_share_{cutoff}")),
        intrusion_first: share(average, "hard_negative_first"),
        tied: share(average, "tied_share"),
        n_averaged: grouped(average.n_averaged),
        n_without_positive: grouped(average.n_without_positive),
    }
}

/// Three decimals. Where no query was averaged there is no mean.
fn decimal(average: &Average, name: &str) -> String {
    average.measures.get(name).map_or_else(|| UNDEFINED.to_owned(), |value| format!("{value:.3}"))
}

fn share(average: &Average, name: &str) -> String {
    average.measures.get(name).map_or_else(|| UNDEFINED.to_owned(), |value| format!("{:.1}\u{202f}%", value * 100.0))
}

fn percent_of(average: &Average, name: &str) -> f64 {
    average.measures.get(name).map_or(0.0, |value| tenth(value * 100.0))
}

pub(super) fn subtask_groups(sanity: &Sanity, cutoff: usize) -> Vec<SubtaskGroup> {
    let all = sanity.tasks.iter().flat_map(|task| task.subtasks.values());
    let most = all.map(|average| average.n_queries).max().unwrap_or(0);
    let ndcg = format!("ndcg_cut_{cutoff}");
    let row = |(name, average): (&String, &Average)| SubtaskRow {
        name: name.clone(),
        ndcg: decimal(average, &ndcg),
        width: percent_of(average, &ndcg),
        n_queries: grouped(average.n_queries),
        n_queries_width: percent(average.n_queries, most),
    };
    let group = |task: &crate::scoring::TaskScores| SubtaskGroup {
        title: task_title(task.task),
        class: task.task.short(),
        rows: task.subtasks.iter().map(row).collect(),
    };
    sanity.tasks.iter().map(group).collect()
}

/// A share in percent, to a tenth; 0 of nothing.
fn percent(n: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { tenth(count(n) * 100.0 / count(of)) }
}

pub(super) fn grade_rows(collections: &[Collection]) -> Vec<GradeRow> {
    let n_grade = |collection: &Collection, grade| collection.qrels.iter().filter(|q| q.relevance == grade).count();
    let most = collections.iter().map(|collection| collection.qrels.len()).max().unwrap_or(0);
    let row = |collection: &Collection| {
        let (n_positive, n_hard) = (n_grade(collection, POSITIVE), n_grade(collection, HARD_NEGATIVE));
        let per_query = |n: usize| format!("{:.1}", count(n) / count(collection.queries.len().max(1)));
        GradeRow {
            title: task_title(collection.task),
            class: collection.task.short(),
            n_positive: grouped(n_positive),
            n_hard: grouped(n_hard),
            positive_width: percent(n_positive, most),
            hard_width: percent(n_hard, most),
            positive_per_query: per_query(n_positive),
            hard_per_query: per_query(n_hard),
        }
    };
    collections.iter().map(row).collect()
}

/// The order of a bar's parts: what is right first, then from near misses to what never ran.
pub(super) const VERDICTS_DRAWN: [Verdict; 9] = [
    Verdict::Accepted,
    Verdict::WrongAnswer,
    Verdict::RuntimeError,
    Verdict::OutputLimit,
    Verdict::MemoryLimit,
    Verdict::TimeLimit,
    Verdict::CompileError,
    Verdict::NoCode,
    Verdict::InternalError,
];

/// Solutions on the rewritten suite by language and model; references on the original one.
pub(super) fn verdict_groups(rows: &[VerdictRow]) -> Vec<VerdictGroup> {
    let mut counts: BTreeMap<(Language, String), BTreeMap<Verdict, usize>> = BTreeMap::new();
    for row in rows {
        let name = match (row.subject, row.suite) {
            (SubjectKind::Solution, Suite::Rewritten) => row.model.clone().unwrap_or_default(),
            (SubjectKind::Reference, Suite::Original) => "human references".to_owned(),
            _ => continue,
        };
        *counts.entry((row.language, name)).or_default().entry(row.verdict).or_insert(0) += 1;
    }
    let of_language = |language: Language| VerdictGroup {
        language: language.title(),
        rows: counts.iter().filter(|((l, _), _)| *l == language).map(|((_, name), n)| verdict_bar(name, n)).collect(),
    };
    Language::ALL.into_iter().map(of_language).filter(|group| !group.rows.is_empty()).collect()
}

fn verdict_bar(name: &str, counts: &BTreeMap<Verdict, usize>) -> VerdictBar {
    let total: usize = counts.values().sum();
    let n_of = |verdict: Verdict| counts.get(&verdict).copied().unwrap_or(0);
    let segments = VERDICTS_DRAWN
        .into_iter()
        .map(|verdict| Segment { name: verdict.name(), n: n_of(verdict), width: percent(n_of(verdict), total) })
        .filter(|segment| segment.n > 0)
        .collect();
    let accepted = format!("{:.0}\u{202f}%", percent(n_of(Verdict::Accepted), total));
    VerdictBar { name: name.to_owned(), n: grouped(total), accepted, segments }
}

pub(super) fn stage_rows(receipts: &[(Stage, Receipt)]) -> Vec<StageRow> {
    receipts.iter().map(|(stage, receipt)| stage_row(*stage, receipt)).collect()
}

fn stage_row(stage: Stage, receipt: &Receipt) -> StageRow {
    let describe = |name: &str| {
        let known = Reason::ALL.iter().find(|reason| reason.name() == name);
        known.map_or_else(String::new, |reason| reason.describe().to_owned())
    };
    let mut reasons: Vec<ReasonCount> = receipt
        .rejected
        .iter()
        .map(|(name, n)| ReasonCount { name: name.clone(), n: *n, describe: describe(name) })
        .collect();
    reasons.sort_by(|a, b| b.n.cmp(&a.n).then_with(|| a.name.cmp(&b.name)));
    StageRow {
        name: stage.name(),
        about: stage.spec().about,
        rows_in: grouped(receipt.rows_in),
        rows_out: grouped(receipt.rows_out),
        n_rejected: grouped(receipt.rows_rejected),
        reasons,
    }
}
