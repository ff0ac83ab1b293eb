//! Limits hold for every reading but NaN, whatever the model.

use crate::plain;
use srfm_runtime::Model;
use srfm_runtime::format::{Kernel, Number, REPLACED};
use srfm_testing::{OwnedIntegers, OwnedModel, Rng, Shape};

/// Returns a shape of a model whose outputs have limits.
fn limited(rng: &mut Rng) -> Shape {
    Shape { limited: true, sections: false, ..Shape::random(rng) }
}

#[test]
fn outputs_stay_within_their_limits() {
    let (mut at_limits, mut rescued, mut unknown) = (0, 0, 0);
    for seed in 0..20_000 {
        let mut rng = Rng::new(seed);
        let model = OwnedModel::random(&limited(&mut rng), &mut rng);
        let blob = model.blob();
        let parsed = Model::parse(&blob).unwrap();
        let x = rng.hostile(model.inputs.into());
        let mut y = vec![0.0; model.outputs()];
        parsed.predict(&x, &mut y).unwrap();
        let z = plain::prepare(&model, &x);
        let unlimited = OwnedModel { limits: vec![], ..model.clone() };
        let unlimited = plain::predict(&unlimited, &x);
        for ((&y, [low, high]), free) in y.iter().zip(parsed.limits()).zip(unlimited) {
            if z.iter().any(|z| z.is_nan()) && y.is_nan() {
                unknown += 1;
                continue;
            }
            assert!(low <= y && y <= high, "seed {seed}: {y} beyond {low} and {high}");
            at_limits += usize::from(y == low || y == high);
            rescued += usize::from(free.is_nan());
        }
    }
    // Predictions meet their limits, some of them because a difference of infinities is none.
    assert!(at_limits > 3_000 && unknown > 1_000, "{at_limits}, {unknown}");
    println!("{at_limits} at their limits, {rescued} not numbers otherwise, {unknown} unknown");
}

#[test]
fn integer_outputs_stay_within_their_limits() {
    let mut at_limits = 0;
    let mut missing = 0;
    for seed in 0..10_000 {
        let mut rng = Rng::new(seed);
        let number = [Number::I32, Number::I16][rng.below(2)];
        let model = OwnedIntegers::random(number, &limited(&mut rng), &mut rng);
        let blob = model.blob();
        let parsed = Model::parse(&blob).unwrap();
        let mut y = vec![0.0; parsed.outputs()];
        parsed.predict(&rng.hostile(parsed.inputs()), &mut y).unwrap();
        if y.iter().all(|y| y.is_nan()) {
            missing += 1;
            continue;
        }
        for (&y, [low, high]) in y.iter().zip(parsed.limits()) {
            assert!(low <= y && y <= high, "seed {seed}: {y} beyond {low} and {high}");
            at_limits += usize::from(y == low || y == high);
        }
    }
    assert!(at_limits > 2_000 && missing > 500, "{at_limits}, {missing}");
}

#[test]
fn differences_of_infinities_give_the_lower_limit() {
    for &kernel in Kernel::ALL {
        let shape = Shape { kernel, inputs: 2, linear: 2, blocks: vec![(2, 3)], ..Shape::default() };
        let mut model = OwnedModel::random(&shape, &mut Rng::new(1));
        (model.limits, model.linear_inputs, model.linear_weights) = (vec![[-3.0, 5.0]], vec![0, 1], vec![1.0, -1.0]);
        let blob = model.blob();
        let predict = |x: [f32; 2]| {
            let mut y = [0.0];
            Model::parse(&blob).unwrap().predict(&x, &mut y).unwrap();
            y[0]
        };
        assert_eq!(predict([f32::INFINITY; 2]), -3.0, "{kernel:?}");
        assert!(predict([f32::INFINITY, f32::NAN]).is_nan() && predict([0.5, f32::NAN]).is_nan(), "{kernel:?}");
    }
}

#[test]
fn missing_readings_are_replaced() {
    let mut replaced = 0;
    for seed in 0..5_000 {
        let mut rng = Rng::new(seed);
        let model = OwnedModel::random(&Shape { bounded: true, trees: 0, ..limited(&mut rng) }, &mut rng);
        let Some(i) = model.prepared.iter().position(|p| p.warp & REPLACED != 0) else { continue };
        let input = model.prepared[i].input;
        // Prepared twice, a reading may have two replacements.
        if model.prepared.iter().filter(|p| p.input == input).count() > 1 {
            continue;
        }
        let (blob, mut x) = (model.blob(), rng.floats(model.inputs.into(), 2.0));
        let predict = |x: &[f32]| {
            let mut y = vec![0.0; model.outputs()];
            Model::parse(&blob).unwrap().predict(x, &mut y).unwrap();
            y
        };
        x[usize::from(input)] = f32::NAN;
        let missing = predict(&x);
        x[usize::from(input)] = model.replacements[i];
        assert_eq!(missing, predict(&x), "seed {seed}");
        replaced += 1;
    }
    assert!(replaced > 300, "{replaced}");
}
