//! The search for the best model that keeps a budget.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use nalgebra::DMatrix;
use srfm_trainer::FitError;
use srfm_trainer::cost::{Budget, Core, Unit, Work, instruction_bound};
use srfm_trainer::data::{Dataset, Task};
use srfm_trainer::export::NumberFormat;
use srfm_trainer::method::MethodError;
use srfm_trainer::sampling::Sampler;
use srfm_trainer::search::{SearchConfig, Trial, search};
use srfm_trainer::{Conditions, Fit, FitConfig, Grid, Observer, Run, fit};

fn config(features: usize) -> SearchConfig {
    SearchConfig {
        fit: Conditions { grid: Grid::from([]), folds: 3, ..Conditions::default() },
        numbers: vec![NumberFormat::Int, NumberFormat::Int16],
        budget: Budget::default(),
        features,
        inputs: None,
        terms: None,
        robust: true,
        one_standard_error: false,
        smooth: false,
        effort: None,
        time: Duration::from_secs(600),
    }
}

#[test]
fn a_small_model_is_found_within_the_budget() {
    let data = Task::Friedman2.generate(60, 125.0, 2);
    let at_most = 400;
    let work = Some(Work { at_most, unit: Unit::Instructions, core: Core::CortexM3 });
    let config = SearchConfig { budget: Budget { flash: Some(170), work, ..Budget::default() }, ..config(6) };
    let found = search(&data, &config, &Run::new(1)).unwrap();
    let model = found.fit.blob.model();
    assert!(model.flash_bytes() <= 170 && model.features() <= 6);
    assert!(instruction_bound(&model, Core::CortexM3) <= at_most);
    // The line leaves 0.24 of the variance, of which 0.11 is noise; waves leave 0.1 on the folds.
    let line = found.trials.iter().find(|trial| trial.candidate.method.name() == "linear").unwrap();
    assert!(
        found.chosen.score.standardised_mse < 0.6 * line.score.standardised_mse,
        "{} {}",
        found.chosen.score.standardised_mse,
        line.score.standardised_mse
    );
    assert!(found.complete && found.trials.len() > 50);
    assert!(found.trials.iter().all(|trial| trial.score.standardised_mse >= found.trials[0].score.standardised_mse));
    // The same again on one thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = pool.install(|| search(&data, &config, &Run::new(1))).unwrap();
    assert_eq!(again.fit.blob, found.fit.blob);
}

#[test]
fn the_same_effort_gives_the_same_model_on_any_number_of_threads() {
    let data = Task::Friedman1.generate(150, 1.0, 1);
    let of = |effort, threads| {
        let budget = Budget { flash: Some(600), ..Budget::default() };
        let config = SearchConfig { budget, effort: Some(effort), ..config(50) };
        search(&data, &config, &Run::new(1).with_threads(threads)).unwrap()
    };
    let found = of(0.5, 1);
    assert!(!found.complete && found.trials.len() > 10, "{}", found.trials.len());
    for threads in [2, 3] {
        let again = of(0.5, threads);
        assert_eq!((again.fit.blob, again.trials.len()), (found.fit.blob.clone(), found.trials.len()));
    }
    assert!(of(2.0, 2).trials.len() > found.trials.len());
}

#[test]
fn more_effort_begins_with_the_trials_of_less_and_more_flash_is_no_worse() {
    let tasks = [(Task::Friedman1, 1.0), (Task::Friedman2, 125.0), (Task::Friedman3, 0.1), (Task::Pressure, 0.5)];
    let mut ratios: f64 = 1.0;
    for (task, noise) in tasks {
        let data = task.generate(150, noise, 1);
        let of = |effort, flash| {
            let budget = Budget { flash: Some(flash), ..Budget::default() };
            let config = SearchConfig { budget, effort: Some(effort), ..config(50) };
            search(&data, &config, &Run::new(1)).unwrap().trials
        };
        let least = |trials: &[Trial]| {
            let known = trials.iter().filter(|trial| !trial.over_budget && !trial.ruled_out);
            known.map(|trial| trial.score.standardised_mse).fold(f64::INFINITY, f64::min)
        };
        let trials = [0.1, 0.2, 0.4].map(|effort| [512, 2048].map(|flash| of(effort, flash)));
        for (smaller, larger) in trials.iter().zip(&trials[1..]).flat_map(|(less, more)| less.iter().zip(more)) {
            let again = |trial: &Trial| {
                larger.iter().any(|other| other.candidate == trial.candidate && other.score == trial.score)
            };
            assert!(smaller.iter().all(again), "{}", task.name());
            assert!(least(larger) <= least(smaller), "{}", task.name());
        }
        // A larger budget has the smaller sizes of a path, too, and its fits take more of the effort.
        let [small, large] = [0, 1].map(|flash: usize| least(&trials[2][flash]));
        assert!(large <= least(&trials[0][0]), "{}", task.name());
        ratios *= large / small;
        assert!(trials[2][1].len() > trials[0][0].len(), "{}", task.name());
    }
    assert!(ratios.powf(0.25) <= 1.03, "{ratios}");
}

#[test]
fn more_effort_is_better_on_many_rows_and_takes_stochastic_gradients_into_account() {
    // More than 2,000 rows of twenty inputs that mix five independent ones.
    let (mut data, mut sampler) = (Task::Friedman1.generate(2100, 0.0, 1), Sampler::new(1));
    let mixing = DMatrix::from_fn(5, 20, |_, _| sampler.normal() / 2.0);
    let mixed = DMatrix::from_fn(2100, 5, |_, _| sampler.normal()) * mixing;
    data.x = mixed.map(|value| value + 0.3 * sampler.normal());
    data.input_names = (0..20).map(|input| format!("x{input}")).collect();
    let sum = |row: usize, input: usize| data.x[(row, input)] + data.x[(row, (input + 7) % 20)];
    let target = |row: usize| (0..5).map(|input| (sum(row, input) + input as f64).sin()).sum();
    data.y = DMatrix::from_fn(2100, 1, |row, _| target(row));
    let of = |effort| {
        let budget = Budget { flash: Some(2048), ..Budget::default() };
        let config = SearchConfig { budget, effort: Some(effort), numbers: vec![NumberFormat::F32], ..config(100) };
        search(&data, &config, &Run::new(1)).unwrap()
    };
    let (little, more) = (of(0.3), of(3.0));
    assert_eq!(more.rows, 2100);
    assert!(more.trials.iter().any(|trial| trial.candidate.method.name() == "sgd"));
    let [little, more] = [little, more].map(|found| found.chosen.score.standardised_mse);
    assert!(more < 0.9 * little, "{little} {more}");
}

#[test]
fn few_rows_get_features_only_where_they_hold_on_other_rows() {
    // Three of ten inputs matter, and half of the variance is noise: leaving inputs out by what all rows say lets
    // features look better than the line.
    let chosen = |task: &dyn Fn(&Dataset, usize, &mut Sampler) -> f64, seed| {
        let mut data = Task::Friedman1.generate(45, 1.0, seed);
        let mut sampler = Sampler::new(seed);
        let y: Vec<f64> = (0..data.rows()).map(|row| task(&data, row, &mut sampler)).collect();
        data.y.copy_from_slice(&y);
        let config = SearchConfig { effort: Some(0.5), ..config(12) };
        search(&data, &config, &Run::new(seed)).unwrap().chosen.candidate.method.tunable().features
    };
    let line = |data: &Dataset, row: usize, sampler: &mut Sampler| {
        data.x[(row, 0)] + data.x[(row, 1)] - data.x[(row, 2)] + 0.5 * sampler.normal()
    };
    let wave = |data: &Dataset, row: usize, sampler: &mut Sampler| {
        (6.0 * data.x[(row, 0)]).sin() + data.x[(row, 1)] + 0.1 * sampler.normal()
    };
    let lines = (1..=6).filter(|&seed| chosen(&line, seed) == 0).count();
    let waves = (1..=6).filter(|&seed| chosen(&wave, seed) > 0).count();
    assert!(lines >= 5 && waves >= 5, "{lines} lines, {waves} waves");
}

#[test]
fn the_stated_error_of_noise_is_that_of_noise() {
    // Targets that do not depend on the inputs: no model has less than the variance on other rows, and few candidates
    // leave little room for a choice by chance.
    let (mut least, mut stated) = (0.0, 0.0);
    let seeds = 8;
    for seed in 1..=seeds {
        let mut data = Task::Friedman1.generate(110, 1.0, seed);
        let mut sampler = Sampler::new(seed);
        data.y.iter_mut().for_each(|y| *y = sampler.normal());
        let found = search(&data, &config(3), &Run::new(seed)).unwrap();
        assert!(found.complete);
        // In units of the variance.
        least += found.trials[0].score.standardised_mse / seeds as f64;
        stated += found.chosen.score.standardised_mse / seeds as f64;
    }
    assert!(stated > 0.99 && stated > least, "least {least}, stated {stated}");
}

#[test]
fn time_for_nothing_gives_a_model_of_as_few_inputs_as_asked_for() {
    let data = Task::Friedman1.generate(200, 0.5, 1);
    for flash in [None, Some(300), Some(2048)] {
        let budget = Budget { flash, ..Budget::default() };
        let time = Duration::from_millis(1);
        let config = SearchConfig { budget, time, inputs: Some(2), ..config(20) };
        let found = search(&data, &config, &Run::new(1)).unwrap();
        assert!(!found.complete && data.inputs() - found.chosen.candidate.without.len() <= 2, "{:?}", found.chosen);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let data = Task::Friedman1.generate(60, 1.0, 1);
    let budget = Budget { flash: Some(40), ..Budget::default() };
    let refused = search(&data, &SearchConfig { budget, ..config(8) }, &Run::new(1)).unwrap_err();
    assert!(matches!(refused, FitError::Budget(_)), "{refused}");
    let setting = Conditions { grid: Grid::from([-1.0]), ..config(8).fit };
    let refused = search(&data, &SearchConfig { fit: setting, ..config(8) }, &Run::new(1)).unwrap_err();
    assert!(matches!(refused, FitError::Method(MethodError::Setting { setting: "lambda", .. })), "{refused}");
}

/// Asks to stop after it was asked so often.
struct Impatient(AtomicUsize);

impl Observer for Impatient {
    fn interrupted(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) > 200
    }
}

#[test]
fn a_search_stops_when_asked_to_and_when_its_time_is_over() {
    let data = Task::Friedman1.generate(120, 1.0, 1);
    let impatient = Impatient(AtomicUsize::new(0));
    let stopped = search(&data, &config(8), &Run::new(1).with_observer(&impatient)).unwrap_err();
    assert_eq!(stopped, FitError::Interrupted);
    // However little time there is, the line is found.
    let hasty = SearchConfig { time: Duration::ZERO, ..config(8) };
    let found = search(&data, &hasty, &Run::new(1)).unwrap();
    assert!(!found.complete && found.trials.iter().any(|trial| trial.candidate.method.name() == "linear"));
}

#[test]
fn residuals_with_heavy_tails_lead_to_hubers_loss() {
    let is_robust = |trial: &Trial| trial.candidate.method.setting::<f64>("huber").is_some();
    let function = |data: &Dataset, row: usize| (6.0 * data.x[(row, 0)]).sin() + data.x[(row, 1)];
    let clean = Task::Friedman1.generate(2000, 0.0, 99);
    let mut ratios = Vec::new();
    for seed in 1..=3 {
        let (mut data, mut sampler) = (Task::Friedman1.generate(250, 1.0, seed), Sampler::new(seed));
        (0..data.rows()).for_each(|row| data.y[row] = function(&data, row) + 0.3 * sampler.normal());
        let config = SearchConfig { effort: Some(0.5), ..config(12) };
        let found = search(&data, &config, &Run::new(seed)).unwrap();
        assert!(!found.trials.iter().any(is_robust), "{seed}");
        // One target in twenty is off by about twenty standard deviations of the noise.
        (0..data.rows()).step_by(20).for_each(|row| data.y[row] += 6.0 * sampler.normal());
        let found = search(&data, &config, &Run::new(seed)).unwrap();
        assert!(is_robust(&found.chosen), "{seed}");
        // The method with each loss, with inputs and warps the same, and the best λ of a few.
        let fitted = |huber: Option<f64>| {
            let mut config = FitConfig { grid: Grid::from([1e-4, 1e-3, 1e-2, 1e-1]), ..FitConfig::default() };
            config.method = found.chosen.candidate.method.clone().with("huber", huber).unwrap();
            fit(&data, &config, &Run::new(seed)).unwrap()
        };
        let error = |fit: &Fit| -> f64 {
            let predicted = fit.model.predict(&clean.x);
            (0..clean.rows()).map(|row| (predicted[row] - function(&clean, row)).powi(2)).sum()
        };
        let ratio = error(&fitted(Some(1.345))) / error(&fitted(None));
        assert!(ratio < 0.9, "{seed}: {ratio}");
        ratios.push(ratio);
    }
    // 0.18, 0.11 and 0.79 of the squared error of least squares.
    assert!(ratios.iter().product::<f64>() < 0.1, "{ratios:?}");
}
