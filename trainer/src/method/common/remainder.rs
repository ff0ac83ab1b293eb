//! Orthogonal least squares of single columns (S. Chen, S. A. Billings and W. Luo, *Orthogonal least squares methods
//! and their application to non-linear system identification*, 1989): what is left of candidates and targets beside the
//! columns that were taken.

use nalgebra::DMatrix;

use crate::linalg::vectorised;

/// What is left of candidates and of targets beside the columns that were taken.
pub(in crate::method) struct Remainder {
    /// The squared norms of what is left of the candidates.
    left: Vec<f64>,
    /// The least of these norms with which a candidate can still be taken.
    least: Vec<f64>,
    /// The products of the candidates with the targets, one column an output.
    moments: DMatrix<f64>,
    /// The products of all candidates with the columns that were taken, orthogonalised.
    orthogonal: Vec<Vec<f64>>,
}

impl Remainder {
    /// Starts with the squared norms of the candidates and their products with the targets (N×k). A candidate of which
    /// less than `least_share` of its norm is left can no longer be taken.
    pub fn new(left: Vec<f64>, least_share: f64, moments: DMatrix<f64>) -> Remainder {
        let least = left.iter().map(|left| least_share * left).collect();
        Remainder { left, least, moments, orthogonal: Vec::new() }
    }

    /// Returns the decrease of the squared error by a candidate; 0 where nothing is left of it.
    pub fn decrease(&self, candidate: usize) -> f64 {
        if self.left[candidate] <= self.least[candidate].max(0.0) {
            return 0.0;
        }
        self.moments.row(candidate).norm_squared() / self.left[candidate]
    }

    /// Keeps the candidates at ascending places, in this order.
    pub fn keep(&mut self, places: &[usize]) {
        for values in [&mut self.left, &mut self.least].into_iter().chain(&mut self.orthogonal) {
            *values = places.iter().map(|&place| values[place]).collect();
        }
        self.moments = self.moments.select_rows(places);
    }

    /// Takes a candidate, whose products with all candidates are given.
    pub fn take(&mut self, taken: usize, mut products: Vec<f64>) {
        let scale = 1.0 / self.left[taken].sqrt();
        vectorised!({
            for earlier in &self.orthogonal {
                let factor = earlier[taken];
                products.iter_mut().zip(earlier).for_each(|(product, other)| *product -= factor * other);
            }
            products.iter_mut().for_each(|product| *product *= scale);
        });
        self.left.iter_mut().zip(&products).for_each(|(left, product)| *left -= product * product);
        for mut of_output in self.moments.column_iter_mut() {
            let alpha = of_output[taken] * scale;
            of_output.as_mut_slice().iter_mut().zip(&products).for_each(|(left, product)| *left -= alpha * product);
        }
        self.left[taken] = 0.0;
        self.orthogonal.push(products);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{gram, transpose_product};
    use crate::sampling::Sampler;

    #[test]
    fn a_decrease_is_that_of_least_squares() {
        for seed in 0..5 {
            let mut sampler = Sampler::new(seed);
            let a = DMatrix::from_fn(60, 8, |_, _| sampler.normal());
            let y = DMatrix::from_fn(60, 2, |_, _| sampler.normal());
            let error = |columns: &[usize]| {
                let chosen = a.select_columns(columns);
                let solved = (chosen.transpose() * &chosen).lu().solve(&(chosen.transpose() * &y)).unwrap();
                (&y - chosen * solved).norm_squared()
            };
            let products = gram(&a);
            let mut remainder =
                Remainder::new(products.diagonal().as_slice().to_vec(), 1e-9, transpose_product(&a, &y));
            let mut taken = Vec::new();
            for next in [3, 0, 6] {
                let before = if taken.is_empty() { y.norm_squared() } else { error(&taken) };
                for candidate in (0..8).filter(|candidate| !taken.contains(candidate)) {
                    let with: Vec<usize> = taken.iter().copied().chain([candidate]).collect();
                    let expected = before - error(&with);
                    let decrease = remainder.decrease(candidate);
                    assert!((decrease - expected).abs() < 1e-9 * before, "seed {seed}: {decrease} {expected}");
                }
                remainder.take(next, products.column(next).as_slice().to_vec());
                taken.push(next);
                assert_eq!(remainder.decrease(next), 0.0);
            }
        }
    }
}
