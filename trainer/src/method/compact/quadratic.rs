//! The objective near its minimum, as a quadratic function of the weights.
//!
//! From the second derivatives follows by how much the objective rises where one weight goes and the others move to
//! where it is least without that one (B. Hassibi and D. G. Stork, *Second order derivatives for network pruning:
//! optimal brain surgeon*, 1993).

use nalgebra::DMatrix;

use crate::linalg::{Factor, add_scaled};

/// What is added to the diagonal of the curvature, as shares of the entry and of the largest entry: directions in which
/// the objective is flat say nothing about where it rises.
const DAMPING: f64 = 1e-3;
const FLAT: f64 = 1e-9;

/// Weights at a minimum of `f(w + s) = f(w) + sᵀ H s`, some of which are taken out.
pub struct Quadratic {
    weights: Vec<f64>,
    /// The spread of every weight's input.
    spreads: Vec<f64>,
    /// The inverse of the curvature of the weights that are left, with zeros in the rows and columns of the others.
    inverse: DMatrix<f64>,
    taken: Vec<bool>,
}

impl Quadratic {
    /// The quadratic around `weights` (p) with the curvature H (p×p), a little damped; none where that is not positive.
    pub fn new(weights: Vec<f64>, spreads: Vec<f64>, mut curvature: DMatrix<f64>) -> Option<Quadratic> {
        let count = weights.len();
        let flat = FLAT * curvature.diagonal().iter().copied().fold(0.0, f64::max);
        for i in 0..count {
            curvature[(i, i)] += DAMPING * curvature[(i, i)] + flat;
        }
        let inverse = Factor::new(&curvature)?.solve(&DMatrix::identity(count, count));
        Some(Quadratic { weights, spreads, inverse, taken: vec![false; count] })
    }

    /// Returns the place of the weight that is missed least, and by how much the function rises without it; none where
    /// no weight is left.
    pub fn least(&self) -> Option<(usize, f64)> {
        let left = (0..self.weights.len()).filter(|&i| !self.taken[i]);
        left.map(|i| (i, self.change(i).powi(2) / self.inverse[(i, i)])).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The change of a weight that counts as much as its loss. The loss of a weight turns its wave at every row by the
    /// weight times the input. Turns of normal distribution with the variance s² take the share `1 − exp(−s²)` of the
    /// wave's square from what any multiple of the turned wave explains. That is s² only where s is small.
    fn change(&self, i: usize) -> f64 {
        let turn = (self.weights[i] * self.spreads[i]).abs();
        if turn == 0.0 { 0.0 } else { self.weights[i] * (-(-turn * turn).exp_m1()).sqrt() / turn }
    }

    /// Takes a weight that is left out, and moves the others to the minimum without it.
    pub fn take_out(&mut self, i: usize) {
        let column: Vec<f64> = self.inverse.column(i).iter().copied().collect();
        let share = self.change(i) / column[i];
        add_scaled(&mut self.weights, -share, &column);
        for (l, other) in self.inverse.as_mut_slice().chunks_exact_mut(column.len()).enumerate() {
            add_scaled(other, -column[l] / column[i], &column);
        }
        self.inverse.row_mut(i).fill(0.0);
        self.inverse.column_mut(i).fill(0.0);
        self.taken[i] = true;
    }

    /// The weights in turn; none for one that was taken out.
    pub fn weights(&self) -> impl Iterator<Item = Option<f64>> {
        self.weights.iter().zip(&self.taken).map(|(&weight, &taken)| (!taken).then_some(weight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::gram;
    use crate::sampling::Sampler;

    /// The least of `sᵀ H s` where the weights at `without` become 0, and where the others are there.
    fn constrained(weights: &[f64], h: &DMatrix<f64>, without: &[usize]) -> (f64, Vec<f64>) {
        let left: Vec<usize> = (0..weights.len()).filter(|i| !without.contains(i)).collect();
        let of_left = h.select_rows(&left).select_columns(&left);
        let gone = DMatrix::from_fn(without.len(), 1, |i, _| -weights[without[i]]);
        let pull = -h.select_rows(&left).select_columns(without) * &gone;
        let moved = of_left.lu().solve(&pull).unwrap();
        let mut step = vec![0.0; weights.len()];
        left.iter().zip(moved.iter()).for_each(|(&i, &s)| step[i] = s);
        without.iter().for_each(|&i| step[i] = -weights[i]);
        let s = DMatrix::from_column_slice(weights.len(), 1, &step);
        let rise = (s.transpose() * h * &s)[(0, 0)];
        (rise, weights.iter().zip(&step).map(|(w, s)| w + s).collect())
    }

    #[test]
    fn weights_go_as_the_constrained_minimum_says() {
        for seed in 0..4 {
            let mut sampler = Sampler::new(seed);
            let h = gram(&DMatrix::from_fn(12, 6, |_, _| sampler.normal()));
            let weights: Vec<f64> = (0..6).map(|_| sampler.normal()).collect();
            let mut damped = h.clone();
            let largest = h.diagonal().max();
            (0..6).for_each(|i| damped[(i, i)] += DAMPING * h[(i, i)] + FLAT * largest);
            let mut quadratic = Quadratic::new(weights.clone(), vec![1e-7; 6], h).unwrap();
            let (mut without, mut risen) = (Vec::new(), 0.0);
            for _ in 0..5 {
                let (i, rise) = quadratic.least().unwrap();
                let next = |i: usize| constrained(&weights, &damped, &[without.clone(), vec![i]].concat());
                let others = (0..6).filter(|i| !without.contains(i));
                let best = others.min_by(|&a, &b| next(a).0.total_cmp(&next(b).0)).unwrap();
                let (expected, there) = next(best);
                risen += rise;
                // Rounding of 1e-16, times condition numbers below 1e4 for each weight that is gone.
                assert!(i == best && (risen / expected - 1.0).abs() < 1e-9, "{seed}: {risen} {expected}");
                quadratic.take_out(i);
                without.push(i);
                for (place, weight) in quadratic.weights().enumerate() {
                    assert_eq!(weight.is_none(), without.contains(&place));
                    assert!((weight.unwrap_or(0.0) - there[place]).abs() < 1e-9, "{seed} {place}");
                }
            }
            quadratic.take_out(quadratic.least().unwrap().0);
            assert_eq!(quadratic.least(), None);
        }
    }

    #[test]
    fn a_wave_changes_by_no_more_than_it_has() {
        // Quadratic for a small turn. A large one takes all of the wave: its square is the curvature over that of the
        // input.
        for (weight, spread, rise) in [(0.5, 1e-4, 0.75), (-2.0, 5.0, 3.0 / 25.0), (1.0, 0.0, 0.0)] {
            let found = Quadratic::new(vec![weight], vec![spread], DMatrix::from_element(1, 1, 3.0)).unwrap().least();
            assert!((found.unwrap().1 - rise).abs() <= 2e-3 * rise, "{weight} {spread}: {found:?}");
        }
    }

    #[test]
    fn flat_directions_cost_little() {
        let flat = gram(&DMatrix::from_row_slice(1, 2, &[3.0, 0.0]));
        let (place, rise) = Quadratic::new(vec![1.0, 2.0], vec![1e-4; 2], flat).unwrap().least().unwrap();
        assert!(place == 1 && (rise / (9.0 * FLAT * 4.0) - 1.0).abs() < 1e-6, "{place} {rise}");
        for entry in [0.0, f64::NAN] {
            assert!(Quadratic::new(vec![1.0], vec![1.0], DMatrix::from_element(1, 1, entry)).is_none());
        }
        assert_eq!(Quadratic::new(Vec::new(), Vec::new(), DMatrix::zeros(0, 0)).unwrap().least(), None);
    }
}
