//! A model behind an API: one call a request.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

use anyhow::Result;
use reqwest::Method;

use super::{
    Call, Provider, ProviderError, Reply, Request,
    batch::Jobs,
    clock,
    http::{Answered, Endpoint, Payload},
    lane::Traffic,
    spending::Budget,
    wire::{Answer, Carriage, Wire},
};
use crate::config::{Mode, ModelConfig, StructuredOutput};

#[derive(Debug)]
pub(super) struct Live {
    endpoint: Arc<Endpoint>,
    wire: Wire,
    traffic: Traffic,
    wanted: StructuredOutput,
    /// The form that the server takes, by schema; found by asking.
    forms: Mutex<HashMap<String, StructuredOutput>>,
    jobs: Option<Jobs>,
}

impl Live {
    /// # Errors
    /// When the key is not there.
    pub(super) fn new(name: &str, model: &ModelConfig, wire: Wire, budget: Option<Arc<Budget>>) -> Result<Self> {
        let endpoint = Arc::new(Endpoint::new(name, model)?);
        let jobs = (model.mode() == Mode::Batch).then(|| Jobs::new(Arc::clone(&endpoint), wire.clone(), model));
        Ok(Self {
            endpoint,
            wire,
            traffic: Traffic::of(model, budget),
            wanted: model.structured_output,
            forms: Mutex::new(HashMap::new()),
            jobs,
        })
    }

    fn call(&self, request: &Request, form: StructuredOutput) -> Result<Reply, ProviderError> {
        let body = Payload::Json(self.wire.body(request, form));
        let call = Call { structured_output: request.reply_schema.is_some().then_some(form), batch: false };
        match self.endpoint.call(Method::POST, &self.wire.path(), body) {
            Ok(answered) => self.read(request, answered, call),
            Err(ProviderError::Fatal { message, .. }) if Wire::is_refusal(&message) => {
                let carriage = Carriage { received_at: clock::received_at(None), call, ..Carriage::default() };
                Ok(Answer::refusal(&message, &request.model).into_reply(request, carriage))
            }
            Err(error) => Err(error),
        }
    }

    fn read(&self, request: &Request, answered: Answered, call: Call) -> Result<Reply, ProviderError> {
        let answer = self
            .wire
            .read(&answered.body)
            .map_err(|fault| ProviderError::transient(self.endpoint.without_key(&fault), None))?;
        let received_at = clock::received_at(answered.date.as_deref());
        Ok(answer.into_reply(request, Carriage { request_id: answered.request_id, received_at, call }))
    }

    fn forms(&self) -> MutexGuard<'_, HashMap<String, StructuredOutput>> {
        self.forms.lock().expect("no thread panics while it holds the forms")
    }

    /// Asks with ever weaker forms until the server takes one. Others with the same question wait, so
    /// that the server is probed once.
    fn probe(&self, request: &Request, schema: String) -> Result<Reply, ProviderError> {
        let mut forms = self.forms();
        let mut form = forms.get(&schema).copied().unwrap_or(self.wanted);
        loop {
            match self.call(request, form) {
                Err(ProviderError::Fatal { message, .. })
                    if form != StructuredOutput::None && Wire::is_about_structure(&message) =>
                {
                    form = weaker(form);
                }
                Ok(reply) => {
                    forms.insert(schema, form);
                    return Ok(reply);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn weaker(form: StructuredOutput) -> StructuredOutput {
    match form {
        StructuredOutput::JsonSchema => StructuredOutput::JsonObject,
        StructuredOutput::JsonObject | StructuredOutput::None => StructuredOutput::None,
    }
}

impl Provider for Live {
    fn complete(&self, request: &Request) -> Result<Reply, ProviderError> {
        let Some(schema) = &request.reply_schema else { return self.call(request, StructuredOutput::None) };
        if self.wanted == StructuredOutput::None {
            return self.call(request, StructuredOutput::None);
        }
        let schema = schema.to_string();
        let known = self.forms().get(&schema).copied();
        match known {
            Some(form) => self.call(request, form),
            None => self.probe(request, schema),
        }
    }

    fn traffic(&self) -> Traffic {
        self.traffic.clone()
    }

    fn batches(&self) -> Option<&Jobs> {
        self.jobs.as_ref()
    }
}
