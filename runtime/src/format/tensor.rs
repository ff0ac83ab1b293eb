//! The entries of the tensors, and the packing of integers and indices into words.

use super::{BUFFERED, LIMITED, Number, REPLACED};

/// The meaning of an integer output: it stands for `offset + step * integer`.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Scale {
    /// Units of the output that one stands for.
    pub step: f32,
    /// The value that zero stands for.
    pub offset: f32,
}

impl Scale {
    /// Returns the output that an integer stands for.
    #[inline(always)]
    pub(crate) fn of(&self, integer: i32) -> f32 {
        self.offset + self.step * integer as f32
    }
}

/// The binary points of an integer model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Shifts {
    /// Bits by which sums of 16-bit weights are shifted left; below 32, and 0 with weights of 32 bits.
    pub weights: u8,
    /// Bits by which the argument of a sigmoid or a square is shifted right; below 32.
    pub argument: u8,
    /// Bits by which the sum of the linear terms is shifted right; below 64.
    pub linear: u8,
    /// Zero.
    pub reserved: u8,
}

/// A prepared input.
///
/// In floating point its value is `warp(reading[input]) - centre`. In integers it is the warp of the integer nearest to
/// `2^exponent (reading[input] - centre)`.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Prepared {
    /// The centre, which is subtracted from the warped reading; in integers, from the reading.
    pub centre: f32,
    /// The index of the reading.
    pub input: u16,
    /// The number of a [`Warp`](super::Warp), plus [`LIMITED`] and [`REPLACED`].
    pub warp: u8,
    /// The exponent of two in integers, -126 to 127; otherwise 0, and ignored.
    pub exponent: i8,
}

impl Prepared {
    /// Returns the number of the [`Warp`](super::Warp).
    #[inline(always)]
    pub const fn warp_number(&self) -> u8 {
        self.warp & !(LIMITED | REPLACED)
    }
}

/// Returns the words of a file, for [`static_model!`](crate::static_model).
///
/// Bytes behind the last whole word are dropped; words behind the last byte are 0.
pub const fn words_of<const WORDS: usize>(bytes: &[u8]) -> [u32; WORDS] {
    let (mut words, mut i) = ([0; WORDS], 0);
    let (chunks, _) = bytes.as_chunks();
    while i < WORDS && i < chunks.len() {
        words[i] = u32::from_le_bytes(chunks[i]);
        i += 1;
    }
    words
}

/// Returns whether indices into `inputs` values take two bytes.
pub const fn wide(inputs: usize) -> bool {
    inputs > 256
}

/// Returns the weight nearest to `weight` whose last four bits are the number of its input, which is below
/// [`BUFFERED`].
pub const fn pack(weight: u32, index: u16) -> u32 {
    let index = index as u32;
    weight.wrapping_sub(index).wrapping_add(8) & !0xf | index
}

/// Returns a word of two numbers of 16 bits: an amplitude and the bias above it, or two weights or amplitudes.
pub const fn halves(lower: u16, upper: u16) -> u32 {
    (upper as u32) << 16 | lower as u32
}

/// Returns whether weights hold the number of their input in their last four bits.
pub const fn packs(number: Number, inputs: usize) -> bool {
    matches!(number, Number::I32) && inputs <= BUFFERED
}

/// Returns the words that `count` indices into `inputs` values occupy; none where their number overflows.
pub(super) const fn index_words(count: usize, inputs: usize) -> Option<usize> {
    if !wide(inputs) {
        return Some(count.div_ceil(4));
    }
    match count.checked_mul(2) {
        Some(bytes) => Some(bytes.div_ceil(4)),
        None => None,
    }
}

/// Splits `count` words off the front, if that is a number.
#[inline]
pub(super) const fn take<'a>(words: &mut &'a [u32], count: Option<usize>) -> Option<&'a [u32]> {
    let Some(count) = count else { return None };
    let Some((front, rest)) = words.split_at_checked(count) else { return None };
    *words = rest;
    Some(front)
}

/// Returns whether the second number of every pair is at least the first.
pub(super) const fn are_ascending(mut pairs: &[[u32; 2]], integers: bool) -> bool {
    while let Some((&[low, high], rest)) = pairs.split_first() {
        let ascending = if integers { low as i32 <= high as i32 } else { f32::from_bits(low) <= f32::from_bits(high) };
        if !ascending {
            return false;
        }
        pairs = rest;
    }
    true
}

/// Returns whether words stand for finite numbers.
#[inline(never)]
pub(super) const fn are_finite(mut words: &[u32]) -> bool {
    while let Some((&word, rest)) = words.split_first() {
        if !f32::from_bits(word).is_finite() {
            return false;
        }
        words = rest;
    }
    true
}

/// The numbers of values that decide the lengths in a block.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The number of values that indices may refer to.
    pub inputs: usize,
    /// The number of outputs.
    pub outputs: usize,
}
