//! Integer models. Sums of phases and of features wrap around, which the former shall and the latter do not: see
//! [`kernel::ONE`](crate::kernel::ONE).

use bytemuck::{must_cast_slice, must_cast_slice_mut};

use super::rolled;
use crate::format::{BUFFERED, Contents, Indices, Number, Prepared, Shifts, packed_index};
use crate::kernel::{IntegerValues, Nonlinearity, Warps};

/// Inputs in a buffer of fixed size: masking an index to it replaces a check that could fail.
pub(crate) type Buffer = [i16; BUFFERED];

/// Where the inputs of features come from.
#[derive(Clone, Copy)]
pub(crate) enum Inputs<'a> {
    /// From the caller, as features see them.
    Ready(&'a [i16]),
    /// From the caller, warped whenever they are needed.
    Counts(&'a [i16], &'a [Prepared]),
    /// From readings, prepared and warped whenever they are needed.
    Readings(&'a [f32], &'a [Prepared]),
}

impl Inputs<'_> {
    /// Input `index`; zero where there is none, which parsing has ruled out.
    #[inline]
    pub(crate) fn get<W: Warps>(self, index: usize) -> i16 {
        let (x, prepared) = match self {
            Inputs::Ready(z) => return z.get(index).copied().unwrap_or(0),
            Inputs::Counts(z, prepared) => {
                let (Some(&z), Some(prepared)) = (z.get(index), prepared.get(index)) else { return 0 };
                return W::count(prepared.warp, z);
            }
            Inputs::Readings(x, prepared) => (x, prepared),
        };
        let plain = Prepared { centre: 0.0, input: index as u16, warp: 0, exponent: 0 };
        let prepared = if prepared.is_empty() { Some(&plain) } else { prepared.get(index) };
        let Some(prepared) = prepared else { return 0 };
        x.get(usize::from(prepared.input)).map_or(0, |&x| W::count(prepared.warp, prepared.quantised(x)))
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

/// An output with its linear terms, which nothing bounds: what does not fit 32 bits is the last number there.
#[inline(always)]
pub(super) fn with_linear(y: i32, linear: i64, shifts: Shifts) -> i32 {
    let total = linear.wrapping_shr(shifts.linear.into()) + i64::from(y);
    total.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// Any number of inputs, outputs and inputs per feature. The order of sums does not matter.
#[inline(never)]
pub(crate) fn general<N: Nonlinearity>(model: &Contents<'_>, z: Inputs<'_>, y: &mut [i32]) {
    y.fill(0);
    let number = model.header.number;
    for block in model.blocks {
        let order = usize::from(block.order);
        let weight_words = number.weight_words(order);
        let stride = weight_words + number.other_words(N::KERNEL, y.len());
        let mut first = 0;
        for record in block.records.chunks_exact(stride.max(1)) {
            rolled();
            let Some((weights, words)) = record.split_at_checked(weight_words) else { return };
            let sum = sum::<N::Warps>(number, weights, &block.indices, first, order, z);
            first += order;
            let bias = if N::KERNEL.biased() { words.first().copied().unwrap_or(0) } else { 0 };
            let t = bias.wrapping_add(sum.wrapping_shl(model.shifts.weights.into()) as u32);
            N::integers(t, model.shifts.argument).add_to_all(y, words);
        }
    }
    let (outputs, weights): (_, &[i32]) = (y.len(), must_cast_slice(model.linear.weights));
    for (output, (y, &intercept)) in y.iter_mut().zip(model.intercepts).enumerate() {
        rolled();
        *y = y.wrapping_add(intercept as i32);
        let mut linear = 0_i64;
        for term in 0..usize::from(model.header.linear) {
            let index = model.linear.inputs.get(term).unwrap_or(0);
            let weight = weights.get(term * outputs + output).copied().unwrap_or(0);
            linear = linear.wrapping_add(i64::from(weight) * i64::from(z.get::<N::Warps>(index.into())));
        }
        *y = with_linear(*y, linear, model.shifts);
    }
}

/// `Σ w z` of a feature whose `order` indices begin at `first`, modulo 2³².
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
        // The case to be fast in: no list, nothing to prepare.
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

/// The integers behind outputs, as many.
pub(crate) fn behind(y: &mut [f32]) -> &mut [i32] {
    must_cast_slice_mut(y)
}
