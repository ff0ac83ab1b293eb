//! Slices and columns: sums, norms, removal, and matrices of zeros.

use nalgebra::DMatrix;
use rayon::prelude::*;

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

/// Multiplies every row by its factor; leaves rows as they are where there are no factors.
pub fn scale_rows(m: &mut DMatrix<f64>, factors: &[f64]) {
    if factors.is_empty() {
        return;
    }
    for mut column in m.column_iter_mut() {
        column.iter_mut().zip(factors).for_each(|(value, factor)| *value *= factor);
    }
}

/// Scales every column to Euclidean norm one and returns the norms; a column of zeros stays, with norm one.
pub fn normalise_columns(a: &mut DMatrix<f64>) -> Vec<f64> {
    let (rows, columns) = a.shape();
    let mut norms = vec![1.0; columns];
    if rows == 0 {
        return norms;
    }
    a.as_mut_slice().par_chunks_mut(rows).zip(&mut norms).for_each(|(column, norm)| {
        vectorised!({
            let length = dot(column, column).sqrt();
            if length > 0.0 {
                column.iter_mut().for_each(|value| *value /= length);
                *norm = length;
            }
        });
    });
    norms
}

/// Removes columns (ascending) in place: a copy of a large matrix takes longer than a product with it.
pub fn remove_columns(a: DMatrix<f64>, removed: &[usize]) -> DMatrix<f64> {
    let (rows, columns) = a.shape();
    let mut values: Vec<f64> = a.data.into();
    let mut place = 0;
    let mut removed = removed.iter().copied().peekable();
    for column in 0..columns {
        if removed.next_if_eq(&column).is_none() {
            values.copy_within(column * rows..(column + 1) * rows, place * rows);
            place += 1;
        }
    }
    values.truncate(place * rows);
    DMatrix::from_vec(rows, place, values)
}

/// Returns a matrix of zeros.
///
/// The operating system clears its pages when they are first written to. nalgebra's own function would clear them
/// twice.
pub fn zeros(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_vec(rows, columns, vec![0.0; rows * columns])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_that_are_left_keep_their_order() {
        let a = DMatrix::from_fn(3, 6, |i, j| (10 * i + j) as f64);
        assert_eq!(remove_columns(a.clone(), &[0, 3, 5]), a.select_columns(&[1, 2, 4]));
        assert_eq!(remove_columns(a.clone(), &[]), a);
        assert_eq!(remove_columns(a, &[0, 1, 2, 3, 4, 5]).shape(), (3, 0));
    }

    #[test]
    fn columns_get_norm_one_and_zeros_stay() {
        let mut a = DMatrix::from_column_slice(2, 3, &[3.0, 4.0, 0.0, 0.0, 0.0, -2.0]);
        assert_eq!(normalise_columns(&mut a), [5.0, 1.0, 2.0]);
        assert_eq!(a.as_slice(), [0.6, 0.8, 0.0, 0.0, 0.0, -1.0]);
    }
}
