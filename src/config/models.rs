//! `[models.<name>]`: who is asked, how fast, and what it costs. A model that is only replayed needs
//! `recordings` and nothing else.
//!
//! No key is ever read here: the file names the environment variable, and only [`crate::llm`] looks
//! into it.

use serde::{Deserialize, Serialize};

use super::check;

/// The wire format that a model is spoken to in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// Replies recorded earlier: no network, no key.
    Replay,
    /// Chat completions: `OpenAI` itself, vLLM, llama.cpp, Ollama, TGI and many hosts.
    #[serde(rename = "openai")]
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

/// How replies are had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One call a request.
    Live,
    /// The provider's batch API: slower, at a discount.
    Batch,
    /// From `recordings`, whatever the provider.
    Replay,
}

/// How a server is told which JSON is wanted. A server that refuses the form named is asked for the
/// next one down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StructuredOutput {
    /// By the prompt alone.
    None,
    /// Some JSON object.
    JsonObject,
    /// JSON that fits the schema.
    #[default]
    JsonSchema,
}

/// Dollars for a million tokens, as read off a price list at `date`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// The day of the price list.
    pub date: String,
    pub input: f64,
    pub output: f64,
    /// Input that the provider had in its cache; as `input` where absent.
    pub cached: Option<f64>,
    /// What a batch costs of the live price.
    #[serde(default = "default_batch_share")]
    pub batch_share: f64,
}

/// Settings that the model's requests carry beside their prompt's own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSampling {
    /// In place of the prompts' limits, for models that think before they answer.
    pub max_tokens: Option<u32>,
    pub top_k: Option<u32>,
    pub seed: Option<u64>,
    /// Literal texts at which the answer ends.
    #[serde(default)]
    pub stop: Vec<String>,
    pub reasoning_effort: Option<String>,
    /// Settings of the prompts that the model refuses: `temperature`, `top_p`.
    #[serde(default)]
    pub omit: Vec<String>,
}

/// `[models.<name>]`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelConfig {
    pub provider: Provider,
    /// `live` for every provider but `replay`.
    pub mode: Option<Mode>,
    /// Replay: the directory that holds the recordings, one JSON Lines file a stage.
    pub recordings: Option<String>,
    /// The model as its API calls it; the table's own name where absent.
    pub model: Option<String>,
    /// Up to and with the version (`http://127.0.0.1:8080/v1`); the provider's own where absent.
    pub base_url: Option<String>,
    /// The environment variable that holds the key. For the provider's own `base_url` it has a
    /// default; other servers are asked without a key unless it is named.
    pub api_key_env: Option<String>,
    /// Calls at a time, at most; fewer while the provider throttles.
    #[serde(default = "default_concurrency")]
    pub concurrency: usize,
    pub requests_per_minute: Option<u32>,
    pub tokens_per_minute: Option<u64>,
    /// Of one call, from connecting to the last byte.
    #[serde(default = "default_timeout_s")]
    pub timeout_s: u64,
    /// Further calls for a request whose call did not bring a reply.
    #[serde(default = "default_max_retries")]
    pub max_retries: u32,
    #[serde(default)]
    pub structured_output: StructuredOutput,
    /// Whether a reply that does not fit is shown to the model once, to be put right; yes where it is
    /// left open, but for `provider = "replay"`.
    pub repair: Option<bool>,
    #[serde(default)]
    pub sampling: ModelSampling,
    pub price: Option<Price>,
    /// Batch mode: seconds between two looks at a batch.
    #[serde(default = "default_batch_poll_s")]
    pub batch_poll_s: u64,
    /// Batch mode: requests in one batch, at most.
    #[serde(default = "default_batch_size")]
    pub batch_size: usize,
}

fn default_batch_share() -> f64 {
    0.5
}

fn default_concurrency() -> usize {
    8
}

fn default_timeout_s() -> u64 {
    600
}

fn default_max_retries() -> u32 {
    6
}

fn default_batch_poll_s() -> u64 {
    60
}

fn default_batch_size() -> usize {
    10_000
}

impl Provider {
    /// Its own address and the usual name of its key; `None` for recordings.
    #[must_use]
    pub fn defaults(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Replay => None,
            Self::OpenAi => Some(("https://api.openai.com/v1", "OPENAI_API_KEY")),
            Self::Anthropic => Some(("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY")),
            Self::Gemini => Some(("https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY")),
        }
    }
}

impl ModelConfig {
    #[must_use]
    pub fn mode(&self) -> Mode {
        match (self.provider, self.mode) {
            (Provider::Replay, _) => Mode::Replay,
            (_, mode) => mode.unwrap_or(Mode::Live),
        }
    }

    /// Whether a faulty reply is shown to the model once.
    #[must_use]
    pub fn repairs(&self) -> bool {
        self.repair.unwrap_or(self.provider != Provider::Replay)
    }

    /// Where the API is; empty for recordings.
    #[must_use]
    pub fn base_url(&self) -> &str {
        let default = self.provider.defaults().map_or("", |(url, _)| url);
        self.base_url.as_deref().unwrap_or(default).trim_end_matches('/')
    }

    /// The environment variable of the key; `None` where the server wants none.
    #[must_use]
    pub fn key_variable(&self) -> Option<&str> {
        match (&self.api_key_env, &self.base_url) {
            (Some(name), _) => Some(name),
            (None, None) => self.provider.defaults().map(|(_, name)| name),
            (None, Some(_)) => None,
        }
    }

    /// Whether the API is on this machine.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.base_url().split_once("://").map_or("", |(_, rest)| rest);
        ["127.0.0.1", "localhost", "[::1]"]
            .iter()
            .any(|local| host.strip_prefix(local).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/'])))
    }

    /// What serde cannot see.
    pub(super) fn mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        if self.mode() == Mode::Replay && self.recordings.is_none() {
            mistakes.push("is replayed and has no `recordings`".to_owned());
        }
        if self.mode() == Mode::Batch && self.provider == Provider::Gemini {
            mistakes.push("mode = \"batch\" is there for openai and anthropic".to_owned());
        }
        if self.provider == Provider::Replay && self.mode.is_some_and(|mode| mode != Mode::Replay) {
            mistakes.push("provider = \"replay\" has the mode \"replay\" alone".to_owned());
        }
        self.address_mistakes(&mut mistakes);
        self.number_mistakes(&mut mistakes);
        mistakes
    }

    fn address_mistakes(&self, mistakes: &mut Vec<String>) {
        if self.provider == Provider::Replay {
            return;
        }
        let url = self.base_url();
        if !url.starts_with("https://") && !url.starts_with("http://") {
            mistakes.push(format!("base_url `{url}` is neither https:// nor http://"));
        } else if url.starts_with("http://") && !self.is_loopback() && self.key_variable().is_some() {
            mistakes.push(format!("base_url `{url}` would send the key in the clear: use https://"));
        }
        if let Some(name) = &self.api_key_env
            && !name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        {
            mistakes.push("api_key_env is the NAME of an environment variable, never the key itself".to_owned());
        }
        let unknown = |name: &&String| !matches!(name.as_str(), "temperature" | "top_p");
        mistakes.extend(
            self.sampling
                .omit
                .iter()
                .filter(unknown)
                .map(|name| format!("sampling.omit names the unknown setting `{name}` (known: temperature, top_p)")),
        );
    }

    fn number_mistakes(&self, mistakes: &mut Vec<String>) {
        let counts = [
            ("concurrency", self.concurrency as u64),
            ("timeout_s", self.timeout_s),
            ("batch_size", self.batch_size as u64),
            ("requests_per_minute", self.requests_per_minute.map_or(1, u64::from)),
            ("tokens_per_minute", self.tokens_per_minute.unwrap_or(1)),
            ("sampling.max_tokens", self.sampling.max_tokens.map_or(1, u64::from)),
        ];
        mistakes.extend(counts.iter().filter(|(_, n)| *n == 0).map(|(key, _)| format!("{key} is 0")));
        let Some(price) = &self.price else { return };
        let amounts = [price.input, price.output, price.cached.unwrap_or(0.0), price.batch_share];
        if amounts.iter().any(|amount| !amount.is_finite() || *amount < 0.0) {
            mistakes.push("price holds a negative number".to_owned());
        }
        if !check::is_date(&price.date) {
            mistakes.push(format!("price.date: `{}` is not a date such as 2026-01-31", price.date));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(toml: &str) -> String {
        toml::from_str::<ModelConfig>(toml).expect("a table").mistakes().join("; ")
    }

    #[test]
    fn replay_needs_recordings_and_nothing_else() {
        assert_eq!(mistakes("provider = \"replay\"\nrecordings = \"r\""), "");
        assert_eq!(mistakes("provider = \"replay\""), "is replayed and has no `recordings`");
        assert_eq!(mistakes("provider = \"openai\"\nmode = \"replay\""), "is replayed and has no `recordings`");
    }

    #[test]
    fn key_is_named_and_never_sent_in_the_clear() {
        assert_eq!(mistakes("provider = \"anthropic\""), "");
        assert!(mistakes("provider = \"openai\"\napi_key_env = \"secret-key\"").contains("NAME"));
        let far = "provider = \"openai\"\nbase_url = \"http://models.example/v1\"\n";
        assert_eq!(mistakes(far), "");
        assert!(mistakes(&format!("{far}api_key_env = \"K\"")).contains("in the clear"));
        assert_eq!(mistakes("provider = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\napi_key_env = \"K\""), "");
    }

    #[test]
    fn numbers_and_dates_must_make_sense() {
        let bad = "provider = \"gemini\"\nmode = \"batch\"\nconcurrency = 0\n\
                   price = { date = \"soon\", input = -1.0, output = 1.0 }";
        let found = mistakes(bad);
        for part in ["for openai and anthropic", "concurrency is 0", "negative", "`soon` is not a date"] {
            assert!(found.contains(part), "{found}");
        }
    }
}
