//! The comparison of finalists on more rows than those of the stages.

use crate::data::Dataset;
use crate::error::FitError;
use crate::sampling::Sampler;
use crate::search::clock::Clock;
use crate::search::compaction::Family;
use crate::search::config::SearchConfig;
use crate::search::pace::Pace;
use crate::search::sample::{Sample, drawn_rows};
use crate::search::stage::{Stage, go_through};
use crate::search::strategy::{COMPARED_ROWS, gradient_folds, takes_gradients};
use crate::search::trials::Trial;

/// Separates the choice of the rows from the random numbers of folds and methods.
const ROWS_STREAM: u64 = 8;

/// What is tried on more rows.
#[derive(Clone, Copy)]
enum Pass {
    /// Stochastic gradients of few steps, and of more steps if these are ahead of the finalists.
    GradientsAhead,
    /// Stochastic gradients of all numbers of steps.
    Gradients,
    /// The finalists, and more features than they have.
    Finalists,
}

impl Pass {
    /// Returns a name that differs from that of the stages on fewer rows.
    fn name(self) -> &'static str {
        match self {
            Pass::GradientsAhead => "gradients ahead ",
            Pass::Gradients => "gradients ",
            Pass::Finalists => "finalists ",
        }
    }
}

/// Trials on more rows than those of the stages.
pub(crate) struct MoreRows {
    /// The trials, best first.
    pub trials: Vec<Trial>,
    /// The number of rows.
    pub rows: usize,
    /// Whether all were made in time.
    pub complete: bool,
}

impl MoreRows {
    /// Returns these trials and those on fewer rows in one order, best first. Where these are of stochastic gradients
    /// alone, trials on fewer rows that are better stay before them.
    pub fn before(&self, mut fewer: Vec<Trial>) -> Vec<Trial> {
        let of_finalists = self.trials.iter().any(|trial| trial.candidate.family() != Family::Gradients);
        let better = |trial: &&Trial| self.trials.first().is_some_and(|best| trial.score.loss() < best.score.loss());
        let place = if of_finalists { 0 } else { fewer.iter().take_while(better).count() };
        fewer.splice(place..place, self.trials.iter().cloned());
        fewer
    }
}

/// Compares finalists on more rows, and candidates by stochastic gradients where these are worth their time. `stages`
/// are those of the search, each with its finalists after each effort. Where time ends the search, the last one alone
/// takes part.
pub(crate) fn compared_on_more_rows(
    data: &Dataset,
    config: &SearchConfig,
    (clock, pace): (Clock<'_>, &Pace),
    stages: &[Stage],
) -> Result<MoreRows, FitError> {
    let gradients = takes_gradients(data);
    let mut fit = config.fit.clone();
    let mut some = None;
    if gradients && data.rows() > COMPARED_ROWS {
        let sampler = Sampler::stream(clock.whole().seed(), ROWS_STREAM);
        let rows = drawn_rows(data, COMPARED_ROWS, sampler);
        (some, fit) = (Some(data.select(&rows)), fit.select_rows(&rows)?);
    }
    let compared = some.as_ref().unwrap_or(data);
    if gradients {
        fit.folds = gradient_folds(compared.rows(), fit.folds);
    }
    let part = if config.effort.is_some() { stages } else { &stages[stages.len().saturating_sub(1)..] };
    let of_stage = |stage: &Stage| SearchConfig { fit: fit.clone(), ..stage.config.clone() };
    let sample = Sample { compared, all: data };
    // The work of gradients takes another time than that of compaction.
    let of_gradients = Pace::default();
    let pace = if gradients { &of_gradients } else { pace };
    // Where time is short, it goes first to what is ahead.
    let passes: &[Pass] = match (gradients, config.effort) {
        (false, _) => &[Pass::Finalists],
        (true, Some(_)) => &[Pass::Gradients, Pass::Finalists],
        (true, None) => &[Pass::GradientsAhead, Pass::Finalists, Pass::Gradients],
    };
    // All passes come to one effort before the first of them goes on to the next.
    let mut followers = Vec::new();
    for stage in part {
        let following = |pass: &Pass| stage.following(pass.name(), of_stage(stage), config.time);
        followers.extend(passes.iter().map(following));
    }
    go_through(&mut followers, sample, (clock, pace), |strategy, place, effort| {
        let finalists = part[place / passes.len()].finalists(effort);
        match passes[place % passes.len()] {
            Pass::GradientsAhead => strategy.try_gradients(finalists.first(), true),
            Pass::Gradients => strategy.try_gradients(finalists.first(), false),
            Pass::Finalists => strategy.continue_with(finalists),
        }
    })?;
    let complete = followers.iter().all(|stage| stage.complete);
    let trials = followers.last().map_or_else(Vec::new, |last| last.ranked(compared.rows()));
    Ok(MoreRows { trials, rows: compared.rows(), complete })
}
