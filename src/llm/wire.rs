//! The three wire formats: a request's canonical bytes, and what an answer says.
//!
//! Pure functions; who carries the bytes is [`super::live`]'s and [`super::batch`]'s business.

mod anthropic;
mod gemini;
mod openai;

#[cfg(test)]
mod tests;

use serde_json::Value;

use super::{Call, FinishReason, Reply, Request, Role, Usage, request::canonical};
use crate::config::{ModelConfig, Provider, StructuredOutput};

/// How one model is spoken to.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    format: Format,
    /// The model as the API calls it.
    model: String,
    /// Whether the server is the provider's own, with its stricter rules.
    is_own: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    OpenAi,
    Anthropic,
    Gemini,
}

/// What an API answered, before it is known how it came.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) finish_reason: FinishReason,
    pub(super) usage: Usage,
    pub(super) model_version: String,
    pub(super) id: String,
}

/// What is known of a call beside its answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Carriage {
    pub(super) request_id: Option<String>,
    pub(super) received_at: String,
    pub(super) call: Call,
}

impl Wire {
    /// `None` where the model is only replayed.
    pub(super) fn of(name: &str, model: &ModelConfig) -> Option<Self> {
        let format = match model.provider {
            Provider::Replay => return None,
            Provider::OpenAi => Format::OpenAi,
            Provider::Anthropic => Format::Anthropic,
            Provider::Gemini => Format::Gemini,
        };
        let is_own = model.provider.defaults().is_some_and(|(url, _)| url == model.base_url());
        Some(Self { format, model: model.model.clone().unwrap_or_else(|| name.to_owned()), is_own })
    }

    /// The path of a call, below the base URL.
    pub(super) fn path(&self) -> String {
        match self.format {
            Format::OpenAi => "/chat/completions".to_owned(),
            Format::Anthropic => "/messages".to_owned(),
            Format::Gemini => format!("/models/{}:generateContent", self.model),
        }
    }

    pub(super) fn is_anthropic(&self) -> bool {
        self.format == Format::Anthropic
    }

    pub(super) fn body_value(&self, request: &Request, structured: StructuredOutput) -> Value {
        let structured = if request.reply_schema.is_some() { structured } else { StructuredOutput::None };
        match self.format {
            Format::OpenAi => openai::body(&self.model, self.is_own, request, structured),
            Format::Anthropic => anthropic::body(&self.model, request, structured),
            Format::Gemini => gemini::body(request, structured),
        }
    }

    /// The bytes of a call: the same request gives the same ones.
    pub(super) fn body(&self, request: &Request, structured: StructuredOutput) -> String {
        canonical(&self.body_value(request, structured))
    }

    /// What an answer's body says.
    ///
    /// # Errors
    /// When it is not of the API's form: then it is no answer.
    pub(super) fn read(&self, body: &[u8]) -> Result<Answer, String> {
        let value: Value = serde_json::from_slice(body).map_err(|error| format!("the answer is not JSON ({error})"))?;
        self.read_value(&value)
    }

    pub(super) fn read_value(&self, value: &Value) -> Result<Answer, String> {
        if value["error"].is_object() {
            let (_, text) = super::http::message(value.to_string().as_bytes());
            return Err(format!("the answer is an error: {text}"));
        }
        let answer = match self.format {
            Format::OpenAi => openai::read(value),
            Format::Anthropic => anthropic::read(value),
            Format::Gemini => gemini::read(value),
        };
        answer.ok_or_else(|| "the answer lacks the fields of its API".to_owned())
    }

    /// Whether an error of the API says that a filter stopped the request: an answer of its own kind.
    pub(super) fn is_refusal(message: &str) -> bool {
        let lower = message.to_lowercase();
        ["content_filter", "content filter", "content management policy", "content policy", "content_policy"]
            .iter()
            .any(|sign| lower.contains(sign))
    }

    /// Whether an error complains of the form in which JSON was asked for.
    pub(super) fn is_about_structure(message: &str) -> bool {
        let lower = message.to_lowercase();
        let signs = [
            "response_format",
            "json_schema",
            "json_object",
            "output_config",
            "responsejsonschema",
            "response_schema",
            "responsemimetype",
            "grammar",
            "schema",
            "structured",
        ];
        signs.iter().any(|sign| lower.contains(sign))
    }
}

impl Answer {
    /// A refusal that came as an error.
    pub(super) fn refusal(message: &str, model: &str) -> Self {
        Self {
            text: message.to_owned(),
            finish_reason: FinishReason::Refusal,
            usage: Usage::default(),
            model_version: model.to_owned(),
            id: String::new(),
        }
    }

    pub(super) fn into_reply(self, request: &Request, carriage: Carriage) -> Reply {
        Reply {
            request: request.clone(),
            text: self.text,
            finish_reason: self.finish_reason,
            usage: self.usage,
            model_version: self.model_version,
            request_id: carriage.request_id.unwrap_or(self.id),
            received_at: carriage.received_at,
            call: carriage.call,
        }
    }
}

/// The texts of all system messages in one, where the API has a field of its own for them.
fn system(request: &Request) -> Option<String> {
    let texts: Vec<&str> = request
        .messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(|message| message.content.as_str())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// The schema without what is only for readers and what strict decoders do not take. What is lost is
/// checked when the reply is read.
fn strict_schema(schema: &Value, forbidden: &[&str]) -> Value {
    match schema {
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .filter(|(name, _)| !forbidden.contains(&name.as_str()))
                .map(|(name, value)| {
                    // Below `properties` stand names of fields, not keywords.
                    let value = match (name.as_str(), value) {
                        ("properties" | "$defs", Value::Object(inner)) => Value::Object(
                            inner.iter().map(|(name, value)| (name.clone(), strict_schema(value, forbidden))).collect(),
                        ),
                        (_, value) => strict_schema(value, forbidden),
                    };
                    (name.clone(), value)
                })
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(|item| strict_schema(item, forbidden)).collect()),
        other => other.clone(),
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
