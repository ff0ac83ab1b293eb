//! What a wrong reference does, the recent offset, what corrections cost without drift, and rollback.

use srfm_runtime::adapt::{Recalibration, Settings};

use super::Random;

/// A residual without noise, of the number of references so far.
type Curve = fn(f32) -> f32;

/// The change of the next correction, in usual errors, by a reference of 1e9 in place of a right one.
fn moved<const N: usize, const T: usize>(seed: u64, drift: fn(f32) -> f32) -> f32 {
    let mut random = Random(seed);
    let mut right = Recalibration::<N, T>::new(Settings::DEFAULT);
    let row = |random: &mut Random| std::array::from_fn(|i| if i == 0 { 1.0 } else { random.share() });
    let references = 300 + 7 * seed;
    for step in 0..references {
        right.learn(&row(&mut random), drift(step as f32) + random.normal());
    }
    let (mut wrong, at, next) = (right.clone(), row(&mut random), row(&mut random));
    wrong.learn(&at, 1e9);
    right.learn(&at, drift(references as f32) + random.normal());
    (wrong.correction(&next) - right.correction(&next)).abs()
}

#[test]
fn one_wrong_reference_moves_the_next_correction_by_a_few_usual_errors_and_by_more_in_drift() {
    fn wave(step: f32, period: f32) -> f32 {
        4.0 * (std::f32::consts::TAU * step / period).sin()
    }
    let cases: [(Curve, f32); 4] =
        [(|_| 0.0, 1.0), (|_| 5.0, 4.0), (|step| wave(step, 200.0), 7.0), (|step| wave(step, 94.0), 7.0)];
    for (case, (drift, most)) in cases.into_iter().enumerate() {
        for moved in [moved::<4, 10>, moved::<11, 66>, moved::<21, 231>] {
            let worst = (1..=20).map(|seed| moved(seed, drift)).fold(0.0, f32::max);
            assert!(worst > 0.0 && worst < most, "case {case}: {worst}");
        }
    }
}

#[test]
fn the_recent_offset_is_half_a_mean_of_what_the_filter_leaves_and_reduces_it() {
    let mut random = Random(6);
    let mut recalibration = Recalibration::<2, 3>::new(Settings::DEFAULT);
    let (mut offset, mut gain, mut power, mut squares) = (0.0_f64, 0.0, 0.0, [0.0_f64; 2]);
    let (mut rest, mut counted) = (1.0, 1.0);
    for step in 0..400 {
        let phi = [1.0, random.share()];
        // A shift that turns every eight references, sooner than the coefficients follow.
        let residual = if step / 8 % 2 == 0 { 2.0 } else { -2.0 } + 0.1 * random.share();
        let whole = f64::from(recalibration.coefficients().iter().zip(phi).map(|(c, x)| c * x).sum::<f32>());
        let left = f64::from(residual) - f64::from(recalibration.share()) * whole;
        let corrected = f64::from(residual) - f64::from(recalibration.correction(&phi));
        assert!((left - corrected - f64::from(recalibration.recent_offset())).abs() < 1e-5, "{step}");
        squares = [squares[0] + left.powi(2), squares[1] + corrected.powi(2)];
        gain = 0.98 * gain + left * offset;
        power = 0.98 * power + offset * offset;
        (rest, counted) = (0.98 * rest + (left - offset).powi(2), 0.98 * counted + 1.0);
        offset += 0.5 * (0.5 * left - offset);
        recalibration.learn(&phi, residual);
        let expected = offset * (gain / (power + 5.0 * rest / counted)).clamp(0.0, 1.0);
        // Each step rounds to 24 bits, and halves the differences of the steps before.
        assert!((f64::from(recalibration.recent_offset()) - expected).abs() < 1e-5, "{step}: {expected}");
    }
    // At seven of eight references the shift is that of the reference before.
    assert!(squares[1] < 0.9 * squares[0], "{squares:?}");
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
        let residual = random.normal();
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
            worst = worst.max(growth::<21, 231>(seed, share));
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
    assert!(recalibration.coefficients()[0] < -7.0 && recalibration.recent_offset() != 0.0);
    recalibration.rollback();
    assert_eq!((*recalibration.coefficients(), recalibration.recent_offset()), (good, 0.0));
    recalibration.reset();
    assert_eq!(recalibration, Recalibration::new(Settings::DEFAULT));
}

#[test]
fn a_rollback_after_wild_references_restores_the_correction_and_learns_on_from_it() {
    let (mut recalibration, phi) = (Recalibration::<2, 3>::new(Settings::DEFAULT), [1.0, 0.5]);
    (0..60).for_each(|_| recalibration.learn(&phi, 2.0));
    let before = recalibration.correction(&phi);
    assert!((1.9..2.0).contains(&before), "{before}");
    let without_recent = before - recalibration.recent_offset();
    recalibration.save();
    for step in 0..20 {
        recalibration.learn(&phi, if step / 5 % 2 == 0 { -20.0 } else { 20.0 });
    }
    let wild = recalibration.correction(&phi);
    assert!((wild - before).abs() > 1.0 && recalibration.recent_offset() > 1.0, "{wild}");
    recalibration.rollback();
    let restored = recalibration.correction(&phi);
    // One sum and one difference are rounded to 24 bits.
    assert!((restored - without_recent).abs() < 1e-6 && (restored - before).abs() < 0.1, "{restored} {before}");
    let mut limited = recalibration.clone();
    recalibration.learn(&phi, 2.0);
    let agreed = recalibration.correction(&phi);
    assert!((agreed - restored).abs() < 0.1, "{agreed} {restored}");
    // The wild references do not count as usual: a surprise is at most five usual errors again.
    limited.learn(&phi, 1e6);
    let whole: f32 = limited.coefficients().iter().zip(phi).map(|(c, x)| c * x).sum();
    assert!((5.0..7.0).contains(&whole), "{whole}");
    assert_eq!(limited.recent_offset(), 0.0, "the recent offset and its share start anew");
}

#[test]
fn the_largest_residuals_leave_a_correction() {
    let settings = Settings { bound: 1e15, ..Settings::DEFAULT };
    let mut recalibration = Recalibration::<1, 1>::new(settings);
    for _ in 0..2000 {
        recalibration.learn(&[1.0], 1e37);
        let share = recalibration.share();
        assert!((0.0..=1.0).contains(&share), "{share}");
        assert!(recalibration.correction(&[1.0]).is_finite());
    }
}
