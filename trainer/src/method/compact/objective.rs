//! The error of frequencies as a function of their weights, with the amplitudes and terms as the best there are.
//!
//! At the best amplitudes the error does not depend on them to first order, so that its gradient by a weight is that
//! with the amplitudes held (G. H. Golub and V. Pereyra, *The differentiation of pseudo-inverses and nonlinear least
//! squares problems whose variables separate*, 1973). The Jacobian of the residuals leaves out a term that is small
//! with them (L. Kaufman, *A variable projection method for solving separable nonlinear least squares problems*, 1975).

use std::ops::Range;

use nalgebra::DMatrix;
use rayon::prelude::*;

use crate::features::Feature;
use crate::linalg::{Factor, add_gram, dot, subtract_product, transpose_product, vectorised, zeros};
use crate::method::compact::problem::Problem;
use crate::solve::optimise::levenberg_marquardt::{Linearised, SumOfSquares};

/// Penalty, as a share of the rows, below which normal equations are not safe: their rounding is below 1e-13 of the
/// rows.
const LEAST_PENALTY: f64 = 1e-10;

/// The objective of a problem for frequencies whose weights vary and whose supports do not.
pub struct Objective<'a> {
    problem: &'a Problem<'a>,
    frequencies: Vec<Feature>,
}

/// The best amplitudes at some weights, and what they leave.
pub struct Point {
    frequencies: Vec<Feature>,
    /// Values `[cos | sin]` of the frequencies, n×2N.
    waves: DMatrix<f64>,
    /// The penalty of every frequency.
    penalties: Vec<f64>,
    /// The normal equations of the waves less what the terms explain, with the penalties, 2N×2N.
    equations: Factor,
    /// Amplitudes, 2N×k.
    amplitudes: DMatrix<f64>,
    /// Targets less what the waves and the terms explain, n×k.
    rest: DMatrix<f64>,
}

impl Point {
    /// The sum of the squared amplitudes of frequency `j`.
    fn square(&self, j: usize) -> f64 {
        self.amplitudes.row(j).norm_squared() + self.amplitudes.row(self.frequencies.len() + j).norm_squared()
    }
}

/// Sets the weights of all frequencies in turn.
pub fn set_weights(frequencies: &mut [Feature], weights: &[f64]) {
    let all = frequencies.iter_mut().flat_map(|f| f.weights.iter_mut());
    all.zip(weights).for_each(|(weight, &value)| *weight = value);
}

impl<'a> Objective<'a> {
    /// The objective of a problem near frequencies.
    pub fn new(problem: &'a Problem<'a>, frequencies: &[Feature]) -> Objective<'a> {
        Objective { problem, frequencies: frequencies.to_vec() }
    }

    /// The penalty below which normal equations are not safe.
    fn least_penalty(&self) -> f64 {
        LEAST_PENALTY * self.problem.x.nrows() as f64
    }

    /// How the penalty of frequency `j` changes with a weight, as a multiple of the weight.
    fn penalty_slope(&self, point: &Point, j: usize) -> f64 {
        let Problem { penalty, smoothness, .. } = *self.problem;
        let grows = point.penalties[j] > self.least_penalty();
        if grows { penalty * smoothness.slope(&point.frequencies[j]) } else { 0.0 }
    }

    /// How the objective changes with every weight in turn.
    pub fn gradient(&self, point: &Point) -> Vec<f64> {
        let (rows, count) = (self.problem.x.nrows(), point.frequencies.len());
        let (cosines, sines) = point.waves.as_slice().split_at(rows * count);
        let unit = self.problem.y.norm_squared();
        let by_weights = |j: usize| -> Vec<f64> {
            let part = j * rows..(j + 1) * rows;
            // By the angle of the frequency at a row: 2 (a sin − b cos) · rest. The rest has nothing of the terms, so
            // the waves need not be without them.
            let mut by_angle = vec![0.0; rows];
            vectorised!({
                for (target, rest) in point.rest.as_slice().chunks_exact(rows.max(1)).enumerate() {
                    let (a, b) = (point.amplitudes[(j, target)], point.amplitudes[(count + j, target)]);
                    let waves = cosines[part.clone()].iter().zip(&sines[part.clone()]);
                    for ((slope, rest), (cosine, sine)) in by_angle.iter_mut().zip(rest).zip(waves) {
                        *slope += (a * sine - b * cosine) * rest;
                    }
                }
                let Feature { support, weights, .. } = &point.frequencies[j];
                let by_weight = self.penalty_slope(point, j) * point.square(j);
                let slope = |input, weight| (2.0 * dot(self.column(input), &by_angle) + by_weight * weight) / unit;
                support.iter().zip(weights).map(|(&input, weight)| slope(input, weight)).collect()
            })
        };
        let parts: Vec<Vec<f64>> = (0..count).into_par_iter().map(by_weights).collect();
        parts.concat()
    }

    /// `JᵀJ` of the residuals' Jacobian by the weights of some frequencies: that of the waves with their amplitudes,
    /// without what the terms and all amplitudes explain of it.
    pub fn curvature(&self, point: &Point, some: Range<usize>) -> DMatrix<f64> {
        let weights = point.frequencies[some.clone()].iter().map(|f| f.weights.len()).sum();
        let mut curvature = zeros(weights, weights);
        for amplitudes in point.amplitudes.column_iter() {
            let mut changes = self.changes(point, some.clone(), amplitudes.as_slice());
            self.problem.project_out(&mut changes);
            add_gram(&mut curvature, &changes);
            let mut explained = transpose_product(&point.waves, &changes);
            self.add_penalties(point, some.clone(), amplitudes.as_slice(), (&mut curvature, &mut explained));
            curvature -= transpose_product(&explained, &point.equations.solve(&explained));
        }
        curvature / self.problem.y.norm_squared()
    }

    /// Adds the residuals of the penalty, the root of a frequency's penalty times its amplitudes (2N): to the products
    /// of the changes with each other (weights×weights), and to those of the waves with the changes (2N×weights).
    fn add_penalties(
        &self,
        point: &Point,
        some: Range<usize>,
        amplitudes: &[f64],
        (curvature, explained): (&mut DMatrix<f64>, &mut DMatrix<f64>),
    ) {
        let count = point.frequencies.len();
        let mut first = 0;
        for j in some {
            let weights = &point.frequencies[j].weights;
            let slope = self.penalty_slope(point, j);
            let square = amplitudes[j].powi(2) + amplitudes[count + j].powi(2);
            for (i, weight) in weights.iter().enumerate() {
                for wave in [j, count + j] {
                    explained[(wave, first + i)] += 0.5 * slope * weight * amplitudes[wave];
                }
                for (l, other) in weights.iter().enumerate() {
                    curvature[(first + i, first + l)] +=
                        slope * slope * weight * other * square / (4.0 * point.penalties[j]);
                }
            }
            first += weights.len();
        }
    }

    /// How the waves with their amplitudes (2N) change with every weight of some frequencies in turn, n×weights.
    fn changes(&self, point: &Point, some: Range<usize>, amplitudes: &[f64]) -> DMatrix<f64> {
        let (rows, count) = (self.problem.x.nrows(), point.frequencies.len());
        let (cosines, sines) = point.waves.as_slice().split_at(rows * count);
        let of_frequency = |j: usize| point.frequencies[j].support.iter().map(move |&input| (j, input));
        let inputs: Vec<(usize, usize)> = some.flat_map(of_frequency).collect();
        let mut changes = zeros(rows, inputs.len());
        changes.as_mut_slice().par_chunks_mut(rows.max(1)).zip(inputs).for_each(|(change, (j, input))| {
            let part = j * rows..(j + 1) * rows;
            let (a, b) = (amplitudes[j], amplitudes[count + j]);
            vectorised!({
                let waves = cosines[part.clone()].iter().zip(&sines[part]);
                for ((change, x), (cosine, sine)) in change.iter_mut().zip(self.column(input)).zip(waves) {
                    *change = x * (b * cosine - a * sine);
                }
            });
        });
        changes
    }

    fn column(&self, input: usize) -> &[f64] {
        let rows = self.problem.x.nrows();
        &self.problem.x.as_slice()[input * rows..(input + 1) * rows]
    }
}

/// All sums are shares of the targets' sum of squares.
impl SumOfSquares for Objective<'_> {
    type Point = Point;

    fn at(&self, weights: &[f64]) -> Option<Point> {
        let mut frequencies = self.frequencies.clone();
        set_weights(&mut frequencies, weights);
        let waves = self.problem.waves(&frequencies);
        let Problem { penalty, smoothness, .. } = *self.problem;
        let least = self.least_penalty();
        let penalties: Vec<f64> = frequencies.iter().map(|f| (penalty * smoothness.weight(f)).max(least)).collect();
        let mut equations = self.problem.gram_beside_terms(&waves);
        for (i, penalty) in penalties.iter().chain(&penalties).enumerate() {
            equations[(i, i)] += penalty;
        }
        let equations = Factor::new(&equations)?;
        let amplitudes = equations.solve(&transpose_product(&waves, &self.problem.y));
        let mut rest = self.problem.y.clone();
        subtract_product(&mut rest, &waves, &amplitudes);
        self.problem.project_out(&mut rest);
        let point = Point { frequencies, waves, penalties, equations, amplitudes, rest };
        self.value(&point).is_finite().then_some(point)
    }

    fn value(&self, point: &Point) -> f64 {
        let penalised: f64 = point.penalties.iter().enumerate().map(|(j, penalty)| penalty * point.square(j)).sum();
        (point.rest.norm_squared() + penalised) / self.problem.y.norm_squared()
    }

    fn linearised(&self, point: &Point) -> Linearised {
        let all = 0..point.frequencies.len();
        Linearised { gradient: self.gradient(point), curvature: self.curvature(point, all) }
    }
}

#[cfg(test)]
mod tests;
