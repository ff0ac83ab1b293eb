//! Sets of rows, a bit a row.

use crate::linalg::vectorised;

/// A set of rows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Returns the set of the rows below `rows` for which `holds` is true.
    pub fn new(rows: usize, holds: impl Fn(usize) -> bool) -> Bits {
        let word = |first: usize| {
            let bits = first..rows.min(first + 64);
            bits.fold(0, |word, row| word | u64::from(holds(row)) << (row - first))
        };
        Bits { words: (0..rows).step_by(64).map(word).collect() }
    }

    /// Returns the rows of `self` that are in `other`, and those that are not.
    pub fn divided(&self, other: &Bits) -> [Bits; 2] {
        let pairs = || self.words.iter().zip(&other.words);
        [pairs().map(|(a, b)| a & b).collect(), pairs().map(|(a, b)| a & !b).collect()].map(|words| Bits { words })
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the rows, ascending.
    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (bit < 64).then_some(64 * place + bit)
            })
        })
    }
}

/// Returns how many rows every one of the sets has in common with `set`.
pub(super) fn common(set: &Bits, sets: &[&Bits]) -> Vec<f64> {
    let mut counts = vec![0.0; sets.len()];
    vectorised!({
        for (count, other) in counts.iter_mut().zip(sets) {
            let mut common = 0_u64;
            for (a, b) in set.words.iter().zip(&other.words) {
                common += u64::from((a & b).count_ones());
            }
            *count = common as f64;
        }
    });
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_their_rows() {
        let even = Bits::new(131, |row| row % 2 == 0);
        let third = Bits::new(131, |row| row % 3 == 0);
        assert!(even.rows().eq((0..131).filter(|row| row % 2 == 0)));
        let [both, rest] = even.divided(&third);
        assert!(both.rows().eq((0..131).filter(|row| row % 6 == 0)));
        assert_eq!(both.count() + rest.count(), even.count());
        assert_eq!(common(&even, &[&third, &even, &rest]), [22.0, 66.0, 44.0]);
    }
}
