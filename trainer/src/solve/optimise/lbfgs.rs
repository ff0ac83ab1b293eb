//! L-BFGS with bounds, which minimises a smooth function of many variables from its values and gradients.
//!
//! J. Nocedal, *Updating quasi-Newton matrices with limited storage*, 1980. Bounds as in D. P. Bertsekas, *Projected
//! Newton methods for optimization problems with simple constraints*, 1982: variables at a bound stay there if the
//! gradient points outwards, and the others follow a path projected onto the box. Steps satisfy the weak Wolfe
//! conditions (A. S. Lewis and M. L. Overton, *Nonsmooth optimization via quasi-Newton methods*, 2013).

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::linalg::dot;

/// The least decrease of a step, as a fraction of the first-order prediction (first Wolfe condition).
const ARMIJO: f64 = 1e-4;

/// The largest slope after a step, as a fraction of the slope before (second Wolfe condition).
const CURVATURE: f64 = 0.9;

/// The largest number of points in one line search.
const MOST_TRIALS: usize = 30;

/// Settings of the minimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lbfgs {
    /// The number of recent steps whose curvature is stored.
    pub memory: usize,
    /// The largest number of steps.
    pub iterations: usize,
    /// The minimisation ends if no entry of the projected gradient is larger.
    pub gradient: f64,
    /// The minimisation ends if a step decreases the value by a smaller fraction.
    pub decrease: f64,
}

impl Default for Lbfgs {
    fn default() -> Self {
        Lbfgs { memory: 10, iterations: 100, gradient: 1e-8, decrease: 1e-9 }
    }
}

/// The bounds of every variable; infinite for a variable without bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest values.
    pub lower: Vec<f64>,
    /// The largest values.
    pub upper: Vec<f64>,
}

impl Bounds {
    /// Creates infinite bounds of `count` variables.
    pub fn none(count: usize) -> Bounds {
        Bounds { lower: vec![f64::NEG_INFINITY; count], upper: vec![f64::INFINITY; count] }
    }

    /// Returns whether variable `i` is at a bound and a step in the direction of `step` leaves the box.
    fn blocks(&self, i: usize, value: f64, step: f64) -> bool {
        (value <= self.lower[i] && step < 0.0) || (value >= self.upper[i] && step > 0.0)
    }

    /// Moves a point to the nearest point in the box and returns whether it moved.
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

/// The end of a minimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Minimum {
    /// The value at the last point.
    pub value: f64,
    /// The number of steps.
    pub iterations: usize,
    /// The number of evaluations of the value and the gradient.
    pub evaluations: usize,
}

/// A point with its value and gradient.
struct Point {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl Lbfgs {
    /// Moves `x` to a local minimum of `objective` in the box.
    ///
    /// `objective(x, gradient)` writes the gradient and returns the value, which is not finite outside of the
    /// function's domain. The search starts at the point of the box nearest to `x`, and the value never rises.
    /// `interrupt` is called before every step and may stop the search.
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

/// Recent steps and the changes of the gradient over them, the oldest first.
struct History {
    pairs: VecDeque<(Vec<f64>, Vec<f64>)>,
    most: usize,
}

impl History {
    /// Stores a step if its curvature is positive.
    fn add(&mut self, from: &Point, to: &Point) {
        let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let s = difference(&to.x, &from.x);
        let y = difference(&to.gradient, &from.gradient);
        if dot(&s, &y) > f64::EPSILON * dot(&y, &y) {
            self.pairs.push_back((s, y));
        }
        if self.pairs.len() > self.most {
            self.pairs.pop_front();
        }
    }

    /// Returns the first fraction of the direction to try. Without stored curvature, the step length is at most one.
    fn first_step(&self, at: &Point) -> f64 {
        if self.pairs.is_empty() { 1.0 / dot(&at.gradient, &at.gradient).sqrt().max(1.0) } else { 1.0 }
    }

    /// Returns a descent direction of the free variables: `−H g` by the two-loop recursion, or `−g` if `−H g` does not
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

/// Returns a point on the projected path that satisfies the Wolfe conditions, if rounding and the domain leave one.
fn search(
    at: &Point,
    direction: &[f64],
    first: f64,
    bounds: &Bounds,
    objective: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
    evaluations: &mut usize,
) -> Option<Point> {
    let slope = dot(&at.gradient, direction);
    let mut low = 0.0;
    let mut high = f64::INFINITY;
    let mut step = first;
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
            // The minimum of the parabola through the value, the slope and the new value.
            let parabola = -slope * step * step / (2.0 * (value - at.value - slope * step));
            let usable = low == 0.0 && !bent && parabola.is_finite();
            step = if usable { parabola.clamp(0.1 * step, 0.5 * step) } else { (low + high) / 2.0 };
        }
    }
    good
}

#[cfg(test)]
mod tests;
