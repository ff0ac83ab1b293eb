//! A block of features of an integer model, with any number of inputs, outputs and inputs per feature.

use bytemuck::must_cast_slice;

use super::inputs::Inputs;
use super::loops::rolled;
use crate::format::{Block, Contents, Indices, Number, packed_index};
use crate::kernel::{IntegerValues, KernelEvaluator};
use crate::warp::Warps;

/// Adds the features of a block to the outputs. Sums wrap around at 32 bits: phases are meant to, and the writer leaves
/// room for the outputs.
#[inline(always)]
pub(super) fn add_block<E: KernelEvaluator>(model: &Contents<'_>, block: &Block<'_>, z: Inputs<'_>, y: &mut [i32]) {
    let (number, order) = (model.header.number, usize::from(block.order));
    let weight_words = number.weight_words(order);
    let stride = weight_words + number.other_words(E::KERNEL, y.len());
    let mut first = 0;
    for record in block.records.chunks_exact(stride.max(1)) {
        rolled();
        let Some((weights, words)) = record.split_at_checked(weight_words) else { return };
        let sum = sum::<E::Warps>(number, weights, &block.indices, first, order, z);
        first += order;
        let bias = if E::KERNEL.has_bias() { words.first().copied().unwrap_or(0) } else { 0 };
        let t = bias.wrapping_add(sum.wrapping_shl(model.shifts.weights.into()) as u32);
        E::integers(t, model.shifts.argument).add_to_all(y, words);
    }
}

/// Returns `Σ w z` of a feature whose `order` indices begin at `first`, modulo 2³².
#[inline(never)]
fn sum<W: Warps>(
    number: Number,
    weights: &[u32],
    indices: &Indices<'_>,
    first: usize,
    order: usize,
    z: Inputs<'_>,
) -> i32 {
    let halves: &[i16] = must_cast_slice(weights);
    let mut sum = 0_i32;
    match (number, indices, z) {
        // The cases to be fast in: no list, nothing to prepare.
        (Number::I16, Indices::All { .. }, Inputs::Ready(z)) => {
            for (&weight, &z) in halves.iter().zip(z) {
                rolled();
                sum = sum.wrapping_add(i32::from(weight) * i32::from(z));
            }
        }
        (_, Indices::All { .. }, Inputs::Ready(z)) => {
            for (&weight, &z) in weights.iter().zip(z) {
                rolled();
                sum = sum.wrapping_add((weight as i32).wrapping_mul(z.into()));
            }
        }
        _ => {
            for k in 0..order {
                let word = weights.get(k).copied().unwrap_or(0);
                let index = match indices {
                    Indices::Packed { .. } => packed_index(word).into(),
                    Indices::All { .. } => k,
                    listed => listed.get(first + k).unwrap_or(0).into(),
                };
                let weight = match number {
                    Number::I16 => halves.get(k).map_or(0, |&half| half.into()),
                    _ => word as i32,
                };
                sum = sum.wrapping_add(weight.wrapping_mul(z.get::<W>(index).into()));
            }
        }
    }
    sum
}
