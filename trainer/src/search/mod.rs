//! The best model that keeps a budget: methods, settings, warps and inputs, by cross-validation.
//!
//! A search goes through a fixed sequence of questions. First with few features: whether linear terms pay, how many inputs a
//! feature takes, which inputs can go, how the others are warped, how large λ is, which weights can go. Then how many features
//! there are, in which number format, every setting by itself as long as that helps, then the other methods. A budget of flash
//! is searched in parts, from small budgets to large ones, so that a larger budget finds what a smaller one does, and more. An
//! answer is kept where it lowers the cross-validated error on the same folds, in the device's arithmetic. Frequencies that are
//! refined, such that have lost weights and such that stay as they were drawn are improved apart: the first fit more closely,
//! the last overfit less. Only candidates whose shape keeps the budget are tried, but for some that show what settings are good
//! for; what is returned keeps it. The result depends on data, settings and seed alone, unless time runs out first.
pub mod budget;
mod candidate;
mod clock;
pub mod comparison;
mod fitting;
mod inputs;
mod parts;
mod ranking;
mod sizes;
mod stages;
mod trial;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use candidate::Candidate;

use self::trial::Search;
use crate::data::Dataset;
use crate::error::FitError;
use crate::export::NumberFormat;
use crate::fit::{Fit, FitConfig};
use crate::method::linear::Linear;
use crate::method::{MethodConfig, Terms};
use crate::run::{Parts, Run};
use crate::sampling::Sampler;
use crate::search::budget::Budget;
use crate::search::clock::Clock;
use crate::validate::cross_validation::Score;

/// Keeps the rows that are searched with apart from what folds and methods draw.
const ROWS_STREAM: u64 = 5;

/// Most rows that candidates are compared on; the best of them meet again on all.
const MOST_ROWS: usize = 2000;

/// What to search for.
#[derive(Clone, Debug)]
pub struct SearchConfig {
    /// Folds and scaling. Its warps, orders, scales and ridge parameters, where there are any, are the only ones; its method
    /// and number format are not used.
    pub fit: FitConfig,
    /// Number formats to choose from, at least one: the search begins with the one that keeps the budget with the most numbers
    /// of inputs per feature, of equals with the first.
    pub numbers: Vec<NumberFormat>,
    /// What the model may take of the device.
    pub budget: Budget,
    /// Most features.
    pub features: usize,
    /// Most inputs that the model looks at; none for all.
    pub inputs: Option<usize>,
    /// Terms beside the features; none to choose.
    pub terms: Option<Terms>,
    /// Whether to take the smallest model whose error is within a standard error of the least, in place of that of the least.
    pub one_standard_error: bool,
    /// Time after which no other candidate is tried.
    pub time: Duration,
}

/// A candidate that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What was tried.
    pub candidate: Candidate,
    /// Its score over the rows that were searched with.
    pub score: Score,
    /// Whether it cannot be returned, as it may be too large for the budget or looks at too many inputs: it was tried to see
    /// what settings are good for.
    pub scout: bool,
    /// Half-widths of the intervals around predictions, as in [`Validated`](crate::validate::cross_validation::Validated).
    pub half_widths: Vec<f64>,
    /// Flash that it takes at most, in bytes.
    pub flash_bytes: usize,
    /// Instructions that a prediction takes at most, on the core of the budget; none where there is none, or no bound.
    pub instructions: Option<u32>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The model.
    pub fit: Fit,
    /// What was chosen.
    pub chosen: Tried,
    /// All that was tried, best first.
    pub tried: Vec<Tried>,
    /// Rows that candidates were compared on.
    pub rows: usize,
    /// Whether the search came to its end before its time did.
    pub complete: bool,
}

/// Searches for the best model of `data` (raw columns) that keeps the budget.
///
/// # Errors
/// [`FitError`]: data that do not allow any fit, a budget that no model keeps, [`FitError::Interrupted`].
pub fn search(data: &Dataset, config: &SearchConfig, run: &Run<'_>) -> Result<Found, FitError> {
    config.fit.with(MethodConfig::new("linear", Linear::default())).check(data)?;
    let rows = Sampler::stream(run.seed(), ROWS_STREAM).choose(data.rows(), MOST_ROWS);
    let clock = Clock::new(run, config.time);
    let some = data.select(&rows);
    let parts = parts::parts(config);
    let mut ends = Duration::ZERO;
    let clocks = parts.iter().map(|part| {
        ends += part.time;
        clock.ending_after(ends)
    });
    let clocks: Vec<Clock<'_>> = clocks.collect();
    let mut search = Search::new(&some, data, config, clock);
    let mut complete = true;
    for (part, clock) in parts.iter().zip(clocks) {
        search.turn_to(part, clock);
        complete &= in_time(search.run())?;
    }
    let mut finalists = search.ranked();
    if finalists.is_empty() {
        let nothing = if complete { FitError::NoCandidate { tried: search.tried.len() } } else { FitError::NoTime };
        return Err(search.refused.unwrap_or(nothing));
    }
    if rows.len() < data.rows() {
        let mut all = Search::new(data, data, config, clock);
        complete &= in_time(all.again(&finalists))?;
        finalists.splice(0..0, all.ranked());
    }
    let mut refused = None;
    let parts = Parts::new(run, vec![1; finalists.len()]);
    for (place, chosen) in finalists.into_iter().enumerate() {
        // The state of another finalist, which an earlier run had time to get to, is that of another model.
        let name = place.to_string();
        if run.resume(&name).is_none_or(|kept: Candidate| kept != chosen.candidate) {
            run.store(&name, &chosen.candidate);
        }
        match search.fitted_within(data, chosen, &parts.part(place)) {
            Ok((mut fit, chosen)) => {
                fit.tried = vec![(fit.chosen.clone(), chosen.score)];
                let mut tried = search.tried;
                tried.sort_by(|a, b| a.score.loss().total_cmp(&b.score.loss()));
                return Ok(Found { fit, chosen, tried, rows: rows.len(), complete });
            }
            Err(FitError::Interrupted) => return Err(FitError::Interrupted),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.expect("there is a finalist"))
}

/// Why a search does not go on.
enum Stop {
    /// Its time is over.
    Time,
    /// It was interrupted.
    Interrupted,
    /// The settings that were asked for cannot be.
    Refused(FitError),
}

/// Whether a part of a search came to its end.
fn in_time(ended: Result<(), Stop>) -> Result<bool, FitError> {
    match ended {
        Ok(()) => Ok(true),
        Err(Stop::Time) => Ok(false),
        Err(Stop::Interrupted) => Err(FitError::Interrupted),
        Err(Stop::Refused(error)) => Err(error),
    }
}
