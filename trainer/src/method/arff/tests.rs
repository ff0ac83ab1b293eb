//! ARFF: laws of a fit, and walks that are stopped and go on.

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::data::generate::Task;
use crate::features::feature_matrix;
use crate::method::arff::Arff;
use crate::method::common::linear_fit::Basis;
use crate::method::common::testing::scaled;
use crate::method::{Method, MethodError, Terms};
use crate::run::{Run, Stopping};
use crate::sampling::Sampler;
use crate::scaling::Scaling;
use crate::solve::least_squares::ridge::{Unpenalised, ridge};
use crate::validate::score::Metrics;

/// The unpenalised columns.
fn columns(terms: Terms, x: &DMatrix<f64>) -> DMatrix<f64> {
    match terms {
        Terms::None => DMatrix::zeros(x.nrows(), 0),
        Terms::Intercept => DMatrix::from_element(x.nrows(), 1, 1.0),
        Terms::Linear | Terms::Ridge => x.clone().insert_column(0, 1.0),
    }
}

fn quick() -> Arff {
    Arff { features: 12, steps: 60, batch: 100, ..Arff::default() }
}

#[test]
fn the_last_fit_is_ridge_regression_over_all_rows() {
    // More rows than are worked on at a time, and features on all inputs or two.
    let data = scaled(Task::Friedman2, 5000, 1);
    for (basis, terms, order) in
        [(Basis::Pair, Terms::Linear, 2), (Basis::Pair, Terms::None, 4), (Basis::Sigmoid, Terms::Intercept, 2)]
    {
        let arff = Arff { basis, terms, order, ..quick() };
        let lambdas = [1e-5, 1e-3, 1e-1];
        let path = arff.fit_path(&data, &lambdas, &Run::new(1)).unwrap();
        for (&lambda, expansion) in lambdas.iter().zip(&path) {
            assert_eq!(*expansion, Arff { lambda, ..arff.clone() }.fit_expansion(&data, &Run::new(1)).unwrap());
            let mut a = feature_matrix(&data.x, &expansion.features, expansion.activation);
            let (block, mut y) = (Unpenalised::new(&columns(terms, &data.x)), data.y.clone());
            block.project_out(&mut a);
            block.project_out(&mut y);
            let direct = ridge(&a, &y, lambda * data.rows() as f64).unwrap();
            // Normal equations of condition number 1e6 at most.
            let difference = (&expansion.coefficients - &direct).amax();
            assert!(difference < 1e-8 * direct.amax(), "{basis:?} {lambda}: {difference:e}");
            let residual = expansion.predict(&data.x) - &data.y;
            assert!((columns(terms, &data.x).transpose() * residual).amax() < 1e-8);
        }
    }
}

/// The numbers of the steps that were taken.
fn numbers(stopping: &Stopping) -> Vec<usize> {
    stopping.steps.lock().unwrap().iter().map(|(done, _)| *done).collect()
}

#[test]
fn a_walk_goes_on_from_where_it_was_stopped() {
    let data = scaled(Task::Friedman2, 200, 4);
    for arff in [Arff { refit: 7, ..quick() }, Arff { basis: Basis::Sigmoid, order: 4, burn_in: Some(10), ..quick() }] {
        let undisturbed = arff.fit_expansion(&data, &Run::new(1)).unwrap();
        let mut states = Vec::new();
        for (after, done) in [(23, 0), (1, 23), (20, 24)] {
            let stopping = Stopping::from(states, after);
            assert_eq!(arff.fit_expansion(&data, &stopping.run(1)), Err(MethodError::Interrupted));
            assert_eq!(numbers(&stopping), (done + 1..=done + after).collect::<Vec<_>>());
            states = stopping.states.into_inner().unwrap();
        }
        let last = Stopping::from(states, usize::MAX);
        assert_eq!(arff.fit_expansion(&data, &last.run(1)).unwrap(), undisturbed);
        assert_eq!(numbers(&last), (45..=60).collect::<Vec<_>>());
    }
}

#[test]
fn walking_pays() {
    // A ridge in two of ten inputs, too steep for frequencies of the size of one.
    let (mut plain, mut walked) = (0.0, 0.0);
    for seed in 0..8 {
        let mut data = scaled(Task::Friedman1, 600, seed);
        data.y = DMatrix::from_fn(600, 1, |i, _| (4.0 * data.x[(i, 2)] - 3.0 * data.x[(i, 7)]).sin());
        let part = |rows: std::ops::Range<usize>| data.select(&rows.collect::<Vec<_>>());
        let (train, test) = (part(0..300), part(300..600));
        let error = |arff: Arff| {
            let expansion = arff.fit_expansion(&train, &Run::new(seed)).unwrap();
            Metrics::from_predictions(&expansion.predict(&test.x), &test.y).mse
        };
        let arff = Arff { steps: 400, features: 20, ..Arff::default() };
        plain += error(Arff { steps: 0, start: 1.0, ..arff.clone() });
        walked += error(arff);
    }
    // Four times smaller on average; of ten pairs of inputs the right one has yet to be found by chance.
    assert!(walked < 0.5 * plain, "{walked} after, {plain} without a walk");
}

#[test]
fn a_steep_step_takes_frequencies_that_a_normal_law_does_not_have() {
    // As Case 1 of the paper, whose thresholds for 64 frequencies these are: √Σ error² over 10⁴ scaled rows, 100 for
    // the mean.
    let rows = |seed| {
        let mut sampler = Sampler::new(seed);
        let x = DMatrix::from_fn(10_000, 1, |_, _| sampler.normal());
        let y = x.map(|x| (1000.0 * x).atan() * (-x * x / 2.0).exp());
        let data = Dataset::new(x, y).unwrap();
        Scaling::fit(&data).apply(&data)
    };
    let (train, test) = (rows(1), rows(2));
    let error = |arff: Arff| (arff.fit_expansion(&train, &Run::new(1)).unwrap().predict(&test.x) - &test.y).norm();
    let (features, order, terms) = (64, 1, Terms::None);
    let arff = Arff { features, order, terms, step_length: Some(2.4 * 2.4), steps: 400, ..Arff::default() };
    let walked = error(arff.clone());
    let plain = error(Arff { steps: 0, start: 1.0, ..arff });
    assert!(walked <= 22.0 && walked <= 0.5 * plain, "{walked} after, {plain} without a walk");
}

#[test]
fn units_and_order_of_the_targets_and_constant_inputs_do_not_matter() {
    let mut data = scaled(Task::Friedman1, 150, 3);
    data.y = data.y.clone().insert_column(1, 0.0);
    data.y.column_mut(1).copy_from(&data.x.column(5).map(|x| (2.0 * x).cos()));
    data.output_names.push("z".into());
    for arff in [quick(), Arff { basis: Basis::Sigmoid, burn_in: Some(5), order: 10, ..quick() }] {
        let reference = arff.fit_expansion(&data, &Run::new(7)).unwrap();
        let predictions = reference.predict(&data.x);
        let same = |data: &Dataset, back: &dyn Fn(DMatrix<f64>) -> DMatrix<f64>| {
            let difference = back(arff.fit_expansion(data, &Run::new(7)).unwrap().predict(&data.x)) - &predictions;
            // The same walk; rounding, amplified by a condition number of 1e6 at most.
            assert!(difference.amax() < 1e-9, "{:e}", difference.amax());
        };
        for scale in [1e-9, 1e9, -1.0] {
            same(&Dataset { y: &data.y * scale, ..data.clone() }, &|y| y / scale);
        }
        let swapped = |y: DMatrix<f64>| y.select_columns(&[1, 0]);
        same(&Dataset { y: swapped(data.y.clone()), ..data.clone() }, &swapped);
        same(&Dataset { x: data.x.clone().insert_column(4, 0.0), ..data.clone() }, &|y| y);
    }
}

#[test]
fn settings_out_of_range_are_refused() {
    let data = scaled(Task::Friedman2, 50, 1);
    let refused = |arff: Arff| arff.fit_expansion(&data, &Run::new(1)).unwrap_err().to_string();
    assert!(refused(Arff { burn_in: Some(10), ..quick() }).contains("burn_in"));
    assert!(refused(Arff { step_length: Some(0.0), ..quick() }).contains("step_length"));
    assert!(refused(Arff { exponent: Some(f64::NAN), ..quick() }).contains("exponent"));
    assert!(refused(Arff { order: 5, ..quick() }).contains("order of 5"));
    assert!(refused(Arff { features: 60_000, ..quick() }).contains("GiB"));
    assert!(refused(Arff { exchange: 1.5, ..quick() }).contains("exchange"));
    assert!(refused(Arff { batch: 0, ..quick() }).contains("batch"));
}
