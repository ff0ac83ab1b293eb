//! The paths that a prediction can take all give the same bits.

use crate::plain::{self, Feature, all_features, features, prepare};
use srfm_runtime::format::{ALL, BUFFERED, Kernel, Prepared};
use srfm_runtime::{Error, Model};
use srfm_testing::{OwnedBlock, OwnedModel, Rng, Shape};

/// Returns the shape of a model of four readings, and a dozen features of the given order.
fn shape(order: u16, outputs: usize) -> Shape {
    Shape { inputs: 4, outputs, linear: 3, blocks: vec![(order, 12)], ..Shape::default() }
}

fn predict(blob: &[u8], x: &[f32]) -> Vec<f32> {
    let model = Model::parse(blob).unwrap();
    let mut y = vec![f32::NAN; model.outputs()];
    model.predict(x, &mut y).unwrap();
    y
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn features_of_all_inputs_are_those_that_list_them_all() {
    for (seed, kernel) in (0..200).flat_map(|seed| Kernel::ALL.iter().map(move |&kernel| (seed, kernel))) {
        let mut rng = Rng::new(seed);
        let inputs = [1, 2, 3, 4, 5, 7, 15, 16, 17, 18, 256, 257][rng.below(12)];
        let prepared = [0, 0, 1, 2, 4, 15, 16][rng.below(7)];
        let outputs = 1 + rng.below(6);
        let blocks = vec![(ALL, 5), (1, 2), (ALL, 1)];
        let shape = Shape { kernel, inputs, prepared, outputs, linear: 2, blocks, ..Shape::default() };
        let model = OwnedModel::random(&shape, &mut rng);
        let (dense, x) = (model.blob(), rng.floats(inputs.into(), 2.0));
        let predicted = bits(&predict(&dense, &x));
        assert_eq!(predicted, bits(&plain::predict(&model, &x)), "{shape:?}");

        let mut listed = model.clone();
        let blocks = model.blocks.iter().map(|block| {
            let features = features(&model, block);
            let indices = features.iter().flat_map(|feature| feature.support.clone()).collect();
            OwnedBlock { order: features[0].support.len() as u16, indices, ..block.clone() }
        });
        listed.blocks = blocks.collect();
        let blob = listed.blob();
        assert_eq!(predicted, bits(&predict(&blob, &x)), "{shape:?}");
        assert!(blob.len() > dense.len(), "a list takes room");
        let (dense, listed) = (Model::parse(&dense).unwrap(), Model::parse(&blob).unwrap());
        assert_eq!(dense.features(), listed.features());
        assert!((0..=usize::from(inputs)).all(|i| dense.uses_input(i) == listed.uses_input(i)), "{shape:?}");
    }
}

#[test]
fn more_prepared_inputs_than_the_buffer_holds_are_refused() {
    let prepared = |prepared| OwnedModel::random(&Shape { prepared, ..shape(2, 1) }, &mut Rng::new(4)).write();
    assert!([15, 16].into_iter().all(|count| Model::parse(&prepared(count).unwrap()).is_ok()));
    assert_eq!(prepared(17).err(), Some(Error::TooLarge));
}

/// Adds inputs of weight zero to every feature.
fn padded(model: &OwnedModel, order: u16) -> OwnedModel {
    let pad = |mut feature: Feature| {
        feature.weights.resize(order.into(), 0.0);
        feature.support.resize(order.into(), 0);
        feature
    };
    let features: Vec<Feature> = all_features(model).into_iter().map(pad).collect();
    OwnedModel { blocks: vec![block_of(&features)], ..model.clone() }
}

/// Adds an output of zeros.
fn with_silent_output(model: &OwnedModel) -> OwnedModel {
    let silence = |mut feature: Feature| {
        feature.amplitudes.resize(feature.amplitudes.len() + feature.kernel.scales().len(), 0.0);
        feature
    };
    let features: Vec<Feature> = all_features(model).into_iter().map(silence).collect();
    OwnedModel {
        intercepts: [&model.intercepts[..], &[0.0]].concat(),
        linear_weights: model.linear_weights.chunks(model.outputs()).flat_map(|row| [row, &[0.0]].concat()).collect(),
        blocks: vec![block_of(&features)],
        ..model.clone()
    }
}

#[test]
fn every_path_gives_the_same_bits() {
    for (order, seed) in (1..=4).flat_map(|order| (0..500).map(move |seed| (order, seed))) {
        let mut rng = Rng::new(seed);
        let kernel = Kernel::ALL[rng.below(4)];
        let model = OwnedModel::random(&Shape { kernel, ..shape(order, 1) }, &mut rng);
        let x = rng.floats(4, 2.0);
        let single = bits(&predict(&model.blob(), &x));
        assert_eq!(bits(&predict(&padded(&model, 5).blob(), &x)), single, "general loop, order {order}, seed {seed}");
        let mut several = model.clone();
        for outputs in 2..8 {
            several = with_silent_output(&several);
            let predicted = bits(&predict(&several.blob(), &x));
            assert_eq!((predicted[0], predicted.len()), (single[0], outputs), "order {order}, seed {seed}");
            assert!(predicted[1..].iter().all(|&bits| bits == 0), "{outputs} outputs, order {order}, seed {seed}");
        }
        // Readings that no feature uses: the buffer just holds them, no longer does, and indices take two bytes.
        for inputs in [16, 17, 257] {
            let more = OwnedModel { inputs, ..model.clone() };
            let more_x = [&x[..], &vec![9.0; usize::from(inputs) - 4]].concat();
            assert_eq!(bits(&predict(&more.blob(), &more_x)), single, "{inputs} inputs, order {order}, seed {seed}");
        }
        let unprepared = |input| Prepared { centre: 0.0, input, warp: 0, exponent: 0 };
        let prepared = OwnedModel { prepared: (0..4).map(unprepared).collect(), ..model.clone() };
        assert_eq!(bits(&predict(&prepared.blob(), &x)), single, "prepared, order {order}, seed {seed}");
    }
}

#[test]
fn preparing_is_subtracting_first() {
    for seed in 0..500 {
        let mut rng = Rng::new(seed);
        let model = OwnedModel::random(&Shape { prepared: BUFFERED, ..shape(2, 2) }, &mut rng);
        let x = rng.floats(4, 1000.0);
        let direct = OwnedModel { prepared: vec![], inputs: BUFFERED as u16, ..model.clone() };
        let z = prepare(&model, &x);
        assert_eq!(bits(&predict(&model.blob(), &x)), bits(&predict(&direct.blob(), &z)), "seed {seed}");
    }
}

/// A block of features that have the same number of inputs.
fn block_of(features: &[Feature]) -> OwnedBlock {
    OwnedBlock {
        kernel: features[0].kernel,
        order: features[0].weights.len() as u16,
        records: features.iter().flat_map(Feature::record).collect(),
        indices: features.iter().flat_map(|feature| feature.support.clone()).collect(),
    }
}

#[test]
fn the_order_of_features_matters_by_rounding_alone() {
    for seed in 0..1_000 {
        let mut rng = Rng::new(seed);
        let model = OwnedModel::random(&Shape { linear: 0, ..shape(3, 1) }, &mut rng);
        let x = rng.floats(4, 2.0);
        let sum = |intercept, features: &[_]| {
            let blocks = vec![block_of(features)];
            predict(&OwnedModel { intercepts: vec![intercept], blocks, ..model.clone() }.blob(), &x)[0]
        };
        let ordered = all_features(&model);
        let mut shuffled = ordered.clone();
        (1..12).for_each(|i| shuffled.swap(i, rng.below(i + 1)));

        // The summands are the same bits in another order. Twelve additions put either sum within 12 u / (1 - 12 u) of
        // the exact one, relative to the magnitudes; and no summand exceeds its amplitude.
        let intercept = model.intercepts[0];
        let difference = f64::from(sum(intercept, &ordered)) - f64::from(sum(intercept, &shuffled));
        let magnitude = f64::from(ordered.iter().map(|f| f.amplitudes[0].abs()).sum::<f32>() + intercept.abs());
        assert!(difference.abs() <= 2.0 * 12.01 * f64::powi(2.0, -24) * magnitude, "seed {seed}: {difference:e}");
        // The sum of two does not depend on their order at all.
        let [a, b] = [&shuffled[0], &shuffled[1]].map(Feature::clone);
        assert_eq!(sum(0.0, &[a.clone(), b.clone()]).to_bits(), sum(0.0, &[b, a]).to_bits(), "seed {seed}");
    }
}
