//! L-BFGS with bounds: minimises a smooth function of many variables from its values and gradients.
//!
//! J. Nocedal, *Updating quasi-Newton matrices with limited storage*, 1980. Bounds as in D. P. Bertsekas, *Projected
//! Newton methods for optimization problems with simple constraints*, 1982: variables whose gradient presses them
//! against a bound are held, the others move along a path that is projected onto the box. Steps satisfy the weak Wolfe
//! conditions (A. S. Lewis and M. L. Overton, *Nonsmooth optimization via quasi-Newton methods*, 2013).

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::linalg::dot;

/// Share of the decrease that the gradient promises which a step must bring.
const ARMIJO: f64 = 1e-4;

/// Share of the slope that a step must leave behind.
const CURVATURE: f64 = 0.9;

/// Most points that are tried along one direction.
const MOST_TRIALS: usize = 30;

/// When to stop, and how much to remember.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lbfgs {
    /// Steps whose curvature is remembered.
    pub memory: usize,
    /// Most steps.
    pub iterations: usize,
    /// Largest entry of the projected gradient at which a point counts as a minimum.
    pub gradient: f64,
    /// Relative decrease of the value below which a step is the last.
    pub decrease: f64,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Lbfgs { memory: 10, iterations: 100, gradient: 1e-8, decrease: 1e-9 }
    }
}

/// Bounds of every variable; infinite where there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Least values.
    pub lower: Vec<f64>,
    /// Largest values.
    pub upper: Vec<f64>,
}

impl Bounds {
    /// No bounds on `count` variables.
    pub fn none(count: usize) -> Bounds {
        Bounds { lower: vec![f64::NEG_INFINITY; count], upper: vec![f64::INFINITY; count] }
    }

    /// Whether a step of variable `i` in the direction of `step` leaves the box at once.
    fn blocks(&self, i: usize, value: f64, step: f64) -> bool {
        (value <= self.lower[i] && step < 0.0) || (value >= self.upper[i] && step > 0.0)
    }

    /// The nearest point in the box, and whether it is another one.
    fn project(&self, x: &mut [f64]) -> bool {
        let mut moved = false;
        for (i, value) in x.iter_mut().enumerate() {
            let inside = value.max(self.lower[i]).min(self.upper[i]);
            moved |= inside != *value;
            *value = inside;
        }
        moved
    }
}

/// Where a minimisation ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// The value there.
    pub value: f64,
    /// Steps taken.
    pub iterations: usize,
    /// Values and gradients asked for.
    pub evaluations: usize,
}

/// A point with its value and gradient.
struct Point {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl Lbfgs {
    /// Moves `x` to a local minimum of `objective` in the box and returns where that ended.
    ///
    /// `objective(x, gradient)` writes the gradient and returns the value; a value that is not finite says that x is
    /// out of its domain. `interrupt` is asked before every step. The value never rises. Begins at the point of the box
    /// nearest to `x`.
    pub fn minimise(
        &self,
        x: &mut [f64],
        bounds: &Bounds,
        mut objective: impl FnMut(&[f64], &mut [f64]) -> f64,
        mut interrupt: impl FnMut() -> ControlFlow<()>,
    ) -> Minimum {
        bounds.project(x);
        let mut at = Point { x: x.to_vec(), value: 0.0, gradient: vec![0.0; x.len()] };
        at.value = objective(&at.x, &mut at.gradient);
        let mut evaluations = 1;
        let mut iterations = 0;
        let mut history = History { pairs: VecDeque::new(), most: self.memory };
        while iterations < self.iterations && at.value.is_finite() && interrupt().is_continue() {
            let free: Vec<bool> = (0..x.len()).map(|i| !bounds.blocks(i, at.x[i], -at.gradient[i])).collect();
            let largest = at.gradient.iter().zip(&free).filter(|(_, free)| **free).map(|(g, _)| g.abs());
            if largest.fold(0.0, f64::max) <= self.gradient {
                break;
            }
            let direction = history.direction(&at, &free, bounds);
            let Some(next) = search(&at, &direction, history.first_step(&at), bounds, &mut objective, &mut evaluations)
            else {
                if history.pairs.is_empty() {
                    break;
                }
                history.pairs.clear();
                continue;
            };
            iterations += 1;
            let decrease = at.value - next.value;
            history.add(&at, &next);
            let last = decrease <= self.decrease * at.value.abs().max(next.value.abs());
            at = next;
            if last {
                break;
            }
        }
        x.copy_from_slice(&at.x);
        Minimum { value: at.value, iterations, evaluations }
    }
}

/// The steps that are remembered, with the changes of the gradient over them; the oldest first.
struct History {
    pairs: VecDeque<(Vec<f64>, Vec<f64>)>,
    most: usize,
}

impl History {
    /// Remembers a step whose curvature is positive.
    fn add(&mut self, from: &Point, to: &Point) {
        let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let (s, y) = (difference(&to.x, &from.x), difference(&to.gradient, &from.gradient));
        if dot(&s, &y) > f64::EPSILON * dot(&y, &y) {
            self.pairs.push_back((s, y));
        }
        if self.pairs.len() > self.most {
            self.pairs.pop_front();
        }
    }

    /// How much of the direction is tried first: without curvature a step of length one at most.
    fn first_step(&self, at: &Point) -> f64 {
        if self.pairs.is_empty() { 1.0 / dot(&at.gradient, &at.gradient).sqrt().max(1.0) } else { 1.0 }
    }

    /// A direction of descent in the free variables: `−H g` by the two-loop recursion, or `−g` where that does not
    /// descend.
    fn direction(&mut self, at: &Point, free: &[bool], bounds: &Bounds) -> Vec<f64> {
        let only_free = |v: &mut [f64]| v.iter_mut().zip(free).filter(|(_, free)| !**free).for_each(|(v, _)| *v = 0.0);
        let mut steepest: Vec<f64> = at.gradient.iter().map(|g| -g).collect();
        only_free(&mut steepest);
        let mut direction = steepest.clone();
        let mut taken = Vec::new();
        for (s, y) in self.pairs.iter().rev() {
            let mut y = y.clone();
            only_free(&mut y);
            let curvature = dot(s, &y);
            if curvature > f64::EPSILON * dot(&y, &y) {
                let share = dot(s, &direction) / curvature;
                add(&mut direction, -share, &y);
                taken.push((s, y, curvature, share));
            }
        }
        if let Some((_, y, curvature, _)) = taken.first() {
            let scale = curvature / dot(y, y);
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for (s, y, curvature, share) in taken.iter().rev() {
            let back = dot(y, &direction) / curvature;
            add(&mut direction, share - back, s);
            only_free(&mut direction);
        }
        for (i, d) in direction.iter_mut().enumerate() {
            if bounds.blocks(i, at.x[i], *d) {
                *d = 0.0;
            }
        }
        if dot(&at.gradient, &direction) < 0.0 {
            return direction;
        }
        self.pairs.clear();
        steepest
    }
}

/// Adds `factor · b` to `a`.
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
}

/// A point along the projected path that brings enough; none where rounding or the domain leave none.
fn search(
    at: &Point,
    direction: &[f64],
    first: f64,
    bounds: &Bounds,
    objective: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
    evaluations: &mut usize,
) -> Option<Point> {
    let slope = dot(&at.gradient, direction);
    let (mut low, mut high, mut step) = (0.0, f64::INFINITY, first);
    let mut good = None;
    for _ in 0..MOST_TRIALS {
        let mut x = at.x.clone();
        add(&mut x, step, direction);
        let bent = bounds.project(&mut x);
        let mut gradient = vec![0.0; x.len()];
        let value = objective(&x, &mut gradient);
        *evaluations += 1;
        let promised: f64 = at.gradient.iter().zip(x.iter().zip(&at.x)).map(|(g, (to, from))| g * (to - from)).sum();
        let descends =
            promised < 0.0 && value <= at.value + ARMIJO * promised && gradient.iter().all(|g| g.is_finite());
        if descends {
            let steep = !bent && dot(&gradient, direction) < CURVATURE * slope;
            good = Some(Point { x, value, gradient });
            if !steep {
                return good;
            }
            low = step;
            step = if high.is_finite() { (low + high) / 2.0 } else { 2.0 * step };
        } else {
            high = step;
            // Where the parabola through value, slope and the new value has its minimum.
            let parabola = -slope * step * step / (2.0 * (value - at.value - slope * step));
            let usable = low == 0.0 && !bent && parabola.is_finite();
            step = if usable { parabola.clamp(0.1 * step, 0.5 * step) } else { (low + high) / 2.0 };
        }
    }
    good
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::*;
    use crate::sampling::Sampler;

    const EXACT: Lbfgs = Lbfgs { memory: 10, iterations: 2000, gradient: 1e-9, decrease: 0.0 };

    fn minimise(x: &mut [f64], bounds: &Bounds, objective: impl FnMut(&[f64], &mut [f64]) -> f64) -> Minimum {
        EXACT.minimise(x, bounds, objective, || ControlFlow::Continue(()))
    }

    /// Rosenbrock's curved valley in n variables; its minimum is zero, where all of them are one.
    fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut value = 0.0;
        for i in 0..x.len() - 1 {
            let (across, along) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
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
                // As many steps remembered as there are variables: ten would take thousands at a condition of 1e6.
                let lbfgs = Lbfgs { memory: 20, ..EXACT };
                let found = lbfgs.minimise(&mut x, &Bounds::none(20), quadratic(&a, &b), || ControlFlow::Continue(()));
                let error = DVector::from_vec(x) - &exact;
                // The value is as good as rounding allows; the error of x has the condition number's root on it.
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
                // Karush, Kuhn and Tucker: no slope inside, outward at a bound.
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
}
