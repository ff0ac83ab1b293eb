//! One prediction: which loops take it.

mod few;
mod few_integers;
mod general;
mod integers;

use core::hint::black_box;

use integers::Inputs;

use crate::format::{BUFFERED, Contents, Prepared, wide};
use crate::kernel::{NoWarps, Nonlinearity, Warps};

/// Inputs in a buffer of fixed size: masking an index to it replaces a check that could fail.
type Buffer = [f32; BUFFERED];

/// Evaluates a model with kernel `N`: `x` holds a reading for every input, `y` receives a value for every output.
#[inline]
pub(crate) fn evaluate<N: Nonlinearity>(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    if model.few {
        if let Some(y) = y.as_mut_array() {
            return few::sum::<N, 1>(model, x, y);
        } else if let Some(y) = y.as_mut_array() {
            return few::sum::<N, 2>(model, x, y);
        } else if let Some(y) = y.as_mut_array() {
            return few::sum::<N, 3>(model, x, y);
        } else if let Some(y) = y.as_mut_array() {
            return few::sum::<N, 4>(model, x, y);
        }
    }
    if !model.prepared.is_empty() {
        general::sum_prepared::<N>(model, x, y);
    } else if wide(x.len()) {
        general::sum::<N, u16>(model, x, y);
    } else {
        general::sum::<N, u8>(model, x, y);
    }
}

/// Evaluates an integer model with kernel `N` on inputs as its features see them.
#[inline]
pub(crate) fn evaluate_integers<N: Nonlinearity>(model: &Contents<'_>, z: &[i16], y: &mut [i32]) {
    match y {
        [y] if model.few => {
            let mut z = buffered(z);
            warp::<N::Warps>(model, &mut z);
            *y = few_integers::sum::<N>(model, &z);
        }
        _ if N::Warps::ANY && model.warped => integers::general::<N>(model, Inputs::Counts(z, model.prepared), y),
        _ => integers::general::<N>(model, Inputs::Ready(z), y),
    }
}

/// Evaluates an integer model with kernel `N` on readings, and gives physical units.
///
/// Not inlined: a program with all kernels would reserve its stack for models in floating point, too.
#[inline(never)]
pub(crate) fn evaluate_readings<N: Nonlinearity>(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    match integers::behind(y) {
        [y] if model.few => {
            let mut z = [0; BUFFERED];
            prepare(x, model.prepared, &mut z);
            warp::<N::Warps>(model, &mut z);
            *y = few_integers::sum::<N>(model, &z);
        }
        y => integers::general::<N>(model, Inputs::Readings(x, model.prepared), y),
    }
    for (y, scale) in y.iter_mut().zip(model.scales) {
        *y = scale.offset + scale.step * (y.to_bits() as i32) as f32;
    }
}

/// At most [`BUFFERED`] inputs in a buffer of that size.
#[inline(always)]
fn buffered(z: &[i16]) -> integers::Buffer {
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

/// Turns readings into the inputs of an integer model, before any warp.
pub(crate) fn prepare(x: &[f32], prepared: &[Prepared], z: &mut [i16]) {
    for (i, z) in z.iter_mut().enumerate() {
        *z = Inputs::Readings(x, prepared).get::<NoWarps>(i);
    }
}

/// Warps the inputs of an integer model in place.
#[inline(always)]
fn warp<W: Warps>(model: &Contents<'_>, z: &mut integers::Buffer) {
    if W::ANY && model.warped {
        warp_all::<W>(model.prepared, z);
    }
}

#[inline(never)]
fn warp_all<W: Warps>(prepared: &[Prepared], z: &mut integers::Buffer) {
    for (z, prepared) in z.iter_mut().zip(prepared) {
        *z = W::count(prepared.warp, *z);
    }
}

/// Fills the front of a buffer with the inputs as features see them: prepared, or the readings themselves.
#[inline(always)]
fn fill<W: Warps>(buffer: &mut Buffer, model: &Contents<'_>, x: &[f32]) {
    if model.prepared.is_empty() {
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
    } else if W::ANY && model.warped {
        return fill_warped::<W>(buffer, model.prepared, x);
    }
    for (z, prepared) in buffer.iter_mut().zip(model.prepared) {
        rolled();
        *z = input(x, prepared.input.into()) - prepared.centre;
    }
}

/// [`fill`] for a model that warps inputs.
#[inline(never)]
fn fill_warped<W: Warps>(buffer: &mut Buffer, prepared: &[Prepared], x: &[f32]) {
    for (z, prepared) in buffer.iter_mut().zip(prepared) {
        *z = W::reading(prepared.warp, input(x, prepared.input.into())) - prepared.centre;
    }
}

/// The input of a feature. Parsing has checked every index, so the default is never taken: it only spares the panic.
#[inline(always)]
fn input(z: &[f32], index: usize) -> f32 {
    z.get(index).copied().unwrap_or(0.0)
}

/// Keeps the loop that it is in from being unrolled, which takes several times the flash; no instruction by itself.
#[inline(always)]
fn rolled() {
    black_box(());
}

/// Takes the bias off the front of a record; where records have none, a zero that leaves the sum after it as it is.
#[inline(always)]
fn bias<N: Nonlinearity>(record: &[f32]) -> Option<(f32, &[f32])> {
    if N::KERNEL.biased() {
        let (&bias, record) = record.split_first()?;
        Some((bias, record))
    } else {
        Some((-0.0, record))
    }
}
