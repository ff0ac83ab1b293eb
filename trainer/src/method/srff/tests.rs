//! SRFF: the inputs that matter are found, laws of a fit, and searches that are stopped and go on.

use nalgebra::DMatrix;

use crate::data::Dataset;
use crate::data::generate::Task;
use crate::features::feature_matrix;
use crate::method::srff::input_scales::ScaleSolver;
use crate::method::srff::{Learned, NEIGHBOURS, SAMPLE, Srff, median_distance};
use crate::method::{Method, MethodError, Terms};
use crate::run::{Run, Stopping};
use crate::sampling::{Sampler, SpectralLaw};
use crate::scaling::Scaling;
use crate::solve::least_squares::ridge::{Unpenalised, ridge};
use crate::validate::score::Metrics;

/// Rows to fit and 1000 to test on, both scaled by the former.
fn parts(task: Task, rows: usize, seed: u64) -> (Dataset, Dataset) {
    let (train, test) = (task.generate(rows, task.usual_noise(), 2 * seed), task.generate(1000, 0.0, 2 * seed + 1));
    let scaling = Scaling::fit(&train);
    (scaling.apply(&train), scaling.apply(&test))
}

/// Test error over that of the mean.
fn ratio(learned: &Learned, test: &Dataset) -> f64 {
    Metrics::from_predictions(&learned.expansion.predict(&test.x), &test.y).rmse
        / (test.y.norm_squared() / test.rows() as f64).sqrt()
}

/// The inputs with the largest scales, ascending.
fn largest(scales: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scales.len()).collect();
    order.sort_by(|&i, &j| scales[j].total_cmp(&scales[i]));
    order.truncate(count);
    order.sort_unstable();
    order
}

fn plain(srff: &Srff) -> Srff {
    Srff { max_iterations: 0, ..srff.clone() }
}

#[test]
fn inputs_of_a_product_are_found_where_equal_scales_find_nothing() {
    let srff = Srff { features: 300, ..Srff::default() };
    let (mut found, mut ratios) = (0, Vec::new());
    for seed in 0..6 {
        let (train, test) = parts(Task::Se1, 1000, seed);
        let learned = srff.learn(&train, &[3.0], &Run::new(seed)).unwrap().swap_remove(0);
        found += usize::from(largest(&learned.scales, 3) == [6, 7, 8]);
        ratios.push(ratio(&learned, &test));
        let equal = plain(&srff).learn(&train, &[3.0], &Run::new(seed)).unwrap().swap_remove(0);
        assert!(ratio(&equal, &test) > 0.98, "{seed}: {}", ratio(&equal, &test));
    }
    assert!(found >= 5 && ratios.iter().sum::<f64>() / 6.0 < 0.97, "{found} {ratios:?}");
}

#[test]
fn five_inputs_of_a_hundred_are_found() {
    let srff = Srff { features: 200, ..Srff::default() };
    for seed in 0..3 {
        let (train, test) = parts(Task::Se2, 1000, seed);
        let learned = srff.learn(&train, &[0.3], &Run::new(seed)).unwrap().swap_remove(0);
        let found = largest(&learned.scales, 5).into_iter().filter(|input| (10..15).contains(input)).count();
        assert!(found >= 4 && ratio(&learned, &test) < 0.85, "{seed}: {found} {}", ratio(&learned, &test));
    }
}

#[test]
fn every_kernel_finds_the_inputs_that_matter() {
    for law in
        [SpectralLaw::Normal { scale: 1.0 }, SpectralLaw::Laplace { scale: 0.7 }, SpectralLaw::Cauchy { scale: 0.3 }]
    {
        let srff = Srff { features: 150, law, ..Srff::default() };
        for seed in 0..3 {
            let (train, test) = parts(Task::Friedman1, 400, seed);
            let learned = srff.learn(&train, &[0.1], &Run::new(seed)).unwrap().swap_remove(0);
            let equal = plain(&srff).learn(&train, &[0.1], &Run::new(seed)).unwrap().swap_remove(0);
            let (ours, theirs) = (ratio(&learned, &test), ratio(&equal, &test));
            assert_eq!(largest(&learned.scales, 5), [0, 1, 2, 3, 4], "{law:?}");
            assert!(ours < 0.8 * theirs, "{law:?} {ours} {theirs}");
        }
    }
}

#[test]
fn copies_of_two_variables_among_a_thousand_inputs_are_found() {
    let srff = Srff { features: 150, order: Some(10), ..Srff::default() };
    let (train, test) = parts(Task::Se3, 1000, 1);
    let learned = srff.learn(&train, &[1.0], &Run::new(1)).unwrap().swap_remove(0);
    let found = |block: std::ops::Range<usize>| block.filter(|&input| learned.scales[input] > 0.0).count();
    assert!(found(0..5) >= 1 && found(5..10) >= 1 && found(0..10) >= 6 && found(0..1000) <= 10);
    assert!(ratio(&learned, &test) < 0.7, "{}", ratio(&learned, &test));
}

#[test]
fn both_solvers_lower_the_objective_on_the_simplex() {
    let (lambda, seeds) = (0.3, 8);
    let mut sums = [0.0; 3];
    for seed in 0..seeds {
        let (train, _) = parts(Task::Se1, 400, seed);
        let objective = |srff: &Srff| {
            let Learned { scales, expansion } = srff.learn(&train, &[lambda], &Run::new(seed)).unwrap().swap_remove(0);
            let residual = expansion.predict(&train.x) - &train.y;
            // The coefficients belong to cosines, without the √2 of the features.
            let value = residual.norm_squared() / 400.0 / 2.0 + lambda * expansion.coefficients.norm_squared() / 4.0;
            (value, scales.iter().sum::<f64>())
        };
        let quick = Srff { features: 60, ..Srff::default() };
        let published = Srff { solver: ScaleSolver::Alternating, ..quick.clone() };
        let found = [plain(&quick), published, quick].map(|srff| objective(&srff));
        let [(start, total), others @ ..] = found;
        for (value, sum) in others {
            assert!(value < 0.92 * start, "{seed}: {found:?}");
            assert!((sum / total - 1.0).abs() < 1e-12);
        }
        sums.iter_mut().zip(found).for_each(|(sum, (value, _))| *sum += value);
    }
    // Each ends in minima of its own; those of the quick one are as low.
    assert!(sums[2] < 1.01 * sums[1], "{sums:?}");
}

#[test]
fn the_last_fit_is_ridge_regression_whatever_else_is_asked_for() {
    let (mut data, _) = parts(Task::Friedman1, 300, 5);
    data.y = data.y.clone().insert_column(1, 0.0);
    data.y.set_column(1, &data.x.column(5).map(|x| (2.0 * x).cos()));
    data.output_names.push("z".into());
    for terms in [Terms::None, Terms::Intercept, Terms::Linear] {
        let srff = Srff { features: 40, terms, max_iterations: 20, ..Srff::default() };
        let lambdas = [1.0, 1e-3, 0.1];
        let path = srff.learn(&data, &lambdas, &Run::new(1)).unwrap();
        for (&lambda, Learned { scales, expansion }) in lambdas.iter().zip(&path) {
            // The path does not depend on what else lies on it.
            let alone = Srff { lambda, ..srff.clone() }.fit_expansion(&data, &Run::new(1)).unwrap();
            assert_eq!(*expansion, alone);
            let active: Vec<usize> = (0..10).filter(|&input| scales[input] > 0.0).collect();
            assert!(expansion.features.iter().all(|feature| feature.support == active));
            let mut a = feature_matrix(&data.x, &expansion.features, expansion.activation);
            let columns = match terms {
                Terms::None => DMatrix::zeros(300, 0),
                Terms::Intercept => DMatrix::from_element(300, 1, 1.0),
                Terms::Linear | Terms::Ridge => data.x.clone().insert_column(0, 1.0),
            };
            let (block, mut y) = (Unpenalised::new(&columns), data.y.clone());
            block.project_out(&mut a);
            block.project_out(&mut y);
            // Values without the √2: half the penalty.
            let direct = ridge(&a, &y, lambda * 300.0 / 2.0).unwrap();
            let difference = (&expansion.coefficients - &direct).amax();
            assert!(difference < 1e-7 * direct.amax(), "{terms:?} {lambda}: {difference:e}");
            let residual = expansion.predict(&data.x) - &data.y;
            assert!((columns.transpose() * residual).amax() < 1e-8);
        }
    }
}

#[test]
fn units_and_copies_of_columns_change_nothing() {
    let (data, _) = parts(Task::Friedman2, 200, 2);
    let srff = Srff { features: 30, max_iterations: 15, ..Srff::default() };
    let reference = srff.fit_expansion(&data, &Run::new(7)).unwrap().predict(&data.x);
    for scale in [2.0_f64.powi(-20), 2.0_f64.powi(20), -1.0] {
        let scaled = Dataset { y: &data.y * scale, ..data.clone() };
        let ours = srff.fit_expansion(&scaled, &Run::new(7)).unwrap().predict(&data.x) / scale;
        assert!((ours - &reference).amax() < 1e-9);
    }
    // A constant column is not looked at and has no part in the width of the kernel.
    let constant = Dataset { x: data.x.clone().insert_column(2, 3.0), ..data.clone() };
    let learned = srff.learn(&constant, &[0.1], &Run::new(7)).unwrap().swap_remove(0);
    assert!((learned.expansion.predict(&constant.x) - &reference).amax() < 1e-9);
    assert_eq!(learned.scales[2], 0.0);
}

#[test]
fn data_and_settings_at_the_edge() {
    let srff = Srff { features: 20, max_iterations: 10, ..Srff::default() };
    // Fewer rows than inputs, and than features; two rows; no penalty.
    for (rows, lambda) in [(12, 0.1), (12, 0.0), (2, 0.1), (200, 0.0)] {
        let data = Task::Se1.generate(rows, 0.1, 1);
        let learned = srff.learn(&data, &[lambda], &Run::new(1)).unwrap().swap_remove(0);
        assert!(learned.expansion.predict(&data.x).iter().all(|v| v.is_finite()));
        assert!(learned.scales.iter().all(|scale| *scale >= 0.0) && learned.scales.iter().sum::<f64>() > 0.0);
    }
    let refused = |srff: Srff, rows| srff.fit_expansion(&Task::Se1.generate(rows, 0.1, 1), &Run::new(1)).unwrap_err();
    assert!(matches!(refused(srff.clone(), 1), MethodError::TooFewRows { rows: 1, needed: 2, .. }));
    let said = |srff: Srff| refused(srff, 50).to_string();
    assert!(said(Srff { lambda: -1.0, ..srff.clone() }).contains("lambda"));
    assert!(said(Srff { lambda: f64::NAN, ..srff.clone() }).contains("lambda"));
    assert!(said(Srff { order: Some(0), ..srff.clone() }).contains("order"));
    assert!(said(Srff { order: Some(19), ..srff.clone() }).contains("order of 19"));
    assert!(said(Srff { features: 0, ..srff.clone() }).contains("features"));
    assert!(said(Srff { features: 60_000, ..srff.clone() }).contains("GiB"));
    assert!(said(Srff { law: SpectralLaw::Normal { scale: 0.0 }, ..srff.clone() }).contains("scale"));
    let mut nan = Task::Se1.generate(50, 0.1, 1);
    nan.x[(3, 3)] = f64::NAN;
    assert!(matches!(srff.fit_expansion(&nan, &Run::new(1)), Err(MethodError::Solve(_))));
}

#[test]
fn a_search_goes_on_from_where_it_was_stopped() {
    let (data, _) = parts(Task::Friedman1, 150, 4);
    for solver in [ScaleSolver::VariableProjection, ScaleSolver::Alternating] {
        let srff = Srff { features: 25, max_iterations: 12, solver, order: Some(4), ..Srff::default() };
        let lambdas = [0.1, 1.0];
        let undisturbed = srff.fit_path(&data, &lambdas, &Run::new(1)).unwrap();
        let mut states = Vec::new();
        // Within the first search, and in a later one.
        for after in [3, 40] {
            let stopping = Stopping::from(states, after);
            assert_eq!(srff.fit_path(&data, &lambdas, &stopping.run(1)), Err(MethodError::Interrupted));
            let steps = stopping.steps.into_inner().unwrap();
            assert_eq!(steps.len(), after, "it ends at once");
            assert!(steps.is_sorted() && steps.iter().all(|(done, total)| done <= total), "{steps:?}");
            states = stopping.states.into_inner().unwrap();
        }
        let resumed = Stopping::from(states, usize::MAX);
        assert_eq!(srff.fit_path(&data, &lambdas, &resumed.run(1)).unwrap(), undisturbed);
        let whole = Stopping { after: usize::MAX, ..Stopping::default() };
        srff.fit_path(&data, &lambdas, &whole.run(1)).unwrap();
        let (went_on, all) = (resumed.steps.into_inner().unwrap().len(), whole.steps.into_inner().unwrap().len());
        assert!(went_on < all, "{went_on} {all}: nothing was kept");
    }
}

/// All distances, sorted.
fn by_force(x: &DMatrix<f64>, rows: &[usize]) -> f64 {
    let mut all = Vec::new();
    for &i in rows {
        let mut of_row: Vec<f64> = (0..x.nrows()).filter(|&j| j != i).map(|j| (x.row(i) - x.row(j)).norm()).collect();
        of_row.sort_unstable_by(f64::total_cmp);
        all.extend_from_slice(&of_row[..NEIGHBOURS.min(of_row.len())]);
    }
    all.sort_unstable_by(f64::total_cmp);
    all[all.len() / 2]
}

#[test]
fn the_median_of_all_pairs_by_force() {
    for (seed, rows) in [(1, 2), (2, 15), (3, 300), (4, 900)] {
        let x = {
            let mut sampler = Sampler::new(seed);
            DMatrix::from_fn(rows, 4, |_, _| 3.0 + sampler.normal())
        };
        let chosen = Sampler::new(9).choose(rows, SAMPLE);
        let ours = median_distance(&x, &mut Sampler::new(9));
        assert!((ours / by_force(&x, &chosen) - 1.0).abs() < 1e-9, "{rows} {ours}");
        // A sample is as good as all rows: the median of some thousand distances.
        let all: Vec<usize> = (0..rows).collect();
        assert!((ours / by_force(&x, &all) - 1.0).abs() < 0.03, "{rows} {ours}");
    }
}

#[test]
fn neighbours_are_found_beyond_one_block() {
    let mut sampler = Sampler::new(5);
    let x = DMatrix::from_fn(9000, 2, |_, _| sampler.normal());
    let chosen = Sampler::new(1).choose(9000, SAMPLE);
    let ours = median_distance(&x, &mut Sampler::new(1));
    assert!((ours / by_force(&x, &chosen) - 1.0).abs() < 1e-9);
}

#[test]
fn copies_do_not_count() {
    let twice = DMatrix::from_fn(60, 1, |row, _| f64::from(row as u32 / 30) * 0.7);
    assert!((median_distance(&twice, &mut Sampler::new(1)) - 0.7).abs() < 1e-12);
    assert_eq!(median_distance(&DMatrix::from_element(30, 2, 1.5), &mut Sampler::new(1)), 0.0);
}
