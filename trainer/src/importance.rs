//! Which inputs a fitted expansion depends on.

use nalgebra::DMatrix;

use crate::features::feature_matrix;
use crate::model::{Expansion, Importance};
use crate::sampling::Sampler;
use crate::sums::{InMemory, Rows, Variances};

impl Expansion {
    /// Returns the importance of every input over the rows of `x` (n×d, in the coordinates of the expansion).
    ///
    /// Features are weighted by their contribution to the outputs, because their number alone does not show it.
    pub fn input_importance(&self, x: &DMatrix<f64>) -> Vec<Importance> {
        let mut importance = vec![Importance::default(); x.ncols()];
        let values = |x: &DMatrix<f64>| feature_matrix(x, &self.features, self.activation);
        let rows = InMemory { x, y: &DMatrix::zeros(x.nrows(), 0) };
        let Ok(spread) = rows.sum(&Variances { values, columns: self.features.len() });
        for (j, feature) in self.features.iter().enumerate() {
            let energy = spread.variances[j].sqrt() * self.coefficients.row(j).norm();
            let total: f64 = feature.weights.iter().map(|w| w * w).sum();
            for (&input, &weight) in feature.support.iter().zip(&feature.weights) {
                importance[input].share += if total > 0.0 { energy * weight * weight / total } else { 0.0 };
                importance[input].occurrences += 1;
            }
        }
        for (i, importance) in importance.iter_mut().enumerate() {
            importance.share += x.column(i).variance().sqrt() * self.linear.row(i).norm();
        }
        let total: f64 = importance.iter().map(|i| i.share).sum();
        if total > 0.0 {
            importance.iter_mut().for_each(|i| i.share /= total);
        }
        importance
    }
}

/// Returns the permutation importance of every input as a share of the sum over all inputs (L. Breiman, *Random
/// forests*, 2001): the root mean square change of the outputs when the input's readings are permuted among the rows of
/// `x` (n×d, in the coordinates of the expansion).
///
/// Features that cancel each other do not count here, while [`Expansion::input_importance`] counts each in full. The
/// permutation importance takes a prediction of all rows for every input.
pub(crate) fn permutation_importance(expansion: &Expansion, x: &DMatrix<f64>, sampler: &mut Sampler) -> Vec<f64> {
    let (before, rows) = (expansion.predict(x), sampler.permutation(x.nrows()));
    let mut permuted = x.clone();
    let mut moved = |input: usize| {
        let used = expansion.features.iter().any(|feature| feature.support.contains(&input));
        if !used && expansion.linear.row(input).iter().all(|&weight| weight == 0.0) {
            return 0.0;
        }
        let column = x.column(input);
        permuted.column_mut(input).iter_mut().zip(&rows).for_each(|(value, &row)| *value = column[row]);
        let moved = (expansion.predict(&permuted) - &before).norm();
        permuted.column_mut(input).copy_from(&column);
        moved
    };
    let mut importance: Vec<f64> = (0..x.ncols()).map(&mut moved).collect();
    let total: f64 = importance.iter().sum();
    if total > 0.0 {
        importance.iter_mut().for_each(|share| *share /= total);
    }
    importance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Activation, Feature};

    #[test]
    fn shares_by_hand() {
        let mut sampler = Sampler::new(1);
        let x = DMatrix::from_fn(4000, 3, |_, _| sampler.uniform(-1.0, 1.0));
        let feature = |support: Vec<usize>, weights: Vec<f64>| Feature { support, weights, bias: 0.3 };
        let expansion = Expansion {
            activation: Activation::Sine,
            features: vec![feature(vec![0, 1], vec![3.0, 1.0]), feature(vec![1], vec![2.0])],
            coefficients: DMatrix::from_column_slice(2, 1, &[2.0, 0.0]),
            intercept: DMatrix::zeros(1, 1),
            linear: DMatrix::zeros(3, 1),
        };
        let importance = expansion.input_importance(&x);
        // Only the first feature contributes; ω² divides it as 9 to 1.
        assert!((importance[0].share - 0.9).abs() < 1e-12 && (importance[1].share - 0.1).abs() < 1e-12);
        assert_eq!(importance.iter().map(|i| i.occurrences).collect::<Vec<_>>(), [1, 2, 0]);
        let linear = Expansion { linear: DMatrix::from_column_slice(3, 1, &[0.0, 0.0, 1e9]), ..expansion };
        assert!(linear.input_importance(&x)[2].share > 0.999);
    }

    #[test]
    fn what_cancels_moves_nothing() {
        let mut sampler = Sampler::new(2);
        let x = DMatrix::from_fn(4000, 4, |_, _| sampler.uniform(-1.0, 1.0));
        let feature = |input: usize| Feature { support: vec![input], weights: vec![1.0], bias: 0.0 };
        let expansion = Expansion {
            activation: Activation::Sine,
            features: vec![feature(0), feature(0), feature(1)],
            coefficients: DMatrix::from_column_slice(3, 1, &[9.0, -9.0, 1.0]),
            intercept: DMatrix::zeros(1, 1),
            linear: DMatrix::from_column_slice(4, 1, &[0.0, 0.0, 0.5, 0.0]),
        };
        let importance = permutation_importance(&expansion, &x, &mut sampler);
        // Permuted, a contribution changes by √2 of its deviation: sin has one of (1 − sin 2 / 2) / 2 squared, x / 2 of
        // 1 / 12.
        let deviations = [((1.0 - 2f64.sin() / 2.0) / 2.0).sqrt(), (1.0 / 12f64).sqrt()];
        let share = deviations[0] / (deviations[0] + deviations[1]);
        // 4000 rows: a deviation is off by 1 %.
        assert!((importance[1] - share).abs() < 0.02 && (importance[2] - 1.0 + share).abs() < 0.02, "{importance:?}");
        // What cancels leaves its rounding.
        assert!(importance[0] < 1e-12 && importance[3] == 0.0, "{importance:?}");
        assert!(expansion.input_importance(&x)[0].share > 0.9);
    }
}
