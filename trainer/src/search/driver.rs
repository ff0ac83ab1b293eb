//! The search from raw rows to a verified model.

use std::time::Duration;

use crate::data::Dataset;
use crate::error::FitError;
use crate::fit::Fit;
use crate::method::MethodConfig;
use crate::method::linear::Linear;
use crate::run::{Parts, Run};
use crate::sampling::Sampler;
use crate::search::clock::Clock;
use crate::search::config::SearchConfig;
use crate::search::effort::MOST_ROWS;
use crate::search::evaluator::Evaluator;
use crate::search::sample::Sample;
use crate::search::schedule::stages;
use crate::search::strategy::{Stop, Strategy};
use crate::search::trials::{Trial, Trials};

/// Separates the choice of the compared rows from the random numbers of folds and methods.
const ROWS_STREAM: u64 = 5;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The model.
    pub fit: Fit,
    /// The trial of the chosen candidate.
    pub chosen: Trial,
    /// All trials, best first.
    pub trials: Vec<Trial>,
    /// The number of rows that candidates were compared on.
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
    config.fit.with(MethodConfig::new("linear", Linear::default())).check(data)?;
    let rows = Sampler::stream(run.seed(), ROWS_STREAM).choose(data.rows(), MOST_ROWS);
    let clock = Clock::new(run, config.time);
    let some = data.select(&rows);
    let sample = Sample { compared: &some, all: data };
    let (trials, mut complete) = searched(sample, config, clock)?;
    let mut finalists = trials.ranked(rows.len(), config.one_standard_error);
    if finalists.is_empty() {
        let nothing = if complete { FitError::NoCandidate { tried: trials.all().len() } } else { FitError::NoTime };
        return Err(trials.refused.unwrap_or(nothing));
    }
    if rows.len() < data.rows() {
        let sample = Sample::whole(data);
        let evaluator = Evaluator::new(sample, config, clock.limited());
        let mut strategy = Strategy { sample, config, evaluator: &evaluator, clock, trials: Trials::default() };
        complete &= in_time(strategy.compare_again(&finalists))?;
        finalists.splice(0..0, strategy.ranked());
    }
    let evaluator = Evaluator::new(sample, config, clock.limited());
    let (mut fit, chosen) = fitted(&evaluator, data, finalists, run)?;
    fit.tried = vec![(fit.chosen.clone(), chosen.score)];
    Ok(Found { fit, chosen, trials: trials.into_sorted(), rows: rows.len(), complete })
}

/// Goes through the stages of a search. Returns the trials, and whether all stages ended in time.
fn searched(sample: Sample<'_>, config: &SearchConfig, clock: Clock<'_>) -> Result<(Trials, bool), FitError> {
    let (mut trials, mut complete, mut ends) = (Trials::default(), true, Duration::ZERO);
    for stage in stages(config) {
        ends += stage.time;
        let clock = clock.ending_after(ends);
        let evaluator = Evaluator::new(sample, &stage, clock.limited());
        trials.start_stage(|trial| evaluator.exceeds(trial));
        let mut strategy = Strategy { sample, config: &stage, evaluator: &evaluator, clock, trials };
        complete &= in_time(strategy.run())?;
        trials = strategy.trials;
    }
    Ok((trials, complete))
}

/// Fits the finalists to all rows, best first, until a model keeps the budget.
fn fitted(
    evaluator: &Evaluator<'_>,
    data: &Dataset,
    finalists: Vec<Trial>,
    run: &Run<'_>,
) -> Result<(Fit, Trial), FitError> {
    let mut refused = None;
    let parts = Parts::new(run, vec![1; finalists.len()]);
    for (place, chosen) in finalists.into_iter().enumerate() {
        // An earlier run may have reached another finalist at this place, whose state belongs to another model.
        let name = place.to_string();
        if run.resume(&name).is_none_or(|kept: Trial| kept.candidate != chosen.candidate) {
            run.store(&name, &chosen);
        }
        match evaluator.fit_finalist(data, chosen, &parts.part(place)) {
            Ok(found) => return Ok(found),
            Err(FitError::Interrupted) => return Err(FitError::Interrupted),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.expect("there is a finalist"))
}

/// Returns whether a stage of a search came to its end.
fn in_time(ended: Result<(), Stop>) -> Result<bool, FitError> {
    match ended {
        Ok(()) => Ok(true),
        Err(Stop::Time) => Ok(false),
        Err(Stop::Interrupted) => Err(FitError::Interrupted),
        Err(Stop::Refused(error)) => Err(error),
    }
}
