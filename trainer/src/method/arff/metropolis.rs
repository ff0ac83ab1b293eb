//! Random-walk Metropolis sampling of frequencies by the amplitudes that a ridge fit gives them.
//!
//! A. Kammonen, J. Kiessling, P. Plecháč, M. Sandberg and A. Szepessy, *Adaptive random Fourier features with
//! Metropolis sampling*, 2020, Algorithms 1 and 2. All frequencies walk at once: a proposal for each of them, one fit
//! of all proposals, and a test for each by itself. Three readings that the paper leaves open:
//!
//! - a step fits a batch of rows drawn anew, not all of them, for a twentieth of the cost and the same errors;
//! - an amplitude stays what it was when its frequency was accepted, until all are fitted again: now and then, since an
//!   amplitude that a batch made too large by chance holds its frequency fast;
//! - the test is taken in logarithms, `γ ln(|β'| / |β|) > ln r`, since γ = 3d − 2 overflows a power.
//!
//! The covariance of all points that a walk has visited gives its further steps their shape.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use crate::features::Feature;
use crate::linalg::{cholesky, gram};
use crate::method::common::linear_fit::Basis;
use crate::sampling::Sampler;
use crate::solve::SolveError;

/// The rows and the settings of a walk.
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

    /// The coordinates of the walk: the weights, and the bias of a sigmoid.
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

/// Added to the diagonal of a covariance, as a share of its mean: no direction is ever closed.
const FLOOR: f64 = 1e-9;

/// Sums over points of one dimension D.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    count: u64,
    sum: Vec<f64>,
    /// Products of coordinates, D×D.
    products: Vec<f64>,
}

impl Spread {
    pub fn new(dimension: usize) -> Spread {
        Spread { count: 0, sum: vec![0.0; dimension], products: vec![0.0; dimension * dimension] }
    }

    pub fn add(&mut self, points: &[Vec<f64>]) {
        self.count += points.len() as u64;
        let points = DMatrix::from_fn(points.len(), self.sum.len(), |k, i| points[k][i]);
        self.sum.iter_mut().zip(points.column_iter()).for_each(|(sum, column)| *sum += column.sum());
        self.products.iter_mut().zip(gram(&points).iter()).for_each(|(sum, product)| *sum += product);
    }

    /// Their covariance (D×D), divided by their number.
    pub fn covariance(&self) -> DMatrix<f64> {
        let (count, dimension) = (self.count as f64, self.sum.len());
        let entry = |i, j| self.products[i + j * dimension] / count - self.sum[i] / count * (self.sum[j] / count);
        DMatrix::from_fn(dimension, dimension, entry)
    }

    /// A lower triangular factor `l` of the covariance `l lᵀ`; none as long as all points are one.
    pub fn factor(&self) -> Option<DMatrix<f64>> {
        let mut covariance = self.covariance();
        let floor = FLOOR * covariance.diagonal().mean();
        (0..self.sum.len()).for_each(|i| covariance[(i, i)] += floor);
        cholesky(&covariance)
    }
}
