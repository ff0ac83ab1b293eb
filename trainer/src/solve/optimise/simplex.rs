//! Projection onto the simplex.

/// Returns the point of the simplex `{γ : γ ≥ 0, Σγ = total}` that is nearest to `point`.
///
/// `point` must be finite and not empty, and `total` must be positive. A threshold is subtracted from every entry, and
/// entries below it become exactly zero (M. Held, P. Wolfe and H. P. Crowder, *Validation of subgradient optimization*,
/// 1974).
pub fn project(point: &[f64], total: f64) -> Vec<f64> {
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
            let ours = project(&point, total);
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
            let on_a = project(&a, 3.0);
            let on_b = project(&b, 3.0);
            assert!((on_a.iter().sum::<f64>() - 3.0).abs() < 1e-13 && on_a.iter().all(|&v| v >= 0.0));
            // Points of the simplex stay, a shift along (1, …, 1) changes nothing, and no distance grows.
            let close = |p: &[f64], q: &[f64]| distance(p, q) < 1e-26;
            assert!(close(&project(&on_a, 3.0), &on_a));
            assert!(close(&project(&a.iter().map(|v| v + 7.0).collect::<Vec<_>>(), 3.0), &on_a));
            assert!(distance(&on_a, &on_b) <= distance(&a, &b));
        }
    }

    #[test]
    fn far_points_go_to_a_corner() {
        assert_eq!(project(&[1e300, -1e300, 0.0], 0.5), [0.5, 0.0, 0.0]);
        assert_eq!(project(&[-1e300, -1e300], 1.0), [0.5, 0.5]);
        assert_eq!(project(&[-4.0], 2.0), [2.0]);
    }
}
