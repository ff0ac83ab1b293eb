use nalgebra::DMatrix;

use super::*;
use crate::features::pair_matrix;
use crate::linalg::scale_rows;
use crate::method::common::linear_fit::Points;
use crate::method::compact::problem::Smoothness;
use crate::sampling::{Sampler, SpectralLaw};
use crate::solve::least_squares::min_norm::stable_ridge;
use crate::solve::least_squares::ridge::ridge;

fn waves(count: usize, order: usize, scale: f64, sampler: &mut Sampler) -> Vec<Feature> {
    SpectralLaw::Normal { scale }.sample(count, &[0, 1, 2, 3], order, sampler)
}

fn weights_of(frequencies: &[Feature]) -> Vec<f64> {
    frequencies.iter().flat_map(|f| f.weights.clone()).collect()
}

/// Runs a check for inputs, targets, terms, smoothness and frequencies of several seeds.
fn cases(check: impl Fn(u64, &Problem<'_>, &DMatrix<f64>, &[Feature])) {
    for seed in 0..4 {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(60, 4, |_, _| sampler.normal());
        let y = DMatrix::from_fn(60, 1 + seed as usize % 3, |_, _| sampler.normal());
        let terms = [DMatrix::zeros(60, 0), x.clone().insert_column(0, 1.0)][seed as usize % 2].clone();
        let mut frequencies = waves(3, 2, 1.0, &mut sampler);
        frequencies.extend(waves(2, 4, 1.0, &mut sampler));
        // The last seeds have rows of different weights.
        let roots: Vec<f64> = (0..60).map(|row| 0.5 + (row % 5) as f64 / 4.0).filter(|_| seed > 1).collect();
        let points = Points { x: &x, y: &y, roots: &roots };
        let mut weighted = terms.clone();
        scale_rows(&mut weighted, &roots);
        check(seed, &Problem::new(points, &terms, 1e-2, Smoothness(seed as f64)), &weighted, &frequencies);
    }
}

#[test]
fn the_gradient_is_that_of_differences() {
    cases(|seed, problem, _, frequencies| {
        let objective = Objective::new(problem, frequencies);
        let weights = weights_of(frequencies);
        let gradient = objective.gradient(&objective.at(&weights).unwrap());
        let at = |i: usize, by: f64| {
            let mut moved = weights.clone();
            moved[i] += by;
            objective.value(&objective.at(&moved).unwrap())
        };
        for (i, exact) in gradient.iter().enumerate() {
            // Differences over 2e-5 of values of size one: truncation 1e-10, rounding 1e-11.
            let difference = (at(i, 1e-5) - at(i, -1e-5)) / 2e-5;
            assert!((difference - exact).abs() < 1e-8, "{seed} {i}: {difference} {exact}");
        }
    });
}

/// The residuals of the waves, of the targets and the penalty, as least squares in one matrix with the terms.
#[test]
fn the_curvature_is_that_of_residuals_without_what_amplitudes_explain() {
    cases(|seed, problem, terms, frequencies| {
        let (rows, count) = (60, frequencies.len());
        let objective = Objective::new(problem, frequencies);
        let weights = weights_of(frequencies);
        let point = objective.at(&weights).unwrap();
        // All columns: terms, and waves with the roots of their penalties below.
        let matrix = |frequencies: &[Feature]| {
            let mut all = DMatrix::zeros(rows + 2 * count, terms.ncols() + 2 * count);
            all.view_mut((0, 0), terms.shape()).copy_from(terms);
            all.view_mut((0, terms.ncols()), (rows, 2 * count)).copy_from(&problem.waves(frequencies));
            for i in 0..2 * count {
                let square: f64 = frequencies[i % count].weights.iter().map(|w| w * w).sum();
                all[(rows + i, terms.ncols() + i)] = (0.6 * (1.0 + square).powf(seed as f64)).sqrt();
            }
            all
        };
        let at = matrix(frequencies);
        let mut jacobians = Vec::new();
        for k in 0..problem.y.ncols() {
            let mut amplitudes = DMatrix::zeros(at.ncols(), 1);
            amplitudes.view_mut((terms.ncols(), 0), (2 * count, 1)).copy_from(&point.amplitudes.column(k));
            let mut jacobian = DMatrix::zeros(at.nrows(), weights.len());
            for i in 0..weights.len() {
                let moved = |by: f64| {
                    let (mut weights, mut moved) = (weights.clone(), frequencies.to_vec());
                    weights[i] += by;
                    set_weights(&mut moved, &weights);
                    matrix(&moved)
                };
                jacobian.set_column(i, &((moved(1e-5) - moved(-1e-5)) / 2e-5 * &amplitudes).column(0));
            }
            let explained = &at * stable_ridge(&at, &jacobian, 0.0).unwrap();
            jacobians.push(jacobian - explained);
        }
        let expected: DMatrix<f64> =
            jacobians.iter().map(|j| j.transpose() * j).sum::<DMatrix<f64>>() / problem.y.norm_squared();
        // Differences with an error of 1e-10 of entries of size one. The largest penalty leaves a curvature of 5e-3.
        let far = (objective.curvature(&point, 0..count) - &expected).amax();
        assert!(far < 1e-8 && expected.amax() > 1e-3, "{seed}: {far} {}", expected.amax());
    });
}

#[test]
fn selection_and_refinement_have_the_same_objective() {
    for seed in 0..4 {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(60, 4, |_, _| sampler.normal());
        let y = DMatrix::from_fn(60, 2, |_, _| sampler.normal());
        let problem =
            Problem::new(Points { x: &x, y: &y, roots: &[] }, &x.clone().insert_column(0, 1.0), 1e-2, Smoothness(2.0));
        let frequencies = waves(5, 2, 1.5, &mut sampler);
        let objective = Objective::new(&problem, &frequencies);
        let refined = objective.value(&objective.at(&weights_of(&frequencies)).unwrap()) * problem.y.norm_squared();
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

/// Linear terms explain all of a slow wave but its square: rounding is largest there beside what is left.
#[test]
fn slow_waves_have_the_objective_of_orthogonal_factors() {
    for (seed, lambda) in [(0, 0.0), (1, 1e-10), (2, 1e-8), (3, 1e-5)] {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(500, 4, |_, _| sampler.normal());
        let y = DMatrix::from_fn(500, 1, |row, _| x[(row, 0)] * x[(row, 1)] + 0.1 * sampler.normal());
        let problem = Problem::new(
            Points { x: &x, y: &y, roots: &[] },
            &x.clone().insert_column(0, 1.0),
            lambda,
            Smoothness(0.0),
        );
        let frequencies = waves(5, 2, 0.03, &mut sampler);
        let objective = Objective::new(&problem, &frequencies);
        let value = objective.value(&objective.at(&weights_of(&frequencies)).unwrap());

        let mut columns = pair_matrix(&x, &frequencies);
        problem.project_out(&mut columns);
        let penalty = objective.least_penalty().max(problem.penalty);
        let amplitudes = stable_ridge(&columns, &problem.y, penalty).unwrap();
        let penalised = (&problem.y - &columns * &amplitudes).norm_squared() + penalty * amplitudes.norm_squared();
        let exact = penalised / problem.y.norm_squared();
        // Rounding changes the equations by 1e-15 of the rows, which is 1e-5 of the smallest penalty. The objective
        // moves by that share of its penalty at most.
        assert!(exact < 0.99 || lambda > 1e-8, "{seed}: {exact}");
        assert!((value / exact - 1.0).abs() < 1e-7, "{seed}: {value} {exact}");
    }
}
