//! The published divisions of the rows of a set.
//!
//! A trial of the publication shuffles the rows with scikit-learn's `train_test_split` and a seed of its own. The
//! shuffle is that of numpy's `RandomState`: the Mersenne Twister, and indices by rejection below a power of two.

use rand_mt::Mt;

/// The seeds of the published trials.
pub const SEEDS: [u32; 10] = [23654, 15795, 860, 5390, 29802, 21575, 11964, 11284, 22118, 6265];

/// The largest number of rows that a trial fits.
const FITTED_ROWS: usize = 10_000;

/// The rows of a set that a trial fits, and those that it tests on.
#[derive(Debug, PartialEq, Eq)]
pub struct Division {
    pub train: Vec<usize>,
    pub test: Vec<usize>,
}

impl Division {
    /// Returns the published division of a number of rows.
    ///
    /// Three quarters are fitted. Of more than [`FITTED_ROWS`] rows, a trial fits a sample of [`FITTED_ROWS`], drawn
    /// with replacement from the three quarters; here each of these rows is fitted once.
    pub fn published(rows: usize, seed: u32) -> Division {
        let mut test: Vec<usize> = (0..rows).collect();
        shuffle(&mut test, &mut Mt::new(seed));
        let mut train = test.split_off(rows.div_ceil(4));
        if rows > FITTED_ROWS {
            let mut random = Mt::new(seed);
            let places = (0..FITTED_ROWS).map(|_| index(&mut random, train.len() - 1));
            train = places.map(|place| train[place]).collect();
            train.sort_unstable();
            train.dedup();
        }
        Division { train, test }
    }
}

/// Shuffles as numpy's `RandomState.shuffle` does.
fn shuffle(rows: &mut [usize], random: &mut Mt) {
    for last in (1..rows.len()).rev() {
        rows.swap(last, index(random, last));
    }
}

/// Returns an index from 0 to `last`, as numpy's `RandomState` draws it.
fn index(random: &mut Mt, last: usize) -> usize {
    let mask = (last + 1).next_power_of_two() - 1;
    loop {
        let drawn = random.next_u32() as usize & mask;
        if drawn <= last {
            return drawn;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with `train_test_split(range(13), train_size=0.75, test_size=0.25, random_state=23654)`.
    #[test]
    fn a_division_is_that_of_scikit_learn() {
        let expected = Division { train: vec![5, 6, 12, 2, 3, 11, 1, 8, 7], test: vec![9, 10, 4, 0] };
        assert_eq!(Division::published(13, SEEDS[0]), expected);
    }

    /// Compares with numpy's `unique(train[choice(arange(9000), size=10000)])` for a division of 12,001 rows.
    #[test]
    fn many_rows_are_sampled_as_numpy_does() {
        let Division { train, test } = Division::published(12_001, SEEDS[9]);
        assert_eq!((test.len(), test[0], test[3000]), (3001, 2597, 6361));
        assert_eq!((train.len(), train[7], train[6073]), (6074, 11, 12_000));
        assert_eq!((train.iter().sum::<usize>(), test.iter().sum::<usize>()), (36_808_287, 17_971_282));
    }
}
