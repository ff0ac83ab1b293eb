//! Cosine features in integers: `y += a cos(2π(⟨w, z⟩ + p))`, phases in turns of 2³².
//!
//! Weights times inputs wrap around as angles do, so that the sum is exact for every input. The count of instructions is the
//! same for every input as well.
//!
//! | | |
//! |---|---|
//! | range | every phase |
//! | largest error of [`cos`]` / `[`ONE`](super::ONE) | 3.3e-4 (of which 4.8e-5 because the lower half of a phase does not count) |
//! | table | 1 KB |

use super::table::{Table, entry, line};

/// Chords between points of a curve lie inside of it: a circle larger by half their largest distance halves the error.
const WIDER: f64 = 1.0 + TURN * TURN / (256.0 * 256.0 * 16.0);

const TURN: f64 = core::f64::consts::TAU;

static COSINE: Table = {
    let mut table = [0; 256];
    let mut segment = 0;
    while segment < 256 {
        table[segment] = entry(segment, WIDER * cos_of_part(segment), WIDER * cos_of_part(segment + 1));
        segment += 1;
    }
    table
};

/// `cos(2π part / 256)`.
const fn cos_of_part(part: usize) -> f64 {
    // The series is exact to the last bits within a quarter turn.
    let part = part % 256;
    let (part, sign) = if part > 64 && part < 192 { (part as f64 - 128.0, -1.0) } else { (part as f64, 1.0) };
    let part = if part > 128.0 { part - 256.0 } else { part };
    let angle = TURN * part / 256.0;
    let (mut sum, mut term, mut n) = (1.0, 1.0, 1.0);
    while n < 24.0 {
        term *= -angle * angle / (n * (n + 1.0));
        sum += term;
        n += 2.0;
    }
    sign * sum
}

/// The cosine of `phase` 2⁻³² turns, in units of `1 / `[`ONE`](super::ONE).
///
/// ```
/// use srfm_runtime::kernel::{ONE, cosine_int::cos};
/// assert!((cos(0) - ONE).abs() <= 1);
/// assert!((cos(1 << 31) + ONE).abs() <= 1);
/// assert!(cos(1 << 30).abs() <= 1);
/// ```
#[inline(always)]
pub fn cos(phase: u32) -> i32 {
    line(&COSINE, phase)
}

/// Sine and cosine of `phase` 2⁻³² turns, in units of `1 / `[`ONE`](super::ONE).
#[inline(always)]
pub fn sincos(phase: u32) -> [i32; 2] {
    [cos(phase.wrapping_sub(1 << 30)), cos(phase)]
}
