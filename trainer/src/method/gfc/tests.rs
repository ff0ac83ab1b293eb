//! GFC: laws of a fit, fits that are stopped and go on, and the papers' claims at a small scale.

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::data::generate::Task;
use crate::features::{Feature, feature_matrix};
use crate::method::common::testing::{part, rows, scaled};
use crate::method::fourier::Fourier;
use crate::method::gfc::Gfc;
use crate::method::{Method, MethodError, Terms};
use crate::run::{Run, Stopping};
use crate::sampling::Sampler;
use crate::solve::least_squares::ridge::{Unpenalised, ridge};
use crate::validate::score::Metrics;

fn quick() -> Gfc {
    Gfc { features: 6, steps: 3, candidates: 10, iterations: 30, ..Gfc::default() }
}

#[test]
fn one_wave_is_found_exactly() {
    for seed in 0..6 {
        let data = rows(300, 4, seed, |x| 2.0 * (1.3 * x[1] - 0.8 * x[3] + 0.4).sin() + 0.7);
        for order in [2, 4] {
            let gfc = Gfc { features: 1, order, terms: Terms::Intercept, lambda: 1e-12, ..Gfc::default() };
            let expansion = gfc.fit_expansion(&data, &Run::new(seed)).unwrap();
            let weights: Vec<f64> = expansion.features[0].weights.iter().map(|w| w.abs()).collect();
            let expected = if order == 2 { vec![1.3, 0.8] } else { vec![0.0, 1.3, 0.0, 0.8] };
            for (w, e) in weights.iter().zip(&expected) {
                assert!((w - e).abs() < 1e-3, "{seed} {order}: {weights:?}");
            }
            let r2 = Metrics::from_predictions(&expansion.predict(&data.x), &data.y).r2;
            assert!(1.0 - r2 < 1e-6, "{seed} {order}: {r2}");
        }
    }
}

#[test]
fn the_last_fit_is_ridge_regression_over_all_rows() {
    let data = scaled(Task::Friedman2, 5000, 1);
    for (terms, order) in [(Terms::Linear, 2), (Terms::None, 4)] {
        let gfc = Gfc { terms, order, batch: Some(300), ..quick() };
        let lambdas = [1e-5, 1e-2];
        for (lambda, expansion) in lambdas.iter().zip(gfc.fit_path(&data, &lambdas, &Run::new(1)).unwrap()) {
            let columns = match terms {
                Terms::Linear => data.x.clone().insert_column(0, 1.0),
                _ => DMatrix::zeros(data.rows(), 0),
            };
            let mut a = feature_matrix(&data.x, &expansion.features, expansion.activation);
            let (block, mut y) = (Unpenalised::new(&columns), data.y.clone());
            block.project_out(&mut a);
            block.project_out(&mut y);
            let direct = ridge(&a, &y, lambda * data.rows() as f64).unwrap();
            // Normal equations of condition number 1e6 at most.
            assert!((&expansion.coefficients - &direct).amax() < 1e-8 * direct.amax());
        }
    }
}

#[test]
fn a_fit_goes_on_from_where_it_was_stopped() {
    let data = scaled(Task::Friedman2, 200, 4);
    // Descents in parallel may take a step more before they see the interruption: there are enough left for the last.
    let long = Gfc { features: 20, ..quick() };
    for gfc in [long.clone(), Gfc { refit: false, passes: 2, order: 4, ..long }] {
        let undisturbed = gfc.fit_expansion(&data, &Run::new(1)).unwrap();
        let mut states = Vec::new();
        for after in [2, 1, 3] {
            let stopping = Stopping::from(states, after);
            assert_eq!(gfc.fit_expansion(&data, &stopping.run(1)), Err(MethodError::Interrupted));
            states = stopping.states.into_inner().unwrap();
            assert!(!states.is_empty());
        }
        let last = Stopping::from(states, usize::MAX);
        assert_eq!(gfc.fit_expansion(&data, &last.run(1)).unwrap(), undisturbed);
    }
}

#[test]
fn known_frequencies_are_extended_and_stay() {
    let data = rows(400, 3, 5, |x| (1.5 * x[0]).sin() + (2.0 * x[1] - x[2]).cos());
    let known = vec![Feature { support: vec![0], weights: vec![1.5], bias: 0.0 }];
    let gfc = Gfc { features: 1, order: 3, terms: Terms::Intercept, ..Gfc::default() };
    let frequencies = gfc.extend(&data, &known, &Run::new(1)).unwrap();
    assert_eq!((frequencies.len(), &frequencies[0]), (2, &known[0]));
    // The new one is what was missing.
    let missing = [0.0, 2.0, -1.0].map(|w: f64| w * frequencies[1].weights[1].signum());
    for (w, e) in frequencies[1].weights.iter().zip(missing) {
        assert!((w - e).abs() < 0.02, "{frequencies:?}");
    }
}

#[test]
fn a_descent_ends_where_nothing_is_gained_and_idle_waves_are_dropped() {
    let data = rows(300, 3, 6, |x| (1.2 * x[0] + x[1]).sin());
    let gfc = Gfc { features: 40, order: 3, steps: 20, terms: Terms::Intercept, ..Gfc::default() };
    let count = |gfc: &Gfc| gfc.extend(&data, &[], &Run::new(1)).unwrap().len();
    let all = count(&Gfc { cut_off: 0.0, ..gfc.clone() });
    let dropped = count(&Gfc { cut_off: 0.01, ..gfc.clone() });
    assert!(dropped <= 6 && dropped < all, "{dropped} of {all}");
    let noisy = scaled(Task::Friedman2, 1000, 2);
    let steps = |precision, patience| {
        let gfc = Gfc { features: 20, order: 4, precision, patience, ..Gfc::default() };
        gfc.extend(&noisy, &[], &Run::new(1)).unwrap().len()
    };
    let (strict, patient, literal) = (steps(0.05, 1), steps(0.05, 3), steps(0.0, 1));
    assert!(strict < patient && patient < literal && literal == 20, "{strict} {patient} {literal}");
}

#[test]
fn greedy_frequencies_beat_random_ones() {
    for (seed, order) in [(0, 10), (1, 10), (2, 3)] {
        let data = scaled(Task::Friedman1, 1200, seed);
        let (train, test) = (part(&data, 0..800), part(&data, 800..1200));
        let error = |method: &dyn Method| {
            let path = method.fit_path(&train, &[1e-3, 1e-2, 1e-1], &Run::new(seed)).unwrap();
            let errors = path.iter().map(|e| Metrics::from_predictions(&e.predict(&test.x), &test.y).rmse);
            errors.fold(f64::INFINITY, f64::min)
        };
        let greedy = error(&Gfc { features: 20, order, terms: Terms::Intercept, ..Gfc::default() });
        let random = error(&Fourier { features: 20, order, terms: Terms::Intercept, ..Fourier::default() });
        assert!(greedy < 0.8 * random, "{seed}: {greedy} greedy, {random} random");
    }
}

#[test]
fn several_targets_share_frequencies_whatever_their_order_and_sign() {
    let mut data = scaled(Task::Friedman1, 150, 3);
    data.y = data.y.clone().insert_column(1, 0.0);
    data.y.column_mut(1).copy_from(&data.x.column(5).map(|x| (2.0 * x).cos()));
    data.output_names.push("z".into());
    for gfc in [quick(), Gfc { order: 10, refit: false, ..quick() }] {
        let reference = gfc.fit_expansion(&data, &Run::new(7)).unwrap().predict(&data.x);
        let same = |data: &Dataset, back: &dyn Fn(DMatrix<f64>) -> DMatrix<f64>| {
            let difference = back(gfc.fit_expansion(data, &Run::new(7)).unwrap().predict(&data.x)) - &reference;
            // The same descents but for rounding, which the steps of L-BFGS amplify.
            assert!(difference.amax() < 1e-3, "{:e}", difference.amax());
        };
        same(&Dataset { y: -&data.y, ..data.clone() }, &|y| -y);
        same(&Dataset { y: data.y.select_columns(&[1, 0]), ..data.clone() }, &|y| y.select_columns(&[1, 0]));
        same(&Dataset { x: data.x.clone().insert_column(10, 0.0), ..data.clone() }, &|y| y);
    }
}

#[test]
fn settings_and_data_at_the_edge_are_refused() {
    let data = scaled(Task::Friedman2, 50, 1);
    let refused = |gfc: Gfc| gfc.fit_expansion(&data, &Run::new(1)).unwrap_err().to_string();
    assert!(refused(Gfc { steps: 0, ..quick() }).contains("steps"));
    assert!(refused(Gfc { passes: 0, ..quick() }).contains("passes"));
    assert!(refused(Gfc { candidates: 0, ..quick() }).contains("candidates"));
    assert!(refused(Gfc { folds: 4, ..quick() }).contains("`method.gfc.folds` must be more than training_folds"));
    assert!(refused(Gfc { cut_off: -1.0, ..quick() }).contains("cut_off"));
    assert!(refused(Gfc { precision: f64::NAN, ..quick() }).contains("precision"));
    assert!(refused(Gfc { order: 5, ..quick() }).contains("order of 5"));
    assert!(refused(Gfc { features: 60_000, ..quick() }).contains("GiB"));
    assert!(refused(Gfc { batch: Some(4), ..quick() }).contains("4 rows are too few for the folds of a descent"));
    let few = quick().fit_expansion(&part(&data, 0..1), &Run::new(1));
    assert!(matches!(few, Err(MethodError::TooFewRows { rows: 1, .. })), "{few:?}");
    let gfc = Gfc { terms: Terms::Intercept, ..quick() };
    let few = gfc.fit_expansion(&part(&data, 0..4), &Run::new(1));
    assert!(matches!(few, Err(MethodError::TooFewRows { rows: 4, needed: 5, .. })), "{few:?}");
    assert!(gfc.fit_expansion(&part(&data, 0..5), &Run::new(1)).is_ok());
}

#[test]
fn sparse_frequencies_are_better_where_most_inputs_do_not_matter() {
    // Two of 32 inputs matter: dense frequencies fit noise with the others.
    let target = |x: &[f64]| x[3] * (1.5 * x[20]).sin();
    for seed in 0..3 {
        let (mut train, test) = (rows(1500, 32, seed, target), rows(1500, 32, seed + 50, target));
        let mut noise = Sampler::new(seed + 100);
        train.y.apply(|y| *y += 0.2 * noise.normal());
        let error = |order| {
            let gfc = Gfc { features: 20, order, terms: Terms::Intercept, ..Gfc::default() };
            let expansion = gfc.fit_expansion(&train, &Run::new(seed)).unwrap();
            1.0 - Metrics::from_predictions(&expansion.predict(&test.x), &test.y).r2
        };
        let (two, four, dense) = (error(2), error(4), error(32));
        assert!(two < 0.7 * dense && four < 0.6 * dense, "{seed}: {two} {four} {dense}");
    }
}
