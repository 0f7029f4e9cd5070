//! The batch APIs of `OpenAI` and Anthropic: five calls each.

use std::{sync::Arc, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    config::{ModelConfig, StructuredOutput},
    llm::{
        ProviderError, Request,
        http::{self, Endpoint, Payload},
        request::canonical,
        wire::{Answer, Wire},
    },
};

/// What either API takes in one batch.
const MAX_REQUESTS: usize = 50_000;

/// Batches looked through for one whose id was lost.
const N_LISTED: u32 = 100;

/// Where batches of one model go.
#[derive(Debug)]
pub struct Jobs {
    endpoint: Arc<Endpoint>,
    wire: Wire,
    form: StructuredOutput,
    poll_every: Duration,
    max_requests: usize,
}

pub(super) enum State {
    Running,
    /// There are results, be it for all rows or for some.
    Ended,
    Failed(String),
}

/// One line of the results.
pub(super) struct Row {
    pub(super) key: String,
    pub(super) request_id: Option<String>,
    pub(super) outcome: Result<Answer, Fault>,
}

/// Why a row has no answer.
pub(super) struct Fault {
    pub(super) message: String,
    /// Whether handing it over again may help.
    pub(super) heals: bool,
}

impl Jobs {
    pub(in crate::llm) fn new(endpoint: Arc<Endpoint>, wire: Wire, model: &ModelConfig) -> Self {
        Self {
            endpoint,
            wire,
            form: model.structured_output,
            poll_every: Duration::from_secs(model.batch_poll_s).max(Duration::from_millis(20)),
            max_requests: model.batch_size.min(MAX_REQUESTS),
        }
    }

    pub(super) fn poll_every(&self) -> Duration {
        self.poll_every
    }

    pub(super) fn max_requests(&self) -> usize {
        self.max_requests
    }

    /// In which JSON is asked for.
    pub(super) fn form(&self, request: &Request) -> Option<StructuredOutput> {
        request.reply_schema.as_ref().map(|_| self.form)
    }

    /// Hands requests over; the provider's id of the batch.
    pub(super) fn submit(&self, name: &str, requests: &[(String, &Request)]) -> Result<String, ProviderError> {
        if self.wire.is_anthropic() {
            let rows: Vec<Value> = requests
                .iter()
                .map(|(key, request)| json!({"custom_id": key, "params": self.wire.body_value(request, self.form)}))
                .collect();
            return id_of(&self.post("/messages/batches", &json!({"requests": rows}))?);
        }
        let lines: Vec<String> = requests
            .iter()
            .map(|(key, request)| {
                let body = self.wire.body_value(request, self.form);
                canonical(&json!({"custom_id": key, "method": "POST", "url": "/v1/chat/completions", "body": body}))
            })
            .collect();
        let upload = Payload::Upload((lines.join("\n") + "\n").into_bytes());
        let file = id_of(&self.json(Method::POST, "/files", upload)?)?;
        id_of(&self.post(
            "/batches",
            &json!({"input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h",
                    "metadata": {"corebuild": name}}),
        )?)
    }

    /// The id of a batch that was sent and whose id was never read. `OpenAI` keeps our name of it;
    /// of Anthropic's the first is taken that is as large and not older. A wrong one does no harm:
    /// its rows have other keys.
    pub(super) fn find(&self, name: &str, n_requests: usize, since: u64) -> Result<Option<String>, ProviderError> {
        let base = if self.wire.is_anthropic() { "/messages/batches" } else { "/batches" };
        let list = self.json(Method::GET, &format!("{base}?limit={N_LISTED}"), Payload::Nothing)?;
        let batches = list["data"].as_array().map_or(&[][..], Vec::as_slice);
        let is_it = |batch: &&Value| {
            if self.wire.is_anthropic() {
                let counts = batch["request_counts"].as_object();
                let n: u64 = counts.into_iter().flatten().filter_map(|(_, n)| n.as_u64()).sum();
                let created = batch["created_at"].as_str().unwrap_or_default();
                n == n_requests as u64 && created >= super::super::clock::iso(since).trim_end_matches('Z')
            } else {
                batch["metadata"]["corebuild"] == *name
            }
        };
        Ok(batches.iter().find(is_it).and_then(|batch| batch["id"].as_str()).map(str::to_owned))
    }

    pub(super) fn state(&self, id: &str) -> Result<State, ProviderError> {
        if self.wire.is_anthropic() {
            let batch = self.json(Method::GET, &format!("/messages/batches/{id}"), Payload::Nothing)?;
            return Ok(if batch["processing_status"] == "ended" { State::Ended } else { State::Running });
        }
        let batch = self.json(Method::GET, &format!("/batches/{id}"), Payload::Nothing)?;
        Ok(match batch["status"].as_str() {
            Some("completed" | "expired" | "cancelled") => State::Ended,
            Some("failed") => {
                let why = batch["errors"]["data"][0]["message"].as_str().unwrap_or("the provider says no more");
                State::Failed(self.endpoint.without_key(why))
            }
            _ => State::Running,
        })
    }

    /// All results, in no order that means anything.
    pub(super) fn rows(&self, id: &str) -> Result<Vec<Row>, ProviderError> {
        if self.wire.is_anthropic() {
            return self.lines(&format!("/messages/batches/{id}/results"), Self::anthropic_row);
        }
        let batch = self.json(Method::GET, &format!("/batches/{id}"), Payload::Nothing)?;
        let mut rows = Vec::new();
        for file in ["output_file_id", "error_file_id"] {
            if let Some(file) = batch[file].as_str() {
                rows.extend(self.lines(&format!("/files/{file}/content"), Self::openai_row)?);
            }
        }
        Ok(rows)
    }

    fn openai_row(&self, line: &Value) -> Row {
        let response = &line["response"];
        let status = response["status_code"].as_u64();
        let outcome = match status {
            Some(200) => self.answer(&response["body"]),
            Some(status) => self.fault(&response["body"], status),
            None => {
                let code = line["error"]["code"].as_str().unwrap_or_default();
                let heals = matches!(code, "batch_expired" | "batch_cancelled" | "server_error" | "");
                let text = line["error"]["message"].as_str().unwrap_or("no result and no error");
                Err(Fault { message: self.endpoint.without_key(&format!("{code}: {text}")), heals })
            }
        };
        Row { key: key(line), request_id: response["request_id"].as_str().map(str::to_owned), outcome }
    }

    fn anthropic_row(&self, line: &Value) -> Row {
        let result = &line["result"];
        let outcome = match result["type"].as_str() {
            Some("succeeded") => self.answer(&result["message"]),
            Some("errored") => {
                let (code, text) = http::message(result["error"].to_string().as_bytes());
                let heals = !["invalid_request", "authentication", "permission", "not_found", "billing"]
                    .iter()
                    .any(|sign| code.contains(sign));
                Err(Fault { message: self.endpoint.without_key(&format!("{}: {text}", code.trim())), heals })
            }
            other => Err(Fault { message: format!("the row is {}", other.unwrap_or("without a result")), heals: true }),
        };
        Row { key: key(line), request_id: None, outcome }
    }

    fn answer(&self, body: &Value) -> Result<Answer, Fault> {
        self.wire.read_value(body).map_err(|fault| Fault { message: self.endpoint.without_key(&fault), heals: true })
    }

    fn fault(&self, body: &Value, status: u64) -> Result<Answer, Fault> {
        let (_, text) = http::message(body.to_string().as_bytes());
        let message = self.endpoint.without_key(&format!("HTTP {status}: {text}"));
        if Wire::is_refusal(&message) {
            return Ok(Answer::refusal(&message, ""));
        }
        Err(Fault { message, heals: matches!(status, 408 | 409 | 429 | 500..=599) })
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, ProviderError> {
        self.json(Method::POST, path, Payload::Json(canonical(body)))
    }

    fn json(&self, method: Method, path: &str, payload: Payload) -> Result<Value, ProviderError> {
        let answered = self.endpoint.call(method, path, payload)?;
        serde_json::from_slice(&answered.body).map_err(|error| {
            ProviderError::transient(format!("`{path}` answered something else than JSON: {error}"), None)
        })
    }

    fn lines(&self, path: &str, read: impl Fn(&Self, &Value) -> Row) -> Result<Vec<Row>, ProviderError> {
        let answered = self.endpoint.call(Method::GET, path, Payload::Nothing)?;
        let mut rows = Vec::new();
        for line in answered.body.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
            // A broken line names no request: its row counts as missing.
            if let Ok(value) = serde_json::from_slice::<Value>(line) {
                rows.push(read(self, &value));
            }
        }
        Ok(rows)
    }
}

fn key(line: &Value) -> String {
    line["custom_id"].as_str().unwrap_or_default().to_owned()
}

fn id_of(value: &Value) -> Result<String, ProviderError> {
    let id = value["id"].as_str().map(str::to_owned);
    id.ok_or_else(|| ProviderError::transient("the answer holds no id", None))
}
