//! Gemini's `generateContent`.

use serde_json::{Map, Value, json};

use super::{Answer, number, strict_schema, system, text};
use crate::{
    config::StructuredOutput,
    llm::{FinishReason, Request, Role, Usage},
};

const FORBIDDEN: [&str; 3] = ["$schema", "minLength", "maxLength"];

pub(super) fn body(request: &Request, structured: StructuredOutput) -> Value {
    let contents: Vec<Value> = request
        .messages
        .iter()
        .filter(|message| message.role != Role::System)
        .map(|message| {
            let role = if message.role == Role::Assistant { "model" } else { "user" };
            json!({"role": role, "parts": [{"text": message.content}]})
        })
        .collect();
    let mut body = Map::new();
    body.insert("contents".to_owned(), json!(contents));
    body.insert("generationConfig".to_owned(), generation_config(request, structured));
    if let Some(system) = system(request) {
        body.insert("systemInstruction".to_owned(), json!({"parts": [{"text": system}]}));
    }
    Value::Object(body)
}

fn generation_config(request: &Request, structured: StructuredOutput) -> Value {
    let sampling = &request.sampling;
    let mut config = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            config.insert(name.to_owned(), value);
        }
    };
    set("maxOutputTokens", Some(json!(sampling.max_tokens)));
    set("temperature", sampling.temperature.map(Value::from));
    set("topP", sampling.top_p.map(Value::from));
    set("topK", sampling.top_k.map(Value::from));
    set("seed", sampling.seed_of(request.sample_idx).map(Value::from));
    set("stopSequences", (!sampling.stop.is_empty()).then(|| json!(sampling.stop)));
    let effort = sampling.reasoning_effort.as_deref();
    set("thinkingConfig", effort.map(|effort| json!({"thinkingLevel": effort})));
    let is_json = request.reply_schema.is_some() && structured != StructuredOutput::None;
    set("responseMimeType", is_json.then(|| json!("application/json")));
    let schema = request.reply_schema.as_ref().filter(|_| structured == StructuredOutput::JsonSchema);
    set("responseJsonSchema", schema.map(|schema| strict_schema(schema, &FORBIDDEN)));
    Value::Object(config)
}

pub(super) fn read(value: &Value) -> Option<Answer> {
    let usage = &value["usageMetadata"];
    let thoughts = number(&usage["thoughtsTokenCount"]);
    let (text_said, finish_reason) = said(value)?;
    Some(Answer {
        text: text_said,
        finish_reason,
        usage: Usage {
            input_tokens: number(&usage["promptTokenCount"]),
            output_tokens: number(&usage["candidatesTokenCount"]) + thoughts,
            cached_tokens: number(&usage["cachedContentTokenCount"]),
            reasoning_tokens: thoughts,
        },
        model_version: text(&value["modelVersion"]),
        id: text(&value["responseId"]),
    })
}

/// The answer's text without thoughts, and why it ends. A prompt that a filter stopped has no
/// candidate at all.
fn said(value: &Value) -> Option<(String, FinishReason)> {
    let Some(candidate) = value["candidates"].as_array().and_then(|candidates| candidates.first()) else {
        let reason = value["promptFeedback"]["blockReason"].as_str()?;
        return Some((format!("blocked: {reason}"), FinishReason::Refusal));
    };
    let finish_reason = match candidate["finishReason"].as_str()? {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => FinishReason::Refusal,
        _ => FinishReason::Other,
    };
    let parts = candidate["content"]["parts"].as_array().map_or(&[][..], Vec::as_slice);
    let said = parts.iter().filter(|part| part["thought"] != true).filter_map(|part| part["text"].as_str());
    Some((said.collect(), finish_reason))
}
