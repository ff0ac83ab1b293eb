//! Small models in floating point: at most 16 inputs, 4 outputs and 3 inputs per feature. The outputs stay in
//! registers.

use bytemuck::must_cast_slice;

use super::inputs::{Buffer, fill, input};
use super::limits::{limited, limits};
use super::loops::{bias, rolled};
use crate::format::{BUFFERED, Contents};
use crate::kernel::{KernelEvaluator, Values};

/// Evaluates a model of `O` outputs and at most [`BUFFERED`] inputs.
#[inline(never)]
pub(super) fn evaluate<E: KernelEvaluator, const O: usize>(model: &Contents<'_>, x: &[f32], outputs: &mut [f32; O]) {
    let mut z = [input(x, 0); BUFFERED];
    fill::<E::Warps>(&mut z, model, x);
    let &Contents { intercepts, linear, mut blocks, .. } = model;
    let mut y = must_cast_slice::<u32, f32>(intercepts).first_chunk::<O>().copied().unwrap_or([0.0; O]);
    if model.header.linear > 0 {
        let weights = must_cast_slice::<u32, f32>(linear.weights).as_chunks::<O>().0;
        for (weights, &index) in weights.iter().zip(linear.inputs.narrow()) {
            rolled();
            let z = z[usize::from(index) % BUFFERED];
            for (y, weight) in y.iter_mut().zip(weights) {
                *y += weight * z;
            }
        }
    }
    while let Some((order, features)) = blocks.head() {
        let q = usize::from(order);
        let records = blocks.words(E::KERNEL.words(q, O).wrapping_mul(features)).unwrap_or_default();
        let (records, indices) = (must_cast_slice(records), blocks.bytes(q.wrapping_mul(features)).unwrap_or_default());
        match order {
            1 => order_1::<E, O>(records, indices, &z, &mut y),
            2 => order_2::<E, O>(records, indices, &z, &mut y),
            _ => order_3::<E, O>(records, indices, &z, &mut y),
        }
    }
    if let Some(limits) = limits(model).first_chunk::<O>() {
        for (y, &limits) in y.iter_mut().zip(limits) {
            *y = limited(*y, limits, model, &z);
        }
    }
    *outputs = y;
}

/// Adds features of one input.
///
/// The inputs are written out here and below: at `opt-level = "s"` a loop over them would stay a loop.
#[inline(always)]
fn order_1<E: KernelEvaluator, const O: usize>(records: &[f32], indices: &[u8], z: &Buffer, y: &mut [f32; O]) {
    for (record, &index) in records.chunks_exact(E::KERNEL.words(1, O)).zip(indices) {
        rolled();
        let Some((bias, record)) = bias::<E>(record) else { return };
        let Some((&[weight], amplitudes)) = record.split_first_chunk() else { return };
        add(E::values(bias + weight * z[usize::from(index) % BUFFERED]), y, amplitudes);
    }
}

/// Adds features of two inputs. Both indices of a feature come in one load, so that their masks take no instruction.
#[inline(always)]
fn order_2<E: KernelEvaluator, const O: usize>(records: &[f32], indices: &[u8], z: &Buffer, y: &mut [f32; O]) {
    for (record, &pair) in records.chunks_exact(E::KERNEL.words(2, O)).zip(indices.as_chunks().0) {
        rolled_unless_worth_it::<E, O>();
        let Some((bias, record)) = bias::<E>(record) else { return };
        let Some((&[weight_0, weight_1], amplitudes)) = record.split_first_chunk() else { return };
        let pair = u16::from_le_bytes(pair);
        let (z_0, z_1) = (z[usize::from(pair) % BUFFERED], z[usize::from(pair >> 8) % BUFFERED]);
        add(E::values(bias + weight_0 * z_0 + weight_1 * z_1), y, amplitudes);
    }
}

/// Adds features of three inputs.
#[inline(always)]
fn order_3<E: KernelEvaluator, const O: usize>(records: &[f32], indices: &[u8], z: &Buffer, y: &mut [f32; O]) {
    for (record, support) in records.chunks_exact(E::KERNEL.words(3, O)).zip(indices.as_chunks().0) {
        rolled_unless_worth_it::<E, O>();
        let Some((bias, record)) = bias::<E>(record) else { return };
        let Some((&[weight_0, weight_1, weight_2], amplitudes)) = record.split_first_chunk() else { return };
        let [z_0, z_1, z_2] = support.map(|index: u8| z[usize::from(index) % BUFFERED]);
        add(E::values(bias + weight_0 * z_0 + weight_1 * z_1 + weight_2 * z_2), y, amplitudes);
    }
}

/// [`rolled`], except for one output of a kernel that gains by unrolling.
#[inline(always)]
fn rolled_unless_worth_it<E: KernelEvaluator, const O: usize>() {
    if O > 1 || !E::UNROLLED {
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
