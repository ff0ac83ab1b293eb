//! The distance of the warps from the exact functions over their whole range, and their bits, which never change.

use srfm_testing::{AWKWARD, crc32};

use super::{AllWarps, Warps, float, integer};

/// Returns every `step`th normal number above zero.
fn normal(step: usize) -> impl Iterator<Item = f32> {
    (f32::MIN_POSITIVE.to_bits()..f32::INFINITY.to_bits()).step_by(step).map(f32::from_bits)
}

#[test]
fn the_largest_errors_in_floating_point_are_the_documented_ones() {
    let (mut of_log, mut of_root) = (0.0_f64, 0.0_f64);
    for x in normal(1009).chain((0..1 << 22).map(|k| 0.5 + k as f32 / (1 << 21) as f32)) {
        let (exact, log) = (f64::from(x).log2(), float::log2(x));
        let unit = f64::from(f32::from_bits(log.abs().to_bits() + 1)) - f64::from(log.abs());
        of_log = of_log.max((f64::from(log) - exact).abs() - unit / 2.0);
        of_root = of_root.max((f64::from(float::sqrt(x)) / f64::from(x).sqrt() - 1.0).abs());
    }
    println!("largest errors: logarithm {of_log:.2e} beyond half a unit, root {of_root:.2e}");
    assert!((3e-7..=4e-7).contains(&of_log), "{of_log:e}");
    assert!((1.7e-7..=1.9e-7).contains(&of_root), "{of_root:e}");
}

#[test]
fn every_reading_has_a_warp() {
    for warp in [float::log2, float::sqrt] {
        assert!(warp(f32::NAN).is_nan() && warp(-f32::NAN).is_nan());
        assert_eq!(warp(f32::INFINITY), f32::INFINITY);
        let least = warp(0.0);
        for x in [-0.0, -1.0, f32::MIN, f32::NEG_INFINITY, 1e-40, -1e-40, f32::from_bits(1)] {
            assert_eq!(warp(x).to_bits(), least.to_bits(), "{x:e}");
        }
        // Never a step down, not even by rounding.
        assert!(normal(50_021).map(warp).is_sorted());
    }
    assert!((-126..=127).all(|k| float::log2(2.0_f32.powi(k)) == k as f32), "powers of two are exact");
    assert!(AWKWARD.into_iter().all(|x| AllWarps::reading(0, x).to_bits() == x.to_bits()));
}

#[test]
fn integer_warps_are_near_or_exact_for_every_count() {
    let (mut largest, mut sum) = (0.0_f64, 0.0);
    for count in 1..=i16::MAX {
        let error = f64::from(integer::log2(count)) / 4096.0 + 8.0 - f64::from(count).log2();
        (largest, sum) = (largest.max(error.abs()), sum + error);
        assert_eq!(f64::from(integer::sqrt(count)), (32768.0 * f64::from(count)).sqrt().round(), "{count}");
        assert!(integer::log2(count) >= integer::log2(count - 1), "{count}");
    }
    println!("largest error of the logarithm {largest:.2e}, on average {:.1e}", sum / 32767.0);
    assert!((1.5e-4..=1.6e-4).contains(&largest) && (sum / 32767.0).abs() < 1e-5, "{largest}");
    for count in [i16::MIN, -1, 0] {
        assert_eq!((integer::log2(count), integer::sqrt(count)), (integer::log2(1), 0));
    }
}

#[test]
fn the_bits_of_the_warps_never_change() {
    let checksum = |warp: fn(f32) -> f32| crc32(&normal(9973).flat_map(|x| warp(x).to_le_bytes()).collect::<Vec<_>>());
    let of_counts =
        |warp: fn(i16) -> i16| crc32(&(0..i16::MAX).flat_map(|c| warp(c).to_le_bytes()).collect::<Vec<_>>());
    let checksums = [checksum(float::log2), checksum(float::sqrt), of_counts(integer::log2), of_counts(integer::sqrt)];
    assert_eq!(checksums, [0x8190_99fb, 0xa5ae_4b1c, 0x759f_1b26, 0xf462_95a2], "{checksums:#010x?}");
}
