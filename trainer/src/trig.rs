//! Sine and cosine of many numbers at once.
//!
//! The same bits on every processor: only `+`, `-`, `×` and bit operations in a fixed order, which the compiler turns
//! into whatever vector instructions the processor has. libm takes one number at a time and is four times slower.

pub mod single;

use std::f64::consts::FRAC_2_PI;

use crate::linalg::vectorised;

/// Numbers that are worked on together.
const CHUNK: usize = 1024;

/// Angles up to this size, in radians, are reduced here; larger ones go to libm.
const LARGEST: f64 = 1e5;

/// Adding this leaves the nearest whole number in the lowest bits of the significand.
const ROUND: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²

/// π/2 in three parts of 33 bits, so that products with whole numbers below 2²⁰ are exact (Cody and Waite).
const HALF_PI: [f64; 3] = [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_7e-21];

/// Minimax coefficients of `(sin r − r) / r³` in r², `|r| ≤ π/4` (fdlibm).
const SIN: [f64; 6] = [
    -1.666_666_666_666_663_2e-1,
    8.333_333_333_322_49e-3,
    -1.984_126_982_985_795e-4,
    2.755_731_370_707_006_8e-6,
    -2.505_076_025_340_686_3e-8,
    1.589_690_995_211_55e-10,
];

/// Minimax coefficients of `(cos r − 1 + r²/2) / r⁴` in r², `|r| ≤ π/4` (fdlibm).
const COS: [f64; 6] = [
    4.166_666_666_666_66e-2,
    -1.388_888_888_887_411e-3,
    2.480_158_728_947_673e-5,
    -2.755_731_435_139_066_3e-7,
    2.087_572_321_298_175e-9,
    -1.135_964_755_778_819_5e-11,
];

/// Replaces every angle (radians) by its sine; largest error 1 unit in the last place for angles below 10⁵.
pub fn sin(values: &mut [f64]) {
    replace(values, 0, libm::sin);
}

/// Replaces every angle (radians) by its cosine, as exactly as [`sin`].
pub fn cos(values: &mut [f64]) {
    replace(values, 1, libm::cos);
}

/// Replaces every angle (radians) by its cosine and writes its sine beside it, with the bits of [`cos`] and [`sin`]:
/// the two share the reduction. Both slices have one length.
pub fn cos_sin(angles: &mut [f64], sines: &mut [f64]) {
    for (angles, sines) in angles.chunks_mut(CHUNK).zip(sines.chunks_mut(CHUNK)) {
        if all_moderate(angles) {
            vectorised!({
                for (angle, sine) in angles.iter_mut().zip(sines.iter_mut()) {
                    let reduced = Reduced::new(*angle);
                    *angle = reduced.sin_after(1);
                    *sine = reduced.sin_after(0);
                }
            });
        } else {
            for (angle, sine) in angles.iter_mut().zip(sines) {
                (*angle, *sine) = (libm::cos(*angle), libm::sin(*angle));
            }
        }
    }
}

/// Replaces every angle by the sine `quarters` quarter turns on; by `other` where the reduction is not good enough.
fn replace(values: &mut [f64], quarters: u64, other: fn(f64) -> f64) {
    for chunk in values.chunks_mut(CHUNK) {
        if all_moderate(chunk) {
            vectorised!({
                for value in chunk.iter_mut() {
                    *value = Reduced::new(*value).sin_after(quarters);
                }
            });
        } else {
            chunk.iter_mut().for_each(|value| *value = other(*value));
        }
    }
}

/// Whether the reduction is good for all angles; false where one is not a number.
fn all_moderate(angles: &[f64]) -> bool {
    angles.iter().fold(true, |moderate, angle| moderate & (angle.abs() <= LARGEST))
}

/// An angle less a whole number of quarter turns.
struct Reduced {
    sin: f64,
    cos: f64,
    /// The number of quarter turns, in the lowest bits.
    quarters: u64,
}

impl Reduced {
    #[inline(always)]
    fn new(angle: f64) -> Reduced {
        let shifted = angle * FRAC_2_PI + ROUND;
        let n = shifted - ROUND;
        let r = ((angle - n * HALF_PI[0]) - n * HALF_PI[1]) - n * HALF_PI[2];
        let z = r * r;
        let sin = r + r * z * (SIN[0] + z * (SIN[1] + z * (SIN[2] + z * (SIN[3] + z * (SIN[4] + z * SIN[5])))));
        let tail = z * (COS[0] + z * (COS[1] + z * (COS[2] + z * (COS[3] + z * (COS[4] + z * COS[5])))));
        let half = 0.5 * z;
        let near_one = 1.0 - half;
        // What rounding took from 1 − z/2 goes back in.
        let cos = near_one + (((1.0 - near_one) - half) + z * tail);
        Reduced { sin, cos, quarters: shifted.to_bits() }
    }

    /// Sine of the angle `quarters` quarter turns on.
    #[inline(always)]
    fn sin_after(&self, quarters: u64) -> f64 {
        let quarters = self.quarters.wrapping_add(quarters);
        let value = if quarters & 1 == 0 { self.sin } else { self.cos };
        f64::from_bits(value.to_bits() ^ ((quarters & 2) << 62))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn agrees_with_libm_over_the_whole_range() {
        let mut sampler = Sampler::new(1);
        for range in [1e-8, 0.7, 3.0, 100.0, LARGEST] {
            let angles: Vec<f64> = (0..20_000).map(|_| sampler.uniform(-range, range)).collect();
            let mut sines = angles.clone();
            let mut cosines = angles.clone();
            sin(&mut sines);
            cos(&mut cosines);
            let mut both = angles.clone();
            let mut beside = vec![0.0; angles.len()];
            cos_sin(&mut both, &mut beside);
            assert_eq!((&both, &beside), (&cosines, &sines));
            for ((angle, sine), cosine) in angles.iter().zip(sines).zip(cosines) {
                // libm is good to one unit in the last place, 2⁻⁵³ below one; the reduction adds as much.
                assert!((sine - libm::sin(*angle)).abs() <= 2.3e-16, "sin {angle}");
                assert!((cosine - libm::cos(*angle)).abs() <= 2.3e-16, "cos {angle}");
            }
        }
    }

    #[test]
    fn odd_angles_are_answered_as_libm_does() {
        let mut values = [0.0, -0.0, 1e6, f64::MAX, f64::NAN, f64::INFINITY];
        let expected = values.map(libm::sin);
        sin(&mut values);
        assert_eq!(values.map(f64::is_nan), expected.map(f64::is_nan));
        assert_eq!(values[..4], expected[..4]);
    }
}
