//! Which rows of a file are drawn, in their order.

use crate::data::Splitter;
use crate::sampling::Sampler;

/// The random stream of rows to test on.
const TEST_STREAM: u64 = 2;

/// The random stream of rows to choose features on.
const SAMPLE_STREAM: u64 = 7;

/// Rows of a file by their numbers, in ascending order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draw {
    /// The rows to choose features on.
    pub sample: Vec<usize>,
    /// The rows to test on.
    pub test: Vec<usize>,
    /// All rows that no fit sees: those to test on and, in the order of time, all later ones.
    pub left_out: Vec<usize>,
}

impl Draw {
    /// Draws at most `size` rows to choose features on, and as many to test on at most, of the share `held_out`.
    pub fn new(rows: usize, size: usize, held_out: f64, splitter: Splitter, seed: u64) -> Draw {
        let wanted = ((rows as f64 * held_out).round() as usize).min(rows.saturating_sub(1));
        let mut sampler = Sampler::stream(seed, TEST_STREAM);
        let (test, left_out) = if splitter == Splitter::Random {
            let test = chosen(0..rows, rows, wanted.min(size), &mut sampler);
            (test.clone(), test)
        } else {
            let last = rows - wanted..rows;
            (chosen(last.clone(), wanted, wanted.min(size), &mut sampler), last.collect())
        };
        let mut out = left_out.iter().copied().peekable();
        let fitted = (0..rows).filter(|row| out.next_if_eq(row).is_none());
        let count = rows - left_out.len();
        let sample = chosen(fitted, count, count.min(size), &mut Sampler::stream(seed, SAMPLE_STREAM));
        Draw { sample, test, left_out }
    }
}

/// Returns the rows of a sample of at most `size` of `rows` rows, ascending: those that [`Blocks::draw`] takes where no
/// row is held out.
///
/// [`Blocks::draw`]: crate::data::Blocks::draw
pub fn sample_rows(rows: usize, size: usize, seed: u64) -> Vec<usize> {
    Draw::new(rows, size, 0.0, Splitter::Random, seed).sample
}

/// Draws `size` of `count` rows, all subsets with the same probability, in their order (D. E. Knuth, *The Art of
/// Computer Programming*, volume 2, 3.4.2, algorithm S).
fn chosen(rows: impl Iterator<Item = usize>, count: usize, size: usize, sampler: &mut Sampler) -> Vec<usize> {
    let mut drawn = Vec::with_capacity(size);
    for (seen, row) in rows.enumerate() {
        let wanted = size - drawn.len();
        let left = count - seen;
        if wanted == left || (wanted > 0 && sampler.uniform(0.0, left as f64) < wanted as f64) {
            drawn.push(row);
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_drawn_as_often_as_others() {
        let mut counts = vec![0_u32; 40];
        let mut tests = vec![0_u32; 40];
        let draws = 4000;
        for seed in 0..draws {
            let draw = Draw::new(40, 10, 0.1, Splitter::Random, seed);
            assert_eq!((draw.sample.len(), draw.test.len()), (10, 4));
            assert_eq!(draw.test, draw.left_out);
            assert!(draw.sample.is_sorted() && draw.sample.iter().all(|row| !draw.test.contains(row)));
            draw.sample.iter().for_each(|&row| counts[row] += 1);
            draw.test.iter().for_each(|&row| tests[row] += 1);
        }
        // 1000 and 400 on average, with standard deviations of 27 and 19.
        assert!(counts.iter().all(|count| (860..1140).contains(count)), "{counts:?}");
        assert!(tests.iter().all(|count| (305..495).contains(count)), "{tests:?}");
    }

    #[test]
    fn few_rows_are_all_drawn_and_later_rows_are_left_out() {
        let draw = Draw::new(20, 100, 0.0, Splitter::Random, 1);
        assert_eq!(draw, Draw { sample: (0..20).collect(), ..Draw::default() });
        let draw = Draw::new(20, 4, 0.4, Splitter::Forward, 1);
        assert_eq!(draw.left_out, (12..20).collect::<Vec<_>>());
        assert!(draw.test.len() == 4 && draw.test[0] >= 12 && draw.sample.iter().all(|&row| row < 12));
    }
}
