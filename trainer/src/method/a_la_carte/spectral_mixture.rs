//! Frequencies of a mixture of Gaussians whose parameters minimise the validated error of a ridge fit.
//!
//! Z. Yang, A. J. Smola, L. Song and A. G. Wilson, *À la carte: learning fast kernels*, 2015, in the form of D. Oglic
//! and T. Gärtner, *Greedy feature construction*, 2016, appendix C.3: frequency j of component q is `u_j ⊙ D_q + μ_q`
//! with u_j drawn once, its sine and cosine are multiplied by ν_q², and μ, D, ν and λ are fitted on validation folds
//! while the amplitudes are a ridge fit to the training folds. Where the appendix slips, the gradient here is that of
//! the objective: ν_q² ν_q'² for components that differ, and a factor y in the derivative of `tᵀ q` by ν.

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::features::Feature;
use crate::linalg::{cholesky_solve, dot, gram, product, transpose_product};
use crate::method::common::folded_rows::FoldedRows;
use crate::solve::optimise::lbfgs::Bounds;
use crate::trig;

/// Bounds of ln λ, from 1e-10.
const LOG_LAMBDA: (f64, f64) = (-23.0, 3.0);

/// Bounds of ν.
const WEIGHT: (f64, f64) = (1e-3, 1e3);

/// The random draws of a mixture: the standard normal vectors u of each component, on the supports of the frequencies.
#[derive(Clone, Debug)]
pub struct SpectralMixture {
    /// Vectors u, n×d; zero where a frequency does not look at an input.
    pub draws: DMatrix<f64>,
    /// 1 where a frequency looks at an input, n×d.
    pub mask: DMatrix<f64>,
    /// Component of each frequency, below `components`.
    pub component: Vec<usize>,
    /// Number of components, Q.
    pub components: usize,
}

/// Sums of a fold, and its columns `[ν² cos | ν² sin | 1]`.
struct Fold {
    z: DMatrix<f64>,
    y: DMatrix<f64>,
    gram: DMatrix<f64>,
    moments: DMatrix<f64>,
}

/// Factors of the derivative by the columns of a fold: it is `left · rightᵀ`.
struct Outer {
    left: Vec<DMatrix<f64>>,
    right: Vec<DMatrix<f64>>,
}

impl SpectralMixture {
    /// Number of variables: μ and D (Q×d each, by components), ν (Q) and ln λ.
    pub fn variables(&self) -> usize {
        2 * self.components * self.draws.ncols() + self.components + 1
    }

    /// Bounds of the variables.
    pub fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::none(self.variables());
        let (last, weights) = (self.variables() - 1, self.variables() - 1 - self.components);
        bounds.lower[weights..last].fill(WEIGHT.0);
        bounds.upper[weights..last].fill(WEIGHT.1);
        (bounds.lower[last], bounds.upper[last]) = LOG_LAMBDA;
        bounds
    }

    /// The n frequencies, in the rows of a matrix n×d.
    fn weights(&self, variables: &[f64]) -> DMatrix<f64> {
        let d = self.draws.ncols();
        let (means, deviations) = variables.split_at(self.components * d);
        DMatrix::from_fn(self.draws.nrows(), d, |j, i| {
            let at = self.component[j] * d + i;
            self.draws[(j, i)] * deviations[at] + self.mask[(j, i)] * means[at]
        })
    }

    /// The frequencies, without the inputs that they do not look at.
    pub fn frequencies(&self, variables: &[f64]) -> Vec<Feature> {
        let weights = self.weights(variables);
        let frequency = |j: usize| {
            let support: Vec<usize> = (0..self.mask.ncols()).filter(|&i| self.mask[(j, i)] != 0.0).collect();
            let weights = support.iter().map(|&i| weights[(j, i)]).collect();
            Feature { support, weights, bias: 0.0 }
        };
        (0..self.draws.nrows()).map(frequency).collect()
    }

    /// The mean squared error on the validation folds, averaged over their turns and added over the targets, with its
    /// gradient by the variables.
    pub fn value(&self, rows: &FoldedRows, variables: &[f64], gradient: &mut [f64]) -> f64 {
        let (n, d) = self.draws.shape();
        let scales = &variables[2 * self.components * d..][..self.components];
        let lambda = libm::exp(variables[variables.len() - 1]);
        let transposed = self.weights(variables).transpose();
        let folds: Vec<Fold> =
            (0..rows.folds()).into_par_iter().map(|fold| self.fold(rows, fold, &transposed, scales)).collect();
        let Some((value, by_log_lambda, outer)) = validated(&folds, rows.training, lambda) else {
            return f64::NAN;
        };
        // Derivatives by the frequencies (d×n), and by the logarithm of ν of each.
        let slopes: Vec<(DMatrix<f64>, Vec<f64>)> = folds
            .par_iter()
            .zip(&outer)
            .enumerate()
            .map(|(fold, (sums, outer))| slopes(sums, outer, &rows.fold_inputs(fold), n))
            .collect();
        gradient.fill(0.0);
        let (by_weights, by_rest) = gradient.split_at_mut(2 * self.components * d);
        let (by_means, by_deviations) = by_weights.split_at_mut(self.components * d);
        for (by_frequency, by_scale) in &slopes {
            for (j, &q) in self.component.iter().enumerate() {
                for i in 0..d {
                    by_means[q * d + i] += self.mask[(j, i)] * by_frequency[(i, j)];
                    by_deviations[q * d + i] += self.draws[(j, i)] * by_frequency[(i, j)];
                }
                by_rest[q] += 2.0 * by_scale[j] / scales[q];
            }
        }
        by_rest[self.components] = by_log_lambda;
        value
    }

    fn fold(&self, rows: &FoldedRows, fold: usize, weights: &DMatrix<f64>, scales: &[f64]) -> Fold {
        let (x, y) = (rows.fold_inputs(fold), rows.fold_targets(fold));
        let (m, n) = (x.nrows(), weights.ncols());
        let mut z = product(&x, weights).resize_horizontally(2 * n, 0.0);
        let (cosines, sines) = z.as_mut_slice().split_at_mut(m * n);
        trig::cos_sin(cosines, sines);
        for (j, mut column) in z.column_iter_mut().enumerate() {
            let scale = scales[self.component[j % n]];
            column *= scale * scale;
        }
        let z = z.insert_column(2 * n, rows.constant);
        Fold { gram: gram(&z), moments: transpose_product(&z, &y), z, y }
    }
}

/// The validated error, its derivative by ln λ and those by the columns of each fold; none where they are not finite.
fn validated(folds: &[Fold], training: usize, lambda: f64) -> Option<(f64, f64, Vec<Outer>)> {
    let count = folds.len();
    let mut outer: Vec<Outer> = folds.iter().map(|_| Outer { left: Vec::new(), right: Vec::new() }).collect();
    let (mut value, mut slope) = (0.0, 0.0);
    for turn in 0..count {
        let trains = |fold: usize| (fold + count - turn) % count < training;
        let sums = |wanted: bool| {
            let chosen = (0..count).filter(|&fold| trains(fold) == wanted).map(|fold| &folds[fold]);
            chosen.fold((DMatrix::zeros(0, 0), DMatrix::zeros(0, 0), 0), |(gram, moments, rows), fold| {
                let rows = rows + fold.z.nrows();
                if gram.is_empty() {
                    (fold.gram.clone(), fold.moments.clone(), rows)
                } else {
                    (gram + &fold.gram, moments + &fold.moments, rows)
                }
            })
        };
        let ((mut system, right, rows), (gram, moments, validated)) = (sums(true), sums(false));
        for i in 0..system.nrows() {
            system[(i, i)] += rows as f64 * lambda;
        }
        let c = cholesky_solve(&system, &right)?;
        let share = 1.0 / (validated * count) as f64;
        let residual = (product(&gram, &c) - moments) * share;
        let t = cholesky_solve(&system, &residual)?;
        slope -= 2.0 * rows as f64 * lambda * t.dot(&c);
        for (fold, (sums, outer)) in folds.iter().zip(&mut outer).enumerate() {
            let error = product(&sums.z, &c) - &sums.y;
            if trains(fold) {
                outer.left.extend([&error * -2.0, product(&sums.z, &t) * -2.0]);
                outer.right.extend([t.clone(), c.clone()]);
            } else {
                value += share * error.norm_squared();
                outer.left.push(error * (2.0 * share));
                outer.right.push(c.clone());
            }
        }
    }
    value.is_finite().then_some((value, slope, outer))
}

/// Derivatives by the frequencies (d×n) and, times ν², by the ν² of each of a fold's n.
fn slopes(fold: &Fold, outer: &Outer, x: &DMatrix<f64>, n: usize) -> (DMatrix<f64>, Vec<f64>) {
    let side_by_side = |parts: &[DMatrix<f64>]| {
        let columns: Vec<_> = parts.iter().flat_map(|part| part.column_iter()).collect();
        DMatrix::from_columns(&columns)
    };
    let mut by_column = product(&side_by_side(&outer.left), &side_by_side(&outer.right).transpose());
    let m = fold.z.nrows();
    let column = |j: usize| j * m..(j + 1) * m;
    let mut by_scale = Vec::with_capacity(n);
    for j in 0..n {
        let (of_cosine, of_sine) = (column(j), column(n + j));
        let (z, slopes) = (fold.z.as_slice(), by_column.as_mut_slice());
        by_scale.push(
            dot(&z[of_cosine.clone()], &slopes[of_cosine.clone()]) + dot(&z[of_sine.clone()], &slopes[of_sine.clone()]),
        );
        // By the angle: a cosine falls as the sine says, a sine rises as the cosine says.
        for (cosine, sine) in of_cosine.zip(of_sine) {
            slopes[cosine] = slopes[sine] * z[cosine] - slopes[cosine] * z[sine];
        }
    }
    by_column.resize_horizontally_mut(n, 0.0);
    (transpose_product(x, &by_column), by_scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;
    use crate::solve::least_squares::ridge::ridge;

    /// 60 rows of 3 inputs in 5 folds, 8 frequencies of 2 components.
    fn prepared(seed: u64, outputs: usize, training: usize) -> (SpectralMixture, FoldedRows, Vec<f64>) {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(60, 3, |_, _| sampler.normal());
        let y = DMatrix::from_fn(60, outputs, |i, k| (x[(i, 0)] + 0.5 * x[(i, 1 + k)]).sin() + 0.1 * sampler.normal());
        let mask = DMatrix::from_fn(8, 3, |j, i| f64::from(u8::from(j < 4 || j % 3 != i)));
        let draws = mask.map(|m| m * sampler.normal());
        let mixture = SpectralMixture { draws, mask, component: vec![0, 0, 0, 1, 1, 0, 1, 1], components: 2 };
        let mut variables: Vec<f64> = (0..12).map(|_| 0.6 * sampler.normal()).collect();
        variables.extend([0.5, 1.2, sampler.uniform(-5.0, -1.0)]);
        (mixture, FoldedRows { x, y, bounds: vec![0, 11, 24, 36, 47, 60], training, constant: 1.0 }, variables)
    }

    /// The value by ridge fits to the training rows.
    fn direct(mixture: &SpectralMixture, rows: &FoldedRows, variables: &[f64]) -> f64 {
        let frequencies = mixture.frequencies(variables);
        let z = DMatrix::from_fn(60, 17, |row, column| {
            let Some(f) = frequencies.get(column % 8).filter(|_| column < 16) else { return 1.0 };
            let angle: f64 = f.support.iter().zip(&f.weights).map(|(&i, w)| w * rows.x[(row, i)]).sum();
            let nu = variables[12 + mixture.component[column % 8]];
            nu * nu * if column < 8 { angle.sin() } else { angle.cos() }
        });
        let mut value = 0.0;
        for turn in 0..5 {
            let trained: Vec<usize> = (0..rows.training).map(|i| (turn + i) % 5).collect();
            let fold = |row: usize| (0..5).find(|&fold| row < rows.bounds[fold + 1]).unwrap();
            let (train, test): (Vec<usize>, Vec<usize>) = (0..60).partition(|&row| trained.contains(&fold(row)));
            let penalty = variables[14].exp() * train.len() as f64;
            let c = ridge(&z.select_rows(&train), &rows.y.select_rows(&train), penalty).unwrap();
            let error = z.select_rows(&test) * c - rows.y.select_rows(&test);
            value += error.norm_squared() / test.len() as f64 / 5.0;
        }
        value
    }

    #[test]
    fn the_value_is_that_of_the_formula_and_the_gradient_that_of_finite_differences() {
        for seed in 0..5 {
            for (outputs, training) in [(1, 4), (2, 4), (1, 1)] {
                let (mixture, rows, variables) = prepared(seed, outputs, training);
                let mut gradient = vec![0.0; mixture.variables()];
                let value = mixture.value(&rows, &variables, &mut gradient);
                let exact = direct(&mixture, &rows, &variables);
                assert!((value - exact).abs() < 1e-10 * exact, "{value} {exact}");
                let largest = gradient.iter().fold(0.0_f64, |a, g| a.max(g.abs()));
                for (i, &g) in gradient.iter().enumerate() {
                    const STEP: f64 = 1e-3;
                    let at = |by: f64| {
                        let mut moved = variables.clone();
                        moved[i] += by * STEP;
                        direct(&mixture, &rows, &moved)
                    };
                    // Central differences of sixth order: the value bends sharply where λ is small.
                    let differences = [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)];
                    let numeric: f64 =
                        differences.iter().map(|(by, c)| c * (at(*by) - at(-by))).sum::<f64>() / (60.0 * STEP);
                    assert!((g - numeric).abs() < 1e-6 * g.abs().max(1e-2 * largest), "{i}: {g} {numeric}");
                }
            }
        }
    }
}
