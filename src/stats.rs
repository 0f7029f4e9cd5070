//! Descriptive statistics and clustering. Pure functions over numbers; nothing here draws without a
//! seed, and no result depends on the number of threads.

pub mod kmeans;

/// The arithmetic mean; `None` of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / count(values.len()))
}

/// The standard deviation of a population (divided by n, not by n - 1); `None` of nothing.
#[must_use]
pub fn population_sd(values: &[f64]) -> Option<f64> {
    let mean = mean(values)?;
    // Values all alike: their mean may differ from them in its last bit.
    if values.iter().all(|value| value.to_bits() == values[0].to_bits()) {
        return Some(0.0);
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / count(values.len())).sqrt())
}

/// How many standard deviations each value lies above the mean. Values that are all alike have 0.
#[must_use]
pub fn z_scores(values: &[f64]) -> Vec<f64> {
    let (Some(mean), Some(sd)) = (mean(values), population_sd(values)) else { return Vec::new() };
    values.iter().map(|value| if sd > 0.0 { (value - mean) / sd } else { 0.0 }).collect()
}

/// The bound above which a value is an outlier: mean + `sigmas` × standard deviation.
#[must_use]
pub fn upper_bound(values: &[f64], sigmas: f64) -> Option<f64> {
    Some(mean(values)? + sigmas * population_sd(values)?)
}

/// A count as a number to divide by.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
pub fn count(n: usize) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn z_scores_use_the_population_s_deviation() {
        assert_eq!(z_scores(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), [-1.5, -0.5, -0.5, -0.5, 0.0, 0.0, 1.0, 2.0]);
        assert_eq!(population_sd(&[1.0, 3.0]), Some(1.0));
    }

    #[test]
    fn values_all_alike_have_z_scores_of_zero() {
        assert_eq!(z_scores(&[0.1, 0.1, 0.1]), [0.0; 3]);
        assert_eq!(z_scores(&[5.0]), [0.0]);
        assert!(z_scores(&[]).is_empty());
    }

    #[test]
    fn nothing_has_no_mean() {
        assert_eq!((mean(&[]), population_sd(&[]), upper_bound(&[], 3.0)), (None, None, None));
    }

    #[test]
    fn upper_bound_is_mean_plus_sigmas() {
        assert_eq!(upper_bound(&[1.0, 3.0], 3.0), Some(5.0));
    }
}
