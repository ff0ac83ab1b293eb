//! Projection onto the simplex.

/// The point of `{γ : γ ≥ 0, Σγ = total}` that is nearest to `point`, which must be finite and not empty; `total` must
/// be positive.
///
/// M. Held, P. Wolfe and H. P. Crowder, *Validation of subgradient optimization*, 1974: what is above a threshold, less
/// the threshold; entries below it are exactly zero.
pub fn project(point: &[f64], total: f64) -> Vec<f64> {
    // Distances from the largest entry: that of a point far away would swallow the total.
    let largest = point.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sorted: Vec<f64> = point.iter().map(|value| value - largest).collect();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut threshold) = (0.0, -total);
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

    /// For every set of entries that may be positive, the nearest point of the plane; the nearest of those that are on
    /// the simplex.
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
            let (dimension, total) = (1 + sampler.below(9), sampler.uniform(0.01, 5.0));
            let mut point: Vec<f64> = (0..dimension).map(|_| 2.0 * sampler.normal()).collect();
            if seed % 3 == 0 {
                let equal = point[0];
                point.iter_mut().step_by(2).for_each(|value| *value = equal);
            }
            let (ours, force) = (project(&point, total), by_force(&point, total));
            // Rounding of sums of nine numbers of size ten.
            assert!(ours.iter().zip(&force).all(|(a, b)| (a - b).abs() < 1e-13), "{point:?} {ours:?} {force:?}");
        }
    }

    #[test]
    fn laws_of_a_projection() {
        for seed in 0..50 {
            let mut sampler = Sampler::new(seed);
            let mut random = || (0..40).map(|_| sampler.normal()).collect::<Vec<f64>>();
            let (a, b) = (random(), random());
            let (on_a, on_b) = (project(&a, 3.0), project(&b, 3.0));
            assert!((on_a.iter().sum::<f64>() - 3.0).abs() < 1e-13 && on_a.iter().all(|&v| v >= 0.0));
            // What is on the simplex stays, a shift along (1, …, 1) changes nothing, and no distance grows.
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
