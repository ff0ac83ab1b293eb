//! The engine for rows that come in blocks, such as those of a file.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::tiles::{SPAN_ROWS, TILE};
use super::{Rows, Statistic};

/// Rows that are read in blocks of any size.
pub struct InBlocks<F> {
    /// Returns the inputs and targets of a block.
    pub block: F,
    /// The number of blocks.
    pub count: usize,
    /// The number of rows that may wait in memory until they are a span for every thread.
    pub held: usize,
}

impl<F, E> Rows for InBlocks<F>
where
    F: Fn(usize) -> Result<(DMatrix<f64>, DMatrix<f64>), E> + Sync,
    E: Send,
{
    type Error = E;

    fn sum<S: Statistic>(&self, statistic: &S) -> Result<S::Sum, E> {
        let mut waiting = Waiting::default();
        let mut tree = Tree::new(statistic);
        let threads = rayon::current_num_threads();
        for first in (0..self.count).step_by(threads) {
            let blocks = first..self.count.min(first + threads);
            let read: Vec<_> = blocks.into_par_iter().map(&self.block).collect();
            for block in read {
                waiting.push(block?);
            }
            if waiting.rows >= self.held.min(threads * SPAN_ROWS) {
                tree.take(&mut waiting, false);
            }
        }
        tree.take(&mut waiting, true);
        Ok(tree.sum())
    }
}

/// Rows that were read and not yet summed.
#[derive(Default)]
struct Waiting {
    blocks: Vec<(DMatrix<f64>, DMatrix<f64>)>,
    /// The number of rows of the first block that were taken.
    taken: usize,
    rows: usize,
}

impl Waiting {
    fn push(&mut self, block: (DMatrix<f64>, DMatrix<f64>)) {
        self.rows += block.0.nrows();
        self.blocks.push(block);
    }

    /// Takes the first rows.
    fn take(&mut self, rows: usize) -> (DMatrix<f64>, DMatrix<f64>) {
        let columns = self.blocks.first().map_or((0, 0), |(x, y)| (x.ncols(), y.ncols()));
        let mut x = DMatrix::zeros(rows, columns.0);
        let mut y = DMatrix::zeros(rows, columns.1);
        let mut done = 0;
        let mut empty = 0;
        for block in &self.blocks {
            let some = (rows - done).min(block.0.nrows() - self.taken);
            x.rows_mut(done, some).copy_from(&block.0.rows(self.taken, some));
            y.rows_mut(done, some).copy_from(&block.1.rows(self.taken, some));
            done = done + some;
            self.taken = self.taken + some;
            if self.taken < block.0.nrows() {
                break;
            }
            empty = empty + 1;
            self.taken = 0;
        }
        self.blocks.drain(..empty);
        self.rows -= rows;
        (x, y)
    }
}

/// The sums over spans, merged along the tree as they come.
struct Tree<'a, S: Statistic> {
    statistic: &'a S,
    /// Sums over powers of two of spans, the larger ones first, each with the number of its spans.
    merged: Vec<(usize, S::Sum)>,
    /// The sum over the first tiles of a span, and their number.
    begun: Option<(usize, S::Sum)>,
}

impl<'a, S: Statistic> Tree<'a, S> {
    fn new(statistic: &'a S) -> Tree<'a, S> {
        Tree { statistic, merged: Vec::new(), begun: None }
    }

    /// Adds the waiting rows: whole spans by threads, then single tiles; the `last` ones may be less than a tile.
    fn take(&mut self, waiting: &mut Waiting, last: bool) {
        while waiting.rows >= TILE || (last && waiting.rows > 0) {
            let spans = if self.begun.is_none() { waiting.rows / SPAN_ROWS } else { 0 };
            if spans > 1 {
                let rows = (0..spans.min(rayon::current_num_threads())).map(|_| waiting.take(SPAN_ROWS));
                let rows = rows.collect::<Vec<_>>();
                let statistic = self.statistic;
                let sums: Vec<S::Sum> = rows.into_par_iter().map(|(x, y)| sum_of(statistic, &x, &y)).collect();
                sums.into_iter().for_each(|sum| self.push(sum));
                continue;
            }
            let (x, y) = waiting.take(TILE.min(waiting.rows));
            let (tiles, mut sum) = self.begun.take().unwrap_or_else(|| (0, self.statistic.zero()));
            self.statistic.add(&mut sum, &x, &y);
            if (tiles + 1) * TILE == SPAN_ROWS { self.push(sum) } else { self.begun = Some((tiles + 1, sum)) }
        }
    }

    /// Adds the sum over the next span.
    fn push(&mut self, sum: S::Sum) {
        let mut spans = 1;
        let mut later = sum;
        while let Some((_, mut earlier)) = self.merged.pop_if(|(of, _)| *of == spans) {
            self.statistic.merge(&mut earlier, later);
            spans = 2 * spans;
            later = earlier;
        }
        self.merged.push((spans, later));
    }

    /// Returns the sum over all spans.
    fn sum(mut self) -> S::Sum {
        if let Some((_, sum)) = self.begun.take() {
            self.push(sum);
        }
        let Some((_, mut later)) = self.merged.pop() else { return self.statistic.zero() };
        while let Some((_, mut earlier)) = self.merged.pop() {
            self.statistic.merge(&mut earlier, later);
            later = earlier;
        }
        later
    }
}

/// Returns the sum over a span.
fn sum_of<S: Statistic>(statistic: &S, x: &DMatrix<f64>, y: &DMatrix<f64>) -> S::Sum {
    let mut sum = statistic.zero();
    for first in (0..SPAN_ROWS).step_by(TILE) {
        let tile = |m: &DMatrix<f64>| m.rows(first, TILE).into_owned();
        statistic.add(&mut sum, &tile(x), &tile(y));
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::ops::Range;

    use super::*;
    use crate::sampling::Sampler;
    use crate::sums::{InMemory, Variances};

    #[test]
    fn blocks_of_any_size_on_any_threads_give_the_bits_of_rows_in_memory() {
        for rows in [0, 100, 70_000, 300_000, 468_000] {
            let mut sampler = Sampler::new(rows as u64);
            let x = DMatrix::from_fn(rows, 2, |_, _| sampler.normal());
            let y = DMatrix::from_fn(rows, 1, |_, _| sampler.normal());
            let statistic = Variances { values: DMatrix::clone, columns: 2 };
            let Ok(whole) = InMemory { x: &x, y: &y }.sum(&statistic);
            for (size, held, threads) in [(1 << 20, 0, 1), (777, 5000, 2), (50_000, 1 << 20, 3), (9000, 200_000, 2)] {
                let block = |block: usize| {
                    let rows: Range<usize> = block * size..rows.min((block + 1) * size);
                    let of = |m: &DMatrix<f64>| m.rows(rows.start, rows.len()).into_owned();
                    Ok::<_, Infallible>((of(&x), of(&y)))
                };
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let blocks = InBlocks { block, count: rows.div_ceil(size), held };
                let Ok(sum) = pool.install(|| blocks.sum(&statistic));
                assert!(sum == whole, "{rows} rows in blocks of {size} on {threads} threads");
            }
        }
    }

    #[test]
    fn the_first_block_that_cannot_be_read_is_the_error() {
        let block = |block: usize| {
            if block == 3 || block == 7 { Err(block) } else { Ok((DMatrix::zeros(9, 1), DMatrix::zeros(9, 1))) }
        };
        let blocks = InBlocks { block, count: 9, held: 0 };
        assert_eq!(blocks.sum(&Variances { values: DMatrix::clone, columns: 1 }).unwrap_err(), 3);
    }
}
