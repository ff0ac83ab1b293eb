//! The sums of products that a processor holds in its registers.
//!
//! A larger block of sums reads fewer numbers for each product. Each sum has its terms in the order of the columns of
//! its panels whatever the block, so that the block can follow the registers of the processor.

use pulp::{Arch, Simd, WithSimd};

/// Work on panels whose block of sums follows the processor.
pub(super) trait Blocked {
    /// Does the work with blocks of `ROWS` × `COLUMNS` sums, in `VECTORS` vectors a column.
    fn with_block<S: Simd, const ROWS: usize, const COLUMNS: usize, const VECTORS: usize>(self, simd: S);
}

/// The number of rows from which a large block is the faster one. It would fill a matrix of few rows with zeros.
const WIDE: usize = 48;

/// Work on a result of some rows.
struct OfRows<B> {
    rows: usize,
    work: B,
}

impl<B: Blocked> WithSimd for OfRows<B> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F64_LANES {
            8 if self.rows >= WIDE => self.work.with_block::<S, 16, 8, 2>(simd),
            8 => self.work.with_block::<S, 8, 4, 1>(simd),
            4 => self.work.with_block::<S, 8, 4, 2>(simd),
            2 => self.work.with_block::<S, 4, 4, 2>(simd),
            _ => self.work.with_block::<S, 2, 4, 2>(simd),
        }
    }
}

/// Does `work` on a result of `rows` rows with the vector instructions of the processor.
pub(super) fn blocked(rows: usize, work: impl Blocked) {
    Arch::new().dispatch(OfRows { rows, work });
}

/// The sums of products of a panel of the left factor with a panel of the right one.
///
/// `ROWS` is the number of the processor's lanes times `VECTORS`.
#[inline(always)]
pub(super) fn sums<S: Simd, const ROWS: usize, const COLUMNS: usize, const VECTORS: usize>(
    simd: S,
    left: &[[f64; ROWS]],
    right: &[[f64; COLUMNS]],
) -> [[f64; ROWS]; COLUMNS] {
    let nothing = [simd.splat_f64s(0.0); VECTORS];
    let mut sums = [[simd.splat_f64s(0.0); VECTORS]; COLUMNS];
    for (left, right) in left.iter().zip(right) {
        let (left, _) = S::as_simd_f64s(left);
        let left = left.first_chunk::<VECTORS>().unwrap_or(&nothing);
        for (sums, right) in sums.iter_mut().zip(right) {
            let right = simd.splat_f64s(*right);
            for (sum, left) in sums.iter_mut().zip(left) {
                *sum = simd.add_f64s(*sum, simd.mul_f64s(*left, right));
            }
        }
    }
    sums.map(|sums| {
        let mut column = [0.0; ROWS];
        let (to, _) = S::as_mut_simd_f64s(&mut column);
        to.iter_mut().zip(sums).for_each(|(to, sum)| *to = sum);
        column
    })
}
