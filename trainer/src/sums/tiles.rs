//! The division of rows into tiles and spans, and the order of their sums.

use std::ops::Range;

use nalgebra::DMatrix;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
