//! Basis pursuit denoising: the smallest coefficients, in the 1-norm, that leave a residual of a given size.
//!
//! The optima for all noise levels σ form a curve, τ(σ) = min ‖c‖₁ (the Pareto curve; E. van den Berg and
//! M. P. Friedlander, *Probing the Pareto frontier for basis pursuit solutions*, 2008). SPGL1 finds the root of the
//! curve by Newton steps over τ, each with a LASSO problem solved by projected gradients. The columns here are random
//! features with small weights, so alike that those gradients crawl: after 2000 steps on the Friedman functions the
//! residual is still 1.1 to 1.8 times σ. So the curve is followed exactly instead, by homotopy, and the dual
//! certificate of SPGL1 proves what was found.

use std::ops::ControlFlow;

use nalgebra::DMatrix;

use crate::linalg::transpose_product;
use crate::solve::SolveError;
use crate::solve::sparse::homotopy::{Event, Path, Segment, columns};
use crate::solve::sparse::qr::add;

/// Parameters of `min ‖c‖₁` subject to `‖A c − y‖₂ ≤ σ`.
#[derive(Clone, Copy, Debug)]
pub struct BasisPursuit {
    /// Noise level σ, in units of y; 0 asks for an exact fit.
    pub sigma: f64,
    /// Largest relative duality gap, and largest residual beyond σ relative to ‖y‖₂, that count as converged.
    pub tolerance: f64,
    /// Most breakpoints.
    pub max_iterations: usize,
    /// Number of non-zero coefficients at which the pursuit ends before σ.
    pub max_support: usize,
}

/// How a pursuit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The coefficients are optimal within the tolerance.
    Converged,
    /// The noise level is reached, but rounding leaves a gap above the tolerance: the columns are too alike.
    Inexact,
    /// The columns cannot come as close to y as σ; the coefficients come as close as they can.
    OutOfReach,
    /// Iterations or support are used up; the coefficients solve the problem for the larger noise level that was
    /// reached.
    Limit,
    /// The caller stopped the pursuit; otherwise as above.
    Interrupted,
}

/// The solution of a pursuit.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The coefficients c, N×1; at most min(n, N) of them differ from zero.
    pub coefficients: DMatrix<f64>,
    /// ‖A c − y‖₂.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the certificate"))]
    pub residual: f64,
    /// The largest excess of ‖c‖₁ over the optimum for the noise level max(σ, `residual`), as a share of ‖c‖₁.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the certificate"))]
    pub gap: f64,
    /// Breakpoints passed.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the effort"))]
    pub iterations: usize,
    /// How the pursuit ended.
    pub status: Status,
}

impl BasisPursuit {
    /// Solves the problem for A n×N (`a`) and y n×1; asks `interrupt` before every breakpoint.
    ///
    /// Give all columns the same norm where the penalty is to be the same. An iteration reads A once and takes O(ns)
    /// beside it for s non-zero coefficients.
    ///
    /// # Errors
    /// [`SolveError::NotFinite`] where A, y or ‖y‖ are not finite or σ is not a number. A σ below 0 counts as 0.
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

    /// The solution where the path stands on a segment, with a fresh residual and certificate.
    fn solution(&self, path: &Path<'_>, segment: &Segment, sigma: f64, iterations: usize, status: Status) -> Solution {
        let (a, y) = (path.a, path.y);
        let mut coefficients = DMatrix::zeros(a.ncols(), 1);
        let mut remainder = y.clone();
        for (&j, c) in path.support.iter().zip(segment.coefficients(path.lambda)) {
            coefficients[j] = c;
            add(remainder.as_mut_slice(), -c, path.column(j));
        }
        let residual = remainder.norm();
        let length: f64 = path.support.iter().map(|&j| coefficients[j].abs()).sum();
        // Any u bounds the optimum for level ρ from below, by (yᵀu − ρ‖u‖) / ‖Aᵀu‖∞. The best u is the residual; where
        // it vanishes its direction is that of the drift.
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
