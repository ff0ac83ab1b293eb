//! Every method on data and settings at the edge: a model whose values are numbers, or a typed error; never a panic.

use nalgebra::DMatrix;
use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::data::Dataset;
use srfm_trainer::data::Task;
use srfm_trainer::method::{METHODS, MethodConfig, MethodError, Terms};
use srfm_trainer::validate::Metrics;
use srfm_trainer::{FitConfig, Grid, fit};

/// All methods that have features: without linear terms a linear model is the mean.
fn methods() -> impl Iterator<Item = MethodConfig> {
    METHODS.iter().map(|method| method.name).filter(|&name| name != "linear").map(|name| {
        let small = MethodConfig::named(name).unwrap();
        small.tuned(|t| (t.features, t.order, t.terms) = (10, Some(2), Terms::Intercept))
    })
}

fn data(x: DMatrix<f64>, y: DMatrix<f64>) -> Dataset {
    let names = |letter: &str, count| (0..count).map(|i| format!("{letter}{i}")).collect();
    let (input_names, output_names) = (names("x", x.ncols()), names("y", y.ncols()));
    let classes = Vec::new();
    let weights = Vec::new();
    let groups = Vec::new();
    Dataset { x, y, input_names, output_names, classes, weights, groups, history: Default::default() }
}

/// Predictions over the rows that were fitted.
fn fitted(method: &MethodConfig, data: &Dataset) -> Result<DMatrix<f64>, FitError> {
    let expansion = method.method().fit_expansion(data, &Run::new(1))?;
    let predicted = expansion.predict(&data.x);
    assert!(predicted.iter().all(|v| v.is_finite()), "{}", method.name());
    Ok(predicted)
}

#[test]
fn without_a_penalty_there_is_a_fit() {
    let data = Task::Friedman1.generate(60, 0.1, 1);
    for method in methods().map(|method| method.tuned(|t| t.lambda = t.lambda.map(|_| 0.0))) {
        let error = Metrics::from_predictions(&fitted(&method, &data).unwrap(), &data.y);
        assert!(error.r2 > 0.0, "{}: {error:?}", method.name()); // better than the mean
    }
}

#[test]
fn dependent_columns_are_fitted() {
    // Ten times the same six rows, and inputs that are copies of one: feature matrices of rank six.
    let t = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];
    let x = DMatrix::from_fn(60, 3, |i, _| t[i % 6]);
    let y = DMatrix::from_fn(60, 1, |i, _| curve(t[i % 6]));
    let data = data(x, y);
    for lambda in [0.0, 1e-6] {
        for method in methods().map(|method| method.tuned(|t| t.lambda = t.lambda.map(|_| lambda))) {
            let error = Metrics::from_predictions(&fitted(&method, &data).unwrap(), &data.y);
            // The curve is no parabola: the best one explains 0.41 of it.
            let least = if method.name() == "polynomial" { 0.4 } else { 0.9 };
            assert!(error.r2 > least, "{} {lambda}: {error:?}", method.name());
        }
    }
}

/// One numeric column and the columns of ten categories, which add up to one: with a tiny λ the coefficients are larger
/// than single precision can add up.
#[test]
fn the_device_holds_models_of_dependent_columns() {
    let x = DMatrix::from_fn(400, 11, |row, input| match input {
        0 => (row * 37 % 400) as f64 / 400.0,
        _ => f64::from(u8::from(row * 7 % 10 == input - 1)),
    });
    let y = DMatrix::from_fn(400, 1, |row, _| curve(x[(row, 0)]) + f64::from(u8::from(row * 7 % 10 < 5)));
    let data = data(x, y);
    for lambda in [0.0, 1e-14] {
        for method in methods().map(|method| method.tuned(|t| (t.features, t.lambda) = (40, t.lambda.map(|_| lambda))))
        {
            let name = method.name();
            let fit = fit(&data, &FitConfig { grid: Grid::from([]), ..FitConfig::new(method) }, &Run::new(1));
            let fit = fit.unwrap_or_else(|error| panic!("{name} {lambda}: {error}"));
            let error = Metrics::from_predictions(&fit.predict(&data.x), &data.y);
            assert!(error.r2 > 0.0, "{name} {lambda}: {error:?}"); // better than the mean
        }
    }
}

/// A smooth curve.
fn curve(t: f64) -> f64 {
    (3.0 * t).sin() + t * t
}

#[test]
fn a_target_of_zeros_is_fitted_with_zeros() {
    let mut data = Task::Friedman1.generate(40, 1.0, 1);
    data.y.fill(0.0);
    for method in methods() {
        assert!(fitted(&method, &data).unwrap().amax() < 1e-12, "{}", method.name());
        let refused = fit(&data, &FitConfig { method, ..FitConfig::default() }, &Run::new(1));
        assert!(matches!(refused, Err(FitError::ConstantTarget { .. })));
    }
}

#[test]
fn inputs_that_are_all_zero_are_named() {
    let data = data(DMatrix::zeros(30, 3), DMatrix::from_fn(30, 1, |i, _| i as f64));
    for method in methods() {
        assert_eq!(fitted(&method, &data), Err(MethodError::ConstantInputs.into()), "{}", method.name());
    }
}

#[test]
fn one_row_is_too_few() {
    let data = Task::Friedman1.generate(1, 0.0, 1);
    for method in methods() {
        let named = method.name();
        assert!(
            matches!(fitted(&method, &data), Err(FitError::Method(MethodError::TooFewRows { rows: 1, needed: 2, .. }))),
            "{named}"
        );
        let refused = fit(&data, &FitConfig { method, ..FitConfig::default() }, &Run::new(1));
        assert!(matches!(refused, Err(FitError::Method(MethodError::TooFewRows { rows: 1, .. }))), "{named}");
    }
}

#[test]
fn an_order_beyond_the_inputs_is_refused() {
    let data = Task::Pressure.generate(50, 1.0, 1); // two inputs
    let has_an_order = |method: &MethodConfig| method.tunable().order == Some(3);
    let methods: Vec<_> = methods().map(|method| method.tuned(|t| t.order = Some(3))).filter(has_an_order).collect();
    assert!(methods.len() >= 5, "{methods:?}");
    for method in methods {
        let named = method.name();
        let refused = fit(&data, &FitConfig { method, ..FitConfig::default() }, &Run::new(1));
        assert!(
            matches!(refused, Err(FitError::Method(MethodError::OrderBeyondInputs { order: 3, inputs: 2 }))),
            "{named}"
        );
    }
}

#[test]
fn more_features_asked_for_than_drawn_are_refused() {
    for (name, setting) in [("harfe", "harfe"), ("shrimp", "shrimp"), ("srfe", "srfe")] {
        let text = format!("[method.{setting}]\nfeatures = 30\ncandidates = 20\n");
        let config: FitConfig = toml::from_str(&text).unwrap();
        let data = Task::Friedman1.generate(80, 1.0, 1);
        let refused = fit(&data, &FitConfig { grid: Grid::from([0.1]), ..config }, &Run::new(1));
        let expected = FitError::Method(MethodError::FewCandidates { candidates: 20, features: 30 });
        assert!(matches!(&refused, Err(error) if *error == expected), "{name}");
    }
}
