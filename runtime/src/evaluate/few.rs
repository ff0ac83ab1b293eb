//! Few inputs, outputs and inputs per feature: the case to be fast in. The outputs stay in registers.

use bytemuck::must_cast_slice;

use super::{Buffer, bias, fill, input, rolled};
use crate::format::{BUFFERED, Contents};
use crate::kernel::{Nonlinearity, Values};

/// Evaluates a model of `O` outputs and at most [`BUFFERED`] inputs.
#[inline(never)]
pub(super) fn sum<N: Nonlinearity, const O: usize>(model: &Contents<'_>, x: &[f32], outputs: &mut [f32; O]) {
    let mut z = [input(x, 0); BUFFERED];
    fill::<N::Warps>(&mut z, model, x);
    let &Contents { intercepts, linear, mut blocks, .. } = model;
    let mut y = must_cast_slice::<u32, f32>(intercepts).first_chunk::<O>().copied().unwrap_or([0.0; O]);
    for (weights, &index) in
        must_cast_slice::<u32, f32>(linear.weights).as_chunks::<O>().0.iter().zip(linear.inputs.narrow())
    {
        rolled();
        let z = z[usize::from(index) % BUFFERED];
        for (y, weight) in y.iter_mut().zip(weights) {
            *y += weight * z;
        }
    }
    while let Some((order, features)) = blocks.next_head() {
        let q = usize::from(order);
        let records = blocks.words(N::KERNEL.words(q, O).wrapping_mul(features)).unwrap_or_default();
        let (records, indices) = (must_cast_slice(records), blocks.bytes(q.wrapping_mul(features)).unwrap_or_default());
        match order {
            1 => order_1::<N, O>(records, indices, &z, &mut y),
            2 => order_2::<N, O>(records, indices, &z, &mut y),
            _ => order_3::<N, O>(records, indices, &z, &mut y),
        }
    }
    *outputs = y;
}

/// One input per feature.
///
/// Written out, like [`order_2`]: at `opt-level = "s"` a loop over the inputs would stay a loop.
#[inline(always)]
fn order_1<N: Nonlinearity, const O: usize>(records: &[f32], indices: &[u8], z: &Buffer, y: &mut [f32; O]) {
    for (record, &index) in records.chunks_exact(N::KERNEL.words(1, O)).zip(indices) {
        rolled();
        let Some((bias, record)) = bias::<N>(record) else { return };
        let Some((&[weight], amplitudes)) = record.split_first_chunk() else { return };
        add(N::values(bias + weight * z[usize::from(index) % BUFFERED]), y, amplitudes);
    }
}

/// Two inputs per feature. Both indices of a feature come in one load, which leaves their masks for free.
#[inline(always)]
fn order_2<N: Nonlinearity, const O: usize>(records: &[f32], indices: &[u8], z: &Buffer, y: &mut [f32; O]) {
    for (record, &pair) in records.chunks_exact(N::KERNEL.words(2, O)).zip(indices.as_chunks().0) {
        rolled_unless_worth_it::<N, O>();
        let Some((bias, record)) = bias::<N>(record) else { return };
        let Some((&[weight_0, weight_1], amplitudes)) = record.split_first_chunk() else { return };
        let pair = u16::from_le_bytes(pair);
        let (z_0, z_1) = (z[usize::from(pair) % BUFFERED], z[usize::from(pair >> 8) % BUFFERED]);
        add(N::values(bias + weight_0 * z_0 + weight_1 * z_1), y, amplitudes);
    }
}

/// Three inputs per feature.
#[inline(always)]
fn order_3<N: Nonlinearity, const O: usize>(records: &[f32], indices: &[u8], z: &Buffer, y: &mut [f32; O]) {
    for (record, support) in records.chunks_exact(N::KERNEL.words(3, O)).zip(indices.as_chunks().0) {
        rolled_unless_worth_it::<N, O>();
        let Some((bias, record)) = bias::<N>(record) else { return };
        let Some((&[weight_0, weight_1, weight_2], amplitudes)) = record.split_first_chunk() else { return };
        let [z_0, z_1, z_2] = support.map(|index: u8| z[usize::from(index) % BUFFERED]);
        add(N::values(bias + weight_0 * z_0 + weight_1 * z_1 + weight_2 * z_2), y, amplitudes);
    }
}

/// [`rolled`], but for one output of a kernel that gains by more.
#[inline(always)]
fn rolled_unless_worth_it<N: Nonlinearity, const O: usize>() {
    if O > 1 || !N::UNROLLED {
        rolled();
    }
}

/// Adds a feature to every output.
#[inline(always)]
fn add<V: Values>(values: V, y: &mut [f32], amplitudes: &[f32]) {
    for (y, amplitudes) in y.iter_mut().zip(V::by_output(amplitudes)) {
        *y = values.add_to(*y, amplitudes);
    }
}
