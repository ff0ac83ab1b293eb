//! Random-walk Metropolis sampling of frequencies by the amplitudes that a ridge fit gives them.
//!
//! A. Kammonen, J. Kiessling, P. Plecháč, M. Sandberg and A. Szepessy, *Adaptive random Fourier features with Metropolis
//! sampling*, 2020, Algorithms 1 and 2. All frequencies walk at once: a proposal for each of them, one fit of all proposals,
//! and a test for each by itself. Three readings that the paper leaves open:
//!
//! - a step fits a batch of rows drawn anew, not all of them, for a twentieth of the cost and the same errors;
//! - an amplitude stays what it was when its frequency was accepted, until all are fitted again: now and then, since an
//!   amplitude that a batch made too large by chance holds its frequency fast;
//! - the test is taken in logarithms, `γ ln(|β'| / |β|) > ln r`, since γ = 3d − 2 overflows a power.

use std::borrow::Cow;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::features::Feature;
use crate::method::arff::covariance::Spread;
use crate::method::common::basis::Basis;
use crate::sampling::Sampler;
use crate::solve::SolveError;

/// What frequencies walk on, and how.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// Rows, n×d.
    pub x: &'a DMatrix<f64>,
    /// Targets, n×k.
    pub y: &'a DMatrix<f64>,
    /// The inputs that a frequency may look at, ascending.
    pub inputs: &'a [usize],
    /// Functions of a frequency.
    pub basis: Basis,
    /// Ridge parameter λ of a row: a fit of n rows adds n λ.
    pub lambda: f64,
    /// Rows of a step's fit; all where there are not more.
    pub batch: usize,
    /// Standard deviation δ of a proposal.
    pub step_length: f64,
    /// Exponent γ of the test.
    pub exponent: f64,
    /// Frequencies at least this long are never accepted.
    pub max_frequency: f64,
    /// Share of the proposals of a sparse frequency that exchange one of its inputs for another.
    pub exchange: f64,
    /// Steps after which all amplitudes are fitted again; 0 for never.
    pub refit: usize,
    /// Steps after which proposals take the shape of the frequencies' covariance (Algorithm 2); none for never. Needs
    /// frequencies on all `inputs`.
    pub burn_in: Option<usize>,
}

/// Where a walk stands: all that its further course depends on, beside the walk itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chain {
    /// Steps done.
    pub step: usize,
    /// The K frequencies.
    pub frequencies: Vec<Feature>,
    /// Their amplitudes when they were accepted.
    pub amplitudes: Vec<f64>,
    /// Proposals accepted so far.
    pub accepted: u64,
    spread: Option<Spread>,
    sampler: Sampler,
}

impl Walk<'_> {
    /// Begins at `frequencies`, whose supports are members of `inputs`.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] where rows or targets are not finite.
    pub fn start(&self, frequencies: Vec<Feature>, mut sampler: Sampler) -> Result<Chain, SolveError> {
        let amplitudes = self.fit(&frequencies, &mut sampler)?;
        let dimension = self.inputs.len() + usize::from(self.basis == Basis::Sigmoid);
        let spread = self.burn_in.map(|_| Spread::new(dimension));
        Ok(Chain { step: 0, frequencies, amplitudes, accepted: 0, spread, sampler })
    }

    /// Takes one step of all frequencies.
    ///
    /// # Errors
    /// As [`Walk::start`].
    pub fn step(&self, chain: &mut Chain) -> Result<(), SolveError> {
        let shape = match (&chain.spread, self.burn_in) {
            (Some(spread), Some(burn_in)) if chain.step > burn_in => spread.factor(),
            _ => None,
        };
        let sampler = &mut chain.sampler;
        let proposals: Vec<Feature> =
            chain.frequencies.iter().map(|frequency| self.propose(frequency, shape.as_ref(), sampler)).collect();
        let amplitudes = self.fit(&proposals, sampler)?;
        for (k, (proposal, amplitude)) in proposals.into_iter().zip(amplitudes).enumerate() {
            let chance = libm::log(chain.sampler.uniform(0.0, 1.0));
            if accepts(chain.amplitudes[k], amplitude, self.exponent, chance) && self.is_short(&proposal) {
                (chain.frequencies[k], chain.amplitudes[k]) = (proposal, amplitude);
                chain.accepted += 1;
            }
        }
        chain.step += 1;
        if let Some(spread) = &mut chain.spread {
            let points: Vec<Vec<f64>> = chain.frequencies.iter().map(|f| self.coordinates(f)).collect();
            spread.add(&points);
        }
        if self.refit > 0 && chain.step.is_multiple_of(self.refit) {
            chain.amplitudes = self.fit(&chain.frequencies, &mut chain.sampler)?;
        }
        Ok(())
    }

    /// Amplitudes of the ridge fit to a batch of rows.
    fn fit(&self, frequencies: &[Feature], sampler: &mut Sampler) -> Result<Vec<f64>, SolveError> {
        let (mut x, mut y) = (Cow::Borrowed(self.x), Cow::Borrowed(self.y));
        if self.batch < self.x.nrows() {
            let rows = sampler.choose(self.x.nrows(), self.batch);
            (x, y) = (Cow::Owned(self.x.select_rows(&rows)), Cow::Owned(self.y.select_rows(&rows)));
        }
        self.basis.fitted_amplitudes(&x, &y, frequencies, self.lambda)
    }

    /// A normal step from `frequency`, of which some exchange an input: either way as likely back as forth.
    fn propose(&self, frequency: &Feature, shape: Option<&DMatrix<f64>>, sampler: &mut Sampler) -> Feature {
        let mut proposal = frequency.clone();
        let mut steps: Vec<f64> = self.coordinates(frequency).iter().map(|_| sampler.normal()).collect();
        if let Some(shape) = shape {
            let row = |i: usize| (0..=i).map(|j| shape[(i, j)] * steps[j]).sum();
            steps = (0..steps.len()).map(row).collect();
        }
        for (weight, step) in proposal.weights.iter_mut().zip(&steps) {
            *weight += self.step_length * step;
        }
        if self.basis == Basis::Sigmoid {
            proposal.bias += self.step_length * steps[proposal.weights.len()];
        }
        let order = proposal.support.len();
        if order < self.inputs.len() && sampler.uniform(0.0, 1.0) < self.exchange {
            let leaves = sampler.below(order);
            let others: Vec<usize> = self.inputs.iter().copied().filter(|i| !proposal.support.contains(i)).collect();
            proposal.support[leaves] = others[sampler.below(others.len())];
            let mut entries: Vec<(usize, f64)> = proposal.support.into_iter().zip(proposal.weights).collect();
            entries.sort_unstable_by_key(|entry| entry.0);
            (proposal.support, proposal.weights) = entries.into_iter().unzip();
        }
        proposal
    }

    /// What walks: the weights, and the bias of a sigmoid.
    fn coordinates(&self, frequency: &Feature) -> Vec<f64> {
        let mut coordinates = frequency.weights.clone();
        coordinates.extend((self.basis == Basis::Sigmoid).then_some(frequency.bias));
        coordinates
    }

    fn is_short(&self, frequency: &Feature) -> bool {
        self.coordinates(frequency).iter().map(|w| w * w).sum::<f64>().sqrt() < self.max_frequency
    }
}

/// The Metropolis test; `chance` is the logarithm of a uniform number. What has no amplitude is left at once.
fn accepts(old: f64, new: f64, exponent: f64, chance: f64) -> bool {
    old == 0.0 || exponent * (libm::log(new) - libm::log(old)) > chance
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values at 401 points from −8 to 8 of a Gaussian less its mean, beyond which nothing is left of it.
    fn gaussian() -> (Vec<f64>, Vec<f64>) {
        let x: Vec<f64> = (0..401).map(|i| -8.0 + 0.04 * f64::from(i)).collect();
        let y: Vec<f64> = x.iter().map(|x| (-x * x / 2.0).exp()).collect();
        (x, y)
    }

    fn walk<'a>(x: &'a DMatrix<f64>, y: &'a DMatrix<f64>, inputs: &'a [usize]) -> Walk<'a> {
        Walk {
            x,
            y,
            inputs,
            basis: Basis::Pair,
            lambda: 0.1,
            batch: usize::MAX,
            step_length: 1.2,
            exponent: 2.0,
            max_frequency: 100.0,
            exchange: 0.0,
            refit: 0,
            burn_in: None,
        }
    }

    fn at_rest(count: usize, support: &[usize]) -> Vec<Feature> {
        let feature = Feature { support: support.to_vec(), weights: vec![0.0; support.len()], bias: 0.0 };
        vec![feature; count]
    }

    fn run(walk: &Walk<'_>, first: Vec<Feature>, seed: u64, steps: usize) -> Chain {
        let mut chain = walk.start(first, Sampler::new(seed)).unwrap();
        (0..steps).for_each(|_| walk.step(&mut chain).unwrap());
        chain
    }

    #[test]
    fn a_lone_frequency_has_the_law_of_its_amplitude() {
        // One complex amplitude is the Fourier transform, β(ω) ∝ e^{−ω²/2}: the law ∝ |β|^γ is N(0, 1/γ).
        let (x, y) = gaussian();
        let (x, y) = (DMatrix::from_vec(401, 1, x), DMatrix::from_vec(401, 1, y));
        for (seed, exponent) in [(1, 1.0), (2, 2.0), (3, 8.0)] {
            let walk =
                Walk { basis: Basis::Complex, exponent, step_length: 2.4 / exponent.sqrt(), ..walk(&x, &y, &[0]) };
            let mut chain = walk.start(at_rest(1, &[0]), Sampler::new(seed)).unwrap();
            let steps = 20_000;
            let mut moments = [0.0; 3];
            for _ in 0..steps {
                walk.step(&mut chain).unwrap();
                let z = chain.frequencies[0].weights[0] * exponent.sqrt();
                [z, z * z, z.powi(4)].iter().zip(&mut moments).for_each(|(value, sum)| *sum += value / steps as f64);
            }
            // A walk of this length forgets in some five steps: 4000 independent draws, and four standard errors of
            // the moments of a normal: √(1/4000), √(2/4000), √(96/4000).
            assert!(moments[0].abs() < 0.064, "{moments:?}");
            assert!((moments[1] - 1.0).abs() < 0.09, "{moments:?}");
            assert!((moments[2] - 3.0).abs() < 0.62, "{moments:?}");
        }
    }

    #[test]
    fn inputs_are_visited_by_the_power_of_their_amplitudes() {
        // y = 2 g(x₁) + g(x₂) on a grid: |β| is twice as large on the first input, whatever the frequency.
        let (points, mut g) = gaussian();
        let (points, g_mean): (Vec<f64>, f64) = (points.into_iter().step_by(20).collect(), {
            g = g.into_iter().step_by(20).collect();
            g.iter().sum::<f64>() / g.len() as f64
        });
        let side = points.len();
        let x = DMatrix::from_fn(side * side, 2, |row, i| points[if i == 0 { row % side } else { row / side }]);
        let y = DMatrix::from_fn(side * side, 1, |row, _| 2.0 * (g[row % side] - g_mean) + g[row / side] - g_mean);
        let walk = Walk {
            basis: Basis::Complex,
            exchange: 0.5,
            step_length: 1.0,
            max_frequency: 3.0,
            ..walk(&x, &y, &[0, 1])
        };
        let mut chain = walk.start(at_rest(1, &[1]), Sampler::new(5)).unwrap();
        let steps = 20_000;
        let mut on_first = 0;
        for _ in 0..steps {
            walk.step(&mut chain).unwrap();
            on_first += usize::from(chain.frequencies[0].support == [0]);
        }
        // 2² to 1. An exchange every fourth step or so: 5000 draws of standard deviation 0.4 and four standard errors.
        let share = on_first as f64 / steps as f64;
        assert!((share - 0.8).abs() < 0.023, "{share}");
    }

    #[test]
    fn the_test_is_a_ratio_in_logarithms() {
        let half = 0.5_f64.ln();
        assert!(accepts(1.0, 1.0, 2350.0, -1e-300) && accepts(1.0, 0.99, 1.0, half));
        assert!(!accepts(1.0, 0.49, 1.0, half) && !accepts(1.0, 0.9, 2350.0, half) && !accepts(1.0, 0.0, 2.0, half));
        assert!(accepts(1e-3, 2e-3, 2350.0, -1e-300), "a power of 2350 overflows");
        assert!(accepts(0.0, 0.0, 2.0, half) && accepts(0.0, 1e-300, 2.0, half));
        for scale in [1e-9, 1e9] {
            assert_eq!(accepts(0.7 * scale, 0.5 * scale, 2.0, half), accepts(0.7, 0.5, 2.0, half));
        }
    }

    #[test]
    fn a_batch_of_all_rows_is_no_batch() {
        let mut sampler = Sampler::new(4);
        let x = DMatrix::from_fn(60, 3, |_, _| sampler.normal());
        let y = x.column(0).map(f64::sin).insert_columns(1, 1, 0.5);
        let walk = Walk { batch: 60, step_length: 0.3, refit: 7, ..walk(&x, &y, &[0, 1, 2]) };
        let first = at_rest(8, &[0, 1, 2]);
        let chain = run(&walk, first.clone(), 1, 40);
        assert_eq!(chain, run(&Walk { batch: 1000, ..walk }, first.clone(), 1, 40));
        assert_ne!(chain, run(&Walk { batch: 59, ..walk }, first, 1, 40));
        // Powers of two change no digit, and no decision.
        for scale in [2.0_f64.powi(-30), 2.0_f64.powi(30)] {
            let scaled = &y * scale;
            let other = run(&Walk { y: &scaled, ..walk }, at_rest(8, &[0, 1, 2]), 1, 40);
            assert_eq!(other.frequencies, chain.frequencies);
        }
    }

    #[test]
    fn the_shape_of_steps_is_the_covariance_of_all_points() {
        for (basis, dimension) in [(Basis::Pair, 2), (Basis::Sigmoid, 3)] {
            let mut sampler = Sampler::new(9);
            let x = DMatrix::from_fn(80, 2, |_, _| sampler.normal());
            let y = DMatrix::from_fn(80, 1, |i, _| (3.0 * x[(i, 0)]).sin() + 0.3 * x[(i, 1)]);
            let walk = Walk { basis, step_length: 0.4, burn_in: Some(20), max_frequency: 5.0, ..walk(&x, &y, &[0, 1]) };
            let mut chain = walk.start(at_rest(6, &[0, 1]), Sampler::new(2)).unwrap();
            let mut points: Vec<Vec<f64>> = Vec::new();
            for _ in 0..60 {
                walk.step(&mut chain).unwrap();
                points.extend(chain.frequencies.iter().map(|f| walk.coordinates(f)));
            }
            let points = DMatrix::from_fn(points.len(), dimension, |k, i| points[k][i]);
            let centred = DMatrix::from_fn(points.nrows(), dimension, |k, i| points[(k, i)] - points.column(i).mean());
            let direct = centred.transpose() * &centred / points.nrows() as f64;
            let spread = chain.spread.as_ref().unwrap();
            assert!((spread.covariance() - &direct).amax() < 1e-11 * direct.amax());
            let factor = spread.factor().unwrap();
            assert!((&factor * factor.transpose() - &direct).amax() < 2e-9 * direct.amax());
            assert!(chain.accepted > 60 && points.row_iter().all(|point| point.norm() < 5.0));
            // The shape matters from the step after the burn-in on, and not before.
            let plain = Walk { burn_in: None, ..walk };
            for (steps, same) in [(21, true), (22, false)] {
                let (shaped, plain) =
                    (run(&walk, at_rest(6, &[0, 1]), 2, steps), run(&plain, at_rest(6, &[0, 1]), 2, steps));
                assert_eq!(shaped.frequencies == plain.frequencies, same, "{steps}");
            }
        }
    }
}
