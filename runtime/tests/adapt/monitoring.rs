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
