//! The rows of a published release, flattened. Field names are the hub's, less `meta_`.

use serde::{Deserialize, Serialize};
use serde_json::Number;

/// A number that one release writes as an integer and another as a float.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Amount(pub Number);

impl Amount {
    /// A count, spelt as the hub spells it in a column that holds nulls.
    ///
    /// # Panics
    /// When `n` is above 2^32.
    #[must_use]
    pub fn of(n: usize) -> Self {
        let n = u32::try_from(n).expect("counts are small");
        Self(Number::from_f64(f64::from(n)).expect("an integer is finite"))
    }

    #[must_use]
    pub fn value(&self) -> f64 {
        self.0.as_f64().unwrap_or(f64::NAN)
    }
}

impl std::fmt::Debug for Amount {
    /// By value: 1 and 1.0 are the same.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.value().fmt(formatter)
    }
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.value().total_cmp(&other.value()).is_eq()
    }
}

/// A program, passed or not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Code {
    pub code_id: String,
    pub code: String,
    pub language: String,
    pub model: String,
    pub code_length: usize,
    #[serde(rename = "meta_source_problem_id")]
    pub problem_id: String,
    #[serde(rename = "meta_solution_key")]
    pub solution_key: String,
    #[serde(rename = "meta_passed")]
    pub passed: bool,
    #[serde(rename = "meta_pass_rate")]
    pub pass_rate: f64,
    #[serde(rename = "meta_test_passed")]
    pub test_passed: u32,
    #[serde(rename = "meta_test_total")]
    pub test_total: u32,
    #[serde(rename = "meta_created_at")]
    pub created_at: String,
    #[serde(rename = "meta_corpus_version")]
    pub corpus_version: String,
}

/// A statement, or a noise text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Text {
    pub text_id: String,
    pub text: String,
    pub text_style: String,
    pub text_length: usize,
    pub abbreviated_text: Option<String>,
    pub abbreviated_text_length: Option<Amount>,
    #[serde(rename = "meta_source_problem_id")]
    pub source_problem_id: String,
    #[serde(rename = "meta_created_at")]
    pub created_at: String,
    #[serde(rename = "meta_corpus_version")]
    pub corpus_version: String,
    #[serde(rename = "meta_original_text_id", default)]
    pub original_text_id: Option<String>,
    #[serde(rename = "meta_original_problem_id", default)]
    pub original_problem_id: Option<String>,
    #[serde(rename = "meta_is_noise_sample", default)]
    pub is_noise_sample: Option<bool>,
    #[serde(rename = "meta_noise_type", default)]
    pub noise_type: Option<String>,
    #[serde(rename = "meta_noise_variation", default)]
    pub noise_variation: Option<Amount>,
}

impl Text {
    #[must_use]
    pub fn is_noise(&self) -> bool {
        self.is_noise_sample == Some(true)
    }

    /// The problem that the text was made for. A noise text's `source_problem_id` is none.
    #[must_use]
    pub fn problem_id(&self) -> &str {
        self.original_problem_id.as_deref().unwrap_or(&self.source_problem_id)
    }
}

/// A query of any task: the union of the three tasks' columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PublishedQuery {
    pub query_id: String,
    pub query: String,
    pub split: String,
    pub subtask: String,
    pub query_type: Option<String>,
    pub sub_query_type: Option<String>,
    pub language_constraint: Option<String>,
    pub anchor_language: Option<String>,
    pub anchor_model: Option<String>,
    pub code: Option<String>,
    pub text_id: Option<String>,
    pub label: Option<Amount>,
    pub text_type: Option<String>,
    pub text: Option<String>,
    #[serde(rename = "meta_source_problem_id")]
    pub problem_id: String,
    #[serde(rename = "meta_original_query_type")]
    pub original_query_type: Option<String>,
    #[serde(rename = "meta_anchor_code_id")]
    pub anchor_code_id: Option<String>,
    #[serde(rename = "meta_target_languages")]
    pub target_languages: Option<Vec<String>>,
    #[serde(rename = "meta_num_target_solutions")]
    pub num_target_solutions: Option<Amount>,
    #[serde(rename = "meta_task_type")]
    pub task_type: Option<String>,
    #[serde(rename = "meta_text_type")]
    pub meta_text_type: Option<String>,
    #[serde(rename = "meta_available_languages")]
    pub available_languages: Option<Vec<String>>,
    #[serde(rename = "meta_pair_type")]
    pub pair_type: Option<String>,
    #[serde(rename = "meta_negative_problem_id")]
    pub negative_problem_id: Option<String>,
    #[serde(rename = "meta_num_relevant_docs")]
    pub num_relevant_docs: Option<Amount>,
    #[serde(rename = "meta_models_in_relevant_docs")]
    pub models_in_relevant_docs: Option<Vec<String>>,
    #[serde(rename = "meta_is_multi_model")]
    pub is_multi_model: Option<bool>,
    #[serde(rename = "meta_created_at")]
    pub created_at: String,
    #[serde(rename = "meta_generator_version")]
    pub generator_version: String,
}

impl PublishedQuery {
    /// Whether two records say the same. When a record was written says nothing.
    #[must_use]
    pub fn same_but_for_time(&self, other: &Self) -> bool {
        let timeless = |query: &Self| Self { created_at: String::new(), ..query.clone() };
        timeless(self) == timeless(other)
    }

    #[must_use]
    pub fn is_search(&self) -> bool {
        self.subtask.starts_with("t2c_search_")
    }

    /// A match pair that does not belong together.
    #[must_use]
    pub fn is_negative_pair(&self) -> bool {
        self.label.as_ref().is_some_and(|label| label.value() < 0.5)
    }

    /// The language that the query asks for.
    #[must_use]
    pub fn language(&self) -> Option<&str> {
        self.language_constraint.as_deref().filter(|language| *language != "none")
    }
}
