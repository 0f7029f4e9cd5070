//! The tables of `pipeline.toml`, one type each. Their docs are the file's documentation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{languages::Language, tables::Style};

/// A span of dates, `from` included, `until` not. `YYYY-MM-DD`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    pub from: String,
    pub until: String,
}

impl Window {
    /// Whether an ISO date or date and time lies in the window. ISO text sorts as time does.
    #[must_use]
    pub fn contains(&self, date: &str) -> bool {
        date >= self.from.as_str() && date < self.until.as_str()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// JSON Lines of LiveCodeBench's `code_generation_lite`.
    Livecodebench,
    /// A `Project_CodeNet` tree or its `tar.gz`.
    Codenet,
}

/// `[sources.<name>]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceConfig {
    pub kind: SourceKind,
    /// The source's revision: a commit, a tag, a date.
    pub revision: String,
    /// LiveCodeBench: its files, in order. CodeNet: one directory or one archive.
    pub files: Vec<SourceFile>,
    /// Ids (as the source writes them) of problems to leave out, with the reason; for LiveCodeBench
    /// also titles, since its errata name LeetCode's problems by their slug.
    #[serde(default)]
    pub exclude: BTreeMap<String, String>,
    /// CodeNet: at most so many references per problem and language, drawn by seed.
    #[serde(default = "default_max_references")]
    pub max_references: usize,
}

fn default_max_references() -> usize {
    250
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFile {
    /// `https://…`, or `file://…` relative to the file.
    pub url: String,
    /// Of a file: its sha256. Of a directory: the sha256 of its listing, as `corebuild pull --pin`
    /// prints it.
    pub sha256: String,
}

/// Whether people have to decide about a stage's rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Review {
    /// A decision counts where there is one.
    #[default]
    Optional,
    /// Rows without an accepting decision stay out.
    Required,
}

/// What all stages that read replies have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepliesConfig {
    #[serde(default)]
    pub review: Review,
    /// The stage stops when a larger share of its rows is rejected.
    pub max_rejected_share: f64,
}

/// `[rewrite]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RewriteConfig {
    #[serde(default)]
    pub review: Review,
    pub max_rejected_share: f64,
    /// Tests sent to the model in one request.
    pub tests_per_request: usize,
}

/// `[negatives]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NegativesConfig {
    #[serde(default)]
    pub review: Review,
    pub max_rejected_share: f64,
    /// Sampling temperature, drawn per row by seed from this range.
    pub temperature: [f64; 2],
}

/// `[tests]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestsConfig {
    /// A problem with fewer grading tests is rejected.
    pub min_tests: usize,
    /// Official tests beyond this number are drawn by seed; 0 keeps all.
    pub max_tests: usize,
    /// Problems with references and fewer tests get synthesised ones, up to this number.
    pub synthesise_up_to: usize,
    /// Independent references that have to agree on a synthesised test's output.
    pub min_agreeing: usize,
    /// Whether the smallest test is kept as the one-shot example, and so never graded.
    pub keep_example: bool,
}

/// `[solve]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolveConfig {
    pub languages: Vec<Language>,
    /// Solutions per problem, language and model.
    pub samples: u32,
}

/// How much isolation a run must have at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// No namespaces: resource limits and an own process group only. Never by default.
    Unsafe,
    /// Namespaces (user, pid, net, mount, ipc), read-only root, seccomp, resource limits; memory of
    /// the tree by polling.
    Namespaces,
    /// The same with cgroups for memory, processes and CPU time of the tree.
    Cgroups,
}

/// Limits of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// CPU time of the whole process tree: decides `time-limit`.
    pub cpu_ms: u64,
    /// Wall time, a backstop for programs that sleep: a multiple of CPU time.
    pub wall_ms: u64,
    pub memory_mib: u64,
    /// Standard output, in bytes.
    pub output_kib: u64,
    pub processes: u64,
}

/// `[execute]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecuteConfig {
    /// Stop where less can be had.
    pub min_isolation: Isolation,
    pub limits: Limits,
    /// Limits of languages that need others, by language.
    #[serde(default)]
    pub language_limits: BTreeMap<Language, Limits>,
    /// Limits of the compiler.
    pub compile_limits: Limits,
    /// A run that used between `1 - margin` and `1 + margin` of its CPU limit is repeated alone.
    pub repeat_margin: f64,
    /// The stage stops when a larger share of runs ends in `internal-error`.
    pub max_internal_error_share: f64,
}

/// `[references]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferencesConfig {
    /// Programs more complex than mean + `sigmas` × standard deviation of their problem and
    /// language are outliers.
    pub sigmas: f64,
    /// With fewer programs in a group the filter does not act.
    pub min_group: usize,
}

/// `[difficulty]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DifficultyConfig {
    /// Clusters of k-means.
    pub k: usize,
    /// Clusters smaller than this are merged into the neighbouring level.
    pub min_cluster: usize,
    pub n_runs: usize,
    pub max_iterations: u64,
}

/// `[queries]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueriesConfig {
    #[serde(default)]
    pub review: Review,
    pub max_rejected_share: f64,
    /// Search queries of each kind and problem.
    pub per_kind: u32,
    /// Nearest other problems shown to the model, which must not be found by the query.
    pub nearest_problems: usize,
}

/// `[qrels]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QrelsConfig {
    /// Documents of relevance 1 per query, at most.
    pub max_hard_negatives: usize,
    /// Search queries per block (any, and each language), drawn by seed.
    pub max_search_queries: usize,
}

/// `[sanity]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SanityConfig {
    /// Ranks at which measures are cut off.
    pub cutoffs: Vec<usize>,
}

/// How an output is compared with the expected one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum CheckerSpec {
    /// Byte for byte.
    Exact,
    /// Line by line; trailing blanks of a line and trailing blank lines are forgiven.
    Lines,
    /// Whitespace-separated tokens; where the expected token is a decimal number with a point or
    /// exponent, |a - b| <= max(abs, rel * |b|).
    Tokens {
        #[serde(default)]
        abs: f64,
        #[serde(default)]
        rel: f64,
    },
    /// One JSON value, types kept apart (`true` is not `1`), numbers with a fraction to 1e-9.
    Json,
    /// A program of ours, run in the sandbox: reads `{"input", "expected", "output"}` as JSON, exits
    /// 0 to accept, 1 to reject; anything else is a breakdown.
    Program { language: Language, path: String },
}

impl CheckerSpec {
    /// What applies where `[checkers]` names nothing else.
    #[must_use]
    pub fn default_for(style: Style) -> Self {
        match style {
            Style::Stdin => Self::Lines,
            Style::Functional => Self::Json,
        }
    }
}
