//! Prompt templates: `prompts/<stage>/<name>.jinja`, front matter between `+++` lines, then the
//! messages' texts below `=== system ===` and `=== user ===` lines.
//!
//! A template is Jinja and renders with no mercy: a variable that is absent, null or empty is an
//! error that names the template's file and line, the field and the row. Values are put in as they
//! are and are never templates themselves. Which model is asked, and what the reply means, is
//! decided elsewhere.

mod follow_up;
mod front_matter;
mod render;
mod schema;

#[cfg(test)]
mod tests;

use std::path::Path;

use anyhow::Result;
use minijinja::Environment;
use serde_json::Value;

pub use follow_up::follow_up;
use front_matter::FrontMatter;
pub use front_matter::{ReplyFormat, Settings};
pub use schema::ReplySchema;

use crate::{
    exit_code::ConfigError,
    ids,
    llm::{Message, Request, Role, Sampling},
};

/// A template that has been read and checked.
#[derive(Debug)]
pub struct Prompt {
    pub stage: String,
    /// The file's stem.
    pub name: String,
    pub version: u32,
    pub reply: ReplyFormat,
    /// Of a prompt that asks for JSON.
    pub schema: Option<ReplySchema>,
    pub settings: Settings,
    /// The file as messages name it: `prompts/<stage>/<name>.jinja`.
    file: String,
    front_matter: FrontMatter,
    text: String,
    parts: Vec<Role>,
    environment: Environment<'static>,
    sha256: String,
}

/// Names of a stage's prompts, sorted. `root` is the directory that holds `prompts/`.
///
/// # Errors
/// When the stage's directory cannot be read.
pub fn names(root: &Path, stage: &str) -> Result<Vec<String>, ConfigError> {
    let dir = root.join("prompts").join(stage);
    let entries = fs_err::read_dir(&dir).map_err(|error| ConfigError::new(error.to_string()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| ConfigError::new(error.to_string()))?.path();
        if path.extension().is_some_and(|extension| extension == "jinja") {
            names.extend(path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned));
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// Every prompt of a stage, in the order of their names.
///
/// # Errors
/// As [`Prompt::load`].
pub fn load_all(root: &Path, stage: &str) -> Result<Vec<Prompt>, ConfigError> {
    names(root, stage)?.iter().map(|name| Prompt::load(root, stage, name)).collect()
}

impl Prompt {
    /// Reads a template and its reply schema. `root` is the directory that holds `prompts/` and
    /// `validators/`.
    ///
    /// # Errors
    /// When a file is missing, or the front matter, the template or the schema is wrong.
    pub fn load(root: &Path, stage: &str, name: &str) -> Result<Self, ConfigError> {
        let file = format!("prompts/{stage}/{name}.jinja");
        let text = fs_err::read_to_string(root.join(&file))
            .map_err(|error| ConfigError::new(error.to_string()).hint(hint_of_names(root, stage)))?;
        let (front_matter, body) = front_matter::parse(&file, &text)?;
        if front_matter.name != name {
            return Err(ConfigError::new(format!("`{file}` calls itself `{}`", front_matter.name)));
        }
        let schema = load_schema(root, &file, &front_matter)?;
        let mut bytes = text.clone().into_bytes();
        bytes.extend(schema.iter().flat_map(ReplySchema::bytes));
        let sha256 = ids::sha256_hex(&bytes);
        let (environment, parts) = render::compile(&file, &text, body, &front_matter)?;
        Ok(Self {
            stage: stage.to_owned(),
            name: name.to_owned(),
            version: front_matter.version,
            reply: front_matter.reply,
            schema,
            settings: front_matter.settings.clone(),
            file,
            front_matter,
            text,
            parts,
            environment,
            sha256,
        })
    }

    /// The schema of a prompt that a stage reads JSON from.
    ///
    /// # Errors
    /// When the prompt does not ask for JSON.
    pub fn reply_schema(&self) -> Result<&ReplySchema, ConfigError> {
        self.schema
            .as_ref()
            .ok_or_else(|| ConfigError::new(format!("`{}` must ask for JSON: its stage reads fields", self.file)))
    }

    /// The messages for one row. `variables` is an object.
    ///
    /// # Errors
    /// When a variable is absent, null or empty, or one is given that the template does not declare.
    pub fn render(&self, row_id: &str, variables: &Value) -> Result<Vec<Message>, ConfigError> {
        render::render(self, row_id, variables)
    }

    /// A request for one row, with the prompt's own settings.
    ///
    /// # Errors
    /// As [`Prompt::render`].
    pub fn request(
        &self,
        row_id: &str,
        variables: &Value,
        model: &str,
        sample_idx: u32,
    ) -> Result<Request, ConfigError> {
        let Settings { temperature, top_p, max_tokens, top_k, seed, stop } = &self.settings;
        Ok(Request {
            stage: self.stage.clone(),
            prompt: self.name.clone(),
            prompt_version: self.version,
            row_id: row_id.to_owned(),
            model: model.to_owned(),
            messages: self.render(row_id, variables)?,
            sampling: Sampling {
                top_k: *top_k,
                seed: *seed,
                stop: stop.clone(),
                ..Sampling::of(*temperature, *top_p, *max_tokens)
            },
            reply_schema: self.schema.as_ref().map(|schema| schema.value().clone()),
            sample_idx,
        })
    }

    /// Of the template's bytes and its schema's: stands in receipts.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The file as messages and receipts name it.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }
}

/// A prompt has a schema exactly when it asks for JSON.
fn load_schema(root: &Path, file: &str, front_matter: &FrontMatter) -> Result<Option<ReplySchema>, ConfigError> {
    match (&front_matter.schema, front_matter.reply) {
        (Some(path), ReplyFormat::Json) => ReplySchema::load(root, path).map(Some),
        (None, ReplyFormat::Code | ReplyFormat::Text) => Ok(None),
        (None, ReplyFormat::Json) => Err(ConfigError::new(format!("`{file}` asks for JSON and names no `schema`"))),
        (Some(_), _) => Err(ConfigError::new(format!("`{file}` names a `schema`, but does not ask for JSON"))),
    }
}

fn hint_of_names(root: &Path, stage: &str) -> String {
    match names(root, stage) {
        Ok(names) => format!("prompts of `{stage}`: {}", names.join(", ")),
        Err(_) => format!("there is no directory `prompts/{stage}`"),
    }
}
