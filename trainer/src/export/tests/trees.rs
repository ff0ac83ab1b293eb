//! Trees: the device takes the branches that the workstation takes.

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::export::{self, Encoding, NumberFormat, finished};
use crate::features::Activation;
use crate::model::{Branch, Condition, Expansion, Model, Tree};
use crate::sampling::{Sampler, SpectralLaw};
use crate::scaling::{Preprocessing, Warp};

/// A tree of `depth` levels with thresholds at rows of `x`.
fn tree(x: &DMatrix<f64>, depth: usize, outputs: usize, sampler: &mut Sampler) -> Tree {
    let mut conditions: Vec<Condition> = Vec::new();
    let mut open = vec![(depth, None)];
    while let Some((depth, parent)) = open.pop() {
        let place = conditions.len();
        if let Some((parent, upper)) = parent {
            let condition: &mut Condition = &mut conditions[parent];
            let branch = if upper { &mut condition.upper } else { &mut condition.lower };
            branch.next = Some(place);
        }
        let mut branch = || Branch {
            amplitudes: (sampler.below(3) > 0).then(|| (0..outputs).map(|_| 0.3 * sampler.normal()).collect()),
            next: None,
        };
        let [lower, upper] = [branch(), branch()];
        let input = sampler.below(x.ncols());
        let threshold = x[(sampler.below(x.nrows()), input)] + 0.01 * sampler.normal();
        conditions.push(Condition { input, threshold, missing_upper: sampler.below(2) == 0, lower, upper });
        for upper in [false, true] {
            if depth > 1 && sampler.below(3) > 0 {
                open.push((depth - 1, Some((place, upper))));
            }
        }
    }
    Tree { conditions }
}

/// A model of twenty trees of four inputs, with some features beside them where `mixed`, and rows for it. One input is
/// a logarithm, one is far from zero, one has five values, and one is limited.
fn random(outputs: usize, mixed: bool, seed: u64) -> (Model, Dataset) {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(700, 4, |_, input| match input {
        0 => 1e4 * libm::exp(-6.0 * sampler.uniform(0.0, 1.0)),
        1 => 1e5 + sampler.normal(),
        2 => sampler.below(5) as f64 - 2.0,
        _ => sampler.normal(),
    });
    let x = x.map(|reading| f64::from(reading as f32));
    let y = DMatrix::from_fn(700, outputs, |_, _| 5.0 + sampler.normal());
    let data = Dataset::new(x, y).unwrap();
    let warps = vec![Warp::Log, Warp::Identity, Warp::Identity, Warp::Identity];
    let preprocessing = Preprocessing { warps, replacements: vec![None, Some(1e5), None, None], ..Default::default() };
    let scaling = preprocessing.learn(&data);
    let scaled = scaling.apply(&data).x;
    let count = if mixed { 10 } else { 0 };
    let features = SpectralLaw::Normal { scale: 1.0 }.sample(count, &[0, 1, 2, 3], 2, &mut sampler);
    let expansion = Expansion {
        activation: Activation::Sine,
        coefficients: DMatrix::from_fn(count, outputs, |_, _| 0.2 * sampler.normal()),
        features,
        intercept: DMatrix::zeros(1, outputs),
        linear: DMatrix::zeros(4, outputs),
        trees: (0..20).map(|_| tree(&scaled, 4, outputs, &mut sampler)).collect(),
    };
    (Model::new("by hand", expansion, scaling, &data), data)
}

#[test]
fn the_device_takes_the_branches_of_the_workstation() {
    for seed in 0..6 {
        for (outputs, mixed) in [(1, false), (3, false), (1, true), (2, true)] {
            let (model, data) = random(outputs, mixed, seed);
            for number in [NumberFormat::F32, NumberFormat::Int, NumberFormat::Int16] {
                let encoding = Encoding { number, max_error: 0.01, ..Encoding::default() };
                let exported = finished(model.clone(), &data, encoding).unwrap();
                let parsed = exported.blob.model();
                let rules: usize = model.expansion.trees.iter().map(Tree::rules).sum();
                assert_eq!((parsed.trees().unwrap().count(), parsed.rules()), (20, rules));
                // Other readings than those of the fit: no threshold lies between them and the device.
                let mut sampler = Sampler::new(seed + 50);
                let other = data.x.map(|reading| f64::from((reading + 0.02 * sampler.normal()) as f32));
                let device: DMatrix<f64> = export::predict(&exported.blob, &other).cast();
                let off = (device - exported.model.predict(&other)).amax();
                assert!(off < 0.02, "seed {seed}, {outputs} outputs, mixed {mixed}, {number:?}: {off}");
            }
        }
    }
}

#[test]
fn single_precision_hardly_moves_thresholds() {
    for seed in 0..5 {
        let (model, data) = random(1, false, seed);
        let exported = finished(model.clone(), &data, Encoding::default()).unwrap();
        let pairs = model.expansion.trees.iter().zip(&exported.model.expansion.trees);
        for (before, after) in pairs.flat_map(|(before, after)| before.conditions.iter().zip(&after.conditions)) {
            // Counts of 16 bits: where the range spans zero, about a 256th of the reading. Readings of 100,000 are
            // 1/128 apart.
            let off = (before.threshold - after.threshold).abs();
            let step = if before.input == 1 { 1.0 / 128.0 } else { 0.0 };
            assert!(off <= step + 0.005 * (1.0 + before.threshold.abs()), "{before:?}, {after:?}");
        }
    }
}

#[test]
fn an_input_of_rules_alone_is_not_prepared() {
    let (model, data) = random(1, false, 1);
    let exported = finished(model, &data, Encoding::default()).unwrap();
    let parsed = exported.blob.model();
    assert!(parsed.prepared().is_empty());
    assert!((0..4).all(|input| parsed.uses_input(input)));
}

#[test]
fn a_missing_reading_goes_where_its_replacement_goes() {
    let (model, data) = random(1, false, 2);
    for number in [NumberFormat::F32, NumberFormat::Int] {
        let exported = finished(model.clone(), &data, Encoding::from(number)).unwrap();
        let with = |reading: f64| {
            let mut x = data.x.rows(0, 50).into_owned();
            x.column_mut(1).fill(reading);
            export::predict(&exported.blob, &x)
        };
        assert_eq!(with(f64::NAN), with(1e5));
    }
}
