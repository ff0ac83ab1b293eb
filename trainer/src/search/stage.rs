//! The stages of a search, gone through together.

use std::mem::take;
use std::time::Duration;

use crate::error::FitError;
use crate::search::clock::Clock;
use crate::search::config::SearchConfig;
use crate::search::evaluator::Evaluator;
use crate::search::pace::Pace;
use crate::search::sample::Sample;
use crate::search::schedule::efforts;
use crate::search::strategy::{Stop, Strategy};
use crate::search::trials::{Trial, Trials};

/// The number of candidates that are compared on all rows.
const FINALISTS: usize = 3;

/// A stage of a search, which may be left and continued.
pub(crate) struct Stage {
    /// Tells stages of the same rows and budget apart.
    name: &'static str,
    pub config: SearchConfig,
    /// The time of the search at which the stage ends; that of the last stage where work ends it.
    ends: Duration,
    pub trials: Trials,
    /// The best trials after each effort so far, best first.
    finalists: Vec<Vec<Trial>>,
    /// The number of efforts to go through even where nothing is left to try, since each may bring other finalists.
    efforts: usize,
    /// The work so far.
    done: f64,
    pub complete: bool,
}

impl Stage {
    /// A stage without trials that ends after this time of the search.
    pub fn new(config: SearchConfig, ends: Duration) -> Stage {
        let (trials, finalists) = (Trials::default(), Vec::new());
        Stage { name: "", config, ends, trials, finalists, efforts: 0, done: 0.0, complete: false }
    }

    /// A stage without trials for the finalists of this one, which may differ after each of its efforts.
    pub fn following(&self, name: &'static str, config: SearchConfig, ends: Duration) -> Stage {
        Stage { name, efforts: self.finalists.len(), ..Stage::new(config, ends) }
    }

    /// Returns the allowed trials, best first. `rows` is the number of rows that candidates are compared on.
    pub fn ranked(&self, rows: usize) -> Vec<Trial> {
        self.trials.ranked(rows, self.config.one_standard_error)
    }

    /// Returns the best trials after the effort at this place, or after the last one before.
    pub fn finalists(&self, effort: usize) -> &[Trial] {
        self.finalists.get(effort).or(self.finalists.last()).map_or(&[], Vec::as_slice)
    }
}

/// Goes through stages, smallest budget first. Each stage knows the trials of the stages before. Where work ends a
/// search, all stages come to a small effort before they go on to twice of it, and so on up to the whole effort.
///
/// `tries` tries the candidates of a stage at an effort, both of which it gets by their places.
///
/// # Errors
/// Settings that no candidate allows, and [`FitError::Interrupted`].
pub(crate) fn go_through<'a>(
    stages: &mut [Stage],
    sample: Sample<'a>,
    (clock, pace): (Clock<'a>, &Pace),
    mut tries: impl FnMut(&mut Strategy<'_>, usize, usize) -> Result<(), Stop>,
) -> Result<(), FitError> {
    let effort = stages.first().and_then(|stage| stage.config.effort);
    let limits: Vec<_> = effort.map_or(vec![None], |whole| efforts(whole).into_iter().map(Some).collect());
    for (level, &limit) in limits.iter().enumerate() {
        for place in 0..stages.len() {
            let followed = place + 1 < stages.len();
            let (before, from_here) = stages.split_at_mut(place);
            let stage = &mut from_here[0];
            let clock = clock.starting_stage(stage.ends, followed).continuing(stage.done).limited_to(limit);
            let evaluator = Evaluator::new(sample, &stage.config, clock.limited());
            let mut trials = take(&mut stage.trials);
            if let Some(before) = before.last() {
                trials.learn_from(&before.trials, |trial| evaluator.exceeds(trial));
            }
            let mut strategy = Strategy::new(sample, &stage.config, &evaluator, clock, pace);
            (strategy.name, strategy.trials) = (stage.name, trials);
            stage.complete = in_time(tries(&mut strategy, place, level))? && !strategy.shortened;
            (stage.trials, stage.done) = (strategy.trials, clock.done());
            stage.finalists.push(finalists(stage.ranked(sample.compared.rows())));
        }
        if stages.iter().all(|stage| stage.complete && level + 1 >= stage.efforts) {
            break;
        }
    }
    Ok(())
}

/// Returns the finalists among trials, best first. They differ in more than λ and the number of features, which the
/// comparison on all rows varies.
fn finalists(ranked: Vec<Trial>) -> Vec<Trial> {
    let mut finalists: Vec<Trial> = Vec::new();
    for trial in ranked {
        if finalists.len() < FINALISTS
            && !finalists.iter().any(|known| known.candidate.differs_in_size_alone(&trial.candidate))
        {
            finalists.push(trial);
        }
    }
    finalists
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Budget;
    use crate::data::Task;
    use crate::fit::Conditions;
    use crate::run::Run;
    use crate::search::{SearchConfig, search};

    #[test]
    fn finalists_differ_in_more_than_their_size() {
        let data = Task::Friedman1.generate(100, 0.5, 1);
        let config = SearchConfig { effort: Some(0.5), ..SearchConfig::new(Conditions::default(), Budget::default()) };
        let trials = search(&data, &config, &Run::new(1)).unwrap().trials;
        let best = trials.iter().find(|trial| trial.candidate.features() > 0).unwrap();
        let with = |features: usize, lambda: f64, order: usize| {
            let method = best.candidate.method.clone();
            let method = method.tuned(|t| (t.features, t.lambda, t.order) = (features, Some(lambda), Some(order)));
            Trial { candidate: best.candidate.with(method), ..best.clone() }
        };
        let ranked = [
            with(9, 1e-3, 2),
            with(9, 1e-4, 2),
            with(5, 1e-3, 2),
            with(4, 1e-2, 3),
            with(3, 1e-3, 1),
            with(2, 1e-3, 4),
        ];
        let expected = [0, 3, 4].map(|place: usize| ranked[place].clone());
        assert_eq!(finalists(ranked.to_vec()), expected);
    }
}
