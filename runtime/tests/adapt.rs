//! Recalibration, intervals and alarms, against independent calculations and hostile values.
#![cfg(feature = "adapt")]

use srfm_runtime::adapt::{Adaptation, Drift, Interval, Recalibration, Settings, regressors};
use srfm_runtime::{Model, static_model};
use srfm_testing::Blob;

/// y = 1 + 2 x₁ + … of two inputs.
static MODEL: Model = static_model!("../golden/plane.srfm");

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// A number from −1 to 1.
    fn share(&mut self) -> f32 {
        self.bits() as f32 / 2_147_483_648.0 - 1.0
    }
}

/// Solves `a x = b` by Gauss–Jordan elimination with pivots.
fn solved<const N: usize>(mut a: [[f64; N]; N], mut b: [f64; N]) -> [f64; N] {
    for column in 0..N {
        let pivot = (column..N).max_by(|&i, &j| a[i][column].abs().total_cmp(&a[j][column].abs())).unwrap();
        a.swap(column, pivot);
        b.swap(column, pivot);
        for row in (0..N).filter(|&row| row != column) {
            let factor = a[row][column] / a[column][column];
            let pivot = a[column];
            a[row].iter_mut().zip(pivot).for_each(|(a, pivot)| *a -= factor * pivot);
            b[row] -= factor * b[column];
        }
    }
    std::array::from_fn(|i| b[i] / a[i][i])
}

#[test]
fn coefficients_are_those_of_ridge_regression_with_forgetting() {
    const N: usize = 11;
    let mut random = Random(1);
    let settings = Settings { forgetting: 0.9, ..Settings::DEFAULT };
    let mut recalibration = Recalibration::<N, 66>::new(settings);
    let (mut a, mut b) = ([[0.0; N]; N], [0.0; N]);
    let mut worst = 0.0_f64;
    for _ in 0..300 {
        let mut phi = [1.0; N];
        phi[1..].iter_mut().for_each(|x| *x = random.share());
        let residual = 0.7 - 0.4 * phi[3] + 0.25 * phi[8] + 0.1 * random.share();
        recalibration.learn(&phi, residual);
        for i in 0..N {
            for j in 0..N {
                a[i][j] = 0.9 * a[i][j] + f64::from(phi[i]) * f64::from(phi[j]);
            }
            b[i] = 0.9 * b[i] + f64::from(phi[i]) * f64::from(residual);
        }
        let mut with_ridge = a;
        (0..N).for_each(|i| with_ridge[i][i] += 1.0);
        let expected = solved(with_ridge, b);
        let differences = expected.iter().zip(recalibration.coefficients()).map(|(e, &c)| (e - f64::from(c)).abs());
        worst = differences.fold(worst, f64::max);
    }
    // Sums of at most ten weights are rounded to 24 bits; the ridge keeps the condition below 100.
    assert!(worst < 1e-5, "{worst}");
    assert!(worst > 0.0);
}

#[test]
fn a_sensor_that_drifts_is_followed_and_one_that_does_not_is_left_alone() {
    let mut random = Random(2);
    for gain in [1.0, 1.5] {
        let mut adapted = Adaptation::<4, 10>::new(&MODEL);
        let (mut factory_errors, mut errors, mut counted) = (0.0, 0.0, 0);
        for step in 0..600 {
            let x = [random.share(), random.share()];
            let mut factory = [0.0];
            MODEL.predict(&x, &mut factory).unwrap();
            let truth = gain * factory[0] + 0.05 * random.share();
            if step > 100 {
                errors += (adapted.predict(&MODEL, &x).unwrap() - truth).powi(2);
                factory_errors += (factory[0] - truth).powi(2);
                counted += 1;
            }
            assert!(adapted.learn(&MODEL, &x, truth).unwrap());
        }
        assert_eq!(counted, 499);
        let ratio = (errors / factory_errors).sqrt();
        // Without drift a correction may cost a little; with one, limits and the ridge leave some of it.
        assert!(if gain > 1.0 { ratio < 0.6 } else { ratio < 1.03 }, "gain {gain}: {ratio}");
    }
}

#[test]
fn a_million_hostile_updates_stay_finite_and_within_the_bound() {
    const N: usize = 4;
    let mut random = Random(3);
    let mut adapted = Adaptation::<N, 10>::new(&MODEL);
    let [low, high] = MODEL.limits().next().unwrap();
    // The range of the output in usual errors, or 30.
    let bound = ((high - low) / (MODEL.half_width(0).unwrap_or(0.1645 * (high - low)) / 1.645)).max(30.0);
    let hostile = |random: &mut Random| match random.bits() % 6 {
        0 => f32::from_bits(random.bits()),
        1 => [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38, -1e38, 1e-45][random.bits() as usize % 8],
        2 => 1e6 * random.share(),
        _ => 3.0 * random.share(),
    };
    for _ in 0..1_000_000 {
        let x = [hostile(&mut random), hostile(&mut random)];
        let y = adapted.predict(&MODEL, &x).unwrap();
        assert!(y.is_nan() || (low..=high).contains(&y), "{x:?}: {y}");
        adapted.learn(&MODEL, &x, hostile(&mut random)).unwrap();
        let recalibration = &adapted.recalibration;
        let norm2: f32 = recalibration.coefficients().iter().map(|c| c * c).sum();
        assert!(norm2 <= 1.0001 * bound.powi(2), "{norm2}");
        assert!((0.0..=1.0).contains(&recalibration.share()));
        let half_width = adapted.interval.half_width();
        assert!(half_width.is_finite() && half_width > 0.0, "{half_width}");
    }
    adapted.reset(&MODEL);
    for _ in 0..1000 {
        let x = [random.share(), random.share()];
        let mut factory = [0.0];
        MODEL.predict(&x, &mut factory).unwrap();
        assert_eq!(adapted.predict(&MODEL, &x).unwrap().to_bits(), factory[0].to_bits());
    }
}

/// The error of corrections over that of the factory's model, for residuals that do not drift, of which a share are
/// references.
fn growth<const N: usize, const T: usize>(seed: u64, share: f32) -> f64 {
    let mut random = Random(seed);
    let mut recalibration = Recalibration::<N, T>::new(Settings::DEFAULT);
    let mut squares = [0.0_f64; 2];
    for _ in 0..5000 {
        let mut phi = [1.0; N];
        phi[1..].iter_mut().for_each(|x| *x = random.share());
        let residual = (0..12).map(|_| random.share()).sum::<f32>() / 2.0;
        if 0.5 * random.share() + 0.5 < share {
            recalibration.learn(&phi, residual);
        } else {
            squares[0] += f64::from(residual).powi(2);
            squares[1] += f64::from(residual - recalibration.correction(&phi)).powi(2);
        }
    }
    (squares[1] / squares[0]).sqrt()
}

#[test]
fn without_drift_little_is_lost() {
    let mut worst = 0.0_f64;
    for seed in 1..=20 {
        for share in [0.02, 0.1] {
            worst = worst.max(growth::<11, 66>(seed, share)).max(growth::<4, 10>(seed, share));
        }
    }
    assert!(worst > 1.0 && worst < 1.03, "{worst}");
}

#[test]
fn a_rollback_returns_to_what_was_saved() {
    let mut recalibration = Recalibration::<2, 3>::new(Settings::DEFAULT);
    let learn = |recalibration: &mut Recalibration<2, 3>, residual: f32| {
        (0..40).for_each(|step| recalibration.learn(&[1.0, if step % 2 == 0 { 1.0 } else { -1.0 }], residual));
    };
    learn(&mut recalibration, 2.0);
    let good = *recalibration.coefficients();
    assert!((good[0] - 2.0).abs() < 0.15 && good[1].abs() < 0.15, "{good:?}");
    recalibration.save();
    learn(&mut recalibration, -9.0);
    assert!(recalibration.coefficients()[0] < -7.0);
    recalibration.rollback();
    assert_eq!(*recalibration.coefficients(), good);
    recalibration.reset();
    assert_eq!(recalibration, Recalibration::new(Settings::DEFAULT));
}

#[test]
fn intervals_keep_their_share_when_errors_grow() {
    let mut random = Random(4);
    let mut interval = Interval::new(1.645, 0.9);
    // The sum of twelve uniform numbers is nearly normal.
    let mut normal = || (0..12).map(|_| random.share()).sum::<f32>() / 2.0;
    let mut within = 0;
    for step in 0..4000 {
        let error = normal() * if step < 2000 { 1.0 } else { 3.0 };
        within += u32::from(error.abs() <= interval.half_width());
        interval.learn(error);
    }
    // Three deviations of 4,000 rows are 1.4 %; the step to errors three times as large costs a few.
    assert!((3500..3660).contains(&within), "{within}");
    assert!((3.0..8.0).contains(&interval.half_width()), "{}", interval.half_width());
}

#[test]
fn intervals_stay_numbers_after_the_largest_errors() {
    let mut interval = Interval::new(1.0, 0.9);
    for count in 0..2000 {
        interval.learn(f32::MAX);
        assert!(interval.half_width().is_finite(), "after {count}");
    }
    assert!(interval.half_width() > 1e36);
    for _ in 0..3000 {
        interval.learn(1.0);
    }
    assert!((0.5..10.0).contains(&interval.half_width()), "{}", interval.half_width());
}

#[test]
fn a_file_with_an_impossible_level_has_an_interval() {
    let golden = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/golden/intervals.srfm")).unwrap();
    let level = Model::parse(&Blob::new(&golden)).unwrap().level().unwrap();
    let at = golden.windows(4).position(|bytes| bytes == level.to_le_bytes()).unwrap();
    for impossible in [f32::NAN, f32::INFINITY, -1.0, 0.0, 1.0, 1e30] {
        let mut blob = Blob::new(&golden);
        blob[at..at + 4].copy_from_slice(&impossible.to_le_bytes());
        blob.mend_checksum();
        let model = Model::parse(&blob).unwrap();
        assert_eq!(model.level().unwrap().to_bits(), impossible.to_bits());
        let mut interval = Adaptation::<4, 10>::new(&model).interval;
        let before = interval.half_width();
        for _ in 0..50 {
            interval.learn(before / 2.0);
        }
        assert!(interval.half_width() > 0.0 && interval.half_width() < before, "level {impossible}");
    }
}

#[test]
fn alarms_come_with_drift_and_not_without() {
    let mut random = Random(5);
    let mut normal = || (0..12).map(|_| random.share()).sum::<f32>() / 2.0;
    let mut still = Drift::new();
    let alarms = (0..20_000)
        .filter(|_| {
            still.learn(normal());
            still.is_alarmed()
        })
        .count();
    assert_eq!(alarms, 0);
    let mut delay = |shift: f32, scale: f32| {
        let mut drift = Drift::new();
        (1..1000).find(|_| {
            drift.learn(scale * normal() + shift);
            drift.is_alarmed()
        })
    };
    assert!(delay(1.0, 1.0).is_some_and(|references| (10..60).contains(&references)));
    assert!(delay(-1.0, 1.0).is_some_and(|references| (10..60).contains(&references)));
    assert!(delay(0.0, 3.0).is_some_and(|references| (5..60).contains(&references)));
    still.count(0);
    still.count(2);
    assert_eq!(still.outside(), (1, 2));
}

#[test]
fn nine_inputs_take_less_than_a_kilobyte() {
    assert_eq!(size_of::<Adaptation<11, 66>>(), 460);
}

#[test]
fn regressors_are_one_the_prediction_and_readings_in_their_ranges() {
    let [low, high] = MODEL.limits().next().unwrap();
    let phi: [f32; 4] = regressors(&MODEL, &[f32::NAN, 1e38], high);
    assert_eq!((phi[0], phi[1]), (1.0, 1.0));
    assert_eq!(regressors::<2, _>(&MODEL, &[0.0, 0.0], low)[1], -1.0);
    assert!(phi[2..].iter().all(|x| (-3.0..=3.0).contains(x)));
}

#[test]
fn sums_beyond_the_range_of_numbers_leave_a_share() {
    let settings = Settings { bound: f32::MAX, ..Settings::DEFAULT };
    let mut recalibration = Recalibration::<1, 1>::new(settings);
    for _ in 0..2000 {
        recalibration.learn(&[1.0], 1e37);
        let share = recalibration.share();
        assert!((0.0..=1.0).contains(&share), "{share}");
    }
}
