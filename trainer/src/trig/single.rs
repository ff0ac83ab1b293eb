//! Sine and cosine in single precision, for gradients.

/// Angles that are worked on together.
pub const LANES: usize = 8;

/// Adding this leaves the nearest whole number in the lowest bits of the significand.
const ROUND: f32 = 12_582_912.0; // 1.5 · 2²³

/// π/2 in three parts, so that products of the first two with whole numbers below 2¹² are exact (Cody and Waite).
const HALF_PI: [f32; 3] = [1.570_312_5, 4.837_513e-4, 7.549_79e-8];

/// Minimax coefficients of `(sin r − r) / r³` in r², `|r| ≤ π/4` (Cephes).
const SIN: [f32; 3] = [-1.666_665_5e-1, 8.332_161e-3, -1.951_529_6e-4];

/// Minimax coefficients of `(cos r − 1 + r²/2) / r⁴` in r², `|r| ≤ π/4` (Cephes).
const COS: [f32; 3] = [4.166_664_6e-2, -1.388_731_6e-3, 2.443_315_7e-5];

/// Returns the cosines and the sines of angles in radians. The error is below 3e-7 for angles below 1000 and grows in
/// proportion to larger ones.
#[inline(always)]
pub fn cos_sin(angles: &[f32; LANES]) -> ([f32; LANES], [f32; LANES]) {
    let mut cosines = [0.0; LANES];
    let mut sines = [0.0; LANES];
    for lane in 0..LANES {
        let shifted = angles[lane] * std::f32::consts::FRAC_2_PI + ROUND;
        let n = shifted - ROUND;
        let r = ((angles[lane] - n * HALF_PI[0]) - n * HALF_PI[1]) - n * HALF_PI[2];
        let z = r * r;
        let sin = r + r * z * (SIN[0] + z * (SIN[1] + z * SIN[2]));
        let cos = 1.0 - 0.5 * z + z * z * (COS[0] + z * (COS[1] + z * COS[2]));
        let quarters = shifted.to_bits();
        let odd = quarters & 1 == 1;
        let (of_cosine, of_sine) = if odd { (sin, cos) } else { (cos, sin) };
        // The cosine is negative in the second and third quarter turn, the sine in the third and fourth.
        cosines[lane] = f32::from_bits(of_cosine.to_bits() ^ ((quarters.wrapping_add(1) & 2) << 30));
        sines[lane] = f32::from_bits(of_sine.to_bits() ^ ((quarters & 2) << 30));
    }
    (cosines, sines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampler;

    #[test]
    fn agrees_with_libm() {
        let mut sampler = Sampler::new(1);
        for (range, most) in [(0.7, 2e-7), (10.0, 2e-7), (1000.0, 3e-7), (1e5, 1e-4)] {
            for _ in 0..5000 {
                let angles = std::array::from_fn(|_| sampler.uniform(-range, range) as f32);
                let (cosines, sines) = cos_sin(&angles);
                for (lane, &angle) in angles.iter().enumerate() {
                    let angle = f64::from(angle);
                    assert!((f64::from(cosines[lane]) - libm::cos(angle)).abs() < most, "cos {angle}");
                    assert!((f64::from(sines[lane]) - libm::sin(angle)).abs() < most, "sin {angle}");
                }
            }
        }
    }
}
