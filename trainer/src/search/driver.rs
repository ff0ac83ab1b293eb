//! The search from raw rows to a verified model.

use std::cell::Cell;

use crate::cost::Core;
use crate::data::Dataset;
use crate::error::FitError;
use crate::fit::Fit;
use crate::method::Linear;
use crate::method::MethodConfig;
use crate::run::Run;
use crate::sampling::Sampler;
use crate::search::candidate::Candidate;
use crate::search::clock::Clock;
use crate::search::config::SearchConfig;
use crate::search::evaluator::Evaluator;
use crate::search::finals::Finals;
use crate::search::gradients::{gradient_folds, takes_gradients};
use crate::search::last_fit::fitted;
use crate::search::pace::Pace;
use crate::search::policy::{
    BEFORE_FINALS, BEFORE_MANY_ROWS, BEFORE_MORE_ROWS, COMPARED_ROWS, FINALISTS_ON_MORE_ROWS, MANY_INPUTS, MANY_ROWS,
    MORE_ROWS,
};
use crate::search::sample::{Sample, drawn_rows};
use crate::search::session::{Session, Stop};
use crate::search::trials::Trial;

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
    let config = &SearchConfig { numbers: config.number_formats(), ..config.clone() };
    let work = Cell::new(0.0);
    let clock = Clock::new(run, config.time, config.effort, &work);
    let some = Rows::draw(data, config, COMPARED_ROWS, run)?;
    let sample = Sample { compared: &some.compared, all: data };
    let has_more = some.compared.rows() < data.rows();
    let share = match has_more {
        false => BEFORE_FINALS,
        true if data.rows() > MANY_ROWS && data.varying_inputs().len() > MANY_INPUTS => BEFORE_MANY_ROWS,
        true => BEFORE_MORE_ROWS,
    };
    let pace = Pace::default();
    let evaluator = Evaluator::new(sample, &some.config);
    let mut session = Session::new("few rows", sample, &some.config, &evaluator, clock.until(share), &pace);
    let mut complete = in_time(session.go_through())?;
    let mut trials = session.trials;
    let mut finalists = trials.ranked(some.compared.rows(), config.one_standard_error);
    let mut more_rows = None;
    if has_more && !finalists.is_empty() {
        let more = compared_on_more_rows(data, config, clock, &pace, &finalists)?;
        complete &= more.complete;
        finalists = more.before(finalists);
        trials.extend(more.trials.iter().cloned());
        more_rows = Some(more);
    }
    if finalists.is_empty() {
        let nothing = if complete { FitError::NoCandidate { tried: trials.all().len() } } else { FitError::NoTime };
        return Err(trials.refused.unwrap_or(nothing));
    }
    // Folds that are not drawn are the same in every division, and more rows are divided otherwise anyway.
    if config.fit.folds().draws() && !has_more {
        let keeps_order = config.one_standard_error;
        let finals = Finals { evaluator: &evaluator, rows: some.compared.rows(), keeps_order, clock };
        finalists = finals.held(finalists)?;
        if finalists.is_empty() {
            return Err(FitError::NoCandidate { tried: trials.all().len() });
        }
    }
    let (mut fit, chosen) = fitted(&evaluator, data, finalists, run, &clock.limited())?;
    fit.tried = vec![(fit.chosen.clone(), chosen.score)];
    let trials = trials.into_sorted();
    let front = front(&trials).into_iter().map(|trial| (trial.clone(), evaluator.instruction_bounds(trial))).collect();
    let is_of = |more: &&MoreRows| more.trials.iter().any(|trial| trial.score == chosen.score);
    let rows = more_rows.as_ref().filter(is_of).map_or(some.compared.rows(), |more| more.rows);
    Ok(Found { fit, chosen, trials, front, rows, complete })
}

/// Rows that candidates are compared on, and the settings with the folds of these rows.
struct Rows {
    compared: Dataset,
    config: SearchConfig,
}

impl Rows {
    /// Draws rows. They keep their order, so that blocks and folds forward in time keep their sense.
    fn draw(data: &Dataset, config: &SearchConfig, most: usize, run: &Run<'_>) -> Result<Rows, FitError> {
        // One rare row for each fold; folds that are given can be as many as the rows.
        let rare = config.fit.fold_count().min(most / 2);
        let rows = drawn_rows(data, most, rare, Sampler::stream(run.seed(), ROWS_STREAM));
        let config = SearchConfig { fit: config.fit.select_rows(&rows)?, ..config.clone() };
        Ok(Rows { compared: data.select(&rows), config })
    }
}

/// Trials on more rows.
struct MoreRows {
    /// The trials, best first.
    trials: Vec<Trial>,
    /// The number of rows.
    rows: usize,
    /// Whether all were made in time.
    complete: bool,
}

impl MoreRows {
    /// Returns these trials and those on fewer rows in one order, best first. Where these are of stochastic gradients
    /// alone, trials on fewer rows that are better stay before them.
    fn before(&self, mut fewer: Vec<Trial>) -> Vec<Trial> {
        let of_finalists = self.trials.iter().any(|trial| trial.candidate.method.name() != "sgd");
        let better = |trial: &&Trial| self.trials.first().is_some_and(|best| trial.score.loss() < best.score.loss());
        let place = if of_finalists { 0 } else { fewer.iter().take_while(better).count() };
        fewer.splice(place..place, self.trials.iter().cloned());
        fewer
    }
}

/// Compares the best candidates on more rows, and those by stochastic gradients where these are worth their time.
fn compared_on_more_rows(
    data: &Dataset,
    config: &SearchConfig,
    clock: Clock<'_>,
    pace: &Pace,
    ranked: &[Trial],
) -> Result<MoreRows, FitError> {
    let mut more = Rows::draw(data, config, MORE_ROWS, &clock.whole())?;
    let gradients = takes_gradients(data);
    if gradients {
        more.config.fit.folds = gradient_folds(more.compared.rows(), more.config.fit.folds);
    }
    let sample = Sample { compared: &more.compared, all: data };
    let evaluator = Evaluator::new(sample, &more.config);
    let mut session = Session::new("more rows", sample, &more.config, &evaluator, clock, pace);
    let of_gradients = if gradients { in_time(session.try_gradients(ranked.first()))? } else { true };
    let of_finalists = in_time(session.continue_with(&finalists(ranked)))?;
    let complete = of_gradients && of_finalists && !session.shortened;
    let trials = session.trials.ranked(more.compared.rows(), config.one_standard_error);
    Ok(MoreRows { trials, rows: more.compared.rows(), complete })
}

/// Returns the finalists among trials, best first. They differ in more than λ and the number of features, which the
/// comparison on more rows varies.
fn finalists(ranked: &[Trial]) -> Vec<Candidate> {
    let mut finalists: Vec<Candidate> = Vec::new();
    for candidate in ranked.iter().map(|trial| &trial.candidate) {
        if finalists.len() < FINALISTS_ON_MORE_ROWS
            && !finalists.iter().any(|known| known.differs_in_size_alone(candidate))
        {
            finalists.push(candidate.clone());
        }
    }
    finalists
}

/// Returns whether a part of a search came to its end.
fn in_time(ended: Result<(), Stop>) -> Result<bool, FitError> {
    match ended {
        Ok(()) => Ok(true),
        Err(Stop::Limit) => Ok(false),
        Err(Stop::Interrupted) => Err(FitError::Interrupted),
        Err(Stop::Refused(error)) => Err(error),
    }
}

/// Returns the trials on the Pareto front of error and flash, least flash first. `trials` are sorted by loss.
fn front(trials: &[Trial]) -> Vec<&Trial> {
    let mut front: Vec<&Trial> = Vec::new();
    for trial in trials.iter().filter(|trial| trial.score.standardised_mse.is_finite() && !trial.ruled_out) {
        if front.last().is_none_or(|better| trial.flash_bytes < better.flash_bytes) {
            front.push(trial);
        }
    }
    front.reverse();
    front
}
