//! GFC, Section 3: Wilcoxon's signed-rank test and mean ranks over the available data sets, n = 100.

use crate::gfc::experiment::{GAUSSIAN, SETS, a_la_carte, figure, fourier, greedy};
use crate::table::{Reproduction, Row, mean};
use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::data::Dataset;

/// Wilcoxon's T and its probability under the hypothesis that neither method is better.
struct SignedRanks {
    t: f64,
    /// Two-sided probability: the share of sign assignments whose T is not larger.
    probability: f64,
}

pub fn rows(run: &Reproduction<'_>) -> Result<Vec<Row>, FitError> {
    let mut errors: Vec<[f64; 3]> = Vec::new();
    let mut folds = 0;
    for (done, set) in SETS.iter().enumerate() {
        let Some(data) = set.read(run) else { continue };
        let random = |train: &Dataset, run: &Run<'_>| fourier(GAUSSIAN, train, run);
        let figures = [figure(greedy, &data, run)?, figure(random, &data, run)?, figure(a_la_carte, &data, run)?];
        folds = figures[0].folds;
        errors.push(figures.map(|figure| figure.error));
        run.observer.progress(done + 1, SETS.len());
    }
    if errors.is_empty() {
        return Ok(vec![Row::skipped("GFC and random Fourier features", f64::NAN)]);
    }
    let differences = |other: usize| -> Vec<f64> { errors.iter().map(|e| e[0] - e[other]).collect() };
    let (random, mixture) = (signed_ranks(&differences(1)), signed_ranks(&differences(2)));
    let ranks: Vec<f64> = differences(1).iter().map(|d| rank_of_two(*d)).collect();
    let row = |what: &str, paper, ours| Row::new(format!("{what}, {} sets", errors.len()), paper, ours, "1", folds);
    Ok(vec![
        row("mean rank of GFC beside Gaussian features", None, mean(&ranks)).at_most(Some(1.49)),
        row("T, GFC and Gaussian features", None, random.t),
        row("p, GFC and Gaussian features", None, random.probability).at_most(Some(0.05)),
        row("T, GFC and à la carte", None, mixture.t),
        row("p, GFC and à la carte", None, mixture.probability),
    ])
}

/// Returns the rank of the first of two methods.
fn rank_of_two(difference: f64) -> f64 {
    match difference {
        d if d < 0.0 => 1.0,
        d if d > 0.0 => 2.0,
        _ => 1.5,
    }
}

/// Ranks the magnitudes of the differences. Ties share their ranks, and zero differences count half on each side.
fn signed_ranks(differences: &[f64]) -> SignedRanks {
    let rank = |d: f64| {
        let below = differences.iter().filter(|other| other.abs() < d.abs()).count() as f64;
        let equal = differences.iter().filter(|other| other.abs() == d.abs()).count() as f64;
        below + (equal + 1.0) / 2.0
    };
    let ranks: Vec<f64> = differences.iter().map(|d| rank(*d)).collect();
    let total: f64 = ranks.iter().sum();
    let positive = |d: f64| if d == 0.0 { 0.5 } else { f64::from(u8::from(d > 0.0)) };
    let above: f64 = differences.iter().zip(&ranks).map(|(d, rank)| positive(*d) * rank).sum();
    let t = above.min(total - above);
    let sums = (0..1_u32 << ranks.len()).map(|signs| -> f64 {
        ranks.iter().enumerate().filter(|(i, _)| signs >> i & 1 == 1).map(|(_, rank)| rank).sum()
    });
    let as_small = sums.filter(|&sum| sum.min(total - sum) <= t).count();
    SignedRanks { t, probability: as_small as f64 / f64::from(1_u32 << ranks.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_are_those_of_the_printed_table() {
        // The largest two-sided T that is significant at 5 %, by the number of pairs.
        for (pairs, critical) in [(6, 0), (8, 3), (9, 5), (10, 8), (12, 13), (16, 29)] {
            let probability = |t: u32| {
                // The largest ranks that sum to t, chosen greedily, are positive.
                let mut left = t;
                let difference = |rank: u32| {
                    let takes = rank <= left;
                    left -= if takes { rank } else { 0 };
                    f64::from(rank) * if takes { 1.0 } else { -1.0 }
                };
                let ranks = signed_ranks(&(1..=pairs).rev().map(difference).collect::<Vec<f64>>());
                assert_eq!(ranks.t, f64::from(t));
                ranks.probability
            };
            assert!(probability(critical) <= 0.05 && probability(critical + 1) > 0.05, "{pairs}");
        }
    }

    #[test]
    fn ties_share_ranks() {
        let ranks = signed_ranks(&[-1.0, 1.0, -2.0, 0.0]);
        // Ranks 2.5, 2.5, 4 and 1: above 2.5 and half of 1.
        assert_eq!(ranks.t, 3.0);
        assert_eq!([-0.1, 0.0, 0.1].map(rank_of_two), [1.0, 1.5, 2.0]);
    }
}
