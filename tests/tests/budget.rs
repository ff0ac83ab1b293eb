//! Budgets of flash: known before a fit, kept by it, and used.

use nalgebra::DMatrix;
use srfm_trainer::data::Dataset;
use srfm_trainer::export::budget::Storage;
use srfm_trainer::export::{Blob, ExportError, NumberFormat, budget};
use srfm_trainer::fit::{FitConfig, fit};
use srfm_trainer::method::{Arff, FitError, MethodConfig, Terms};
use srfm_trainer::observer::Silent;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::scaling::InputScaling;
use srfm_trainer::solve::basis::Basis;
use srfm_trainer::warp::Warp;

const FORMATS: [NumberFormat; 3] = [NumberFormat::F32, NumberFormat::Int, NumberFormat::Int16];

fn normal(rows: usize, inputs: usize, outputs: usize, mean: f64) -> Dataset {
    let mut sampler = Sampler::new(4);
    Dataset {
        x: DMatrix::from_fn(rows, inputs, |_, _| mean + sampler.normal()),
        y: DMatrix::from_fn(rows, outputs, |_, _| sampler.normal()),
        input_names: (0..inputs).map(|i| format!("x{i}")).collect(),
        output_names: (0..outputs).map(|o| format!("y{o}")).collect(),
        classes: Vec::new(),
    }
}

fn named(name: &str, terms: Terms) -> MethodConfig {
    MethodConfig::named(name).unwrap().tuned(|t| (t.features, t.terms) = (100, terms))
}

/// Nothing but the number format.
fn storage(number: NumberFormat) -> Storage<'static> {
    Storage { scaling: InputScaling::Standard, warps: &[], number, intervals: false }
}

fn arff(order: usize, basis: Basis) -> MethodConfig {
    let terms = Terms::Intercept;
    MethodConfig::Arff(Arff { order, basis, terms, steps: 3, start: 1.0, ..Arff::default() })
}

fn fitted(data: &Dataset, number: NumberFormat, method: &MethodConfig, features: usize) -> Blob {
    let method = method.clone().tuned(|t| t.features = features);
    let config = FitConfig { method, number, max_error: 1.0, lambdas: vec![1e-3], ..FitConfig::default() };
    fit(data, &config, 1, &Silent).unwrap().blob
}

#[test]
fn a_budget_is_kept_and_used() {
    let data = normal(200, 10, 1, 0.0);
    let method = named("harfe", Terms::Linear);
    // What prepares ten inputs of an integer model takes 80 bytes by itself.
    let cases = FORMATS.into_iter().flat_map(|number| [128, 256, 512, 1024].map(|flash| (number, flash)));
    for (number, flash) in cases.filter(|&(number, flash)| number == NumberFormat::F32 || flash > 128) {
        let features = budget::features_within(&data, storage(number), &method, flash).unwrap();
        assert!(fitted(&data, number, &method, features).bytes().len() <= flash);
        assert!(budget::flash_bytes(&data, storage(number), &method, features + 1).unwrap() > flash);
    }
    let number = NumberFormat::F32;
    let too_small = budget::features_within(&data, storage(number), &method, 40);
    assert!(matches!(too_small, Err(FitError::Budget { flash: 40, smallest }) if smallest > 40));
}

#[test]
fn a_budget_is_kept_whatever_the_data() {
    for inputs in [3, 12, 20, 300] {
        // Inputs far from zero have their centres subtracted, which takes flash of its own.
        for (mean, outputs) in [(0.0, 1), (50.0, 1), (50.0, 2)] {
            let data = normal(320, inputs, outputs, mean);
            let methods = [
                named("harfe", Terms::Intercept),
                named("harfe", Terms::Linear),
                named("fourier", Terms::Intercept),
                arff(2, Basis::Pair),
                arff(inputs, Basis::Pair),
                arff(inputs * 4 / 5 + 1, Basis::Sigmoid),
            ];
            for (number, method) in FORMATS.into_iter().flat_map(|n| methods.clone().map(|method| (n, method))) {
                let smallest = budget::flash_bytes(&data, storage(number), &method, 1).unwrap();
                for flash in [smallest, smallest + 50, smallest + 170, smallest + 300] {
                    let features = budget::features_within(&data, storage(number), &method, flash).unwrap();
                    let blob = fitted(&data, number, &method, features);
                    let bytes = blob.bytes().len();
                    assert!(
                        budget::check(&blob, flash).is_ok(),
                        "{inputs}, {mean}, {outputs}, {number:?}, {method:?}: {flash}"
                    );
                    assert_eq!(budget::check(&blob, 9), Err(ExportError::OverBudget { flash: 9, bytes }));
                }
            }
        }
    }
}

#[test]
fn pairs_and_features_of_all_inputs_are_reckoned_as_they_are_stored() {
    // 12 words of weights, six of amplitudes and nothing else: no list of inputs, no phase, sine and cosine together.
    let (data, number) = (normal(200, 12, 3, 0.0), NumberFormat::F32);
    let bytes = |features| budget::flash_bytes(&data, storage(number), &arff(12, Basis::Pair), features).unwrap();
    assert_eq!(bytes(60) - bytes(59), 4 * (12 + 2 * 3));
    let bound = bytes(60);
    let actual = fitted(&data, number, &arff(12, Basis::Pair), 60).bytes().len();
    assert!(actual <= bound && bound <= actual + 8, "{actual}, {bound} reckoned");
}

#[test]
fn intervals_ranges_and_warps_are_reckoned() {
    for (inputs, outputs, number) in
        [(3, 1, NumberFormat::F32), (12, 2, NumberFormat::Int), (5, 3, NumberFormat::Int16)]
    {
        let mut data = normal(200, inputs, outputs, 0.0);
        data.x.apply(|x| *x = x.exp());
        let warps = vec![Warp::Log; inputs];
        for features in [3, 10, 40] {
            let method = named("harfe", Terms::Linear).tuned(|t| t.features = features);
            let config =
                FitConfig { method, number, warps: warps.clone(), max_error: 1.0, folds: 3, ..FitConfig::default() };
            let fit = fit(&data, &config, 1, &Silent).unwrap();
            let bound = budget::flash_bytes(&data, config.storage(&data), &config.method, features).unwrap();
            let (model, actual) = (fit.blob.model(), fit.blob.bytes().len());
            assert!(actual <= bound && model.prepared().iter().any(|p| p.warp == 1), "{actual}, {bound} reckoned");
            if features == 40 {
                assert_eq!((model.ranges().len(), model.half_width(outputs - 1).is_some()), (inputs, true));
            }
        }
    }
}
