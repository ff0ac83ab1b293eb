//! One step of a greedy descent: the frequency whose wave, beside an estimate that there is already, fits targets best.
//!
//! D. Oglic and T. Gärtner, *Greedy feature construction*, 2016, line 3 of Algorithm 1 and appendix C.1: the amplitudes
//! of `z = [1, f, sin⟨ω, x⟩, cos⟨ω, x⟩]` are a ridge fit to training folds, and ω and λ minimise the error that they
//! leave on validation folds. Value and gradient need no more of the rows than the moments of z in each fold, so that
//! all folds take their turns at validation for the cost of one.

use nalgebra::{Cholesky, Const, DMatrix, Matrix4, Vector4};

use crate::linalg::{dot, vectorised};
use crate::method::common::folded_rows::{FoldedRows, column};
use crate::solve::optimise::lbfgs::Bounds;
use crate::trig;

/// Bounds of ln λ, from 1e-10: below, rounding decides; above, nothing is left of the fit.
const LOG_LAMBDA: (f64, f64) = (-23.0, 3.0);

/// λ that a step begins with.
const FIRST_LAMBDA: f64 = 1e-4;

/// The estimate `b + c₀ f + c₁ sin⟨ω, x⟩ + c₂ cos⟨ω, x⟩` of every target in the place of f.
pub fn extend(
    estimate: &mut DMatrix<f64>,
    rows: &FoldedRows,
    inputs: &[usize],
    weights: &[f64],
    amplitudes: &DMatrix<f64>,
) {
    let (mut cosine, mut sine) = (vec![0.0; rows.x.nrows()], vec![0.0; rows.x.nrows()]);
    rows.add_angles(inputs, weights, &mut cosine);
    trig::cos_sin(&mut cosine, &mut sine);
    for (mut estimate, c) in estimate.column_iter_mut().zip(amplitudes.column_iter()) {
        for ((f, sine), cosine) in estimate.iter_mut().zip(&sine).zip(&cosine) {
            *f = c[0] * rows.constant + c[1] * *f + c[2] * sine + c[3] * cosine;
        }
    }
}

/// Moments of z and one target over rows.
#[derive(Clone, Copy, Debug)]
struct Moments {
    rows: f64,
    gram: Matrix4<f64>,
    moments: Vector4<f64>,
    square: f64,
}

impl Moments {
    fn sum<'m>(parts: impl Iterator<Item = &'m Moments>) -> Moments {
        let zero = Moments { rows: 0.0, gram: Matrix4::zeros(), moments: Vector4::zeros(), square: 0.0 };
        parts.fold(zero, |sum, part| Moments {
            rows: sum.rows + part.rows,
            gram: sum.gram + part.gram,
            moments: sum.moments + part.moments,
            square: sum.square + part.square,
        })
    }

    /// Factor of the normal equations with the penalty λ a row; none where they are not finite.
    fn factor(&self, lambda: f64) -> Option<Cholesky<f64, Const<4>>> {
        (self.gram + Matrix4::identity() * (self.rows * lambda)).cholesky()
    }

    /// Sum of the squared errors of amplitudes.
    fn error(&self, c: &Vector4<f64>) -> f64 {
        self.square - 2.0 * c.dot(&self.moments) + c.dot(&(self.gram * c))
    }
}

/// Derivatives of the error by the entries of [`Moments`].
#[derive(Clone, Copy)]
struct Sensitivity {
    gram: Matrix4<f64>,
    moments: Vector4<f64>,
}

/// The objective of a step.
pub struct GreedyStep<'a> {
    rows: &'a FoldedRows,
    estimate: &'a DMatrix<f64>,
    inputs: &'a [usize],
    /// The moments that do not depend on ω, fold by fold for every target.
    fixed: Vec<Vec<Moments>>,
    /// Mean squared error of the estimate.
    unit: f64,
    sine: Vec<f64>,
    cosine: Vec<f64>,
    slopes: Vec<f64>,
}

impl<'a> GreedyStep<'a> {
    /// A step from `estimate` (m×k) with a frequency on `inputs`.
    pub fn new(rows: &'a FoldedRows, estimate: &'a DMatrix<f64>, inputs: &'a [usize]) -> GreedyStep<'a> {
        let count = rows.x.nrows();
        let fixed = |target: usize| -> Vec<Moments> {
            (0..rows.folds()).map(|fold| fixed_moments(rows, estimate, target, fold)).collect()
        };
        let unit = (estimate - &rows.y).norm_squared() / count as f64;
        GreedyStep {
            rows,
            estimate,
            inputs,
            fixed: (0..rows.y.ncols()).map(fixed).collect(),
            unit: if unit > 0.0 { unit } else { 1.0 },
            sine: vec![0.0; count],
            cosine: vec![0.0; count],
            slopes: vec![0.0; count],
        }
    }

    /// The variables at the start: the weights, and ln λ of a moderate λ.
    pub fn start(mut weights: Vec<f64>) -> Vec<f64> {
        weights.push(libm::log(FIRST_LAMBDA));
        weights
    }

    /// No bounds on the weights, wide ones on ln λ.
    pub fn bounds(&self) -> Bounds {
        let last = self.inputs.len();
        let mut bounds = Bounds::none(last + 1);
        (bounds.lower[last], bounds.upper[last]) = LOG_LAMBDA;
        bounds
    }

    /// The mean squared error on the validation folds, averaged over the turns and added over the targets, in units of
    /// that of the estimate; with its gradient. Variables are the weights of the frequency and ln λ.
    pub fn value(&mut self, variables: &[f64], gradient: &mut [f64]) -> f64 {
        let (log_lambda, weights) = variables.split_last().expect("at least ln λ");
        let lambda = libm::exp(*log_lambda);
        self.set_waves(weights);
        self.slopes.fill(0.0);
        let (mut value, mut slope) = (0.0, 0.0);
        for target in 0..self.rows.y.ncols() {
            let Some((error, by_log_lambda, sensitivities)) = self.validated(&self.moments(target), lambda) else {
                return f64::NAN;
            };
            value += error;
            slope += by_log_lambda;
            self.add_slopes(target, &sensitivities);
        }
        let (last, gradient) = gradient.split_last_mut().expect("at least ln λ");
        *last = slope / self.unit;
        for (gradient, &input) in gradient.iter_mut().zip(self.inputs) {
            *gradient = vectorised!(dot(column(&self.rows.x, input), &self.slopes)) / self.unit;
        }
        value / self.unit
    }

    /// Amplitudes (4×k) of `[1, f, sin, cos]` fitted to all rows; none where they are not finite.
    pub fn amplitudes(&mut self, variables: &[f64]) -> Option<DMatrix<f64>> {
        let (log_lambda, weights) = variables.split_last()?;
        self.set_waves(weights);
        let mut amplitudes = DMatrix::zeros(4, self.rows.y.ncols());
        for (target, mut column) in amplitudes.column_iter_mut().enumerate() {
            let all = Moments::sum(self.moments(target).iter());
            column.copy_from(&all.factor(libm::exp(*log_lambda))?.solve(&all.moments));
        }
        Some(amplitudes)
    }

    fn set_waves(&mut self, weights: &[f64]) {
        self.cosine.fill(0.0);
        self.rows.add_angles(self.inputs, weights, &mut self.cosine);
        trig::cos_sin(&mut self.cosine, &mut self.sine);
    }

    /// Moments of each fold.
    fn moments(&self, target: usize) -> Vec<Moments> {
        let (estimate, y) = (column(self.estimate, target), column(&self.rows.y, target));
        let complete = |(fold, mut moments): (usize, Moments)| {
            let rows = self.rows.fold(fold);
            let (sine, cosine) = (&self.sine[rows.clone()], &self.cosine[rows.clone()]);
            let (f, y) = (&estimate[rows.clone()], &y[rows]);
            vectorised!({
                let (b, gram) = (self.rows.constant, &mut moments.gram);
                for (at, wave) in [(2, sine), (3, cosine)] {
                    gram[(0, at)] = b * wave.iter().sum::<f64>();
                    gram[(1, at)] = dot(f, wave);
                    moments.moments[at] = dot(y, wave);
                }
                gram[(2, 2)] = dot(sine, sine);
                gram[(2, 3)] = dot(sine, cosine);
                gram[(3, 3)] = dot(cosine, cosine);
            });
            moments.gram.fill_lower_triangle_with_upper_triangle();
            moments
        };
        self.fixed[target].iter().copied().enumerate().map(complete).collect()
    }

    /// The error on the validation folds, its derivative by ln λ and those by the moments; none where the moments are
    /// not finite.
    fn validated(&self, folds: &[Moments], lambda: f64) -> Option<(f64, f64, Vec<Sensitivity>)> {
        let count = folds.len();
        let mut sensitivities = vec![Sensitivity { gram: Matrix4::zeros(), moments: Vector4::zeros() }; count];
        let (mut value, mut slope) = (0.0, 0.0);
        for turn in 0..count {
            let trains = |fold: usize| (fold + count - turn) % count < self.rows.training;
            let part =
                |wanted| Moments::sum((0..count).filter(|&fold| trains(fold) == wanted).map(|fold| &folds[fold]));
            let (training, validation) = (part(true), part(false));
            let factor = training.factor(lambda)?;
            let c = factor.solve(&training.moments);
            let share = 1.0 / (validation.rows * count as f64);
            value += share * validation.error(&c);
            // How the error answers to the right-hand side of the normal equations (Keerthi, Sindhwani and Chapelle
            // 2006).
            let t = factor.solve(&((validation.gram * c - validation.moments) * share));
            slope -= 2.0 * training.rows * lambda * t.dot(&c);
            for (fold, sensitivity) in sensitivities.iter_mut().enumerate() {
                if trains(fold) {
                    sensitivity.gram -= t * c.transpose() + c * t.transpose();
                    sensitivity.moments += 2.0 * t;
                } else {
                    sensitivity.gram += share * c * c.transpose();
                    sensitivity.moments -= 2.0 * share * c;
                }
            }
        }
        value.is_finite().then_some((value, slope, sensitivities))
    }

    /// Adds the derivatives of the error by the angle of each row.
    fn add_slopes(&mut self, target: usize, sensitivities: &[Sensitivity]) {
        let (estimate, y) = (column(self.estimate, target), column(&self.rows.y, target));
        for (fold, Sensitivity { gram, moments }) in sensitivities.iter().enumerate() {
            let rows = self.rows.fold(fold);
            let (sine, cosine) = (&self.sine[rows.clone()], &self.cosine[rows.clone()]);
            let (f, y) = (&estimate[rows.clone()], &y[rows.clone()]);
            let slopes = &mut self.slopes[rows];
            let (twice, b) = (2.0 * gram, self.rows.constant);
            vectorised!({
                for i in 0..slopes.len() {
                    let by = |wave: usize| {
                        twice[(wave, 0)] * b
                            + twice[(wave, 1)] * f[i]
                            + twice[(wave, 2)] * sine[i]
                            + twice[(wave, 3)] * cosine[i]
                            + moments[wave] * y[i]
                    };
                    slopes[i] += by(2) * cosine[i] - by(3) * sine[i];
                }
            });
        }
    }
}

/// Moments of a fold without those of the wave.
fn fixed_moments(rows: &FoldedRows, estimate: &DMatrix<f64>, target: usize, fold: usize) -> Moments {
    let range = rows.fold(fold);
    let (f, y) = (&column(estimate, target)[range.clone()], &column(&rows.y, target)[range]);
    let (count, b) = (f.len() as f64, rows.constant);
    let (mut gram, mut moments) = (Matrix4::zeros(), Vector4::zeros());
    gram[(0, 0)] = b * b * count;
    gram[(0, 1)] = b * f.iter().sum::<f64>();
    gram[(1, 1)] = dot(f, f);
    (moments[0], moments[1]) = (b * y.iter().sum::<f64>(), dot(f, y));
    Moments { rows: count, gram, moments, square: dot(y, y) }
}

#[cfg(test)]
mod tests;
