//! Predictions: how far they are from real numbers, and the laws that they keep to the last bit.

use std::collections::HashMap;
use std::f64::consts::TAU;

use srfm_runtime::format::{ALL, BUFFERED, Kernel, Prepared};
use srfm_runtime::kernel::{AllWarps, Warps};
use srfm_runtime::{Error, Model, include_model, static_model};
use srfm_tests::{OwnedBlock, OwnedModel, Rng, Shape};

/// All kernels.
const KERNELS: [Kernel; 4] = [Kernel::Cosine, Kernel::Sincos, Kernel::Sigmoid, Kernel::Relu];

#[test]
fn what_is_not_a_number_stays_so() {
    for kernel in KERNELS {
        let blob = OwnedModel::random(&Shape { kernel, ..shape(2, 1) }, &mut Rng::new(3)).blob();
        let used = (0..4).find(|&i| Model::parse(&blob).unwrap().uses_input(i)).unwrap();
        let mut x = [0.0; 4];
        x[used] = f32::NAN;
        assert!(predict(&blob, &x)[0].is_nan(), "{kernel:?}");
    }
}

/// Four readings, and a dozen features of the given order.
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

/// What features and linear terms read.
fn prepare(model: &OwnedModel, x: &[f32]) -> Vec<f32> {
    match &*model.prepared {
        [] => x.to_vec(),
        prepared => prepared.iter().map(|p| AllWarps::reading(p.warp, x[usize::from(p.input)]) - p.centre).collect(),
    }
}

/// A feature as the file has it, its indices written out.
#[derive(Clone)]
struct Feature {
    /// None with the kernel of pairs.
    bias: Option<f32>,
    weights: Vec<f32>,
    /// The amplitudes of each output together.
    amplitudes: Vec<f32>,
    support: Vec<u16>,
}

impl Feature {
    fn record(&self) -> Vec<f32> {
        self.bias.iter().chain(&self.weights).chain(&self.amplitudes).copied().collect()
    }
}

/// The features of one block.
fn features(model: &OwnedModel, block: &OwnedBlock) -> Vec<Feature> {
    let view = if model.prepared.is_empty() { model.inputs } else { model.prepared.len() as u16 };
    let order = usize::from(if block.order == ALL { view } else { block.order });
    let biased = usize::from(model.kernel != Kernel::Sincos);
    let feature = |(j, record): (usize, &[f32])| Feature {
        bias: (biased == 1).then(|| record[0]),
        weights: record[biased..][..order].to_vec(),
        amplitudes: record[biased + order..].to_vec(),
        support: match block.order {
            ALL => (0..view).collect(),
            _ => block.indices[j * order..][..order].to_vec(),
        },
    };
    block.records.chunks_exact(model.kernel.words(order, model.outputs())).enumerate().map(feature).collect()
}

/// The features of all blocks.
fn all_features(model: &OwnedModel) -> Vec<Feature> {
    model.blocks.iter().flat_map(|block| features(model, block)).collect()
}

/// The values that FORMAT.md describes, down to the bits of the coefficients.
fn values_plainly(kernel: Kernel, t: f32) -> Vec<f32> {
    let [d0, d1, d2] = [0xbdb5_414c, 0x3f15_0f75, 0xbf92_a7f2].map(f32::from_bits);
    let [e0, e1, e2, e3] = [0x3c91_a7c0, 0xbeb3_b1d5, 0x3f93_c844, 0xbfc1_feeb].map(f32::from_bits);
    let [c0, c1, c2, c3] = [0x42d0_fbe8, 0x4290_d9fe, 0x41c8_d4e6, 0x40ba_f86c].map(f32::from_bits);
    match kernel {
        Kernel::Cosine => {
            let r = t - ((t + 12_582_912.0) - 12_582_912.0);
            let s = 0.25 - r.abs();
            let u = s * s;
            vec![s * (d0 + u * (d1 + u * (d2 + u)))]
        }
        Kernel::Sincos => {
            let n = t + 6_291_456.0;
            let r = t - (n - 6_291_456.0);
            let u = r * r;
            let w = u * u;
            let sign = if n.to_bits() % 2 == 1 { -1.0 } else { 1.0 };
            vec![sign * (r * ((d0 + u * d1) + w * (d2 + u))), sign * ((e0 + u * e1) + w * ((e2 + u * e3) + w))]
        }
        Kernel::Sigmoid => {
            let p = (t * f32::from_bits(0xbfb8_aa3b)).clamp(-64.0, 64.0);
            let n = p + 12_583_039.0;
            let f = p - (n - 12_583_039.0);
            let power = f32::from_bits(n.to_bits() << 23);
            vec![1.0 / (f32::from_bits(0x42d0_fbf2) + (c0 + f * (c1 + f * (c2 + f * (c3 + f)))) * power)]
        }
        Kernel::Relu => vec![t + t.abs()],
    }
}

/// The documented order of summation, written down without a thought for speed.
fn predict_plainly(model: &OwnedModel, x: &[f32]) -> Vec<f32> {
    let z = prepare(model, x);
    let mut y = model.intercepts.clone();
    for (o, y) in y.iter_mut().enumerate() {
        for (i, &input) in model.linear_inputs.iter().enumerate() {
            *y += model.linear_weights[i * model.outputs() + o] * z[usize::from(input)];
        }
        for feature in all_features(model) {
            let mut t = feature.bias.unwrap_or(-0.0);
            for (weight, &input) in feature.weights.iter().zip(&feature.support) {
                t += weight * z[usize::from(input)];
            }
            let values = values_plainly(model.kernel, t);
            for (v, value) in values.iter().enumerate() {
                *y += feature.amplitudes[o * values.len() + v] * value;
            }
        }
    }
    y
}

/// A kernel's functions at `t`, their slopes and their largest errors. That of a positive part is relative to `t`: none.
fn values_exactly(kernel: Kernel, t: f64) -> Vec<(f64, f64, f64)> {
    match kernel {
        Kernel::Cosine => vec![((TAU * t).cos(), TAU, 7.2e-7)],
        Kernel::Sincos => vec![((TAU * t).sin(), TAU, 7.4e-7), ((TAU * t).cos(), TAU, 1.7e-7)],
        Kernel::Sigmoid => vec![(1.0 / (1.0 + (-t).exp()), 0.25, 7.1e-7)],
        Kernel::Relu => vec![(t.max(0.0), 1.0, 0.0)],
    }
}

/// The formula in `f64`, and how far `f32` may be from it.
///
/// With the unit roundoff u = 2⁻²⁴, a sum of products in which no term meets more than n roundings is off by at most
/// γ_n = n u / (1 - n u) times the sum of the magnitudes of its terms. In an angle of q inputs a term meets the
/// subtraction of its centre, its product and q additions: γ_{q+2}; a value then carries that error times its slope, and its
/// own. In an output of s summands a term meets a centre, a product and s additions: γ_{s+2}.
fn predict_exactly(model: &OwnedModel, x: &[f32]) -> Vec<(f64, f64)> {
    let gamma = |n: usize| {
        let nu = n as f64 * f64::powi(2.0, -24);
        nu / (1.0 - nu)
    };
    let z: Vec<f64> = match &*model.prepared {
        [] => x.iter().map(|&x| x.into()).collect(),
        prepared => prepared.iter().map(|p| f64::from(x[usize::from(p.input)]) - f64::from(p.centre)).collect(),
    };
    let scales = model.kernel.scales();
    let features = all_features(model);
    let summands = model.linear_inputs.len() + scales.len() * features.len();
    let output = |o: usize| {
        let (mut y, mut inherited) = (f64::from(model.intercepts[o]), 0.0);
        let mut magnitude = y.abs();
        for (i, &input) in model.linear_inputs.iter().enumerate() {
            let term = f64::from(model.linear_weights[i * model.outputs() + o]) * z[usize::from(input)];
            y += term;
            magnitude += term.abs();
        }
        for Feature { bias, weights, amplitudes, support } in &features {
            let mut t = f64::from(bias.unwrap_or(0.0));
            let mut t_magnitude = t.abs();
            for (&weight, &index) in weights.iter().zip(support) {
                let term = f64::from(weight) * z[usize::from(index)];
                t += term;
                t_magnitude += term.abs();
            }
            for (v, (value, slope, error)) in values_exactly(model.kernel, t).into_iter().enumerate() {
                let amplitude = f64::from(amplitudes[o * scales.len() + v]) / scales[v];
                y += amplitude * value;
                inherited += amplitude.abs() * (slope * gamma(weights.len() + 2) * t_magnitude + error);
                magnitude += amplitude.abs() * value.abs().max(error);
            }
        }
        (y, inherited + gamma(summands + 2) * (magnitude + inherited))
    };
    (0..model.outputs()).map(output).collect()
}

#[test]
fn predictions_are_as_exact_as_single_precision_allows() {
    let mut closest = HashMap::new();
    for seed in 0..20_000 {
        let mut rng = Rng::new(seed);
        let model = OwnedModel::random(&Shape { warped: false, ..Shape::random(&mut rng) }, &mut rng);
        let (blob, x) = (model.blob(), rng.floats(model.inputs.into(), 2.0));
        for (y, (exact, margin)) in predict(&blob, &x).into_iter().zip(predict_exactly(&model, &x)) {
            let error = (f64::from(y) - exact).abs();
            assert!(error <= margin, "seed {seed}: {y} for {exact}, off by {error:e} of {margin:e}");
            let closest =
                closest.entry(if model.blocks.is_empty() { None } else { Some(model.kernel) }).or_insert(0.0f64);
            *closest = closest.max(error / margin);
        }
    }
    for kernel in KERNELS {
        assert!(closest[&Some(kernel)] > 0.3, "a margin that is never a third used finds nothing: {closest:?}");
    }
}

#[test]
fn predictions_are_the_documented_sum_bit_for_bit() {
    for seed in 0..5_000 {
        let mut rng = Rng::new(seed);
        let model = OwnedModel::random(&Shape::random(&mut rng), &mut rng);
        let (blob, x) = (model.blob(), rng.floats(model.inputs.into(), 2.0));
        assert_eq!(bits(&predict(&blob, &x)), bits(&predict_plainly(&model, &x)), "seed {seed}");
    }
}

#[test]
fn every_path_up_to_its_limits_is_the_documented_sum_bit_for_bit() {
    let mut rng = Rng::new(0);
    let views = [15, 16, 17, 256, 257].into_iter().flat_map(|n| [0, 1, 15, 16].map(|prepared| (n, prepared)));
    for ((inputs, prepared), kernel) in views.flat_map(|view| KERNELS.map(|kernel| (view, kernel))) {
        for (order, outputs) in [1, 2, 3, 5, 9].into_iter().flat_map(|order| [1, 2, 3, 4, 5, 8].map(|k| (order, k))) {
            let blocks = vec![(order, 20), (2, 1), (order, 3)];
            let shape = Shape { kernel, inputs, prepared, outputs, linear: 3, blocks, ..Shape::default() };
            let mut model = OwnedModel::random(&shape, &mut rng);
            // The highest index, in a linear term and in either place of a pair; the last prepared reads the last.
            let last = if prepared > 0 { prepared as u16 - 1 } else { inputs - 1 };
            model.linear_inputs[2] = last;
            model.blocks[0].indices[0] = last;
            model.blocks[0].indices[3] = last;
            if let Some(prepared) = model.prepared.last_mut() {
                prepared.input = inputs - 1;
            }
            let blob = model.blob();
            for _ in 0..3 {
                let x = rng.floats(inputs.into(), 2.0);
                assert_eq!(bits(&predict(&blob, &x)), bits(&predict_plainly(&model, &x)), "{shape:?}");
            }
        }
    }
}

#[test]
fn features_of_all_inputs_are_those_that_list_them_all() {
    for (seed, kernel) in (0..200).flat_map(|seed| KERNELS.map(|kernel| (seed, kernel))) {
        let mut rng = Rng::new(seed);
        let inputs = [1, 2, 3, 4, 5, 7, 15, 16, 17, 18, 256, 257][rng.below(12)];
        let prepared = [0, 0, 1, 2, 4, 15, 16][rng.below(7)];
        let outputs = 1 + rng.below(6);
        let blocks = vec![(ALL, 5), (1, 2), (ALL, 1)];
        let shape = Shape { kernel, inputs, prepared, outputs, linear: 2, blocks, ..Shape::default() };
        let model = OwnedModel::random(&shape, &mut rng);
        let (dense, x) = (model.blob(), rng.floats(inputs.into(), 2.0));
        let predicted = bits(&predict(&dense, &x));
        assert_eq!(predicted, bits(&predict_plainly(&model, &x)), "{shape:?}");

        let mut listed = model.clone();
        let blocks = model.blocks.iter().map(|block| {
            let features = features(&model, block);
            let indices = features.iter().flat_map(|feature| feature.support.clone()).collect();
            OwnedBlock { order: features[0].support.len() as u16, records: block.records.clone(), indices }
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
        feature.amplitudes.resize(feature.amplitudes.len() + model.kernel.scales().len(), 0.0);
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
        let kernel = KERNELS[rng.below(4)];
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

#[test]
fn slices_of_the_wrong_width_are_named_and_left_alone() {
    for prepared in [0, 2] {
        let blob = OwnedModel::random(&Shape { prepared, ..shape(1, 2) }, &mut Rng::new(0)).blob();
        let model = Model::parse(&blob).unwrap();
        let (x, mut y) = ([0.0; 6], [7.0; 4]);
        for width in [0, 3, 5, 6] {
            let outcome = model.predict(&x[..width], &mut y[..2]);
            assert_eq!(outcome, Err(Error::WrongInputs { expected: 4 }));
        }
        for width in [0, 1, 3, 4] {
            let outcome = model.predict(&x[..4], &mut y[..width]);
            assert_eq!(outcome, Err(Error::WrongOutputs { expected: 2 }));
        }
        assert_eq!(y, [7.0; 4]);
        assert_eq!(model.predict(&x[..4], &mut y[..2]), Ok(()));
    }
}

#[test]
fn a_model_without_features_is_linear() {
    let constant = OwnedModel { inputs: 1, intercepts: vec![2.5, -1.0], ..OwnedModel::default() };
    assert_eq!(predict(&constant.blob(), &[9.0]), [2.5, -1.0]);
    let line = OwnedModel { linear_weights: vec![3.0, 0.5], linear_inputs: vec![0], ..constant };
    assert_eq!(predict(&line.blob(), &[2.0]), [8.5, 0.0]);
}

#[test]
fn a_model_that_the_compiler_read_gives_the_same_bits() {
    macro_rules! both {
        ($($path:literal)*) => { [$((include_model!($path), static_model!($path))),*] };
    }
    let models: [(&[u8], Model<'_>); 6] = both!(
        "../../runtime/golden/everything-v1.srfm" "../../runtime/golden/wide-v1.srfm" "../../runtime/golden/classes-v2.srfm"
        "../../runtime/golden/warps-v1.srfm" "../../runtime/golden/warps-int-v2.srfm" "../../runtime/golden/int16-v2.srfm"
    );
    for (bytes, fixed) in models {
        let parsed = Model::parse(bytes).unwrap();
        assert_eq!(format!("{fixed:?}"), format!("{parsed:?}"));
        let x: Vec<f32> = (0..fixed.inputs()).map(|i| 0.3 + 0.7 * i as f32).collect();
        let bits = |model: &Model<'_>| {
            let mut y = vec![0.0; model.outputs()];
            model.predict(&x, &mut y).unwrap();
            y.into_iter().map(f32::to_bits).collect::<Vec<u32>>()
        };
        assert_eq!(bits(&fixed), bits(&parsed));
    }
}
