//! The inputs of features: readings as they are, prepared, or warped.

use super::loops::rolled;
use crate::format::{BUFFERED, Contents, Indices, MISSING, Preparation, Prepared, REPLACED};
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
    /// Returns the count of input `index` before any replacement, limit or warp; zero where there is no such input,
    /// which parsing has ruled out.
    #[inline]
    pub fn count(self, index: usize) -> i16 {
        match self {
            Inputs::Ready(z) | Inputs::Counts(z, _) => z.get(index).copied().unwrap_or(0),
            Inputs::Readings(x, preparation) => count(x, preparation, index),
        }
    }

    /// Returns input `index`; zero where there is none, which parsing has ruled out.
    #[inline]
    pub fn get<W: Warps>(self, index: usize) -> i16 {
        let count = self.count(index);
        let (Inputs::Counts(_, preparation) | Inputs::Readings(_, preparation)) = self else { return count };
        preparation.inputs.get(index).map_or(count, |prepared| special::<W>(preparation, index, prepared, count))
    }

    /// Returns whether the outputs depend on an input that is missing and that nothing replaces.
    #[inline(never)]
    pub fn lack(self, model: &Contents<'_>) -> bool {
        (0..usize::from(model.view)).any(|index| {
            rolled();
            self.is_missing(index) && depends_on(model, index)
        })
    }

    /// Returns whether input `index` is missing.
    #[inline]
    fn is_missing(self, index: usize) -> bool {
        match self {
            Inputs::Ready(z) | Inputs::Counts(z, _) => z.get(index) == Some(&MISSING),
            Inputs::Readings(x, preparation) => {
                let prepared = preparation.inputs.get(index);
                x.get(prepared.map_or(index, |prepared| prepared.input.into())).is_some_and(|x| x.is_nan())
            }
        }
    }
}

/// Returns whether the outputs depend on input `index` and nothing replaces it where it is missing.
#[cold]
#[inline(never)]
fn depends_on(model: &Contents<'_>, index: usize) -> bool {
    let is_replaced = |prepared: &Prepared| prepared.warp & REPLACED != 0;
    !model.preparation.inputs.get(index).is_some_and(is_replaced) && is_used(model, index)
}

/// Returns whether a linear term or a feature of a kernel refers to input `index`.
pub(crate) fn is_used(model: &Contents<'_>, index: usize) -> bool {
    let refers = |other: u16| usize::from(other) == index;
    let is_in = |indices: Indices<'_>| match indices {
        Indices::All { features, inputs } => features > 0 && index < inputs.into(),
        listed => listed.iter().any(refers),
    };
    model.linear.inputs.iter().any(refers) || model.blocks().any(|block| is_in(block.indices))
}

/// Returns the count of a reading: of prepared input `index`, or of reading `index` where none is prepared. Zero where
/// there is no such input.
#[inline]
fn count(x: &[f32], preparation: &Preparation<'_>, index: usize) -> i16 {
    let plain = Prepared { centre: 0.0, input: index as u16, warp: 0, exponent: 0 };
    let prepared = if preparation.inputs.is_empty() { Some(&plain) } else { preparation.inputs.get(index) };
    let Some(prepared) = prepared else { return 0 };
    let Some(&x) = x.get(usize::from(prepared.input)) else { return 0 };
    quantised(prepared, x)
}

/// Replaces, limits and warps a count.
#[inline(always)]
fn special<W: Warps>(preparation: &Preparation<'_>, index: usize, prepared: &Prepared, count: i16) -> i16 {
    if !W::ANY {
        return count;
    }
    let count = preparation.replaced_count(index, prepared, count);
    W::count(prepared.warp_number(), preparation.bounded_count(index, prepared, count))
}

/// Returns the integer nearest to `2^exponent (x - centre)`; of two equally near ones, the even one. Beyond ±32767 the
/// result is the last integer there. NaN gives [`MISSING`].
fn quantised(prepared: &Prepared, x: f32) -> i16 {
    const ROUND: f32 = 12_582_912.0; // 1.5 · 2²³: the unit in the last place is one
    let factor = f32::from_bits(((i32::from(prepared.exponent) + 127) as u32) << 23);
    if x.is_nan() {
        return MISSING;
    }
    let scaled = ((x - prepared.centre) * factor).clamp(-65536.0, 65536.0);
    (((scaled + ROUND) - ROUND) as i16).max(-i16::MAX)
}

/// Turns readings into the inputs of an integer model, before any limit or warp. Returns whether one is missing.
pub(crate) fn prepare(x: &[f32], preparation: &Preparation<'_>, z: &mut [i16]) -> bool {
    let mut missing = Missing::default();
    for (i, z) in z.iter_mut().enumerate() {
        *z = count(x, preparation, i);
        missing.note(*z);
    }
    missing.any()
}

/// Whether any of the integers seen is [`MISSING`]: two instructions an integer and no branch.
#[derive(Clone, Copy, Default)]
struct Missing {
    /// Negative where one is: of all integers [`MISSING`] alone plus 32,767 is negative.
    sign: i32,
}

impl Missing {
    #[inline(always)]
    fn note(&mut self, z: i16) {
        self.sign |= i32::from(z) - (i32::from(MISSING) + 1);
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.sign < 0
    }
}

/// Copies at most [`BUFFERED`] inputs to a buffer of that size. Returns whether one is missing, too.
#[inline(always)]
pub(super) fn buffered(z: &[i16]) -> (IntegerBuffer, bool) {
    let mut buffer = [0; BUFFERED];
    let mut missing = Missing::default();
    // Two at a time; a call of `memcpy` would take longer.
    let ((pairs, _), (z_pairs, z_last)) = (buffer.as_chunks_mut::<2>(), z.as_chunks::<2>());
    for (pair, z) in pairs.iter_mut().zip(z_pairs) {
        rolled();
        *pair = *z;
        missing.note(z[0]);
        missing.note(z[1]);
    }
    if let (Some([z, _]), [last]) = (pairs.get_mut(z_pairs.len()), z_last) {
        *z = *last;
        missing.note(*last);
    }
    (buffer, missing.any())
}

/// Replaces, limits and warps the inputs of a small integer model in place. Returns whether a prediction can be made:
/// no input is missing that the outputs depend on. `missing` says whether any input is.
#[inline(always)]
pub(super) fn complete<W: Warps>(model: &Contents<'_>, z: &mut IntegerBuffer, missing: bool) -> bool {
    if missing && Inputs::Ready(&z[..]).lack(model) {
        return false;
    }
    if W::ANY && model.preparation.special {
        complete_special::<W>(&model.preparation, z);
    }
    true
}

#[inline(never)]
fn complete_special<W: Warps>(preparation: &Preparation<'_>, z: &mut IntegerBuffer) {
    for (i, (z, prepared)) in z.iter_mut().zip(preparation.inputs).enumerate() {
        *z = special::<W>(preparation, i, prepared, *z);
    }
}
