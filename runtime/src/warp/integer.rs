//! Warps of counts of 15 bits, as of a converter, in integers.
//!
//! | | |
//! |---|---|
//! | range | every count; below the domain it counts as the least one in it, 1 for the logarithm, 0 for the root |
//! | largest error of [`log2`]` / 4096` | 1.6e-4 |
//! | largest error of [`sqrt`] | half a unit |
//!
//! Rounding a count to a whole number moves its logarithm by up to `0.72 / count`: for small counts this is the main
//! error.

/// Coefficients of `log2(1 + f)` for `f` below one, without its constant zero, in 2⁻¹⁵.
const C: [i32; 5] = [47_249, -23_237, 13_624, -6348, 1483];

/// Returns `4096 (log2(count) - 8)`: the logarithm to base 2 of a count from 1 on, on 16 bits.
#[inline]
pub(super) fn log2(count: i16) -> i16 {
    let count = i32::from(count.max(1));
    let zeros = count.leading_zeros() as i32; // 17 to 31
    let f = (count << (zeros - 16)) - 32_768; // below 2¹⁵
    let mut p = C[4];
    for c in [C[3], C[2], C[1], C[0]] {
        p = ((p * f) >> 15) + c;
    }
    (((23 - zeros) << 12) + ((p * f + (1 << 17)) >> 18)) as i16
}

/// Returns `√(2¹⁵ count)`, rounded to the nearest integer: the square root of a count from 0 on, on 15 bits.
#[inline]
pub(super) fn sqrt(count: i16) -> i16 {
    let (mut rest, mut root) = ((count.max(0) as u32) << 15, 0_u32);
    // Digit by digit: `rest` is what the square of the digits so far leaves.
    let mut bit = 1 << 28;
    while bit > 0 {
        let trial = root + bit;
        root >>= 1;
        if rest >= trial {
            rest -= trial;
            root += bit;
        }
        bit >>= 2;
    }
    (root + u32::from(rest > root)) as i16
}
