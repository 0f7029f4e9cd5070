//! What is asked of a model, and the key that stands for it.
//!
//! The key covers what can change the answer and nothing else: model, messages, sampling settings,
//! reply schema, row and sample. Not in it: `max_tokens` (a longer allowance only matters to replies
//! that were cut, see [`crate::llm::Reply::serves`]), the stage, the prompt's name and version (their
//! text is in the messages), and whatever only says how the call is made.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{config::ModelSampling, ids};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    System,
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    pub role: Role,
    pub content: String,
}

/// How the answer is drawn. What is absent is the model's own default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// The longest answer allowed. Not part of a request's key.
    pub max_tokens: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_k: Option<u32>,
    /// Of the first sample; sample n is drawn with seed + n.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Literal texts at which the answer ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
}

impl Sampling {
    /// The prompt's three settings, the others left to the model.
    #[must_use]
    pub fn of(temperature: Option<f64>, top_p: Option<f64>, max_tokens: u32) -> Self {
        Self { temperature, top_p, max_tokens, top_k: None, seed: None, stop: Vec::new(), reasoning_effort: None }
    }

    /// With the settings that `pipeline.toml` gives the model.
    #[must_use]
    pub fn with(&self, model: &ModelSampling) -> Self {
        let keep = |name: &str, value: Option<f64>| value.filter(|_| !model.omit.iter().any(|omit| omit == name));
        Self {
            temperature: keep("temperature", self.temperature),
            top_p: keep("top_p", self.top_p),
            max_tokens: model.max_tokens.unwrap_or(self.max_tokens),
            top_k: model.top_k.or(self.top_k),
            seed: model.seed.or(self.seed),
            stop: if model.stop.is_empty() { self.stop.clone() } else { model.stop.clone() },
            reasoning_effort: model.reasoning_effort.clone().or_else(|| self.reasoning_effort.clone()),
        }
    }

    /// The seed of one sample.
    #[must_use]
    pub fn seed_of(&self, sample_idx: u32) -> Option<u64> {
        self.seed.map(|seed| seed.wrapping_add(u64::from(sample_idx)))
    }

    /// As far as it can change the answer.
    fn key_part(&self) -> Value {
        let mut part = serde_json::to_value(self).expect("settings have a JSON form");
        part.as_object_mut().expect("settings are an object").remove("max_tokens");
        part
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    pub stage: String,
    /// The prompt's name under `prompts/<stage>/`.
    pub prompt: String,
    pub prompt_version: u32,
    /// The row that the answer is for.
    pub row_id: String,
    /// The model's name in `pipeline.toml`, whoever serves it.
    pub model: String,
    pub messages: Vec<Message>,
    pub sampling: Sampling,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_schema: Option<Value>,
    pub sample_idx: u32,
}

impl Request {
    /// Lower-case hex sha256 over the canonical JSON of what can change the answer.
    #[must_use]
    pub fn key(&self) -> String {
        ids::sha256_hex(canonical(&self.key_parts()).as_bytes())
    }

    /// What the key is made of, by name.
    #[must_use]
    pub fn key_parts(&self) -> Value {
        json!({
            "model": self.model,
            "messages": self.messages,
            "sampling": self.sampling.key_part(),
            "reply_schema": self.reply_schema,
            "row_id": self.row_id,
            "sample_idx": self.sample_idx,
        })
    }
}

/// JSON without blanks and with the keys of every object sorted as bytes.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| key.as_bytes());
            text.push('{');
            for (n, (key, value)) in entries.into_iter().enumerate() {
                text.push_str(if n == 0 { "" } else { "," });
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write_canonical(value, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                text.push_str(if n == 0 { "" } else { "," });
                write_canonical(item, text);
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A request like any other.
    pub(crate) fn request(row_id: &str) -> Request {
        Request {
            stage: "rewrite".to_owned(),
            prompt: "statement".to_owned(),
            prompt_version: 1,
            row_id: row_id.to_owned(),
            model: "demo-alpha".to_owned(),
            messages: vec![Message { role: Role::User, content: format!("rewrite {row_id}") }],
            sampling: Sampling::of(Some(0.7), Some(0.95), 100),
            reply_schema: None,
            sample_idx: 0,
        }
    }

    type Change = fn(&mut Request);

    #[test]
    fn key_changes_with_what_can_change_the_answer() {
        let edits: [Change; 11] = [
            |r| r.model.push('x'),
            |r| r.messages[0].content.push('x'),
            |r| r.messages[0].role = Role::System,
            |r| r.sampling.temperature = Some(0.8),
            |r| r.sampling.top_p = None,
            |r| r.sampling.top_k = Some(40),
            |r| r.sampling.seed = Some(1),
            |r| r.sampling.stop = vec!["END".to_owned()],
            |r| r.sampling.reasoning_effort = Some("low".to_owned()),
            |r| r.reply_schema = Some(json!({"type": "object"})),
            |r| r.sample_idx = 1,
        ];
        for edit in edits {
            let mut changed = request("a");
            edit(&mut changed);
            assert_ne!(changed.key(), request("a").key(), "{changed:?}");
        }
        assert_ne!(request("a").key(), request("b").key());
    }

    #[test]
    fn key_stays_when_the_answer_cannot_change() {
        let edits: [Change; 4] =
            [|r| r.sampling.max_tokens = 7, |r| r.stage.push('x'), |r| r.prompt.push('x'), |r| r.prompt_version += 1];
        for edit in edits {
            let mut changed = request("a");
            edit(&mut changed);
            assert_eq!(changed.key(), request("a").key(), "{changed:?}");
        }
    }

    #[test]
    fn key_does_not_hang_on_the_order_of_object_keys() {
        let (mut one, mut other) = (request("a"), request("a"));
        one.reply_schema = serde_json::from_str(r#"{"a": 1, "b": {"c": 2, "d": [1.0, null]}}"#).expect("JSON");
        other.reply_schema = serde_json::from_str(r#"{"b": {"d": [1.0, null], "c": 2}, "a": 1}"#).expect("JSON");
        assert_eq!(one.key(), other.key());
        let schema = other.reply_schema.expect("just set");
        assert_eq!(canonical(&schema), r#"{"a":1,"b":{"c":2,"d":[1.0,null]}}"#);
    }

    #[test]
    fn key_of_a_request_is_pinned_because_journals_outlive_programs() {
        assert_eq!(request("a").key(), request("a").key());
        assert_eq!(
            canonical(&request("a").key_parts()),
            concat!(
                r#"{"messages":[{"content":"rewrite a","role":"user"}],"model":"demo-alpha","reply_schema":null,"#,
                r#""row_id":"a","sample_idx":0,"sampling":{"temperature":0.7,"top_p":0.95}}"#
            )
        );
    }
}
