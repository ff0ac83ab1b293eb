//! Comparison of the errors of two models in the same rows.

/// Returns whether the squared errors of rows are less than others of the same rows by more than some standard errors
/// of the mean difference; true where there are none.
pub(crate) fn is_better(squares: &[f64], others: &[f64], standard_errors: f64) -> bool {
    let differences: Vec<f64> = others.iter().zip(squares).map(|(other, own)| other - own).collect();
    let rows = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / rows;
    let squared_error = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (rows * rows);
    differences.is_empty() || mean > standard_errors * squared_error.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_is_better_beyond_chance() {
        // Differences of 1 and 3 have the mean 2 and a standard error of √(2 / 4).
        assert!(is_better(&[1.0, 2.0], &[2.0, 5.0], 1.0));
        // Differences of -1 and 3 have the mean 1 and a standard error of √2.
        assert!(!is_better(&[1.0, 2.0], &[0.0, 5.0], 1.0));
        assert!(!is_better(&[1.0, 1.0], &[1.0, 1.0], 1.0));
        assert!(is_better(&[], &[], 1.0));
    }
}
