//! More inputs for waves.
//!
//! A wave that looks at one more input with the weight 0 is the same wave. The objective falls where the weight moves
//! away from 0. Its gradient and its curvature tell by how much, so that inputs are chosen before they are there (S.
//! Perkins, K. Lacker and J. Theiler, *Grafting: fast, incremental feature selection by gradient descent in function
//! space*, 2003, choose by the gradient).

use crate::features::Feature;
use crate::method::compact::objective::Objective;
use crate::method::compact::problem::Problem;
use crate::solve::optimise::levenberg_marquardt::SumOfSquares;

/// The largest weight that an input begins with. A wave is almost a line in it.
const LARGEST: f64 = 0.3;

/// Curvature, as a share of the targets' sum of squares, below which rounding decides.
const LEAST_CURVATURE: f64 = 1e-12;

/// An input that a wave does not look at yet.
struct Missing {
    wave: usize,
    input: usize,
    /// Its weight at the minimum of the objective, with all other weights as they are.
    weight: f64,
    /// The decrease of the objective there.
    decrease: f64,
}

/// Adds `count` of the `inputs` to waves that do not look at them yet, those that lower the objective most, each by
/// itself.
pub fn extend(problem: &Problem<'_>, waves: &mut [Feature], inputs: &[usize], count: usize) {
    let mut missing = missing(problem, waves, inputs);
    missing.sort_by(|a, b| b.decrease.total_cmp(&a.decrease));
    for Missing { wave, input, weight, .. } in missing.into_iter().take(count) {
        let Feature { support, weights, .. } = &mut waves[wave];
        let place = support.partition_point(|&other| other < input);
        support.insert(place, input);
        weights.insert(place, weight.clamp(-LARGEST, LARGEST));
    }
}

fn missing(problem: &Problem<'_>, waves: &[Feature], inputs: &[usize]) -> Vec<Missing> {
    let all: Vec<Feature> = waves.iter().map(|wave| with_all(wave, inputs)).collect();
    let objective = Objective::new(problem, &all);
    let weights: Vec<f64> = all.iter().flat_map(|wave| wave.weights.iter().copied()).collect();
    let Some(point) = objective.at(&weights) else { return Vec::new() };
    let mut gradient = objective.gradient(&point).into_iter();
    let mut missing = Vec::new();
    for (wave, (own, wide)) in waves.iter().zip(&all).enumerate() {
        let curvature = objective.curvature(&point, wave..wave + 1).diagonal();
        let slopes: Vec<f64> = gradient.by_ref().take(wide.support.len()).collect();
        for place in own.support.len()..wide.support.len() {
            // Half the second derivative is the curvature: the objective changes by slope·w + curvature·w².
            let (slope, curvature) = (slopes[place], curvature[place]);
            if curvature > LEAST_CURVATURE {
                let weight = -slope / (2.0 * curvature);
                missing.push(Missing { wave, input: wide.support[place], weight, decrease: -0.5 * slope * weight });
            }
        }
    }
    missing
}

/// Returns a wave that looks at all inputs, at those of its own first, and at the others with the weight 0.
fn with_all(wave: &Feature, inputs: &[usize]) -> Feature {
    let mut wave = wave.clone();
    let others: Vec<usize> = inputs.iter().copied().filter(|input| !wave.support.contains(input)).collect();
    wave.weights.resize(wave.weights.len() + others.len(), 0.0);
    wave.support.extend(others);
    wave
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use nalgebra::DMatrix;

    use super::*;
    use crate::features::pair_matrix;
    use crate::linalg::product;
    use crate::method::common::linear_fit::Points;
    use crate::method::compact::problem::Smoothness;
    use crate::method::compact::refine::refine;
    use crate::sampling::Sampler;

    fn wave(support: &[usize], weights: &[f64]) -> Feature {
        Feature { support: support.to_vec(), weights: weights.to_vec(), bias: 0.0 }
    }

    #[test]
    fn the_inputs_that_waves_lack_are_found() {
        for seed in 0..4 {
            let mut sampler = Sampler::new(seed);
            let x = DMatrix::from_fn(400, 6, |_, _| sampler.normal());
            let exact = [wave(&[0, 3], &[1.1, 0.2]), wave(&[1, 2, 5], &[0.7, -0.15, 0.9])];
            let amplitudes = DMatrix::from_fn(4, 2, |_, _| 1.0 + sampler.uniform(0.0, 1.0));
            let y = product(&pair_matrix(&x, &exact), &amplitudes);
            let problem = Problem::new(
                Points { x: &x, y: &y, roots: &[] },
                &DMatrix::from_element(400, 1, 1.0),
                1e-8,
                Smoothness(0.0),
            );
            let mut waves = [wave(&[0], &[1.1]), wave(&[1, 5], &[0.7, 0.9])];
            extend(&problem, &mut waves, &[0, 1, 2, 3, 4, 5], 2);
            assert_eq!(waves.each_ref().map(|wave| wave.support.clone()), [vec![0, 3], vec![1, 2, 5]], "{seed}");
            // The first step of a descent is right by sign and size.
            for (ours, exact) in waves.iter().zip(&exact) {
                let far = ours.weights.iter().zip(&exact.weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(far < 0.08, "{seed}: {:?}", ours.weights);
            }
            let left = refine(&problem, &mut waves, 100, || ControlFlow::Continue(()));
            assert!(left < 1e-6, "{seed}: {left}");
        }
    }

    /// Against the objective with the weight of one input at its minimum, found by a dense scan.
    #[test]
    fn a_decrease_is_that_of_the_best_small_weight() {
        for seed in 0..4 {
            let mut sampler = Sampler::new(seed + 10);
            let x = DMatrix::from_fn(300, 3, |_, _| sampler.normal());
            let exact = [wave(&[0, 1], &[1.0, 0.02])];
            let y = product(&pair_matrix(&x, &exact), &DMatrix::from_column_slice(2, 1, &[1.0, 0.5]))
                + DMatrix::from_fn(300, 1, |_, _| 0.01 * sampler.normal());
            for smoothness in [0.0, 1.0] {
                let problem = Problem::new(
                    Points { x: &x, y: &y, roots: &[] },
                    &DMatrix::from_element(300, 1, 1.0),
                    1e-4,
                    Smoothness(smoothness),
                );
                let own = [wave(&[0], &[1.0])];
                let found = missing(&problem, &own, &[0, 1, 2]).swap_remove(0);
                assert_eq!((found.wave, found.input), (0, 1));
                let value = |weight: f64| {
                    let wide = [wave(&[0, 1], &[1.0, weight])];
                    refine(&problem, &mut wide.clone(), 0, || ControlFlow::Continue(()))
                };
                let scanned = (0..400).map(|step| 1e-4 * f64::from(step));
                let best = scanned.min_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap();
                // The scan's step, and what the linearised residuals leave out.
                assert!((found.weight - best).abs() < 5e-4, "{seed}: {} {best}", found.weight);
                let decrease = value(0.0) - value(best);
                assert!((found.decrease / decrease - 1.0).abs() < 0.05, "{seed}: {} {decrease}", found.decrease);
            }
        }
    }

    #[test]
    fn no_more_inputs_are_added_than_there_are() {
        let mut sampler = Sampler::new(3);
        let x = DMatrix::from_fn(50, 2, |_, _| sampler.normal());
        let y = x.columns(0, 1).map(f64::sin);
        let problem = Problem::new(
            Points { x: &x, y: &y, roots: &[] },
            &DMatrix::from_element(50, 1, 1.0),
            1e-4,
            Smoothness(1.0),
        );
        let mut waves = [wave(&[1], &[0.5])];
        extend(&problem, &mut waves, &[0, 1], 7);
        assert_eq!(waves[0].support, [0, 1]);
        assert!(waves[0].weights[0].abs() <= LARGEST);
        extend(&problem, &mut waves, &[0, 1], 7);
        assert_eq!(waves[0].support, [0, 1]);
    }
}
