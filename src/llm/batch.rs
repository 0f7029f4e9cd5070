//! Requests handed over in batches: submitted, waited for, fetched, and matched by key.
//!
//! A request's key is its `custom_id`, so neither the order of the results nor what a provider adds,
//! drops or repeats can give a row another row's answer. What was handed over is in a ledger beside
//! the journal: a process that dies waits for the same batch when it is run again, and hands over
//! only what no batch holds. A batch is noted before it is sent; one whose id was lost with the
//! process is looked for at the provider first.

mod jobs;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Duration,
};

use anyhow::Result;
use serde::{Deserialize, Serialize};

pub use jobs::Jobs;
use jobs::{Fault, Row, State};

use super::{
    Answer, Call, Journal, Missing, ProviderError, Request, clock,
    lane::{Lane, check_same_request},
    spending::{self, Leave},
    wire::Carriage,
};
use crate::{exit_code::Unavailable, ids, keyed_log::KeyedLog};

/// Batches in a row for the same request, before it is given up for this run.
const MAX_ROUNDS: u32 = 3;

/// A batch as the ledger has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Noted {
    model: String,
    /// The requests in it.
    keys: Vec<String>,
    /// The provider's name of it; absent until it is known to have arrived.
    id: Option<String>,
    status: Status,
    noted_at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Status {
    Intended,
    Submitted,
    Done,
    /// It ended without a single answer.
    Failed,
    /// It never arrived.
    Lost,
}

/// The work of one model in batches.
pub(super) struct Batched<'l> {
    lane: &'l Lane<'l>,
    jobs: &'l Jobs,
    journal: &'l Journal,
    ledger: KeyedLog,
    model: String,
    /// Requests without an answer, by key, each with its place.
    missing: BTreeMap<String, (usize, &'l Request)>,
    faults: BTreeMap<String, String>,
    answers: Vec<(usize, Answer)>,
    done: &'l (dyn Fn() + Sync),
}

/// Whether to go on.
#[derive(PartialEq, Eq)]
enum Go {
    On,
    Interrupted,
}

/// The ledger's file.
fn ledger_path(dir: &Path, stage: &str) -> std::path::PathBuf {
    dir.join(format!("{stage}.batches.jsonl"))
}

impl<'l> Batched<'l> {
    /// # Errors
    /// When the ledger cannot be opened.
    pub(super) fn open(
        lane: &'l Lane<'l>,
        jobs: &'l Jobs,
        journal: &'l Journal,
        requests: &[(usize, &str, &'l Request)],
        done: &'l (dyn Fn() + Sync),
    ) -> Result<Self> {
        let ledger = KeyedLog::open(&ledger_path(journal.dir(), journal.stage()))?;
        let model = requests.first().map_or_else(String::new, |(_, _, request)| request.model.clone());
        let missing = requests.iter().map(|(place, key, request)| ((*key).to_owned(), (*place, *request))).collect();
        Ok(Self { lane, jobs, journal, ledger, model, missing, faults: BTreeMap::new(), answers: Vec::new(), done })
    }

    /// Everything that batches bring; places without an answer where the run was interrupted.
    ///
    /// # Errors
    /// When the provider refuses for good, or a batch brings no answer at all.
    pub(super) fn run(mut self) -> Result<Vec<(usize, Answer)>> {
        if self.resume()? == Go::Interrupted {
            return Ok(self.answers);
        }
        for _ in 0..MAX_ROUNDS {
            if self.missing.is_empty() || self.round()? == Go::Interrupted {
                return Ok(self.answers);
            }
            if self.lane.stop_reason().is_some() {
                return Ok(self.answers);
            }
        }
        for (key, (place, _)) in std::mem::take(&mut self.missing) {
            let detail = self.faults.remove(&key).unwrap_or_else(|| "no batch brought a result for it".to_owned());
            self.answer(place, Err(Missing { detail, heals: true }));
        }
        Ok(self.answers)
    }

    /// Waits for what an earlier process handed over.
    fn resume(&mut self) -> Result<Go> {
        for name in self.ledger.keys() {
            let Some(mut noted) = self.ledger.get::<Noted>(&name)? else { continue };
            let is_open = matches!(noted.status, Status::Intended | Status::Submitted);
            if noted.model != self.model || !is_open {
                continue;
            }
            if noted.id.is_none() {
                let found = self.patiently(|jobs| jobs.find(&name, noted.keys.len(), noted.noted_at))?;
                let Some(found) = found else { return Ok(Go::Interrupted) };
                noted.status = if found.is_some() { Status::Submitted } else { Status::Lost };
                noted.id = found;
                self.ledger.append(&name, &noted)?;
            }
            if noted.id.is_some() && self.collect(&name, noted)? == Go::Interrupted {
                return Ok(Go::Interrupted);
            }
        }
        Ok(Go::On)
    }

    /// Hands over all that is missing and waits for it.
    fn round(&mut self) -> Result<Go> {
        let mut left: Vec<(String, &'l Request)> =
            self.missing.iter().map(|(key, (_, request))| (key.clone(), *request)).collect();
        let mut open = Vec::new();
        while !left.is_empty() && self.lane.stop_reason().is_none() {
            let n = self.affordable(&left, !open.is_empty());
            if n == 0 {
                break;
            }
            let rest = left.split_off(n);
            let chunk = std::mem::replace(&mut left, rest);
            match self.submit(&chunk)? {
                Some(batch) => open.push(batch),
                None => return Ok(Go::Interrupted),
            }
        }
        for (name, noted) in open {
            if self.collect(&name, noted)? == Go::Interrupted {
                return Ok(Go::Interrupted);
            }
        }
        Ok(Go::On)
    }

    /// How many of the requests fit into one batch and into what may be spent.
    fn affordable(&self, requests: &[(String, &Request)], others_are_open: bool) -> usize {
        let most = requests.len().min(self.jobs.max_requests());
        let (Some(budget), Some(price)) = (&self.lane.traffic().budget, &self.lane.traffic().price) else {
            return most;
        };
        for (n, (_, request)) in requests[..most].iter().enumerate() {
            match budget.reserve(price.at_most(request, true)) {
                Leave::Granted => {}
                Leave::Wait | Leave::Never { .. } if n > 0 || others_are_open => return n,
                Leave::Wait => self.lane.stop(self.lane.over_budget(budget.spent())),
                Leave::Never { spent } => self.lane.stop(self.lane.over_budget(spent)),
            }
            if self.lane.stop_reason().is_some() {
                return n;
            }
        }
        most
    }

    /// `None` when interrupted meanwhile.
    fn submit(&mut self, chunk: &[(String, &Request)]) -> Result<Option<(String, Noted)>> {
        let keys: Vec<String> = chunk.iter().map(|(key, _)| key.clone()).collect();
        let name = self.fresh_name(&keys)?;
        let mut noted =
            Noted { model: self.model.clone(), keys, id: None, status: Status::Intended, noted_at: clock::now() };
        self.ledger.append(&name, &noted)?;
        let Some(id) = self.patiently(|jobs| jobs.submit(&name, chunk))? else { return Ok(None) };
        noted.id = Some(id);
        noted.status = Status::Submitted;
        self.ledger.append(&name, &noted)?;
        Ok(Some((name, noted)))
    }

    /// Of the requests in it, and of how often they were handed over before.
    fn fresh_name(&self, keys: &[String]) -> Result<String> {
        for n in 0_u32.. {
            let name = ids::sha256_hex(format!("{n}\n{}", keys.join("\n")).as_bytes());
            if self.ledger.get::<Noted>(&name)?.is_none() {
                return Ok(name);
            }
        }
        unreachable!("the ledger is finite")
    }

    /// Waits for a batch and journals what it brings.
    fn collect(&mut self, name: &str, mut noted: Noted) -> Result<Go> {
        let id = noted.id.clone().expect("only batches that arrived are waited for");
        loop {
            match self.patiently(|jobs| jobs.state(&id))? {
                None => return Ok(Go::Interrupted),
                Some(State::Running) => {}
                Some(State::Ended) => break,
                Some(State::Failed(why)) => return Err(self.failed(name, noted, &why)?.into()),
            }
            if !self.lane.pause(self.jobs.poll_every()) {
                return Ok(Go::Interrupted);
            }
        }
        let Some(rows) = self.patiently(|jobs| jobs.rows(&id))? else { return Ok(Go::Interrupted) };
        let n_answered = self.take(&noted, rows)?;
        self.journal.sync()?;
        let fault = noted.keys.iter().find_map(|key| self.faults.get(key));
        match fault.cloned() {
            Some(fault) if n_answered == 0 && !self.is_any_healing(&noted) => {
                Err(self.failed(name, noted, &format!("all its rows failed, the first with: {fault}"))?.into())
            }
            _ => {
                noted.status = Status::Done;
                self.ledger.append(name, &noted)?;
                Ok(Go::On)
            }
        }
    }

    fn is_any_healing(&self, noted: &Noted) -> bool {
        noted.keys.iter().any(|key| self.missing.contains_key(key))
    }

    fn failed(&self, name: &str, mut noted: Noted, why: &str) -> Result<Unavailable> {
        noted.status = Status::Failed;
        self.ledger.append(name, &noted)?;
        let id = noted.id.unwrap_or_default();
        Ok(Unavailable::new(format!("batch `{id}` of model `{}` failed: {why}", self.model))
            .hint("mend what it complains of, then run the same command: a new batch is made"))
    }

    /// Rows of one batch; the number of those that brought an answer. Results for requests that are
    /// not (or no longer) missing are noted and left.
    fn take(&mut self, noted: &Noted, rows: Vec<Row>) -> Result<usize> {
        let mut seen = BTreeSet::new();
        let mut n_answered = 0;
        for Row { key, outcome, request_id } in rows {
            if !seen.insert(key.clone()) {
                self.journal.append_note(&key, &self.model, "a batch brought a second result for the request")?;
                continue;
            }
            n_answered += usize::from(outcome.is_ok());
            let Some((place, request)) = self.missing.get(&key).copied() else {
                if !noted.keys.contains(&key) {
                    self.journal.append_note(&key, &self.model, "a batch brought a result that nobody asked for")?;
                }
                continue;
            };
            match outcome {
                Ok(answer) => {
                    let call = Call { structured_output: self.jobs.form(request), batch: true };
                    let carriage = Carriage { request_id, received_at: clock::received_at(None), call };
                    let reply = answer.into_reply(request, carriage);
                    check_same_request(&key, request, &reply)?;
                    self.journal.append(&key, &reply)?;
                    self.settle(request, spending::cost(self.lane.traffic().price.as_ref(), &reply));
                    self.missing.remove(&key);
                    self.answer(place, Ok(reply));
                }
                Err(Fault { message, heals }) => {
                    self.journal.append_failure(&key, request, &message)?;
                    self.settle(request, 0.0);
                    self.faults.insert(key.clone(), message.clone());
                    if !heals {
                        self.missing.remove(&key);
                        self.answer(place, Err(Missing { detail: message, heals: false }));
                    }
                }
            }
        }
        for key in noted.keys.iter().filter(|key| !seen.contains(*key)) {
            if let Some((_, request)) = self.missing.get(key) {
                self.settle(request, 0.0);
            }
        }
        Ok(n_answered)
    }

    fn settle(&self, request: &Request, spent: f64) {
        if let (Some(budget), Some(price)) = (&self.lane.traffic().budget, &self.lane.traffic().price) {
            budget.settle(price.at_most(request, true), spent);
        }
    }

    fn answer(&mut self, place: usize, answer: Answer) {
        self.answers.push((place, answer));
        (self.done)();
    }

    /// A call about batches, repeated while that can help; `None` when interrupted meanwhile.
    fn patiently<T>(&self, call: impl Fn(&Jobs) -> Result<T, ProviderError>) -> Result<Option<T>> {
        let mut pause = Duration::from_millis(500).min(self.jobs.poll_every());
        for attempt in 0..=self.lane.traffic().max_retries {
            if self.lane.is_interrupted() {
                return Ok(None);
            }
            match call(self.jobs) {
                Ok(value) => return Ok(Some(value)),
                Err(ProviderError::Transient { message, retry_after, .. }) => {
                    if attempt == self.lane.traffic().max_retries {
                        let error = Unavailable::new(format!("the batch API of model `{}`: {message}", self.model));
                        return Err(error.hint("run the same command again: it waits for the same batches").into());
                    }
                    self.lane.pause(retry_after.unwrap_or(pause));
                    pause *= 2;
                }
                Err(ProviderError::Fatal { message, hint }) => {
                    let error = Unavailable::new(format!("the batch API of model `{}`: {message}", self.model));
                    return Err(error
                        .hint(hint.unwrap_or_else(|| "see [models] in `pipeline.toml`".to_owned()))
                        .into());
                }
                Err(ProviderError::NoRecording { detail }) => return Err(Unavailable::new(detail).into()),
            }
        }
        unreachable!("the last attempt returns")
    }
}
