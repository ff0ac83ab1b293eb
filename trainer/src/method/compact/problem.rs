//! Least squares with a penalty on the amplitudes of frequencies, and terms beside them without.
//!
//! The penalty may grow with the frequency, so that fast waves must explain more than slow ones. Frequencies that are
//! moved to where they fit follow the noise with fast waves if fast waves cost no more than slow ones.
//! The weight `w(ω) = (1 + ‖ω‖²)^s` of a frequency's penalty is that of a Sobolev norm of order s (G. Wahba, *Spline
//! Models for Observational Data*, 1990, has such penalties).

use std::borrow::Cow;

use nalgebra::DMatrix;

use crate::features::{Feature, pair_matrix, write_pairs};
use crate::linalg::{gram, product, scale_rows, subtract_product, zeros};
use crate::method::common::linear_fit::Points;
use crate::solve::SolveError;
use crate::solve::least_squares::min_norm::stable_ridge;
use crate::solve::least_squares::ridge::{Unpenalised, ridge};

/// `min ‖[cos | sin] C + T B − Y‖² + n λ Σ_j w(ω_j)‖C_j‖²` over the amplitudes C of frequencies and the coefficients B
/// of the terms T.
///
/// A pair (cos, sin) is a wave with a phase of its own; on the device it is one feature. So phases take no search, and
/// several targets share a frequency.
///
/// Rows may count differently: T, Y and the values of frequencies are then multiplied by the roots of their weights.
pub struct Problem<'a> {
    /// Inputs, n×d.
    pub x: &'a DMatrix<f64>,
    /// Targets, n×k, less what the terms explain.
    pub y: DMatrix<f64>,
    /// What rows are multiplied by, as of [`Dataset::root_weights`](crate::Dataset::root_weights).
    roots: Vec<f64>,
    /// The penalty n λ.
    pub penalty: f64,
    /// How the penalty grows with the frequency.
    pub smoothness: Smoothness,
    beside: Unpenalised,
}

impl<'a> Problem<'a> {
    /// The problem of rows and the columns of the unpenalised terms (n×p), with λ and how it grows with the frequency.
    pub fn new(
        Points { x, y, roots }: Points<'a>,
        terms: &DMatrix<f64>,
        lambda: f64,
        smoothness: Smoothness,
    ) -> Problem<'a> {
        let mut terms = terms.clone();
        scale_rows(&mut terms, roots);
        let beside = Unpenalised::new(&terms);
        let penalty = lambda * x.nrows() as f64;
        let mut problem = Problem { x, y: y.clone(), roots: roots.to_vec(), penalty, smoothness, beside };
        problem.set_targets(y);
        problem
    }

    /// Takes other targets (n×k) of the same rows.
    pub fn set_targets(&mut self, y: &DMatrix<f64>) {
        let mut y = y.clone();
        scale_rows(&mut y, &self.roots);
        // Twice, so that rounding leaves nothing of the terms in targets that are almost a line.
        self.beside.project_out(&mut y);
        self.beside.project_out(&mut y);
        self.y = y;
    }

    /// The values `[cos | sin]` (n×2N) of frequencies, as what rows count multiplies them.
    pub fn waves(&self, frequencies: &[Feature]) -> DMatrix<f64> {
        let mut waves = pair_matrix(self.x, frequencies);
        scale_rows(&mut waves, &self.roots);
        waves
    }

    /// The targets less what the terms explain, as they are before what rows count multiplies them.
    pub fn targets(&self) -> Cow<'_, DMatrix<f64>> {
        if self.roots.is_empty() {
            return Cow::Borrowed(&self.y);
        }
        let inverse: Vec<f64> = self.roots.iter().map(|root| 1.0 / root).collect();
        let mut y = self.y.clone();
        scale_rows(&mut y, &inverse);
        Cow::Owned(y)
    }

    /// The values `[cos | sin]` (n×2N) of frequencies, less what the terms explain, scaled so that the penalty is the
    /// same for all.
    pub fn values(&self, frequencies: &[Feature]) -> DMatrix<f64> {
        self.values_in(zeros(self.x.nrows(), 2 * frequencies.len()), frequencies)
    }

    /// The same values, in a matrix of their size.
    pub fn values_in(&self, mut values: DMatrix<f64>, frequencies: &[Feature]) -> DMatrix<f64> {
        write_pairs(self.x, frequencies, &mut values);
        scale_rows(&mut values, &self.roots);
        self.project_out(&mut values);
        let scales = self.smoothness.scales(frequencies);
        values.column_iter_mut().zip(scales).for_each(|(mut column, scale)| column *= scale);
        values
    }

    /// Subtracts from every column of `m` (n×anything) what the terms explain of it.
    pub fn project_out(&self, m: &mut DMatrix<f64>) {
        self.beside.project_out(m);
    }

    /// The Gram matrix (N×N) of the columns of `m` (n×N), less what the terms explain of them.
    pub fn gram_beside_terms(&self, m: &DMatrix<f64>) -> DMatrix<f64> {
        let mut products = gram(m);
        let explained = self.beside.explained(m);
        subtract_product(&mut products, &explained.transpose(), &explained);
        products
    }

    /// The amplitudes (2N×k) of frequencies, and the coefficients (p×k) of the terms where `y` (n×k) are the targets as
    /// they were given; by orthogonal factors.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] where values or targets are not finite.
    pub fn solve(&self, frequencies: &[Feature], y: &DMatrix<f64>) -> Result<(DMatrix<f64>, DMatrix<f64>), SolveError> {
        let scaled = stable_ridge(&self.values(frequencies), &self.y, self.penalty)?;
        let amplitudes = self.smoothness.unscaled(scaled, frequencies);
        let mut rest = y - product(&pair_matrix(self.x, frequencies), &amplitudes);
        scale_rows(&mut rest, &self.roots);
        Ok((amplitudes, self.beside.coefficients(&rest)?))
    }

    /// The amplitudes (2N×k) of frequencies.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] where values or targets are not finite.
    pub fn amplitudes(&self, frequencies: &[Feature]) -> Result<DMatrix<f64>, SolveError> {
        let scaled = ridge(&self.values(frequencies), &self.y, self.penalty)?;
        Ok(self.smoothness.unscaled(scaled, frequencies))
    }
}

/// The exponent s: 0 is ridge regression, 2 keeps squared second derivatives small.
#[derive(Clone, Copy, Debug)]
pub struct Smoothness(pub f64);

impl Smoothness {
    /// The weight of a frequency's penalty.
    pub fn weight(self, frequency: &Feature) -> f64 {
        libm::pow(1.0 + norm_squared(frequency), self.0)
    }

    /// The derivative of the weight by an entry of the frequency, as a multiple of the entry.
    pub fn slope(self, frequency: &Feature) -> f64 {
        2.0 * self.0 * libm::pow(1.0 + norm_squared(frequency), self.0 - 1.0)
    }

    /// What the columns `[cos | sin]` of frequencies are multiplied by so that all have the same penalty: `1/√w`, 2N of
    /// them.
    pub fn scales(self, frequencies: &[Feature]) -> Vec<f64> {
        let scales = frequencies.iter().map(|frequency| 1.0 / self.weight(frequency).sqrt());
        scales.clone().chain(scales).collect()
    }

    /// The amplitudes (2N×k) of columns, given those of the columns times their scales.
    pub fn unscaled(self, mut amplitudes: DMatrix<f64>, frequencies: &[Feature]) -> DMatrix<f64> {
        amplitudes.row_iter_mut().zip(self.scales(frequencies)).for_each(|(mut row, scale)| row *= scale);
        amplitudes
    }
}

fn norm_squared(frequency: &Feature) -> f64 {
    frequency.weights.iter().map(|weight| weight * weight).sum()
}
