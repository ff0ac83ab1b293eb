//! What rows count: weights as multiples of each other.
//!
//! A weight of k makes a row count as k rows. Least squares, losses and error rates take weights with a mean of 1, so
//! that their sum is the number of rows and a penalty of n λ keeps its meaning.

/// What is wrong with weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum WeightProblem {
    /// The weight of a row is negative or not finite.
    Row {
        /// The row, from 0.
        row: usize,
        weight: f64,
    },
    /// No row has a weight above zero.
    AllZero,
}

/// Checks that weights are finite and not negative, and that one is above zero.
pub(crate) fn check(weights: &[f64]) -> Result<(), WeightProblem> {
    let is_wrong = |weight: &f64| !(*weight >= 0.0 && weight.is_finite());
    if let Some(row) = weights.iter().position(is_wrong) {
        return Err(WeightProblem::Row { row, weight: weights[row] });
    }
    if weights.iter().any(|&weight| weight > 0.0) { Ok(()) } else { Err(WeightProblem::AllZero) }
}

/// Returns weights with a mean of 1; empty where all rows count alike.
pub(crate) fn normalised(weights: &[f64]) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight * weights.len() as f64 / sum).collect()
}

/// Returns weights; none where all of them are the same.
pub(crate) fn simplified(weights: Vec<f64>) -> Vec<f64> {
    if weights.iter().all(|&weight| weight == weights[0]) { Vec::new() } else { weights }
}

/// Returns the weights of some rows; empty where all rows count alike.
pub(crate) fn select(weights: &[f64], rows: &[usize]) -> Vec<f64> {
    if weights.is_empty() { Vec::new() } else { rows.iter().map(|&row| weights[row]).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_finite_and_one_is_above_zero() {
        assert_eq!(check(&[0.0, 2.0]), Ok(()));
        assert_eq!(check(&[0.0, 0.0]), Err(WeightProblem::AllZero));
        assert_eq!(check(&[]), Err(WeightProblem::AllZero));
        for weight in [-1.0, f64::INFINITY] {
            assert_eq!(check(&[1.0, weight]), Err(WeightProblem::Row { row: 1, weight }));
        }
        assert!(matches!(check(&[f64::NAN]), Err(WeightProblem::Row { row: 0, .. })));
    }

    #[test]
    fn normalised_weights_have_the_mean_one() {
        assert_eq!(normalised(&[1.0, 2.0, 5.0]), [0.375, 0.75, 1.875]);
        assert_eq!(normalised(&[]), Vec::<f64>::new());
        assert_eq!((simplified(vec![3.0; 4]), simplified(vec![])), (vec![], vec![]));
        assert_eq!(simplified(vec![3.0, 1.0]), [3.0, 1.0]);
        assert_eq!(select(&[1.0, 2.0, 5.0], &[2, 0]), [5.0, 1.0]);
    }
}
