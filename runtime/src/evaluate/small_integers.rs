//! Small integer models: one output, at most 16 inputs.

use bytemuck::must_cast_slice;

use super::general::with_linear;
use super::inputs::IntegerBuffer as Buffer;
use super::limits::{integer_limits, limited_integer};
use super::loops::rolled;
use crate::format::{ALL, BUFFERED, Contents, Cursor, Number, Shifts};
use crate::kernel::{IntegerValues, KernelEvaluator};

/// Whether loops over features take two at a time. Where a product of halves takes one instruction, the compiler would
/// work on both features at once, for which there are too few registers.
const IN_PAIRS: bool = !cfg!(target_abi = "eabihf");

/// Evaluates a model of one output and at most [`BUFFERED`] inputs.
#[inline(never)]
pub(super) fn evaluate<E: KernelEvaluator>(model: &Contents<'_>, z: &Buffer) -> i32 {
    let y = model.intercepts.first().copied().unwrap_or(0) as i32;
    let mut y = if model.header.number == Number::I16 { halves::<E>(model, z, y) } else { words::<E>(model, z, y) };
    let weights = must_cast_slice::<u32, i32>(model.linear.weights);
    if !weights.is_empty() {
        let mut linear = 0_i64;
        for (&weight, &index) in weights.iter().zip(model.linear.inputs.narrow()) {
            rolled();
            linear = linear.wrapping_add(i64::from(weight) * i64::from(z[usize::from(index) % BUFFERED]));
        }
        y = with_linear(y, linear, model.shifts);
    }
    integer_limits(model).first().map_or(y, |limits| limited_integer(y, limits))
}

/// Adds the features of a model with weights of 32 bits to `y`.
#[inline(always)]
fn words<E: KernelEvaluator>(model: &Contents<'_>, z: &Buffer, mut y: i32) -> i32 {
    let (mut blocks, shift) = (model.blocks, model.shifts.argument);
    while let Some((order, features)) = blocks.head() {
        let sum = match order {
            1 => blocks.records(features).map(|records| packed::<E, 2>(records, shift, z, y)),
            2 => blocks.records(features).map(|records| packed::<E, 3>(records, shift, z, y)),
            3 => blocks.records(features).map(|records| packed::<E, 4>(records, shift, z, y)),
            4 => blocks.records(features).map(|records| packed::<E, 5>(records, shift, z, y)),
            5 => blocks.records(features).map(|records| packed::<E, 6>(records, shift, z, y)),
            ALL => {
                let inputs = usize::from(model.view);
                let records = blocks.words((inputs + 1).wrapping_mul(features));
                records.map(|records| dense::<E>(records, inputs, shift, z, y))
            }
            _ => {
                let words = usize::from(order) + 1;
                blocks.words(words.wrapping_mul(features)).map(|records| any::<E>(records, words, shift, z, y))
            }
        };
        let Some(sum) = sum else { return y };
        y = sum;
    }
    y
}

/// Adds features of as many inputs as a record of `WORDS` words has weights. The number of an input is in the last bits
/// of its weight.
#[inline(never)]
fn packed<E: KernelEvaluator, const WORDS: usize>(records: &[[u32; WORDS]], shift: u8, z: &Buffer, mut y: i32) -> i32 {
    let (pairs, last) = if IN_PAIRS { records.as_chunks::<2>() } else { (&[][..], records) };
    for [first, second] in pairs {
        rolled();
        y = add_packed::<E, WORDS>(first, shift, z, y);
        rolled();
        y = add_packed::<E, WORDS>(second, shift, z, y);
    }
    for record in last {
        rolled();
        y = add_packed::<E, WORDS>(record, shift, z, y);
        if IN_PAIRS {
            break;
        }
    }
    y
}

/// Adds a feature whose weights hold the numbers of their inputs.
#[inline(always)]
fn add_packed<E: KernelEvaluator, const WORDS: usize>(record: &[u32; WORDS], shift: u8, z: &Buffer, y: i32) -> i32 {
    let word = record[WORDS - 1];
    let mut t = if E::KERNEL.has_bias() { word } else { 0 };
    for &weight in &record[..WORDS - 1] {
        t = t.wrapping_add(weight.wrapping_mul(i32::from(z[weight as usize % BUFFERED]) as u32));
    }
    E::integers(t, shift).add_to(y, word)
}

/// Adds features of any number of inputs, in records of `words` words.
#[inline(never)]
fn any<E: KernelEvaluator>(records: &[u32], words: usize, shift: u8, z: &Buffer, mut y: i32) -> i32 {
    for record in records.chunks_exact(words.max(1)) {
        let Some((&word, weights)) = record.split_last() else { return y };
        let mut t = if E::KERNEL.has_bias() { word } else { 0 };
        for &weight in weights {
            rolled();
            t = t.wrapping_add(weight.wrapping_mul(i32::from(z[weight as usize % BUFFERED]) as u32));
        }
        y = E::integers(t, shift).add_to(y, word);
    }
    y
}

/// Adds features that look at all inputs.
#[inline(never)]
fn dense<E: KernelEvaluator>(records: &[u32], inputs: usize, shift: u8, z: &Buffer, mut y: i32) -> i32 {
    let (z_pairs, z_last) = z.get(..inputs).unwrap_or(z).as_chunks::<2>();
    for record in records.chunks_exact((inputs + 1).max(1)) {
        let Some((&word, weights)) = record.split_last() else { return y };
        let (pairs, last) = weights.as_chunks::<2>();
        let mut t = if E::KERNEL.has_bias() { word } else { 0 };
        let mut add = |weight: u32, z: i16| t = t.wrapping_add(weight.wrapping_mul(i32::from(z) as u32));
        for (&[weight_0, weight_1], &[z_0, z_1]) in pairs.iter().zip(z_pairs) {
            rolled();
            add(weight_0, z_0);
            add(weight_1, z_1);
        }
        if let (&[weight], &[z]) = (last, z_last) {
            add(weight, z);
        }
        y = E::integers(t, shift).add_to(y, word);
    }
    y
}

/// Adds the features of a model with weights of 16 bits to `y`.
#[inline(never)]
fn halves<E: KernelEvaluator>(model: &Contents<'_>, z: &Buffer, mut y: i32) -> i32 {
    let (mut blocks, shifts) = (model.blocks, model.shifts);
    while let Some((order, features)) = blocks.head() {
        let sum = match order {
            1 => block_of_halves::<E, 1, 2>(&mut blocks, features, shifts, z, y),
            2 => block_of_halves::<E, 2, 2>(&mut blocks, features, shifts, z, y),
            3 => block_of_halves::<E, 3, 3>(&mut blocks, features, shifts, z, y),
            4 => block_of_halves::<E, 4, 3>(&mut blocks, features, shifts, z, y),
            5 => block_of_halves::<E, 5, 4>(&mut blocks, features, shifts, z, y),
            ALL => {
                let words = usize::from(model.view).div_ceil(2) + 1;
                blocks
                    .words(words.wrapping_mul(features))
                    .map(|records| dense_halves::<E>(records, words, shifts, z, y))
            }
            _ => {
                let inputs = usize::from(order);
                let records = blocks.words((inputs.div_ceil(2) + 1).wrapping_mul(features));
                let both = records.zip(blocks.bytes(inputs.wrapping_mul(features)));
                both.map(|(records, indices)| any_halves::<E>(records, indices, inputs, shifts, z, y))
            }
        };
        let Some(sum) = sum else { return y };
        y = sum;
    }
    y
}

/// Adds the features of a block of `Q` inputs each.
#[inline(always)]
fn block_of_halves<E: KernelEvaluator, const Q: usize, const WORDS: usize>(
    blocks: &mut Cursor<'_>,
    features: usize,
    shifts: Shifts,
    z: &Buffer,
    y: i32,
) -> Option<i32> {
    let (records, indices) = (blocks.records(features)?, blocks.bytes(Q * features)?);
    Some(listed::<E, Q, WORDS>(records, indices, shifts, z, y))
}

/// Adds features of `Q` inputs; a record has `WORDS` words.
#[inline(never)]
fn listed<E: KernelEvaluator, const Q: usize, const WORDS: usize>(
    records: &[[u32; WORDS]],
    indices: &[u8],
    shifts: Shifts,
    z: &Buffer,
    mut y: i32,
) -> i32 {
    for (record, support) in records.iter().zip(indices.as_chunks::<Q>().0) {
        rolled();
        let x: [i32; Q] = support.map(|index| z[usize::from(index) % BUFFERED].into());
        let mut sum = 0_i32;
        for (&weight, x) in must_cast_slice::<u32, i16>(record).iter().zip(x) {
            sum = sum.wrapping_add(i32::from(weight).wrapping_mul(x));
        }
        y = add_sum::<E>(sum, record[WORDS - 1], shifts, y);
    }
    y
}

/// Adds a feature with weights of 16 bits.
#[inline(always)]
fn add_sum<E: KernelEvaluator>(sum: i32, word: u32, shifts: Shifts, y: i32) -> i32 {
    let bias = if E::KERNEL.has_bias() { word } else { 0 };
    let t = bias.wrapping_add(sum.wrapping_shl(shifts.weights.into()) as u32);
    E::integers(t, shifts.argument).add_to(y, word)
}

/// Adds features of any number of inputs.
#[inline(never)]
fn any_halves<E: KernelEvaluator>(
    records: &[u32],
    indices: &[u8],
    inputs: usize,
    shifts: Shifts,
    z: &Buffer,
    mut y: i32,
) -> i32 {
    let records = records.chunks_exact(inputs.div_ceil(2) + 1);
    for (record, support) in records.zip(indices.chunks_exact(inputs.max(1))) {
        let Some((&word, weights)) = record.split_last() else { return y };
        let mut sum = 0_i32;
        for (&weight, &index) in must_cast_slice::<u32, i16>(weights).iter().zip(support) {
            rolled();
            sum = sum.wrapping_add(i32::from(weight).wrapping_mul(z[usize::from(index) % BUFFERED].into()));
        }
        y = add_sum::<E>(sum, word, shifts, y);
    }
    y
}

/// Adds features that look at all inputs, in records of `words` words. Zeros follow the last input and its weight.
#[inline(never)]
fn dense_halves<E: KernelEvaluator>(records: &[u32], words: usize, shifts: Shifts, z: &Buffer, mut y: i32) -> i32 {
    let z = z.as_chunks::<2>().0;
    for record in records.chunks_exact(words.max(1)) {
        let Some((&word, weights)) = record.split_last() else { return y };
        let mut sum = 0_i32;
        for (&[weight_0, weight_1], &[z_0, z_1]) in must_cast_slice::<u32, [i16; 2]>(weights).iter().zip(z) {
            rolled();
            sum = sum.wrapping_add(i32::from(weight_0).wrapping_mul(z_0.into()));
            sum = sum.wrapping_add(i32::from(weight_1).wrapping_mul(z_1.into()));
        }
        y = add_sum::<E>(sum, word, shifts, y);
    }
    y
}
