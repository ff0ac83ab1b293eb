//! Budgets of flash: known before a fit, kept by it, and used.

use nalgebra::DMatrix;
use srfm_trainer::data::Dataset;
use srfm_trainer::export::{Blob, ExportError, budget};
use srfm_trainer::fit::{FitConfig, fit};
use srfm_trainer::method::{Arff, FitError, MethodConfig, Terms};
use srfm_trainer::observer::Silent;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::scaling::InputScaling;
use srfm_trainer::solve::basis::Basis;

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

fn arff(order: usize, basis: Basis) -> MethodConfig {
    let terms = Terms::Intercept;
    MethodConfig::Arff(Arff { order, basis, terms, steps: 3, start: 1.0, ..Arff::default() })
}

fn fitted(data: &Dataset, method: &MethodConfig, features: usize) -> Blob {
    let method = method.clone().tuned(|t| t.features = features);
    fit(data, &FitConfig { method, lambdas: vec![1e-3], ..FitConfig::default() }, 1, &Silent).unwrap().blob
}

#[test]
fn a_budget_is_kept_and_used() {
    let data = normal(200, 10, 1, 0.0);
    let method = named("harfe", Terms::Linear);
    for flash in [128, 256, 512, 1024] {
        let features = budget::features_within(&data, InputScaling::Standard, &method, flash).unwrap();
        assert!(fitted(&data, &method, features).bytes().len() <= flash);
        assert!(budget::flash_bytes(&data, InputScaling::Standard, &method, features + 1).unwrap() > flash);
    }
    let too_small = budget::features_within(&data, InputScaling::Standard, &method, 40);
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
            for method in methods {
                let smallest = budget::flash_bytes(&data, InputScaling::Standard, &method, 1).unwrap();
                for flash in [smallest, smallest + 50, smallest + 170, smallest + 300] {
                    let features = budget::features_within(&data, InputScaling::Standard, &method, flash).unwrap();
                    let blob = fitted(&data, &method, features);
                    let bytes = blob.bytes().len();
                    assert!(budget::check(&blob, flash).is_ok(), "{inputs}, {mean}, {outputs}, {method:?}: {flash}");
                    assert_eq!(budget::check(&blob, 9), Err(ExportError::OverBudget { flash: 9, bytes }));
                }
            }
        }
    }
}

#[test]
fn pairs_and_features_of_all_inputs_are_reckoned_as_they_are_stored() {
    // 12 words of weights, six of amplitudes and nothing else: no list of inputs, no phase, sine and cosine together.
    let data = normal(200, 12, 3, 0.0);
    let bytes =
        |features| budget::flash_bytes(&data, InputScaling::Standard, &arff(12, Basis::Pair), features).unwrap();
    assert_eq!(bytes(60) - bytes(59), 4 * (12 + 2 * 3));
    let bound = bytes(60);
    let actual = fitted(&data, &arff(12, Basis::Pair), 60).bytes().len();
    assert!(actual <= bound && bound <= actual + 8, "{actual}, {bound} reckoned");
}
