//! Searches on rows at the edge: rare values, few groups, warps, limits of time and of folds.

use std::time::Duration;

use srfm_trainer::compare::{CompareConfig, compare};
use srfm_trainer::cost::{Budget, Core};
use srfm_trainer::data::{Dataset, Task};
use srfm_trainer::method::MethodConfig;
use srfm_trainer::scaling::{Preprocessing, Warp};
use srfm_trainer::search::{SearchConfig, search};
use srfm_trainer::{Conditions, FitConfig, FitError, Grid, Run, fit};

fn config(effort: f64) -> SearchConfig {
    SearchConfig { effort: Some(effort), ..SearchConfig::new(Conditions::default(), Budget::default()) }
}

/// Rows of Friedman's first function, four in a thousand of which are faults.
fn rare_faults(rows: usize) -> Dataset {
    let mut data = Task::Friedman1.generate(rows, 0.0, 1);
    data.y.fill(0.0);
    data.y.iter_mut().step_by(rows / 4).for_each(|y| *y = 1.0);
    data.classes = vec!["sound".to_owned(), "fault".to_owned()];
    data
}

#[test]
fn a_class_of_four_rows_in_ten_thousand_is_searched() {
    for seed in 0..3 {
        let found = search(&rare_faults(10_000), &config(0.02), &Run::new(seed)).unwrap();
        assert!(found.chosen.score.error_rate.unwrap() < 0.01, "{seed}");
    }
}

#[test]
fn rows_of_four_devices_are_searched_in_four_folds() {
    let mut data = Task::Friedman1.generate(80, 0.5, 1);
    data.groups = (0..80).map(|row| row % 4).collect();
    let mut config = config(0.05);
    config.fit.folds = 4;
    assert!(search(&data, &config, &Run::new(1)).unwrap().chosen.score.standardised_mse < 1.0);
}

#[test]
fn inputs_with_a_logarithm_can_be_left_out_of_a_comparison() {
    let mut data = Task::Friedman1.generate(200, 0.1, 1);
    data.x.iter_mut().for_each(|x| *x += 0.5);
    let preprocessing = Preprocessing { warps: vec![Warp::Log; data.inputs()], ..Preprocessing::default() };
    let grid = Grid::from([]);
    let config = Conditions { preprocessing, grid, folds: 2, ..Conditions::default() };
    let methods = vec![MethodConfig::named("fourier").unwrap()];
    let config = CompareConfig { fit: config, methods, sizes: vec![20], core: Core::CortexM4f };
    let compared = compare(&data, &config, &Run::new(1)).unwrap();
    assert!(!compared.inputs.is_empty());
    assert!(compared.inputs.iter().all(|cost| cost.without_it.is_finite()));
}

#[test]
fn the_longest_time_is_no_overflow() {
    let data = Task::Friedman1.generate(50, 0.5, 1);
    let config = SearchConfig { time: Duration::MAX, ..config(0.05) };
    assert!(search(&data, &config, &Run::new(1)).is_ok());
}

#[test]
fn fewer_than_two_folds_are_refused() {
    let data = Task::Friedman1.generate(50, 0.5, 1);
    for folds in [0, 1] {
        let refused = fit(&data, &FitConfig { folds, ..FitConfig::default() }, &Run::new(1)).unwrap_err();
        assert!(refused.to_string().contains("`folds`"), "{refused}");
    }
    let none = FitConfig { given: Some(Vec::new().into()), ..FitConfig::default() };
    assert!(matches!(fit(&data, &none, &Run::new(1)), Err(FitError::Split(_))));
}

#[test]
fn rows_of_one_group_are_refused_and_those_of_two_are_searched() {
    let mut data = Task::Friedman1.generate(80, 0.5, 1);
    data.groups = vec![3; 80];
    assert!(matches!(search(&data, &config(0.05), &Run::new(1)), Err(FitError::Split(_))));
    data.groups = (0..80).map(|row| row % 2).collect();
    let mut config = config(0.05);
    config.fit.folds = 2;
    assert!(search(&data, &config, &Run::new(1)).is_ok());
}
