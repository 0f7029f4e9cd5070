//! Anthropic's Messages.

use serde_json::{Map, Value, json};

use super::{Answer, number, strict_schema, system, text};
use crate::{
    config::StructuredOutput,
    llm::{FinishReason, Request, Role, Usage},
};

/// Keywords that constrained decoding refuses.
const FORBIDDEN: [&str; 7] = ["$schema", "title", "minLength", "maxLength", "minItems", "maxItems", "pattern"];

pub(super) fn body(model: &str, request: &Request, structured: StructuredOutput) -> Value {
    let sampling = &request.sampling;
    let mut body = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    let messages: Vec<_> = request.messages.iter().filter(|message| message.role != Role::System).collect();
    set("model", Some(json!(model)));
    set("max_tokens", Some(json!(sampling.max_tokens)));
    set("messages", Some(json!(messages)));
    set("system", system(request).map(Value::from));
    set("temperature", sampling.temperature.map(|temperature| json!(temperature.min(1.0))));
    set("top_p", sampling.top_p.map(Value::from));
    set("top_k", sampling.top_k.map(Value::from));
    set("stop_sequences", (!sampling.stop.is_empty()).then(|| json!(sampling.stop)));
    set("output_config", output_config(request, structured));
    Value::Object(body)
}

/// There is no form between a schema and none.
fn output_config(request: &Request, structured: StructuredOutput) -> Option<Value> {
    let mut config = Map::new();
    if let Some(effort) = &request.sampling.reasoning_effort {
        config.insert("effort".to_owned(), json!(effort));
    }
    if let (Some(schema), StructuredOutput::JsonSchema) = (&request.reply_schema, structured) {
        let schema = strict_schema(schema, &FORBIDDEN);
        config.insert("format".to_owned(), json!({"type": "json_schema", "schema": schema}));
    }
    (!config.is_empty()).then_some(Value::Object(config))
}

pub(super) fn read(value: &Value) -> Option<Answer> {
    let blocks = value["content"].as_array()?;
    let said = blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str());
    let finish_reason = match value["stop_reason"].as_str()? {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "refusal" => FinishReason::Refusal,
        _ => FinishReason::Other,
    };
    let usage = &value["usage"];
    let cached = number(&usage["cache_read_input_tokens"]);
    Some(Answer {
        text: said.collect(),
        finish_reason,
        usage: Usage {
            // The API counts cached input apart.
            input_tokens: number(&usage["input_tokens"]) + number(&usage["cache_creation_input_tokens"]) + cached,
            output_tokens: number(&usage["output_tokens"]),
            cached_tokens: cached,
            reasoning_tokens: number(&usage["output_tokens_details"]["thinking_tokens"]),
        },
        model_version: text(&value["model"]),
        id: text(&value["id"]),
    })
}
