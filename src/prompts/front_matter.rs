//! The TOML between the `+++` lines of a template.

use serde::Deserialize;

use crate::exit_code::ConfigError;

const FENCE: &str = "+++";

/// What a reply has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplyFormat {
    /// A JSON value that fits the prompt's schema.
    Json,
    /// A program in a fenced block.
    Code,
    /// The text itself.
    Text,
}

/// Default model settings; a stage may draw a temperature of its own.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub max_tokens: u32,
    pub top_k: Option<u32>,
    pub seed: Option<u64>,
    #[serde(default)]
    pub stop: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FrontMatter {
    pub name: String,
    pub version: u32,
    /// Must be given and not be empty.
    pub variables: Vec<String>,
    /// May be absent, null or empty; the template asks before it uses them.
    #[serde(default)]
    pub optional: Vec<String>,
    pub reply: ReplyFormat,
    /// Of a JSON reply: the schema's path under `validators/`.
    pub schema: Option<String>,
    pub settings: Settings,
}

/// Splits a template into front matter and the place in `text` where its body begins.
pub(super) fn parse(file: &str, text: &str) -> Result<(FrontMatter, usize), ConfigError> {
    let missing = || ConfigError::new(format!("`{file}` does not begin with front matter between `{FENCE}` lines"));
    let begin = text.find('\n').filter(|&end| text[..end].trim_end() == FENCE).ok_or_else(missing)? + 1;
    let mut end = begin;
    for line in text[begin..].split_inclusive('\n') {
        if line.trim_end() == FENCE {
            let front_matter = toml::from_str(&text[begin..end])
                .map_err(|error| ConfigError::new(format!("front matter of `{file}`:\n{error}")))?;
            return Ok((front_matter, end + line.len()));
        }
        end += line.len();
    }
    Err(missing())
}
