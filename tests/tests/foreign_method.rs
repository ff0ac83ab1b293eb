//! A method from outside of the library: fitted, cross-validated, compared, kept within a budget and exported.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use srfm_trainer::Run;
use srfm_trainer::compare::{CompareConfig, compare};
use srfm_trainer::cost::{Budget, Core};
use srfm_trainer::data::Dataset;
use srfm_trainer::method::{Method, MethodConfig, MethodError, SolveError, Terms, Tunable};
use srfm_trainer::model::Expansion;
use srfm_trainer::model::{Activation, Feature};
use srfm_trainer::sampling::Sampler;
use srfm_trainer::validate::Metrics;
use srfm_trainer::{Conditions, FitConfig, FitError, FitMethod, Grid, fit, fit_within};

/// Sines of the multiples `unit`, 2 `unit`, … of every input in turn, fitted by ridge regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Harmonics {
    features: usize,
    unit: f64,
    lambda: f64,
}

impl Default for Harmonics {
    fn default() -> Self {
        Harmonics { features: 6, unit: 1.0, lambda: 1e-3 }
    }
}

impl Method for Harmonics {
    fn name(&self) -> &'static str {
        "harmonics"
    }

    fn fit_path(&self, data: &Dataset, lambdas: &[f64], _: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        self.check()?;
        let (n, d) = (data.rows(), data.inputs());
        let weight = |j: usize| self.unit * (1 + j / d) as f64;
        let feature = |j: usize| Feature { support: vec![j % d], weights: vec![weight(j)], bias: 0.0 };
        let features: Vec<Feature> = (0..self.features).map(feature).collect();
        let values = DMatrix::from_fn(n, self.features, |row, j| (weight(j) * data.x[(row, j % d)]).sin());
        let (means, targets) = (values.row_mean(), data.y.row_mean());
        let a = DMatrix::from_fn(n, self.features, |row, j| values[(row, j)] - means[j]);
        let y = DMatrix::from_fn(n, data.outputs(), |row, k| data.y[(row, k)] - targets[k]);
        let fit = |&lambda: &f64| {
            let penalty = DMatrix::from_diagonal_element(self.features, self.features, lambda * n as f64);
            let factor = (a.transpose() * &a + penalty).cholesky().ok_or(SolveError::NotFinite)?;
            let coefficients = factor.solve(&(a.transpose() * &y));
            let mean = |k: usize| (0..self.features).map(|j| means[j] * coefficients[(j, k)]).sum::<f64>();
            let intercept = DMatrix::from_fn(1, data.outputs(), |_, k| targets[k] - mean(k));
            Ok(Expansion {
                activation: Activation::Sine,
                features: features.clone(),
                intercept,
                coefficients,
                linear: DMatrix::zeros(d, data.outputs()),
                trees: Vec::new(),
            })
        };
        lambdas.iter().map(fit).collect()
    }

    fn check(&self) -> Result<(), MethodError> {
        let (setting, range, value) = ("unit", "more than 0", self.unit);
        if value > 0.0 { Ok(()) } else { Err(MethodError::Setting { setting, range, value }) }
    }

    fn tunable(&self) -> Tunable {
        let Harmonics { features, lambda, .. } = *self;
        Tunable { features, order: Some(1), lambda: Some(lambda), scale: Some(self.unit), terms: Terms::Intercept }
    }

    fn tune(&mut self, Tunable { features, lambda, scale, .. }: Tunable) {
        self.features = features;
        self.lambda = lambda.unwrap_or(self.lambda);
        self.unit = scale.unwrap_or(self.unit);
    }
}

fn harmonics() -> MethodConfig {
    MethodConfig::from(Harmonics::default())
}

/// Rows of two standard normal inputs with a sum of two of the method's sines.
fn rows(seed: u64) -> Dataset {
    let mut sampler = Sampler::new(seed);
    let x = DMatrix::from_fn(300, 2, |_, _| sampler.normal());
    let y = DMatrix::from_fn(300, 1, |row, _| 5.0 + 3.0 * (2.0 * x[(row, 0)]).sin() - x[(row, 1)].sin());
    Dataset::new(x, y).and_then(|data| data.with_names(["u", "v"], ["y"])).unwrap()
}

#[test]
fn a_foreign_method_is_fitted_cross_validated_and_exported() {
    let (train, test) = (rows(1), rows(2));
    let config = FitConfig { method: harmonics(), grid: Grid::from([10.0, 1e-6]), ..FitConfig::default() };
    let fitted = fit(&train, &config, &Run::new(1)).unwrap();
    assert_eq!((fitted.chosen.name(), fitted.blob.model().header().method), ("harmonics", "harmonics"));
    // A penalty of ten times the rows shrinks the coefficients to less than a tenth.
    assert_eq!((fitted.chosen.setting("lambda"), fitted.tried.len()), (Some(1e-6), 2));
    let chosen = Harmonics { lambda: 1e-6, ..Harmonics::default() };
    assert_eq!(fitted.chosen, MethodConfig::from(chosen));
    assert!(
        fitted.tried[0].1.standardised_mse > 0.5 && fitted.tried[1].1.standardised_mse < 0.02,
        "{:?}",
        fitted.tried
    );
    // Standardised inputs are a little wider or narrower than the drawn ones, which the sines do not quite fit.
    assert!(Metrics::from_predictions(&fitted.predict(&test.x), &test.y).r2 > 0.98);
    let model = fitted.blob.model();
    assert_eq!((model.features(), model.half_width(0).is_some(), model.half_width(1)), (6, true, None));
    let coefficients = &fitted.model.expansion.coefficients * fitted.model.scaling.y.scale[0];
    // Feature 2 is sin 2u, feature 1 is sin v.
    assert!((coefficients[2] - 3.0).abs() < 0.2 && (coefficients[1] + 1.0).abs() < 0.2, "{coefficients}");
}

/// A method with the name and the number of models that a test gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Careless {
    named: bool,
    models: usize,
}

impl Method for Careless {
    fn name(&self) -> &'static str {
        if self.named { "careless" } else { "harfe" }
    }

    fn fit_path(&self, data: &Dataset, _: &[f64], run: &Run<'_>) -> Result<Vec<Expansion>, MethodError> {
        let model = Harmonics::default().fit_expansion(data, run)?;
        Ok(vec![model; self.models])
    }

    fn tunable(&self) -> Tunable {
        Tunable::of_features(6)
    }

    fn tune(&mut self, _: Tunable) {}
}

#[test]
fn a_careless_method_is_refused() {
    let fitted =
        |named, models| Careless { named, models }.fit(&rows(1), &Run::new(1)).map(|fit| fit.blob.model().features());
    let wrong = |returned| FitError::from(MethodError::Models { method: "careless", wanted: 1, returned });
    assert_eq!(fitted(true, 0), Err(wrong(0)));
    assert_eq!(fitted(true, 2), Err(wrong(2)));
    assert_eq!(fitted(false, 1), Err(FitError::from(MethodError::Name { name: "harfe" })));
    assert_eq!(fitted(true, 1), Ok(6));
}

#[test]
fn a_foreign_method_is_compared_with_others() {
    let config = CompareConfig {
        fit: Conditions { grid: Grid::from([1e-6, 1e-3]), ..Conditions::default() },
        methods: vec![harmonics(), MethodConfig::named("fourier").unwrap()],
        sizes: vec![6],
        core: Core::CortexM4f,
    };
    let comparison = compare(&rows(3), &config, &Run::new(1)).unwrap();
    assert!(comparison.complete && comparison.failed.is_empty());
    // Polynomials and tables stand in the same list.
    let is_model = |name: &str| ["harmonics", "fourier", "linear", "mean"].contains(&name);
    let models: Vec<_> = comparison.entries.iter().filter(|entry| is_model(&entry.method)).collect();
    assert_eq!((models[0].method.as_str(), models[0].features, models.len()), ("harmonics", 6, 4));
    assert!(models[0].error() < 0.15 && models[1].error() > 0.3, "{models:?}");
}

#[test]
fn a_foreign_method_keeps_a_budget() {
    let data = rows(4);
    let method = harmonics().tuned(|t| t.features = 40);
    let config = FitConfig { method, grid: Grid::from([1e-3]), ..FitConfig::default() };
    let budget = Budget { flash: Some(400), ..Budget::default() };
    let most = fit_within(&data, &config, &budget, &Run::new(1)).unwrap().chosen.tunable().features;
    let size = |features: usize| {
        let method = harmonics().tuned(|t| t.features = features);
        let fitted = fit(&data, &FitConfig { method, ..config.clone() }, &Run::new(1)).unwrap();
        fitted.blob.bytes().len()
    };
    assert!((1..40).contains(&most) && size(most) <= 400 && size(most + 2) > 400, "{most} {}", size(most));
}

#[test]
fn settings_of_a_foreign_method_are_checked() {
    let wide = harmonics().with("unit", 0.5).unwrap();
    assert_eq!(wide.tunable().scale, Some(0.5));
    assert_ne!(wide, harmonics());
    assert!(matches!(harmonics().with("unit", 0.0), Err(MethodError::Setting { setting: "unit", .. })));
    let unknown = harmonics().with("units", 0.5).unwrap_err();
    assert_eq!(unknown.to_string(), "harmonics has no setting `units`; its settings are features, lambda, unit");
}
