//! Warps of readings in `f32`, before their centre is subtracted.
//!
//! | | |
//! |---|---|
//! | range | every reading; a reading below the domain counts as the least one in it |
//! | largest error of [`log2`] | 4e-7, and half a unit in the last place of the result |
//! | largest relative error of [`sqrt`] | 1.9e-7 |
//! | operations of [`log2`] | 15 additions, subtractions and multiplications, 6 of bits, 2 comparisons |
//! | operations of [`sqrt`] | 16 subtractions and multiplications, 2 of bits, 2 comparisons |
//!
//! NaN stays NaN, and infinity stays infinity.

/// The bits of the root of one half.
const ROOT_OF_HALF: i32 = 0x3f35_04f3;

/// The minimax polynomial of `log2(1 + f)` for `1 + f` from the root of one half to the root of two, without its
/// constant zero.
const C: [f32; 7] = [1.442_699_7, -0.721_375_9, 0.480_465_02, -0.358_961_85, 0.297_262_6, -0.272_698_04, 0.170_634_57];

/// Returns the logarithm to base 2. A number below 2⁻¹²⁶, the least normal one, counts as 2⁻¹²⁶.
#[inline]
pub(super) fn log2(x: f32) -> f32 {
    let Some(x) = normal(x, f32::MIN_POSITIVE) else { return x };
    let bits = x.to_bits() as i32;
    let exponent = (bits - ROOT_OF_HALF) >> 23;
    let f = f32::from_bits((bits - (exponent << 23)) as u32) - 1.0;
    let p = C[0] + f * (C[1] + f * (C[2] + f * (C[3] + f * (C[4] + f * (C[5] + f * C[6])))));
    exponent as f32 + f * p
}

/// Returns the square root; 0 for a number below 2⁻¹²⁶, the least normal one.
#[inline]
pub(crate) fn sqrt(x: f32) -> f32 {
    let Some(x) = normal(x, 0.0) else { return x };
    // Half the exponent, and three steps of Newton's method for 1 / √x. For zero this is large, and zero times it is
    // zero.
    let mut r = f32::from_bits(0x5f37_59df - (x.to_bits() >> 1));
    for _ in 0..3 {
        r *= 1.5 - 0.5 * (x * r * r);
    }
    x * r
}

/// Returns the number, or `least` where it is below the normal ones; none for positive infinity and NaN.
#[inline(always)]
fn normal(x: f32, least: f32) -> Option<f32> {
    if x < f32::MIN_POSITIVE {
        Some(least)
    } else if x < f32::INFINITY {
        Some(x)
    } else {
        None
    }
}
