//! Sigmoid and rectified linear features in integers: `y += a φ(⟨w, z⟩ + b)`.
//!
//! | | |
//! |---|---|
//! | range | arguments whose worst case over all inputs fits 32 bits: the writer sees to that |
//! | largest error of [`sigmoid`]` / `[`ONE`](super::ONE) | 2.9e-4; 5e-4 beyond ±8, where it stays |
//! | largest error of [`relu`] | one unit |
//! | table of the sigmoid | 1 KB |

use super::table::{Table, entry, line};

/// Bits behind the binary point of the sigmoid's argument.
pub const ARGUMENT_BITS: u32 = 20;

/// Beyond this argument the sigmoid stays as it is.
const END: i32 = 8 << ARGUMENT_BITS;

static SIGMOID: Table = {
    let mut table = [0; 256];
    let mut segment = 0;
    while segment < 256 {
        let part = (segment + 128) % 256;
        table[segment] = entry(segment, sigmoid_of_part(part), sigmoid_of_part(part + 1));
        segment += 1;
    }
    table
};

/// `1 / (1 + e^-t)` at `t = part / 16 - 8`.
const fn sigmoid_of_part(part: usize) -> f64 {
    // e^-t as the 1024th power of the series' e^(-t / 1024).
    let small = (8.0 - part as f64 / 16.0) / 1024.0;
    let mut power = 1.0 + small * (1.0 + small / 2.0 * (1.0 + small / 3.0 * (1.0 + small / 4.0 * (1.0 + small / 5.0))));
    let mut squarings = 0;
    while squarings < 10 {
        power *= power;
        squarings += 1;
    }
    1.0 / (1.0 + power)
}

/// `1 / (1 + e^-t)` in units of `1 / `[`ONE`](super::ONE); `argument` is `t` times `2^`[`ARGUMENT_BITS`].
///
/// ```
/// use srfm_runtime::kernel::{ONE, activation_int::{ARGUMENT_BITS, sigmoid}};
/// assert!((sigmoid(0) - ONE / 2).abs() <= 1);
/// assert!((sigmoid(1 << ARGUMENT_BITS) - 2994).abs() <= 1); // 0.7311 times 4096
/// assert_eq!(sigmoid(i32::MAX), sigmoid(8 << ARGUMENT_BITS));
/// ```
#[inline(always)]
pub fn sigmoid(argument: i32) -> i32 {
    line(&SIGMOID, (argument.clamp(-END, END - 1) as u32) << (31 - END.trailing_zeros()))
}

/// What the largest rectified argument is: more bits than elsewhere, because most arguments are far smaller.
pub const RELU_ONE: i32 = 1 << 14;

/// `max(t, 0)` in units of `1 / `[`RELU_ONE`] of the largest argument; `argument` is `t` times 2³¹.
#[inline(always)]
pub fn relu(argument: i32) -> i32 {
    argument.max(0) >> (31 - RELU_ONE.trailing_zeros())
}
