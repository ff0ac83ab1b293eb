//! The arithmetic: how far it is from real numbers, and the laws that it keeps to the last bit.

use std::f64::consts::TAU;

use srfm_runtime::format::{BUFFERED, Prepared};
use srfm_runtime::kernel::cosine_f32::{LEADING, scaled_cos_turns};
use srfm_runtime::{Error, Model};
use srfm_tests::{OwnedBlock, OwnedModel, Rng, Shape, crc32};

/// The largest error that the documentation of `scaled_cos_turns` states.
const LARGEST_ERROR: f64 = 7.2e-7;

/// Range of the kernel in turns.
const RANGE: f32 = 4_194_304.0; // 2²²

/// Distance from the exact cosine. The whole turns are taken off first, without error.
fn error(t: f32) -> f64 {
    let exact = f64::from(t);
    (LEADING * f64::from(scaled_cos_turns(t)) - (TAU * (exact - exact.round())).cos()).abs()
}

#[test]
fn the_largest_error_of_the_cosine_is_the_documented_one() {
    let representable = (0..=0.5f32.to_bits()).step_by(1 << 8).map(f32::from_bits);
    let evenly_spaced = (0..=1 << 22).map(|k| k as f32 / (1 << 23) as f32);
    let worst = 0.057_646_446; // of all `f32` up to half a turn
    let largest = representable.chain(evenly_spaced).chain([worst]).map(error).fold(0.0, f64::max);
    assert!(largest <= LARGEST_ERROR, "{largest:e}");
    assert!(largest > LARGEST_ERROR - 0.1e-7, "documented too large: {largest:e}");
}

#[test]
fn the_bits_of_the_cosine_never_change() {
    // Format version 1 promises them: a better polynomial is another version.
    let bits = (0..=1 << 16).flat_map(|k| scaled_cos_turns(k as f32 / (1 << 17) as f32).to_le_bytes());
    assert_eq!(crc32(&bits.collect::<Vec<_>>()), 0x2665_5369);
}

#[test]
fn whole_turns_and_signs_change_nothing() {
    let mut rng = Rng::new(1);
    for _ in 0..1_000_000 {
        let (turns, fraction) = (rng.bits() & 0x3f_ffff >> rng.below(22), rng.float(0.5));
        let turned = if rng.below(2) == 0 { fraction + turns as f32 } else { fraction - turns as f32 };
        let rest = turned - turned.round_ties_even();
        assert_eq!(scaled_cos_turns(turned).to_bits(), scaled_cos_turns(rest).to_bits(), "{turned}");
        assert_eq!(scaled_cos_turns(-turned).to_bits(), scaled_cos_turns(turned).to_bits(), "{turned}");
        assert!(error(turned) <= LARGEST_ERROR, "{turned}");
    }
    for t in [RANGE, -RANGE, RANGE - 0.5, 0.5 - RANGE, 0.5, -0.5, 1.5] {
        assert!(error(t) <= LARGEST_ERROR, "{t}");
    }
    assert_eq!([0.25, -0.25, 0.75, 1000.25].map(scaled_cos_turns), [0.0; 4], "zeros are exact");
    assert_eq!(scaled_cos_turns(0.5), -scaled_cos_turns(0.0));
}

#[test]
fn what_is_not_a_number_stays_so() {
    assert!([f32::NAN, f32::INFINITY, f32::NEG_INFINITY].into_iter().all(|t| scaled_cos_turns(t).is_nan()));
    let blob = OwnedModel::random(&Shape { prepared: 0, ..shape(2, 1) }, &mut Rng::new(3)).blob();
    let used = (0..4).find(|&i| Model::parse(&blob).unwrap().uses_input(i)).unwrap();
    let mut x = [0.0; 4];
    x[used] = f32::NAN;
    assert!(predict(&blob, &x)[0].is_nan());
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
        prepared => prepared.iter().map(|p| x[usize::from(p.input)] - p.centre).collect(),
    }
}

#[derive(Clone, Copy)]
struct Feature<'a> {
    phase: f32,
    weights: &'a [f32],
    amplitudes: &'a [f32],
    support: &'a [u16],
}

/// The features of one block.
fn features(block: &OwnedBlock, outputs: usize) -> impl Iterator<Item = Feature<'_>> {
    let order = usize::from(block.order);
    let records = block.records.chunks_exact(1 + order + outputs);
    records.zip(block.indices.chunks_exact(order)).map(move |(record, support)| {
        let (angle, amplitudes) = record.split_at(1 + order);
        Feature { phase: angle[0], weights: &angle[1..], amplitudes, support }
    })
}

/// The features of all blocks.
fn all_features(model: &OwnedModel) -> impl Iterator<Item = Feature<'_>> {
    model.blocks.iter().flat_map(|block| features(block, model.outputs()))
}

/// The scaled cosine that FORMAT.md describes, down to the bits of its coefficients.
fn cosine_plainly(t: f32) -> f32 {
    let [d0, d1, d2] = [0xbdb5_414c, 0x3f15_0f75, 0xbf92_a7f2].map(f32::from_bits);
    let r = t - ((t + 12_582_912.0) - 12_582_912.0);
    let s = 0.25 - r.abs();
    let u = s * s;
    s * (d0 + u * (d1 + u * (d2 + u)))
}

/// The documented order of summation, written down without a thought for speed.
fn predict_plainly(model: &OwnedModel, x: &[f32]) -> Vec<f32> {
    let z = prepare(model, x);
    let mut y = model.intercepts.clone();
    for (o, y) in y.iter_mut().enumerate() {
        for (i, &input) in model.linear_inputs.iter().enumerate() {
            *y += model.linear_weights[i * model.outputs() + o] * z[usize::from(input)];
        }
        for Feature { phase, weights, amplitudes, support } in all_features(model) {
            let mut t = phase;
            for (weight, &input) in weights.iter().zip(support) {
                t += weight * z[usize::from(input)];
            }
            *y += amplitudes[o] * cosine_plainly(t);
        }
    }
    y
}

/// The formula in `f64`, and how far `f32` may be from it.
///
/// With the unit roundoff u = 2⁻²⁴, a sum of products in which no term meets more than n roundings is off by at most
/// γ_n = n u / (1 - n u) times the sum of the magnitudes of its terms. In an angle of q inputs a term meets the
/// subtraction of its centre, its product and q additions: γ_{q+2}; the cosine then carries 2π of that error and its
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
    let summands = model.linear_inputs.len() + all_features(model).count();
    let output = |o: usize| {
        let (mut y, mut inherited) = (f64::from(model.intercepts[o]), 0.0);
        let mut magnitude = y.abs();
        for (i, &input) in model.linear_inputs.iter().enumerate() {
            let term = f64::from(model.linear_weights[i * model.outputs() + o]) * z[usize::from(input)];
            y += term;
            magnitude += term.abs();
        }
        for Feature { phase, weights, amplitudes, support } in all_features(model) {
            let (mut t, amplitude) = (f64::from(phase), f64::from(amplitudes[o]) / LEADING);
            let mut t_magnitude = t.abs();
            for (&weight, &input) in weights.iter().zip(support) {
                let term = f64::from(weight) * z[usize::from(input)];
                t += term;
                t_magnitude += term.abs();
            }
            y += amplitude * (TAU * t).cos();
            inherited += amplitude.abs() * (TAU * gamma(weights.len() + 2) * t_magnitude + LARGEST_ERROR);
            magnitude += amplitude.abs();
        }
        (y, inherited + gamma(summands + 2) * (magnitude + inherited))
    };
    (0..model.outputs()).map(output).collect()
}

#[test]
fn predictions_are_as_exact_as_single_precision_allows() {
    let mut closest = 0.0f64;
    for seed in 0..20_000 {
        let mut rng = Rng::new(seed);
        let model = OwnedModel::random(&Shape::random(&mut rng), &mut rng);
        let (blob, x) = (model.blob(), rng.floats(model.inputs.into(), 2.0));
        for (y, (exact, margin)) in predict(&blob, &x).into_iter().zip(predict_exactly(&model, &x)) {
            let error = (f64::from(y) - exact).abs();
            assert!(error <= margin, "seed {seed}: {y} for {exact}, off by {error:e} of {margin:e}");
            closest = closest.max(error / margin);
        }
    }
    assert!(closest > 0.5, "a margin that is never half used finds nothing: {closest}");
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
    for (inputs, prepared) in [15, 16, 17, 257].into_iter().flat_map(|n| [0, 1, 15, 16].map(|prepared| (n, prepared))) {
        for (order, outputs) in [1, 2, 3, 5].into_iter().flat_map(|order| [1, 2].map(|outputs| (order, outputs))) {
            let blocks = vec![(order, 40), (2, 1), (order, 3)];
            let shape = Shape { inputs, prepared, outputs, linear: 3, blocks, ..Shape::default() };
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
            for _ in 0..20 {
                let x = rng.floats(inputs.into(), 2.0);
                let shape = (inputs, prepared, order, outputs);
                assert_eq!(bits(&predict(&blob, &x)), bits(&predict_plainly(&model, &x)), "{shape:?}");
            }
        }
    }
}

#[test]
fn more_prepared_inputs_than_the_buffer_holds_are_refused() {
    let prepared = |prepared| OwnedModel::random(&Shape { prepared, ..shape(2, 1) }, &mut Rng::new(4)).write();
    assert!([15, 16].into_iter().all(|count| Model::parse(&prepared(count).unwrap()).is_ok()));
    assert_eq!(prepared(17).err(), Some(Error::TooLarge));
}

/// Adds inputs of weight zero to every feature of the first block.
fn padded(model: &OwnedModel, order: u16) -> OwnedModel {
    let (mut records, mut indices) = (vec![], vec![]);
    for Feature { phase, weights, amplitudes, support } in all_features(model) {
        let padding = usize::from(order) - weights.len();
        records.extend([&[phase], weights, &vec![0.0; padding], amplitudes].concat());
        indices.extend([support, &vec![0; padding]].concat());
    }
    OwnedModel { blocks: vec![OwnedBlock { order, records, indices }], ..model.clone() }
}

/// Adds an output of zeros.
fn with_silent_output(model: &OwnedModel) -> OwnedModel {
    let block = |block: &OwnedBlock| {
        let records = block.records.chunks_exact(2 + usize::from(block.order));
        OwnedBlock { records: records.flat_map(|record| [record, &[0.0]].concat()).collect(), ..block.clone() }
    };
    OwnedModel {
        intercepts: vec![model.intercepts[0], 0.0],
        linear_weights: model.linear_weights.iter().flat_map(|&weight| [weight, 0.0]).collect(),
        blocks: model.blocks.iter().map(block).collect(),
        ..model.clone()
    }
}

#[test]
fn every_path_gives_the_same_bits() {
    for (order, seed) in (1..=4).flat_map(|order| (0..500).map(move |seed| (order, seed))) {
        let mut rng = Rng::new(seed);
        let model = OwnedModel::random(&shape(order, 1), &mut rng);
        let x = rng.floats(4, 2.0);
        let single = bits(&predict(&model.blob(), &x));
        assert_eq!(bits(&predict(&padded(&model, 5).blob(), &x)), single, "general loop, order {order}, seed {seed}");
        let several = predict(&with_silent_output(&model).blob(), &x);
        assert_eq!(bits(&several), [single[0], 0], "two outputs, order {order}, seed {seed}");
        // Readings that no feature uses: the buffer just holds them, no longer does, and indices take two bytes.
        for inputs in [16, 17, 257] {
            let more = OwnedModel { inputs, ..model.clone() };
            let more_x = [&x[..], &vec![9.0; usize::from(inputs) - 4]].concat();
            assert_eq!(bits(&predict(&more.blob(), &more_x)), single, "{inputs} inputs, order {order}, seed {seed}");
        }
        let unprepared = |input| Prepared { centre: 0.0, input, warp: 0, reserved: 0 };
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

/// A block of order three.
fn block_of(features: &[Feature<'_>]) -> OwnedBlock {
    OwnedBlock {
        order: 3,
        records: features.iter().flat_map(|f| [&[f.phase], f.weights, f.amplitudes].concat()).collect(),
        indices: features.iter().flat_map(|f| f.support.to_vec()).collect(),
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
        let ordered: Vec<_> = all_features(&model).collect();
        let mut shuffled = ordered.clone();
        (1..12).for_each(|i| shuffled.swap(i, rng.below(i + 1)));

        // The summands are the same bits in another order. Twelve additions put either sum within 12 u / (1 - 12 u) of
        // the exact one, relative to the magnitudes; and no summand exceeds its amplitude.
        let intercept = model.intercepts[0];
        let difference = f64::from(sum(intercept, &ordered)) - f64::from(sum(intercept, &shuffled));
        let magnitude = f64::from(ordered.iter().map(|f| f.amplitudes[0].abs()).sum::<f32>() + intercept.abs());
        assert!(difference.abs() <= 2.0 * 12.01 * f64::powi(2.0, -24) * magnitude, "seed {seed}: {difference:e}");
        // The sum of two does not depend on their order at all.
        let [a, b] = [shuffled[0], shuffled[1]];
        assert_eq!(sum(0.0, &[a, b]).to_bits(), sum(0.0, &[b, a]).to_bits(), "seed {seed}");
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
