//! Taking weights out of frequencies: an input that moves an angle little costs the device as much as any other.

use std::ops::ControlFlow;

use crate::features::Feature;
use crate::method::compact::problem::Problem;
use crate::method::compact::refine::refine;
use crate::solve::SolveError;

/// Share of the weights that a round tries to do without at first.
const FIRST_SHARE: f64 = 0.25;

/// Smallest share; a round that fails halves it.
const LEAST_SHARE: f64 = 0.01;

/// Most steps by L-BFGS of the refinement after a round, which starts near a minimum.
const ROUND_STEPS: usize = 30;

/// Takes weights out of `frequencies`, which are at a minimum of the problem, as long as refinement of the others keeps
/// the objective below `1 + tolerance` times what it is now. A frequency without weights goes.
///
/// A round takes out those that move the model least, `|ω_i|` times the spread of the input and the amplitude of the
/// wave, and refines the others a little; the last refinement takes `steps` at most.
///
/// # Errors
/// [`SolveError::NotFinite`] where values or targets are not finite.
pub fn sparsify(
    problem: &Problem<'_>,
    frequencies: &mut Vec<Feature>,
    tolerance: f64,
    steps: usize,
    mut interrupt: impl FnMut() -> ControlFlow<()>,
) -> Result<(), SolveError> {
    let spreads: Vec<f64> = problem.x.column_iter().map(|column| column.variance().sqrt()).collect();
    let most = (1.0 + tolerance) * refine(problem, frequencies, 0, &mut interrupt);
    let mut share = FIRST_SHARE;
    while share >= LEAST_SHARE && !frequencies.is_empty() && interrupt().is_continue() {
        let mut fewer = without_smallest(problem, frequencies, &spreads, share)?;
        if refine(problem, &mut fewer, steps.min(ROUND_STEPS), &mut interrupt) <= most {
            *frequencies = fewer;
        } else {
            share /= 2.0;
        }
    }
    refine(problem, frequencies, steps, interrupt);
    Ok(())
}

/// The frequencies without a share of their weights, at least one.
fn without_smallest(
    problem: &Problem<'_>,
    frequencies: &[Feature],
    spreads: &[f64],
    share: f64,
) -> Result<Vec<Feature>, SolveError> {
    let c = problem.amplitudes(frequencies)?;
    let amplitude = |j: usize| (c.row(j).norm_squared() + c.row(frequencies.len() + j).norm_squared()).sqrt();
    let mut moves: Vec<(f64, usize, usize)> = Vec::new();
    for (j, feature) in frequencies.iter().enumerate() {
        let amplitude = amplitude(j);
        let of_feature = feature.support.iter().zip(&feature.weights).enumerate();
        moves.extend(of_feature.map(|(place, (&input, weight))| (amplitude * weight.abs() * spreads[input], j, place)));
    }
    moves.sort_by(|a, b| a.0.total_cmp(&b.0));
    moves.truncate(((share * moves.len() as f64) as usize).max(1));
    let mut fewer = frequencies.to_vec();
    // From the back, so that the places before stay what they are.
    moves.sort_by_key(|&(_, j, place)| std::cmp::Reverse((j, place)));
    for (_, j, place) in moves {
        fewer[j].support.remove(place);
        fewer[j].weights.remove(place);
    }
    fewer.retain(|feature| !feature.support.is_empty());
    Ok(fewer)
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::features::pair_matrix;
    use crate::linalg::product;
    use crate::method::compact::smoothness::Smoothness;
    use crate::sampling::{Sampler, SpectralLaw};

    #[test]
    fn weights_that_do_not_matter_go() {
        for seed in 0..3 {
            let mut sampler = Sampler::new(seed);
            let x = DMatrix::from_fn(300, 6, |_, _| sampler.normal());
            let law = SpectralLaw::Normal { scale: 1.0 };
            let true_waves = [vec![0, 2], vec![1, 4]].map(|support| {
                let weights = support.iter().map(|_| 1.0 + law.weight(&mut sampler).abs()).collect();
                Feature { support, weights, bias: 0.0 }
            });
            let amplitudes = DMatrix::from_fn(4, 2, |_, _| 1.0 + sampler.uniform(0.0, 1.0));
            let noise = DMatrix::from_fn(300, 2, |_, _| 0.05 * sampler.normal());
            let y = product(&pair_matrix(&x, &true_waves), &amplitudes) + noise;
            let problem = Problem::new(&x, &y, &x.clone().insert_column(0, 1.0), 1e-6, Smoothness(0.0));
            // Small weights everywhere, and a wave of noise.
            let dense = |feature: &Feature| {
                let mut weights: Vec<f64> = (0..6).map(|_| 0.05 * sampler.normal()).collect();
                feature.support.iter().zip(&feature.weights).for_each(|(&input, weight)| weights[input] += weight);
                Feature { support: (0..6).collect(), weights, bias: 0.0 }
            };
            let mut frequencies: Vec<Feature> = true_waves.iter().map(dense).collect();
            frequencies.push(Feature { support: vec![3, 5], weights: vec![9.0, 8.0], bias: 0.0 });
            let go_on = || ControlFlow::Continue(());
            let before = refine(&problem, &mut frequencies, 50, go_on);
            sparsify(&problem, &mut frequencies, 0.05, 50, go_on).unwrap();
            assert!(refine(&problem, &mut frequencies.clone(), 0, go_on) <= 1.05 * before);
            let supports: Vec<&[usize]> = frequencies.iter().map(|f| f.support.as_slice()).collect();
            assert_eq!(supports, [[0, 2], [1, 4]], "{seed}");
        }
    }
}
