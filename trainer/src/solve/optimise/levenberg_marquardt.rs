//! Levenberg's and Marquardt's method, which minimises a sum of squares from its residuals as linear functions.
//!
//! D. W. Marquardt, *An algorithm for least-squares estimation of nonlinear parameters*, 1963. The damping follows the
//! ratio of the decrease to the predicted one (H. B. Nielsen, *Damping parameter in Marquardt's method*, 1999).

use std::ops::ControlFlow;

use nalgebra::{DMatrix, DVector};

use crate::linalg::{cholesky_solve, dot};

/// The damping of the first step, as a multiple of the diagonal of the curvature.
const FIRST_DAMPING: f64 = 0.1;

/// The damping at which a step is so short that the search ends.
const MOST_DAMPING: f64 = 1e12;

/// A diagonal entry of the curvature below this share of the largest counts as this share.
const LEAST_DIAGONAL: f64 = 1e-12;

/// A sum of squares near a point, with residuals that are linear functions of the step.
pub struct Linearised {
    /// The gradient of the sum.
    pub gradient: Vec<f64>,
    /// `JᵀJ` of the residuals' Jacobian J: half of the sum's second derivatives, without those of the residuals.
    pub curvature: DMatrix<f64>,
}

/// A sum of squares of functions of many variables.
pub trait SumOfSquares {
    /// What is known at a point.
    type Point;

    /// Computes the sum at the variables `x`; none where it is not a number.
    fn at(&self, x: &[f64]) -> Option<Self::Point>;

    /// Returns the sum at a point.
    fn value(&self, point: &Self::Point) -> f64;

    /// Computes how the sum changes near a point.
    fn linearised(&self, point: &Self::Point) -> Linearised;
}

/// Settings of the minimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevenbergMarquardt {
    /// The largest number of steps, those included that do not descend and are not taken.
    pub steps: usize,
    /// The minimisation ends if a step decreases the value by a smaller fraction.
    pub decrease: f64,
}

impl LevenbergMarquardt {
    /// Moves `x` towards a local minimum of `sum` and returns the value there; not a number where there is none at `x`.
    ///
    /// The value never rises. `interrupt` is called before every step and may stop the search.
    pub fn minimise<S: SumOfSquares>(
        &self,
        x: &mut [f64],
        sum: &S,
        mut interrupt: impl FnMut() -> ControlFlow<()>,
    ) -> f64 {
        let Some(mut point) = sum.at(x) else { return f64::NAN };
        let mut value = sum.value(&point);
        let mut damping = FIRST_DAMPING;
        let mut growth = 2.0;
        let mut near = None;
        for _ in 0..self.steps {
            if interrupt().is_break() || damping > MOST_DAMPING {
                break;
            }
            let Linearised { gradient, curvature } = near.get_or_insert_with(|| sum.linearised(&point));
            let reached = damped_step(gradient, curvature, damping).and_then(|(step, predicted)| {
                let to: Vec<f64> = x.iter().zip(&step).map(|(x, step)| x + step).collect();
                let next = sum.at(&to)?;
                let reached = sum.value(&next);
                (reached <= value).then_some((to, next, reached, (value - reached) / predicted))
            });
            let Some((to, next, reached, ratio)) = reached else {
                damping *= growth;
                growth *= 2.0;
                continue;
            };
            let last = value - reached <= self.decrease * value;
            x.copy_from_slice(&to);
            value = reached;
            point = next;
            near = None;
            if last {
                break;
            }
            damping *= (1.0 - (2.0 * ratio - 1.0).powi(3)).max(1.0 / 3.0);
            growth = 2.0;
        }
        value
    }
}

/// Returns the minimum of the linearised sum with the damping, and the decrease that the linearised sum has there; none
/// where rounding leaves no such step.
fn damped_step(gradient: &[f64], curvature: &DMatrix<f64>, damping: f64) -> Option<(Vec<f64>, f64)> {
    let largest = curvature.diagonal().max();
    let diagonal = curvature.diagonal().map(|entry| damping * entry.max(LEAST_DIAGONAL * largest));
    let mut damped = curvature.clone();
    damped.set_diagonal(&(curvature.diagonal() + &diagonal));
    let downhill = DVector::from_iterator(gradient.len(), gradient.iter().map(|g| -0.5 * g));
    let step = cholesky_solve(&damped, &DMatrix::from_column_slice(gradient.len(), 1, downhill.as_slice()))?;
    let along = dot(step.as_slice(), downhill.as_slice());
    let damped_length: f64 = step.iter().zip(&diagonal).map(|(step, diagonal)| diagonal * step * step).sum();
    let predicted = along + damped_length;
    (predicted > 0.0).then(|| (step.as_slice().to_vec(), predicted))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Σ_i (y_i − a e^{−b t_i})²` with variables a and b.
    struct Decay {
        t: Vec<f64>,
        y: Vec<f64>,
    }

    impl SumOfSquares for Decay {
        type Point = [f64; 2];

        fn at(&self, x: &[f64]) -> Option<[f64; 2]> {
            let point = [x[0], x[1]];
            self.value(&point).is_finite().then_some(point)
        }

        fn value(&self, [a, b]: &[f64; 2]) -> f64 {
            self.t.iter().zip(&self.y).map(|(t, y)| (y - a * (-b * t).exp()).powi(2)).sum()
        }

        fn linearised(&self, [a, b]: &[f64; 2]) -> Linearised {
            let wave = |t: &f64| (-b * t).exp();
            let jacobian =
                DMatrix::from_fn(self.t.len(), 2, |i, j| [-wave(&self.t[i]), a * self.t[i] * wave(&self.t[i])][j]);
            let residual = DVector::from_fn(self.t.len(), |i, _| self.y[i] - a * wave(&self.t[i]));
            let gradient = (2.0 * jacobian.transpose() * residual).as_slice().to_vec();
            Linearised { gradient, curvature: jacobian.transpose() * &jacobian }
        }
    }

    fn decay(a: f64, b: f64) -> Decay {
        let t: Vec<f64> = (0..20).map(|i| 0.25 * f64::from(i)).collect();
        Decay { y: t.iter().map(|t| a * (-b * t).exp()).collect(), t }
    }

    const GO_ON: fn() -> ControlFlow<()> = || ControlFlow::Continue(());

    #[test]
    fn a_decay_is_found_in_a_few_steps() {
        for (a, b) in [(2.0, 0.7), (-3.0, 0.2), (0.5, 2.0)] {
            let mut x = [1.0, 1.0];
            let value = LevenbergMarquardt { steps: 20, decrease: 0.0 }.minimise(&mut x, &decay(a, b), GO_ON);
            // Residuals vanish at the minimum, where convergence is quadratic; values of size one, rounded 20 times.
            assert!(value < 1e-24 && (x[0] - a).abs() < 1e-11 && (x[1] - b).abs() < 1e-11, "{a} {b}: {x:?} {value}");
        }
    }

    #[test]
    fn the_value_never_rises_and_no_step_stays() {
        let sum = decay(2.0, 0.7);
        let mut before = f64::INFINITY;
        for steps in 0..12 {
            // From this start a step without damping ascends: e^{40} is far away.
            let mut x = [1.0, -8.0];
            let value = LevenbergMarquardt { steps, decrease: 0.0 }.minimise(&mut x, &sum, GO_ON);
            assert_eq!(value, sum.value(&x));
            assert!(value <= before);
            before = value;
            if steps == 0 {
                assert_eq!(x, [1.0, -8.0]);
            }
        }
        let mut x = [1.0, 1.0];
        LevenbergMarquardt { steps: 9, decrease: 0.0 }.minimise(&mut x, &sum, || ControlFlow::Break(()));
        assert_eq!(x, [1.0, 1.0]);
        assert!(LevenbergMarquardt { steps: 9, decrease: 0.0 }.minimise(&mut [1.0, f64::NAN], &sum, GO_ON).is_nan());
    }
}
