//! The sequence of candidates, over an evaluator that computes errors and sizes by formulas.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::cost::{Budget, BudgetError};
use crate::data::Dataset;
use crate::data::generate::Task;
use crate::error::FitError;
use crate::export::NumberFormat;
use crate::fit::{Conditions, Grid};
use crate::method::Sgd;
use crate::method::{Terms, Tunable};
use crate::run::{Checkpoint, Observer, Run};
use crate::search::candidate::Candidate;
use crate::search::clock::Clock;
use crate::search::compaction::{self, Family};
use crate::search::config::SearchConfig;
use crate::search::evaluate::Evaluate;
use crate::search::pace::Pace;
use crate::search::sample::Sample;
use crate::search::schedule::stages;
use crate::search::trials::{Query, Trial, Trials};
use crate::validate::Score;
use crate::warp::Warp;

/// The importance of the ten inputs; the last five do nothing.
const IMPORTANCE: [f64; 10] = [0.25, 0.24, 0.06, 0.35, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0];

/// The λ of the least error.
const BEST_LAMBDA: f64 = 1e-4;

struct Formulas<'a> {
    sample: Sample<'a>,
    flash: Option<usize>,
    inputs: Option<usize>,
    /// The error that the line leaves of the variance.
    line: f64,
    /// The ratio of errors from which on the worse candidate is ruled out.
    clearly: f64,
    /// What unrefined frequencies add to the error.
    drawn: f64,
    evaluations: AtomicUsize,
}

impl Formulas<'_> {
    /// Features bring the error down from that of the line or the mean; the inputs left out, the λ of features, orders
    /// and warps add to it.
    fn mse(&self, candidate: &Candidate) -> f64 {
        let settings = candidate.method.tunable();
        let base = if settings.terms == Terms::Linear { self.line } else { 1.0 };
        let lost: f64 = candidate.without.iter().map(|&input| IMPORTANCE[input]).sum();
        let idle = IMPORTANCE.len() - candidate.without.len();
        let of_features = settings.lambda.filter(|_| settings.features > 0);
        let lambda = of_features.map_or(0.0, |lambda| 0.01 * (lambda / BEST_LAMBDA).log10().abs());
        let order = 0.03 * settings.order.unwrap_or(10).abs_diff(2) as f64;
        let warp = if candidate.warps[3] == Warp::Log { 0.0 } else { 0.05 };
        let drawn =
            if compaction::settings(&candidate.method).is_some_and(|c| c.refine > 0) { 0.0 } else { self.drawn };
        let features = settings.features as f64;
        base / (1.0 + features / 4.0) + lost + 1e-3 * idle as f64 + lambda + order + warp + drawn
    }

    fn bytes(candidate: &Candidate, features: usize) -> usize {
        let settings = candidate.method.tunable();
        let linear = if settings.terms == Terms::Linear { 40 } else { 0 };
        60 + linear + features * (8 + 4 * settings.order.unwrap_or(10).min(10))
    }

    fn exceeds(&self, trial: &Trial) -> bool {
        let inputs = self.sample.inputs(&trial.candidate.without);
        self.flash.is_some_and(|flash| trial.flash_bytes > flash) || self.inputs.is_some_and(|most| inputs > most)
    }
}

impl Evaluate for Formulas<'_> {
    fn evaluate(&self, query: &Query, trials: &Trials, _: &Run<'_>) -> Result<Vec<Trial>, FitError> {
        self.evaluations.fetch_add(1, Ordering::Relaxed);
        let own = query.candidate.features();
        let features = if query.any_size { own } else { self.features_within_budget(&query.candidate)? };
        let trial = |&lambda: &Option<f64>| {
            let method = query.candidate.method.clone().tuned(|t| (t.features, t.lambda) = (features, lambda));
            let candidate = query.candidate.with(method);
            let (mse, residual_autocorrelation) = (self.mse(&candidate), None);
            let rmse = mse.sqrt();
            let (rows, largest_rmse, standard_error, error_rate) = (1, rmse, 0.05, None);
            let score = Score { rows, rmse, largest_rmse, mse, standard_error, error_rate, residual_autocorrelation };
            let flash_bytes = Formulas::bytes(&candidate, features);
            let (half_widths, instructions) = (Vec::new(), None);
            let features = candidate.features();
            let ruled_out = trials.bar(&query.candidate).is_some_and(|bar| mse > self.clearly * bar.score.mse);
            let (over_budget, heavy_tails, last_fold) = (false, false, Vec::new());
            let mut trial = Trial {
                candidate,
                features,
                score,
                ruled_out,
                over_budget,
                half_widths,
                heavy_tails,
                last_fold,
                flash_bytes,
                instructions,
            };
            trial.over_budget = self.exceeds(&trial);
            trial
        };
        Ok(query.lambdas.iter().map(trial).collect())
    }

    fn importance(&self, candidate: &Candidate, _: &Run<'_>) -> Result<Option<Vec<(usize, f64)>>, FitError> {
        let mut shares: Vec<(usize, f64)> = IMPORTANCE.into_iter().enumerate().collect();
        shares.retain(|(input, _)| !candidate.without.contains(input));
        shares.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(Some(shares))
    }

    fn fits(&self) -> usize {
        5
    }

    fn features_within_budget(&self, candidate: &Candidate) -> Result<usize, FitError> {
        let Some(flash) = self.flash else { return Ok(candidate.features()) };
        let least = candidate.features().min(1);
        let bytes = Formulas::bytes(candidate, least);
        if bytes > flash {
            return Err(FitError::Budget(BudgetError::OverFlash { flash, bytes }));
        }
        let keeps = |&features: &usize| Formulas::bytes(candidate, features) <= flash;
        Ok((least..=candidate.features()).rev().find(keeps).unwrap_or(least))
    }
}

fn data() -> Dataset {
    Task::Friedman1.generate(100, 1.0, 1)
}

fn config(flash: Option<usize>) -> SearchConfig {
    SearchConfig {
        fit: Conditions { grid: Grid::from([]), ..Conditions::default() },
        numbers: vec![NumberFormat::Int, NumberFormat::Int16],
        budget: Budget { flash, ..Budget::default() },
        features: 40,
        inputs: None,
        terms: None,
        robust: true,
        one_standard_error: false,
        smooth: false,
        effort: None,
        time: Duration::from_secs(3600),
    }
}

/// The trials of all stages, the number of evaluations, and whether all stages ended.
fn searched(data: &Dataset, config: &SearchConfig, line: f64, run: &Run<'_>) -> (Trials, usize, bool) {
    let (mut trials, mut evaluations, mut complete) = (Trials::default(), 0, true);
    let sample = Sample { compared: data, all: data };
    for (place, stage) in stages(config).into_iter().enumerate() {
        let (flash, inputs) = (stage.budget.flash, stage.inputs);
        let formulas = Formulas {
            sample,
            flash,
            inputs,
            line,
            clearly: f64::INFINITY,
            drawn: 0.2,
            evaluations: AtomicUsize::new(0),
        };
        let before = std::mem::take(&mut trials);
        trials.learn_from(&before, |trial| formulas.exceeds(trial));
        let work = Cell::new(0.0);
        let clock = Clock::new(run, stage.time, &work).with_effort(config.effort, 1);
        let pace = Pace::default();
        let mut strategy = Strategy::new(sample, &stage, &formulas, clock, &pace);
        (strategy.trials, strategy.follows) = (trials, place > 0);
        complete &= strategy.run().is_ok();
        trials = strategy.trials;
        evaluations += formulas.evaluations.load(Ordering::Relaxed);
    }
    (trials, evaluations, complete)
}

fn best(trials: &Trials) -> &Trial {
    trials.get(trials.best(|_| true).unwrap())
}

#[test]
fn inputs_warps_lambda_and_size_are_found() {
    let (data, flash) = (data(), 400);
    let (trials, _, complete) = searched(&data, &config(Some(flash)), 0.6, &Run::new(1));
    let Trial { candidate, flash_bytes, .. } = best(&trials);
    let settings = candidate.method.tunable();
    assert!(complete && candidate.without == [5, 6, 7, 8, 9], "{candidate:?}");
    assert_eq!((candidate.warps[3], settings.order, settings.terms), (Warp::Log, Some(2), Terms::Linear));
    // The smallest steps of λ are factors of 3.
    assert!((settings.lambda.unwrap() / BEST_LAMBDA).log10().abs() < 0.3, "{settings:?}");
    // A feature of two inputs takes 16 bytes.
    assert!((flash - 16..=flash).contains(flash_bytes), "{flash_bytes}");
}

#[test]
fn no_more_inputs_than_allowed_are_used() {
    let data = data();
    let (trials, ..) = searched(&data, &SearchConfig { inputs: Some(3), ..config(None) }, 0.6, &Run::new(1));
    assert_eq!(best(&trials).candidate.without, [2, 4, 5, 6, 7, 8, 9]);
    let allowed = trials.all().iter().filter(|trial| trial.is_allowed());
    assert!(allowed.clone().count() > 50);
    assert!(allowed.clone().all(|trial| trial.candidate.without.len() >= 7));
}

#[test]
fn a_lambda_that_is_given_is_the_only_one() {
    let data = data();
    let fit = Conditions { grid: Grid::from([1e-3]), ..Conditions::default() };
    let (trials, ..) = searched(&data, &SearchConfig { fit, ..config(Some(200)) }, 0.6, &Run::new(1));
    let given = |trial: &Trial| trial.candidate.method.tunable().lambda.is_none_or(|lambda| lambda == 1e-3);
    assert!(trials.all().len() > 50 && trials.all().iter().all(given));
}

#[test]
fn more_flash_passes_through_the_trials_of_less() {
    let data = data();
    let within = |flash| searched(&data, &config(Some(flash)), 0.6, &Run::new(1));
    let (least, _, complete) = within(512);
    assert!(complete && least.all().len() > 50);
    let mut mse = best(&least).score.mse;
    for flash in [600, 2048, 8192] {
        let (more, _, complete) = within(flash);
        // The first stage is the search in 512 bytes.
        let again = |trial: &&Trial| more.find(&trial.candidate).is_some_and(|other| other.score == trial.score);
        assert_eq!(least.all().iter().filter(again).count(), least.all().len());
        assert!(complete && more.all().iter().any(|trial| !trial.over_budget && trial.flash_bytes > 512));
        assert!(best(&more).score.mse <= mse, "{flash}: {mse}");
        mse = best(&more).score.mse;
    }
}

#[test]
fn a_stage_starts_without_linear_terms_only_where_they_crowd_out_features() {
    let data = data();
    let starts = |flash| {
        let (trials, _, complete) = searched(&data, &config(Some(flash)), 0.01, &Run::new(1));
        assert!(complete && best(&trials).candidate.method.tunable().terms == Terms::Linear);
        // Every order starts with a large λ, from which nothing else continues.
        let started = |trial: &&Trial| {
            let settings = compaction::settings(&trial.candidate.method);
            settings.is_some_and(|compact| compact.terms == Terms::Intercept && compact.lambda == 1e-1)
        };
        trials.all().iter().filter(started).count() > 0
    };
    // A model takes 60 bytes, its linear terms 40, and a feature of two inputs 16.
    assert_eq!([140, 512, 516].map(starts), [true, false, false]);
}

#[test]
fn the_smallest_within_a_standard_error_is_first() {
    let data = data();
    let (trials, ..) = searched(&data, &config(Some(700)), 0.6, &Run::new(1));
    let (by_error, by_flash) = (trials.ranked(100, false), trials.ranked(100, true));
    let bound = by_error[0].score.mse + by_error[0].score.standard_error;
    let within = by_error.iter().filter(|trial| trial.score.mse <= bound);
    assert_eq!(Some(by_flash[0].flash_bytes), within.map(|trial| trial.flash_bytes).min());
    assert!(by_flash[0].flash_bytes < by_error[0].flash_bytes && by_flash[0].score.mse <= bound);
}

/// Asks to stop after some questions, and keeps states.
#[derive(Default)]
struct Keeper {
    questions: AtomicUsize,
    most: usize,
    states: Mutex<HashMap<String, Vec<u8>>>,
}

impl Observer for Keeper {
    fn interrupted(&self) -> bool {
        self.questions.fetch_add(1, Ordering::Relaxed) >= self.most
    }
}

impl Checkpoint for Keeper {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        self.states.lock().unwrap().get(name).cloned()
    }

    fn due(&self, _: &str) -> bool {
        true
    }

    fn save(&self, name: &str, state: Vec<u8>) {
        self.states.lock().unwrap().insert(name.to_owned(), state);
    }
}

#[test]
fn a_search_that_was_interrupted_resumes() {
    let (data, config) = (data(), config(Some(300)));
    let (whole, evaluations, _) = searched(&data, &config, 0.6, &Run::new(1));
    let first = Keeper { most: 40, ..Keeper::default() };
    let (some, before, complete) =
        searched(&data, &config, 0.6, &Run::new(1).with_observer(&first).with_checkpoint(&first));
    assert!(!complete && some.all().len() < whole.all().len() && before > 10);
    let second = Keeper { most: usize::MAX, states: first.states, ..Keeper::default() };
    let (resumed, after, complete) =
        searched(&data, &config, 0.6, &Run::new(1).with_observer(&second).with_checkpoint(&second));
    assert!(complete && resumed.all() == whole.all());
    assert_eq!(before + after, evaluations);
}

#[test]
fn without_time_the_line_is_found() {
    let (data, none) = (data(), SearchConfig { time: Duration::ZERO, ..config(None) });
    let (trials, evaluations, complete) = searched(&data, &none, 0.6, &Run::new(1));
    assert!(!complete && evaluations == 1);
    assert_eq!((best(&trials).candidate.features(), best(&trials).candidate.method.name()), (0, "linear"));
}

#[test]
fn gradients_fill_the_budget_with_fewer_inputs() {
    let (data, config, run) = (data(), config(Some(700)), Run::new(1));
    let sample = Sample { compared: &data, all: &data };
    let formulas = Formulas {
        sample,
        flash: Some(700),
        inputs: None,
        line: 0.6,
        clearly: f64::INFINITY,
        drawn: 0.2,
        evaluations: AtomicUsize::new(0),
    };
    let work = Cell::new(0.0);
    let clock = Clock::new(&run, config.time, &work);
    let pace = Pace::default();
    let mut strategy = Strategy::new(sample, &config, &formulas, clock, &pace);
    assert!(strategy.try_gradients(None, false).is_ok());
    let Trial { candidate, flash_bytes, .. } = best(&strategy.trials);
    assert_eq!((candidate.method.name(), candidate.method.tunable().order), ("sgd", Some(3)));
    // A feature of three inputs takes 20 bytes, one of all inputs 48.
    assert!((681..=700).contains(flash_bytes), "{flash_bytes}");
    let names = strategy.trials.all().iter().map(|trial| trial.candidate.method.name());
    assert!(names.clone().all(|name| name == "sgd") && names.count() < 20);
}

#[test]
fn gradients_take_fewer_steps_where_time_or_work_is_short() {
    let (data, run) = (Task::Friedman1.generate(2001, 1.0, 1), Run::new(1));
    let config = SearchConfig { features: 4, ..config(None) };
    let sample = Sample { compared: &data, all: &data };
    // The most steps, whether there were fewer than there should be, and the work of the candidate with the most steps.
    let tried = |pace: Pace, effort: Option<f64>| {
        let (evaluations, clearly) = (AtomicUsize::new(0), f64::INFINITY);
        let formulas = Formulas { sample, flash: None, inputs: None, line: 0.6, clearly, drawn: 0.2, evaluations };
        let work = Cell::new(0.0);
        let clock = Clock::new(&run, config.time, &work).limited_to(effort);
        let mut strategy = Strategy::new(sample, &config, &formulas, clock, &pace);
        assert!(strategy.try_gradients(None, false).is_ok());
        let candidates = strategy.trials.all().iter().map(|trial| &trial.candidate);
        let steps = |candidate: &&Candidate| candidate.method.downcast::<Sgd>().unwrap().steps;
        let longest = candidates.max_by_key(steps).unwrap();
        (steps(&longest), strategy.shortened, strategy.work(longest, 1))
    };
    let (steps, shortened, work) = tried(Pace::default(), None);
    assert_eq!((steps, shortened), (4000, false));
    for (share, expected) in [(0.9, (4000, false)), (1.5, (2000, true))] {
        // The candidate and a last fit of a fifth of its work take this share of the time. What the pace has counted
        // before is so much that the trials do not change it.
        let needed = config.time.mul_f64(share / 1.2);
        let pace = Pace::default();
        pace.count(needed * 1_000_000, 1e6 * work, usize::MAX);
        let (steps, shortened, _) = tried(pace, None);
        assert_eq!((steps, shortened), expected);
    }
    // The first candidate takes an eighth of that work. Both together take at most twice the effort.
    for (share, expected) in [(0.6, (4000, false)), (0.4, (2000, true)), (0.25, (1000, true)), (0.15, (500, true))] {
        let (steps, shortened, _) = tried(Pace::default(), Some(share * work));
        assert_eq!((steps, shortened), expected);
    }
}

#[test]
fn more_rows_get_more_features_and_gradients_only_where_they_are_ahead() {
    let (few, many, run) = (data(), Task::Friedman1.generate(2001, 1.0, 1), Run::new(1));
    let config = config(Some(700));
    let found = |data: &Dataset, tries: &dyn Fn(&mut Strategy<'_>)| {
        let sample = Sample { compared: data, all: data };
        let (clearly, evaluations) = (f64::INFINITY, AtomicUsize::new(0));
        let formulas = Formulas { sample, flash: Some(700), inputs: None, line: 0.6, clearly, drawn: 0.2, evaluations };
        let (work, pace) = (Cell::new(0.0), Pace::default());
        let clock = Clock::new(&run, config.time, &work);
        let mut strategy = Strategy::new(sample, &config, &formulas, clock, &pace);
        tries(&mut strategy);
        strategy.trials
    };
    let start = |strategy: &mut Strategy<'_>| {
        let line = strategy.without_features(NumberFormat::Int, Terms::Linear);
        let method = strategy.refined(Some(5), Terms::Linear).tuned(|t| (t.features, t.lambda) = (9, Some(1e-6)));
        assert!(strategy.attempt(&line.with(method), &[]).is_ok());
    };
    let finalist = best(&found(&few, &start)).clone();
    let trials = found(&many, &|strategy| assert!(strategy.continue_with(std::slice::from_ref(&finalist)).is_ok()));
    let orders: Vec<(Option<usize>, usize)> =
        trials.all().iter().map(|trial| (trial.candidate.method.tunable().order, trial.candidate.features())).collect();
    // A feature of five inputs takes 28 bytes, so that the budget allows 21. They have as many parameters as 36
    // features of two inputs, of which the budget allows 37: too small a gain for another fit.
    assert!(orders.contains(&(Some(5), 21)) && orders.contains(&(Some(2), 36)), "{orders:?}");
    let Tunable { features, order, lambda, .. } = best(&trials).candidate.method.tunable();
    assert_eq!((features, order), (36, Some(2)));
    assert!((lambda.unwrap() / BEST_LAMBDA).log10().abs() < 0.3, "{lambda:?}");
    let steps = |other: f64| {
        let score = Score { mse: other, ..finalist.score };
        let other = Trial { score, ..finalist.clone() };
        let trials = found(&many, &|strategy| assert!(strategy.try_gradients(Some(&other), true).is_ok()));
        let steps = trials.all().iter().map(|trial| trial.candidate.method.downcast::<Sgd>().unwrap().steps);
        steps.max().unwrap()
    };
    assert_eq!((steps(1e-3), steps(1.0)), (500, 4000));
}

#[test]
fn candidates_that_are_ruled_out_change_no_result() {
    let (data, config, run) = (data(), config(Some(700)), Run::new(1));
    let sample = Sample { compared: &data, all: &data };
    let found = [f64::INFINITY, 1.05].map(|clearly| {
        let evaluations = AtomicUsize::new(0);
        let formulas = Formulas { sample, flash: Some(700), inputs: None, line: 0.6, clearly, drawn: 0.2, evaluations };
        let (work, pace) = (Cell::new(0.0), Pace::default());
        let clock = Clock::new(&run, config.time, &work);
        let mut strategy = Strategy::new(sample, &config, &formulas, clock, &pace);
        assert!(strategy.run().is_ok());
        (strategy.trials, work.get())
    });
    let [(whole, work), (raced, less)] = &found;
    assert_eq!(best(whole), best(raced));
    let ruled_out: Vec<usize> = (0..raced.all().len()).filter(|&place| raced.get(place).ruled_out).collect();
    assert!(whole.all().iter().all(|trial| !trial.ruled_out));
    assert!(4 * ruled_out.len() > raced.all().len(), "{} of {}", ruled_out.len(), raced.all().len());
    assert!(*less < 0.8 * work, "{less} {work}");
    for &place in &ruled_out {
        let Trial { candidate, score, .. } = raced.get(place);
        let is_bar = |trial: &&Trial| trial.is_allowed() && trial.candidate.family() == candidate.family();
        let bars = raced.all()[..place].iter().filter(is_bar).map(|trial| trial.score.mse);
        assert!(candidate.features() > 0 && bars.fold(f64::INFINITY, f64::min) < score.mse / 1.05);
    }
    let ranked = raced.ranked(100, false);
    assert!(ranked.len() == raced.all().iter().filter(|trial| trial.is_allowed()).count());
    assert!(ranked.iter().all(|trial| !trial.ruled_out));
}

#[test]
fn families_far_behind_are_not_tuned() {
    let (data, config, run) = (data(), config(None), Run::new(1));
    let sample = Sample { compared: &data, all: &data };
    let scales_of_drawn = |drawn: f64| {
        let (clearly, evaluations) = (f64::INFINITY, AtomicUsize::new(0));
        let formulas = Formulas { sample, flash: None, inputs: None, line: 0.6, clearly, drawn, evaluations };
        let (work, pace) = (Cell::new(0.0), Pace::default());
        let clock = Clock::new(&run, config.time, &work);
        let mut strategy = Strategy::new(sample, &config, &formulas, clock, &pace);
        assert!(strategy.run().is_ok());
        let candidates = strategy.trials.all().iter().map(|trial| &trial.candidate);
        let drawn = candidates.filter(|candidate| candidate.family() == Family::Drawn);
        let mut scales: Vec<f64> = drawn.filter_map(|candidate| candidate.method.tunable().scale).collect();
        scales.sort_by(f64::total_cmp);
        scales.dedup();
        scales
    };
    // The error is many times that of refined frequencies. Only the two scales that drawing starts with are tried.
    assert_eq!(scales_of_drawn(2.0), [0.15, 0.6]);
    // The error is close to that of refined frequencies.
    assert!(scales_of_drawn(0.01).len() > 2);
}

#[test]
fn the_last_stage_goes_on_until_a_candidate_has_features() {
    let (data, config, run) = (data(), config(Some(400)), Run::new(1));
    let sample = Sample { compared: &data, all: &data };
    // The time of the stage is over when it starts, that of the search is not.
    let features_tried = |followed: bool, time: Duration| {
        let (clearly, evaluations) = (f64::INFINITY, AtomicUsize::new(0));
        let formulas = Formulas { sample, flash: Some(400), inputs: None, line: 0.6, clearly, drawn: 0.2, evaluations };
        let (work, pace) = (Cell::new(0.0), Pace::default());
        let clock = Clock::new(&run, time, &work).starting_stage(Duration::ZERO, followed);
        let mut strategy = Strategy::new(sample, &config, &formulas, clock, &pace);
        assert!(matches!(strategy.run(), Err(Stop::Time)));
        let trials = strategy.trials.all().iter();
        (trials.len(), trials.filter(|trial| trial.candidate.features() > 0).count())
    };
    // The first query with features has four λ.
    let (tried, with_features) = features_tried(false, config.time);
    assert_eq!((tried > with_features, with_features), (true, 4));
    assert_eq!(features_tried(false, Duration::ZERO), (1, 0));
    assert_eq!(features_tried(true, config.time), (0, 0));
}
