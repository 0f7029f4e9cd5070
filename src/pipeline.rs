//! The closed list of stages, what each reads and writes, and what is stale. Pure: nothing here
//! touches the disk.

use serde_json::{Value, json};

use crate::{
    config::{Provider, ReleaseConfig},
    receipt::{Fingerprint, Receipt},
    tables::Table,
};

/// The stages in the one order they run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    Pull,
    Rewrite,
    Abbreviate,
    Negatives,
    Tests,
    Solve,
    Execute,
    References,
    Difficulty,
    Queries,
    Qrels,
    Release,
    Sanity,
}

/// The module through which a stage reaches outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Sources,
    Llm,
    Sandbox,
    /// Both a model and the sandbox.
    LlmAndSandbox,
    None,
}

/// A stage's row in the table of stages.
#[derive(Debug)]
pub struct StageSpec {
    pub name: &'static str,
    /// Raised in the commit that changes the stage's output.
    pub version: u32,
    pub about: &'static str,
    pub door: Door,
    pub inputs: &'static [Table],
    /// The first is the stage's main table: empty means that the stage failed.
    pub outputs: &'static [Table],
    /// Stages whose receipts are read beside the tables.
    pub after: &'static [Stage],
    /// The slice of the configuration that the stage reads.
    pub config: fn(&ReleaseConfig) -> Value,
}

impl Stage {
    pub const ALL: [Self; 13] = [
        Self::Pull,
        Self::Rewrite,
        Self::Abbreviate,
        Self::Negatives,
        Self::Tests,
        Self::Solve,
        Self::Execute,
        Self::References,
        Self::Difficulty,
        Self::Queries,
        Self::Qrels,
        Self::Release,
        Self::Sanity,
    ];

    #[must_use]
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// The stage of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == name)
    }

    /// The one stage that writes `table`.
    ///
    /// # Panics
    /// Never: a test walks all tables.
    #[must_use]
    pub fn writer_of(table: Table) -> Self {
        Self::ALL
            .into_iter()
            .find(|stage| stage.spec().outputs.contains(&table))
            .expect("every table has a stage that writes it")
    }

    /// Whether the stage sends prompts.
    #[must_use]
    pub fn asks_models(self) -> bool {
        matches!(self.spec().door, Door::Llm | Door::LlmAndSandbox)
    }

    /// Whether the stage runs programs.
    #[must_use]
    pub fn runs_programs(self) -> bool {
        matches!(self.spec().door, Door::Sandbox | Door::LlmAndSandbox)
    }

    /// The stages whose output this one reads.
    #[must_use]
    pub fn upstream(self) -> Vec<Self> {
        let spec = self.spec();
        let mut stages: Vec<Self> = spec.inputs.iter().map(|table| Self::writer_of(*table)).collect();
        stages.extend_from_slice(spec.after);
        stages.sort_unstable();
        stages.dedup();
        stages
    }

    /// The stage's row in the table.
    #[must_use]
    pub fn spec(self) -> &'static StageSpec {
        &SPECS[self as usize]
    }
}

/// The table of stages, in the order of [`Stage::ALL`].
static SPECS: [StageSpec; 13] = [
    StageSpec {
        name: "pull",
        version: 1,
        about: "read the pinned sources: problems of the window, their tests, accepted submissions",
        door: Door::Sources,
        inputs: &[],
        outputs: &[Table::Problems, Table::SourceTests, Table::References],
        after: &[],
        config: |c| {
            let sources: Vec<Value> =
                c.release.sources.iter().map(|name| json!([name, c.config.sources[name]])).collect();
            json!({"sources": sources, "window": c.release.window, "seed": c.release.seed})
        },
    },
    StageSpec {
        name: "rewrite",
        version: 1,
        about: "have each problem rewritten counterfactually, and check what came back",
        door: Door::Llm,
        inputs: &[Table::Problems, Table::SourceTests],
        outputs: &[Table::Rewrites],
        after: &[],
        config: |c| json!({"rewrite": c.config.rewrite, "model": writer(c)}),
    },
    StageSpec {
        name: "abbreviate",
        version: 1,
        about: "have each rewritten statement put in 50 to 150 words",
        door: Door::Llm,
        inputs: &[Table::Rewrites],
        outputs: &[Table::Abbreviations],
        after: &[],
        config: |c| json!({"abbreviate": c.config.abbreviate, "model": writer(c)}),
    },
    StageSpec {
        name: "negatives",
        version: 1,
        about: "have four near-miss statements written per problem",
        door: Door::Llm,
        inputs: &[Table::Rewrites],
        outputs: &[Table::Negatives],
        after: &[],
        config: |c| json!({"negatives": c.config.negatives, "model": writer(c), "seed": c.release.seed}),
    },
    StageSpec {
        name: "tests",
        version: 1,
        about: "form the test suites: official, scraped, and synthesised where references agree",
        door: Door::LlmAndSandbox,
        inputs: &[Table::Problems, Table::SourceTests, Table::References, Table::Rewrites],
        outputs: &[Table::Tests],
        after: &[],
        config: |c| {
            json!({"tests": c.config.tests, "execute": c.config.execute, "checkers": c.config.checkers,
                   "model": writer(c), "seed": c.release.seed})
        },
    },
    StageSpec {
        name: "solve",
        version: 1,
        about: "have models write programs for the rewritten problems, in every language",
        door: Door::Llm,
        inputs: &[Table::Rewrites, Table::Tests],
        outputs: &[Table::Solutions],
        after: &[],
        config: |c| {
            let models: Vec<Value> = c.release.solvers.iter().map(|name| model(c, name)).collect();
            json!({"solve": c.config.solve, "models": models})
        },
    },
    StageSpec {
        name: "execute",
        version: 1,
        about: "run every solution and reference on every test, in the sandbox",
        door: Door::Sandbox,
        inputs: &[Table::Problems, Table::Rewrites, Table::References, Table::Tests, Table::Solutions],
        outputs: &[Table::Verdicts, Table::Runs, Table::RewriteChecks, Table::Measurements],
        after: &[],
        config: |c| json!({"execute": c.config.execute, "checkers": c.config.checkers}),
    },
    StageSpec {
        name: "references",
        version: 1,
        about: "keep right programs, measure their code, drop outliers of complexity",
        door: Door::None,
        inputs: &[Table::References, Table::Solutions, Table::Verdicts],
        outputs: &[Table::KeptReferences],
        after: &[],
        config: |c| json!({"references": c.config.references}),
    },
    StageSpec {
        name: "difficulty",
        version: 1,
        about: "cluster problems into levels by the code metrics of their references",
        door: Door::None,
        inputs: &[Table::Rewrites, Table::KeptReferences],
        outputs: &[Table::Difficulty],
        after: &[],
        config: |c| json!({"difficulty": c.config.difficulty, "seed": c.release.seed}),
    },
    StageSpec {
        name: "queries",
        version: 1,
        about: "have search queries written for problems that somebody solved",
        door: Door::Llm,
        inputs: &[Table::Rewrites, Table::Verdicts],
        outputs: &[Table::SearchQueries],
        after: &[],
        config: |c| json!({"queries": c.config.queries, "model": writer(c)}),
    },
    StageSpec {
        name: "qrels",
        version: 1,
        about: "form documents, queries and graded judgements",
        door: Door::None,
        inputs: &[
            Table::Problems,
            Table::Rewrites,
            Table::Abbreviations,
            Table::Negatives,
            Table::Solutions,
            Table::Verdicts,
            Table::Difficulty,
            Table::SearchQueries,
        ],
        outputs: &[Table::Queries, Table::CodeDocuments, Table::TextDocuments, Table::Qrels, Table::Anchors],
        after: &[],
        config: |c| {
            json!({"qrels": c.config.qrels, "seed": c.release.seed, "release": c.name,
                   "created_at": c.release.created_at, "languages": c.config.solve.languages})
        },
    },
    StageSpec {
        name: "release",
        version: 1,
        about: "write the release: records, card, manifest; once written, never changed",
        door: Door::None,
        inputs: &[Table::Queries, Table::CodeDocuments, Table::TextDocuments, Table::Qrels, Table::Anchors],
        outputs: &[],
        after: &[
            Stage::Pull,
            Stage::Rewrite,
            Stage::Abbreviate,
            Stage::Negatives,
            Stage::Tests,
            Stage::Solve,
            Stage::Execute,
            Stage::References,
            Stage::Difficulty,
            Stage::Queries,
            Stage::Qrels,
        ],
        config: |c| json!({"release": c.name, "settings": c.release}),
    },
    StageSpec {
        name: "sanity",
        version: 1,
        about: "search the release with BM25, score it, and draw the report",
        door: Door::None,
        inputs: &[],
        outputs: &[],
        after: &[Stage::Release],
        config: |c| json!({"sanity": c.config.sanity}),
    },
];

/// A model as far as it can change a reply: its name, who serves it and its settings; neither its
/// price nor how fast it is asked.
fn model(config: &ReleaseConfig, name: &str) -> Value {
    let model = config.model(name);
    let mut value = json!({"name": name, "provider": model.provider});
    if model.provider != Provider::Replay {
        value["model"] = json!(model.model);
        value["sampling"] = json!(model.sampling);
        value["repair"] = json!(model.repairs());
    }
    value
}

fn writer(config: &ReleaseConfig) -> Value {
    model(config, &config.release.writer)
}

/// What is to be done about a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// The receipt matches and the outputs are as it says.
    Fresh,
    /// Why the stage has to run.
    Stale(Vec<String>),
}

/// Compares what a stage would consume now with what its receipt says it consumed. `damaged` names
/// outputs that are not what the receipt says.
#[must_use]
pub fn freshness(now: &Fingerprint, receipt: Option<&Receipt>, damaged: &[String]) -> Freshness {
    let Some(receipt) = receipt else { return Freshness::Stale(vec!["not run yet".to_owned()]) };
    let mut causes = now.differences(&receipt.fingerprint);
    causes.extend(damaged.iter().map(|file| format!("`{file}` is missing or was changed by hand")));
    if causes.is_empty() { Freshness::Fresh } else { Freshness::Stale(causes) }
}

/// A plan over all stages: a fresh stage behind a stale one is stale too, since its input may
/// change. (When the time comes and the input turns out equal, it is not run.)
#[must_use]
pub fn plan(states: &[(Stage, Freshness)]) -> Vec<(Stage, Freshness)> {
    let mut planned: Vec<(Stage, Freshness)> = Vec::new();
    for (stage, freshness) in states {
        let waits_for: Vec<&str> = stage
            .upstream()
            .iter()
            .filter(|upstream| planned.iter().any(|(s, f)| s == *upstream && *f != Freshness::Fresh))
            .map(|upstream| upstream.name())
            .collect();
        let freshness = match freshness {
            Freshness::Fresh if !waits_for.is_empty() => {
                Freshness::Stale(vec![format!("follows {}", waits_for.join(", "))])
            }
            other => other.clone(),
        };
        planned.push((*stage, freshness));
    }
    planned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_read_only_what_earlier_ones_write() {
        for stage in Stage::ALL {
            for upstream in stage.upstream() {
                assert!(upstream < stage, "{} reads from {}", stage.name(), upstream.name());
            }
        }
    }

    #[test]
    fn every_table_has_exactly_one_writer() {
        for table in Table::ALL {
            let writers = Stage::ALL.iter().filter(|stage| stage.spec().outputs.contains(&table)).count();
            assert_eq!(writers, 1, "{}", table.name());
        }
    }

    #[test]
    fn names_are_unique_and_parse_back() {
        for stage in Stage::ALL {
            assert_eq!(Stage::parse(stage.name()), Some(stage));
        }
        assert_eq!(Stage::parse("no such stage"), None);
    }

    #[test]
    fn a_stale_stage_makes_exactly_its_dependents_stale() {
        let states: Vec<(Stage, Freshness)> = Stage::ALL
            .into_iter()
            .map(|stage| {
                let freshness = match stage {
                    Stage::Negatives => Freshness::Stale(vec!["`prompts/negatives/x.jinja` changed".into()]),
                    _ => Freshness::Fresh,
                };
                (stage, freshness)
            })
            .collect();
        let stale: Vec<Stage> =
            plan(&states).into_iter().filter(|(_, f)| *f != Freshness::Fresh).map(|(stage, _)| stage).collect();
        assert_eq!(stale, [Stage::Negatives, Stage::Qrels, Stage::Release, Stage::Sanity]);
    }
}
