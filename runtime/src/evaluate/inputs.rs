//! The inputs of features: readings as they are, prepared, or warped.

use super::loops::rolled;
use crate::format::{BUFFERED, Contents, Preparation, Prepared};
use crate::warp::Warps;

/// Inputs in a buffer of fixed size: masking an index to it replaces a check that could fail.
pub(super) type Buffer = [f32; BUFFERED];

/// Inputs of an integer model in a buffer of fixed size.
pub(super) type IntegerBuffer = [i16; BUFFERED];

/// Returns the input of a feature. Parsing has checked every index, so that the default, which spares a panic, is never
/// taken.
#[inline(always)]
pub(super) fn input(z: &[f32], index: usize) -> f32 {
    z.get(index).copied().unwrap_or(0.0)
}

/// Fills the front of a buffer with the inputs of features: prepared, or the readings themselves.
#[inline(always)]
pub(super) fn fill<W: Warps>(buffer: &mut Buffer, model: &Contents<'_>, x: &[f32]) {
    if model.preparation.inputs.is_empty() {
        let ((groups, _), (x, last)) = (buffer.as_chunks_mut::<4>(), x.as_chunks::<4>());
        for (z, x) in groups.iter_mut().zip(x) {
            rolled();
            *z = *x;
        }
        if let Some(z) = groups.get_mut(x.len()) {
            for (z, x) in z.iter_mut().zip(last) {
                rolled();
                *z = *x;
            }
        }
    } else if W::ANY && model.preparation.special {
        return fill_special::<W>(buffer, &model.preparation, x);
    }
    for (z, prepared) in buffer.iter_mut().zip(model.preparation.inputs) {
        rolled();
        *z = input(x, prepared.input.into()) - prepared.centre;
    }
}

/// [`fill`] for a model that warps, limits or replaces readings.
#[inline(never)]
fn fill_special<W: Warps>(buffer: &mut Buffer, preparation: &Preparation<'_>, x: &[f32]) {
    for (i, (z, prepared)) in buffer.iter_mut().zip(preparation.inputs).enumerate() {
        let x = preparation.bounded(i, prepared, input(x, prepared.input.into()));
        *z = W::reading(prepared.warp_number(), x) - prepared.centre;
    }
}

/// The source of the inputs of an integer model.
#[derive(Clone, Copy)]
pub(super) enum Inputs<'a> {
    /// The caller gives the inputs of features.
    Ready(&'a [i16]),
    /// The caller gives counts, which are limited and warped whenever they are needed.
    Counts(&'a [i16], &'a Preparation<'a>),
    /// The caller gives readings, which are prepared, limited and warped whenever they are needed.
    Readings(&'a [f32], &'a Preparation<'a>),
}

impl Inputs<'_> {
    /// Returns input `index`; zero where there is none, which parsing has ruled out.
    #[inline]
    pub fn get<W: Warps>(self, index: usize) -> i16 {
        let (count, preparation) = match self {
            Inputs::Ready(z) => return z.get(index).copied().unwrap_or(0),
            Inputs::Counts(z, preparation) => (z.get(index).copied().unwrap_or(0), preparation),
            Inputs::Readings(x, preparation) => (count(x, preparation, index), preparation),
        };
        preparation.inputs.get(index).map_or(count, |prepared| special::<W>(preparation, index, prepared, count))
    }
}

/// Returns the count of a reading: of prepared input `index`, or of reading `index` where none is prepared. Zero where
/// there is no such input.
#[inline]
fn count(x: &[f32], preparation: &Preparation<'_>, index: usize) -> i16 {
    let plain = Prepared { centre: 0.0, input: index as u16, warp: 0, exponent: 0 };
    let prepared = if preparation.inputs.is_empty() { Some(&plain) } else { preparation.inputs.get(index) };
    let Some(prepared) = prepared else { return 0 };
    let Some(&x) = x.get(usize::from(prepared.input)) else { return 0 };
    quantised(prepared, preparation.replaced(index, prepared, x))
}

/// Limits and warps a count.
#[inline(always)]
fn special<W: Warps>(preparation: &Preparation<'_>, index: usize, prepared: &Prepared, count: i16) -> i16 {
    if !W::ANY {
        return count;
    }
    W::count(prepared.warp_number(), preparation.bounded_count(index, prepared, count))
}

/// Returns the integer nearest to `2^exponent (x - centre)`; of two equally near ones, the even one. Beyond 16 bits the
/// result is the last integer there. NaN gives 0.
fn quantised(prepared: &Prepared, x: f32) -> i16 {
    const ROUND: f32 = 12_582_912.0; // 1.5 · 2²³: the unit in the last place is one
    let factor = f32::from_bits(((i32::from(prepared.exponent) + 127) as u32) << 23);
    let scaled = ((x - prepared.centre) * factor).clamp(-65536.0, 65536.0);
    ((scaled + ROUND) - ROUND) as i16
}

/// Turns readings into the inputs of an integer model, before any limit or warp.
pub(crate) fn prepare(x: &[f32], preparation: &Preparation<'_>, z: &mut [i16]) {
    for (i, z) in z.iter_mut().enumerate() {
        *z = count(x, preparation, i);
    }
}

/// Copies at most [`BUFFERED`] inputs to a buffer of that size.
#[inline(always)]
pub(super) fn buffered(z: &[i16]) -> IntegerBuffer {
    let mut buffer = [0; BUFFERED];
    // Two at a time; a call of `memcpy` would take longer.
    let ((pairs, _), (z_pairs, z_last)) = (buffer.as_chunks_mut::<2>(), z.as_chunks::<2>());
    for (pair, z) in pairs.iter_mut().zip(z_pairs) {
        rolled();
        *pair = *z;
    }
    if let (Some([z, _]), [last]) = (pairs.get_mut(z_pairs.len()), z_last) {
        *z = *last;
    }
    buffer
}

/// Limits and warps the inputs of an integer model in place.
#[inline(always)]
pub(super) fn warp<W: Warps>(model: &Contents<'_>, z: &mut IntegerBuffer) {
    if W::ANY && model.preparation.special {
        warp_all::<W>(&model.preparation, z);
    }
}

#[inline(never)]
fn warp_all<W: Warps>(preparation: &Preparation<'_>, z: &mut IntegerBuffer) {
    for (i, (z, prepared)) in z.iter_mut().zip(preparation.inputs).enumerate() {
        *z = special::<W>(preparation, i, prepared, *z);
    }
}
