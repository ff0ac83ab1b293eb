//! Spectral projected gradient descent, which minimises a smooth function on a convex set.
//!
//! E. G. Birgin, J. M. Martínez and M. Raydan, *Nonmonotone spectral projected gradient methods on convex sets*, 2000
//! (SPG2). Steps have the length of Barzilai and Borwein and are shortened along the projected direction until the
//! value is below the largest of the last ten values.

use std::ops::ControlFlow;

use crate::linalg::dot;
use crate::solve::SolveError;

/// A smooth function.
pub trait Objective {
    /// Intermediate results of a value, which the gradient at the same point uses.
    type State;

    /// Returns the value at `point`.
    ///
    /// # Errors
    /// [`SolveError`] if the value cannot be computed.
    fn value(&self, point: &[f64]) -> Result<(f64, Self::State), SolveError>;

    /// Returns the gradient at the point of `state`.
    fn gradient(&self, point: &[f64], state: &Self::State) -> Vec<f64>;
}

/// The stopping rules of a descent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// The largest number of steps.
    pub iterations: usize,
    /// The least decrease over five steps, as a fraction of the value.
    pub tolerance: f64,
}

/// The end of a descent.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The last point.
    pub point: Vec<f64>,
    /// The value at the last point.
    pub value: f64,
}

/// The number of recent values that a new value is compared with.
const MEMORY: usize = 10;

/// The number of steps over which the decrease is measured.
const PATIENCE: usize = 5;

/// The least decrease of a step, as a fraction of the first-order prediction (Armijo).
const SUFFICIENT: f64 = 1e-4;

/// The smallest step, as a fraction of the projected step.
const SHORTEST: f64 = 1e-10;

/// The growth of the step length if the curvature is negative.
const GROWTH: f64 = 10.0;

/// Minimises a function on a convex set, starting at the point `start` of the set.
///
/// `project` returns the nearest point of the set. The first step moves the entry with the largest gradient by
/// `first_step`. `go_on` is called after every step and may stop the descent.
///
/// # Errors
/// Errors of the function.
pub fn descend<O: Objective>(
    objective: &O,
    project: impl Fn(&[f64]) -> Vec<f64>,
    start: Vec<f64>,
    first_step: f64,
    stop: Stop,
    mut go_on: impl FnMut() -> ControlFlow<()>,
) -> Result<Minimum, SolveError> {
    let (mut value, state) = objective.value(&start)?;
    let mut gradient = objective.gradient(&start, &state);
    let mut point = start;
    let mut best = Minimum { point: point.clone(), value };
    let mut values = vec![value];
    let mut lowest = vec![value];
    let steepest = gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
    let mut step = first_step / steepest;
    for _ in 0..stop.iterations {
        let target: Vec<f64> = point.iter().zip(&gradient).map(|(p, g)| p - step * g).collect();
        if !target.iter().all(|t| t.is_finite()) {
            break; // no slope at all
        }
        let direction: Vec<f64> = project(&target).iter().zip(&point).map(|(to, from)| to - from).collect();
        let slope = dot(&direction, &gradient);
        let ceiling = values.iter().rev().take(MEMORY).copied().fold(f64::NEG_INFINITY, f64::max);
        let Some((share, next, next_value, state)) = line_search(objective, &point, &direction, value, slope, ceiling)?
        else {
            break;
        };
        let next_gradient = objective.gradient(&next, &state);
        let change: Vec<f64> = next_gradient.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        let curvature = share * dot(&direction, &change);
        let length = share * share * dot(&direction, &direction);
        step = if curvature > 0.0 { length / curvature } else { GROWTH * step };
        point = next;
        gradient = next_gradient;
        value = next_value;
        if value < best.value {
            best = Minimum { point: point.clone(), value };
        }
        values.push(value);
        lowest.push(best.value);
        let before = lowest.len().checked_sub(1 + PATIENCE).map(|i| lowest[i]);
        if go_on().is_break() || before.is_some_and(|before| before - best.value <= stop.tolerance * before.abs()) {
            break;
        }
    }
    Ok(best)
}

/// Returns a step along `direction` with a sufficient decrease: the fraction of the direction, the point, its value and
/// its state. Returns none if there is no such step.
#[expect(clippy::type_complexity, reason = "the parts go their ways at once")]
fn line_search<O: Objective>(
    objective: &O,
    point: &[f64],
    direction: &[f64],
    value: f64,
    slope: f64,
    ceiling: f64,
) -> Result<Option<(f64, Vec<f64>, f64, O::State)>, SolveError> {
    let mut share = 1.0;
    while slope < 0.0 && share > SHORTEST {
        let next: Vec<f64> = point.iter().zip(direction).map(|(p, d)| p + share * d).collect();
        let (next_value, state) = objective.value(&next)?;
        if next_value <= ceiling + SUFFICIENT * share * slope {
            return Ok(Some((share, next, next_value, state)));
        }
        // The minimum of the parabola through both values and the slope, within bounds.
        let parabola = -0.5 * share * share * slope / (next_value - value - share * slope);
        share = parabola.clamp(0.1 * share, 0.5 * share);
    }
    Ok(None)
}

/// Returns the point of the simplex `{γ : γ ≥ 0, Σγ = total}` that is nearest to `point`.
///
/// `point` must be finite and not empty, and `total` must be positive. A threshold is subtracted from every entry, and
/// entries below it become exactly zero (M. Held, P. Wolfe and H. P. Crowder, *Validation of subgradient optimization*,
/// 1974).
pub fn project_on_simplex(point: &[f64], total: f64) -> Vec<f64> {
    // Entries relative to the largest one; absolute values of a distant point would absorb the total by rounding.
    let largest = point.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sorted: Vec<f64> = point.iter().map(|value| value - largest).collect();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let mut sum = 0.0;
    let mut threshold = -total;
    for (count, &value) in (1..).zip(&sorted) {
        sum += value;
        let candidate = (sum - total) / f64::from(count);
        if value <= candidate {
            break;
        }
        threshold = candidate;
    }
    point.iter().map(|value| (value - largest - threshold).max(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;
    use crate::solve::optimise::spectral_gradient::project_on_simplex;

    /// `½ Σ w_i (x_i − t_i)²`.
    struct Quadratic {
        weights: Vec<f64>,
        targets: Vec<f64>,
    }

    impl Objective for Quadratic {
        type State = ();

        fn value(&self, point: &[f64]) -> Result<(f64, ()), SolveError> {
            let terms =
                point.iter().zip(&self.weights).zip(&self.targets).map(|((p, w), t)| 0.5 * w * (p - t) * (p - t));
            Ok((terms.sum(), ()))
        }

        fn gradient(&self, point: &[f64], (): &()) -> Vec<f64> {
            point.iter().zip(&self.weights).zip(&self.targets).map(|((p, w), t)| w * (p - t)).collect()
        }
    }

    #[test]
    fn a_quadratic_on_the_simplex_has_equal_slopes_where_it_is_not_zero() {
        for seed in 0..20 {
            let mut sampler = Sampler::new(seed);
            let weights: Vec<f64> = (0..30).map(|_| libm::pow(10.0, sampler.uniform(-1.0, 1.0))).collect();
            let targets: Vec<f64> = (0..30).map(|_| sampler.normal()).collect();
            let quadratic = Quadratic { weights, targets };
            let stop = Stop { iterations: 2000, tolerance: 0.0 };
            let project = |point: &[f64]| project_on_simplex(point, 2.0);
            let found =
                descend(&quadratic, project, vec![2.0 / 30.0; 30], 0.1, stop, || ControlFlow::Continue(())).unwrap();
            let gradient = quadratic.gradient(&found.point, &());
            // The conditions of Karush, Kuhn and Tucker.
            let level = gradient.iter().copied().fold(f64::INFINITY, f64::min);
            for (p, g) in found.point.iter().zip(&gradient) {
                assert!(*p >= 0.0 && (*p == 0.0 || (g - level).abs() < 1e-6), "{p} {g} {level}");
            }
            assert_eq!(found.value, quadratic.value(&found.point).unwrap().0);
            assert!(found.point.contains(&0.0));
        }
    }

    #[test]
    fn no_slope_and_no_steps_leave_the_start() {
        let flat = Quadratic { weights: vec![0.0; 3], targets: vec![1.0; 3] };
        let steep = Quadratic { weights: vec![1.0; 3], targets: vec![1.0, 0.0, 0.0] };
        let start = vec![0.2, 0.3, 0.5];
        for (function, iterations) in [(&flat, 10), (&steep, 0)] {
            let stop = Stop { iterations, tolerance: 0.0 };
            let project = |point: &[f64]| project_on_simplex(point, 1.0);
            let found = descend(function, project, start.clone(), 0.1, stop, || ControlFlow::Continue(())).unwrap();
            assert_eq!(found.point, start);
        }
        let stop = Stop { iterations: 100, tolerance: 0.0 };
        let mut steps = 0;
        let broken = descend(
            &steep,
            |p| project_on_simplex(p, 1.0),
            start,
            0.1,
            stop,
            || {
                steps += 1;
                ControlFlow::Break(())
            },
        );
        assert!(broken.is_ok() && steps == 1);
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
    }

    /// Projects on the plane of every possible set of positive entries and returns the nearest point on the simplex.
    fn by_force(point: &[f64], total: f64) -> Vec<f64> {
        let on_plane = |set: u32| {
            let member = |i: usize| set >> i & 1 == 1;
            let sum: f64 = (0..point.len()).filter(|&i| member(i)).map(|i| point[i]).sum();
            let shift = (total - sum) / f64::from(set.count_ones());
            let entry = |i: usize| if member(i) { point[i] + shift } else { 0.0 };
            (0..point.len()).map(entry).collect::<Vec<f64>>()
        };
        let candidates = (1..1_u32 << point.len()).map(on_plane).filter(|c| c.iter().all(|&v| v >= 0.0));
        candidates.min_by(|a, b| distance(a, point).total_cmp(&distance(b, point))).unwrap()
    }

    #[test]
    fn the_nearest_of_all_faces() {
        for seed in 0..200 {
            let mut sampler = Sampler::new(seed);
            let dimension = 1 + sampler.below(9);
            let total = sampler.uniform(0.01, 5.0);
            let mut point: Vec<f64> = (0..dimension).map(|_| 2.0 * sampler.normal()).collect();
            if seed % 3 == 0 {
                let equal = point[0];
                point.iter_mut().step_by(2).for_each(|value| *value = equal);
            }
            let ours = project_on_simplex(&point, total);
            let force = by_force(&point, total);
            // The tolerance is the rounding error of sums of nine numbers of size ten.
            assert!(ours.iter().zip(&force).all(|(a, b)| (a - b).abs() < 1e-13), "{point:?} {ours:?} {force:?}");
        }
    }

    #[test]
    fn laws_of_a_projection() {
        for seed in 0..50 {
            let mut sampler = Sampler::new(seed);
            let mut random = || (0..40).map(|_| sampler.normal()).collect::<Vec<f64>>();
            let a = random();
            let b = random();
            let on_a = project_on_simplex(&a, 3.0);
            let on_b = project_on_simplex(&b, 3.0);
            assert!((on_a.iter().sum::<f64>() - 3.0).abs() < 1e-13 && on_a.iter().all(|&v| v >= 0.0));
            // Points of the simplex stay, a shift along (1, …, 1) changes nothing, and no distance grows.
            let close = |p: &[f64], q: &[f64]| distance(p, q) < 1e-26;
            assert!(close(&project_on_simplex(&on_a, 3.0), &on_a));
            assert!(close(&project_on_simplex(&a.iter().map(|v| v + 7.0).collect::<Vec<_>>(), 3.0), &on_a));
            assert!(distance(&on_a, &on_b) <= distance(&a, &b));
        }
    }

    #[test]
    fn far_points_go_to_a_corner() {
        assert_eq!(project_on_simplex(&[1e300, -1e300, 0.0], 0.5), [0.5, 0.0, 0.0]);
        assert_eq!(project_on_simplex(&[-1e300, -1e300], 1.0), [0.5, 0.5]);
        assert_eq!(project_on_simplex(&[-4.0], 2.0), [2.0]);
    }
}
