//! Taking weights out of frequencies: an input that moves an angle little costs the device as much as any other.

use std::ops::{ControlFlow, Range};

use crate::features::Feature;
use crate::method::compact::objective::Objective;
use crate::method::compact::problem::Problem;
use crate::method::compact::quadratic::Quadratic;
use crate::method::compact::refine::refine;
use crate::solve::optimise::levenberg_marquardt::SumOfSquares;

/// The part of the rise of the objective that is left, which a round uses by its estimate at first. A round that fails
/// halves it.
const FIRST_PART: f64 = 0.5;

/// The largest share of the weights that a round takes out, and the least share, which it takes out whatever the
/// estimate says. The last round is one that fails with the least share.
const MOST_WEIGHTS: f64 = 0.25;
const LEAST_WEIGHTS: f64 = 0.04;

/// Most steps by L-BFGS of the refinement after a round, which starts near a minimum.
const ROUND_STEPS: usize = 30;

/// About the number of steps that all rounds take together, to estimate the work.
pub const USUAL_STEPS: usize = 200;

/// The largest number of weights whose curvature is looked at together. It bounds memory and time.
const TOGETHER: usize = 1000;

/// Takes weights out of `frequencies`, which are at a minimum of the problem, as long as refinement of the others keeps
/// the objective below `1 + tolerance` times what it is now. A frequency without weights goes.
///
/// A round takes out the weights that are missed least by the curvature of the objective, and refines the others a
/// little. The last refinement takes `steps` at most.
pub fn sparsify(
    problem: &Problem<'_>,
    frequencies: &mut Vec<Feature>,
    tolerance: f64,
    steps: usize,
    mut interrupt: impl FnMut() -> ControlFlow<()>,
) {
    let most = (1.0 + tolerance) * refine(problem, frequencies, 0, &mut interrupt);
    let mut part = FIRST_PART;
    while interrupt().is_continue() {
        let Some((mut fewer, is_least)) = without_dispensable(problem, frequencies, part, most) else { break };
        if refine(problem, &mut fewer, steps.min(ROUND_STEPS), &mut interrupt) <= most {
            *frequencies = fewer;
        } else if is_least {
            break;
        } else {
            part /= 2.0;
        }
    }
    refine(problem, frequencies, steps, interrupt);
}

/// Returns the frequencies without the weights that are missed least, whose loss is estimated to take `part` of the way
/// from the objective to `most`, and whether no fewer weights can go; none where there is nothing to take out.
fn without_dispensable(
    problem: &Problem<'_>,
    frequencies: &[Feature],
    part: f64,
    most: f64,
) -> Option<(Vec<Feature>, bool)> {
    let objective = Objective::new(problem, frequencies);
    let weights: Vec<f64> = frequencies.iter().flat_map(|f| f.weights.iter().copied()).collect();
    let point = objective.at(&weights)?;
    let mut rest = part * (most - objective.value(&point));
    let spreads: Vec<f64> = problem.x.column_iter().map(|column| column.variance().sqrt()).collect();
    let mut quadratics = Vec::new();
    for some in blocks(frequencies) {
        let of_block = || frequencies[some.clone()].iter();
        let weights = of_block().flat_map(|f| f.weights.iter().copied()).collect();
        let spreads = of_block().flat_map(|f| f.support.iter().map(|&input| spreads[input])).collect();
        quadratics.push(Quadratic::new(weights, spreads, objective.curvature(&point, some.clone()))?);
    }
    let share = |share: f64| ((share * weights.len() as f64) as usize).max(1);
    let mut taken = 0;
    while taken < share(MOST_WEIGHTS) {
        let least = quadratics.iter().enumerate().filter_map(|(block, quadratic)| Some((block, quadratic.least()?)));
        let (block, (place, rise)) = least.min_by(|(_, a), (_, b)| a.1.total_cmp(&b.1))?;
        rest -= rise;
        if rest < 0.0 && taken >= share(LEAST_WEIGHTS) {
            break;
        }
        quadratics[block].take_out(place);
        taken += 1;
    }
    let mut left = quadratics.iter().flat_map(Quadratic::weights);
    let of_feature = |feature: &Feature| {
        let weights = feature.support.iter().zip(left.by_ref()).filter_map(|(&input, weight)| Some((input, weight?)));
        let (support, weights): (Vec<usize>, Vec<f64>) = weights.unzip();
        (!support.is_empty()).then_some(Feature { support, weights, bias: feature.bias })
    };
    Some((frequencies.iter().filter_map(of_feature).collect(), taken <= share(LEAST_WEIGHTS)))
}

/// Returns the most entries of the curvature that are looked at, for as many frequencies of so many weights.
pub fn entries_of_curvature(frequencies: usize, weights: usize) -> usize {
    frequencies.saturating_mul(weights).saturating_mul(weights.max(TOGETHER))
}

/// Divides frequencies into blocks of successive ones that have few enough weights together, or one frequency.
fn blocks(frequencies: &[Feature]) -> Vec<Range<usize>> {
    let mut blocks: Vec<Range<usize>> = Vec::new();
    let mut weights = 0;
    for (j, feature) in frequencies.iter().enumerate() {
        weights += feature.weights.len();
        match blocks.last_mut() {
            Some(last) if weights <= TOGETHER => last.end = j + 1,
            _ => {
                weights = feature.weights.len();
                blocks.push(j..j + 1);
            }
        }
    }
    blocks
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
    fn blocks_have_few_weights_or_one_frequency() {
        let of = |count: usize| Feature { support: (0..count).collect(), weights: vec![1.0; count], bias: 0.0 };
        let frequencies = [600, 300, 200, 1500, 10, 990].map(of);
        assert_eq!(blocks(&frequencies), [0..2, 2..3, 3..4, 4..6]);
        assert!(blocks(&[]).is_empty());
        for (count, weights) in [(70, 30), (3, 1200)] {
            let frequencies = vec![of(weights); count];
            let entries: usize = blocks(&frequencies).iter().map(|some| (some.len() * weights).pow(2)).sum();
            let most = entries_of_curvature(count, weights);
            assert!((most / 2..=most).contains(&entries), "{entries} {most}");
        }
    }

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
            sparsify(&problem, &mut frequencies, 0.05, 50, go_on);
            assert!(refine(&problem, &mut frequencies.clone(), 0, go_on) <= 1.05 * before);
            let supports: Vec<&[usize]> = frequencies.iter().map(|f| f.support.as_slice()).collect();
            assert_eq!(supports, [[0, 2], [1, 4]], "{seed}");
        }
    }
}
