//! Quantisation: integer models of fitted and random expansions against the model in `f64`.

use crate::Run;
use crate::data::Dataset;
use crate::data::Task;
use crate::export::{self, Encoding, ExportError, NumberFormat};
use crate::method::MethodConfig;
use crate::model::{Activation, Feature};
use crate::model::{Expansion, Model};
use crate::sampling::{Sampler, SpectralLaw};
use crate::scaling::Scaling;
use crate::validate::Metrics;
use crate::{FitConfig, fit};
use nalgebra::DMatrix;
use srfm_runtime::Model as DeviceModel;
use srfm_runtime::format::{Indices, Kernel, Number};

const FORMATS: [NumberFormat; 2] = [NumberFormat::Int, NumberFormat::Int16];

/// A model of 100 random features, each of two of ten uniform inputs, and rows for it.
fn random(activation: Activation, outputs: usize, linear: f64, seed: u64) -> (Model, Dataset) {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(1000, 10, |_, i| 10.0 * i as f64 + sampler.uniform(-3.0, 3.0));
    let y = DMatrix::from_fn(1000, outputs, |_, _| 5.0 + sampler.normal());
    let names = |letter: &str, n: usize| (0..n).map(|i| format!("{letter}{i}")).collect();
    let data = Dataset {
        x,
        y,
        input_names: names("x", 10),
        output_names: names("y", outputs),
        classes: vec![],
        weights: Vec::new(),
        groups: vec![],
        history: Default::default(),
    };
    let inputs: Vec<usize> = (0..10).collect();
    let mut features = SpectralLaw::Normal { scale: 1.0 }.sample(100, &inputs, 2, &mut sampler);
    features.iter_mut().for_each(|f| f.bias = sampler.uniform(-3.0, 3.0));
    if outputs > 1 && activation == Activation::Sine {
        let pair = |f: Feature| Feature::pair(f.support, f.weights);
        features = features.into_iter().flat_map(pair).collect();
    }
    let expansion = Expansion {
        activation,
        coefficients: DMatrix::from_fn(features.len(), outputs, |_, _| sampler.normal()),
        features,
        intercept: DMatrix::from_fn(1, outputs, |_, _| sampler.normal()),
        linear: DMatrix::from_fn(10, outputs, |_, _| linear * sampler.normal()),
        trees: Vec::new(),
    };
    (Model::new("by hand", expansion, Scaling::fit(&data), &data), data)
}

fn quantised(model: &Model, data: &Dataset, number: NumberFormat) -> (export::Blob, export::Agreement) {
    export::verified(model, data, Encoding { number, max_error: f64::INFINITY, ..Encoding::default() }).unwrap()
}

#[test]
fn rounding_weights_adds_nothing_to_the_worst_case_of_a_finished_model() {
    for seed in 0..4 {
        for (activation, outputs) in [(Activation::Sine, 1), (Activation::Sine, 3), (Activation::Sigmoid, 1)] {
            let (model, data) = random(activation, outputs, 0.3, seed);
            let [int, int16] = FORMATS.map(|number| {
                // The model was not fitted to the targets and leaves their range.
                let encoding = Encoding { number, max_error: f64::INFINITY, output_margin: 1e6, ..Encoding::default() };
                let finished = export::finished(model.clone(), &data, encoding).unwrap();
                let worst = finished.agreement.worst.unwrap();
                let device: DMatrix<f64> = export::predict(&finished.blob, &data.x).cast();
                let host = finished.model.predict(&data.x);
                let before = quantised(&model, &data, number).1;
                for (output, (worst, before)) in worst.iter().zip(before.worst.unwrap()).enumerate() {
                    assert!((device.column(output) - host.column(output)).amax() <= *worst);
                    // Also with weights of 32 bits, which have the numbers of their inputs in them.
                    assert!(*worst < before, "{activation:?}, {number:?}, seed {seed}: {worst:e}, {before:e}");
                }
                // Still the model that it was, to a fiftieth of the worst case.
                let moved = (host - model.predict(&data.x)).amax();
                assert!(moved <= 1e-3, "{activation:?}, {number:?}, seed {seed}: {moved:e}");
                worst
            });
            for (int16, int) in int16.iter().zip(&int) {
                // As good as weights of 32 bits, but for the step of an output that has other amplitudes.
                assert!((int16 / int - 1.0).abs() <= 0.01, "{activation:?}, seed {seed}: {int16:e}, {int:e}");
            }
        }
    }
}

#[test]
fn random_models_lose_little() {
    for seed in 0..6 {
        for (activation, outputs, linear) in [
            (Activation::Sine, 1, 0.0),
            (Activation::Sine, 1, 1.0),
            (Activation::Sine, 3, 0.3),
            (Activation::Sigmoid, 1, 0.5),
            (Activation::Relu, 2, 0.5),
            (Activation::Square, 2, 0.5),
        ] {
            let (model, data) = random(activation, outputs, linear, seed);
            let y = model.predict(&data.x);
            for number in FORMATS {
                let (blob, agreement) = quantised(&model, &data, number);
                let worst = agreement.worst.unwrap();
                let device: DMatrix<f64> = export::predict(&blob, &data.x).cast();
                for (output, worst) in worst.into_iter().enumerate() {
                    let error = (device.column(output) - y.column(output)).amax();
                    let range = y.column(output).max() - y.column(output).min();
                    let share = error / range;
                    // Weights of 16 bits are worth half a unit of 2⁻¹⁷ turns a turn of the input's range.
                    let limit = match (activation, number) {
                        (Activation::Sine, NumberFormat::Int) if outputs == 1 => 2e-4,
                        (Activation::Sine, _) => 5e-4,
                        // Most arguments are far smaller than the largest that there must be room for, and a sigmoid
                        // uses a part of its range.
                        (Activation::Sigmoid | Activation::Relu | Activation::Square, _) => 1e-3,
                    };
                    assert!(share <= limit, "{activation:?}, {outputs}, {number:?}, seed {seed}: {share:e}");
                    assert!(error <= worst, "{error:e}, {worst:e} is the worst case");
                }
            }
        }
    }
}

/// The sum of the absolute amplitudes of every output, and whether the file has pairs.
fn amplitudes(model: &DeviceModel<'_>) -> Vec<i64> {
    let outputs = model.outputs();
    let mut sums = vec![0; outputs];
    for block in model.blocks() {
        let weights = model.header().number.weight_words(block.order.into());
        let stride = weights + model.header().number.other_words(block.kernel, outputs);
        for record in block.records.chunks(stride) {
            let half = |i: usize| i64::from((record[weights + i / 2] >> (16 * (i % 2))) as i16).abs();
            for (o, sum) in sums.iter_mut().enumerate() {
                *sum += match block.kernel {
                    Kernel::Sincos => half(2 * o) + half(2 * o + 1),
                    _ => half(if o == 0 { 0 } else { o + 1 }),
                };
            }
        }
    }
    sums
}

#[test]
fn sums_of_features_cannot_overflow() {
    // A kernel's values are at most one unit beyond one: see the test of their largest errors.
    for seed in 0..20 {
        for (activation, outputs) in
            [(Activation::Sine, 1), (Activation::Sine, 3), (Activation::Relu, 1), (Activation::Square, 1)]
        {
            let (mut model, data) = random(activation, outputs, 0.2, seed);
            // From features alike to one that has nearly everything.
            model.expansion.coefficients.apply(|c| *c = c.signum() * c.abs().powi(seed as i32 / 2));
            for number in FORMATS {
                let (blob, _) = quantised(&model, &data, number);
                let largest = i64::from(blob.model().blocks().next().expect("features").kernel.one()) + 1;
                let intercepts = blob.model().intercepts().to_vec();
                for (sum, intercept) in amplitudes(&blob.model()).into_iter().zip(intercepts) {
                    let most = sum * largest + i64::from(intercept as i32).abs();
                    assert!(most < 1 << 31, "{activation:?}, seed {seed}: {most}");
                    assert!(sum * largest > 1 << 24, "not much of the 32 bits is used: {sum}");
                }
            }
        }
    }
}

#[test]
fn counts_of_a_converter_go_in_as_they_are() {
    let mut sampler = Sampler::new(3);
    let x = DMatrix::from_fn(400, 2, |_, _| (sampler.uniform(0.0, 4095.0)).round());
    let y = DMatrix::from_fn(400, 1, |i, _| (x[(i, 0)] / 700.0).sin() + x[(i, 1)] / 1000.0);
    let names = vec!["bridge".to_owned(), "thermistor".to_owned()];
    let data = Dataset {
        x,
        y,
        input_names: names,
        output_names: vec!["p".to_owned()],
        classes: vec![],
        weights: Vec::new(),
        groups: vec![],
        history: Default::default(),
    };
    let config = FitConfig { encoding: NumberFormat::Int.into(), ..FitConfig::default() };
    let config = FitConfig { method: config.method.clone().tuned(|t| t.features = 30), ..config };
    let fitted = fit(&data, &config, &Run::new(1)).unwrap();
    let model = fitted.blob.model();
    assert!(model.prepared().is_empty());
    let scale = model.scales()[0];
    for row in 0..400 {
        let mut y = [0];
        model.predict_integers(&[data.x[(row, 0)] as i16, data.x[(row, 1)] as i16], &mut y).unwrap();
        let y = f64::from(scale.offset) + f64::from(scale.step) * f64::from(y[0]);
        assert!((y - data.y[(row, 0)]).abs() < 0.05, "{y}, {}", data.y[(row, 0)]);
    }
    // A reading beyond 14 bits leaves no room for those beyond it.
    let mut larger = data.clone();
    larger.x[(7, 1)] = 20_000.0;
    assert_eq!(fit(&larger, &config, &Run::new(1)).unwrap().blob.model().prepared().len(), 2);
}

#[test]
fn errors_beyond_what_is_asked_for_are_refused() {
    let (model, data) = random(Activation::Sine, 1, 0.0, 1);
    let refused =
        export::verified(&model, &data, Encoding { number: NumberFormat::Int, max_error: 1e-6, ..Encoding::default() });
    assert!(matches!(refused, Err(ExportError::Precision { limit: 1e-6, .. })), "{refused:?}");
    let (mut steep, data) = random(Activation::Sigmoid, 1, 0.0, 1);
    steep.expansion.features[3].weights[0] = 1e4;
    let refused =
        export::verified(&steep, &data, Encoding { number: NumberFormat::Int, max_error: 1.0, ..Encoding::default() });
    assert_eq!(refused.err(), Some(ExportError::Steep));
}

/// A model by hand of features of the first `order` inputs, over rows of these ranges.
fn by_hand(
    activation: Activation,
    ranges: &[(f64, f64)],
    order: usize,
    features: usize,
    offset: f64,
) -> (Model, Dataset) {
    let mut sampler = Sampler::new(7);
    let d = ranges.len();
    let whole = ranges.iter().all(|(low, high)| low.fract() == 0.0 && high.fract() == 0.0 && high - low >= 1.0);
    let x = DMatrix::from_fn(500, d, |_, i| {
        let x = sampler.uniform(ranges[i].0, ranges[i].1);
        if whole { x.round() } else { x }
    });
    let y = DMatrix::from_fn(500, 1, |_, _| offset + 0.05 * sampler.normal());
    let names = |letter: &str, n: usize| (0..n).map(|i| format!("{letter}{i}")).collect();
    let data = Dataset {
        x,
        y,
        input_names: names("x", d),
        output_names: names("y", 1),
        classes: vec![],
        weights: Vec::new(),
        groups: vec![],
        history: Default::default(),
    };
    let support: Vec<usize> = (0..order).collect();
    let feature = |sampler: &mut Sampler| Feature {
        support: support.clone(),
        weights: support.iter().map(|_| sampler.normal() / (order as f64).sqrt()).collect(),
        bias: sampler.uniform(-1.0, 1.0),
    };
    let features: Vec<Feature> = (0..features).map(|_| feature(&mut sampler)).collect();
    let expansion = Expansion {
        activation,
        coefficients: DMatrix::from_element(features.len(), 1, 1.0),
        intercept: DMatrix::zeros(1, 1),
        linear: DMatrix::from_element(d, 1, if features.is_empty() { 1.0 } else { 0.0 }),
        features,
        trees: Vec::new(),
    };
    (Model::new("by hand", expansion, Scaling::fit(&data), &data), data)
}

#[test]
fn the_worst_case_bounds_every_part_by_itself() {
    let unit = (-1.0, 1.0);
    let pixel = (0.0, 300.5);
    let cases = [
        (Activation::Sine, vec![unit; 3], 0, 0, 0.0),          // linear terms alone
        (Activation::Sine, vec![(0.0, 4000.0); 2], 0, 0, 0.0), // the same of counts
        (Activation::Sine, vec![unit; 16], 14, 1, 0.0),        // weights that hold the numbers of their inputs
        (Activation::Sigmoid, vec![unit; 16], 14, 1, 0.0),
        (Activation::Sine, vec![unit; 2], 2, 1, 1000.0), // an offset that takes the digits of single precision
        (Activation::Relu, vec![pixel, unit], 2, 3, 5.0),
        (Activation::Square, vec![pixel, unit], 2, 3, 5.0),
        (Activation::Sine, vec![pixel; 20], 6, 5, 0.0),
    ];
    for (activation, ranges, order, features, offset) in cases {
        let (model, data) = by_hand(activation, &ranges, order, features, offset);
        for number in FORMATS {
            let (_, agreement) = quantised(&model, &data, number);
            let largest = agreement.largest;
            let worst = agreement.worst.unwrap()[0];
            let context = format!("{activation:?}, {order} of {}, {number:?}", ranges.len());
            assert!(largest <= worst, "{context}: {largest:e}, {worst:e} is the worst case");
        }
    }
}

#[test]
fn whole_numbers_are_prepared_where_they_are_too_coarse() {
    // A flag beside a converter, and small whole numbers before a sigmoid: as they are, they would lose a tenth and
    // more.
    for (activation, ranges) in [
        (Activation::Sine, [(0.0, 1.0), (0.0, 4095.0)]),
        (Activation::Sigmoid, [(0.0, 10.0), (0.0, 10.0)]),
        (Activation::Relu, [(0.0, 10.0), (0.0, 255.0)]),
    ] {
        let (model, data) = by_hand(activation, &ranges, 2, 4, 0.0);
        for number in FORMATS {
            let (blob, agreement) = quantised(&model, &data, number);
            let prepared = activation != Activation::Sine || number == NumberFormat::Int16;
            assert_eq!(!blob.model().prepared().is_empty(), prepared, "{activation:?}, {number:?}");
            assert!(agreement.share < 5e-3, "{activation:?}, {number:?}: {}", agreement.share);
        }
    }
}

#[test]
fn a_bound_that_bounds_nothing_is_refused() {
    let data = Task::Friedman1.generate(100, 1.0, 1);
    for max_error in [f64::NAN, 0.0, -1.0] {
        let refused = fit(
            &data,
            &FitConfig { encoding: Encoding { max_error, ..Encoding::default() }, ..FitConfig::default() },
            &Run::new(1),
        )
        .unwrap_err();
        assert!(refused.to_string().contains("max_error"), "{refused}");
    }
}

/// Root mean squared errors of `f64` and integer models on rows that were not fitted.
fn errors(data: &Dataset, features: usize, seed: u64) -> (f64, f64) {
    let part = |odd: usize| data.select(&(0..data.rows()).filter(|i| i % 2 == odd).collect::<Vec<_>>());
    let train = part(0);
    let test = part(1);
    let method = MethodConfig::named("harfe").unwrap().tuned(|t| t.features = features);
    let config = FitConfig { method, encoding: NumberFormat::Int.into(), ..FitConfig::default() };
    let fitted = fit(&train, &config, &Run::new(seed)).unwrap();
    assert_eq!(fitted.blob.model().header().number, Number::I32);
    let rmse = |y: &DMatrix<f64>| Metrics::from_predictions(y, &test.y).rmse;
    (rmse(&fitted.model.predict(&test.x)), rmse(&export::predict(&fitted.blob, &test.x).cast()))
}

#[test]
fn integers_predict_as_well_as_floating_point() {
    let mut sets = vec![("friedman1".to_owned(), Task::Friedman1.generate(2000, 1.0, 1))];
    for name in ["airfoil", "ccpp"] {
        if let Some(path) = srfm_testing::real_data(&format!("{name}.csv")) {
            sets.push((name.to_owned(), Dataset::read(path).unwrap()));
        }
    }
    for (name, data) in sets {
        for seed in 0..2 {
            let (exact, integers) = errors(&data, 100, seed);
            println!("{name}, seed {seed}: RMSE {exact} in f64, {integers} in integers");
            assert!(integers <= 1.01 * exact, "{name}, seed {seed}: {integers}, {exact} in f64");
        }
    }
}

#[test]
fn features_of_all_inputs_have_the_faster_loop() {
    // Lists of at most five inputs are unrolled, and take no flash where weights of 32 bits hold the numbers of inputs.
    for (order, number, list) in [
        (4, NumberFormat::Int, true),
        (5, NumberFormat::Int, true),
        (6, NumberFormat::Int, false),
        (5, NumberFormat::Int16, false),
    ] {
        let (mut model, data) = random(Activation::Sine, 1, 0.0, 1);
        let inputs = (0..order).collect::<Vec<_>>();
        let mut sampler = Sampler::new(2);
        model.expansion.features = SpectralLaw::Normal { scale: 1.0 }.sample(100, &inputs, order, &mut sampler);
        let names = data.input_names[..order].to_vec();
        let data = Dataset { x: data.x.columns(0, order).into_owned(), input_names: names, ..data };
        model.expansion.linear = DMatrix::zeros(order, 1);
        let model = Model::new("by hand", model.expansion, Scaling::fit(&data), &data);
        let (blob, _) = quantised(&model, &data, number);
        let listed = blob.model().blocks().all(|block| !matches!(block.indices, Indices::All { .. }));
        assert_eq!(listed, list, "{order}, {number:?}");
    }
}
