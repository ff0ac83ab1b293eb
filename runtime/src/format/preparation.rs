//! How readings become the inputs of features: prepared inputs, the limits of readings, and what replaces missing ones.

use bytemuck::{must_cast, must_cast_slice};

use super::tensor::{Prepared, are_ascending, are_finite, take};
use super::{Header, LIMITED, MISSING, REPLACED, Warp};
use crate::Error;

/// The prepared inputs of a model.
#[derive(Clone, Copy, Debug)]
pub struct Preparation<'a> {
    /// The prepared inputs; empty where features read the readings directly.
    pub inputs: &'a [Prepared],
    /// The limits of the first inputs, two words an input in floating point, otherwise one; then what replaces missing
    /// readings of the first inputs, a word each.
    words: &'a [u32],
    /// The words of the limits.
    limits: u16,
    /// Whether an input has a warp other than the identity, limits or a replacement.
    pub special: bool,
}

impl<'a> Preparation<'a> {
    /// Takes the preparation off the front of the tensors. A program without warps has neither limits nor replacements.
    pub(super) const fn take(words: &mut &'a [u32], header: &Header<'_>, warps: bool) -> Option<Self> {
        let Some(inputs) = take(words, Some(2 * header.prepared as usize)) else { return None };
        let inputs: &[Prepared] = must_cast_slice(inputs.as_chunks::<2>().0);
        if !warps {
            return Some(Preparation { inputs, words: &[], limits: 0, special: false });
        }
        let limits = words_of_limits(inputs, header.number.is_float());
        let Some(words) = take(words, Some(limits + through(inputs, REPLACED))) else { return None };
        Some(Preparation { inputs, words, limits: limits as u16, special: false })
    }

    /// Checks the prepared inputs, for a program with warps or without, and finds out whether one is special.
    pub(super) const fn check(mut self, header: &Header<'_>, warps: bool) -> Result<Self, Error> {
        let mut inputs = self.inputs;
        while let Some((p, rest)) = inputs.split_first() {
            inputs = rest;
            if !p.centre.is_finite() {
                return Err(Error::NotFinite);
            }
            if p.input >= header.inputs {
                return Err(Error::IndexOutOfRange);
            }
            if Warp::of(p.warp_number()).is_none() || (p.warp != 0 && !warps) {
                return Err(Error::UnsupportedWarp(p.warp));
            }
            if !header.number.is_float() && p.exponent < -126 {
                return Err(Error::Header);
            }
            self.special |= p.warp != 0;
        }
        if warps {
            let float = header.number.is_float();
            let Some((limits, replacements)) = self.words.split_at_checked(self.limits as usize) else {
                return Err(Error::Layout);
            };
            let sound = if float { are_finite(replacements) && are_finite(limits) } else { are_present(replacements) };
            if !sound {
                return Err(Error::NotFinite);
            }
            if !(if float { are_ascending(limits.as_chunks().0, false) } else { halves_ascend(limits) }) {
                return Err(Error::Limits);
            }
        }
        Ok(self)
    }

    /// Returns the words of the limits, and the words of the replacements.
    pub fn limits_and_replacements(&self) -> (&'a [u32], &'a [u32]) {
        self.words.split_at_checked(self.limits.into()).unwrap_or_default()
    }

    /// Returns a reading of prepared input `i` in floating point, or what replaces it where it is NaN.
    #[inline(always)]
    fn replaced(&self, i: usize, prepared: &Prepared, x: f32) -> f32 {
        if x.is_nan() && prepared.warp & REPLACED != 0 {
            return self.words.get(self.limits as usize + i).map_or(x, |&word| f32::from_bits(word));
        }
        x
    }

    /// Returns a reading of prepared input `i` within its limits, or what replaces it where it is NaN.
    #[inline(always)]
    pub fn bounded(&self, i: usize, prepared: &Prepared, x: f32) -> f32 {
        let x = self.replaced(i, prepared, x);
        if prepared.warp & LIMITED == 0 {
            return x;
        }
        match must_cast_slice::<u32, f32>(self.words).as_chunks().0.get(i) {
            Some(&[low, _]) if x < low => low,
            Some(&[_, high]) if x > high => high,
            _ => x,
        }
    }

    /// Returns the count of prepared input `i`, or what replaces it where it is [`MISSING`].
    #[inline(always)]
    pub fn replaced_count(&self, i: usize, prepared: &Prepared, count: i16) -> i16 {
        if count == MISSING && prepared.warp & REPLACED != 0 {
            return self.words.get(self.limits as usize + i).map_or(count, |&word| word as i16);
        }
        count
    }

    /// Returns the count of prepared input `i` within its limits.
    #[inline(always)]
    pub fn bounded_count(&self, i: usize, prepared: &Prepared, count: i16) -> i16 {
        match self.words.get(i) {
            Some(&word) if prepared.warp & LIMITED != 0 => {
                let [low, high]: [i16; 2] = must_cast(word);
                count.min(high).max(low)
            }
            _ => count,
        }
    }
}

/// Returns the number of prepared inputs up to the last one that has a flag, [`LIMITED`] or [`REPLACED`].
pub const fn through(mut inputs: &[Prepared], flag: u8) -> usize {
    while let Some((last, before)) = inputs.split_last() {
        if last.warp & flag != 0 {
            break;
        }
        inputs = before;
    }
    inputs.len()
}

/// Returns the words of the limits of prepared inputs.
pub(super) const fn words_of_limits(inputs: &[Prepared], float: bool) -> usize {
    through(inputs, LIMITED) * if float { 2 } else { 1 }
}

/// Returns whether no lower half of a word is [`MISSING`].
const fn are_present(mut words: &[u32]) -> bool {
    while let Some((&word, rest)) = words.split_first() {
        if word as i16 == MISSING {
            return false;
        }
        words = rest;
    }
    true
}

/// Returns whether the upper half of every word is at least the lower one.
const fn halves_ascend(mut words: &[u32]) -> bool {
    while let Some((&word, rest)) = words.split_first() {
        if (word as i16) > (word >> 16) as i16 {
            return false;
        }
        words = rest;
    }
    true
}
