//! What calls cost, and the limit that a run must not pass.
//!
//! A call is let through only while what is spent, what the calls in flight may come to and what it
//! may itself come to stay within the limit. What it may come to: its prompt as counted (with a
//! margin where the model's own vocabulary is not known) and its whole `max_tokens`.

use std::sync::{Mutex, MutexGuard};

use super::{Reply, Request, Usage, tokens};
use crate::config::Price;

/// On prompts counted with a vocabulary that is not the model's.
const MARGIN: f64 = 1.25;

impl Price {
    /// In dollars, of what was used.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
    pub fn of(&self, usage: &Usage, batch: bool) -> f64 {
        let cached = usage.cached_tokens.min(usage.input_tokens);
        let input =
            (usage.input_tokens - cached) as f64 * self.input + cached as f64 * self.cached.unwrap_or(self.input);
        let share = if batch { self.batch_share } else { 1.0 };
        (input + usage.output_tokens as f64 * self.output) / 1e6 * share
    }

    /// The most that a request may cost.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
    pub fn at_most(&self, request: &Request, batch: bool) -> f64 {
        let margin = if tokens::Encoding::is_known_for(&request.model) { 1.0 } else { MARGIN };
        let input = tokens::input_tokens(request) as f64 * margin * self.input.max(self.cached.unwrap_or(0.0));
        let share = if batch { self.batch_share } else { 1.0 };
        (input + f64::from(request.sampling.max_tokens) * self.output) / 1e6 * share
    }
}

/// `--max-cost`: one for a whole run, over all stages and models.
#[derive(Debug)]
pub struct Budget {
    limit: f64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    spent: f64,
    reserved: f64,
}

/// Whether a call may go out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Leave {
    Granted,
    /// Not now: calls in flight may turn out cheaper than feared.
    Wait,
    /// It would pass the limit.
    Never {
        spent: f64,
    },
}

impl Budget {
    #[must_use]
    pub fn new(limit: f64) -> Self {
        Self { limit, state: Mutex::new(State::default()) }
    }

    /// In dollars.
    #[must_use]
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// In dollars, by replies that came.
    #[must_use]
    pub fn spent(&self) -> f64 {
        self.lock().spent
    }

    /// Sets `amount` aside.
    pub(super) fn reserve(&self, amount: f64) -> Leave {
        let mut state = self.lock();
        if state.spent + state.reserved + amount <= self.limit {
            state.reserved += amount;
            Leave::Granted
        } else if state.reserved > 1e-12 && state.spent + amount <= self.limit {
            Leave::Wait
        } else {
            Leave::Never { spent: state.spent }
        }
    }

    /// Puts what was spent in the place of what was set aside.
    pub(super) fn settle(&self, reserved: f64, spent: f64) {
        let mut state = self.lock();
        state.reserved = (state.reserved - reserved).max(0.0);
        state.spent += spent;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics while it holds the budget")
    }
}

/// What a reply cost at a price.
#[must_use]
pub fn cost(price: Option<&Price>, reply: &Reply) -> f64 {
    price.map_or(0.0, |price| price.of(&reply.usage, reply.call.batch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::request::tests::request;

    fn price() -> Price {
        Price { date: "2026-01-01".to_owned(), input: 2.0, output: 10.0, cached: Some(0.5), batch_share: 0.5 }
    }

    #[test]
    fn cached_input_and_batches_have_their_own_price() {
        let usage =
            Usage { input_tokens: 1_000_000, output_tokens: 100_000, cached_tokens: 400_000, reasoning_tokens: 50_000 };
        assert!((price().of(&usage, false) - (1.2 + 0.2 + 1.0)).abs() < 1e-9);
        assert!((price().of(&usage, true) - 1.2).abs() < 1e-9);
        assert!(price().at_most(&request("a"), false) > 100.0 * 10.0 / 1e6);
    }

    #[test]
    fn calls_in_flight_count_as_spent_until_they_are_settled() {
        let budget = Budget::new(1.0);
        assert_eq!(budget.reserve(0.6), Leave::Granted);
        assert_eq!(budget.reserve(0.6), Leave::Wait);
        budget.settle(0.6, 0.3);
        assert_eq!(budget.reserve(0.6), Leave::Granted);
        budget.settle(0.6, 0.5);
        assert_eq!(budget.reserve(0.6), Leave::Never { spent: 0.8 });
        assert!(budget.spent() <= budget.limit());
    }
}
