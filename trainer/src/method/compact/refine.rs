//! Variable projection: frequencies move downhill while amplitudes and terms follow as the best there are.
//!
//! G. H. Golub and V. Pereyra, *The differentiation of pseudo-inverses and nonlinear least squares problems whose
//! variables separate*, 1973. At the best amplitudes the error does not depend on them to first order, so that its
//! gradient by a frequency is that with the amplitudes held.

use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::features::{Feature, pair_matrix};
use crate::linalg::{cholesky_solve, dot, gram, product, subtract_product, transpose_product, vectorised};
use crate::method::compact::problem::Problem;
use crate::solve::optimise::lbfgs::{Bounds, Lbfgs};

/// Penalty, as a share of the rows, below which normal equations are not safe.
const LEAST_PENALTY: f64 = 1e-10;

/// Relative decrease of the objective at which a descent ends.
const DECREASE: f64 = 1e-7;

/// Moves the non-zero weights of `frequencies` to a local minimum of the problem: L-BFGS, `steps` at most. The
/// objective never rises. Biases are not looked at.
///
/// Returns the objective there as a share of the targets' sum of squares.
pub fn refine(
    problem: &Problem<'_>,
    frequencies: &mut [Feature],
    steps: usize,
    interrupt: impl FnMut() -> ControlFlow<()>,
) -> f64 {
    let mut weights: Vec<f64> = frequencies.iter().flat_map(|f| f.weights.iter().copied()).collect();
    let bounds = Bounds::none(weights.len());
    let lbfgs = Lbfgs { memory: 20, iterations: steps, decrease: DECREASE, ..Lbfgs::default() };
    let mut moved = frequencies.to_vec();
    let objective = |weights: &[f64], gradient: &mut [f64]| {
        set_weights(&mut moved, weights);
        value(problem, &moved, gradient)
    };
    let reached = lbfgs.minimise(&mut weights, &bounds, objective, interrupt).value;
    set_weights(frequencies, &weights);
    reached
}

fn set_weights(frequencies: &mut [Feature], weights: &[f64]) {
    let all = frequencies.iter_mut().flat_map(|f| f.weights.iter_mut());
    all.zip(weights).for_each(|(weight, &value)| *weight = value);
}

/// The objective as a share of the targets' sum of squares, and its gradient by all weights in turn; not a number where
/// it cannot be computed.
fn value(problem: &Problem<'_>, frequencies: &[Feature], gradient: &mut [f64]) -> f64 {
    let (rows, count) = (problem.x.nrows(), frequencies.len());
    let unit = problem.y.norm_squared();
    let waves = pair_matrix(problem.x, frequencies);
    let mut values = waves.clone();
    problem.project_out(&mut values);
    let Problem { penalty, smoothness, .. } = *problem;
    let least = LEAST_PENALTY * rows as f64;
    let penalties: Vec<f64> = frequencies.iter().map(|f| (penalty * smoothness.weight(f)).max(least)).collect();
    let mut equations = gram(&values);
    for i in 0..2 * count {
        equations[(i, i)] += penalties[i % count];
    }
    let Some(amplitudes) = cholesky_solve(&equations, &transpose_product(&values, &problem.y)) else {
        return f64::NAN;
    };
    let mut rest = problem.y.clone();
    subtract_product(&mut rest, &values, &amplitudes);

    // How the objective changes with the angle of a frequency at a row: 2 (a sin − b cos) · rest. The rest has nothing
    // of the terms, so the waves need not be without them.
    let slopes = product(&rest, &amplitudes.transpose());
    let (of_cosines, of_sines) = slopes.as_slice().split_at(rows * count);
    let (cosines, sines) = waves.as_slice().split_at(rows * count);
    let ends: Vec<usize> = frequencies
        .iter()
        .scan(0, |end, f| {
            *end += f.weights.len();
            Some(*end)
        })
        .collect();
    let square = |j: usize| amplitudes.row(j).norm_squared() + amplitudes.row(count + j).norm_squared();
    let by_weights = |j: usize| -> Vec<f64> {
        let part = j * rows..(j + 1) * rows;
        vectorised!({
            let of_waves = of_cosines[part.clone()].iter().zip(&of_sines[part.clone()]);
            let waves = cosines[part.clone()].iter().zip(&sines[part.clone()]);
            let by_angle: Vec<f64> =
                of_waves.zip(waves).map(|((a, b), (cosine, sine))| a * sine - b * cosine).collect();
            let column = |&input: &usize| &problem.x.as_slice()[input * rows..(input + 1) * rows];
            let Feature { support, weights, .. } = &frequencies[j];
            let grows = if penalties[j] > least { penalty * smoothness.slope(&frequencies[j]) } else { 0.0 };
            let by_weight = grows * square(j);
            let slope = |input, weight| (2.0 * dot(column(input), &by_angle) + by_weight * weight) / unit;
            support.iter().zip(weights).map(|(input, weight)| slope(input, weight)).collect()
        })
    };
    let parts: Vec<Vec<f64>> = (0..count).into_par_iter().map(by_weights).collect();
    for (part, end) in parts.iter().zip(ends) {
        gradient[end - part.len()..end].copy_from_slice(part);
    }
    let penalised: f64 = penalties.iter().enumerate().map(|(j, penalty)| penalty * square(j)).sum();
    (rest.norm_squared() + penalised) / unit
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::method::compact::smoothness::Smoothness;
    use crate::sampling::{Sampler, SpectralLaw};
    use crate::solve::least_squares::ridge::ridge;

    fn waves(count: usize, order: usize, scale: f64, sampler: &mut Sampler) -> Vec<Feature> {
        SpectralLaw::Normal { scale }.sample(count, &[0, 1, 2, 3], order, sampler)
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        for seed in 0..4 {
            let mut sampler = Sampler::new(seed);
            let x = DMatrix::from_fn(60, 4, |_, _| sampler.normal());
            let y = DMatrix::from_fn(60, 1 + seed as usize % 3, |_, _| sampler.normal());
            let terms = [DMatrix::zeros(60, 0), x.clone().insert_column(0, 1.0)][seed as usize % 2].clone();
            let problem = Problem::new(&x, &y, &terms, 1e-2, Smoothness(seed as f64));
            let mut frequencies = waves(3, 2, 1.0, &mut sampler);
            frequencies.extend(waves(2, 4, 1.0, &mut sampler));
            let weights: Vec<f64> = frequencies.iter().flat_map(|f| f.weights.clone()).collect();
            let mut gradient = vec![0.0; weights.len()];
            value(&problem, &frequencies, &mut gradient);
            let mut at = |i: usize, by: f64| {
                let mut moved = weights.clone();
                moved[i] += by;
                set_weights(&mut frequencies, &moved);
                value(&problem, &frequencies, &mut vec![0.0; weights.len()])
            };
            for (i, exact) in gradient.iter().enumerate() {
                // Differences over 2e-5 of values of size one: truncation 1e-10, rounding 1e-11.
                let difference = (at(i, 1e-5) - at(i, -1e-5)) / 2e-5;
                assert!((difference - exact).abs() < 1e-8, "{seed} {i}: {difference} {exact}");
            }
        }
    }

    #[test]
    fn selection_and_refinement_have_the_same_objective() {
        for seed in 0..4 {
            let mut sampler = Sampler::new(seed);
            let x = DMatrix::from_fn(60, 4, |_, _| sampler.normal());
            let y = DMatrix::from_fn(60, 2, |_, _| sampler.normal());
            let problem = Problem::new(&x, &y, &x.clone().insert_column(0, 1.0), 1e-2, Smoothness(2.0));
            let frequencies = waves(5, 2, 1.5, &mut sampler);
            let mut gradient = vec![0.0; 10];
            let refined = value(&problem, &frequencies, &mut gradient) * problem.y.norm_squared();
            // As it is written: waves, amplitudes and the weight of every frequency.
            let amplitudes = problem.amplitudes(&frequencies).unwrap();
            let mut columns = pair_matrix(&x, &frequencies);
            problem.project_out(&mut columns);
            let penalty = |i: usize| {
                let square: f64 = frequencies[i % 5].weights.iter().map(|w| w * w).sum();
                0.6 * (1.0 + square).powi(2) * amplitudes.row(i).norm_squared()
            };
            let written = (&problem.y - &columns * &amplitudes).norm_squared() + (0..10).map(penalty).sum::<f64>();
            // As a selection sees it: ridge regression of scaled columns.
            let values = problem.values(&frequencies);
            let scaled = ridge(&values, &problem.y, problem.penalty).unwrap();
            let selected = (&problem.y - &values * &scaled).norm_squared() + problem.penalty * scaled.norm_squared();
            // Sums of 60 terms of size one.
            assert!((refined - written).abs() < 1e-11 && (selected - written).abs() < 1e-11, "{seed}");
        }
    }

    #[test]
    fn waves_nearby_are_found() {
        for seed in 0..3 {
            let mut sampler = Sampler::new(seed);
            let x = DMatrix::from_fn(200, 4, |_, _| sampler.normal());
            let mut frequencies = waves(2, 2, 1.0, &mut sampler);
            let amplitudes = DMatrix::from_fn(4, 2, |_, _| sampler.normal() + 2.0);
            let y = product(&pair_matrix(&x, &frequencies), &amplitudes) + x.columns(0, 2);
            let found = frequencies.clone();
            frequencies.iter_mut().flat_map(|f| f.weights.iter_mut()).for_each(|w| *w += 0.05 * sampler.normal());
            let problem = Problem::new(&x, &y, &x.clone().insert_column(0, 1.0), 1e-9, Smoothness(0.0));
            refine(&problem, &mut frequencies, 200, || ControlFlow::Continue(()));
            for (ours, exact) in frequencies.iter().zip(found) {
                let far = ours.weights.iter().zip(&exact.weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(far < 1e-2, "{seed}: {far}");
            }
        }
    }
}
