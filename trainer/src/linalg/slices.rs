//! Sums over slices.

/// Running sums of a scalar product, which the compiler turns into vector instructions.
pub(super) const LANES: usize = 8;

/// Scalar product of slices of one length, in eight running sums.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a_lanes, a_rest) = a.as_chunks::<LANES>();
    let (b_lanes, b_rest) = b.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    total(&sums, a_rest, b_rest)
}

/// The total of running sums and of the products that are left.
#[inline(always)]
pub(super) fn total(sums: &[f64; LANES], a_rest: &[f64], b_rest: &[f64]) -> f64 {
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

/// Adds `factor · from` to `to`.
#[inline(always)]
pub fn add_scaled(to: &mut [f64], factor: f64, from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}
