//! Integer models. Sums of phases and of features wrap around, which the former shall and the latter do not: see
//! [`kernel::ONE`](crate::kernel::ONE).

use bytemuck::{must_cast_slice, must_cast_slice_mut};

use super::rolled;
use crate::format::{BUFFERED, Contents, Indices, Number, Prepared, Shifts, packed_index};
use crate::kernel::{IntegerValues, Nonlinearity};

/// Inputs in a buffer of fixed size: masking an index to it replaces a check that could fail.
pub(crate) type Buffer = [i16; BUFFERED];

/// Where the inputs of features come from.
pub(crate) trait Inputs: Copy {
    /// Input `index`; zero where there is none, which parsing has ruled out.
    fn get(self, index: usize) -> i32;
}

impl Inputs for &[i16] {
    #[inline(always)]
    fn get(self, index: usize) -> i32 {
        <[i16]>::get(self, index).map_or(0, |&z| z.into())
    }
}

/// Readings that are prepared whenever they are needed.
#[derive(Clone, Copy)]
pub(crate) struct Readings<'a> {
    pub x: &'a [f32],
    pub prepared: &'a [Prepared],
}

impl Inputs for Readings<'_> {
    #[inline]
    fn get(self, index: usize) -> i32 {
        let plain = Prepared { centre: 0.0, input: index as u16, warp: 0, exponent: 0 };
        let prepared = if self.prepared.is_empty() { Some(&plain) } else { self.prepared.get(index) };
        let Some(prepared) = prepared else { return 0 };
        self.x.get(usize::from(prepared.input)).map_or(0, |&x| prepared.quantised(x).into())
    }
}

impl Prepared {
    /// The nearest integer, of equally near ones the even one, to `2^exponent (x - centre)`. Beyond 16 bits it is the last
    /// one there, and 0 for what is not a number.
    pub(crate) fn quantised(&self, x: f32) -> i16 {
        const ROUND: f32 = 12_582_912.0; // 1.5 · 2²³: the unit in the last place is one
        let factor = f32::from_bits(((i32::from(self.exponent) + 127) as u32) << 23);
        let scaled = ((x - self.centre) * factor).clamp(-65536.0, 65536.0);
        ((scaled + ROUND) - ROUND) as i16
    }
}

/// Weights as a model stores them.
pub(crate) trait Weights {
    const NUMBER: Number;

    /// `bias + Σ w x` over the weights at the front of a record, modulo 2³².
    fn dot<const Q: usize>(bias: u32, record: &[u32], x: [i32; Q], shifts: Shifts) -> u32;

    /// The same for any number of inputs.
    fn sum(record: &[u32], x: impl Iterator<Item = i32>, order: usize, shifts: Shifts) -> Option<(u32, &[u32])>;
}

/// Weights of 32 bits.
pub(crate) struct Long;

impl Weights for Long {
    const NUMBER: Number = Number::I32;

    #[inline(always)]
    fn dot<const Q: usize>(bias: u32, record: &[u32], x: [i32; Q], _: Shifts) -> u32 {
        let mut sum = bias;
        for (weight, x) in record.iter().zip(x) {
            sum = sum.wrapping_add(weight.wrapping_mul(x as u32));
        }
        sum
    }

    #[inline(always)]
    fn sum(record: &[u32], x: impl Iterator<Item = i32>, order: usize, _: Shifts) -> Option<(u32, &[u32])> {
        let (weights, rest) = record.split_at_checked(order)?;
        let mut sum = 0_u32;
        for (weight, x) in weights.iter().zip(x) {
            rolled();
            sum = sum.wrapping_add(weight.wrapping_mul(x as u32));
        }
        Some((sum, rest))
    }
}

/// Weights of 16 bits, two a word.
pub(crate) struct Short;

impl Weights for Short {
    const NUMBER: Number = Number::I16;

    #[inline(always)]
    fn dot<const Q: usize>(bias: u32, record: &[u32], x: [i32; Q], shifts: Shifts) -> u32 {
        let weights: &[i16] = must_cast_slice(record);
        let mut sum = 0_i32;
        for (&weight, x) in weights.iter().zip(x) {
            sum = sum.wrapping_add(i32::from(weight).wrapping_mul(x));
        }
        bias.wrapping_add(sum.wrapping_shl(shifts.weights.into()) as u32)
    }

    #[inline(always)]
    fn sum(record: &[u32], x: impl Iterator<Item = i32>, order: usize, shifts: Shifts) -> Option<(u32, &[u32])> {
        let (words, rest) = record.split_at_checked(order.div_ceil(2))?;
        let mut sum = 0_i32;
        for (&weight, x) in must_cast_slice::<u32, i16>(words).iter().zip(x) {
            rolled();
            sum = sum.wrapping_add(i32::from(weight).wrapping_mul(x));
        }
        Some((sum.wrapping_shl(shifts.weights.into()) as u32, rest))
    }
}

/// One output, at most [`BUFFERED`] inputs and at most [`UNROLLED`](crate::format::UNROLLED) a feature: the case to be fast in.
#[inline(never)]
pub(crate) fn few<N: Nonlinearity, W: Weights>(model: &Contents<'_>, z: &Buffer) -> i32 {
    let (mut y, mut blocks) = (0, model.blocks);
    while let Some((order, records, indices)) = blocks.next_listed(W::NUMBER) {
        y = match (order, W::NUMBER) {
            (1, Number::I16) => listed::<N, 1, 2>(records, indices, model.shifts, z, y),
            (2, Number::I16) => listed::<N, 2, 2>(records, indices, model.shifts, z, y),
            (_, Number::I16) => listed::<N, 3, 3>(records, indices, model.shifts, z, y),
            (1, _) => packed::<N, 2>(records, model.shifts.argument, z, y),
            (2, _) => packed::<N, 3>(records, model.shifts.argument, z, y),
            _ => packed::<N, 4>(records, model.shifts.argument, z, y),
        };
    }
    let (intercept, weights) = (model.intercepts.first().copied().unwrap_or(0) as i32, model.linear.weights);
    if weights.is_empty() {
        return y.saturating_add(intercept);
    }
    let mut linear = 0_i64;
    for (&weight, &index) in must_cast_slice::<u32, i32>(weights).iter().zip(model.linear.inputs.narrow()) {
        rolled();
        linear = linear.wrapping_add(i64::from(weight) * i64::from(z[usize::from(index) % BUFFERED]));
    }
    total(linear, model.shifts, intercept, y)
}

/// A sum of linear terms, an intercept and a sum of features; what does not fit 32 bits is the last number there.
#[inline(always)]
fn total(linear: i64, shifts: Shifts, intercept: i32, features: i32) -> i32 {
    let total = linear.wrapping_shr(shifts.linear.into()) + i64::from(intercept) + i64::from(features);
    total.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// Adds the features of a block to `y`, each of as many inputs as a record of `WORDS` words has weights of 32 bits. The number
/// of an input is in the last bits of its weight.
#[inline(never)]
fn packed<N: Nonlinearity, const WORDS: usize>(records: &[u32], shift: u8, z: &Buffer, mut y: i32) -> i32 {
    for record in records.as_chunks::<WORDS>().0 {
        rolled();
        let (word, mut t) = (record[WORDS - 1], 0);
        if N::KERNEL.biased() {
            t = word;
        }
        for &weight in &record[..WORDS - 1] {
            t = t.wrapping_add(weight.wrapping_mul(i32::from(z[weight as usize % BUFFERED]) as u32));
        }
        y = N::integers(t, shift).add_to(y, word);
    }
    y
}

/// Adds the features of a block of order `Q` to `y`; a record has `WORDS` words.
#[inline(never)]
fn listed<N: Nonlinearity, const Q: usize, const WORDS: usize>(
    records: &[u32],
    indices: &[u8],
    shifts: Shifts,
    z: &Buffer,
    mut y: i32,
) -> i32 {
    for (record, support) in records.as_chunks::<WORDS>().0.iter().zip(indices.as_chunks::<Q>().0) {
        rolled();
        let x = support.map(|index| z[usize::from(index) % BUFFERED].into());
        let word = record[WORDS - 1];
        let bias = if N::KERNEL.biased() { word } else { 0 };
        y = N::integers(Short::dot(bias, record, x, shifts), shifts.argument).add_to(y, word);
    }
    y
}

/// Any number of inputs, outputs and inputs per feature. The order of sums does not matter.
#[inline(never)]
pub(crate) fn general<N: Nonlinearity, W: Weights>(model: &Contents<'_>, z: impl Inputs, y: &mut [i32]) {
    y.fill(0);
    for block in model.blocks {
        let order = usize::from(block.order);
        let stride = W::NUMBER.weight_words(order) + W::NUMBER.other_words(N::KERNEL, y.len());
        for (i, record) in block.records.chunks_exact(stride.max(1)).enumerate() {
            let support = (0..order).map(|k| match block.indices {
                Indices::Narrow(indices) => indices.get(i * order + k).map_or(0, |&index| index.into()),
                Indices::Wide(indices) => indices.get(i * order + k).map_or(0, |&index| index.into()),
                Indices::Packed { .. } => record.get(k).map_or(0, |&weight| packed_index(weight).into()),
                Indices::All { .. } => k,
            });
            let Some((sum, words)) = W::sum(record, support.map(|index| z.get(index)), order, model.shifts) else {
                return;
            };
            let bias = if N::KERNEL.biased() { words.first().copied().unwrap_or(0) } else { 0 };
            N::integers(sum.wrapping_add(bias), model.shifts.argument).add_to_all(y, words);
        }
    }
    let (outputs, weights): (_, &[i32]) = (y.len(), must_cast_slice(model.linear.weights));
    for (output, (y, &intercept)) in y.iter_mut().zip(model.intercepts).enumerate() {
        rolled();
        let mut linear = 0_i64;
        for (term, index) in model.linear.inputs.iter().enumerate() {
            let weight = weights.get(term * outputs + output).copied().unwrap_or(0);
            linear = linear.wrapping_add(i64::from(weight) * i64::from(z.get(index.into())));
        }
        *y = total(linear, model.shifts, intercept as i32, *y);
    }
}

/// The integers behind outputs, as many.
pub(crate) fn integers(y: &mut [f32]) -> &mut [i32] {
    must_cast_slice_mut(y)
}
