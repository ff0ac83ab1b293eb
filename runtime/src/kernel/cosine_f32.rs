//! Cosine features in `f32`: `y += a cos(2π(⟨w, z⟩ + p))`, phases in turns.
//!
//! | | |
//! |---|---|
//! | range | `abs(⟨w, z⟩ + p)` below 2²² turns; beyond it the result is meaningless, though nothing faults |
//! | largest error of [`LEADING`]` * `[`scaled_cos_turns`] | 7.2e-7 (6.0e-7 of the polynomial, the rest rounding) |
//! | operations of [`scaled_cos_turns`] | 11 additions, subtractions, multiplications and an absolute value; no branch |

use crate::format::BUFFERED;

/// Adding and subtracting this rounds an `f32` below 2²² to the nearest whole number (ties to even).
const ROUND: f32 = 12_582_912.0; // 1.5 · 2²³: the unit in the last place is one

/// Leading coefficient of the minimax polynomial of degree seven of `sin(2πs)` on the quarter turn `abs(s) ≤ 1/4`,
/// `s LEADING (D[0] + D[1] s² + D[2] s⁴ + s⁶)`. A model stores its amplitudes times this number: with a leading
/// coefficient of one, the polynomial takes an operation less a feature.
pub const LEADING: f64 = -70.993_437_319_360_91;

/// The other coefficients over [`LEADING`], found by the Remez exchange and rounded so that the error in `f32` is least.
const D: [f32; 3] = [-0.088_503_45, 0.582_267_1, -1.145_750_3];

/// `cos(2πt) / LEADING`: the cosine of an angle in turns, scaled.
///
/// Largest error 7.2e-7 after multiplication with [`LEADING`] for `abs(t) ≤ 1/2`; beyond that the distance to the
/// nearest whole number is exact in `f32`, so that only the rounding of `t` itself matters. Valid up to 2²² turns.
///
/// ```
/// use srfm_runtime::kernel::cosine_f32::{LEADING, scaled_cos_turns};
/// let cos_turns = |t| LEADING * f64::from(scaled_cos_turns(t));
/// assert!((cos_turns(0.0) - 1.0).abs() < 1e-6);
/// assert!((cos_turns(1000.25)).abs() < 1e-6);
/// ```
#[inline(always)]
pub fn scaled_cos_turns(t: f32) -> f32 {
    let r = t - ((t + ROUND) - ROUND); // -1/2 ..= 1/2
    let s = 0.25 - r.abs(); // cos(2πr) = sin(2π(1/4 - |r|))
    let u = s * s;
    s * (D[0] + u * (D[1] + u * (D[2] + u)))
}

/// Inputs in a buffer of fixed size: masking an index to it replaces a check that could fail.
pub(crate) type Buffer = [f32; BUFFERED];

/// One input per feature, one output.
///
/// Written out, like [`order_2`]: at `opt-level = "s"` a loop over the inputs would stay a loop.
#[inline]
fn order_1(records: &[f32], indices: &[u8], z: &Buffer, mut y: f32) -> f32 {
    for ([phase, weight, amplitude], &index) in records.as_chunks().0.iter().zip(indices) {
        y += amplitude * scaled_cos_turns(phase + weight * z[usize::from(index) % BUFFERED]);
    }
    y
}

/// Two inputs per feature, one output. Both indices of a feature come in one load, which leaves their masks for free.
#[inline]
fn order_2(records: &[f32], indices: &[u16], z: &Buffer, mut y: f32) -> f32 {
    for ([phase, weight_0, weight_1, amplitude], &pair) in records.as_chunks().0.iter().zip(indices) {
        let (z_0, z_1) = (z[usize::from(pair) % BUFFERED], z[usize::from(pair >> 8) % BUFFERED]);
        y += amplitude * scaled_cos_turns(phase + weight_0 * z_0 + weight_1 * z_1);
    }
    y
}

/// Three inputs per feature, one output.
#[inline]
fn order_3(records: &[f32], indices: &[u8], z: &Buffer, mut y: f32) -> f32 {
    let supports = indices.as_chunks().0;
    for ([phase, weight_0, weight_1, weight_2, amplitude], support) in records.as_chunks().0.iter().zip(supports) {
        let [z_0, z_1, z_2] = support.map(|index: u8| z[usize::from(index) % BUFFERED]);
        y += amplitude * scaled_cos_turns(phase + weight_0 * z_0 + weight_1 * z_1 + weight_2 * z_2);
    }
    y
}

/// The sum over the features of a block for one output, added to `y`.
#[inline]
pub(crate) fn single(order: usize, records: &[f32], indices: &[u8], z: &Buffer, y: f32) -> f32 {
    match order {
        1 => order_1(records, indices, z, y),
        2 => order_2(records, bytemuck::try_cast_slice(indices).unwrap_or(&[]), z, y),
        3 => order_3(records, indices, z, y),
        _ => {
            let mut y = [y];
            general(order, records, indices, z, &mut y);
            let [y] = y;
            y
        }
    }
}

/// Adds the features of a block to the outputs: any number of inputs per feature and of outputs.
#[inline(never)]
pub(crate) fn general<I: Copy + Into<usize>>(
    order: usize,
    mut records: &[f32],
    mut indices: &[I],
    z: &[f32],
    y: &mut [f32],
) {
    let stride = 1 + order + y.len();
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
        let cosine = scaled_cos_turns(t);
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
