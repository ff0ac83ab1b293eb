//! Sums over rows: Gram matrices, moments, errors and ranges.
//!
//! Rows are divided into tiles of one size, and successive tiles into spans of one size. A span is summed tile after
//! tile; the sums of spans are merged along a binary tree that depends on the number of rows alone. So the result has
//! the same bits for any number of threads, and for any blocks in which an engine receives the rows. An engine that
//! hands parts of the work out gives away whole subtrees.

use std::convert::Infallible;
use std::ops::Range;

use nalgebra::DMatrix;
use rayon::prelude::*;

/// A quantity that is summed over rows.
pub trait Statistic: Sync {
    /// The sum over some rows.
    type Sum: Send;

    /// Returns the sum over no rows.
    fn zero(&self) -> Self::Sum;

    /// Adds a tile: inputs (r×d) and targets (r×k) of successive rows.
    fn add(&self, sum: &mut Self::Sum, x: &DMatrix<f64>, y: &DMatrix<f64>);

    /// Adds the sum over the rows that follow those of `sum`.
    fn merge(&self, sum: &mut Self::Sum, later: Self::Sum);
}

/// Rows that a quantity can be summed over: the rows in memory, or those that a file or other machines have.
pub trait Rows: Sync {
    /// The reason why rows cannot be read.
    type Error;

    /// Returns the sum of `statistic` over all rows, in the order that the module documentation describes.
    ///
    /// # Errors
    /// The errors of reading the rows.
    fn sum<S: Statistic>(&self, statistic: &S) -> Result<S::Sum, Self::Error>;
}

/// The number of rows of a tile, whose feature values are in memory at a time. A multiple of the number of terms that
/// products sum before they add to a result, so that Gram matrices do not depend on it.
pub(super) const TILE: usize = 4096;

/// The number of tiles of a span. Every span in work has a sum of its own in memory.
const SPAN: usize = 16;

/// The number of rows of a span.
pub const SPAN_ROWS: usize = SPAN * TILE;

/// Returns the rows of `x` in tiles, each with the number of its first row.
pub fn row_tiles(x: &DMatrix<f64>) -> impl Iterator<Item = (usize, DMatrix<f64>)> {
    tiles_of(0..x.nrows()).map(move |rows| (rows.start, x.rows(rows.start, rows.len()).into_owned()))
}

/// The number of values of a matrix that stays in a processor's cache, in part at least.
const CACHED: usize = 1 << 20;

/// The unit of the rows of a part: products sum as many terms before they add to a result.
const UNIT: usize = 256;

/// Returns the rows of a tile in parts, whose values of `columns` columns stay in the cache.
pub fn parts(x: &DMatrix<f64>, columns: usize) -> impl Iterator<Item = (usize, DMatrix<f64>)> {
    let size = (CACHED / columns.max(1) / UNIT).max(1) * UNIT;
    let rows = x.nrows();
    (0..rows).step_by(size).map(move |first| (first, x.rows(first, size.min(rows - first)).into_owned()))
}

/// Returns the tiles of successive rows, of which the first begins a tile.
pub(super) fn tiles_of(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = rows.end;
    rows.step_by(TILE).map(move |first| first..end.min(first + TILE))
}

/// Returns the rows of successive spans of `rows` rows.
pub(super) fn rows_of(spans: &Range<usize>, rows: usize) -> Range<usize> {
    spans.start * SPAN_ROWS..rows.min(spans.end * SPAN_ROWS)
}

/// Returns the number of spans of `rows` rows.
pub(super) fn spans(rows: usize) -> usize {
    rows.div_ceil(SPAN_ROWS)
}

/// Returns the two branches of the tree over successive spans, the first of which has a power of two of them; none for
/// one span.
pub(super) fn branches(spans: &Range<usize>) -> Option<[Range<usize>; 2]> {
    let half = spans.len().next_power_of_two() / 2;
    (spans.len() > 1).then(|| [spans.start..spans.start + half, spans.start + half..spans.end])
}

/// Rows in memory.
#[derive(Clone, Copy)]
pub struct InMemory<'a> {
    /// Inputs, n×d.
    pub x: &'a DMatrix<f64>,
    /// Targets, n×k.
    pub y: &'a DMatrix<f64>,
}

impl InMemory<'_> {
    /// Returns the sum over successive spans.
    fn sum_of<S: Statistic>(&self, statistic: &S, part: Range<usize>) -> S::Sum {
        if let Some([first, later]) = branches(&part) {
            let (mut sum, later) = rayon::join(|| self.sum_of(statistic, first), || self.sum_of(statistic, later));
            statistic.merge(&mut sum, later);
            return sum;
        }
        let mut sum = statistic.zero();
        for rows in tiles_of(rows_of(&part, self.x.nrows())) {
            let tile = |m: &DMatrix<f64>| m.rows(rows.start, rows.len()).into_owned();
            statistic.add(&mut sum, &tile(self.x), &tile(self.y));
        }
        sum
    }
}

impl Rows for InMemory<'_> {
    type Error = Infallible;

    fn sum<S: Statistic>(&self, statistic: &S) -> Result<S::Sum, Infallible> {
        Ok(self.sum_of(statistic, 0..spans(self.x.nrows())))
    }
}

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
            done += some;
            self.taken += some;
            if self.taken < block.0.nrows() {
                break;
            }
            empty += 1;
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
            spans *= 2;
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

/// The smallest and the largest value of every input.
pub struct InputRanges {
    /// The number of inputs.
    pub inputs: usize,
}

impl Statistic for InputRanges {
    type Sum = Vec<(f64, f64)>;

    fn zero(&self) -> Self::Sum {
        vec![(f64::INFINITY, f64::NEG_INFINITY); self.inputs]
    }

    fn add(&self, sum: &mut Self::Sum, x: &DMatrix<f64>, _: &DMatrix<f64>) {
        let columns = x.column_iter().map(|column| (column.min(), column.max()));
        self.merge(sum, columns.collect());
    }

    fn merge(&self, sum: &mut Self::Sum, later: Self::Sum) {
        for (range, (low, high)) in sum.iter_mut().zip(later) {
            *range = (range.0.min(low), range.1.max(high));
        }
    }
}

/// The variances of columns of values, such as those of features.
pub struct Variances<V> {
    /// Returns the values (r×N) for inputs (r×d).
    pub values: V,
    /// The number of columns, N.
    pub columns: usize,
}

/// The means and the variances of columns over some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// The number of rows.
    pub rows: usize,
    /// The mean of each column.
    pub means: Vec<f64>,
    /// The variance of each column: the mean square of the distance from the mean.
    pub variances: Vec<f64>,
}

impl<V: Fn(&DMatrix<f64>) -> DMatrix<f64> + Sync> Statistic for Variances<V> {
    type Sum = Spread;

    fn zero(&self) -> Spread {
        Spread { rows: 0, means: vec![0.0; self.columns], variances: vec![0.0; self.columns] }
    }

    fn add(&self, sum: &mut Spread, x: &DMatrix<f64>, _: &DMatrix<f64>) {
        for (_, x) in parts(x, self.columns) {
            let values = (self.values)(&x);
            let means = values.column_iter().map(|column| column.mean()).collect();
            let variances = values.column_iter().map(|column| column.variance()).collect();
            self.merge(sum, Spread { rows: x.nrows(), means, variances });
        }
    }

    /// T. F. Chan, G. H. Golub and R. J. LeVeque, *Algorithms for computing the sample variance*, 1983.
    fn merge(&self, sum: &mut Spread, later: Spread) {
        if sum.rows == 0 {
            *sum = later;
            return;
        }
        let rows = sum.rows + later.rows;
        let share = later.rows as f64 / rows as f64;
        let columns = sum.means.iter_mut().zip(&mut sum.variances).zip(later.means.iter().zip(&later.variances));
        for ((mean, variance), (later_mean, later_variance)) in columns {
            let apart = later_mean - *mean;
            *variance += share * (later_variance - *variance) + share * (1.0 - share) * apart * apart;
            *mean += share * apart;
        }
        sum.rows = rows;
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::ops::Range;

    use super::*;
    use crate::sampling::Sampler;
    use crate::sums::{InMemory, Rows, Variances};

    #[test]
    fn tiles_and_spans_cover_all_rows_once() {
        for rows in [0, 1, TILE, TILE + 1, SPAN * TILE, 3 * SPAN * TILE + 5] {
            let of_spans = (0..spans(rows)).flat_map(|span| tiles_of(rows_of(&(span..span + 1), rows)));
            assert!(of_spans.eq(tiles_of(0..rows)));
            let covered: Vec<usize> = tiles_of(0..rows).flatten().collect();
            assert!(covered.into_iter().eq(0..rows));
        }
    }

    #[test]
    fn a_branch_is_the_tree_of_its_spans() {
        assert_eq!(branches(&(0..1)), None);
        assert_eq!(branches(&(0..2)), Some([0..1, 1..2]));
        assert_eq!(branches(&(0..7)), Some([0..4, 4..7]));
        assert_eq!(branches(&(4..7)), Some([4..6, 6..7]));
        assert_eq!(branches(&(0..8)), Some([0..4, 4..8]));
    }

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let mut sampler = Sampler::new(1);
        // Five spans.
        let x = DMatrix::from_fn(270_000, 3, |_, _| sampler.normal());
        let y = DMatrix::from_fn(270_000, 3, |_, _| sampler.normal());
        let sums = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let Ok(sum) =
                pool.install(|| InMemory { x: &x, y: &y }.sum(&Variances { values: DMatrix::clone, columns: 3 }));
            sum
        });
        assert!(sums[0] == sums[1] && sums[0] == sums[2]);
    }

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

    #[test]
    fn ranges_and_variances_are_those_of_all_rows() {
        // Three spans.
        let rows = 140_000;
        let x = DMatrix::from_fn(rows, 2, |i, j| if j == 0 { i as f64 } else { -(i as f64) / 2.0 });
        let all = InMemory { x: &x, y: &DMatrix::zeros(rows, 1) };
        let Ok(ranges) = all.sum(&InputRanges { inputs: 2 });
        assert_eq!(ranges, [(0.0, 139_999.0), (-69_999.5, 0.0)]);
        let Ok(spread) = all.sum(&Variances { values: |x: &DMatrix<f64>| x * 3.0, columns: 2 });
        // The numbers 0 to n − 1 have the mean (n − 1)/2 and the variance (n² − 1)/12.
        let n = rows as f64;
        let mean = 3.0 * (n - 1.0) / 2.0;
        let variance = 9.0 * (n * n - 1.0) / 12.0;
        let near = |value: f64, exact: f64| assert!((value - exact).abs() < 1e-12 * exact.abs(), "{value} {exact}");
        near(spread.means[0], mean);
        near(spread.means[1], -mean / 2.0);
        near(spread.variances[0], variance);
        near(spread.variances[1], variance / 4.0);
        assert_eq!(spread.rows, rows);
    }
}
