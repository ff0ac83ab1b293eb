//! From rows to device bits: laws that hold for every data set.

use nalgebra::DMatrix;
use srfm_trainer::FitError;
use srfm_trainer::Run;
use srfm_trainer::data::{Dataset, Task};
use srfm_trainer::export::{self, Blob};
use srfm_trainer::method::{METHODS, MethodConfig, MethodError, Terms};
use srfm_trainer::model::Feature;
use srfm_trainer::model::Model;
use srfm_trainer::scaling::Scaling;
use srfm_trainer::validate::Metrics;
use srfm_trainer::{Fit, FitConfig, Grid, fit};

/// A small fit without cross-validation, so that laws about one fit can be stated.
fn config(features: usize) -> FitConfig {
    let mut config = FitConfig { grid: Grid::from([1e-3]), ..FitConfig::default() };
    config.method = config.method.tuned(|t| t.features = features);
    config
}

fn fitted(data: &Dataset, config: &FitConfig) -> (Fit, Blob) {
    let fit = fit(data, config, &Run::new(1)).unwrap();
    let blob = export::export(&fit.model).unwrap();
    assert!(agrees(&blob, &fit.model, data));
    (fit, blob)
}

/// Returns whether the device's predictions are within a hundredth of the target's standard deviation of those of the
/// workstation.
fn agrees(blob: &Blob, model: &Model, data: &Dataset) -> bool {
    let readings = data.x.map(|value| f64::from(value as f32));
    let difference = export::predict(blob, &readings).cast::<f64>() - model.predict(&readings);
    let mut outputs = difference.column_iter().zip(&model.scaling.y.scale);
    outputs.all(|(column, scale)| column.iter().all(|value| value.abs() <= 0.01 * scale))
}

/// Every cosine is off by 7.2e-7 and by the rounding of its angle (a few turns, 2⁻²² turns each, a slope of 2π): 3e-6
/// together; the terms add up to Σ|a|, and the sum itself rounds at the size of the target.
fn rounding_bound(fit: &Fit, output: usize) -> f64 {
    let (expansion, y) = (&fit.model.expansion, &fit.model.scaling.y);
    3e-6 * ((expansion.coefficients.column(output).abs().sum() + 1.0) * y.scale[output] + y.mean[output].abs())
}

#[test]
fn the_device_computes_the_workstations_model() {
    // A thousand inputs with a linear term each take more rows.
    for task in Task::ALL.into_iter().filter(|&task| task != Task::Se3 && !task.has_classes()) {
        for seed in 0..4 {
            let data = task.generate(300, task.usual_noise(), seed);
            let fresh = task.generate(300, 0.0, seed + 100);
            let mut config = config(40);
            config.method = config.method.tuned(|t| t.order = t.order.map(|order| order.min(data.inputs())));
            let (fit, blob) = fitted(&data, &config);
            let device: DMatrix<f64> = export::predict(&blob, &fresh.x).cast();
            let errors = device - fit.model.predict(&fresh.x);
            for (output, errors) in errors.column_iter().enumerate() {
                let (largest, bound) = (errors.amax(), rounding_bound(&fit, output));
                assert!(largest <= bound, "{}, seed {seed}: {largest:e}, bound {bound:e}", task.name());
            }
        }
    }
}

#[test]
fn the_bytes_do_not_depend_on_the_number_of_threads() {
    let data = Task::Friedman1.generate(150, 1.0, 3);
    for name in METHODS.each_ref().map(|method| method.name) {
        let mut config = config(60);
        let quick: &[(&str, usize)] = match name {
            "arff" => &[("steps", 100), ("batch", 90)],
            "a-la-carte" => &[("restarts", 3), ("restart_iterations", 4), ("iterations", 10)],
            "sgd" => &[("steps", 300)],
            _ => &[],
        };
        let with = |method: MethodConfig, &(setting, value): &(&str, usize)| method.with(setting, value).unwrap();
        let method = quick.iter().fold(MethodConfig::named(name).unwrap(), with);
        config.method = method.tuned(|t| t.features = 60);
        config.grid.lambdas = vec![1e-4, 1e-2, 1.0];
        config.grid.orders = vec![1, 2];
        let bytes = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fitted(&data, &config).1.bytes().to_vec())
        };
        let one = bytes(1);
        assert_eq!(one, bytes(2), "{name}");
        assert_eq!(one, bytes(5), "{name}");
    }
}

#[test]
fn another_seed_gives_another_model() {
    let data = Task::Friedman1.generate(150, 1.0, 3);
    let blob = |seed| export::export(&fit(&data, &config(20), &Run::new(seed)).unwrap().model).unwrap();
    assert_ne!(blob(1), blob(2));
    assert_eq!(blob(1), blob(1));
}

#[test]
fn the_order_of_the_rows_does_not_matter() {
    let data = Task::Friedman2.generate(200, 125.0, 5);
    let reversed = data.select(&(0..200).rev().collect::<Vec<_>>());
    let (a, b) = (fitted(&data, &config(30)).0.model, fitted(&reversed, &config(30)).0.model);
    assert_eq!(a.expansion.features, b.expansion.features);
    // Sums in another order: rounding of 200 terms, amplified by a condition number of at most 1e3 / 1e-3.
    let difference = (a.predict(&data.x) - b.predict(&data.x)).amax();
    assert!(difference < 1e-6 * a.scaling.y.scale[0], "{difference:e}");
}

#[test]
fn units_do_not_matter() {
    let data = Task::Friedman1.generate(200, 1.0, 7);
    let reference = fitted(&data, &config(30)).0.model.predict(&data.x);
    for (target_unit, input_unit, input_shift) in
        [(1e-9, 1.0, 0.0), (1e9, 1e-6, 0.0), (1.0, 1e6, 3e6), (-1.0, 1.0, 50.0)]
    {
        let mut other = data.clone();
        other.y *= target_unit;
        other.x = other.x.map(|v| v * input_unit + input_shift);
        let (fit, blob) = fitted(&other, &config(30));
        let host = fit.model.predict(&other.x) / target_unit;
        assert!((&host - &reference).amax() < 1e-6, "{}", (&host - &reference).amax());
        let device = export::predict(&blob, &other.x).cast::<f64>() / target_unit;
        assert!((device - &reference).amax() < 1e-3 * reference.amax());
    }
}

#[test]
fn settings_are_chosen_in_the_devices_arithmetic() {
    // Far more features than a smooth function of two inputs needs, and no noise: in f64 the smallest penalty is best,
    // and the huge coefficients that it allows are lost in f32.
    let smooth = |rows, seed| {
        let mut data = Task::Friedman2.generate(rows, 0.0, seed);
        data.x = data.x.columns(0, 2).into_owned();
        data.y = DMatrix::from_fn(rows, 1, |row, _| data.x[(row, 0)].exp() * data.x[(row, 1)]);
        data.input_names.truncate(2);
        data
    };
    let (data, fresh) = (smooth(400, 1), smooth(1000, 2));
    let lambdas = vec![0.0, 1e-10, 1e-7, 1e-4];
    let config = FitConfig { grid: Grid::from(lambdas.clone()), ..config(150) };
    let error = |model: &Model| {
        let blob = export::export(model).unwrap();
        (
            Metrics::from_predictions(&export::predict(&blob, &fresh.x).cast(), &fresh.y).rmse,
            Metrics::from_predictions(&model.predict(&fresh.x), &fresh.y).rmse,
        )
    };
    let chosen = error(&fit(&data, &config, &Run::new(1)).unwrap().model).0;
    // Without a look at what the device makes of it.
    let alone = |&lambda: &f64| {
        let (method, scaling) = (config.method.clone().tuned(|t| t.lambda = Some(lambda)), Scaling::fit(&data));
        let expansion = method.method().fit_expansion(&scaling.apply(&data), &Run::new(1)).unwrap();
        error(&Model::new(method.name(), expansion, scaling, &data))
    };
    let alone: Vec<_> = lambdas.iter().map(alone).collect();
    let best = alone.iter().map(|(device, _)| *device).fold(f64::INFINITY, f64::min);
    assert!(alone[0].0 > 10.0 * alone[0].1, "f32 loses much without a penalty: {alone:?}");
    assert!(chosen <= 1.5 * best, "{chosen} chosen, {best} was possible: {alone:?}");
}

#[test]
fn inputs_far_from_zero_keep_their_digits() {
    let mut data = Task::Ishigami.generate(400, 0.0, 2);
    // An absolute pressure in pascal, say: 100,000 ± 3; folding the mean into the phase would leave two digits.
    data.x.apply(|v| *v += 100_000.0);
    let (fit, blob) = fitted(&data, &config(60));
    assert_eq!(blob.model().prepared().len(), 3);
    // The readings themselves are rounded to f32 (spacing 1/128): compare on rounded readings.
    let rounded = data.x.map(|v| f64::from(v as f32));
    let difference = (export::predict(&blob, &rounded).cast::<f64>() - fit.model.predict(&rounded)).amax();
    let bound = rounding_bound(&fit, 0);
    assert!(difference < bound && bound < 1e-2, "{difference:e}, bound {bound:e}");
}

#[test]
fn constant_inputs_stay_off_the_board() {
    let mut data = Task::Friedman1.generate(200, 1.0, 7);
    data.x.column_mut(1).fill(4.2);
    let (_, blob) = fitted(&data, &config(30));
    assert_eq!(blob.model().inputs(), 10);
    assert!(!blob.model().uses_input(1));
    assert!(blob.model().uses_input(3));
}

#[test]
fn several_outputs_share_the_features() {
    let a = Task::Friedman1.generate(300, 0.0, 1);
    let mut both = a.clone();
    both.y = DMatrix::from_columns(&[a.y.column(0), (-2.0 * &a.y).column(0), a.x.column(3)]);
    both.output_names = vec!["a".into(), "b".into(), "c".into()];
    let (fit, blob) = fitted(&both, &config(60));
    assert_eq!(blob.model().outputs(), 3);
    let y = fit.model.predict(&both.x);
    assert!((y.column(0) * -2.0 - y.column(1)).amax() < 1e-6);
    // The third output is an input: the linear block alone reproduces it.
    assert!((y.column(2) - a.x.column(3)).amax() < 1e-6);
    let error = Metrics::from_predictions(&export::predict(&blob, &both.x).cast(), &both.y);
    assert!(error.r2 > 0.95, "{error:?}");
}

#[test]
fn importance_goes_into_the_file_where_it_is_small() {
    let mut data = Task::Friedman1.generate(300, 0.5, 1);
    let (fit, blob) = fitted(&data, &config(30));
    let (exact, rounded) = (&fit.model.importance, blob.model().importance());
    assert_eq!(rounded.len(), 10);
    assert!(exact.iter().zip(rounded).all(|(exact, &r)| (exact.share - f64::from(r) / 255.0).abs() <= 0.5 / 255.0));
    assert!(rounded[3] > rounded[7], "x4 matters and x8 does not: {rounded:?}");
    // A sixteenth of the file at most.
    for inputs in [20, 60, 100, 400] {
        data.x = DMatrix::from_fn(300, inputs, |row, i| data.x[(row, i % 10)]);
        data.input_names = (0..inputs).map(|i| format!("x{i}")).collect();
        let mut config = config(40);
        config.method = config.method.tuned(|t| t.terms = Terms::Intercept);
        let (_, blob) = fitted(&data, &config);
        let (bytes, importance) = (blob.bytes().len(), blob.model().importance().len());
        let without = bytes - (importance + 2).next_multiple_of(4);
        assert_eq!(importance > 0, 16 * inputs <= without + 4, "{inputs} inputs, {bytes} bytes");
    }
}

#[test]
fn a_method_without_lambda_makes_room_for_rounding() {
    // Much noise and nearly as many features as rows: interpolation takes coefficients that f32 cannot sum.
    let data = Task::Ishigami.generate(240, 3.0, 1);
    let mut given_way = 0;
    for name in ["min-norm", "shrimp"] {
        let config = FitConfig { method: MethodConfig::named(name).unwrap().tuned(|t| t.features = 80), ..config(80) };
        for seed in 0..4 {
            let fit = fit(&data, &config, &Run::new(seed)).unwrap();
            let share = fit.agreement.largest / fit.model.scaling.y.scale[0];
            assert!(share <= 0.01, "{name}, seed {seed}: {share}");
            given_way += usize::from(fit.chosen != config.method);
        }
    }
    assert!((1..8).contains(&given_way), "{given_way} of 8");
}

#[test]
fn what_overflows_is_named() {
    let mut data = Task::Friedman1.generate(60, 0.0, 1);
    data.x.column_mut(3).apply(|v| *v *= 1e-40);
    let refused = fit(&data, &config(20), &Run::new(1)).unwrap_err();
    assert!(refused.to_string().contains("\"x4\""), "{refused}");

    let (mut fit, _) = fitted(&Task::Friedman1.generate(60, 0.0, 1), &config(5));
    fit.model.expansion.coefficients[0] = 1e39;
    let refused = export::export(&fit.model).unwrap_err();
    assert!(refused.to_string().contains("coefficient of the target \"y\""), "{refused}");
}

#[test]
fn a_feature_without_an_input_is_a_constant() {
    let data = Task::Friedman1.generate(60, 0.0, 1);
    let (mut fit, _) = fitted(&data, &config(5));
    fit.model.expansion.features[2] = Feature { support: vec![], weights: vec![], bias: 0.7 };
    fit.model.expansion.features[3].weights.fill(0.0);
    let blob = export::export(&fit.model).unwrap();
    assert_eq!(blob.model().features(), 3);
    assert!(agrees(&blob, &fit.model, &data));
}

#[test]
fn settings_without_a_model_for_the_device_are_refused_with_the_reason() {
    // Amplitudes are a multiple of the target's spread: f32 cannot hold them in any fold.
    let mut large = Task::Friedman1.generate(100, 0.0, 1);
    large.y *= 5e36;
    let config = |grid| FitConfig { grid, ..config(20) };
    let refused = |data: &Dataset, config: &FitConfig| fit(data, config, &Run::new(1)).unwrap_err();
    let several = refused(&large, &config(Grid::from([1e-3, 1e-2])));
    assert!(several.to_string().contains("coefficient of the target \"y\""), "{several}");
    // Single precision replaces readings among at most 16 inputs. One setting and several say the same.
    let wide = Task::Se1.generate(100, 0.0, 1);
    let mut replacing = config(Grid::from([1e-3, 1e-2]));
    replacing.preprocessing.replacements = vec![Some(0.0); 18];
    let several = refused(&wide, &replacing);
    replacing.grid = Grid::from([1e-3]);
    assert_eq!(several, refused(&wide, &replacing));
    assert!(several.to_string().contains("at most 16"), "{several}");
}

#[test]
fn unusable_data_are_refused_with_the_reason() {
    let data = Task::Friedman1.generate(30, 1.0, 1);
    let refused = |data: &Dataset, config: &FitConfig| fit(data, config, &Run::new(1)).unwrap_err();

    let mut constant = data.clone();
    constant.y.fill(5.0);
    assert_eq!(refused(&constant, &config(5)), FitError::ConstantTarget { name: "y".into() });
    constant = data.clone();
    constant.x.fill(5.0);
    assert_eq!(refused(&constant, &config(5)), FitError::Method(MethodError::ConstantInputs));

    let few = data.select(&[0, 1, 2]);
    assert!(matches!(
        refused(&few, &FitConfig::default()),
        FitError::Method(MethodError::TooFewRows { rows: 3, needed: 5, .. })
    ));
    assert!(matches!(refused(&few, &config(5)), FitError::Method(MethodError::TooFewRows { rows: 3, needed: 12, .. })));
    assert!(matches!(
        refused(&data.select(&[0]), &config(5)),
        FitError::Method(MethodError::TooFewRows { rows: 1, .. })
    ));

    let beyond = FitConfig { grid: Grid { orders: vec![11], ..config(5).grid }, ..config(5) };
    assert_eq!(refused(&data, &beyond), FitError::Method(MethodError::OrderBeyondInputs { order: 11, inputs: 10 }));
    let negative = FitConfig { grid: Grid::from([-1.0]), ..config(5) };
    assert!(matches!(refused(&data, &negative), FitError::Method(MethodError::Setting { setting: "lambda", .. })));
}
