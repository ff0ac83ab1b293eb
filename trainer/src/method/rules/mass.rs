//! What sets of rows count together.
//!
//! A weight is a whole number of units, and every bit of that number has a set of rows. A sum of weights then takes a
//! count of rows for every bit, and counts are as fast as without weights.

use nalgebra::{DMatrix, DVector, DVectorView};

use super::bits::{Bits, common};
use crate::data::weights::normalised;

/// The bits of weights that candidates are selected by, and those that amplitudes are fitted with.
pub(super) const BITS_OF_SELECTION: u32 = 8;
pub(super) const BITS_OF_FIT: u32 = 20;

/// How far the ratio of two weights may be from a whole number that it counts as.
const WHOLE: f64 = 1e-9;

/// What some rows count: their weights have a mean of 1.
#[derive(Default)]
pub(super) struct Masses {
    /// The weight of every row; empty where all count alike.
    weights: Vec<f64>,
    /// The rows whose weight has a bit, and what the bit counts.
    planes: Vec<(f64, Bits)>,
}

impl Masses {
    /// Rounds weights to so many bits. Whole multiples of the least weight stay as they are where they have no more.
    pub fn new(weights: &[f64], bits: u32) -> Masses {
        if weights.is_empty() {
            return Masses::default();
        }
        let most = f64::from((1_u32 << bits) - 1);
        let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let is_whole = |weight: &f64| (weight / least - (weight / least).round()).abs() < WHOLE;
        let unit = if largest / least <= most && weights.iter().all(is_whole) { least } else { largest / most };
        let units: Vec<u32> = weights.iter().map(|weight| (weight / unit).round() as u32).collect();
        let rounded = normalised(&units.iter().map(|&units| f64::from(units)).collect::<Vec<f64>>());
        let total: f64 = units.iter().map(|&units| f64::from(units)).sum();
        let of_one = units.len() as f64 / total;
        let plane =
            |bit: u32| (of_one * f64::from(1_u32 << bit), Bits::new(units.len(), |row| units[row] >> bit & 1 == 1));
        let planes = (0..bits).map(plane).filter(|(_, rows)| rows.count() > 0).collect();
        Masses { weights: rounded, planes }
    }

    /// Returns what a row counts.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.get(row).copied().unwrap_or(1.0)
    }

    /// Returns what the rows of a set count.
    pub fn of(&self, set: &Bits) -> f64 {
        match self.planes.is_empty() {
            true => set.count() as f64,
            false => self.common(set, &[set])[0],
        }
    }

    /// Returns what the rows count that every one of the sets has in common with `set`.
    pub fn common(&self, set: &Bits, sets: &[&Bits]) -> Vec<f64> {
        if self.planes.is_empty() {
            return common(set, sets);
        }
        let mut masses = vec![0.0; sets.len()];
        for (of_bit, rows) in &self.planes {
            let [within, _] = set.divided(rows);
            masses.iter_mut().zip(common(&within, sets)).for_each(|(mass, count)| *mass += of_bit * count);
        }
        masses
    }

    /// Returns the sums of targets (n×k) over all rows.
    pub fn sums(&self, y: &DMatrix<f64>) -> Vec<f64> {
        match self.weights.is_empty() {
            true => y.row_sum().iter().copied().collect(),
            false => y.tr_mul(&DVector::from_column_slice(&self.weights)).iter().copied().collect(),
        }
    }

    /// Returns the means of targets (n×k) over all rows, which an intercept takes; zeros without one.
    pub fn means(&self, y: &DMatrix<f64>, intercept: bool) -> Vec<f64> {
        let mean = |targets: DVectorView<'_, f64>| match (intercept, self.weights.is_empty()) {
            (false, _) => 0.0,
            (true, true) => targets.mean(),
            (true, false) => targets.iter().zip(&self.weights).map(|(y, w)| w * y).sum::<f64>() / y.nrows() as f64,
        };
        y.column_iter().map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn sets_count_the_weights_of_their_rows() {
        let mut sampler = Sampler::new(2);
        let small = |sampler: &mut Sampler| 0.5 * (1 + sampler.below(40)) as f64;
        let any = |sampler: &mut Sampler| libm::exp(sampler.normal());
        let whole: Vec<f64> = (0..150).map(|_| small(&mut sampler)).chain([0.5]).collect();
        let mixed: Vec<f64> = (0..151).map(|_| any(&mut sampler)).collect();
        let third = Bits::new(151, |row| row % 3 == 0);
        let odd = Bits::new(151, |row| row % 2 == 1);
        for (weights, bits, error) in [(&whole, BITS_OF_SELECTION, 1e-12), (&mixed, BITS_OF_FIT, 1e-4)] {
            let masses = Masses::new(weights, bits);
            let exact = normalised(weights);
            let sum =
                |holds: &dyn Fn(usize) -> bool| (0..151).filter(|&row| holds(row)).map(|row| exact[row]).sum::<f64>();
            assert!((masses.of(&third) - sum(&|row| row % 3 == 0)).abs() < error);
            let both = masses.common(&third, &[&odd, &third]);
            assert!((both[0] - sum(&|row| row % 6 == 3)).abs() < error && both[1] == masses.of(&third));
            assert!((0..151).all(|row| (masses.weight(row) - exact[row]).abs() < error));
        }
        let alike = Masses::new(&[], BITS_OF_FIT);
        assert_eq!((alike.of(&third), alike.weight(3), alike.planes.len()), (51.0, 1.0, 0));
    }
}
