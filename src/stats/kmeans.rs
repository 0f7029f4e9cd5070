//! Levels by k-means: clusters numbered by rising mean, small ones merged into a neighbour.
//!
//! Starts are drawn by k-means++ from a seeded generator. (The parallel start that the library also
//! offers depends on the number of threads.) The points' order matters, so callers sort them.

use anyhow::{Context, Result};
use linfa::{
    DatasetBase,
    traits::{Fit, Predict},
};
use linfa_clustering::{KMeans, KMeansInit};
use ndarray::Array2;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{count, mean};

/// Below this shift of the centroids a run has converged.
const TOLERANCE: f64 = 1e-9;

/// How to cluster.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Clusters, at most: there are never more than distinct points.
    pub k: usize,
    /// Smaller clusters are merged into the level below, the lowest one into the level above.
    pub min_cluster: usize,
    /// Runs from different starts; the one of least inertia counts.
    pub n_runs: usize,
    pub max_iterations: u64,
    pub seed: u64,
}

/// A level per point, 0 the lowest by the mean of its points' coordinates.
///
/// # Errors
/// When k-means finds no finite clustering, i.e. a coordinate is not a number.
pub fn levels<const N: usize>(points: &[[f64; N]], params: &Params) -> Result<Vec<u32>> {
    let k = params.k.min(count_distinct(points));
    if k == 0 {
        return Ok(Vec::new());
    }
    let memberships = cluster(points, k, params)?;
    let ordered = by_rising_mean(points, &memberships, k);
    merge_small(ordered, params.min_cluster).into_iter().map(|level| Ok(u32::try_from(level)?)).collect()
}

fn count_distinct<const N: usize>(points: &[[f64; N]]) -> usize {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| {
        a.iter().zip(b).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    sorted.dedup();
    sorted.len()
}

fn cluster<const N: usize>(points: &[[f64; N]], k: usize, params: &Params) -> Result<Vec<usize>> {
    let flat: Vec<f64> = points.iter().flatten().copied().collect();
    let observations = Array2::from_shape_vec((points.len(), N), flat).context("each point has N coordinates")?;
    let dataset = DatasetBase::from(observations);
    let model = KMeans::params_with_rng(k, ChaCha8Rng::seed_from_u64(params.seed))
        .init_method(KMeansInit::KMeansPlusPlus)
        .n_runs(params.n_runs)
        .max_n_iterations(params.max_iterations)
        .tolerance(TOLERANCE)
        .fit(&dataset)
        .context("cluster by k-means")?;
    Ok(model.predict(&dataset).to_vec())
}

/// Renumbers clusters by the mean over all coordinates of their points; empty ones vanish.
fn by_rising_mean<const N: usize>(points: &[[f64; N]], memberships: &[usize], k: usize) -> Vec<usize> {
    let mut clusters: Vec<(f64, usize)> = (0..k)
        .filter_map(|cluster| {
            let members = points.iter().zip(memberships).filter(|(_, m)| **m == cluster);
            let means: Vec<f64> = members.map(|(point, _)| point.iter().sum::<f64>() / count(N)).collect();
            Some((mean(&means)?, cluster))
        })
        .collect();
    clusters.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut level_of = vec![0; k];
    for (level, (_, cluster)) in clusters.iter().enumerate() {
        level_of[*cluster] = level;
    }
    memberships.iter().map(|cluster| level_of[*cluster]).collect()
}

/// From the top down, so that a few very hard problems join those below them.
fn merge_small(mut levels: Vec<usize>, min_cluster: usize) -> Vec<usize> {
    let top = levels.iter().copied().max().unwrap_or(0);
    for level in (1..=top).rev() {
        if size(&levels, level) < min_cluster {
            lower_from(&mut levels, level);
        }
    }
    while size(&levels, 0) < min_cluster && levels.iter().any(|level| *level > 0) {
        lower_from(&mut levels, 1);
    }
    levels
}

fn size(levels: &[usize], level: usize) -> usize {
    levels.iter().filter(|other| **other == level).count()
}

/// Takes `level` and all above it one down.
fn lower_from(levels: &mut [usize], level: usize) {
    for other in levels.iter_mut().filter(|other| **other >= level) {
        *other -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMS: Params = Params { k: 3, min_cluster: 1, n_runs: 10, max_iterations: 300, seed: 42 };

    /// Three groups along the diagonal, each of `n` points, scattered by a fixed pattern.
    fn groups(n: u32) -> Vec<[f64; 3]> {
        (0..3 * n)
            .map(|i| {
                let centre = f64::from(i % 3) * 10.0;
                let shift = f64::from(i * 7919 % 101) / 101.0;
                [centre + shift, centre - shift, centre + shift * shift]
            })
            .collect()
    }

    #[test]
    fn levels_rise_with_the_mean_of_the_coordinates() {
        let levels = levels(&groups(20), &PARAMS).unwrap();
        for (i, level) in levels.iter().enumerate() {
            assert_eq!(*level as usize, i % 3);
        }
    }

    #[test]
    fn levels_do_not_depend_on_the_number_of_threads_or_the_seed_of_well_parted_points() {
        let points: Vec<[f64; 3]> =
            (0..500u32).map(|i| [3u32, 5, 7].map(|step| f64::from(i * step * 7919 % 1009) / 1009.0)).collect();
        let with = |n_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
            pool.install(|| levels(&points, &Params { k: 5, ..PARAMS }).unwrap())
        };
        assert_eq!(with(1), with(2));
        assert_eq!(levels(&groups(9), &PARAMS).unwrap(), levels(&groups(9), &Params { seed: 7, ..PARAMS }).unwrap());
    }

    #[test]
    fn k_shrinks_to_the_number_of_distinct_points() {
        assert_eq!(levels(&[[1.0], [1.0], [5.0], [5.0]], &PARAMS).unwrap(), [0, 0, 1, 1]);
        assert_eq!(levels(&[[0.0; 3]; 4], &PARAMS).unwrap(), [0; 4]);
        assert!(levels::<3>(&[], &PARAMS).unwrap().is_empty());
    }

    #[test]
    fn small_clusters_join_their_neighbour() {
        assert_eq!(merge_small(vec![0, 0, 1, 1, 2], 2), [0, 0, 1, 1, 1]);
        assert_eq!(merge_small(vec![0, 1, 1, 2, 2], 2), [0, 0, 0, 1, 1]);
        assert_eq!(merge_small(vec![0, 0, 1, 2, 2], 2), [0, 0, 0, 1, 1]);
        assert_eq!(merge_small(vec![0, 1, 2], 5), [0, 0, 0]);
    }
}
