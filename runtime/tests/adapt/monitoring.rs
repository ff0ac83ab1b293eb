//! Intervals that keep their share, and alarms of drift.

use srfm_runtime::adapt::{Drift, Interval};

use super::Random;

#[test]
fn intervals_keep_their_share_when_errors_grow() {
    let mut random = Random(4);
    let mut interval = Interval::new(1.645, 0.9);
    let mut within = 0;
    for step in 0..4000 {
        let error = random.normal() * if step < 2000 { 1.0 } else { 3.0 };
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
fn one_wild_error_widens_the_interval_by_less_than_half() {
    let mut interval = Interval::new(1.0, 0.9);
    interval.learn(1e6);
    // The mean takes an error of four times its own, and the factor a step of 0.1 times 0.9.
    let expected = 1.3 * 1.09;
    assert!((interval.half_width() - expected).abs() < 1e-5, "{}", interval.half_width());
}

#[test]
fn a_single_wild_residual_is_no_alarm() {
    for sign in [1.0, -1.0] {
        let mut drift = Drift::new();
        let alarm = (1..10).find(|_| {
            drift.learn(sign * 1e3);
            drift.is_alarmed()
        });
        // Each counts as 3 usual errors, of which a sum takes 2.5.
        assert_eq!(alarm, Some(5));
    }
}

#[test]
fn cleared_alarms_begin_anew() {
    for residual in [2.0, -2.0] {
        let mut drift = Drift::new();
        (0..20).for_each(|_| drift.learn(residual));
        drift.count(3);
        drift.count(0);
        assert!(drift.is_alarmed() && drift.outside() == (1, 2));
        drift.clear();
        assert!(!drift.is_alarmed() && drift.outside() == (0, 0));
        drift.learn(residual);
        assert!(!drift.is_alarmed());
        assert_ne!(drift, Drift::new());
        drift.clear();
        assert_eq!(drift, Drift::new());
    }
}

#[test]
fn alarms_come_with_drift_and_not_without() {
    let mut random = Random(5);
    let mut still = Drift::new();
    let alarms = (0..20_000)
        .filter(|_| {
            still.learn(random.normal());
            still.is_alarmed()
        })
        .count();
    assert_eq!(alarms, 0);
    let mut delay = |shift: f32, scale: f32| {
        let mut drift = Drift::new();
        (1..1000).find(|_| {
            drift.learn(scale * random.normal() + shift);
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
