//! Cosine features in `f32`: `y += a cos(2π(⟨w, z⟩ + p))`, phases in turns.
//!
//! | | |
//! |---|---|
//! | range | `abs(⟨w, z⟩ + p)` below 2²² turns; beyond it the result is meaningless, though nothing faults |
//! | largest error of [`cos_turns`] | 6.6e-7 (5.9e-7 of the polynomial, the rest rounding) |
//! | operations of [`cos_turns`] | 12 additions or multiplications, no branch, no division |

use crate::format::{Block, Indices};

/// Adding and subtracting this rounds an `f32` below 2²² to the nearest whole number (ties to even).
const ROUND: f32 = 12_582_912.0; // 1.5 · 2²³: the unit in the last place is one

/// Minimax polynomial of degree seven of `sin(2πs)` on the quarter turn `abs(s) ≤ 1/4` (largest error 5.9e-7, found by
/// the Remez exchange): `s (C[0] + C[1] s² + C[2] s⁴ + C[3] s⁶)`.
const C: [f32; 4] = [6.283_164, -41.337_143, 81.340_77, -70.993_44];

/// `cos(2πt)`: the cosine of an angle in turns.
///
/// Largest error 6.6e-7 for `abs(t) ≤ 1/2`; beyond that the distance to the nearest whole number is exact in `f32`, so
/// that only the rounding of `t` itself matters. Valid up to 2²² turns.
///
/// ```
/// use srfm_runtime::kernel::cosine_f32::cos_turns;
/// assert!((cos_turns(0.0) - 1.0).abs() < 1e-6);
/// assert!((cos_turns(1000.25)).abs() < 1e-6);
/// ```
#[inline(always)]
pub fn cos_turns(t: f32) -> f32 {
    let r = t - ((t + ROUND) - ROUND); // -1/2 ..= 1/2
    let s = 0.25 - r.abs(); // cos(2πr) = sin(2π(1/4 - |r|))
    let u = s * s;
    s * (C[0] + u * (C[1] + u * (C[2] + u * C[3])))
}

/// Adds the features of one block to the outputs.
///
/// Single-output models of one to three inputs per feature are unrolled; anything else takes the general loop.
#[inline]
pub(crate) fn accumulate(block: &Block<'_>, z: &[f32], y: &mut [f32]) {
    match (block.order, block.indices, &mut *y) {
        (1, Indices::Narrow(indices), [y]) => *y = unrolled::<1, 3>(block.records, indices, z, *y),
        (2, Indices::Narrow(indices), [y]) => *y = unrolled::<2, 4>(block.records, indices, z, *y),
        (3, Indices::Narrow(indices), [y]) => *y = unrolled::<3, 5>(block.records, indices, z, *y),
        (_, Indices::Narrow(indices), _) => general(block, indices, z, y),
        (_, Indices::Wide(indices), _) => general(block, indices, z, y),
    }
}

/// Single output, `Q` inputs per feature, records of `STRIDE = Q + 2` words.
#[inline(always)]
fn unrolled<const Q: usize, const STRIDE: usize>(records: &[f32], indices: &[u8], z: &[f32], mut y: f32) -> f32 {
    let (records, _) = records.as_chunks::<STRIDE>();
    let (supports, _) = indices.as_chunks::<Q>();
    for (record, support) in records.iter().zip(supports) {
        let mut t = record[0];
        for k in 0..Q {
            t += record[1 + k] * input(z, support[k].into());
        }
        y += record[1 + Q] * cos_turns(t);
    }
    y
}

/// Any number of inputs per feature and of outputs.
#[inline(never)]
fn general<I: Copy + Into<usize>>(block: &Block<'_>, indices: &[I], z: &[f32], y: &mut [f32]) {
    let order = usize::from(block.order);
    let stride = 1 + order + y.len();
    let mut records = block.records;
    let mut indices = indices;
    // `split_at_checked` where `chunks_exact` would do: the latter keeps a check for a zero size that could panic.
    while let (Some((record, later_records)), Some((support, later_indices))) =
        (records.split_at_checked(stride), indices.split_at_checked(order))
    {
        (records, indices) = (later_records, later_indices);
        let Some((&phase, record)) = record.split_first() else { return };
        let Some((weights, amplitudes)) = record.split_at_checked(order) else { return };
        let mut t = phase;
        for (&weight, &index) in weights.iter().zip(support) {
            t += weight * input(z, index.into());
        }
        let cosine = cos_turns(t);
        for (y, &amplitude) in y.iter_mut().zip(amplitudes) {
            *y += amplitude * cosine;
        }
    }
}

/// The input of a feature. Parsing has checked every index, so the default is never taken: it only spares the panic.
#[inline(always)]
pub(crate) fn input(z: &[f32], index: usize) -> f32 {
    z.get(index).copied().unwrap_or(0.0)
}
