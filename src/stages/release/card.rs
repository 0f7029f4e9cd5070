//! `README.md` of a release: what a reader has to know before trusting a number made with it, and
//! the header by which `datasets` finds the files.

use std::{collections::BTreeMap, fmt::Write};

use super::{
    Provenance, Records,
    tokens::{Spread, Tokens},
};
use crate::{
    pipeline::Stage,
    tables::{CodeDocument, Query, Reason, query::Task},
    verdict::Verdict,
};

pub(super) fn render(records: &Records, provenance: &Provenance) -> String {
    let sections = [
        header(records),
        introduction(records, provenance),
        files(records),
        subtasks(records),
        scoring(),
        tokens(records),
        verdicts(records),
        levels(records),
        rejections(provenance),
        origin(provenance),
    ];
    sections.join("\n")
}

/// The files that are configurations of the data set.
fn configs() -> Vec<String> {
    let tasks = Task::ALL.iter().flat_map(|task| ["queries", "qrels"].map(|kind| format!("{}_{kind}", task.name())));
    ["code_corpus".to_owned(), "text_corpus".to_owned()].into_iter().chain(tasks).collect()
}

fn header(records: &Records) -> String {
    let mut text = String::from(
        "---\nlicense: other\nlicense_name: see-license-and-provenance\ntask_categories:\n- text-retrieval\n",
    );
    let _ = writeln!(text, "pretty_name: {}\nconfigs:", records.name);
    // A split's name may not hold a dash.
    let split = records.name.replace('-', "_");
    for config in configs() {
        let _ = writeln!(text, "- config_name: {config}\n  data_files:\n  - split: {split}\n    path: {config}.jsonl");
    }
    text + "---\n"
}

fn introduction(records: &Records, provenance: &Provenance) -> String {
    let problems: std::collections::BTreeSet<&str> =
        records.text_documents.iter().map(|row| row.meta.source_problem_id.as_str()).collect();
    let passed = records.code_documents.iter().filter(|row| row.meta.passed).count();
    format!(
        "# {}\n\nA code-search benchmark: {} problems, {} programs ({passed} passed all tests), {} texts, {} queries, {} \
         judgements. Problems are rewritten contest problems; programs are written by models and were executed, and what was \
         executed is what stands here, byte for byte. Made by corebuild {} for {}.\n",
        records.name,
        problems.len(),
        records.code_documents.len(),
        records.text_documents.len(),
        records.queries.len(),
        records.qrels.len(),
        env!("CARGO_PKG_VERSION"),
        provenance.created_at,
    )
}

fn files(records: &Records) -> String {
    let of_task = |task: Task| records.queries.iter().filter(move |query| query.split == task);
    let mut text = String::from("## Files\n\n| file | rows | sorted by |\n|---|---|---|\n");
    let _ = writeln!(text, "| `code_corpus.jsonl` | {} | `code_id` |", records.code_documents.len());
    let _ = writeln!(text, "| `text_corpus.jsonl` | {} | `text_id` |", records.text_documents.len());
    for task in Task::ALL {
        let ids: std::collections::BTreeSet<&str> = of_task(task).map(|query| query.query_id.as_str()).collect();
        let n_qrels = records.qrels.iter().filter(|qrel| ids.contains(qrel.query_id.as_str())).count();
        let name = task.name();
        let _ = writeln!(text, "| `{name}_queries.jsonl` | {} | `query_id` |", ids.len());
        let _ = writeln!(text, "| `{name}_qrels.jsonl` | {n_qrels} | `query_id`, grade falling, `doc_id` |");
    }
    let _ = writeln!(text, "| `anchors.jsonl` | {} | `query_id` |", records.anchors.len());
    text + "\nText sorts as bytes. Document numbers come from a keyed shuffle: they say nothing of problem or outcome. \
            `beir/<task>/` holds the same tasks in the layout of BEIR and MTEB, `rejected.jsonl` every row that did not make \
            it with its reason, `manifest.json` the hash of every file and all that it was made from.\n"
}

fn subtasks(records: &Records) -> String {
    let mut counts: BTreeMap<(Task, &str), (usize, u32, u32)> = BTreeMap::new();
    for query in &records.queries {
        let count = counts.entry((query.split, &query.subtask)).or_default();
        count.0 += 1;
        count.1 += query.meta.num_relevant_docs;
        count.2 += query.meta.num_hard_negatives;
    }
    let mut text = String::from(
        "## Queries\n\n| task | subtask | queries | positives (2) | hard negatives (1) |\n|---|---|---|---|---|\n",
    );
    for ((task, subtask), (n_queries, n_positives, n_negatives)) in counts {
        let _ = writeln!(text, "| {} | {subtask} | {n_queries} | {n_positives} | {n_negatives} |", task.name());
    }
    text
}

fn scoring() -> String {
    "## How to score\n\n\
     - Grade 2 is a positive, grade 1 a hard negative. A hard negative is **not** relevant: set grades below 2 to 0 before \
     nDCG, and take 2 as the relevance level of recall, MAP, MRR and precision.\n\
     - Positives of programs passed every test. Hard negatives of programs failed one. A program that passed is never a hard \
     negative of its problem.\n\
     - text2code queries of a language want programs that passed in it; programs that passed in another language are not judged.\n\
     - code2code: leave the anchor (`anchors.jsonl`) out of its query's ranking. `mono_lang` wants other models' programs in \
     the same language, `cross_lang` the same model's in other languages, `cross_model` other models' in other languages. \
     Right programs outside of what a subtask wants are not judged in it.\n\
     - code2text: `full` and `canonical` search the same statements; they differ in their anchors.\n\
     - `c2t_match`: pairs to tell apart. Label 0 has no positive: its one judgement (grade 1) is the paired text. Leave label \
     0 out of averages over searches; the BEIR layout does.\n\
     - Ties: by document id, falling, as bytes (trec_eval's rule).\n"
        .to_owned()
}

fn tokens(records: &Records) -> String {
    let codes = || records.code_documents.iter().map(|row| row.code.as_str());
    let texts = || records.text_documents.iter().map(|row| row.text.as_str());
    let queries = |task: Option<Task>| {
        let wanted = move |query: &&Query| task.is_none_or(|task| query.split == task);
        records.queries.iter().filter(wanted).map(|query| query.query.as_str())
    };
    let tokens = Tokens::count(codes().chain(texts()).chain(queries(None)));
    let mut text = String::from(
        "## Tokens (cl100k_base)\n\n| texts | n | total | median | 95 % | longest |\n|---|---|---|---|---|---|\n",
    );
    let mut row = |name: &str, spread: Spread| {
        let Spread { n_texts, total, median, p95, max } = spread;
        let _ = writeln!(text, "| {name} | {n_texts} | {total} | {median} | {p95} | {max} |");
    };
    row("code corpus", tokens.spread(codes()));
    row("text corpus", tokens.spread(texts()));
    for task in Task::ALL {
        row(&format!("{} queries", task.name()), tokens.spread(queries(Some(task))));
    }
    text
}

fn verdicts(records: &Records) -> String {
    let mut counts: BTreeMap<(&str, &str), BTreeMap<Verdict, usize>> = BTreeMap::new();
    for CodeDocument { model, language, meta, .. } in &records.code_documents {
        *counts.entry((model, language.name())).or_default().entry(meta.verdict).or_default() += 1;
    }
    let shown: Vec<Verdict> = Verdict::ALL
        .into_iter()
        .rev()
        .filter(|verdict| counts.values().any(|of_group| of_group.contains_key(verdict)))
        .collect();
    let names: Vec<&str> = shown.iter().map(|verdict| verdict.name()).collect();
    let mut text = format!(
        "## Verdicts\n\n| model | language | {} |\n|---|---|{}\n",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    for ((model, language), of_group) in counts {
        let cells: Vec<String> =
            shown.iter().map(|verdict| of_group.get(verdict).copied().unwrap_or(0).to_string()).collect();
        let _ = writeln!(text, "| {model} | {language} | {} |", cells.join(" | "));
    }
    text
}

fn levels(records: &Records) -> String {
    let mut counts: BTreeMap<Option<u32>, usize> = BTreeMap::new();
    for row in records.text_documents.iter().filter(|row| !row.meta.is_noise_sample) {
        *counts.entry(row.meta.difficulty_level).or_default() += 1;
    }
    let mut text = String::from(
        "## Difficulty (by code metrics of references, 0 is the easiest)\n\n| level | problems |\n|---|---|\n",
    );
    for (level, n_problems) in counts {
        let level = level.map_or_else(|| "none: too few references".to_owned(), |level| level.to_string());
        let _ = writeln!(text, "| {level} | {n_problems} |");
    }
    text
}

fn rejections(provenance: &Provenance) -> String {
    let mut text =
        String::from("## What was rejected, and why\n\n| stage | reason | rows | what it means |\n|---|---|---|---|\n");
    for stage in Stage::ALL {
        let Some(receipt) = provenance.receipts.get(stage.name()) else { continue };
        for (name, n_rows) in &receipt.rejected {
            let reason = Reason::ALL.iter().find(|reason| reason.name() == name);
            let meaning = reason.map_or("", |reason| reason.describe());
            let _ = writeln!(text, "| {} | {name} | {n_rows} | {meaning} |", stage.name());
        }
    }
    text
}

fn origin(provenance: &Provenance) -> String {
    let mut text = String::from("## License and provenance\n\n");
    for (name, source) in &provenance.sources {
        let kind = source["kind"].as_str().unwrap_or("");
        let revision = source["revision"].as_str().unwrap_or("");
        let _ = writeln!(text, "- Source `{name}` ({kind}, revision `{revision}`). {}", terms(kind));
    }
    for (name, model) in &provenance.models {
        let roles: Vec<&str> =
            model["roles"].as_array().into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
        let _ = writeln!(text, "- Model `{name}` {}.", roles.join(" and "));
    }
    text + "\nNo original statement is in this release: statements are rewritten, and hard-negative ones are written anew. Programs \
            and texts were written by the models named above; their providers' terms apply too. Whoever publishes the release \
            answers for its license.\n"
}

/// What is known of a kind of source, without a claim about this very copy.
fn terms(kind: &str) -> &'static str {
    match kind {
        "livecodebench" => "LiveCodeBench collects problems from contest sites; rights in them stay with the sites.",
        "codenet" => "Project CodeNet is given out under CDLA-Permissive-2.0.",
        _ => "Its own terms apply.",
    }
}
