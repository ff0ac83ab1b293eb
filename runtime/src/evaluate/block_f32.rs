//! A block of features in floating point, with any number of inputs, outputs and inputs per feature.

use bytemuck::must_cast_slice;

use super::loops::{bias, rolled};
use crate::format::{Block, Indices};
use crate::kernel::{KernelEvaluator, Values};

/// The type of an index.
pub(super) trait Index: Copy + Into<usize> {
    /// Returns the list of indices; empty where they are of another type.
    fn list<'a>(indices: Indices<'a>) -> &'a [Self];
}

impl Index for u8 {
    fn list<'a>(indices: Indices<'a>) -> &'a [u8] {
        indices.narrow()
    }
}

impl Index for u16 {
    fn list<'a>(indices: Indices<'a>) -> &'a [u16] {
        indices.wide()
    }
}

/// Adds the features of a block to the outputs; `z` are the inputs of features.
#[inline(always)]
pub(super) fn add_block<E: KernelEvaluator, I: Index>(block: &Block<'_>, z: &[f32], y: &mut [f32]) {
    let (order, records) = (block.order.into(), must_cast_slice(block.records));
    match block.indices {
        Indices::All { .. } => dense::<E>(order, records, z, y),
        indices => sparse::<E, I>(order, records, I::list(indices), z, y),
    }
}

/// Adds features with a list of `order` inputs each.
#[inline(never)]
fn sparse<E: KernelEvaluator, I: Index>(order: usize, records: &[f32], indices: &[I], z: &[f32], y: &mut [f32]) {
    let records = records.chunks_exact(E::KERNEL.words(order, y.len()).max(1));
    for (record, support) in records.zip(indices.chunks_exact(order.max(1))) {
        let Some((mut t, record)) = bias::<E>(record) else { return };
        let Some((weights, amplitudes)) = record.split_at_checked(order) else { return };
        for (weight, &index) in weights.iter().zip(support) {
            let Some(z) = z.get(index.into()) else { return };
            t += weight * z;
        }
        add(E::values(t), y, amplitudes);
    }
}

/// Adds features that look at all inputs.
#[inline(never)]
fn dense<E: KernelEvaluator>(order: usize, records: &[f32], z: &[f32], y: &mut [f32]) {
    for record in records.chunks_exact(E::KERNEL.words(order, y.len()).max(1)) {
        let Some((mut t, record)) = bias::<E>(record) else { return };
        let Some((weights, amplitudes)) = record.split_at_checked(order) else { return };
        let ((fours, weights), (z_fours, z)) = (weights.as_chunks::<4>(), z.as_chunks::<4>());
        for (weights, z) in fours.iter().zip(z_fours) {
            rolled();
            for (weight, z) in weights.iter().zip(z) {
                t += weight * z;
            }
        }
        for (weight, z) in weights.iter().zip(z) {
            rolled();
            t += weight * z;
        }
        add(E::values(t), y, amplitudes);
    }
}

/// Adds a feature to every output, two at a time.
#[inline(always)]
fn add<V: Values>(values: V, y: &mut [f32], amplitudes: &[f32]) {
    let ((pairs, last), (of_pairs, of_last)) = (y.as_chunks_mut::<2>(), V::by_output(amplitudes).as_chunks::<2>());
    for ([y_0, y_1], [of_0, of_1]) in pairs.iter_mut().zip(of_pairs) {
        rolled();
        *y_0 = values.add_to(*y_0, of_0);
        *y_1 = values.add_to(*y_1, of_1);
    }
    if let ([y], [of_y]) = (last, of_last) {
        *y = values.add_to(*y, of_y);
    }
}
