//! Projected gradient with Nesterov's acceleration.
//!
//! FISTA with backtracking (A. Beck and M. Teboulle, *A fast iterative shrinkage-thresholding algorithm*, 2009), with
//! the indicator function of a convex set as the penalty. The step length starts at 100 and is halved until the
//! quadratic model bounds the function at the new point. The step length never grows.

use std::ops::ControlFlow;

use crate::linalg::dot;
use crate::solve::SolveError;
use crate::solve::optimise::spectral_gradient::{Minimum, Objective, Stop};

/// The first step length.
const FIRST_STEP: f64 = 100.0;

/// The smallest step length; below it the decrease is rounding error.
const SHORTEST: f64 = 1e-12;

/// Minimises a function on a convex set, starting at the point `start` of the set.
///
/// `project` returns the nearest point of the set. The function must be defined outside of the set too. `go_on` is
/// called after every step and may stop the descent.
///
/// # Errors
/// Errors of the function.
pub fn descend<O: Objective>(
    objective: &O,
    project: impl Fn(&[f64]) -> Vec<f64>,
    start: Vec<f64>,
    stop: Stop,
    mut go_on: impl FnMut() -> ControlFlow<()>,
) -> Result<Minimum, SolveError> {
    let mut best = Minimum { value: objective.value(&start)?.0, point: start.clone() };
    let mut point = start.clone();
    let mut ahead = start;
    let mut momentum = 1.0_f64;
    let mut step = FIRST_STEP;
    for _ in 0..stop.iterations {
        let (value, state) = objective.value(&ahead)?;
        let gradient = objective.gradient(&ahead, &state);
        let next = loop {
            let target: Vec<f64> = ahead.iter().zip(&gradient).map(|(p, g)| p - step * g).collect();
            let next = project(&target);
            let move_by: Vec<f64> = next.iter().zip(&ahead).map(|(to, from)| to - from).collect();
            let parabola = value + dot(&move_by, &gradient) + dot(&move_by, &move_by) / (2.0 * step);
            let next_value = objective.value(&next)?.0;
            if next_value <= parabola {
                break Minimum { point: next, value: next_value };
            }
            step /= 2.0;
            if step < SHORTEST {
                return Ok(best);
            }
        };
        let next_momentum = (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt()) / 2.0;
        let carried = (momentum - 1.0) / next_momentum;
        ahead = next.point.iter().zip(&point).map(|(new, old)| new + carried * (new - old)).collect();
        point = next.point.clone();
        momentum = next_momentum;
        let gain = best.value - next.value;
        if gain > 0.0 {
            best = next;
        }
        if go_on().is_break() || gain.abs() <= stop.tolerance * best.value.abs() {
            break;
        }
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;
    use crate::solve::optimise::spectral_gradient::project_on_simplex;

    /// `½ ‖A x − b‖²` and its largest curvature.
    struct LeastSquares {
        a: nalgebra::DMatrix<f64>,
        b: nalgebra::DVector<f64>,
    }

    impl Objective for LeastSquares {
        type State = nalgebra::DVector<f64>;

        fn value(&self, point: &[f64]) -> Result<(f64, Self::State), SolveError> {
            let residual = &self.a * nalgebra::DVector::from_column_slice(point) - &self.b;
            Ok((residual.norm_squared() / 2.0, residual))
        }

        fn gradient(&self, _: &[f64], residual: &Self::State) -> Vec<f64> {
            self.a.tr_mul(residual).as_slice().to_vec()
        }
    }

    fn problem(seed: u64, size: f64) -> LeastSquares {
        let mut sampler = Sampler::new(seed);
        let a = nalgebra::DMatrix::from_fn(15, 12, |_, _| size * sampler.normal());
        LeastSquares { a, b: nalgebra::DVector::from_fn(15, |_, _| size * sampler.normal()) }
    }

    #[test]
    fn slopes_are_equal_where_the_point_is_not_zero() {
        // Large curvatures need steps far below the first one, small ones hardly shorter steps.
        for (seed, size) in [(1, 1.0), (2, 30.0), (3, 0.02), (4, 1.0)] {
            let problem = problem(seed, size);
            let stop = Stop { iterations: 3000, tolerance: 0.0 };
            let project = |point: &[f64]| project_on_simplex(point, 1.0);
            let found = descend(&problem, project, vec![1.0 / 12.0; 12], stop, || ControlFlow::Continue(())).unwrap();
            let (value, residual) = problem.value(&found.point).unwrap();
            assert_eq!(value, found.value);
            let gradient = problem.gradient(&found.point, &residual);
            let level = gradient.iter().copied().fold(f64::INFINITY, f64::min);
            let unit = size * size;
            for (p, g) in found.point.iter().zip(&gradient) {
                assert!(*p >= 0.0 && (*p < 1e-9 || g - level < 1e-4 * unit), "{seed} {p} {g} {level}");
            }
        }
    }

    #[test]
    fn a_break_ends_the_descent() {
        let problem = problem(5, 1.0);
        let mut steps = 0;
        let stop = Stop { iterations: 100, tolerance: 0.0 };
        let found = descend(
            &problem,
            |p| project_on_simplex(p, 1.0),
            vec![1.0 / 12.0; 12],
            stop,
            || {
                steps += 1;
                if steps == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            },
        );
        assert!(found.is_ok() && steps == 3);
    }
}
