//! The search from raw rows to a verified model.

use std::cell::Cell;

use crate::compare::Entry;
use crate::compare::baselines::baselines;
use crate::cost::Core;
use crate::data::Dataset;
use crate::error::FitError;
use crate::fit::Fit;
use crate::method::Linear;
use crate::method::MethodConfig;
use crate::run::Run;
use crate::sampling::Sampler;
use crate::search::clock::Clock;
use crate::search::config::SearchConfig;
use crate::search::effort::MOST_COMPARED_ROWS;
use crate::search::evaluator::{Evaluator, divisions};
use crate::search::finals::Finals;
use crate::search::held_out::{self, Freedom};
use crate::search::last_fit::fitted;
use crate::search::more_rows::{MoreRows, compared_on_more_rows};
use crate::search::pace::Pace;
use crate::search::plan::Plan;
use crate::search::sample::{Sample, drawn_rows};
use crate::search::schedule::stages;
use crate::search::stage::{Stage, go_through};
use crate::search::trials::{Trial, Trials};

/// Separates the choice of the compared rows from the random numbers of folds and methods.
const ROWS_STREAM: u64 = 5;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The model.
    pub fit: Fit,
    /// The trial of the chosen candidate. Its features are those before the fit to all rows; the model may have fewer.
    pub chosen: Trial,
    /// All trials, best first.
    pub trials: Vec<Trial>,
    /// The trials that no other trial beats in error with as little flash, least flash first, and the largest number of
    /// instructions on each core that has a bound. Trials that one fold ruled out are not among them.
    pub front: Vec<(Trial, Vec<(Core, u32)>)>,
    /// Polynomials and tables on the folds of the trials, whose flash and instructions are those of the core of the
    /// budget, or of a Cortex-M4F; empty for classes.
    pub baselines: Vec<Entry>,
    /// The number of rows that the candidate of the model was compared on.
    pub rows: usize,
    /// Whether the search ended before its time was over.
    pub complete: bool,
}

/// Searches for the best model of `data` (raw columns) that keeps the budget.
///
/// # Errors
/// [`FitError`]: data that do not allow any fit, a budget that no model keeps, [`FitError::Interrupted`].
pub fn search(data: &Dataset, config: &SearchConfig, run: &Run<'_>) -> Result<Found, FitError> {
    run.install(|run| search_on_threads(data, config, run))
}

/// Searches on the present threads.
fn search_on_threads(data: &Dataset, config: &SearchConfig, run: &Run<'_>) -> Result<Found, FitError> {
    config.fit.with(MethodConfig::from(Linear::default())).check(data)?;
    // The rows keep their order, so that blocks and folds forward in time keep their sense.
    let rows = drawn_rows(data, MOST_COMPARED_ROWS, Sampler::stream(run.seed(), ROWS_STREAM));
    let some = data.select(&rows);
    let on_all = &SearchConfig { numbers: config.number_formats(), ..config.clone() };
    let config = &SearchConfig { fit: on_all.fit.select_rows(&rows)?, ..on_all.clone() };
    let sample = Sample { compared: &some, all: data };
    let plan = Plan::new(data, &some, config);
    let work = Cell::new(0.0);
    let clock = Clock::new(run, config.time, &work).with_effort(config.effort, plan.efforts());
    let mut freedom = Freedom::Inputs;
    if plan.tests_choices {
        let clock = clock.starting_stage(plan.time_of_test(), true).limited_to(plan.effort_of_test());
        freedom = held_out::freedom(&some, config, clock)?;
    }
    let pace = Pace::default();
    let mut stages = searched(sample, config, &plan, (clock, &pace), freedom == Freedom::Inputs)?;
    let mut complete = stages.iter().all(|stage| stage.complete);
    let more = match rows.len() < data.rows() {
        true => Some(compared_on_more_rows(data, on_all, (clock, &pace), &stages)?),
        false => None,
    };
    let mut trials = stages.pop().map_or_else(Trials::default, |last| last.trials);
    let mut finalists = trials.ranked(rows.len(), config.one_standard_error);
    if let Some(more) = &more {
        trials.extend(more.trials.iter().cloned());
        finalists = more.before(finalists);
        complete &= more.complete;
    }
    if finalists.is_empty() {
        let nothing = if complete { FitError::NoCandidate { tried: trials.all().len() } } else { FitError::NoTime };
        return Err(trials.refused.unwrap_or(nothing));
    }
    let evaluator = Evaluator::new(sample, config, clock.limited());
    if plan.finals {
        let finals = Finals {
            evaluator: &evaluator,
            rows: rows.len(),
            keeps_order: config.one_standard_error,
            takes_line: freedom == Freedom::Line,
            clock: clock.starting_stage(config.time, false).limited_to(plan.effort_of_finals()),
        };
        finalists = finals.held(finalists)?;
        if finalists.is_empty() {
            return Err(FitError::NoCandidate { tried: trials.all().len() });
        }
    }
    let (mut fit, chosen) = fitted(&evaluator, data, finalists, run)?;
    fit.tried = vec![(fit.chosen.clone(), chosen.score)];
    let baselines = baselines_of(&some, config, run)?;
    let trials = trials.into_sorted();
    let front = front(&trials).into_iter().map(|trial| (trial.clone(), evaluator.instruction_bounds(trial))).collect();
    let is_of = |more: &&MoreRows| more.trials.iter().any(|trial| trial.score == chosen.score);
    let rows = more.as_ref().filter(is_of).map_or(rows.len(), |more| more.rows);
    Ok(Found { fit, chosen, trials, front, baselines, rows, complete })
}

/// Returns the baselines on the folds of the candidates; none where the search is interrupted, which has its model.
fn baselines_of(compared: &Dataset, config: &SearchConfig, run: &Run<'_>) -> Result<Vec<Entry>, FitError> {
    let core = config.budget.core;
    let folds = config.fit.folds();
    match baselines(compared, &folds, divisions(compared.rows(), &folds), core, run) {
        Err(FitError::Interrupted) => Ok(Vec::new()),
        found => found,
    }
}

/// Returns the trials on the Pareto front of error and flash, least flash first. `trials` are sorted by loss.
fn front(trials: &[Trial]) -> Vec<&Trial> {
    let mut front: Vec<&Trial> = Vec::new();
    for trial in trials.iter().filter(|trial| trial.score.mse.is_finite() && !trial.ruled_out) {
        if front.last().is_none_or(|better| trial.flash_bytes < better.flash_bytes) {
            front.push(trial);
        }
    }
    front.reverse();
    front
}

/// Goes through the stages of a search and returns them with their trials. Each stage knows the trials of the stages of
/// smaller budgets.
fn searched(
    sample: Sample<'_>,
    config: &SearchConfig,
    plan: &Plan,
    clock: (Clock<'_>, &Pace),
    chooses_inputs: bool,
) -> Result<Vec<Stage>, FitError> {
    let (mut ends, time) = (plan.time_of_test(), plan.time_of_stages());
    let last = ends.saturating_add(time);
    let mut all = Vec::new();
    for stage in stages(&SearchConfig { time, ..config.clone() }) {
        ends = ends.saturating_add(stage.time);
        all.push(Stage::new(stage, if config.effort.is_some() { last } else { ends }));
    }
    go_through(&mut all, sample, clock, |strategy, place, _| {
        (strategy.chooses_inputs, strategy.follows) = (chooses_inputs, place > 0);
        strategy.run()
    })?;
    Ok(all)
}
