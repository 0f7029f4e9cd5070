//! `pipeline.toml` → a validated [`Config`], and from it the [`ReleaseConfig`] of one release.
//!
//! The file sets parameters; it cannot change the order of stages. Unknown keys are errors. All
//! mistakes are reported at once, each with the table it stands in. Paths in the file are relative
//! to the file's own directory.

mod check;
mod models;
mod parts;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub use models::{Mode, ModelConfig, ModelSampling, Price, Provider, StructuredOutput};
pub use parts::{
    CheckerSpec, DifficultyConfig, ExecuteConfig, Isolation, Limits, NegativesConfig, QrelsConfig, QueriesConfig,
    ReferencesConfig, RepliesConfig, Review, RewriteConfig, SanityConfig, SolveConfig, SourceConfig, SourceFile,
    SourceKind, TestsConfig, Window,
};

use crate::{exit_code::ConfigError, languages::Language};

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The release that commands mean when none is named.
    pub default_release: String,
    pub releases: BTreeMap<String, Release>,
    pub sources: BTreeMap<String, SourceConfig>,
    pub models: BTreeMap<String, ModelConfig>,
    /// Checkers of problems whose style's default does not fit, by problem id.
    #[serde(default)]
    pub checkers: BTreeMap<String, CheckerSpec>,
    pub rewrite: RewriteConfig,
    pub abbreviate: RepliesConfig,
    pub negatives: NegativesConfig,
    pub tests: TestsConfig,
    pub solve: SolveConfig,
    pub execute: ExecuteConfig,
    pub references: ReferencesConfig,
    pub difficulty: DifficultyConfig,
    pub queries: QueriesConfig,
    pub qrels: QrelsConfig,
    pub sanity: SanityConfig,
    /// Where the file lies.
    #[serde(skip)]
    pub root: PathBuf,
}

/// One `[releases.<name>]` table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Names of `[sources.<name>]` tables.
    pub sources: Vec<String>,
    /// Dates of the problems that belong in the release.
    pub window: Window,
    /// Stands in every record. A release has no other clock.
    pub created_at: String,
    /// The model that rewrites, abbreviates, makes negatives, test inputs and search queries.
    pub writer: String,
    /// The models that write solutions.
    pub solvers: Vec<String>,
    /// Of every draw.
    pub seed: u64,
}

/// What the stages of one release see: the file with the release chosen.
#[derive(Clone, Debug)]
pub struct ReleaseConfig {
    pub name: String,
    pub release: Release,
    pub config: Config,
}

impl Config {
    /// Reads and validates `path`.
    ///
    /// # Errors
    /// A [`ConfigError`] with every mistake found.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        let text = fs_err::read_to_string(path).map_err(|error| ConfigError::new(error.to_string()))?;
        let root = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::parse(&text, &path.display().to_string(), root)
    }

    /// As [`Config::load`], for text at hand; `origin` names it in messages.
    ///
    /// # Errors
    /// A [`ConfigError`] with every mistake found.
    pub fn parse(text: &str, origin: &str, root: &Path) -> Result<Self, ConfigError> {
        let mut config: Self =
            toml::from_str(text).map_err(|error| ConfigError::new(format!("parse `{origin}`:\n{error}")))?;
        config.root = root.to_path_buf();
        let mistakes = check::mistakes(&config);
        if mistakes.is_empty() {
            return Ok(config);
        }
        let list: Vec<String> = mistakes.iter().map(|mistake| format!("  - {mistake}")).collect();
        Err(ConfigError::new(format!("{} mistake(s) in `{origin}`:\n{}", mistakes.len(), list.join("\n"))))
    }

    /// Chooses a release; `None` is the default one.
    ///
    /// # Errors
    /// When the file knows no such release.
    pub fn release(&self, name: Option<&str>) -> Result<ReleaseConfig, ConfigError> {
        let name = name.unwrap_or(&self.default_release);
        let release = self.releases.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.releases.keys().map(String::as_str).collect();
            ConfigError::new(format!("unknown release `{name}` in `pipeline.toml` (known: {})", known.join(", ")))
        })?;
        Ok(ReleaseConfig { name: name.to_owned(), release: release.clone(), config: self.clone() })
    }
}

impl ReleaseConfig {
    /// A path of the file, made absolute or relative to the working directory.
    #[must_use]
    pub fn resolve(&self, path: &str) -> PathBuf {
        self.config.root.join(path.strip_prefix("file://").unwrap_or(path))
    }

    /// A model of the file. Validation has made sure that every name used is known.
    ///
    /// # Panics
    /// When `name` is not a name of the validated file.
    #[must_use]
    pub fn model(&self, name: &str) -> &ModelConfig {
        self.config.models.get(name).expect("model names are checked when the file is read")
    }

    /// The checker of a problem: the file's, or the default of its style.
    #[must_use]
    pub fn checker(&self, problem_id: &str, style: crate::tables::Style) -> CheckerSpec {
        self.config.checkers.get(problem_id).cloned().unwrap_or_else(|| CheckerSpec::default_for(style))
    }

    /// The limits of a language: its own table, or the common one.
    #[must_use]
    pub fn limits(&self, language: Language) -> Limits {
        let execute = &self.config.execute;
        execute.language_limits.get(&language).cloned().unwrap_or_else(|| execute.limits.clone())
    }
}
