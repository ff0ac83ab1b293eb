//! Any number of inputs, outputs and inputs per feature. The order of the sums is that of `few`.

use bytemuck::must_cast_slice;

use super::{bias, fill, rolled};
use crate::format::{BUFFERED, Contents, Indices};
use crate::kernel::{Nonlinearity, Values};

/// Evaluates a model that prepares its inputs, of which there are at most [`BUFFERED`] then.
#[inline(never)]
pub(super) fn sum_prepared<N: Nonlinearity>(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    let mut z = [0.0; BUFFERED];
    fill::<N::Warps>(&mut z, model, x);
    add_all::<N, u8>(model, z.get(..model.prepared.len()).unwrap_or(&[]), y);
}

/// Evaluates a model that prepares no inputs.
#[inline(never)]
pub(super) fn sum<N: Nonlinearity, I: Index>(model: &Contents<'_>, x: &[f32], y: &mut [f32]) {
    add_all::<N, I>(model, x, y);
}

/// The type of an index.
pub(super) trait Index: Copy + Into<usize> {
    /// The list of indices; empty where they are of another type.
    fn list<'a>(indices: Indices<'a>) -> &'a [Self];
}

impl Index for u8 {
    fn list<'a>(indices: Indices<'a>) -> &'a [u8] {
        indices.narrow()
    }
}

impl Index for u16 {
    fn list<'a>(indices: Indices<'a>) -> &'a [u16] {
        if let Indices::Wide(wide) = indices { wide } else { &[] }
    }
}

/// Intercepts, linear terms and features, in this order; `z` are the inputs as features see them.
#[inline(never)]
fn add_all<N: Nonlinearity, I: Index>(model: &Contents<'_>, z: &[f32], y: &mut [f32]) {
    let Contents { intercepts, linear, blocks, .. } = model;
    for (y, &intercept) in y.iter_mut().zip(must_cast_slice::<u32, f32>(intercepts)) {
        rolled();
        *y = intercept;
    }
    // No length here is zero, but a check that could panic would stay.
    for (weights, &index) in
        must_cast_slice::<u32, f32>(linear.weights).chunks_exact(y.len().max(1)).zip(I::list(linear.inputs))
    {
        let Some(z) = z.get(index.into()) else { return };
        for (y, weight) in y.iter_mut().zip(weights) {
            rolled();
            *y += weight * z;
        }
    }
    for block in *blocks {
        let (order, records) = (block.order.into(), must_cast_slice(block.records));
        match block.indices {
            Indices::All { .. } => dense::<N>(order, records, z, y),
            indices => sparse::<N, I>(order, records, I::list(indices), z, y),
        }
    }
}

/// Features with a list of `order` inputs each.
#[inline(never)]
fn sparse<N: Nonlinearity, I: Index>(order: usize, records: &[f32], indices: &[I], z: &[f32], y: &mut [f32]) {
    let records = records.chunks_exact(N::KERNEL.words(order, y.len()).max(1));
    for (record, support) in records.zip(indices.chunks_exact(order.max(1))) {
        let Some((mut t, record)) = bias::<N>(record) else { return };
        let Some((weights, amplitudes)) = record.split_at_checked(order) else { return };
        for (weight, &index) in weights.iter().zip(support) {
            let Some(z) = z.get(index.into()) else { return };
            t += weight * z;
        }
        add(N::values(t), y, amplitudes);
    }
}

/// Features that look at all inputs.
#[inline(never)]
fn dense<N: Nonlinearity>(order: usize, records: &[f32], z: &[f32], y: &mut [f32]) {
    for record in records.chunks_exact(N::KERNEL.words(order, y.len()).max(1)) {
        let Some((mut t, record)) = bias::<N>(record) else { return };
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
        add(N::values(t), y, amplitudes);
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
