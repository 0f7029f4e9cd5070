//! Door 2: the only way to a model.
//!
//! [`Llm::complete_all`] answers a list of requests: from the work journal where the reply is
//! already had, else from the model's [`Provider`], whose raw reply is on disk before anything
//! reads it. What a reply means is none of this module's business (see [`crate::reply`]); no
//! stage's name is known here beyond the file that its replies lie in.

pub mod journal;
pub mod provider;
pub mod replay;
pub mod reply;
pub mod request;
pub mod tokens;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::Result;

pub use journal::Journal;
pub use provider::{Provider, ProviderError};
pub use replay::Replay;
pub use reply::{FinishReason, Reply, Usage};
pub use request::{Message, Request, Role, Sampling};

use crate::{
    config::{self, ReleaseConfig},
    exit_code::{ConfigError, Incomplete, Interrupted, Unavailable},
};

/// Calls made for one request before its row is given up for this run.
const MAX_ATTEMPTS: u32 = 5;

/// How often a waiting thread looks whether it is to stop.
const POLL: Duration = Duration::from_millis(50);

/// Rows named in a message.
const N_NAMED: usize = 5;

/// A provider for each model, by the model's name in `pipeline.toml`.
pub type Providers = BTreeMap<String, Arc<dyn Provider>>;

/// The providers of the models named, as `pipeline.toml` describes them. No two names share one:
/// recordings of different models may lie in different directories.
///
/// # Errors
/// When a model's recordings do not exist.
pub fn providers<'n>(config: &ReleaseConfig, names: impl IntoIterator<Item = &'n str>) -> Result<Providers> {
    names.into_iter().map(|name| Ok((name.to_owned(), provider(config, name)?))).collect()
}

fn provider(config: &ReleaseConfig, name: &str) -> Result<Arc<dyn Provider>> {
    let model = config.model(name);
    match model.provider {
        config::Provider::Replay => Ok(Arc::new(Replay::open(&config.resolve(&model.recordings))?)),
    }
}

/// The models of one stage, behind the stage's journal.
pub struct Llm<'a> {
    stage: String,
    providers: Providers,
    journal: Journal,
    interrupted: &'a AtomicBool,
}

/// A request that got no reply in this run.
struct Missing {
    detail: String,
    /// Whether asking again later may help.
    heals: bool,
}

/// What became of one call.
type Answer = Result<Reply, Missing>;

/// A list of requests with repeated ones taken out.
struct Distinct<'r> {
    requests: Vec<&'r Request>,
    keys: Vec<String>,
    /// For each request asked, its place among the distinct ones.
    places: Vec<usize>,
}

impl<'a> Llm<'a> {
    /// Opens the journal of `stage` under `journal_dir` and locks it. `interrupted` stops the work
    /// between calls.
    ///
    /// # Errors
    /// When the journal cannot be opened or is in use.
    pub fn open(journal_dir: &Path, stage: &str, providers: Providers, interrupted: &'a AtomicBool) -> Result<Self> {
        let journal = Journal::open(journal_dir, stage)?;
        Ok(Self { stage: stage.to_owned(), providers, journal, interrupted })
    }

    /// The stage's journal.
    #[must_use]
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The reply to every request, in the order asked. A request that stands in the list twice is
    /// asked once. `done` is called once a request, from any thread.
    ///
    /// # Errors
    /// [`Incomplete`] when a request cannot be had now (everything else is asked first),
    /// [`Unavailable`] when a provider refuses for good, [`Interrupted`] when told to stop. Replies
    /// had before are in the journal in each case.
    pub fn complete_all(&self, requests: &[Request], workers: usize, done: &(dyn Fn() + Sync)) -> Result<Vec<Reply>> {
        self.check_models(requests)?;
        let distinct = Distinct::of(requests);
        (distinct.requests.len()..requests.len()).for_each(|_| done());
        let mut replies = self.journalled(&distinct)?;
        let missing: Vec<usize> = (0..replies.len()).filter(|&place| replies[place].is_none()).collect();
        replies.iter().flatten().for_each(|_| done());
        let answers = self.ask(&distinct, &missing, workers, done)?;
        if answers.len() < missing.len() {
            return Err(Interrupted.into());
        }
        let mut not_had = Vec::new();
        for (place, answer) in answers {
            match answer {
                Ok(reply) => replies[place] = Some(reply),
                Err(missing) => not_had.push((distinct.requests[place], missing)),
            }
        }
        if !not_had.is_empty() {
            return Err(self.incomplete(distinct.requests.len(), &not_had).into());
        }
        Ok(distinct.spread(replies))
    }

    fn check_models(&self, requests: &[Request]) -> Result<(), ConfigError> {
        match requests.iter().find(|request| !self.providers.contains_key(&request.model)) {
            None => Ok(()),
            Some(request) => {
                let known: Vec<&str> = self.providers.keys().map(String::as_str).collect();
                Err(ConfigError::new(format!(
                    "stage `{}` row `{}` asks the unknown model `{}` (known: {})",
                    self.stage,
                    request.row_id,
                    request.model,
                    known.join(", ")
                )))
            }
        }
    }

    fn journalled(&self, distinct: &Distinct) -> Result<Vec<Option<Reply>>> {
        distinct.pairs().map(|(key, request)| self.journal.reply(key, request)).collect()
    }

    /// Asks for the requests at `missing` in parallel. Fewer answers than places: interrupted.
    fn ask(
        &self,
        distinct: &Distinct,
        missing: &[usize],
        workers: usize,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<(usize, Answer)>> {
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let work = || -> Result<Vec<(usize, Answer)>> {
            let mut answers = Vec::new();
            while !self.is_interrupted() && !failed.load(Ordering::Relaxed) {
                let Some(&place) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else {
                    break;
                };
                let answer = self
                    .ask_one(&distinct.keys[place], distinct.requests[place])
                    .inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
                let Some(answer) = answer else {
                    break;
                };
                answers.push((place, answer));
                done();
            }
            Ok(answers)
        };
        let n_threads = workers.clamp(1, missing.len().max(1));
        let results: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..n_threads).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().expect("a provider does not panic")).collect()
        });
        let mut answers: Vec<_> = results.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        answers.sort_by_key(|(place, _)| *place);
        Ok(answers)
    }

    /// One request, repeated while that can help; `None` when interrupted meanwhile.
    fn ask_one(&self, key: &str, request: &Request) -> Result<Option<Answer>> {
        let provider = &self.providers[&request.model];
        for attempt in 1..=MAX_ATTEMPTS {
            match provider.complete(request) {
                Ok(reply) => {
                    check_same_request(key, request, &reply)?;
                    self.journal.append(key, &reply)?;
                    return Ok(Some(Ok(reply)));
                }
                Err(ProviderError::NoRecording { detail }) => return Ok(Some(Err(Missing { detail, heals: false }))),
                Err(ProviderError::Fatal { message }) => return Err(self.fatal(key, request, &message)?.into()),
                Err(ProviderError::Transient { message, retry_after }) => {
                    self.journal.append_failure(key, request, &message)?;
                    if attempt == MAX_ATTEMPTS {
                        return Ok(Some(Err(Missing { detail: message, heals: true })));
                    }
                    if !self.pause(retry_after.unwrap_or_else(|| backoff(key, attempt))) {
                        return Ok(None);
                    }
                }
            }
        }
        unreachable!("the last attempt returns")
    }

    fn fatal(&self, key: &str, request: &Request, message: &str) -> Result<Unavailable> {
        self.journal.append_failure(key, request, message)?;
        Ok(Unavailable::new(format!(
            "model `{}` refuses to answer row `{}` of stage `{}`: {message}",
            request.model, request.row_id, self.stage
        ))
        .hint("see [models] in `pipeline.toml`, then `corebuild check`"))
    }

    /// Waits; false when interrupted meanwhile.
    fn pause(&self, mut left: Duration) -> bool {
        while !left.is_zero() && !self.is_interrupted() {
            let step = left.min(POLL);
            thread::sleep(step);
            left -= step;
        }
        !self.is_interrupted()
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn incomplete(&self, n_requests: usize, not_had: &[(&Request, Missing)]) -> Incomplete {
        let rows: Vec<&str> = not_had.iter().take(N_NAMED).map(|(request, _)| request.row_id.as_str()).collect();
        let more = if not_had.len() > N_NAMED { ", …" } else { "" };
        let (first, missing) = &not_had[0];
        let error = Incomplete::new(format!(
            "stage `{}`: {} of {n_requests} requests have no reply: rows {}{more}\n`{}` (model `{}`, prompt `{}`): {}",
            self.stage,
            not_had.len(),
            rows.join(", "),
            first.row_id,
            first.model,
            first.prompt,
            missing.detail
        ));
        if not_had.iter().any(|(_, missing)| missing.heals) {
            error.hint("run the same command again: what was answered is in the journal and is not asked twice")
        } else {
            error.hint("record these replies, or take back the change of prompt, settings or input that asks for them")
        }
    }
}

/// A reply to something else must never be journalled under this request's key.
fn check_same_request(key: &str, request: &Request, reply: &Reply) -> Result<()> {
    let answered = reply.request.key();
    anyhow::ensure!(
        answered == key,
        "row `{}`: the provider of model `{}` answered the request `{answered}` instead of `{key}`",
        request.row_id,
        request.model
    );
    Ok(())
}

/// Doubles with each attempt; spread by the key, so that threads do not come back all at once.
fn backoff(key: &str, attempt: u32) -> Duration {
    let spread = u64::from(key.bytes().fold(0_u8, u8::wrapping_add));
    let base = 500_u64 << attempt.min(6);
    Duration::from_millis(base / 2 + base * spread / 512)
}

impl<'r> Distinct<'r> {
    fn of(requests: &'r [Request]) -> Self {
        let mut distinct = Self { requests: Vec::new(), keys: Vec::new(), places: Vec::new() };
        let mut seen = HashMap::new();
        for request in requests {
            let key = request.key();
            let place = *seen.entry(key.clone()).or_insert(distinct.requests.len());
            if place == distinct.requests.len() {
                distinct.requests.push(request);
                distinct.keys.push(key);
            }
            distinct.places.push(place);
        }
        distinct
    }

    fn pairs(&self) -> impl Iterator<Item = (&str, &'r Request)> {
        self.keys.iter().map(String::as_str).zip(self.requests.iter().copied())
    }

    /// One reply a distinct request to one a request asked.
    fn spread(&self, mut replies: Vec<Option<Reply>>) -> Vec<Reply> {
        let mut uses = vec![0_usize; replies.len()];
        self.places.iter().for_each(|&place| uses[place] += 1);
        self.places
            .iter()
            .map(|&place| {
                uses[place] -= 1;
                let reply = if uses[place] == 0 { replies[place].take() } else { replies[place].clone() };
                reply.expect("every distinct request has been answered")
            })
            .collect()
    }
}
