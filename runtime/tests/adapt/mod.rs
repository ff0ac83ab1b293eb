//! Recalibration, intervals and alarms, against independent calculations and hostile values.
#![cfg(feature = "adapt")]

mod filter;
mod monitoring;
mod recalibration;
mod state;

use srfm_runtime::adapt::{Adaptation, Settings, regressors};
use srfm_runtime::{Error, Model, static_model};
use srfm_testing::{Blob, OwnedModel, Rng, Shape};

/// y = 1 + 2 x₁ + … of two inputs.
static MODEL: Model = static_model!("../../golden/plane.srfm");

/// A random model of two inputs that go from −2 to 4, and of an output from −3 to 5.
fn ranged(seed: u64) -> OwnedModel {
    let shape = Shape { inputs: 2, blocks: vec![(2, 3)], ..Shape::default() };
    let mut model = OwnedModel::random(&shape, &mut Rng::new(seed));
    model.ranges = vec![[-2.0, 4.0]; 2];
    model.limits = vec![[-3.0, 5.0]];
    model
}

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

    /// The sum of twelve uniform numbers, which is nearly standard normal.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.share()).sum::<f32>() / 2.0
    }
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
    let blob = ranged(3).blob();
    let model = Model::parse(&blob).unwrap();
    let mut random = Random(3);
    let mut adapted = Adaptation::<7, 28>::new(&model);
    let [low, high] = model.limits().next().unwrap();
    // The range of the output in usual errors is 10.
    let bound = 30.0_f32;
    let hostile = |random: &mut Random| match random.bits() % 6 {
        0 => f32::from_bits(random.bits()),
        1 => [0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38, -1e38, 1e-45][random.bits() as usize % 8],
        2 => 1e6 * random.share(),
        _ => 3.0 * random.share(),
    };
    for _ in 0..1_000_000 {
        let x = [hostile(&mut random), hostile(&mut random)];
        let y = adapted.predict(&model, &x).unwrap();
        assert!(y.is_nan() || (low..=high).contains(&y), "{x:?}: {y}");
        adapted.learn(&model, &x, hostile(&mut random)).unwrap();
        let recalibration = &adapted.recalibration;
        let variance = recalibration.variance(&regressors(&model, &x, y));
        assert!(variance > 0.0 && variance < 63.0 * Settings::DEFAULT.variance, "{variance}");
        let norm2: f32 = recalibration.coefficients().iter().map(|c| c * c).sum();
        assert!(norm2 <= 1.0001 * bound.powi(2), "{norm2}");
        assert!((0.0..=1.0).contains(&recalibration.share()));
        assert!(recalibration.recent_offset().abs() <= bound, "{}", recalibration.recent_offset());
        let half_width = adapted.interval.half_width();
        assert!(half_width.is_finite() && half_width > 0.0, "{half_width}");
    }
    adapted.reset(&model);
    for _ in 0..1000 {
        let x = [random.share(), random.share()];
        let mut factory = [0.0];
        model.predict(&x, &mut factory).unwrap();
        assert_eq!(adapted.predict(&model, &x).unwrap().to_bits(), factory[0].to_bits());
    }
}

/// Returns a file of a model whose output goes from −5 to 7, with this interval in place of 0.75 at the level 0.9.
fn with_interval(level: f32, half_width: f32) -> Blob {
    let mut blob = Blob::new(&std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/golden/intervals.srfm")).unwrap());
    let at = blob.windows(8).position(|bytes| bytes == [0.9_f32, 0.75].map(f32::to_le_bytes).concat()).unwrap();
    blob[at..at + 8].copy_from_slice(&[level, half_width].map(f32::to_le_bytes).concat());
    blob.mend_checksum();
    blob
}

#[test]
fn a_usual_error_follows_from_a_sound_interval_of_90_percent_or_from_the_range() {
    let tenth_of_range = 1.645 * 1.2;
    for (level, half_width, expected) in [
        (0.9, 0.75, 0.75),
        (0.9, 0.0, tenth_of_range),
        (0.9, -1.0, tenth_of_range),
        (0.9, f32::INFINITY, tenth_of_range),
        (0.9, f32::NAN, tenth_of_range),
        (0.5, 0.75, tenth_of_range),
        (f32::NAN, 0.75, tenth_of_range),
    ] {
        let blob = with_interval(level, half_width);
        let adapted = Adaptation::<4, 10>::new(&Model::parse(&blob).unwrap());
        let first = adapted.interval.half_width();
        assert!((first - expected).abs() < 1e-5, "{half_width} at {level}: {first}");
    }
}

#[test]
fn a_file_with_an_impossible_level_has_an_interval() {
    for impossible in [f32::NAN, f32::INFINITY, -1.0, 0.0, 1.0, 1e30] {
        let blob = with_interval(impossible, 0.75);
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
fn a_file_with_a_tiny_interval_keeps_its_predictions() {
    let blob = with_interval(0.9, 1e-38);
    let model = Model::parse(&blob).unwrap();
    assert_eq!(model.half_width(0), Some(1e-38));
    let mut adapted = Adaptation::<4, 10>::new(&model);
    let x = [0.5, 1.5];
    let factory = adapted.predict(&model, &x).unwrap();
    for _ in 0..200 {
        adapted.learn(&model, &x, factory + 1.0).unwrap();
    }
    // The largest correction is 1e15 usual errors, which are a part of the half-width.
    assert!(adapted.recalibration.is_in_use() && adapted.recalibration.recent_offset().is_finite());
    assert_eq!(adapted.predict(&model, &x).unwrap(), factory);
}

#[test]
fn only_models_of_one_quantity_adapt() {
    let model = |outputs, classes: &[&str]| {
        let shape = Shape { inputs: 2, outputs, blocks: vec![(2, 3)], ..Shape::default() };
        let mut model = OwnedModel::random(&shape, &mut Rng::new(1));
        model.classes = classes.iter().map(|&class| class.to_owned()).collect();
        model.blob()
    };
    let x = [0.25, -0.5];
    // Two classes have one output, their score.
    for (outputs, classes) in [(1, &["sound", "worn"][..]), (2, &[]), (3, &["sound", "worn", "broken"])] {
        let blob = model(outputs, classes);
        let model = Model::parse(&blob).unwrap();
        let mut adapted = Adaptation::<4, 10>::new(&model);
        let refused = Error::WrongOutputs { expected: outputs as u16 };
        assert_eq!(adapted.predict(&model, &x), Err(refused), "{classes:?}");
        assert_eq!(adapted.learn(&model, &x, 1.0), Err(refused), "{classes:?}");
        let new = Adaptation::<4, 10>::new(&model);
        assert_eq!((adapted.recalibration, adapted.interval), (new.recalibration, new.interval));
        assert_eq!(adapted.drift, new.drift);
    }
    let quantity = model(1, &[]);
    let model = Model::parse(&quantity).unwrap();
    assert_eq!(Adaptation::<4, 10>::new(&model).learn(&model, &x, 1.0), Ok(true));
}

#[test]
fn nine_inputs_take_half_a_kilobyte_or_with_products_a_fifth_more_than_one() {
    assert_eq!(size_of::<Adaptation<11, 66>>(), 472);
    assert_eq!(size_of::<Adaptation<21, 231>>(), 1212);
}

#[test]
fn regressors_are_one_the_prediction_and_readings_in_their_ranges() {
    let [low, high] = MODEL.limits().next().unwrap();
    assert_eq!(regressors::<4, _>(&MODEL, &[f32::NAN, 1e38], high), [1.0, 1.0, 1.0, 0.0], "readings without ranges");
    assert_eq!(regressors::<2, _>(&MODEL, &[0.0, 0.0], low)[1], -1.0);
    assert_eq!(regressors::<2, _>(&MODEL, &[0.0, 0.0], high + 5.0 * (high - low)), [1.0, 3.0]);
    let blob = ranged(2).blob();
    let ranged = Model::parse(&blob).unwrap();
    for (reading, expected) in
        [(-2.0, -1.0), (1.0, 0.0), (2.5, 0.5), (10.0, 3.0), (10.1, 3.0), (1e38, 3.0), (f32::NEG_INFINITY, -3.0)]
    {
        let phi: [f32; 4] = regressors(&ranged, &[f32::NAN, reading], 0.0);
        assert_eq!(phi[2..], [0.0, expected], "{reading}");
    }
}

#[test]
fn products_of_the_prediction_follow_as_many_as_there_is_room_for() {
    let blob = ranged(2).blob();
    let ranged = Model::parse(&blob).unwrap();
    let [low, high] = ranged.limits().next().unwrap();
    let of = |share: f32| 0.5 * (low + high) + share * 0.5 * (high - low);
    let near = |found: &[f32], expected: &[f32]| {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-5), "{found:?} {expected:?}");
    };
    let x = [2.5, -5.0];
    near(&regressors::<7, _>(&ranged, &x, of(0.5)), &[1.0, 0.5, 0.5, -2.0, 0.25, 0.25, -1.0]);
    near(&regressors::<7, _>(&ranged, &x, of(-2.0)), &[1.0, -2.0, 0.5, -2.0, 3.0, -1.0, 3.0]);
    near(&regressors::<7, _>(&ranged, &x, of(2.0)), &[1.0, 2.0, 0.5, -2.0, 3.0, 1.0, -3.0]);
    near(&regressors::<5, _>(&ranged, &x, of(0.5)), &[1.0, 0.5, 0.5, -2.0, 0.25]);
    near(&regressors::<3, _>(&ranged, &x, of(0.5)), &[1.0, 0.5, 0.5]);
    near(&regressors::<9, _>(&ranged, &[f32::NAN, 1e38], of(0.5)), &[1.0, 0.5, 0.0, 3.0, 0.25, 0.0, 1.5, 0.0, 0.0]);
    near(&regressors::<4, _>(&MODEL, &x, f32::NAN), &[1.0, 0.0, 0.0, 0.0]);
}
