//! Door 2: the only way to a model.
//!
//! [`Llm::complete_all`] answers a list of requests: from the work journal where the reply is
//! already had, else from the model's [`Provider`], whose raw reply is on disk before anything
//! reads it. What a reply means is none of this module's business (see [`crate::reply`]); no
//! stage's name is known here beyond the file that its replies lie in.

mod batch;
mod clock;
mod http;
pub mod journal;
mod lane;
mod live;
pub mod provider;
pub mod replay;
pub mod reply;
pub mod request;
pub mod spending;
pub mod tokens;
mod wire;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::Result;
use rayon::prelude::*;

pub use batch::Jobs;
pub use journal::Journal;
pub use lane::Traffic;
pub use provider::{Provider, ProviderError};
pub use replay::Replay;
pub use reply::{Call, FinishReason, Reply, Usage};
pub use request::{Message, Request, Role, Sampling};
pub use spending::Budget;

use batch::Batched;
use lane::Lane;
use live::Live;
use wire::Wire;

use crate::{
    config::{Mode, ModelConfig, ReleaseConfig},
    exit_code::{ConfigError, Incomplete, Interrupted, Unavailable},
};

/// How often replies that came meanwhile are put on disk together.
const SYNC_EVERY: Duration = Duration::from_millis(10);

/// Rows named in a message.
const N_NAMED: usize = 5;

/// A provider for each model, by the model's name in `pipeline.toml`.
pub type Providers = BTreeMap<String, Arc<dyn Provider>>;

/// The providers of the models named, as `pipeline.toml` describes them. No two names share one:
/// recordings of different models may lie in different directories. What they cost counts against
/// `budget`.
///
/// # Errors
/// When a model's recordings or its key are not there, or a budget is set and its price is not known.
pub fn providers<'n>(
    config: &ReleaseConfig,
    names: impl IntoIterator<Item = &'n str>,
    budget: Option<&Arc<Budget>>,
) -> Result<Providers> {
    names.into_iter().map(|name| Ok((name.to_owned(), provider(config, name, budget)?))).collect()
}

fn provider(config: &ReleaseConfig, name: &str, budget: Option<&Arc<Budget>>) -> Result<Arc<dyn Provider>> {
    let model = config.model(name);
    let wire = Wire::of(name, model).filter(|_| model.mode() != Mode::Replay);
    let Some(wire) = wire else {
        let recordings = model.recordings.as_deref().expect("checked when the file is read");
        return Ok(Arc::new(Replay::open(&config.resolve(recordings))?));
    };
    if budget.is_some() && model.price.is_none() {
        let error = ConfigError::new(format!("--max-cost needs a price of model `{name}`"));
        return Err(error.hint(format!("add `price` to [models.{name}] in `pipeline.toml`")).into());
    }
    Ok(Arc::new(Live::new(name, model, wire, budget.cloned())?))
}

/// Whether a model could be asked from this machine; nothing is sent.
///
/// # Errors
/// When its recordings or its key are not there.
pub fn availability(root: &Path, name: &str, model: &ModelConfig) -> Result<String, Unavailable> {
    if model.mode() == Mode::Replay {
        let recordings = model.recordings.as_deref().unwrap_or_default();
        return Replay::open(&root.join(recordings)).map(|_| format!("replays `{recordings}`"));
    }
    http::check_key(name, model)?;
    let price = model.price.as_ref().map_or("no price".to_owned(), |price| format!("prices of {}", price.date));
    Ok(format!("`{}` at {}, {price}", model.model.as_deref().unwrap_or(name), model.base_url()))
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
        let pairs: Vec<(&str, &Request)> = distinct.pairs().collect();
        pairs.par_iter().map(|(key, request)| self.journal.reply(key, request)).collect()
    }

    /// Asks for the requests at `missing`, each model in a lane of its own. Fewer answers than
    /// places: interrupted. Every reply is on disk when this returns.
    fn ask(
        &self,
        distinct: &Distinct,
        missing: &[usize],
        workers: usize,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<(usize, Answer)>> {
        let lanes = self.lanes(distinct, missing, workers);
        let failed = AtomicBool::new(false);
        let failed = &failed;
        let results: Vec<Result<Vec<(usize, Answer)>>> = thread::scope(|scope| {
            let mut threads = Vec::new();
            for lane in lanes.values() {
                if let Some(jobs) = lane.provider().batches() {
                    threads.push(scope.spawn(move || self.hand_over(distinct, lane, jobs, failed, done)));
                    continue;
                }
                for _ in 0..lane.n_threads().min(lane.traffic().concurrency.unwrap_or(workers).max(1)) {
                    threads.push(scope.spawn(move || work(distinct, lane, failed, done)));
                }
            }
            let synced = self.sync_while(&|| threads.iter().any(|thread| !thread.is_finished()));
            failed.fetch_or(synced.is_err(), Ordering::Relaxed);
            let results = threads.into_iter().map(|thread| thread.join().expect("a provider does not panic"));
            let results: Vec<_> = results.collect();
            results.into_iter().chain([synced.map(|()| Vec::new())]).collect()
        });
        self.journal.sync()?;
        let mut answers: Vec<_> = results.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
        if !self.interrupted.load(Ordering::Relaxed) {
            for lane in lanes.values() {
                add_not_asked(lane, &mut answers);
            }
        }
        answers.sort_by_key(|(place, _)| *place);
        Ok(answers)
    }

    fn lanes(&self, distinct: &Distinct, missing: &[usize], workers: usize) -> BTreeMap<&str, Lane<'_>> {
        let mut lanes = BTreeMap::new();
        for &place in missing {
            let model = distinct.requests[place].model.as_str();
            let (model, provider) = self.providers.get_key_value(model).expect("models are checked first");
            let new = || Lane::new(provider.as_ref(), &self.journal, &self.stage, self.interrupted, workers);
            lanes.entry(model.as_str()).or_insert_with(new).places.push(place);
        }
        lanes
    }

    /// Puts on disk what came, for all threads at once: none waits for the disk by itself.
    fn sync_while(&self, is_running: &dyn Fn() -> bool) -> Result<()> {
        while is_running() {
            thread::sleep(SYNC_EVERY);
            self.journal.sync()?;
        }
        self.journal.sync()
    }

    fn hand_over(
        &self,
        distinct: &Distinct,
        lane: &Lane,
        jobs: &Jobs,
        failed: &AtomicBool,
        done: &(dyn Fn() + Sync),
    ) -> Result<Vec<(usize, Answer)>> {
        let requests: Vec<(usize, &str, &Request)> =
            lane.places.iter().map(|&place| (place, distinct.keys[place].as_str(), distinct.requests[place])).collect();
        Batched::open(lane, jobs, &self.journal, &requests, done)
            .and_then(Batched::run)
            .inspect_err(|_| failed.store(true, Ordering::Relaxed))
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

/// One thread of a lane.
fn work(
    distinct: &Distinct,
    lane: &Lane,
    failed: &AtomicBool,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<(usize, Answer)>> {
    let mut answers = Vec::new();
    while !failed.load(Ordering::Relaxed) {
        let Some(place) = lane.next() else { break };
        let answer = lane
            .ask(&distinct.keys[place], distinct.requests[place])
            .inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
        let Some(answer) = answer else { break };
        answers.push((place, answer));
        done();
    }
    Ok(answers)
}

/// Requests of a lane that was closed before they were asked.
fn add_not_asked(lane: &Lane, answers: &mut Vec<(usize, Answer)>) {
    let Some(why) = lane.stop_reason() else { return };
    let had: std::collections::HashSet<usize> = answers.iter().map(|(place, _)| *place).collect();
    let left = lane.places.iter().filter(|place| !had.contains(place));
    let missing = |&place: &usize| (place, Err(Missing { detail: why.clone(), heals: true }));
    let left: Vec<_> = left.map(missing).collect();
    answers.extend(left);
}

impl<'r> Distinct<'r> {
    fn of(requests: &'r [Request]) -> Self {
        let mut distinct = Self { requests: Vec::new(), keys: Vec::new(), places: Vec::new() };
        let mut seen = HashMap::new();
        let keys: Vec<String> = requests.par_iter().map(Request::key).collect();
        for (request, key) in requests.iter().zip(keys) {
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
