//! Chat completions, as `OpenAI` has them and as other servers speak them.

use serde_json::{Map, Value, json};

use super::{Answer, number, strict_schema, text};
use crate::{
    config::StructuredOutput,
    llm::{FinishReason, Request, Usage},
};

/// Keywords that strict decoding refuses.
const FORBIDDEN: [&str; 4] = ["$schema", "title", "minLength", "maxLength"];

pub(super) fn body(model: &str, is_own: bool, request: &Request, structured: StructuredOutput) -> Value {
    let sampling = &request.sampling;
    let mut body = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    // Models that think refuse the old name, most other servers know no other.
    let limit = if is_own { "max_completion_tokens" } else { "max_tokens" };
    set("model", Some(json!(model)));
    set("messages", Some(json!(request.messages)));
    set(limit, Some(json!(sampling.max_tokens)));
    set("temperature", sampling.temperature.map(Value::from));
    set("top_p", sampling.top_p.map(Value::from));
    set("top_k", sampling.top_k.map(Value::from));
    set("seed", sampling.seed_of(request.sample_idx).map(Value::from));
    set("stop", (!sampling.stop.is_empty()).then(|| json!(sampling.stop)));
    set("reasoning_effort", sampling.reasoning_effort.as_deref().map(Value::from));
    set("response_format", response_format(request, structured));
    Value::Object(body)
}

fn response_format(request: &Request, structured: StructuredOutput) -> Option<Value> {
    let schema = request.reply_schema.as_ref()?;
    match structured {
        StructuredOutput::None => None,
        StructuredOutput::JsonObject => Some(json!({"type": "json_object"})),
        StructuredOutput::JsonSchema => {
            let schema = strict_schema(schema, &FORBIDDEN);
            Some(json!({"type": "json_schema",
                        "json_schema": {"name": "reply", "strict": true, "schema": schema}}))
        }
    }
}

pub(super) fn read(value: &Value) -> Option<Answer> {
    let choice = value["choices"].as_array()?.first()?;
    let message = choice["message"].as_object()?;
    let field = |name: &str| message.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let refusal = field("refusal");
    let finish_reason = match (refusal, choice["finish_reason"].as_str()?) {
        (Some(_), _) | (_, "content_filter") => FinishReason::Refusal,
        (None, "stop") => FinishReason::Stop,
        (None, "length") => FinishReason::Length,
        _ => FinishReason::Other,
    };
    let usage = &value["usage"];
    Some(Answer {
        text: field("content").or(refusal).unwrap_or_default().to_owned(),
        finish_reason,
        usage: Usage {
            input_tokens: number(&usage["prompt_tokens"]),
            output_tokens: number(&usage["completion_tokens"]),
            cached_tokens: number(&usage["prompt_tokens_details"]["cached_tokens"]),
            reasoning_tokens: number(&usage["completion_tokens_details"]["reasoning_tokens"]),
        },
        model_version: text(&value["model"]),
        id: text(&value["id"]),
    })
}
