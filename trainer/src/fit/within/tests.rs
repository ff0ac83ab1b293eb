//! Budgets of flash and instructions: known before a fit, kept by it, and used.

use crate::cost::flash::{Storage, flash_bytes};
use crate::cost::{Budget, BudgetError, Core, Unit, Work};
use crate::data::{Dataset, Task};
use crate::error::FitError;
use crate::export::{Blob, Encoding, ExportError, NumberFormat};
use crate::fit::within::{most_features, shrink_until_within};
use crate::fit::{FitConfig, Grid, check_budget, fit, fit_chosen};
use crate::method::{MethodConfig, Terms};
use crate::run::Run;
use crate::sampling::Sampler;
use crate::scaling::Warp;
use crate::scaling::{Preprocessing, Scaling};
use crate::validate::certainty::Certainty;
use nalgebra::DMatrix;

const FORMATS: [NumberFormat; 3] = [NumberFormat::F32, NumberFormat::Int, NumberFormat::Int16];

fn normal(rows: usize, inputs: usize, outputs: usize, mean: f64) -> Dataset {
    let mut sampler = Sampler::new(4);
    Dataset {
        x: DMatrix::from_fn(rows, inputs, |_, _| mean + sampler.normal()),
        y: DMatrix::from_fn(rows, outputs, |_, _| sampler.normal()),
        input_names: (0..inputs).map(|i| format!("x{i}")).collect(),
        output_names: (0..outputs).map(|o| format!("y{o}")).collect(),
        classes: Vec::new(),
        weights: Vec::new(),
        groups: Vec::new(),
        history: Default::default(),
    }
}

fn flash_of(flash: usize) -> Budget {
    Budget { flash: Some(flash), ..Budget::default() }
}

fn named(name: &str, terms: Terms) -> MethodConfig {
    MethodConfig::named(name).unwrap().tuned(|t| (t.features, t.terms) = (100, terms))
}

/// A short walk of three steps: only the shape of its models matters.
fn arff(order: usize, basis: &str) -> MethodConfig {
    let method = MethodConfig::named("arff").unwrap().with("steps", 3).unwrap();
    let method = method.with("start", 1.0).unwrap().with("basis", basis).unwrap();
    method.tuned(|t| (t.order, t.terms) = (Some(order), Terms::Intercept))
}

fn config(number: NumberFormat, method: &MethodConfig) -> FitConfig {
    let (method, encoding) = (method.clone(), Encoding { number, max_error: 1.0, ..Encoding::default() });
    FitConfig { method, encoding, grid: Grid::from([1e-3]), ..FitConfig::default() }
}

fn warped(warps: Vec<Warp>) -> Preprocessing {
    Preprocessing { warps, ..Preprocessing::default() }
}

fn bytes_of(
    data: &Dataset,
    number: NumberFormat,
    method: &MethodConfig,
    features: usize,
) -> Result<usize, ExportError> {
    let storage = Storage { scaling: &Scaling::fit(data), encoding: number.into(), intervals: false };
    flash_bytes(data, storage, method, features)
}

fn fitted(data: &Dataset, number: NumberFormat, method: &MethodConfig, features: usize) -> Blob {
    let config = config(number, &method.clone().tuned(|t| t.features = features));
    fit(data, &config, &Run::new(1)).unwrap().blob
}

#[test]
fn a_budget_is_kept_and_used() {
    let data = normal(200, 10, 1, 0.0);
    let method = named("harfe", Terms::Linear);
    // What prepares ten inputs of an integer model takes 80 bytes by itself.
    let cases = FORMATS.into_iter().flat_map(|number| [128, 256, 512, 1024].map(|flash| (number, flash)));
    for (number, flash) in cases.filter(|&(number, flash)| number == NumberFormat::F32 || flash > 128) {
        let features = most_features(&flash_of(flash), &data, &config(number, &method), false).unwrap();
        assert!(fitted(&data, number, &method, features).bytes().len() <= flash);
        assert!(bytes_of(&data, number, &method, features + 1).unwrap() > flash);
    }
    let number = NumberFormat::F32;
    let too_small = most_features(&flash_of(40), &data, &config(number, &method), false);
    assert!(matches!(too_small, Err(FitError::Budget(BudgetError::OverFlash { flash: 40, bytes })) if bytes > 40));
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
                arff(2, "pair"),
                arff(inputs, "pair"),
                arff(inputs * 4 / 5 + 1, "sigmoid"),
            ];
            for (number, method) in FORMATS.into_iter().flat_map(|n| methods.clone().map(|method| (n, method))) {
                let smallest = bytes_of(&data, number, &method, 1).unwrap();
                for flash in [smallest, smallest + 50, smallest + 170, smallest + 300] {
                    let features = most_features(&flash_of(flash), &data, &config(number, &method), false).unwrap();
                    let blob = fitted(&data, number, &method, features);
                    let bytes = blob.bytes().len();
                    assert!(
                        check_budget(&blob, &flash_of(flash)).is_ok(),
                        "{inputs}, {mean}, {outputs}, {number:?}, {method:?}: {flash}"
                    );
                    assert_eq!(check_budget(&blob, &flash_of(9)), Err(BudgetError::OverFlash { flash: 9, bytes }));
                }
            }
        }
    }
}

#[test]
fn pairs_and_features_of_all_inputs_are_reckoned_as_they_are_stored() {
    // 12 words of weights, six of amplitudes and nothing else: no list of inputs, no phase, sine and cosine together.
    let (data, number) = (normal(200, 12, 3, 0.0), NumberFormat::F32);
    let bytes = |features| bytes_of(&data, number, &arff(12, "pair"), features).unwrap();
    assert_eq!(bytes(60) - bytes(59), 4 * (12 + 2 * 3));
    let bound = bytes(60);
    let actual = fitted(&data, number, &arff(12, "pair"), 60).bytes().len();
    assert!(actual <= bound && bound <= actual + 8, "{actual}, bound {bound}");
}

#[test]
fn a_budget_of_instructions_is_kept_and_used() {
    let mut data = normal(200, 10, 1, 0.0);
    data.x.apply(|x| *x = x.exp());
    let method = named("harfe", Terms::Linear);
    for (core, number, at_most, warp) in [
        (Core::CortexM4f, NumberFormat::F32, 1000, Warp::Identity),
        (Core::CortexM4f, NumberFormat::F32, 1400, Warp::Log),
        (Core::CortexM4f, NumberFormat::Int, 600, Warp::Identity),
        (Core::CortexM3, NumberFormat::Int16, 900, Warp::Identity),
        (Core::CortexM3, NumberFormat::Int16, 2500, Warp::Sqrt),
        (Core::CortexM0, NumberFormat::Int, 2500, Warp::Identity),
        (Core::CortexM0, NumberFormat::Int, 3500, Warp::Log),
        (Core::CortexM3, NumberFormat::F32, 60_000, Warp::Identity),
    ] {
        let budget = Budget { work: Some(Work { at_most, unit: Unit::Instructions, core }), ..Budget::default() };
        let config = |features| {
            let method = method.clone().tuned(|t| t.features = features);
            FitConfig { preprocessing: warped(vec![warp; 10]), ..config(number, &method) }
        };
        let features = most_features(&budget, &data, &config(100), false).unwrap();
        assert!((5..100).contains(&features));
        let blob = |features| fit(&data, &config(features), &Run::new(1)).unwrap().blob;
        assert_eq!(check_budget(&blob(features), &budget), Ok(()));
        let over = check_budget(&blob(features + 1), &budget);
        assert!(matches!(over, Err(BudgetError::OverWork { needed, .. }) if needed > at_most), "{over:?}");
        // Flash and instructions together: the tighter one decides.
        let both = Budget { flash: Some(blob(features).bytes().len() - 1), ..budget };
        assert!(most_features(&both, &data, &config(100), false).unwrap() < features);
    }
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
            let (preprocessing, encoding) =
                (warped(warps.clone()), Encoding { number, max_error: 1.0, ..Encoding::default() });
            let config = FitConfig { method, preprocessing, encoding, folds: 3, ..FitConfig::default() };
            let fit = fit(&data, &config, &Run::new(1)).unwrap();
            let bound = flash_bytes(
                &data,
                Storage { scaling: &config.preprocessing.learn(&data), encoding, intervals: true },
                &config.method,
                features,
            )
            .unwrap();
            let (model, actual) = (fit.blob.model(), fit.blob.bytes().len());
            assert!(
                actual <= bound && model.prepared().iter().any(|p| p.warp_number() == 1),
                "{actual}, bound {bound}"
            );
            if features == 40 {
                assert_eq!((model.ranges().len(), model.half_width(outputs - 1).is_some()), (inputs, true));
            }
        }
    }
}

#[test]
fn ranges_fill_what_is_left_over_of_the_flash() {
    let data = normal(200, 40, 1, 0.0);
    let method = named("harfe", Terms::Intercept).tuned(|t| (t.features, t.order) = (6, Some(1)));
    let fitted = |flash: Option<usize>| {
        let encoding = Encoding { flash, max_error: 1.0, ..Encoding::default() };
        let config = FitConfig { method: method.clone(), encoding, ..FitConfig::default() };
        let fit = fit_chosen(&data, &config.with(method.clone()), Certainty::default(), &Run::new(1)).unwrap();
        let storage = Storage { scaling: &config.preprocessing.learn(&data), encoding, intervals: false };
        let (bytes, bound) = (fit.blob.bytes().len(), flash_bytes(&data, storage, &method, 6).unwrap());
        assert!(bytes <= bound, "{bytes} bytes, bound {bound}");
        (bytes, fit.blob.model().ranges().len())
    };
    let ((without, none), (with, all)) = (fitted(None), fitted(Some(usize::MAX)));
    assert_eq!((none, all), (0, 40));
    assert!(with >= without + 40 * 8);
    assert_eq!([with - 1, with, without - 1].map(|flash| fitted(Some(flash)).0), [without, with, without]);
}

#[test]
fn features_leave_a_quarter_of_the_flash_to_ranges() {
    let (data, method) = (normal(200, 20, 1, 0.0), named("harfe", Terms::Intercept));
    let file = |flash: usize| {
        let mut config = config(NumberFormat::F32, &method);
        config.encoding.flash = Some(flash);
        let features = most_features(&flash_of(flash), &data, &config, false).unwrap();
        config.method = config.method.tuned(|t| t.features = features);
        let fit = fit_chosen(&data, &config, Certainty::default(), &Run::new(1)).unwrap();
        let bytes = fit.blob.bytes().len();
        assert!(bytes <= flash && bytes > flash * 3 / 4 - 40, "{bytes} of {flash}");
        (features, fit.blob.model().ranges().len())
    };
    let ranges = 20 * 8;
    let ((more, none), (fewer, all)) = (file(4 * ranges - 4), file(4 * ranges));
    assert_eq!((none, all), (0, 20));
    assert!(fewer < more);
}

#[test]
fn a_model_is_made_smaller_until_it_keeps_the_budget() {
    let data = Task::Friedman1.generate(100, 1.0, 1);
    let config = FitConfig::default();
    let method = |features: usize| MethodConfig::named("fourier").unwrap().tuned(|t| t.features = features);
    let fitted = |method| fit_chosen(&data, &config.with(method), Certainty::default(), &Run::new(1));
    let bytes = |features: usize| fitted(method(features)).unwrap().blob.bytes().len();
    let within = |flash: usize| {
        let (budget, mut fits) = (Budget { flash: Some(flash), ..Budget::default() }, 0);
        let found = shrink_until_within(&budget, method(30), |method| {
            fits += 1;
            fitted(method)
        });
        (found.map(|fit| (fit.blob.bytes().len(), fit.chosen.tunable().features)), fits)
    };
    assert_eq!(within(bytes(30)), (Ok((bytes(30), 30)), 1));
    // What it takes beside the features is a part of every model, so that the first step goes too far by little.
    let (found, fits) = within(bytes(20));
    let (taken, features) = found.unwrap();
    assert!(taken <= bytes(20) && (15..=20).contains(&features) && fits <= 4, "{taken} {features} {fits}");
    let (refused, fits) = within(20);
    assert!(matches!(refused, Err(FitError::Budget(BudgetError::OverFlash { flash: 20, .. }))) && fits <= 4);
}
