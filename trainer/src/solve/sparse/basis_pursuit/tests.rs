//! Tests of basis pursuit against closed forms and lower bounds.

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
            // This is the LASSO solution for λ = `threshold`, so that ‖c‖₁ is minimal for its residual.
            let solution = run((&a * &soft - &y).norm(), &a, &y);
            assert_eq!(solution.status, Status::Converged);
            assert!((solution.coefficients - soft).amax() < 1e-12);
        }
    }
}

#[test]
fn optima_satisfy_the_conditions_of_karush_kuhn_and_tucker() {
    for seed in 0..10 {
        let a = random(40, 200, seed);
        let y = random(40, 1, seed + 100);
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

/// Returns the smallest ‖c‖₁ for n = 2, where an optimum has at most two non-zero coefficients. Single columns are
/// solved in closed form, pairs for residuals in 20,000 directions.
fn brute_force(a: &DMatrix<f64>, y: &DMatrix<f64>, sigma: f64) -> f64 {
    let mut best = if sigma < y.norm() { f64::INFINITY } else { 0.0 };
    for i in 0..a.ncols() {
        // ‖c a − y‖² = σ² is a quadratic equation in c.
        let square = a.column(i).norm_squared();
        let product = a.column(i).dot(&y.column(0));
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
        let a = random(2, 5, seed);
        let y = random(2, 1, seed + 100);
        for share in [0.0, 0.2, 0.7] {
            let solution = run(share * y.norm(), &a, &y);
            let best = brute_force(&a, &y, share * y.norm());
            // The nearest of 20,000 directions is off by at most π/20000, which gives a second-order error of 1e-8.
            assert!((length(&solution.coefficients) - best).abs() < 1e-6 * best);
            assert!(length(&solution.coefficients) * (1.0 - solution.gap) <= best * (1.0 + 1e-12));
        }
    }
}

#[test]
fn the_gap_bounds_the_error_of_any_coefficients() {
    // The certificate detects that an arbitrary λ on an arbitrary support is far from optimal.
    for seed in 0..20 {
        let a = random(2, 5, seed);
        let y = random(2, 1, seed + 100);
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
    // 400 sines of similar frequencies, of numerical rank 15 or so. Every tenth column is zero, and some occur
    // twice.
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
    let a = random(20, 50, 1);
    let y = random(20, 1, 2);
    for sigma in [y.norm(), 10.0 * y.norm(), f64::INFINITY] {
        let solution = run(sigma, &a, &y);
        assert_eq!((solution.status, solution.coefficients.amax(), solution.gap), (Status::Converged, 0.0, 0.0));
    }
    assert_eq!(run(-1.0, &a, &y).coefficients, run(0.0, &a, &y).coefficients);
    assert_eq!(run(0.5, &DMatrix::zeros(20, 5), &y).status, Status::OutOfReach);
    assert_eq!(run(0.5, &DMatrix::zeros(20, 0), &y).status, Status::OutOfReach);
    assert_eq!(run(0.0, &a, &DMatrix::zeros(20, 1)).status, Status::Converged);
    // With too few columns, the least-squares fit has the smallest residual.
    let narrow = a.columns(0, 3).into_owned();
    let closest = (narrow.transpose() * &narrow).lu().solve(&(narrow.transpose() * &y)).unwrap();
    let solution = run(0.0, &narrow, &y);
    assert_eq!(solution.status, Status::OutOfReach);
    assert!((solution.coefficients - closest).amax() < 1e-12);
}

#[test]
fn values_that_are_not_finite_are_an_error() {
    let a = random(5, 8, 1);
    let y = random(5, 1, 2);
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
    let a = random(40, 200, 5);
    let y = random(40, 1, 6);
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
