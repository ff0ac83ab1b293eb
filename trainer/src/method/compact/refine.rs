//! Refinement and pruning of frequencies.
//!
//! Refinement is variable projection: frequencies move downhill, and amplitudes and terms are the best for them.
//!
//! Pruning removes weights, since an input that moves an angle little costs the device as much as any other. The
//! objective near its minimum is a quadratic function of the weights. Its second derivatives tell by how much the
//! objective rises where one weight goes and the others move to the minimum without it (B. Hassibi and D. G. Stork,
//! *Second order derivatives for network pruning: optimal brain surgeon*, 1993).

use std::ops::{ControlFlow, Range};

use nalgebra::DMatrix;

use crate::features::Feature;
use crate::linalg::{Factor, add_scaled};
use crate::method::compact::objective::{Objective, set_weights};
use crate::method::compact::problem::Problem;
use crate::solve::optimise::lbfgs::{Bounds, Lbfgs};
use crate::solve::optimise::levenberg_marquardt::{LevenbergMarquardt, SumOfSquares};

/// Relative decrease of the objective at which a descent ends.
const DECREASE: f64 = 1e-7;

/// The largest number of weights of a frequency for which residuals are linearised. With more weights the steps end in
/// worse minima: 4 % more error on the forward kinematics of a robot arm, with 8 weights.
const FEW_WEIGHTS: usize = 3;

/// The largest work of a step by linearised residuals, as a multiple of the work of an evaluation. Several targets take
/// more, and leave too few steps.
const MOST_WORK: f64 = 8.0;

/// Moves the non-zero weights of `frequencies` to a local minimum of the problem by at most `steps` steps of L-BFGS.
/// The objective never rises. Biases are not looked at.
///
/// Frequencies of a few weights move by linearised residuals instead, in fewer steps that take the same work.
///
/// Returns the objective there as a share of the targets' sum of squares.
pub fn refine(
    problem: &Problem<'_>,
    frequencies: &mut [Feature],
    steps: usize,
    interrupt: impl FnMut() -> ControlFlow<()>,
) -> f64 {
    let objective = Objective::new(problem, frequencies);
    let mut weights: Vec<f64> = frequencies.iter().flat_map(|f| f.weights.iter().copied()).collect();
    let work = work_of_step(problem, frequencies.len(), weights.len());
    let reached = if work <= MOST_WORK && frequencies.iter().all(|f| f.weights.len() <= FEW_WEIGHTS) {
        let steps = (steps as f64 / work).ceil() as usize;
        LevenbergMarquardt { steps, decrease: DECREASE }.minimise(&mut weights, &objective, interrupt)
    } else {
        let lbfgs = Lbfgs { memory: 20, iterations: steps, decrease: DECREASE, ..Lbfgs::default() };
        let value = |weights: &[f64], gradient: &mut [f64]| {
            let Some(point) = objective.at(weights) else { return f64::NAN };
            gradient.copy_from_slice(&objective.gradient(&point));
            objective.value(&point)
        };
        let bounds = Bounds::none(weights.len());
        lbfgs.minimise(&mut weights, &bounds, value, interrupt).value
    };
    set_weights(frequencies, &weights);
    reached
}

/// Returns the work of a step by linearised residuals as a multiple of the work of an evaluation.
///
/// An evaluation forms the normal equations of the waves, and a step also those of the weights for every target.
fn work_of_step(problem: &Problem<'_>, count: usize, weights: usize) -> f64 {
    let of_wave = weights as f64 / count.max(1) as f64;
    1.0 + problem.y.ncols() as f64 * of_wave * (1.0 + of_wave / 4.0)
}

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

/// What is added to the diagonal of the curvature, as shares of the entry and of the largest entry: directions in which
/// the objective is flat say nothing about where it rises.
const DAMPING: f64 = 1e-3;
const FLAT: f64 = 1e-9;

/// Weights at a minimum of `f(w + s) = f(w) + sᵀ H s`, some of which are taken out.
pub struct Quadratic {
    weights: Vec<f64>,
    /// The spread of every weight's input.
    spreads: Vec<f64>,
    /// The inverse of the curvature of the weights that are left, with zeros in the rows and columns of the others.
    inverse: DMatrix<f64>,
    taken: Vec<bool>,
}

impl Quadratic {
    /// The quadratic around `weights` (p) with the curvature H (p×p), a little damped; none where that is not positive.
    pub fn new(weights: Vec<f64>, spreads: Vec<f64>, mut curvature: DMatrix<f64>) -> Option<Quadratic> {
        let count = weights.len();
        let flat = FLAT * curvature.diagonal().iter().copied().fold(0.0, f64::max);
        for i in 0..count {
            curvature[(i, i)] += DAMPING * curvature[(i, i)] + flat;
        }
        let inverse = Factor::new(&curvature)?.solve(&DMatrix::identity(count, count));
        Some(Quadratic { weights, spreads, inverse, taken: vec![false; count] })
    }

    /// Returns the place of the weight that is missed least, and by how much the function rises without it; none where
    /// no weight is left.
    pub fn least(&self) -> Option<(usize, f64)> {
        let left = (0..self.weights.len()).filter(|&i| !self.taken[i]);
        left.map(|i| (i, self.change(i).powi(2) / self.inverse[(i, i)])).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The change of a weight that counts as much as its loss. The loss of a weight turns its wave at every row by the
    /// weight times the input. Turns of normal distribution with the variance s² take the share `1 − exp(−s²)` of the
    /// wave's square from what any multiple of the turned wave explains. That is s² only where s is small.
    fn change(&self, i: usize) -> f64 {
        let turn = (self.weights[i] * self.spreads[i]).abs();
        if turn == 0.0 { 0.0 } else { self.weights[i] * (-(-turn * turn).exp_m1()).sqrt() / turn }
    }

    /// Takes a weight that is left out, and moves the others to the minimum without it.
    pub fn take_out(&mut self, i: usize) {
        let column: Vec<f64> = self.inverse.column(i).iter().copied().collect();
        let share = self.change(i) / column[i];
        add_scaled(&mut self.weights, -share, &column);
        for (l, other) in self.inverse.as_mut_slice().chunks_exact_mut(column.len()).enumerate() {
            add_scaled(other, -column[l] / column[i], &column);
        }
        self.inverse.row_mut(i).fill(0.0);
        self.inverse.column_mut(i).fill(0.0);
        self.taken[i] = true;
    }

    /// The weights in turn; none for one that was taken out.
    pub fn weights(&self) -> impl Iterator<Item = Option<f64>> {
        self.weights.iter().zip(&self.taken).map(|(&weight, &taken)| (!taken).then_some(weight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::pair_matrix;
    use crate::linalg::{gram, product};
    use crate::method::common::linear_fit::Points;
    use crate::method::compact::problem::Smoothness;
    use crate::sampling::{Sampler, SpectralLaw};

    #[test]
    fn waves_nearby_are_found() {
        for seed in 0..3 {
            for order in [2, 4] {
                let mut sampler = Sampler::new(seed);
                let x = DMatrix::from_fn(200, 4, |_, _| sampler.normal());
                let law = SpectralLaw::Normal { scale: 1.0 };
                let mut frequencies = law.sample(2, &[0, 1, 2, 3], order, &mut sampler);
                let amplitudes = DMatrix::from_fn(4, 2, |_, _| sampler.normal() + 2.0);
                let y = product(&pair_matrix(&x, &frequencies), &amplitudes) + x.columns(0, 2);
                let found = frequencies.clone();
                frequencies.iter_mut().flat_map(|f| f.weights.iter_mut()).for_each(|w| *w += 0.05 * sampler.normal());
                let problem = Problem::new(
                    Points { x: &x, y: &y, roots: &[] },
                    &x.clone().insert_column(0, 1.0),
                    1e-9,
                    Smoothness(0.0),
                );
                refine(&problem, &mut frequencies, 200, || ControlFlow::Continue(()));
                for (ours, exact) in frequencies.iter().zip(found) {
                    let far = ours.weights.iter().zip(&exact.weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    assert!(far < 1e-2, "{seed} {order}: {far}");
                }
            }
        }
    }

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
            let problem = Problem::new(
                Points { x: &x, y: &y, roots: &[] },
                &x.clone().insert_column(0, 1.0),
                1e-6,
                Smoothness(0.0),
            );
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

    /// The least of `sᵀ H s` where the weights at `without` become 0, and where the others are there.
    fn constrained(weights: &[f64], h: &DMatrix<f64>, without: &[usize]) -> (f64, Vec<f64>) {
        let left: Vec<usize> = (0..weights.len()).filter(|i| !without.contains(i)).collect();
        let of_left = h.select_rows(&left).select_columns(&left);
        let gone = DMatrix::from_fn(without.len(), 1, |i, _| -weights[without[i]]);
        let pull = -h.select_rows(&left).select_columns(without) * &gone;
        let moved = of_left.lu().solve(&pull).unwrap();
        let mut step = vec![0.0; weights.len()];
        left.iter().zip(moved.iter()).for_each(|(&i, &s)| step[i] = s);
        without.iter().for_each(|&i| step[i] = -weights[i]);
        let s = DMatrix::from_column_slice(weights.len(), 1, &step);
        let rise = (s.transpose() * h * &s)[(0, 0)];
        (rise, weights.iter().zip(&step).map(|(w, s)| w + s).collect())
    }

    #[test]
    fn weights_go_as_the_constrained_minimum_says() {
        for seed in 0..4 {
            let mut sampler = Sampler::new(seed);
            let h = gram(&DMatrix::from_fn(12, 6, |_, _| sampler.normal()));
            let weights: Vec<f64> = (0..6).map(|_| sampler.normal()).collect();
            let mut damped = h.clone();
            let largest = h.diagonal().max();
            (0..6).for_each(|i| damped[(i, i)] += DAMPING * h[(i, i)] + FLAT * largest);
            let mut quadratic = Quadratic::new(weights.clone(), vec![1e-7; 6], h).unwrap();
            let (mut without, mut risen) = (Vec::new(), 0.0);
            for _ in 0..5 {
                let (i, rise) = quadratic.least().unwrap();
                let next = |i: usize| constrained(&weights, &damped, &[without.clone(), vec![i]].concat());
                let others = (0..6).filter(|i| !without.contains(i));
                let best = others.min_by(|&a, &b| next(a).0.total_cmp(&next(b).0)).unwrap();
                let (expected, there) = next(best);
                risen += rise;
                // Rounding of 1e-16, times condition numbers below 1e4 for each weight that is gone.
                assert!(i == best && (risen / expected - 1.0).abs() < 1e-9, "{seed}: {risen} {expected}");
                quadratic.take_out(i);
                without.push(i);
                for (place, weight) in quadratic.weights().enumerate() {
                    assert_eq!(weight.is_none(), without.contains(&place));
                    assert!((weight.unwrap_or(0.0) - there[place]).abs() < 1e-9, "{seed} {place}");
                }
            }
            quadratic.take_out(quadratic.least().unwrap().0);
            assert_eq!(quadratic.least(), None);
        }
    }

    #[test]
    fn a_wave_changes_by_no_more_than_it_has() {
        // Quadratic for a small turn. A large one takes all of the wave: its square is the curvature over that of the
        // input.
        for (weight, spread, rise) in [(0.5, 1e-4, 0.75), (-2.0, 5.0, 3.0 / 25.0), (1.0, 0.0, 0.0)] {
            let found = Quadratic::new(vec![weight], vec![spread], DMatrix::from_element(1, 1, 3.0)).unwrap().least();
            assert!((found.unwrap().1 - rise).abs() <= 2e-3 * rise, "{weight} {spread}: {found:?}");
        }
    }

    #[test]
    fn flat_directions_cost_little() {
        let flat = gram(&DMatrix::from_row_slice(1, 2, &[3.0, 0.0]));
        let (place, rise) = Quadratic::new(vec![1.0, 2.0], vec![1e-4; 2], flat).unwrap().least().unwrap();
        assert!(place == 1 && (rise / (9.0 * FLAT * 4.0) - 1.0).abs() < 1e-6, "{place} {rise}");
        for entry in [0.0, f64::NAN] {
            assert!(Quadratic::new(vec![1.0], vec![1.0], DMatrix::from_element(1, 1, entry)).is_none());
        }
        assert_eq!(Quadratic::new(Vec::new(), Vec::new(), DMatrix::zeros(0, 0)).unwrap().least(), None);
    }
}
