//! The way to one model: how many calls are out at a time, how fast they go, what is done again, and
//! when it is given up.
//!
//! A call that the provider turned away for load halves the number of calls at a time; each that
//! succeeds widens it a little, up to `concurrency`. A time that the provider asks for holds for
//! every call to it.

use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Result;

use super::{
    Answer, Journal, Missing, Provider, ProviderError, Reply, Request,
    spending::{self, Budget, Leave},
    tokens,
};
use crate::{
    config::{ModelConfig, Price},
    exit_code::Unavailable,
    seeded,
};

/// How often a waiting thread looks whether it is to stop.
const POLL: Duration = Duration::from_millis(50);

/// The first pause lies between none and this; the bound doubles with each further attempt.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_mins(1);

/// A provider that wants to be left alone for longer is down.
const MAX_RETRY_AFTER: Duration = Duration::from_mins(10);

/// Rows in a row that no attempt brought a reply for, until the provider is taken to be down.
const MAX_LOST_IN_A_ROW: u32 = 3;

/// Rate limits are spent in portions of this share of a minute.
const BURST: f64 = 1.0 / 12.0;

/// How a model may be asked.
#[derive(Clone, Debug)]
pub struct Traffic {
    /// Calls at a time; as many as there are workers where it is left open.
    pub concurrency: Option<usize>,
    pub requests_per_minute: Option<u32>,
    pub tokens_per_minute: Option<u64>,
    pub max_retries: u32,
    pub price: Option<Price>,
    pub budget: Option<Arc<Budget>>,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            concurrency: None,
            requests_per_minute: None,
            tokens_per_minute: None,
            max_retries: 4,
            price: None,
            budget: None,
        }
    }
}

impl Traffic {
    /// As `pipeline.toml` has it.
    pub(super) fn of(model: &ModelConfig, budget: Option<Arc<Budget>>) -> Self {
        Self {
            concurrency: Some(model.concurrency),
            requests_per_minute: model.requests_per_minute,
            tokens_per_minute: model.tokens_per_minute,
            max_retries: model.max_retries,
            price: model.price.clone(),
            budget,
        }
    }
}

/// A limit that fills up again with time.
#[derive(Debug)]
struct Bucket {
    per_second: f64,
    burst: f64,
    level: f64,
    at: Instant,
}

#[derive(Debug)]
struct Gate {
    /// Calls at a time, for now.
    limit: f64,
    max: f64,
    in_flight: usize,
    not_before: Instant,
    narrowed: Instant,
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
}

/// What a call under way holds.
struct Permit {
    began: Instant,
    tokens: f64,
    reserved: f64,
}

pub(super) struct Lane<'l> {
    provider: &'l dyn Provider,
    journal: &'l Journal,
    stage: &'l str,
    interrupted: &'l AtomicBool,
    traffic: Traffic,
    gate: Mutex<Gate>,
    freed: Condvar,
    n_lost_in_a_row: AtomicU32,
    /// Why nothing more is asked.
    stopped: Mutex<Option<String>>,
    next: AtomicUsize,
    /// Places of the requests to ask.
    pub(super) places: Vec<usize>,
}

/// How one attempt ended.
#[expect(clippy::large_enum_variant, reason = "made once a call")]
enum Attempt {
    Done(Answer),
    Again { message: String, pause: Duration },
}

/// Whether a call may begin.
enum Entry {
    Now(Permit),
    Interrupted,
    Stopped,
}

impl<'l> Lane<'l> {
    pub(super) fn new(
        provider: &'l dyn Provider,
        journal: &'l Journal,
        stage: &'l str,
        interrupted: &'l AtomicBool,
        workers: usize,
    ) -> Self {
        let traffic = provider.traffic();
        let max = traffic.concurrency.unwrap_or(workers).max(1);
        Self {
            provider,
            journal,
            stage,
            interrupted,
            gate: Mutex::new(Gate::new(max, &traffic)),
            traffic,
            freed: Condvar::new(),
            n_lost_in_a_row: AtomicU32::new(0),
            stopped: Mutex::new(None),
            next: AtomicUsize::new(0),
            places: Vec::new(),
        }
    }

    /// Threads worth starting.
    pub(super) fn n_threads(&self) -> usize {
        self.traffic.concurrency.unwrap_or(usize::MAX).min(self.places.len())
    }

    pub(super) fn provider(&self) -> &'l dyn Provider {
        self.provider
    }

    pub(super) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The next request to ask; `None` when there is no more, or none is to be asked.
    pub(super) fn next(&self) -> Option<usize> {
        if self.is_interrupted() || self.stop_reason().is_some() {
            return None;
        }
        self.places.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// Why the lane was closed before its last request.
    pub(super) fn stop_reason(&self) -> Option<String> {
        self.stopped.lock().expect("no thread panics while it holds the reason").clone()
    }

    pub(super) fn stop(&self, why: String) {
        self.stopped.lock().expect("no thread panics while it holds the reason").get_or_insert(why);
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// One request, repeated while that can help; `None` when it was not asked to the end.
    pub(super) fn ask(&self, key: &str, request: &Request) -> Result<Option<Answer>> {
        for attempt in 0..=self.traffic.max_retries {
            let permit = match self.enter(request) {
                Entry::Now(permit) => permit,
                Entry::Interrupted | Entry::Stopped => return Ok(None),
            };
            let result = self.provider.complete(request);
            self.leave(&permit, &result);
            match self.attempt(key, request, attempt, result)? {
                Attempt::Done(answer) => return Ok(Some(answer)),
                Attempt::Again { message, .. } if attempt == self.traffic.max_retries => {
                    return Ok(Some(self.lost(message)));
                }
                Attempt::Again { pause, .. } => {
                    if !self.pause(pause) {
                        return Ok(None);
                    }
                }
            }
        }
        unreachable!("the last attempt returns")
    }

    fn attempt(
        &self,
        key: &str,
        request: &Request,
        attempt: u32,
        result: Result<Reply, ProviderError>,
    ) -> Result<Attempt> {
        match result {
            Ok(reply) => {
                check_same_request(key, request, &reply)?;
                self.journal.append(key, &reply)?;
                self.n_lost_in_a_row.store(0, Ordering::Relaxed);
                Ok(Attempt::Done(Ok(reply)))
            }
            Err(ProviderError::NoRecording { detail }) => Ok(Attempt::Done(Err(Missing { detail, heals: false }))),
            Err(ProviderError::Fatal { message, hint }) => {
                self.journal.append_failure(key, request, &message)?;
                Err(self.fatal(request, &message, hint).into())
            }
            Err(ProviderError::Transient { message, retry_after, .. }) => {
                self.journal.append_failure(key, request, &message)?;
                if retry_after.is_some_and(|after| after > MAX_RETRY_AFTER) {
                    self.stop(message.clone());
                    return Ok(Attempt::Done(Err(Missing { detail: message, heals: true })));
                }
                Ok(Attempt::Again { message, pause: pause(key, attempt, retry_after) })
            }
        }
    }

    /// A row that no attempt brought a reply for.
    fn lost(&self, message: String) -> Answer {
        if self.n_lost_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= MAX_LOST_IN_A_ROW {
            self.stop(message.clone());
        }
        Err(Missing { detail: message, heals: true })
    }

    pub(super) fn fatal(&self, request: &Request, message: &str, hint: Option<String>) -> Unavailable {
        Unavailable::new(format!(
            "model `{}` refuses to answer row `{}` of stage `{}`: {message}",
            request.model, request.row_id, self.stage
        ))
        .hint(hint.unwrap_or_else(|| "see [models] in `pipeline.toml`, then `corebuild check`".to_owned()))
    }

    /// Waits until a call may go out.
    fn enter(&self, request: &Request) -> Entry {
        let tokens = self.traffic.tokens_per_minute.map_or(0.0, |_| most_tokens(request));
        let cost = self.cost_at_most(request);
        let mut gate = self.lock();
        loop {
            if self.is_interrupted() {
                return Entry::Interrupted;
            }
            if self.stop_reason().is_some() {
                return Entry::Stopped;
            }
            let mut wait = gate.wait(tokens);
            if wait.is_zero() {
                match self.reserve(cost) {
                    Leave::Granted => {
                        gate.take(tokens);
                        return Entry::Now(Permit { began: Instant::now(), tokens, reserved: cost });
                    }
                    Leave::Wait => wait = POLL,
                    Leave::Never { spent } => self.stop(self.over_budget(spent)),
                }
            }
            gate = self.freed.wait_timeout(gate, wait.min(POLL)).expect("no thread panics while it holds the gate").0;
        }
    }

    fn cost_at_most(&self, request: &Request) -> f64 {
        match (&self.traffic.budget, &self.traffic.price) {
            (Some(_), Some(price)) => price.at_most(request, false),
            _ => 0.0,
        }
    }

    fn reserve(&self, cost: f64) -> Leave {
        self.traffic.budget.as_ref().map_or(Leave::Granted, |budget| budget.reserve(cost))
    }

    pub(super) fn over_budget(&self, spent: f64) -> String {
        let limit = self.traffic.budget.as_ref().map_or(0.0, |budget| budget.limit());
        format!("--max-cost: ${spent:.4} are spent and the next call may pass the limit of ${limit:.4}")
    }

    fn leave(&self, permit: &Permit, result: &Result<Reply, ProviderError>) {
        if let Some(budget) = &self.traffic.budget {
            let spent = result.as_ref().map_or(0.0, |reply| spending::cost(self.traffic.price.as_ref(), reply));
            budget.settle(permit.reserved, spent);
        }
        self.lock().leave(permit, result);
        self.freed.notify_one();
    }

    /// Waits; false when there is nothing more to wait for.
    pub(super) fn pause(&self, pause: Duration) -> bool {
        let end = Instant::now() + pause;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if self.is_interrupted() || self.stop_reason().is_some() {
                return false;
            }
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(POLL));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Gate> {
        self.gate.lock().expect("no thread panics while it holds the gate")
    }
}

impl Gate {
    fn new(max: usize, traffic: &Traffic) -> Self {
        let now = Instant::now();
        #[expect(clippy::cast_precision_loss, reason = "limits are far below 2^52")]
        let (max, per_minute) = (max as f64, traffic.tokens_per_minute.map(|tokens| tokens as f64));
        Self {
            limit: max,
            max,
            in_flight: 0,
            not_before: now,
            narrowed: now,
            requests: traffic.requests_per_minute.map(|n| Bucket::new(f64::from(n), now)),
            tokens: per_minute.map(|n| Bucket::new(n, now)),
        }
    }

    /// How long a call has to wait; for one that waits for another to end, until it is woken.
    fn wait(&mut self, tokens: f64) -> Duration {
        let now = Instant::now();
        #[expect(clippy::cast_precision_loss, reason = "a number of threads")]
        let is_full = self.in_flight as f64 + 1.0 > self.limit.max(1.0);
        if is_full {
            return POLL;
        }
        let for_requests = self.requests.as_mut().map_or(Duration::ZERO, |bucket| bucket.wait(1.0, now));
        let for_tokens = self.tokens.as_mut().map_or(Duration::ZERO, |bucket| bucket.wait(tokens, now));
        self.not_before.saturating_duration_since(now).max(for_requests).max(for_tokens)
    }

    fn take(&mut self, tokens: f64) {
        self.in_flight += 1;
        self.requests.iter_mut().for_each(|bucket| bucket.level -= 1.0);
        self.tokens.iter_mut().for_each(|bucket| bucket.level -= tokens);
    }

    fn leave(&mut self, permit: &Permit, result: &Result<Reply, ProviderError>) {
        self.in_flight -= 1;
        match result {
            Ok(reply) => {
                self.limit = (self.limit + 1.0 / self.limit).min(self.max);
                #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
                let used = (reply.usage.input_tokens + reply.usage.output_tokens) as f64;
                self.tokens.iter_mut().for_each(|bucket| bucket.level += permit.tokens - used);
            }
            Err(ProviderError::Transient { retry_after, is_overload: true, .. }) => {
                let now = Instant::now();
                // Calls that began before the last step say nothing about the number it left.
                if permit.began > self.narrowed {
                    self.limit = (self.limit / 2.0).max(1.0);
                    self.narrowed = now;
                }
                let until = now + retry_after.unwrap_or_default().min(MAX_RETRY_AFTER);
                self.not_before = self.not_before.max(until);
            }
            Err(_) => {}
        }
    }
}

impl Bucket {
    fn new(per_minute: f64, at: Instant) -> Self {
        let burst = (per_minute * BURST).max(1.0);
        Self { per_second: per_minute / 60.0, burst, level: burst, at }
    }

    fn wait(&mut self, amount: f64, now: Instant) -> Duration {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.level = (self.level + passed * self.per_second).min(self.burst);
        self.at = now;
        // What is larger than a full bucket goes out of a full one.
        let lacking = amount.min(self.burst) - self.level;
        if lacking <= 0.0 { Duration::ZERO } else { Duration::from_secs_f64(lacking / self.per_second) }
    }
}

/// What a request may take of a limit of tokens.
#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn most_tokens(request: &Request) -> f64 {
    tokens::input_tokens(request) as f64 + f64::from(request.sampling.max_tokens)
}

/// Full jitter below a bound that doubles; drawn by the key, so that threads do not come back all at
/// once. What the provider asks for is kept to, and a little is added for the same reason.
fn pause(key: &str, attempt: u32, retry_after: Option<Duration>) -> Duration {
    let share = seeded::unit(u64::from(attempt), &["pause", key]);
    match retry_after {
        Some(after) => after + after.min(Duration::from_secs(4)).mul_f64(share / 4.0),
        None => (FIRST_PAUSE * 2_u32.pow(attempt.min(10))).min(MAX_PAUSE).mul_f64(share),
    }
}

/// A reply to something else must never be journalled under this request's key.
pub(super) fn check_same_request(key: &str, request: &Request, reply: &Reply) -> Result<()> {
    let answered = reply.request.key();
    anyhow::ensure!(
        answered == key,
        "row `{}`: the provider of model `{}` answered the request `{answered}` instead of `{key}`",
        request.row_id,
        request.model
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_a_minute_are_spent_evenly() {
        let now = Instant::now();
        let mut bucket = Bucket::new(120.0, now);
        assert_eq!(bucket.wait(1.0, now), Duration::ZERO);
        bucket.level = 0.0;
        assert_eq!(bucket.wait(1.0, now), Duration::from_millis(500));
        assert_eq!(bucket.wait(1.0, now + Duration::from_millis(500)), Duration::ZERO);
        bucket.level = 0.0;
        assert_eq!(
            bucket.wait(1e9, now + Duration::from_millis(500)),
            Duration::from_secs(5),
            "a full bucket is enough"
        );
    }

    #[test]
    fn throttling_halves_the_calls_at_a_time_once_and_success_widens_them() {
        let mut gate = Gate::new(16, &Traffic::default());
        let throttled =
            || Err(ProviderError::Transient { message: "429".to_owned(), retry_after: None, is_overload: true });
        std::thread::sleep(Duration::from_millis(2));
        let began = Instant::now();
        let permit = |began| Permit { began, tokens: 0.0, reserved: 0.0 };
        gate.in_flight = 3;
        gate.leave(&permit(began), &throttled());
        gate.leave(&permit(began), &throttled());
        assert!((gate.limit - 8.0).abs() < 1e-9, "one wave of refusals is one step: {}", gate.limit);
        std::thread::sleep(Duration::from_millis(2));
        gate.leave(&permit(Instant::now()), &throttled());
        assert!((gate.limit - 4.0).abs() < 1e-9);
    }

    #[test]
    fn pauses_are_spread_and_bounded_and_keep_to_what_is_asked_for() {
        let spread: Vec<Duration> = (0..50).map(|n| pause(&n.to_string(), 0, None)).collect();
        assert!(spread.iter().all(|pause| *pause <= FIRST_PAUSE));
        assert!(
            spread.iter().any(|pause| *pause < FIRST_PAUSE / 4) && spread.iter().any(|pause| *pause > FIRST_PAUSE / 2)
        );
        assert!(pause("a", 30, None) <= MAX_PAUSE);
        let asked = Duration::from_secs(2);
        assert!(pause("a", 0, Some(asked)) >= asked && pause("a", 0, Some(asked)) <= asked + asked / 4);
    }
}
