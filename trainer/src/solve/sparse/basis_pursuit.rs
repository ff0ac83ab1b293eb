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

/// What a pursuit found.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The coefficients c, N×1; at most min(n, N) of them differ from zero.
    pub coefficients: DMatrix<f64>,
    /// ‖A c − y‖₂.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests check the certificate"))]
    pub residual: f64,
    /// What ‖c‖₁ may be above the optimum for the noise level max(σ, `residual`), as a share of ‖c‖₁.
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
mod tests {
    use super::*;
    use crate::sampling::Sampler;
    use crate::solve::sparse::homotopy::Breakpoint;

    const SETTINGS: BasisPursuit =
        BasisPursuit { sigma: 0.0, tolerance: 1e-9, max_iterations: 2000, max_support: usize::MAX };

    fn run(sigma: f64, a: &DMatrix<f64>, y: &DMatrix<f64>) -> Solution {
        BasisPursuit { sigma, ..SETTINGS }.run(a, y, || ControlFlow::Continue(())).unwrap()
    }

    fn random(rows: usize, columns: usize, seed: u64) -> DMatrix<f64> {
        let mut sampler = Sampler::new(seed);
        DMatrix::from_fn(rows, columns, |_, _| sampler.normal())
    }

    fn length(c: &DMatrix<f64>) -> f64 {
        c.iter().map(|v| v.abs()).sum()
    }

    #[test]
    fn orthonormal_columns_are_thresholded_softly() {
        for seed in 0..5 {
            let a = random(30, 12, seed).qr().q();
            let y = random(30, 1, seed + 100);
            let products = a.transpose() * &y;
            for share in [0.01, 0.1, 0.5, 0.9] {
                let threshold = share * products.amax();
                let soft = products.map(|p| p.signum() * (p.abs() - threshold).max(0.0));
                // For λ = `threshold` this is the LASSO solution, so it is the least for the residual that it leaves.
                let solution = run((&a * &soft - &y).norm(), &a, &y);
                assert_eq!(solution.status, Status::Converged);
                assert!((solution.coefficients - soft).amax() < 1e-12);
            }
        }
    }

    #[test]
    fn optima_satisfy_the_conditions_of_karush_kuhn_and_tucker() {
        for seed in 0..10 {
            let (a, y) = (random(40, 200, seed), random(40, 1, seed + 100));
            for share in [0.0, 0.01, 0.3, 0.9] {
                let sigma = share * y.norm();
                let solution = run(sigma, &a, &y);
                assert_eq!(solution.status, Status::Converged);
                let residual = &y - &a * &solution.coefficients;
                assert!((residual.norm() - sigma).abs() < 1e-11 && (solution.residual - sigma).abs() < 1e-11);
                assert!(solution.gap.abs() < 1e-9, "{}", solution.gap);
                if share == 0.0 {
                    continue; // nothing is left whose products could be compared
                }
                let products = a.transpose() * residual;
                let lambda = products.amax();
                for (product, c) in products.iter().zip(&solution.coefficients) {
                    assert!(*c == 0.0 || (product - lambda * c.signum()).abs() < 1e-9 * lambda);
                }
            }
        }
    }

    /// The least ‖c‖₁ for n = 2, where some optimum has at most two non-zero coefficients: single columns in closed
    /// form, pairs with the residual turned through 20,000 directions.
    fn brute_force(a: &DMatrix<f64>, y: &DMatrix<f64>, sigma: f64) -> f64 {
        let mut best = if sigma < y.norm() { f64::INFINITY } else { 0.0 };
        for i in 0..a.ncols() {
            // ‖c a − y‖² = σ², a quadratic equation in c.
            let (square, product) = (a.column(i).norm_squared(), a.column(i).dot(&y.column(0)));
            let discriminant = product * product - square * (y.norm_squared() - sigma * sigma);
            if discriminant >= 0.0 {
                best = best.min((product.abs() - discriminant.sqrt()).max(0.0) / square);
            }
            for j in 0..i {
                let inverse = a.select_columns(&[i, j]).try_inverse().unwrap();
                for turn in 0..20_000 {
                    let (sin, cos) = (f64::from(turn) * std::f64::consts::TAU / 20_000.0).sin_cos();
                    best = best.min(length(&(&inverse * (y + DMatrix::from_column_slice(2, 1, &[cos, sin]) * sigma))));
                }
            }
        }
        best
    }

    #[test]
    fn tiny_problems_by_exhaustive_search_and_the_gap_bounds_the_error() {
        for seed in 0..5 {
            let (a, y) = (random(2, 5, seed), random(2, 1, seed + 100));
            for share in [0.0, 0.2, 0.7] {
                let solution = run(share * y.norm(), &a, &y);
                let best = brute_force(&a, &y, share * y.norm());
                // The nearest of 20,000 directions is off by π/20000 at most: an error of second order, 1e-8.
                assert!((length(&solution.coefficients) - best).abs() < 1e-6 * best);
                assert!(length(&solution.coefficients) * (1.0 - solution.gap) <= best * (1.0 + 1e-12));
            }
        }
    }

    #[test]
    fn the_gap_bounds_the_error_of_any_coefficients() {
        // A path at a made-up λ on a made-up support: far from optimal, and the certificate says so.
        for seed in 0..20 {
            let (a, y) = (random(2, 5, seed), random(2, 1, seed + 100));
            let mut path = Path::new(&a, &y);
            let sign = if seed % 2 == 0 { 1.0 } else { -1.0 };
            path.pass(Breakpoint { lambda: 0.4 * path.lambda, event: Event::Joins(3, sign) });
            let solution = SETTINGS.solution(&path, &path.segment(), 0.0, 0, Status::Limit);
            let excess = length(&solution.coefficients) - brute_force(&a, &y, solution.residual);
            assert!(solution.gap * length(&solution.coefficients) >= excess - 1e-6);
        }
    }

    #[test]
    fn a_sparse_combination_is_recovered() {
        for seed in 0..10 {
            let a = random(60, 300, seed);
            let mut truth = DMatrix::zeros(300, 1);
            [(3, 2.0), (41, -1.5), (277, 1.0)].iter().for_each(|&(j, value)| truth[j] = value);
            let solution = run(0.0, &a, &(&a * &truth));
            assert_eq!(solution.status, Status::Converged);
            assert!((solution.coefficients - truth).amax() < 1e-10);
        }
    }

    #[test]
    fn columns_that_are_alike_zero_or_doubled_are_no_trouble() {
        // Sines of nearby frequencies: 400 columns of numerical rank 15 or so, every tenth zero, some twice.
        let mut sampler = Sampler::new(1);
        let mut a = DMatrix::from_fn(60, 400, |i, j| (i as f64 / 60.0 * (1.0 + j as f64 / 100.0) + j as f64).sin());
        (0..400).step_by(10).for_each(|j| a.column_mut(j).fill(0.0));
        let twin = a.column(7).into_owned();
        a.set_column(8, &twin);
        let y = DMatrix::from_fn(60, 1, |i, _| (i as f64 / 60.0).exp() + 0.1 * sampler.normal());
        let solution = run(0.1 * 60_f64.sqrt(), &a, &y);
        assert_eq!(solution.status, Status::Converged);
        assert!(solution.coefficients.iter().step_by(10).all(|&c| c == 0.0));
    }

    #[test]
    fn the_ends_of_the_range() {
        let (a, y) = (random(20, 50, 1), random(20, 1, 2));
        for sigma in [y.norm(), 10.0 * y.norm(), f64::INFINITY] {
            let solution = run(sigma, &a, &y);
            assert_eq!((solution.status, solution.coefficients.amax(), solution.gap), (Status::Converged, 0.0, 0.0));
        }
        assert_eq!(run(-1.0, &a, &y).coefficients, run(0.0, &a, &y).coefficients);
        assert_eq!(run(0.5, &DMatrix::zeros(20, 5), &y).status, Status::OutOfReach);
        assert_eq!(run(0.5, &DMatrix::zeros(20, 0), &y).status, Status::OutOfReach);
        assert_eq!(run(0.0, &a, &DMatrix::zeros(20, 1)).status, Status::Converged);
        // Too few columns: the least-squares fit is as close as they come.
        let narrow = a.columns(0, 3).into_owned();
        let closest = (narrow.transpose() * &narrow).lu().solve(&(narrow.transpose() * &y)).unwrap();
        let solution = run(0.0, &narrow, &y);
        assert_eq!(solution.status, Status::OutOfReach);
        assert!((solution.coefficients - closest).amax() < 1e-12);
    }

    #[test]
    fn values_that_are_not_finite_are_an_error() {
        let (a, y) = (random(5, 8, 1), random(5, 1, 2));
        let error = |sigma, a: &DMatrix<f64>, y: &DMatrix<f64>| {
            BasisPursuit { sigma, ..SETTINGS }.run(a, y, || ControlFlow::Continue(())).unwrap_err()
        };
        let spoilt = |m: &DMatrix<f64>, value| {
            let mut m = m.clone();
            m[(2, 0)] = value;
            m
        };
        for value in [f64::NAN, f64::INFINITY] {
            assert_eq!(error(0.1, &spoilt(&a, value), &y), SolveError::NotFinite);
            assert_eq!(error(f64::INFINITY, &a, &spoilt(&y, value)), SolveError::NotFinite);
        }
        assert_eq!(error(f64::NAN, &a, &y), SolveError::NotFinite);
    }

    #[test]
    fn a_stopped_pursuit_solves_the_problem_of_the_level_it_reached() {
        let (a, y) = (random(40, 200, 5), random(40, 1, 6));
        for steps in [0, 1, 7, 20] {
            let limited = BasisPursuit { max_iterations: steps, ..SETTINGS };
            let stopped = limited.run(&a, &y, || ControlFlow::Continue(())).unwrap();
            assert_eq!((stopped.status, stopped.iterations), (Status::Limit, steps));
            assert!(stopped.gap < 1e-9);
            let same = run(stopped.residual, &a, &y);
            assert!((same.coefficients - stopped.coefficients).amax() < 1e-10);
        }
        let few = BasisPursuit { max_support: 5, ..SETTINGS }.run(&a, &y, || ControlFlow::Continue(())).unwrap();
        assert_eq!((few.status, few.coefficients.iter().filter(|&&c| c != 0.0).count()), (Status::Limit, 4));
        assert_eq!(SETTINGS.run(&a, &y, || ControlFlow::Break(())).unwrap().status, Status::Interrupted);
    }
}
