//! Geometry of the report's charts: scales, ticks, places. Plain numbers; the template draws.

use serde::Serialize;

use crate::stats::count;

/// A tick on an axis: where it stands, in pixels, and what is written there.
#[derive(Debug, Serialize)]
pub(super) struct Tick {
    pub at: f64,
    pub label: String,
}

/// A linear scale from values to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    from: [f64; 2],
    to: [f64; 2],
}

impl Scale {
    pub(super) fn new(from: [f64; 2], to: [f64; 2]) -> Self {
        Self { from, to }
    }

    /// The pixel of a value, to a tenth.
    pub(super) fn at(self, value: f64) -> f64 {
        let share = (value - self.from[0]) / (self.from[1] - self.from[0]);
        tenth(self.to[0] + share * (self.to[1] - self.to[0]))
    }

    /// Ticks at round values, `step` apart.
    pub(super) fn ticks(self, step: f64) -> Vec<Tick> {
        let first = (self.from[0] / step).ceil();
        (0..40)
            .map(|i| (first + f64::from(i)) * step)
            .take_while(|value| *value <= self.from[1] + step * 1e-9)
            .map(|value| Tick { at: self.at(value), label: short(value) })
            .collect()
    }
}

/// A step of 1, 2 or 5 times a power of ten that divides `span` into at most `n` parts.
pub(super) fn round_step(span: f64, n: usize) -> f64 {
    let raw = (span / count(n)).max(1e-9);
    let power = 10f64.powf(raw.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= raw * (1.0 - 1e-9))
        .unwrap_or(raw)
}

/// The least span of whole steps around values; a span of its own where they are all alike.
pub(super) fn padded(values: impl Iterator<Item = f64> + Clone, n: usize) -> ([f64; 2], f64) {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    let (least, most) = if most > least { (least, most) } else { (least - 1.0, least + 1.0) };
    let step = round_step(most - least, n);
    ([(least / step).floor() * step, (most / step).ceil() * step], step)
}

pub(super) fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Without zeros at the end: `-1`, `0.5`.
fn short(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.replace('-', "\u{2212}") }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the numbers are exact")]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round() {
        assert_eq!([10.0, 9.0, 0.9, 47.0].map(|span| round_step(span, 5)), [2.0, 2.0, 0.2, 10.0]);
    }

    #[test]
    fn ticks_stand_at_round_values() {
        let (span, step) = padded([-0.7, 2.2].into_iter(), 5);
        assert_eq!((span, step), ([-1.0, 3.0], 1.0));
        let ticks = Scale::new(span, [0.0, 400.0]).ticks(step);
        let labels: Vec<&str> = ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["\u{2212}1", "0", "1", "2", "3"]);
        assert_eq!(ticks[1].at, 100.0);
    }

    #[test]
    fn values_all_alike_have_a_span() {
        assert_eq!(padded([2.0].into_iter(), 4).0, [1.0, 3.0]);
    }
}
