//! Statistics over seeds.

/// Returns the median of the errors; the mean of the middle two of an even number.
pub fn median(errors: &[f64]) -> f64 {
    let mut sorted = errors.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n => (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0,
    }
}

/// Returns the mean of the errors.
pub fn mean(errors: &[f64]) -> f64 {
    errors.iter().sum::<f64>() / errors.len() as f64
}
