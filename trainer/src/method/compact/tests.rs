//! Compaction: laws of a fit, and small models that are as good as large ones.

use nalgebra::DMatrix;

use crate::data::generate::Task;
use crate::data::{Dataset, split};
use crate::features::{Activation, feature_matrix, pair_matrix};
use crate::linalg::product;
use crate::method::arff::Arff;
use crate::method::common::linear_fit::Basis;
use crate::method::common::testing::scaled;
use crate::method::compact::Compact;
use crate::method::compact::selection::Selection;
use crate::method::gfc::Gfc;
use crate::method::harfe::Harfe;
use crate::method::{Method, MethodConfig, MethodError, Terms};
use crate::model::Expansion;
use crate::run::{Run, Stopping};
use crate::sampling::{Sampler, SpectralLaw};
use crate::scaling::Scaling;
use crate::validate::score::Metrics;

fn quick() -> Compact {
    Compact { features: 6, candidates: 100, rounds: 2, refine: 20, ..Compact::default() }
}

/// Frequencies of a model of pairs.
fn frequencies(expansion: &Expansion) -> usize {
    expansion.features.len() / 2
}

/// Mean squared test error on the noise-free function, in its units.
fn error(compact: &Compact, task: Task, rows: usize, seed: u64) -> f64 {
    let train = task.generate(rows, task.usual_noise(), 2 * seed);
    let test = task.generate(1000, 0.0, 2 * seed + 1);
    let scaling = Scaling::fit(&train);
    let expansion = compact.fit_expansion(&scaling.apply(&train), &Run::new(seed)).unwrap();
    Metrics::from_predictions(&scaling.y.undo(&expansion.predict(&scaling.x.apply(&test.x))), &test.y).mse
}

#[test]
fn eight_features_beat_two_hundred() {
    // HARFE keeps 200 features for an error of 1.52.
    let compact = Compact { features: 8, order: Some(2), lambda: 1e-2, refine: 0, ..Compact::default() };
    let errors: Vec<f64> = (0..6).map(|seed| error(&compact, Task::Friedman1, 200, seed)).collect();
    let mean = errors.iter().sum::<f64>() / 6.0;
    assert!(mean <= 0.55, "{errors:?}");
}

#[test]
fn refinement_turns_dense_frequencies_to_what_matters() {
    let dense = |refine, sparsify| Compact { features: 8, lambda: 1e-4, refine, sparsify, ..Compact::default() };
    let errors = [dense(0, None), dense(100, None), dense(100, Some(0.05))]
        .map(|compact| error(&compact, Task::Friedman1, 2000, 1));
    // The variance of the target is 24; half of the inputs do not matter.
    assert!(errors[0] > 1.0 && errors[1] < 0.2 && errors[2] < 0.1, "{errors:?}");

    let data = scaled(Task::Friedman1, 2000, 1);
    let expansion = dense(100, Some(0.05)).fit_expansion(&data, &Run::new(1)).unwrap();
    let weights: usize = expansion.features.iter().map(|f| f.support.len()).sum::<usize>() / 2;
    assert!(weights <= 24, "{weights} of 80");
    assert!(expansion.features.iter().all(|f| f.support.iter().all(|&input| input < 5)));
}

#[test]
fn the_penalty_grows_with_the_frequency() {
    // λ on both sides of what normal equations are safe with.
    for (seed, lambda) in [(0, 1e-2), (1, 1e-4), (2, 1e-10)] {
        let data = scaled(Task::Friedman1, 150, seed);
        let compact = Compact { lambda, smoothness: 3.0, ..quick() };
        let expansion = compact.fit_expansion(&data, &Run::new(seed)).unwrap();
        let rest = &data.y - expansion.predict(&data.x);
        let values = feature_matrix(&data.x, &expansion.features, Activation::Sine);
        // At the minimum over the amplitudes the gradient vanishes: Aᵀ R = n λ w C. Sums of 150 products of size one
        // round to 1e-13, times the condition of few waves.
        for (j, feature) in expansion.features.iter().enumerate() {
            let weight = (1.0 + feature.weights.iter().map(|w| w * w).sum::<f64>()).powi(3);
            let penalty = 150.0 * lambda * weight * expansion.coefficients[j];
            let gradient = values.column(j).dot(&rest.column(0));
            assert!((gradient - penalty).abs() < 1e-10, "{seed} {j}: {gradient:e} {penalty:e}");
        }
    }
}

#[test]
fn smoothness_follows_noise_less() {
    // Friedman 2 is smooth, its noise a third of its spread: each penalty with the λ that suits it, from 1e-6 to 1.
    let least = |smoothness: f64| {
        let of_lambda = |exponent: i32| {
            let lambda = 10f64.powi(exponent);
            let compact = Compact { features: 8, order: Some(2), smoothness, lambda, ..quick() };
            (0..6).map(|seed| error(&compact, Task::Friedman2, 200, seed)).sum::<f64>() / 6.0
        };
        (-6..=0).map(of_lambda).fold(f64::INFINITY, f64::min)
    };
    let (ridge, smooth) = (least(0.0), least(2.0));
    assert!(smooth < 0.8 * ridge, "{smooth} {ridge}");
}

#[test]
fn elimination_finds_the_waves_of_noise_free_targets() {
    for seed in 0..3 {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(140, 10, |_, _| sampler.uniform(-1.0, 1.0));
        let y = DMatrix::from_fn(140, 1, |i, _| (2.0 * x[(i, 0)] - 1.0) * (2.0 * x[(i, 1)] - 1.0));
        let data = Dataset::new(x, y).unwrap();
        let split = split::holdout(140, 0.25, &mut sampler);
        let (train, test) = (data.select(&split.train), data.select(&split.test));
        let (selection, order) = (Selection::Backward, Some(2));
        let compact =
            Compact { features: 30, candidates: 2000, selection, order, lambda: 0.0, refine: 0, ..Compact::default() };
        let expansion = compact.fit_expansion(&train, &Run::new(seed)).unwrap();
        let mse = Metrics::from_predictions(&expansion.predict(&test.x), &test.y).mse;
        assert!(mse < 1e-12 && frequencies(&expansion) == 30, "{seed}: {mse:e}");
    }
}

#[test]
fn the_last_fit_is_ridge_regression_over_all_rows() {
    let data = scaled(Task::Friedman2, 3000, 1);
    for (terms, lambda) in [(Terms::Linear, 1e-3), (Terms::None, 1e-2), (Terms::Linear, 1e-11)] {
        let compact = Compact { terms, lambda, batch: 300, ..quick() };
        let expansion = compact.fit_expansion(&data, &Run::new(1)).unwrap();
        let residual = expansion.predict(&data.x) - &data.y;
        let values = pair_matrix(&data.x, &expansion.features[..frequencies(&expansion)]);
        // The gradient at a minimum, as a share of the rows.
        let gradient = (values.transpose() * &residual / 3000.0 + &expansion.coefficients * lambda).amax();
        assert!(gradient < 1e-9, "{terms:?} {lambda}: {gradient:e}");
        if terms == Terms::Linear {
            assert!((product(&data.x.transpose(), &residual) / 3000.0).amax() < 1e-9 && residual.sum().abs() < 1e-6);
        }
    }
}

#[test]
fn a_path_holds_the_fits_of_its_parameters() {
    let data = scaled(Task::Friedman1, 150, 2);
    let settings = [
        quick(),
        Compact { order: Some(2), selection: Selection::Backward, excess: 1.5, smoothness: 1.5, ..quick() },
        Compact { sparsify: Some(0.05), smoothness: 2.0, ..quick() },
    ];
    for compact in settings {
        let path = compact.fit_path(&data, &[1e-3, 1e-1], &Run::new(3)).unwrap();
        for (lambda, expansion) in [1e-3, 1e-1].into_iter().zip(path) {
            let alone = Compact { lambda, ..compact.clone() }.fit_expansion(&data, &Run::new(3)).unwrap();
            assert_eq!(alone, expansion);
            assert!(frequencies(&expansion) <= 6 && expansion.activation == Activation::Sine);
            let order = compact.order.unwrap_or(10);
            assert!(expansion.features.iter().all(|f| f.support.len() <= order));
        }
    }
}

#[test]
fn pools_of_other_methods_are_brought_to_few_features() {
    let data = scaled(Task::Friedman1, 400, 1);
    let pools = [
        MethodConfig::from(Gfc { features: 12, steps: 6, candidates: 10, ..Gfc::default() }),
        MethodConfig::from(Arff { features: 30, steps: 50, ..Arff::default() }),
        MethodConfig::from(Harfe { features: 30, ..Harfe::default() }),
    ];
    for pool in pools {
        let first = pool.method().fit_expansion(&data, &Run::new(1)).unwrap();
        let compact = Compact { features: 5, refine: 0, pool: Some(Box::new(pool.clone())), ..quick() };
        assert_eq!(compact.tunable().order, Some(2));
        let expansion = compact.fit_expansion(&data, &Run::new(1)).unwrap();
        assert_eq!(frequencies(&expansion), 5);
        for feature in &expansion.features {
            let same = first.features.iter().any(|f| f.weights == feature.weights && f.support == feature.support);
            assert!(same, "{}", pool.name());
        }
        let refined = Compact { refine: 50, ..compact }.fit_expansion(&data, &Run::new(1)).unwrap();
        let rest = |expansion: &Expansion| (expansion.predict(&data.x) - &data.y).norm_squared();
        assert!(rest(&refined) < rest(&expansion), "{}", pool.name());
    }
}

#[test]
fn a_pool_of_sigmoids_is_refused() {
    let data = scaled(Task::Friedman1, 100, 1);
    let arff = Arff { features: 10, steps: 5, basis: Basis::Sigmoid, ..Arff::default() };
    let compact = Compact { features: 5, pool: Some(Box::new(MethodConfig::from(arff))), ..quick() };
    assert_eq!(compact.fit_expansion(&data, &Run::new(1)), Err(MethodError::Pool { method: "arff" }));
}

#[test]
fn several_targets_share_frequencies() {
    let mut data = scaled(Task::Friedman1, 300, 4);
    let second = data.y.map(|y| y * 0.5);
    data.y = DMatrix::from_columns(&[data.y.column(0), second.column(0)]);
    data.output_names.push("z".into());
    let expansion = Compact { order: Some(2), refine: 50, ..quick() }.fit_expansion(&data, &Run::new(1)).unwrap();
    let twice = expansion.coefficients.column(0) * 0.5 - expansion.coefficients.column(1);
    assert!(twice.amax() < 1e-9 && expansion.coefficients.amax() > 0.1);
}

#[test]
fn a_fit_stops_when_asked() {
    let data = scaled(Task::Friedman1, 100, 1);
    for selection in [Selection::Forward, Selection::Backward] {
        let compact = Compact { selection, sparsify: Some(0.1), ..quick() };
        assert_eq!(compact.fit_expansion(&data, &Stopping::default().run(1)).unwrap_err(), MethodError::Interrupted);
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let data = scaled(Task::Friedman1, 50, 1);
    let refused = |compact: Compact| compact.fit_expansion(&data, &Run::new(1)).unwrap_err().to_string();
    assert!(refused(Compact { features: 0, ..quick() }).contains("features"));
    assert!(refused(Compact { rounds: 0, ..quick() }).contains("rounds"));
    assert!(refused(Compact { candidates: 0, ..quick() }).contains("candidates"));
    assert!(refused(Compact { batch: 0, ..quick() }).contains("batch"));
    assert!(refused(Compact { excess: 0.5, ..quick() }).contains("excess"));
    assert!(refused(Compact { excess: f64::NAN, ..quick() }).contains("excess"));
    assert!(refused(Compact { sparsify: Some(-0.1), ..quick() }).contains("sparsify"));
    assert!(refused(Compact { smoothness: 11.0, ..quick() }).contains("smoothness"));
    assert!(refused(Compact { lambda: -1.0, ..quick() }).contains("lambda"));
    assert!(refused(Compact { order: Some(11), ..quick() }).contains("order of 11"));
    assert!(refused(Compact { order: Some(0), ..quick() }).contains("order"));
    assert!(refused(Compact { law: SpectralLaw::Normal { scale: 0.0 }, ..quick() }).contains("scale"));
    // The curvature of 40 frequencies of 10,000 weights has 4e9 entries.
    let wide = Dataset { x: DMatrix::from_fn(50, 10_000, |i, j| (i * j) as f64), ..data.clone() };
    let wide = Dataset { input_names: (0..10_000).map(|input| format!("x{input}")).collect(), ..wide };
    let pruned = Compact { features: 40, order: None, sparsify: Some(0.1), terms: Terms::Intercept, ..quick() };
    let refused = pruned.fit_expansion(&wide, &Run::new(1)).unwrap_err();
    assert!(matches!(refused, MethodError::GramMemory { features: 40, .. }), "{refused}");
}
