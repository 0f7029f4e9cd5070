//! The JSON Schema of a reply, compiled once.

use std::path::Path;

use serde_json::Value;

use crate::exit_code::ConfigError;

/// A schema under `validators/` that is ready to validate.
#[derive(Debug)]
pub struct ReplySchema {
    text: String,
    value: Value,
    validator: jsonschema::Validator,
}

impl ReplySchema {
    /// Reads `<root>/validators/<path>`.
    ///
    /// # Errors
    /// When the file cannot be read or is not a JSON Schema.
    pub fn load(root: &Path, path: &str) -> Result<Self, ConfigError> {
        let file = root.join("validators").join(path);
        let text = fs_err::read_to_string(&file).map_err(|error| ConfigError::new(error.to_string()))?;
        Self::parse(text).map_err(|error| ConfigError::new(format!("`validators/{path}`: {}", error.message)))
    }

    /// From text at hand.
    ///
    /// # Errors
    /// When the text is not a JSON Schema.
    pub fn parse(text: String) -> Result<Self, ConfigError> {
        let value: Value = serde_json::from_str(&text).map_err(|error| ConfigError::new(error.to_string()))?;
        let validator = jsonschema::validator_for(&value).map_err(|error| ConfigError::new(error.to_string()))?;
        Ok(Self { text, value, validator })
    }

    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The file's bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// The first fault of a value, with its place; `None` where it fits.
    #[must_use]
    pub fn fault(&self, value: &Value) -> Option<String> {
        let error = self.validator.iter_errors(value).next()?;
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { "/" } else { &place };
        Some(format!("at `{place}`: {}", error.masked_with("the value")))
    }
}
