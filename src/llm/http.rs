//! Calls over HTTP, and the one translation from what can go wrong there to [`ProviderError`].
//!
//! The key lives here alone. It goes out in a header that is marked sensitive; every text that came
//! from outside loses it before it becomes a message.

use std::{env, fmt, sync::Once, time::Duration};

use reqwest::{
    Method, StatusCode,
    blocking::{Client, RequestBuilder, multipart::Form},
    header::{HeaderMap, HeaderValue},
};
use serde_json::Value;

use super::{ProviderError, clock};
use crate::{
    config::{ModelConfig, Provider},
    exit_code::{ConfigError, Unavailable},
};

/// Of connecting alone.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// Characters of a provider's message that are shown.
const MAX_MESSAGE: usize = 600;

/// Codes in a 429 that no waiting mends.
const FOR_GOOD: [&str; 3] = ["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"];

/// A secret that cannot be printed.
#[derive(Clone)]
struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

/// One API at one address.
#[derive(Debug)]
pub(super) struct Endpoint {
    client: Client,
    base_url: String,
    headers: HeaderMap,
    key: Option<Key>,
    key_variable: Option<String>,
}

/// A whole answer with a status of success.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) body: Vec<u8>,
    pub(super) request_id: Option<String>,
    pub(super) date: Option<String>,
}

/// What is sent.
pub(super) enum Payload {
    Nothing,
    Json(String),
    /// A file of JSON Lines for the batch API.
    Upload(Vec<u8>),
}

impl Endpoint {
    /// # Errors
    /// When the key is not in the environment.
    pub(super) fn new(name: &str, model: &ModelConfig) -> anyhow::Result<Self> {
        let key_variable = model.key_variable().map(str::to_owned);
        let key = key_variable.as_deref().map(|variable| read_key(name, variable)).transpose()?;
        let builder = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(Duration::from_secs(model.timeout_s))
            .pool_max_idle_per_host(model.concurrency)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("corebuild/", env!("CARGO_PKG_VERSION")));
        let builder = if model.is_loopback() { builder.no_proxy() } else { builder };
        install_tls();
        let client = builder.build().map_err(|error| Unavailable::new(format!("no HTTP client: {}", chain(&error))))?;
        let headers = headers(model.provider, key.as_ref())
            .map_err(|_| ConfigError::new(format!("the key of model `{name}` holds characters that no header may")))?;
        Ok(Self { client, base_url: model.base_url().to_owned(), headers, key, key_variable })
    }

    /// One call; the answer's whole body.
    pub(super) fn call(&self, method: Method, path: &str, payload: Payload) -> Result<Answered, ProviderError> {
        let request = self.client.request(method, self.url(path)).headers(self.headers.clone());
        let request = match payload {
            Payload::Nothing => request,
            Payload::Json(body) => request.header("content-type", "application/json").body(body),
            Payload::Upload(bytes) => upload(request, bytes),
        };
        let response = request.send().map_err(|error| self.lost(&error))?;
        let status = response.status();
        let header = |names: &[&str]| {
            names.iter().find_map(|name| Some(response.headers().get(*name)?.to_str().ok()?.to_owned()))
        };
        let (request_id, date) = (header(&["x-request-id", "request-id"]), header(&["date"]));
        let retry_after = header(&["retry-after-ms"])
            .and_then(|ms| Some(Duration::from_millis(ms.trim().parse().ok()?)))
            .or_else(|| header(&["retry-after"]).and_then(|after| clock::retry_after(&after)));
        let body = response.bytes().map_err(|error| self.lost(&error))?;
        if status.is_success() {
            return Ok(Answered { body: body.to_vec(), request_id, date });
        }
        Err(self.refused(status, &body, retry_after))
    }

    fn url(&self, path: &str) -> String {
        if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.base_url) }
    }

    /// No answer, or half of one.
    fn lost(&self, error: &reqwest::Error) -> ProviderError {
        let what = if error.is_timeout() { "the call timed out" } else { "the connection failed" };
        ProviderError::transient(self.without_key(&format!("{what}: {}", chain(error))), None)
    }

    fn refused(&self, status: StatusCode, body: &[u8], retry_after: Option<Duration>) -> ProviderError {
        let (code, text) = message(body);
        let message = self.without_key(&format!("HTTP {}: {text}", status.as_u16()));
        let never = FOR_GOOD.iter().any(|never| code.contains(never));
        match status.as_u16() {
            429 if never => ProviderError::Fatal { message, hint: Some("see the account's quota and billing".into()) },
            429 | 503 | 529 => ProviderError::Transient { message, retry_after, is_overload: true },
            408 | 409 | 425 | 500..=599 if status.as_u16() != 501 => {
                ProviderError::Transient { message, retry_after, is_overload: false }
            }
            _ => ProviderError::Fatal { message, hint: self.hint(status) },
        }
    }

    fn hint(&self, status: StatusCode) -> Option<String> {
        let hint = match (status.as_u16(), &self.key_variable) {
            (401 | 403, Some(variable)) => {
                format!("is the key in {variable} the right one, and may it use this model?")
            }
            (401 | 403, None) => "the server wants a key: name its variable as `api_key_env` under [models]".to_owned(),
            (404, _) => "see `model` and `base_url` under [models] in `pipeline.toml`".to_owned(),
            (402, _) => "see the account's billing".to_owned(),
            (400 | 413 | 422, _) => {
                "see `sampling`, `structured_output` and `model` under [models]; a setting that the \
                                     model does not take can be left out with `sampling.omit`"
                    .to_owned()
            }
            _ => return None,
        };
        Some(hint)
    }

    /// `text` without the key, should a server have echoed it.
    pub(super) fn without_key(&self, text: &str) -> String {
        match &self.key {
            Some(Key(key)) if !key.is_empty() => text.replace(key.as_str(), "[key]"),
            _ => text.to_owned(),
        }
    }
}

/// Whether the model's key is in the environment, if it needs one.
pub(super) fn check_key(name: &str, model: &ModelConfig) -> Result<(), Unavailable> {
    model.key_variable().map_or(Ok(()), |variable| read_key(name, variable).map(|_| ()))
}

fn read_key(name: &str, variable: &str) -> Result<Key, Unavailable> {
    match env::var(variable) {
        Ok(key) if !key.trim().is_empty() => Ok(Key(key.trim().to_owned())),
        _ => Err(Unavailable::new(format!("model `{name}` needs a key: {variable} is not set in the environment"))
            .hint(format!("export {variable}=…, or give the model `mode = \"replay\"` and `recordings`"))),
    }
}

fn headers(provider: Provider, key: Option<&Key>) -> Result<HeaderMap, reqwest::header::InvalidHeaderValue> {
    let mut headers = HeaderMap::new();
    if provider == Provider::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    if let Some(Key(key)) = key {
        let (name, value) = match provider {
            Provider::Anthropic => ("x-api-key", key.clone()),
            Provider::Gemini => ("x-goog-api-key", key.clone()),
            Provider::OpenAi | Provider::Replay => ("authorization", format!("Bearer {key}")),
        };
        let mut value = HeaderValue::from_str(&value)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn install_tls() {
    static PROVIDER: Once = Once::new();
    // Another part of the program may have been first: any provider will do.
    PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
}

fn upload(request: RequestBuilder, bytes: Vec<u8>) -> RequestBuilder {
    let part = reqwest::blocking::multipart::Part::bytes(bytes).file_name("requests.jsonl");
    request.multipart(Form::new().text("purpose", "batch").part("file", part))
}

/// The code and the text of an error as the three APIs write it; the beginning of the body otherwise.
pub(super) fn message(body: &[u8]) -> (String, String) {
    let value: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
    let error = match &value {
        Value::Array(list) => list.first().map_or(&Value::Null, |first| &first["error"]),
        other => &other["error"],
    };
    let code = ["code", "type", "status"].map(|name| error[name].as_str().unwrap_or_default()).join(" ");
    let text = error["message"].as_str().or(error.as_str()).or(value["message"].as_str()).or(value["detail"].as_str());
    let text = text.map_or_else(|| String::from_utf8_lossy(body).into_owned(), str::to_owned);
    (code, text.trim().chars().take(MAX_MESSAGE).collect())
}

/// An error and its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
