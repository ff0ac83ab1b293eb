//! Tests of L-BFGS on functions with known minima.

use nalgebra::{DMatrix, DVector};

use super::*;
use crate::sampling::Sampler;

const EXACT: Lbfgs = Lbfgs { memory: 10, iterations: 2000, gradient: 1e-9, decrease: 0.0 };

fn minimise(x: &mut [f64], bounds: &Bounds, objective: impl FnMut(&[f64], &mut [f64]) -> f64) -> Minimum {
    EXACT.minimise(x, bounds, objective, || ControlFlow::Continue(()))
}

/// Rosenbrock's function in n variables. Its minimum is zero, where all variables are one.
fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut value = 0.0;
    for i in 0..x.len() - 1 {
        let across = x[i + 1] - x[i] * x[i];
        let along = 1.0 - x[i];
        value += 100.0 * across * across + along * along;
        gradient[i] += -400.0 * x[i] * across - 2.0 * along;
        gradient[i + 1] += 200.0 * across;
    }
    value
}

/// `½ xᵀ A x − bᵀ x`.
fn quadratic<'a>(a: &'a DMatrix<f64>, b: &'a DVector<f64>) -> impl FnMut(&[f64], &mut [f64]) -> f64 + 'a {
    move |x, gradient| {
        let x = DVector::from_column_slice(x);
        let ax = a * &x;
        gradient.copy_from_slice((&ax - b).as_slice());
        0.5 * x.dot(&ax) - b.dot(&x)
    }
}

#[test]
fn the_curved_valley_is_followed_to_its_end() {
    for start in [[-1.2, 1.0], [10.0, -10.0], [0.0, 0.0]] {
        let mut x = start;
        let minimum = minimise(&mut x, &Bounds::none(2), rosenbrock);
        assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-7), "{x:?}");
        assert!(minimum.evaluations < 200, "{minimum:?}");
    }
    let mut x = vec![-1.0; 30];
    minimise(&mut x, &Bounds::none(30), rosenbrock);
    // The valley's other local minimum has x₁ near −1.
    assert!(x[1..].iter().all(|x| (x - 1.0).abs() < 1e-6) || x.iter().all(|x| (x - 1.0).abs() < 1e-6), "{x:?}");
}

#[test]
fn quadratics_are_solved_well_conditioned_or_not() {
    for seed in 0..5 {
        let mut sampler = Sampler::new(seed);
        let basis = DMatrix::from_fn(20, 20, |_, _| sampler.normal()).qr().q();
        for decades in [1.0, 6.0] {
            let values = DVector::from_fn(20, |i, _| 10_f64.powf(-decades * i as f64 / 19.0));
            let a = &basis * DMatrix::from_diagonal(&values) * basis.transpose();
            let exact = DVector::from_fn(20, |_, _| sampler.normal());
            let b = &a * &exact;
            let mut x = vec![0.0; 20];
            // One stored step per variable; with ten stored steps, a condition number of 1e6 takes thousands of
            // steps.
            let lbfgs = Lbfgs { memory: 20, ..EXACT };
            let found = lbfgs.minimise(&mut x, &Bounds::none(20), quadratic(&a, &b), || ControlFlow::Continue(()));
            let error = DVector::from_vec(x) - &exact;
            // The value is exact to rounding; the error of x is larger by the root of the condition number.
            let lost = 0.5 * error.dot(&(&a * &error));
            assert!(lost < 1e-12, "{seed} {decades}: {lost:e} {found:?}");
            assert!(decades > 1.0 || error.amax() < 1e-7);
        }
    }
}

#[test]
fn bounds_hold_and_the_conditions_of_a_minimum_with_them() {
    for seed in 0..20 {
        let mut sampler = Sampler::new(100 + seed);
        let root = DMatrix::from_fn(12, 12, |_, _| sampler.normal());
        let a = &root * root.transpose() + DMatrix::identity(12, 12) * 0.1;
        let b = DVector::from_fn(12, |_, _| 3.0 * sampler.normal());
        let bounds = Bounds { lower: vec![-0.2; 12], upper: vec![0.3; 12] };
        let mut x = vec![1.0; 12]; // outside
        minimise(&mut x, &bounds, quadratic(&a, &b));
        let gradient = &a * DVector::from_column_slice(&x) - &b;
        let mut at_bounds = 0;
        for (x, g) in x.iter().zip(gradient.iter()) {
            // The conditions of Karush, Kuhn and Tucker: no slope inside, an outward slope at a bound.
            match *x {
                -0.2 => assert!(*g >= -1e-7),
                0.3 => assert!(*g <= 1e-7),
                inside => assert!((-0.2..0.3).contains(&inside) && g.abs() < 1e-6, "{seed}: {g:e}"),
            }
            at_bounds += usize::from(*x == -0.2 || *x == 0.3);
        }
        assert!(at_bounds > 0);
    }
}

#[test]
fn a_bound_across_the_valley_is_where_it_ends() {
    let bounds = Bounds { lower: vec![f64::NEG_INFINITY; 2], upper: vec![0.5, f64::INFINITY] };
    let mut x = [-1.2, 1.0];
    minimise(&mut x, &bounds, rosenbrock);
    assert!(x[0] == 0.5 && (x[1] - 0.25).abs() < 1e-7, "{x:?}");
}

#[test]
fn points_out_of_the_domain_are_stepped_back_from() {
    // x − ln x is not a number below zero; its minimum is at 1. The first step from 1e-3 is −g = 999.
    let mut x = [1e-3];
    let barrier = |x: &[f64], gradient: &mut [f64]| {
        gradient[0] = 1.0 - 1.0 / x[0];
        x[0] - x[0].ln()
    };
    minimise(&mut x, &Bounds::none(1), barrier);
    assert!((x[0] - 1.0).abs() < 1e-7, "{x:?}");
    let mut lost = [-1.0];
    let minimum = minimise(&mut lost, &Bounds::none(1), barrier);
    assert!(minimum.value.is_nan() && lost == [-1.0] && minimum.iterations == 0);
}

#[test]
fn it_stops_where_it_is_told_and_never_rises() {
    let mut values = Vec::new();
    for iterations in 0..15 {
        let mut x = [-1.2, 1.0];
        let lbfgs = Lbfgs { iterations, ..EXACT };
        let minimum = lbfgs.minimise(&mut x, &Bounds::none(2), rosenbrock, || ControlFlow::Continue(()));
        assert_eq!(minimum.iterations, iterations);
        assert_eq!(minimum.value, rosenbrock(&x, &mut [0.0; 2]));
        values.push(minimum.value);
    }
    assert!(values.is_sorted_by(|a, b| a > b), "{values:?}");
    let mut x = [-1.2, 1.0];
    let stopped = EXACT.minimise(&mut x, &Bounds::none(2), rosenbrock, || ControlFlow::Break(()));
    assert_eq!((stopped.iterations, x), (0, [-1.2, 1.0]));
}
