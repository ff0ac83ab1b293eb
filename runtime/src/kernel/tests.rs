//! The distance of the kernels from the exact functions over their whole range, and their bits, which never change.

use std::f64::consts::TAU;

use srfm_testing::{AWKWARD, Rng, crc32};

use super::cosine::{self, scaled_cos_turns};
use super::polynomial;
use super::relu::{self, RELU_ONE, scaled_relu};
use super::segments::ONE;
use super::sigmoid::{self, scaled_sigmoid};
use super::sincos::{self, scaled_sincos_turns};
use super::square::{self, square_integer};
use crate::format::{ARGUMENT_BITS, Kernel};

/// The largest errors that the kernels' documentation states: cosine, sine and cosine of a pair, sigmoid.
const LARGEST_ERRORS: [f64; 4] = [7.2e-7, 7.4e-7, 1.7e-7, 7.1e-7];

fn cosine(t: f32) -> f64 {
    Kernel::Cosine.scales()[0] * f64::from(scaled_cos_turns(t))
}

fn sincos(t: f32) -> [f64; 2] {
    let ([sin, cos], scales) = (scaled_sincos_turns(t), Kernel::Sincos.scales());
    [scales[0] * f64::from(sin), scales[1] * f64::from(cos)]
}

fn sigmoid(t: f32) -> f64 {
    Kernel::Sigmoid.scales()[0] * f64::from(scaled_sigmoid(t))
}

/// Returns the distances of the periodic kernels from the exact values. Whole turns are taken off first, without error.
fn periodic_errors(t: f32) -> [f64; 3] {
    let exact = TAU * (f64::from(t) - f64::from(t).round());
    let [sin, cos] = sincos(t);
    [cosine(t) - exact.cos(), sin - exact.sin(), cos - exact.cos()].map(f64::abs)
}

fn sigmoid_error(t: f32) -> f64 {
    (sigmoid(t) - 1.0 / (1.0 + (-f64::from(t)).exp())).abs()
}

/// Returns every `step`th number from zero to `end`, and numbers evenly spaced in between, with both signs.
fn sweep(end: f32, step: usize) -> impl Iterator<Item = f32> {
    let representable = (0..=end.to_bits()).step_by(step).map(f32::from_bits);
    let evenly_spaced = (0..=1 << 22).map(move |k| end * k as f32 / (1 << 22) as f32);
    representable.chain(evenly_spaced).flat_map(|t| [t, -t])
}

#[test]
fn the_largest_errors_are_the_documented_ones() {
    // The worst arguments of all `f32` in the range: for the cosine, the sine and the cosine of a pair, the sigmoid.
    let worst = [0.057_646_446, 0.308_545_17, 0.076_627_31, 0.346_570_07];
    let mut largest = [0.0_f64; 4];
    for t in sweep(0.5, 1 << 8).chain(worst) {
        let errors = periodic_errors(t);
        (0..3).for_each(|kernel| largest[kernel] = largest[kernel].max(errors[kernel]));
    }
    largest[3] = sweep(90.0, 1 << 8).chain(worst).map(sigmoid_error).fold(0.0, f64::max);
    for (largest, documented) in largest.into_iter().zip(LARGEST_ERRORS) {
        assert!(largest <= documented, "{largest:e}, documented {documented:e}");
        assert!(largest > documented - 0.1e-7, "documented too large: {largest:e}, {documented:e}");
    }
}

#[test]
fn the_bits_of_the_kernels_never_change() {
    // The format promises these bits: a better polynomial is another kernel.
    let points = || (0..=1 << 16).map(|k| k as f32 / (1 << 17) as f32);
    let wide = || points().map(|t| 200.0 * t - 50.0);
    let checksum =
        |values: &mut dyn Iterator<Item = f32>| crc32(&values.flat_map(f32::to_le_bytes).collect::<Vec<_>>());
    let checksums = [
        checksum(&mut points().map(scaled_cos_turns)),
        checksum(&mut wide().flat_map(scaled_sincos_turns)),
        checksum(&mut wide().map(scaled_sigmoid)),
        checksum(&mut wide().map(scaled_relu)),
    ];
    assert_eq!(checksums, [0x2665_5369, 0x8ede_c0ff, 0xcccd_76ad, 0xc14f_dca7], "{checksums:#010x?}");
}

#[test]
fn whole_turns_and_signs_change_nothing() {
    let mut rng = Rng::new(1);
    for _ in 0..1_000_000 {
        let (turns, fraction) = (rng.bits() & 0x3f_ffff >> rng.below(22), rng.float(0.5));
        let turned = if rng.below(2) == 0 { fraction + turns as f32 } else { fraction - turns as f32 };
        let rest = turned - turned.round_ties_even();
        let cosine = |t| scaled_cos_turns(t).to_bits();
        assert_eq!([cosine(turned), cosine(-turned)], [cosine(rest), cosine(turned)], "{turned}");
        let [error, sine_error, cosine_error] = periodic_errors(turned);
        assert!(error <= LARGEST_ERRORS[0], "{turned}");
        if turned.abs() <= 2_097_152.0 {
            let [sine, cosine] = sincos(rest);
            assert_eq!(sincos(turned), [sine, cosine], "{turned}");
            assert_eq!(sincos(-turned), [-sine, cosine], "{turned}");
            assert!(sine_error <= LARGEST_ERRORS[1] && cosine_error <= LARGEST_ERRORS[2], "{turned}");
        }
    }
    for t in [4_194_304.0_f32, 4_194_303.5, 0.5, 1.5] {
        assert!(periodic_errors(t)[0] <= LARGEST_ERRORS[0] && periodic_errors(-t)[0] <= LARGEST_ERRORS[0], "{t}");
    }
    for t in [2_097_152.0_f32, 2_097_151.8, 2_097_151.5, 0.25, 0.5, 0.75, 1.5] {
        for errors in [periodic_errors(t), periodic_errors(-t)] {
            assert!(errors[1] <= LARGEST_ERRORS[1] && errors[2] <= LARGEST_ERRORS[2], "{t}");
        }
    }
    assert_eq!([0.25, -0.25, 0.75, 1000.25].map(scaled_cos_turns), [0.0; 4], "zeros are exact");
    assert_eq!([0.0, 0.5, -0.5, 1.0, 1000.5].map(|t| sincos(t)[0]), [0.0; 5], "zeros are exact");
    assert_eq!(scaled_cos_turns(0.5), -scaled_cos_turns(0.0));
}

#[test]
fn a_sigmoid_rises_from_nothing_to_one() {
    let between = sweep(100.0, 1 << 12).map(sigmoid);
    assert!(between.into_iter().all(|value| value > 0.0 && value < 1.0 + LARGEST_ERRORS[3]));
    for t in [45.0, 100.0, 1e10, f32::MAX, f32::INFINITY] {
        assert!((sigmoid(t) - 1.0).abs() < 1e-7, "{t}");
        assert!((sigmoid(-t) / 2.0_f64.powi(-64) - 1.0).abs() < 1e-6, "{t}");
        // The value is constant there to the last bit.
        assert_eq!([t, -t].map(sigmoid), [1e30, -1e30].map(sigmoid), "{t}");
    }
    for t in [0.0, -0.0, 1e-40, -1e-40, f32::MIN_POSITIVE] {
        assert_eq!(sigmoid(t), sigmoid(0.0), "{t}");
    }
    for t in [0.1, 1.0, 3.0, 10.0] {
        assert!((sigmoid(t) + sigmoid(-t) - 1.0).abs() <= 2.0 * LARGEST_ERRORS[3], "{t}");
    }
}

#[test]
fn a_rectified_number_is_exact() {
    for t in AWKWARD.into_iter().chain(sweep(1e30, 1 << 18)).filter(|t| t.abs() < 1e38) {
        let rectified = Kernel::Relu.scales()[0] * f64::from(scaled_relu(t));
        assert_eq!(rectified.to_bits(), f64::from(t.max(0.0)).abs().to_bits(), "{t:e}");
    }
}

#[test]
fn a_square_has_one_rounding() {
    for t in AWKWARD.into_iter().chain(sweep(1e19, 1 << 18)).filter(|t| t.abs() < 1e19) {
        assert_eq!(square::square(t).to_bits(), ((f64::from(t) * f64::from(t)) as f32).to_bits(), "{t:e}");
    }
}

#[test]
fn a_square_in_integers_is_within_its_error() {
    for t in -32_768..=32_767 {
        let off = f64::from(t).powi(2) / 32_768.0 - f64::from(square_integer(t));
        assert!((0.0..1.0).contains(&off), "{t}: {off}");
    }
    // Beyond the largest argument it is constant.
    assert_eq!([i32::MIN, -32_769, 32_768, i32::MAX].map(square_integer), [32_768, 32_768, 32_766, 32_766]);
}

#[test]
fn nan_stays_nan() {
    let none = [f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001), f32::from_bits(0xffff_ffff)];
    for t in none {
        assert!(scaled_cos_turns(t).is_nan());
        assert!(scaled_sincos_turns(t).into_iter().all(f32::is_nan));
        assert!(scaled_sigmoid(t).is_nan());
        assert!(scaled_relu(t).is_nan());
    }
    for t in [f32::INFINITY, f32::NEG_INFINITY] {
        assert!(scaled_cos_turns(t).is_nan());
        assert!(scaled_sincos_turns(t).into_iter().all(f32::is_nan));
    }
}

/// Returns every argument whose lower half is zero.
fn arguments() -> impl Iterator<Item = u32> {
    (0..=u16::MAX).map(|upper| u32::from(upper) << 16)
}

#[test]
fn the_largest_errors_in_integers_are_the_documented_ones() {
    let value = |integer: i32| f64::from(integer) / f64::from(ONE);
    let largest = |error: &dyn Fn(u32) -> f64| arguments().map(error).fold(0.0, f64::max);
    // A value stands for the middle of the arguments with the same upper half.
    let middle = |argument: u32| f64::from(argument) + 32768.0;
    let of_cosine = largest(&|t| (value(cosine::cos(t)) - (TAU * middle(t) / 4_294_967_296.0).cos()).abs());
    let of_sine = largest(&|t| (value(sincos::sincos(t)[0]) - (TAU * middle(t) / 4_294_967_296.0).sin()).abs());
    let argument = |t: u32| (f64::from(t as i32) + 32768.0) / 268_435_456.0;
    let of_sigmoid = largest(&|t| (value(sigmoid::sigmoid(t as i32 >> 8)) - 1.0 / (1.0 + (-argument(t)).exp())).abs());
    println!("largest errors: cosine {of_cosine:.2e}, sine {of_sine:.2e}, sigmoid {of_sigmoid:.2e}");
    for error in [of_cosine, of_sine, of_sigmoid] {
        assert!((2.6e-4..=2.9e-4).contains(&error), "{error}");
    }
    // The lower half changes nothing, and the mean error is zero: sums of features are not pushed to one side.
    let mean =
        arguments().map(|t| value(cosine::cos(t | 0xffff)) - (TAU * middle(t) / 4_294_967_296.0).cos()).sum::<f64>()
            / 65536.0;
    assert!(mean.abs() < 1e-5, "{mean}");
    assert!(arguments().all(|t| cosine::cos(t) == cosine::cos(t | 0xffff)));
}

#[test]
fn the_bits_of_the_kernels_in_integers_never_change() {
    let bytes = |value: &dyn Fn(u32) -> i32| arguments().flat_map(|t| value(t).to_le_bytes()).collect::<Vec<u8>>();
    let sums = [
        crc32(&bytes(&cosine::cos)),
        crc32(&bytes(&|t| sincos::sincos(t)[0])),
        crc32(&bytes(&|t| sigmoid::sigmoid(t as i32))),
        crc32(&bytes(&|t| relu::relu(t as i32))),
        crc32(&bytes(&polynomial::cos)),
        crc32(&bytes(&|t| square_integer(t as i32 >> 15))),
    ];
    assert_eq!(sums, [0xcbcf_3cc3, 0x45be_1078, 0x0bfd_3427, 0x1b10_6cd1, 0x7fc2_c360, 0x07ca_0b9f], "{sums:x?}");
}

/// Every phase counts: the value is compared with both ends of the phases that have it.
#[test]
fn the_polynomial_has_its_error_at_every_phase() {
    let exactly = |t: u64| (TAU * t as f64 / 4_294_967_296.0).cos();
    let (mut largest, mut sum) = (0.0_f64, 0.0);
    for t in (0..=u32::MAX).step_by(1 << 15) {
        let value = f64::from(polynomial::cos(t)) / f64::from(ONE);
        let ends = [u64::from(t), u64::from(t) + (1 << 15)];
        largest = ends.map(|t| (value - exactly(t)).abs()).into_iter().fold(largest, f64::max);
        sum += value;
        assert_eq!(polynomial::cos(t), polynomial::cos(t | 0x7fff), "the lowest 15 bits change nothing: {t}");
        assert_eq!(polynomial::cos(t), polynomial::cos(!t), "the cosine is even: {t}");
    }
    assert!((2.42e-4..=2.43e-4).contains(&largest), "{largest}");
    assert!((sum / 131_072.0).abs() < 1.6e-5, "sums of features are not pushed to one side: {sum}");
    assert_eq!([0, 1 << 30, 1 << 31, 3 << 30].map(polynomial::cos), [4096, 0, -4096, 0]);
}

#[test]
fn activations_stay_at_their_ends() {
    let end = 8 << ARGUMENT_BITS;
    assert_eq!(sigmoid::sigmoid(i32::MAX), sigmoid::sigmoid(end));
    assert_eq!(sigmoid::sigmoid(i32::MIN), sigmoid::sigmoid(-end));
    assert!(
        (ONE - sigmoid::sigmoid(end)).abs() <= 2 && sigmoid::sigmoid(-end).abs() <= 2,
        "{} {}",
        sigmoid::sigmoid(end),
        sigmoid::sigmoid(-end)
    );
    assert_eq!([relu::relu(i32::MIN), relu::relu(-1), relu::relu(0), relu::relu(i32::MAX)], [0, 0, 0, RELU_ONE - 1]);
    let rising: Vec<i32> = (-end..end).step_by(1 << 14).map(sigmoid::sigmoid).collect();
    assert!(rising.windows(2).all(|pair| pair[0] <= pair[1] + 1), "a sigmoid rises");
}
