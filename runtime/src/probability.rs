//! Probabilities of classes: the logistic function of a score, or the softmax of several.

use crate::kernel::{logistic, scaled_power};

/// Writes the probability of every class: two for one score, otherwise one for each.
///
/// All operations are those of the sigmoid, divisions and sums in the order of the classes, so that every core has the
/// same bits. The largest error of a probability is about 5e-6.
pub(crate) fn of_scores(slope: f32, scores: &[f32], probabilities: &mut [f32]) {
    if let ([score], [first, second]) = (scores, &mut *probabilities) {
        *second = logistic(slope * (score - 0.5));
        *first = 1.0 - *second;
        return;
    }
    let mut largest = f32::NEG_INFINITY;
    for (probability, score) in probabilities.iter_mut().zip(scores) {
        *probability = slope * score;
        if *probability > largest {
            largest = *probability;
        }
    }
    let mut total = 0.0;
    for probability in probabilities.iter_mut() {
        *probability = scaled_power(largest - *probability);
        total += *probability;
    }
    for probability in probabilities.iter_mut() {
        *probability /= total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOPE: f32 = 3.0;

    #[test]
    fn probabilities_are_those_of_log_odds() {
        for step in -400..=400 {
            let score = step as f32 / 50.0;
            let mut found = [0.0; 2];
            of_scores(SLOPE, &[score], &mut found);
            let second = 1.0 / (1.0 + (1.5 - 3.0 * f64::from(score)).exp());
            assert!((f64::from(found[1]) - second).abs() < 2e-6 && (found[0] + found[1] - 1.0).abs() < 1e-6);

            let scores = [score, 0.5, -0.25 * score];
            let mut found = [0.0; 3];
            of_scores(SLOPE, &scores, &mut found);
            let powers = scores.map(|score| (3.0 * f64::from(score)).exp());
            for (found, power) in found.iter().zip(powers) {
                assert!((f64::from(*found) - power / powers.iter().sum::<f64>()).abs() < 1e-5, "{score}");
            }
        }
    }

    #[test]
    fn extreme_scores_give_probabilities_and_missing_ones_none() {
        for scores in [[1e38, 0.0, -1e38], [-1e38, 1.0, 1.0], [-1e38; 3]] {
            let mut found = [0.0; 3];
            of_scores(SLOPE, &scores, &mut found);
            let is_share = |probability: &f32| (0.0..=1.0).contains(probability);
            assert!(found.iter().all(is_share), "{scores:?} {found:?}");
        }
        let mut found = [0.0; 3];
        of_scores(SLOPE, &[0.3, f32::NAN, 0.4], &mut found);
        assert!(found.iter().all(|probability| probability.is_nan()), "{found:?}");
        let mut found = [0.0; 2];
        of_scores(SLOPE, &[f32::NAN], &mut found);
        assert!(found.iter().all(|probability| probability.is_nan()), "{found:?}");
        of_scores(SLOPE, &[-1e38], &mut found);
        assert!(found[0] == 1.0 && found[1] < 1e-18, "{found:?}");
    }
}
