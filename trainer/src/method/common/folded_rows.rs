//! Rows that are divided into folds for a solver that validates as it goes.

use std::ops::Range;

use nalgebra::DMatrix;

use crate::linalg::vectorised;

/// A column as a slice.
pub(crate) fn column(m: &DMatrix<f64>, column: usize) -> &[f64] {
    &m.as_slice()[column * m.nrows()..][..m.nrows()]
}

/// Rows in folds, and their targets.
#[derive(Clone, Debug)]
pub struct FoldedRows {
    /// Rows, m×d, those of a fold together.
    pub x: DMatrix<f64>,
    /// Targets, m×k.
    pub y: DMatrix<f64>,
    /// First row of each fold, and the number of rows.
    pub bounds: Vec<usize>,
    /// Folds that are trained on at a time; the others validate.
    pub training: usize,
    /// Value of the first column of z: 1, or 0 where there is to be no constant.
    pub constant: f64,
}

impl FoldedRows {
    /// Number of folds.
    pub fn folds(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The rows of a fold.
    pub(crate) fn fold(&self, fold: usize) -> Range<usize> {
        self.bounds[fold]..self.bounds[fold + 1]
    }

    /// Inputs of the rows of a fold.
    pub fn fold_inputs(&self, fold: usize) -> DMatrix<f64> {
        self.x.rows(self.bounds[fold], self.fold(fold).len()).into_owned()
    }

    /// Targets of the rows of a fold.
    pub fn fold_targets(&self, fold: usize) -> DMatrix<f64> {
        self.y.rows(self.bounds[fold], self.fold(fold).len()).into_owned()
    }

    /// Numbers of the first `most` rows of every fold.
    pub fn first_rows(&self, most: usize) -> Vec<usize> {
        let first = |fold| self.fold(fold).take(most);
        (0..self.folds()).flat_map(first).collect()
    }

    /// The first `most` rows of every fold alone.
    pub fn shortened(&self, most: usize) -> FoldedRows {
        let rows = self.first_rows(most);
        let mut bounds = vec![0];
        (0..self.folds()).for_each(|fold| bounds.push(bounds[fold] + self.fold(fold).len().min(most)));
        let (x, y) = (self.x.select_rows(&rows), self.y.select_rows(&rows));
        FoldedRows { x, y, bounds, ..*self }
    }

    /// Adds the weighted inputs to `angles`.
    pub(crate) fn add_angles(&self, inputs: &[usize], weights: &[f64], angles: &mut [f64]) {
        /// Rows whose angles stay in the cache.
        const CHUNK: usize = 1024;
        vectorised!({
            for (chunk, angles) in angles.chunks_mut(CHUNK).enumerate() {
                for (&input, &weight) in inputs.iter().zip(weights) {
                    let x = &column(&self.x, input)[chunk * CHUNK..][..angles.len()];
                    angles.iter_mut().zip(x).for_each(|(angle, x)| *angle += weight * x);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_rows_keeps_the_folds() {
        let x = DMatrix::from_fn(60, 2, |i, j| (i + 100 * j) as f64);
        let rows = FoldedRows { y: x.clone(), x, bounds: vec![0, 11, 24, 36, 47, 60], training: 4, constant: 1.0 };
        let short = rows.shortened(12);
        assert_eq!(short.bounds, [0, 11, 23, 35, 46, 58]);
        assert_eq!((short.x.nrows(), short.x[(23, 1)], short.y[(57, 0)]), (58, 124.0, 58.0));
        assert_eq!(rows.first_rows(12).len(), 58);
        assert_eq!(short.fold_inputs(1), rows.x.rows(11, 12));
        let mut angles = vec![1.0; 60];
        rows.add_angles(&[1, 0], &[0.5, 2.0], &mut angles);
        assert_eq!(angles[7], 1.0 + 53.5 + 14.0);
    }
}
