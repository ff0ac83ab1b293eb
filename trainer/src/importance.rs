//! Which inputs a fitted expansion depends on.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::features::{activate, argument_matrix, feature_matrix};
use crate::linalg::{product, zeros};
use crate::model::{Expansion, Importance};
use crate::sampling::Sampler;
use crate::sums::{InMemory, Rows, Variances, row_tiles};
use crate::trees::add_changes;

/// The largest number of rows that the importance of a model is computed from.
const IMPORTANCE_ROWS: usize = 2000;

/// The seed of the rows and of their order. The importance is a property of the model and the data alone.
const SEED: u64 = 21;

impl Expansion {
    /// Returns the importance of every input over the rows of `x` (n×d, in the coordinates of the expansion): the mean
    /// square change of the outputs when the input takes the reading of another row, as a share of the sum over all
    /// inputs.
    ///
    /// Half of that mean square change estimates the total effect of the input on the variance of the outputs, if the
    /// inputs are independent (M. Jansen, *Analysis of variance designs for model output*, 1999). Terms that cancel
    /// each other do not count. At most 2,000 rows are looked at, so that the cost does not grow with the table.
    pub fn input_importance(&self, x: &DMatrix<f64>) -> Vec<Importance> {
        let mut sampler = Sampler::new(SEED);
        let x = x.select_rows(&sampler.choose(x.nrows(), IMPORTANCE_ROWS));
        // Along a cycle through all rows, every row takes the reading of another one.
        let cycle = sampler.permutation(x.nrows());
        let mut from = cycle.clone();
        for (&row, &next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
            from[row] = next;
        }
        let shares = normalised(squared_changes(self, &x, &from));
        let of_features = |input| self.features.iter().filter(|feature| feature.support.contains(&input)).count();
        let conditions = || self.trees.iter().flat_map(|tree| &tree.conditions);
        let occurrences =
            |input| of_features(input) + conditions().filter(|condition| condition.input == input).count();
        let importance = |(input, share)| Importance { share, occurrences: occurrences(input) };
        shares.into_iter().enumerate().map(importance).collect()
    }
}

/// Returns the importance of every input for the terms as a share of the sum over all inputs: the standard deviation of
/// each feature's contribution, divided among its inputs in proportion to ω_i², plus that of the linear term.
///
/// Terms that cancel each other count in full, while [`Expansion::input_importance`] counts what they leave.
pub(crate) fn term_importance(expansion: &Expansion, x: &DMatrix<f64>) -> Vec<f64> {
    let mut shares = vec![0.0; x.ncols()];
    let values = |x: &DMatrix<f64>| feature_matrix(x, &expansion.features, expansion.activation);
    let rows = InMemory { x, y: &DMatrix::zeros(x.nrows(), 0) };
    let Ok(spread) = rows.sum(&Variances { values, columns: expansion.features.len() });
    for (j, feature) in expansion.features.iter().enumerate() {
        let energy = spread.variances[j].sqrt() * expansion.coefficients.row(j).norm();
        let total: f64 = feature.weights.iter().map(|w| w * w).sum();
        for (&input, &weight) in feature.support.iter().zip(&feature.weights) {
            shares[input] += if total > 0.0 { energy * weight * weight / total } else { 0.0 };
        }
    }
    for (i, share) in shares.iter_mut().enumerate() {
        *share += x.column(i).variance().sqrt() * expansion.linear.row(i).norm();
    }
    normalised(shares)
}

/// Returns the permutation importance of every input as a share of the sum over all inputs (L. Breiman, *Random
/// forests*, 2001): the root mean square change of the outputs when the input's readings are permuted among the rows of
/// `x` (n×d, in the coordinates of the expansion).
pub(crate) fn permutation_importance(expansion: &Expansion, x: &DMatrix<f64>, sampler: &mut Sampler) -> Vec<f64> {
    let squares = squared_changes(expansion, x, &sampler.permutation(x.nrows()));
    normalised(squares.into_iter().map(f64::sqrt).collect())
}

/// Returns the squared change of the outputs, summed over the rows of `x` and the outputs, when one input takes its
/// reading of row `from[i]` in row i; an entry for each input.
///
/// The projections of the features are computed once. Each input then takes one evaluation of its own features.
fn squared_changes(expansion: &Expansion, x: &DMatrix<f64>, from: &[usize]) -> Vec<f64> {
    let Expansion { activation, features, coefficients, linear, trees, .. } = expansion;
    let users = users(expansion, x.ncols());
    let mut squares = vec![0.0; x.ncols()];
    for (first, tile) in row_tiles(x) {
        let arguments = argument_matrix(&tile, features, *activation);
        let mut values = arguments.clone();
        for (mut column, feature) in values.column_iter_mut().zip(features) {
            activate(column.as_mut_slice(), feature, *activation);
        }
        let from = &from[first..first + tile.nrows()];
        squares.par_iter_mut().zip(&users).enumerate().for_each(|(input, (square, users))| {
            let steps: Vec<f64> = from.iter().zip(&tile.column(input)).map(|(&row, x0)| x[(row, input)] - x0).collect();
            let mut changes = zeros(tile.nrows(), users.len());
            for (&(j, weight), mut change) in users.iter().zip(changes.column_iter_mut()) {
                change.copy_from(&arguments.column(j));
                change.iter_mut().zip(&steps).for_each(|(t, step)| *t += weight * step);
                activate(change.as_mut_slice(), &features[j], *activation);
                change -= values.column(j);
            }
            let coefficients = coefficients.select_rows(users.iter().map(|(j, _)| j));
            let mut change = product(&changes, &coefficients);
            for (output, mut change) in change.column_iter_mut().enumerate() {
                change.iter_mut().zip(&steps).for_each(|(y, step)| *y += linear[(input, output)] * step);
            }
            let other: Vec<f64> = from.iter().map(|&row| x[(row, input)]).collect();
            add_changes(trees, &tile, input, &other, &mut change);
            *square += change.norm_squared();
        });
    }
    squares
}

/// Returns the features of every input, with the input's weight.
fn users(expansion: &Expansion, inputs: usize) -> Vec<Vec<(usize, f64)>> {
    let mut users = vec![Vec::new(); inputs];
    for (j, feature) in expansion.features.iter().enumerate() {
        for (&input, &weight) in feature.support.iter().zip(&feature.weights) {
            users[input].push((j, weight));
        }
    }
    users
}

/// Returns the values divided by their sum, if it is positive.
fn normalised(mut values: Vec<f64>) -> Vec<f64> {
    let total: f64 = values.iter().sum();
    if total > 0.0 {
        values.iter_mut().for_each(|value| *value /= total);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Activation, Feature};

    fn uniform(rows: usize, inputs: usize, seed: u64) -> DMatrix<f64> {
        let mut sampler = Sampler::new(seed);
        DMatrix::from_fn(rows, inputs, |_, _| sampler.uniform(-1.0, 1.0))
    }

    fn expansion(features: Vec<Feature>, coefficients: DMatrix<f64>, linear: DMatrix<f64>) -> Expansion {
        let intercept = DMatrix::zeros(1, coefficients.ncols());
        Expansion { activation: Activation::Sine, features, coefficients, intercept, linear, trees: Vec::new() }
    }

    fn feature(support: Vec<usize>, weights: Vec<f64>) -> Feature {
        Feature { support, weights, bias: 0.3 }
    }

    /// sin a appears twice with opposite signs, and sin b and x/2 are left. The last input has no term.
    fn with_cancelling_terms() -> Expansion {
        let feature = |input: usize| Feature { support: vec![input], weights: vec![1.0], bias: 0.0 };
        let linear = DMatrix::from_column_slice(4, 1, &[0.0, 0.0, 0.5, 0.0]);
        let coefficients = DMatrix::from_column_slice(3, 1, &[9.0, -9.0, 1.0]);
        expansion(vec![feature(0), feature(0), feature(1)], coefficients, linear)
    }

    /// The variances of sin x and of x/2 for x uniform between -1 and 1.
    const VARIANCES: [f64; 2] = [0.272_675_643_293_579_6, 1.0 / 12.0];

    #[test]
    fn terms_that_cancel_have_no_share_of_the_outputs() {
        assert!((VARIANCES[0] - (1.0 - 2f64.sin() / 2.0) / 2.0).abs() < 1e-15);
        let importance = with_cancelling_terms().input_importance(&uniform(4000, 4, 2));
        // The change between two rows has twice the variance. 2,000 rows: a mean square is off by about 3 %.
        let share = VARIANCES[0] / (VARIANCES[0] + VARIANCES[1]);
        let shares: Vec<f64> = importance.iter().map(|i| i.share).collect();
        assert!((shares[1] - share).abs() < 0.02 && (shares[2] - 1.0 + share).abs() < 0.02, "{shares:?}");
        // Rounding is left of what cancels.
        assert!(shares[0] < 1e-24 && shares[3] == 0.0, "{shares:?}");
        assert_eq!(importance.iter().map(|i| i.occurrences).collect::<Vec<_>>(), [2, 1, 0, 0]);
        assert!(term_importance(&with_cancelling_terms(), &uniform(4000, 4, 2))[0] > 0.9);
    }

    #[test]
    fn shares_are_total_effects_of_all_outputs() {
        // Two outputs, x0 x1 as a difference of cosines, and a feature that both inputs share with another.
        let wave =
            |weights: [f64; 2]| Feature { bias: std::f64::consts::FRAC_PI_2, ..feature(vec![0, 1], weights.into()) };
        let features = vec![wave([1.0, -1.0]), wave([1.0, 1.0]), feature(vec![2], vec![2.0])];
        let coefficients = DMatrix::from_row_slice(3, 2, &[1.0, 0.5, -1.0, -0.5, 0.0, 0.4]);
        let expansion =
            expansion(features, coefficients, DMatrix::from_row_slice(3, 2, &[0.3, 0.0, 0.0, 0.0, 0.0, 0.1]));
        let importance = expansion.input_importance(&uniform(2000, 3, 5));
        // The total effect of an input is the mean over the others of the variance along it: sums over a grid.
        let grid: Vec<f64> = (0..40).map(|k| (k as f64 + 0.5) / 20.0 - 1.0).collect();
        let output = |x: [f64; 3]| {
            let cosines = (x[0] - x[1]).cos() - (x[0] + x[1]).cos();
            [cosines + 0.3 * x[0], 0.5 * cosines + 0.4 * (2.0 * x[2] + 0.3).sin() + 0.1 * x[2]]
        };
        let effect = |input: usize| {
            let others = grid.iter().flat_map(|&a| grid.iter().map(move |&b| [a, b]));
            let along = |[a, b]: [f64; 2]| {
                let place = |v: f64| std::array::from_fn(|i| if i == input { v } else { [a, b, b][i] });
                let values: Vec<[f64; 2]> = grid.iter().map(|&v| output(place(v))).collect();
                let mean = |k: usize| values.iter().map(|y| y[k]).sum::<f64>() / 40.0;
                let means = [mean(0), mean(1)];
                values.iter().map(|y| (y[0] - means[0]).powi(2) + (y[1] - means[1]).powi(2)).sum::<f64>() / 40.0
            };
            others.map(along).sum::<f64>() / 1600.0
        };
        let effects: Vec<f64> = (0..3).map(effect).collect();
        let total: f64 = effects.iter().sum();
        for (importance, effect) in importance.iter().zip(&effects) {
            assert!((importance.share - effect / total).abs() < 0.02, "{importance:?} {}", effect / total);
        }
    }

    #[test]
    fn permuted_columns_give_the_same_changes() {
        let mut sampler = Sampler::new(7);
        // More rows than a tile.
        let x = uniform(5000, 5, 8);
        for activation in [Activation::Sine, Activation::Sigmoid, Activation::Relu, Activation::Square] {
            let features = vec![feature(vec![0, 2], vec![2.0, -1.0]), feature(vec![1, 2, 3], vec![0.5, 1.0, 3.0])];
            let coefficients = DMatrix::from_row_slice(2, 2, &[1.0, -2.0, 0.5, 0.25]);
            let linear = DMatrix::from_fn(5, 2, |i, k| if i == 4 { 0.0 } else { 0.1 * (i + k) as f64 });
            let expansion = Expansion { activation, ..expansion(features, coefficients, linear) };
            let from = sampler.permutation(5000);
            let before = expansion.predict(&x);
            for (input, square) in squared_changes(&expansion, &x, &from).into_iter().enumerate() {
                let mut permuted = x.clone();
                permuted.set_column(input, &x.column(input).select_rows(&from));
                let expected = (expansion.predict(&permuted) - &before).norm_squared();
                assert!((square - expected).abs() <= 1e-11 * expected, "{activation:?} {input}: {square} {expected}");
            }
        }
    }

    #[test]
    fn permutation_importance_compares_deviations() {
        let importance = permutation_importance(&with_cancelling_terms(), &uniform(4000, 4, 2), &mut Sampler::new(2));
        let deviations = VARIANCES.map(f64::sqrt);
        let share = deviations[0] / (deviations[0] + deviations[1]);
        // 4000 rows: a deviation is off by 1 %.
        assert!((importance[1] - share).abs() < 0.02 && (importance[2] - 1.0 + share).abs() < 0.02, "{importance:?}");
        assert!(importance[0] < 1e-12 && importance[3] == 0.0, "{importance:?}");
    }

    #[test]
    fn importance_of_terms_by_hand() {
        let x = uniform(4000, 3, 1);
        let features = vec![feature(vec![0, 1], vec![3.0, 1.0]), feature(vec![1], vec![2.0])];
        let expansion = expansion(features, DMatrix::from_column_slice(2, 1, &[2.0, 0.0]), DMatrix::zeros(3, 1));
        let shares = term_importance(&expansion, &x);
        // Only the first feature contributes; ω² divides it as 9 to 1.
        assert!((shares[0] - 0.9).abs() < 1e-12 && (shares[1] - 0.1).abs() < 1e-12 && shares[2] == 0.0);
        let linear = Expansion { linear: DMatrix::from_column_slice(3, 1, &[0.0, 0.0, 1e9]), ..expansion };
        assert!(term_importance(&linear, &x)[2] > 0.999);
    }

    #[test]
    fn few_rows_take_the_readings_of_other_rows() {
        let two = DMatrix::from_row_slice(2, 2, &[1.0, 3.0, 2.0, 3.0]);
        let line = expansion(Vec::new(), DMatrix::zeros(0, 1), DMatrix::from_column_slice(2, 1, &[1.0, 1.0]));
        let shares = |x: &DMatrix<f64>| line.input_importance(x).iter().map(|i| i.share).collect::<Vec<_>>();
        assert_eq!(shares(&two), [1.0, 0.0]);
        assert_eq!(shares(&two.rows(0, 1).into_owned()), [0.0, 0.0]);
        assert_eq!(shares(&two.rows(0, 0).into_owned()), [0.0, 0.0]);
    }
}
