//! The search for the best model that keeps a budget.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use srfm_trainer::cost::{Core, instruction_bound};
use srfm_trainer::data::Dataset;
use srfm_trainer::data::generate::Task;
use srfm_trainer::error::FitError;
use srfm_trainer::export::{self, NumberFormat};
use srfm_trainer::fit::{FitConfig, Grid};
use srfm_trainer::method::{MethodConfig, MethodError, Terms};
use srfm_trainer::run::{Observer, Run};
use srfm_trainer::scaling::Preprocessing;
use srfm_trainer::search::budget::{Budget, Instructions};
use srfm_trainer::search::{Found, SearchConfig, Tried, search};
use srfm_trainer::validate::metrics::Metrics;
use srfm_trainer::warp::Warp;

fn config(features: usize) -> SearchConfig {
    SearchConfig {
        fit: FitConfig { grid: Grid::of_lambdas([]), folds: 3, ..FitConfig::default() },
        numbers: vec![NumberFormat::Int, NumberFormat::Int16],
        budget: Budget::default(),
        features,
        inputs: None,
        terms: None,
        one_standard_error: false,
        time: Duration::from_secs(600),
    }
}

fn rmse(found: &Found, test: &Dataset) -> f64 {
    Metrics::of(&export::predict(&found.fit.blob, &test.x).cast(), &test.y).rmse
}

#[test]
fn a_small_model_is_found_within_the_budget() {
    let data = Task::Friedman1.generate(120, 1.0, 1);
    let at_most = 480;
    let instructions = Some(Instructions { at_most, core: Core::CortexM3 });
    let config = SearchConfig { budget: Budget { flash: Some(300), instructions }, ..config(8) };
    let found = search(&data, &config, &Run::new(1)).unwrap();
    let model = found.fit.blob.model();
    assert!(model.flash_bytes() <= 300 && model.features() <= 8);
    assert!(instruction_bound(&model, Core::CortexM3).is_some_and(|needed| needed <= at_most));
    // The line leaves 2.6 of a deviation of 4.8; the noise-free function itself is what is tested on.
    let test = Task::Friedman1.generate(2000, 0.0, 9);
    assert!(rmse(&found, &test) < 1.3, "{}", rmse(&found, &test));
    assert!(found.complete && found.tried.len() > 50);
    assert!(found.tried.iter().all(|tried| tried.score.mse >= found.tried[0].score.mse));
    // The same again on one thread.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let again = pool.install(|| search(&data, &config, &Run::new(1))).unwrap();
    assert_eq!(again.fit.blob, found.fit.blob);
}

#[test]
fn inputs_that_do_nothing_are_left_out_and_so_are_more_than_there_may_be() {
    let data = Task::Friedman1.generate(150, 0.5, 3);
    let config = SearchConfig { inputs: Some(3), ..config(6) };
    let found = search(&data, &config, &Run::new(1)).unwrap();
    let model = found.fit.blob.model();
    let used: Vec<usize> = (0..10).filter(|&input| model.uses_input(input)).collect();
    // Inputs 1, 2 and 4 explain most: 10 sin(π x₁x₂) and 10 x₄.
    assert_eq!(used, [0, 1, 3]);
    let all = search(&data, &self::config(6), &Run::new(1)).unwrap();
    assert!(all.fit.blob.model().uses_input(2) && all.chosen.score.mse < found.chosen.score.mse);
}

#[test]
fn a_warp_is_found() {
    let mut data = Task::Friedman1.generate(150, 0.3, 5);
    // What was uniform becomes its exponential over three decades: a logarithm takes it back.
    data.x.column_mut(3).apply(|x| *x = 10f64.powf(3.0 * *x));
    let found = search(&data, &config(6), &Run::new(1)).unwrap();
    assert_eq!(found.chosen.candidate.warps[3], Warp::Log);
    assert!(found.fit.blob.model().prepared().iter().any(|prepared| prepared.warp == 1));
    let preprocessing = Preprocessing { warps: vec![Warp::Identity; 10], ..Preprocessing::default() };
    let fixed = FitConfig { preprocessing, ..config(6).fit };
    let without = search(&data, &SearchConfig { fit: fixed, ..config(6) }, &Run::new(1)).unwrap();
    assert!(without.chosen.score.mse > found.chosen.score.mse);
}

#[test]
fn the_smallest_within_a_standard_error_is_taken() {
    let mut smaller = 0;
    for seed in 2..5 {
        let data = Task::Friedman1.generate(100, 1.0, seed);
        let best = search(&data, &config(8), &Run::new(1)).unwrap();
        let small = search(&data, &SearchConfig { one_standard_error: true, ..config(8) }, &Run::new(1)).unwrap();
        let bound = best.chosen.score.mse + best.chosen.score.standard_error;
        let within = best.tried.iter().filter(|tried| !tried.scout && tried.score.mse <= bound);
        let least = within.map(|tried| tried.flash_bytes).min();
        assert_eq!(Some(small.chosen.flash_bytes), least);
        assert!(small.chosen.score.mse <= bound && small.chosen.score.mse >= best.chosen.score.mse);
        smaller += usize::from(small.chosen.flash_bytes < best.chosen.flash_bytes);
    }
    assert!(smaller > 0);
}

#[test]
fn more_flash_is_no_worse() {
    for seed in 1..3 {
        let data = Task::Friedman1.generate(150, 0.5, seed);
        let within = |flash| {
            let budget = Budget { flash: Some(flash), instructions: None };
            let found = search(&data, &SearchConfig { budget, ..config(24) }, &Run::new(1)).unwrap();
            assert!(found.complete && found.fit.blob.bytes().len() <= flash);
            found.chosen.score.mse
        };
        // Scores are those of the chosen ones on folds, which scatter; 1 % of the error is 2 % of its square.
        let (little, more, most) = (within(140), within(220), within(500));
        assert!(more <= 1.02 * little && most <= 1.02 * more, "{seed}: {little} {more} {most}");
    }
}

#[test]
fn more_flash_passes_through_what_less_ends_with() {
    let data = Task::Friedman1.generate(100, 0.5, 1);
    let within = |flash| {
        let budget = Budget { flash: Some(flash), instructions: None };
        // Time enough for all of it, as what is cut short depends on the machine.
        let time = Duration::from_secs(1000);
        let found = search(&data, &SearchConfig { budget, time, ..config(20) }, &Run::new(1)).unwrap();
        assert!(found.complete);
        found.tried
    };
    let (less, more) = (within(512), within(1024));
    let again = |tried: &&Tried| more.iter().any(|o| o.candidate == tried.candidate && o.score == tried.score);
    assert_eq!(less.iter().filter(again).count(), less.len());
    assert!(more.iter().any(|tried| !tried.scout && tried.flash_bytes > 512));
}

#[test]
fn a_part_goes_on_with_the_terms_of_the_one_before() {
    // Nearly a line, so that linear terms are chosen; four bytes more hold no other models.
    let mut data = Task::Friedman1.generate(100, 0.5, 1);
    data.y += 20.0 * data.x.columns(0, 3).column_sum();
    let starts = |flash| {
        let budget = Budget { flash: Some(flash), instructions: None };
        let time = Duration::from_secs(1000);
        let found = search(&data, &SearchConfig { budget, time, ..config(4) }, &Run::new(1)).unwrap();
        assert!(found.complete && found.chosen.candidate.method.tunable().terms == Terms::Linear);
        // Every order begins with a large λ, which nothing goes on from.
        let begun = |tried: &&Tried| match &tried.candidate.method {
            MethodConfig::Compact(compact) => compact.terms == Terms::Intercept && compact.lambda == 1e-1,
            _ => false,
        };
        found.tried.iter().filter(begun).count()
    };
    assert_eq!([512, 516].map(starts), [0, 0]);
}

#[test]
fn a_ridge_parameter_that_is_given_is_the_only_one() {
    let data = Task::Friedman1.generate(60, 0.5, 1);
    let budget = Budget { flash: Some(200), instructions: None };
    let fit = FitConfig { grid: Grid::of_lambdas([1e-3]), ..config(4).fit };
    let found = search(&data, &SearchConfig { fit, budget, ..config(4) }, &Run::new(1)).unwrap();
    let given = |tried: &Tried| tried.candidate.method.tunable().lambda.is_none_or(|lambda| lambda == 1e-3);
    assert!(found.complete && found.tried.iter().all(given));
}

#[test]
fn time_for_nothing_gives_a_model_of_as_few_inputs_as_asked_for() {
    let data = Task::Friedman1.generate(200, 0.5, 1);
    for flash in [None, Some(300), Some(2048)] {
        let budget = Budget { flash, instructions: None };
        let time = Duration::from_millis(1);
        let config = SearchConfig { budget, time, inputs: Some(2), ..config(20) };
        let found = search(&data, &config, &Run::new(1)).unwrap();
        assert!(!found.complete && data.inputs() - found.chosen.candidate.without.len() <= 2, "{:?}", found.chosen);
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let data = Task::Friedman1.generate(60, 1.0, 1);
    let budget = Budget { flash: Some(40), instructions: None };
    let refused = search(&data, &SearchConfig { budget, ..config(8) }, &Run::new(1)).unwrap_err();
    assert!(matches!(refused, FitError::Budget(_)), "{refused}");
    let setting = FitConfig { grid: Grid::of_lambdas([-1.0]), ..config(8).fit };
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
    assert!(!found.complete && found.tried.iter().any(|t| matches!(t.candidate.method, MethodConfig::Linear(_))));
}
