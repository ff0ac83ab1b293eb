//! Functions in integers as lines on 256 equal segments of their argument, each line in one word.
//!
//! A line is `(word + slope * argument) >> 16`, where the slope is the lower half of the word. The argument has 16
//! bits; its upper 8 bits are the number of the segment. Hence nothing has to be cut out of the argument.

/// The unit of the values of integer kernels: 12 bits behind the binary point.
///
/// A sum of features stays within 32 bits where the absolute amplitudes, integers of 16 bits, add up to less than 2¹⁹.
pub const ONE: i32 = 1 << 12;

/// A word for each segment: the segment of argument 0 comes first, segments of negative arguments come last.
pub(super) type Segments = [i32; 256];

/// Returns the value at `argument`, whose lower 16 bits are cut off, in units of `1 / `[`ONE`].
#[inline(always)]
pub(super) fn line(segments: &Segments, argument: u32) -> i32 {
    let word = segments[(argument >> 24) as u8 as usize];
    // The slope in the lower half disturbs the value by less than its last bit, which `entry` takes into account.
    word.wrapping_add(i32::from(word as i16).wrapping_mul(argument as i32 >> 16)) >> 16
}

/// Returns the word of a segment, 0 to 255, at whose ends the function has the values `start` and `end`.
pub(super) const fn entry(segment: usize, start: f64, end: f64) -> i32 {
    const SCALE: f64 = ONE as f64 * 65536.0;
    let slope = rounded((end - start) * SCALE / 256.0);
    let low = slope as u16 as i32;
    let first = if segment < 128 { segment as f64 } else { segment as f64 - 256.0 } * 256.0;
    // In the middle of the segment; half a unit more because a result is rounded down.
    let middle = (start + end) / 2.0 * SCALE + 32768.0;
    let rest = middle - slope as f64 * (first + 127.5);
    rounded((rest - low as f64) / 65536.0) << 16 | low
}

/// Returns the nearest integer.
const fn rounded(value: f64) -> i32 {
    if value < 0.0 { (value - 0.5) as i32 } else { (value + 0.5) as i32 }
}
