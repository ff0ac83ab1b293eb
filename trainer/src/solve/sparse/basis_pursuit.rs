//! Basis pursuit denoising: the coefficients with the smallest 1-norm for a residual of a given size.
//!
//! The optima for all noise levels σ form the Pareto curve τ(σ) = min ‖c‖₁ (E. van den Berg and M. P. Friedlander,
//! *Probing the Pareto frontier for basis pursuit solutions*, 2008). Their solver SPGL1 finds the point of the curve by
//! Newton steps over τ, each with a LASSO problem solved by projected gradients. Random features with small weights are
//! so similar that these gradients converge slowly: after 2000 steps on the Friedman functions, the residual is still
//! 1.1 to 1.8 times σ. This solver follows the curve exactly by homotopy instead, and proves the optimum with the dual
//! certificate of SPGL1.

use std::ops::ControlFlow;

use nalgebra::DMatrix;

use crate::linalg::transpose_product;
use crate::solve::SolveError;
use crate::solve::sparse::homotopy::{Event, Path, Segment, columns};
use crate::solve::sparse::qr::add;

/// Parameters of `min ‖c‖₁` subject to `‖A c − y‖₂ ≤ σ`.
#[derive(Clone, Copy, Debug)]
pub struct BasisPursuit {
    /// The noise level σ, in units of y; 0 means an exact fit.
    pub sigma: f64,
    /// The largest relative duality gap, and the largest excess of the residual over σ relative to ‖y‖₂.
    pub tolerance: f64,
    /// The largest number of breakpoints.
    pub max_iterations: usize,
    /// The largest number of non-zero coefficients; the pursuit may end before σ.
    pub max_support: usize,
}

/// The end of a pursuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The coefficients are optimal within the tolerance.
    Converged,
    /// The noise level is reached, but the columns are so similar that rounding leaves a gap above the tolerance.
    Inexact,
    /// No combination of the columns reaches σ; the coefficients have the smallest residual.
    OutOfReach,
    /// The limit of iterations or of the support is reached; the coefficients are optimal for a larger noise level.
    Limit,
    /// The caller stopped the pursuit; the coefficients are optimal for a larger noise level.
    Interrupted,
}

/// The result of a pursuit.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The coefficients c, N×1, of which at most min(n, N) differ from zero.
    pub coefficients: DMatrix<f64>,
    /// The residual norm ‖A c − y‖₂.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the certificate"))]
    pub residual: f64,
    /// A bound of the excess of ‖c‖₁ over the optimum for the noise level max(σ, `residual`), as a fraction of ‖c‖₁.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the certificate"))]
    pub gap: f64,
    /// The number of breakpoints.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the effort"))]
    pub iterations: usize,
    /// The reason for the end of the pursuit.
    pub status: Status,
}

impl BasisPursuit {
    /// Solves the problem for A n×N (`a`) and y n×1.
    ///
    /// Columns with equal norms have equal penalties. An iteration reads A once and takes O(ns) operations more for s
    /// non-zero coefficients. `interrupt` is called before every breakpoint and may stop the pursuit.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] if A, y or ‖y‖ are not finite or σ is not a number. A σ below 0 counts as 0.
    pub fn run(
        &self,
        a: &DMatrix<f64>,
        y: &DMatrix<f64>,
        mut interrupt: impl FnMut() -> ControlFlow<()>,
    ) -> Result<Solution, SolveError> {
        let finite = |m: &DMatrix<f64>| m.iter().all(|v| v.is_finite());
        if !finite(a) || !finite(y) || !y.norm().is_finite() || self.sigma.is_nan() {
            return Err(SolveError::NotFinite);
        }
        let sigma = self.sigma.max(0.0);
        let mut path = Path::new(a, y);
        let mut iterations = 0;
        if y.norm() <= sigma {
            return Ok(self.solution(&path, &path.segment(), sigma, iterations, Status::Converged));
        }
        loop {
            let segment = path.segment();
            if interrupt().is_break() {
                return Ok(self.solution(&path, &segment, sigma, iterations, Status::Interrupted));
            }
            let next = path.next(&segment, sigma);
            if let Event::Root = next.event {
                path.pass(next);
                return Ok(self.solution(&path, &segment, sigma, iterations, Status::Converged));
            }
            if iterations == self.max_iterations || path.support.len() >= self.max_support {
                return Ok(self.solution(&path, &segment, sigma, iterations, Status::Limit));
            }
            path.pass(next);
            iterations += 1;
        }
    }

    /// Returns the solution at the present point of the path, with a fresh residual and certificate.
    fn solution(&self, path: &Path<'_>, segment: &Segment, sigma: f64, iterations: usize, status: Status) -> Solution {
        let a = path.a;
        let y = path.y;
        let mut coefficients = DMatrix::zeros(a.ncols(), 1);
        let mut remainder = y.clone();
        for (&j, c) in path.support.iter().zip(segment.coefficients(path.lambda)) {
            coefficients[j] = c;
            add(remainder.as_mut_slice(), -c, path.column(j));
        }
        let residual = remainder.norm();
        let length: f64 = path.support.iter().map(|&j| coefficients[j].abs()).sum();
        // Any u gives the lower bound (yᵀu − ρ‖u‖) / ‖Aᵀu‖∞ of the optimum for the level ρ. The best u is the residual,
        // or its limiting direction, the drift, if the residual is zero.
        let level = sigma.max(residual);
        let duals = columns([remainder.as_slice(), &segment.drift]);
        let slopes = transpose_product(a, &duals);
        let bound = |dual: usize| match slopes.column(dual).amax() {
            0.0 => 0.0,
            slope => (y.dot(&duals.column(dual)) - level * duals.column(dual).norm()) / slope,
        };
        let gap = if length > 0.0 { 1.0 - bound(0).max(bound(1)) / length } else { 0.0 };
        let status = match status {
            Status::Converged if residual > sigma + self.tolerance * y.norm() => Status::OutOfReach,
            Status::Converged if gap > self.tolerance => Status::Inexact,
            other => other,
        };
        Solution { coefficients, residual, gap, iterations, status }
    }
}

#[cfg(test)]
mod tests;
