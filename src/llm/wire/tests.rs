//! What goes out and what is read, in all three formats.

use FinishReason::{Length, Other, Refusal, Stop};
use serde_json::json;

use super::*;
use crate::llm::{Message, request::tests::request};

fn wire(toml: &str) -> Wire {
    Wire::of("m", &toml::from_str(toml).expect("a model")).expect("no replay")
}

fn asked() -> Request {
    let mut request = request("a");
    request.messages.insert(0, Message { role: Role::System, content: "be brief".to_owned() });
    request.sampling.top_k = Some(40);
    request.sampling.seed = Some(7);
    request.sampling.stop = vec!["END".to_owned()];
    request.sampling.reasoning_effort = Some("low".to_owned());
    request.sample_idx = 2;
    request.reply_schema = Some(json!({"$schema": "x", "title": "t", "type": "object", "required": ["title"],
        "properties": {"title": {"type": "string", "minLength": 1}}, "additionalProperties": false}));
    request
}

#[test]
fn openai_request_is_canonical_and_complete() {
    let wire = wire("provider = \"openai\"\nmodel = \"gpt\"\nbase_url = \"http://127.0.0.1:1/v1\"");
    assert_eq!(
        wire.body(&asked(), StructuredOutput::JsonSchema),
        concat!(
            r#"{"max_tokens":100,"messages":[{"content":"be brief","role":"system"},{"content":"rewrite a","role":"user"}],"#,
            r#""model":"gpt","reasoning_effort":"low","response_format":{"json_schema":{"name":"reply","schema":"#,
            r#"{"additionalProperties":false,"properties":{"title":{"type":"string"}},"required":["title"],"type":"object"},"#,
            r#""strict":true},"type":"json_schema"},"seed":9,"stop":["END"],"temperature":0.7,"top_k":40,"top_p":0.95}"#
        )
    );
    let object = wire.body_value(&asked(), StructuredOutput::JsonObject);
    assert_eq!(object["response_format"], json!({"type": "json_object"}));
    assert!(wire.body_value(&asked(), StructuredOutput::None)["response_format"].is_null());
    assert!(wire.body_value(&request("a"), StructuredOutput::JsonSchema)["response_format"].is_null(), "no schema");
    assert_eq!(
        self::wire("provider = \"openai\"").body_value(&asked(), StructuredOutput::None)["max_completion_tokens"],
        100
    );
}

#[test]
fn anthropic_and_gemini_put_the_system_prompt_apart() {
    let anthropic = wire("provider = \"anthropic\"").body_value(&asked(), StructuredOutput::JsonSchema);
    assert_eq!(anthropic["system"], "be brief");
    assert_eq!(anthropic["messages"], json!([{"role": "user", "content": "rewrite a"}]));
    assert_eq!(anthropic["stop_sequences"], json!(["END"]));
    assert_eq!(anthropic["output_config"]["effort"], "low");
    assert_eq!(anthropic["output_config"]["format"]["type"], "json_schema");
    let gemini = wire("provider = \"gemini\"").body_value(&asked(), StructuredOutput::JsonSchema);
    assert_eq!(gemini["systemInstruction"]["parts"][0]["text"], "be brief");
    assert_eq!(gemini["contents"], json!([{"role": "user", "parts": [{"text": "rewrite a"}]}]));
    let config = &gemini["generationConfig"];
    assert_eq!((&config["seed"], &config["topK"], &config["maxOutputTokens"]), (&json!(9), &json!(40), &json!(100)));
    assert_eq!(config["responseJsonSchema"]["properties"]["title"], json!({"type": "string"}));
    assert_eq!(wire("provider = \"gemini\"").path(), "/models/m:generateContent");
}

fn read(toml: &str, value: &Value) -> Answer {
    wire(toml).read(value.to_string().as_bytes()).expect("an answer")
}

#[test]
fn finish_reasons_and_tokens_of_all_three_are_read() {
    let openai = |finish: &str| {
        json!({"id": "c1", "model": "gpt-1", "choices": [{"message": {"content": "hi"}, "finish_reason": finish}],
               "usage": {"prompt_tokens": 9, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4},
                         "completion_tokens_details": {"reasoning_tokens": 3}}})
    };
    let anthropic = |finish: &str| {
        json!({"id": "c1", "model": "gpt-1", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hi"}],
               "stop_reason": finish, "usage": {"input_tokens": 3, "cache_creation_input_tokens": 2,
               "cache_read_input_tokens": 4, "output_tokens": 5, "output_tokens_details": {"thinking_tokens": 3}}})
    };
    let gemini = |finish: &str| {
        json!({"responseId": "c1", "modelVersion": "gpt-1", "candidates": [{"finishReason": finish,
               "content": {"parts": [{"text": "hm", "thought": true}, {"text": "hi"}]}}],
               "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 3,
               "cachedContentTokenCount": 4}})
    };
    let usage = Usage { input_tokens: 9, output_tokens: 5, cached_tokens: 4, reasoning_tokens: 3 };
    let expected = |finish_reason| Answer {
        text: "hi".to_owned(),
        finish_reason,
        usage,
        model_version: "gpt-1".to_owned(),
        id: "c1".to_owned(),
    };
    for (name, finish) in [("stop", Stop), ("length", Length), ("content_filter", Refusal), ("tool_calls", Other)] {
        assert_eq!(read("provider = \"openai\"", &openai(name)), expected(finish));
    }
    for (name, finish) in [("end_turn", Stop), ("max_tokens", Length), ("refusal", Refusal), ("tool_use", Other)] {
        assert_eq!(read("provider = \"anthropic\"", &anthropic(name)), expected(finish));
    }
    for (name, finish) in [("STOP", Stop), ("MAX_TOKENS", Length), ("SAFETY", Refusal), ("MALFORMED", Other)] {
        assert_eq!(read("provider = \"gemini\"", &gemini(name)), expected(finish));
    }
}

#[test]
fn refusals_in_their_own_fields_are_refusals() {
    let said = json!({"choices": [{"message": {"content": null, "refusal": "I cannot"}, "finish_reason": "stop"}]});
    let answer = read("provider = \"openai\"", &said);
    assert_eq!((answer.finish_reason, answer.text.as_str()), (FinishReason::Refusal, "I cannot"));
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY"}});
    assert_eq!(read("provider = \"gemini\"", &blocked).finish_reason, FinishReason::Refusal);
}

#[test]
fn what_is_not_of_the_apis_form_is_no_answer() {
    for body in [
        "",
        "<html>busy</html>",
        "{}",
        r#"{"choices": []}"#,
        r#"{"choices": [{"message": {}}]}"#,
        r#"{"error": {"message": "no"}}"#,
    ] {
        for provider in ["openai", "anthropic", "gemini"] {
            assert!(wire(&format!("provider = \"{provider}\"")).read(body.as_bytes()).is_err(), "{provider}: {body}");
        }
    }
}
