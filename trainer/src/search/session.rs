//! The state of a search on some rows, and how it tries candidates.

use crate::error::FitError;
use crate::export::NumberFormat;
use crate::method::{Linear, MethodConfig, MethodError, Terms};
use crate::run::Instant;
use crate::search::candidate::Candidate;
use crate::search::clock::Clock;
use crate::search::config::SearchConfig;
use crate::search::evaluator::Evaluator;
use crate::search::pace::Pace;
use crate::search::policy::{COMPARED_ROWS, FEW, MOST_OF_FIT};
use crate::search::sample::Sample;
use crate::search::trials::{Query, Trial, Trials};
use crate::search::work;
use crate::warp::Warp;

/// Why a search does not continue.
pub(crate) enum Stop {
    /// The time or the work is over.
    Limit,
    /// The observer asked to stop.
    Interrupted,
    /// The settings are invalid.
    Refused(FitError),
}

/// Every size of a method.
pub(crate) const ALL_SIZES: usize = usize::MAX;

/// A search on the compared rows of a sample.
pub(crate) struct Session<'a> {
    /// Tells sessions of the same search apart.
    pub name: &'static str,
    pub sample: Sample<'a>,
    pub config: &'a SearchConfig,
    pub evaluator: &'a Evaluator<'a>,
    pub clock: Clock<'a>,
    pub trials: Trials,
    /// How long fits take.
    pub pace: &'a Pace,
    /// Whether a candidate took fewer steps than it should have, for want of time.
    pub shortened: bool,
}

impl<'a> Session<'a> {
    /// A session without trials.
    pub fn new(
        name: &'static str,
        sample: Sample<'a>,
        config: &'a SearchConfig,
        evaluator: &'a Evaluator<'a>,
        clock: Clock<'a>,
        pace: &'a Pace,
    ) -> Session<'a> {
        Session { name, sample, config, evaluator, clock, trials: Trials::default(), pace, shortened: false }
    }
}

impl Session<'_> {
    /// Tries a candidate with each λ of a list, or with its own λ where the list is empty, in all sizes of its method
    /// up to `most` features. A list of the search's own settings takes the place of both. Returns the indices of the
    /// trials that gave a model.
    pub fn attempt(&mut self, candidate: &Candidate, lambdas: &[f64], most: usize) -> Result<Vec<usize>, Stop> {
        self.attempt_instead(candidate, lambdas, most, None)
    }

    fn attempt_instead(
        &mut self,
        candidate: &Candidate,
        lambdas: &[f64],
        most: usize,
        instead_of: Option<usize>,
    ) -> Result<Vec<usize>, Stop> {
        let own = candidate.method.tunable().lambda;
        let lambdas: Vec<Option<f64>> = match (own, &self.config.fit.grid.lambdas) {
            (None, _) => vec![None],
            (Some(_), given) if !given.is_empty() => given.iter().copied().map(Some).collect(),
            (Some(_), _) if lambdas.is_empty() => vec![own],
            (Some(_), _) => lambdas.iter().copied().map(Some).collect(),
        };
        let most = if most == ALL_SIZES { self.most_features(candidate) } else { most };
        // The first λ stands for all, so that a list is the same query whatever λ its candidate has.
        let candidate = candidate.with(candidate.method.clone().tuned(|t| t.lambda = lambdas[0]));
        self.ask(Query { candidate, lambdas, most, instead_of })
    }

    /// Tries a candidate in place of the trial at `index`. It must be better by the paired test in the last fold, and
    /// over all folds. Returns the index of the better one.
    pub fn improve(&mut self, index: usize, candidate: &Candidate, most: usize) -> Result<usize, Stop> {
        let tried = self.attempt_instead(candidate, &[], most, Some(index))?;
        let allowed = tried.into_iter().filter(|&found| self.trials.get(found).is_allowed());
        Ok(self.trials.least([index].into_iter().chain(allowed)).unwrap_or(index))
    }

    fn ask(&mut self, query: Query) -> Result<Vec<usize>, Stop> {
        self.clock.show();
        // On few rows, the first candidates that give a model have no limit, and the first features that of the search.
        let has_result = self.has_more_rows() || self.trials.has_result();
        let has_features = self.has_more_rows() || self.trials.best(|candidate| candidate.features() > 0).is_some();
        let run = match (has_result, has_features) {
            (false, _) => self.clock.whole(),
            (true, false) => self.clock.until(1.0).limited(),
            (true, true) => self.clock.limited(),
        };
        let run = run.quiet();
        let is_late = self.has_more_rows() && self.is_late(&query.candidate, query.most);
        if run.interrupted() || has_result && (self.clock.is_spent() || is_late) {
            return Err(self.stop());
        }
        if let Some(answer) = self.trials.answer(&query) {
            return Ok(answer.to_vec());
        }
        self.trials.raise_the_bar();
        let (evaluator, whole) = (self.evaluator, self.clock.whole());
        let (started, known) = (Instant::now(), self.trials.all().len());
        let budget = self.config.budget.flash.unwrap_or(usize::MAX);
        let part = format!("{} {} {budget}", self.name, self.sample.compared.rows());
        let mut fits = false;
        let answer = self.trials.record(query, &part, &whole, |query, trials| {
            fits = true;
            match evaluator.evaluate(query, trials, &run) {
                Ok(answer) => Ok(answer),
                Err(FitError::Interrupted) if whole.interrupted() => Err(Stop::Interrupted),
                Err(FitError::Interrupted) => Err(Stop::Limit),
                Err(error) if is_invalid(&error) => Err(Stop::Refused(error)),
                Err(error) => {
                    trials.refuse(error);
                    Ok(Vec::new())
                }
            }
        })?;
        let tried = &self.trials.all()[known..];
        tried.iter().filter(|trial| !trial.ruled_out).for_each(|trial| whole.tell(&trial.told()));
        let units = self.work_of_trials(tried);
        self.clock.charge(units);
        if fits {
            self.pace.count(started.elapsed(), units, tried.iter().map(|trial| self.folds_of(trial)).sum());
        }
        Ok(answer)
    }

    /// Returns the inputs of a candidate's model and their importance, ascending; none if there is no model.
    pub fn importance(&mut self, candidate: &Candidate) -> Result<Option<Vec<(usize, f64)>>, Stop> {
        self.clock.charge(self.work(candidate, 1));
        self.evaluator.importance(candidate, &self.clock.whole().quiet()).map_err(|_| self.stop())
    }

    fn stop(&self) -> Stop {
        if self.clock.whole().interrupted() { Stop::Interrupted } else { Stop::Limit }
    }

    /// Returns the candidate without features, with the given warps and all inputs that are known to vary.
    pub fn without_features(&self, number: NumberFormat, terms: Terms) -> Candidate {
        let given = &self.config.fit.preprocessing.warps;
        let warps = if given.is_empty() { vec![Warp::Identity; self.sample.compared.inputs()] } else { given.clone() };
        let method = MethodConfig::from(Linear { terms, ..Linear::default() });
        let mut candidate = Candidate { method, warps, without: Vec::new(), number };
        candidate.leave_out(&self.sample.unseen_inputs());
        candidate
    }

    /// Returns the candidate of a trial.
    pub fn candidate(&self, index: usize) -> Candidate {
        self.trials.candidate(index).clone()
    }

    /// Returns the candidate of the best allowed trial of a method.
    pub fn best_of(&self, method: &str) -> Option<Candidate> {
        self.trials.best_of(method).map(|best| self.candidate(best))
    }

    /// Returns whether candidates are compared on more rows than most candidates are.
    pub fn has_more_rows(&self) -> bool {
        self.sample.compared.rows() > COMPARED_ROWS
    }

    /// Returns whether the time is too short for the trial of a candidate of at most so many features; on more rows,
    /// also for the last fit to all of them, be it that of the candidate or of the best one so far.
    pub fn is_late(&self, candidate: &Candidate, most: usize) -> bool {
        let sized = candidate.with(candidate.method.clone().tuned(|t| t.features = t.features.min(most)));
        let mut units = self.work(&sized, self.evaluator.fits());
        let mut share = 0.0;
        if self.has_more_rows() {
            let best = self.trials.best(|_| true).map(|best| self.trials.candidate(best));
            units += best.into_iter().chain([&sized]).map(|finalist| self.work(finalist, 1)).fold(0.0, f64::max);
            share = self.sample.all.rows() as f64 / self.sample.compared.rows() as f64;
        }
        self.pace.time(units, share).is_some_and(|needed| needed > self.clock.remaining())
    }

    /// Returns whether the work of a candidate is more than all that is left.
    pub fn is_far_beyond(&self, candidate: &Candidate) -> bool {
        self.clock.would_be_spent(self.work(candidate, self.evaluator.fits()))
    }

    /// Returns the largest number of features of a candidate that a fit may have by now. It grows with the work that is
    /// done, whatever the limit, so that a search with more effort begins with the candidates of one with less.
    fn most_features(&self, candidate: &Candidate) -> usize {
        let most = MOST_OF_FIT * (1.0 + self.clock.done());
        let takes =
            |features: usize| self.work(&candidate.with(candidate.method.clone().tuned(|t| t.features = features)), 1);
        let mut features = candidate.features();
        while features > FEW && (takes(features) > most || self.is_late(candidate, features)) {
            features -= features / 8;
        }
        features
    }

    /// Returns the work of fitting a candidate a number of times.
    fn work(&self, candidate: &Candidate, fits: usize) -> f64 {
        work::of_fits(&candidate.method, &[fits], self.sample.fitted(&candidate.without))
    }

    /// Returns the work that trials of one query took. Those that share a fit follow each other.
    fn work_of_trials(&self, trials: &[Trial]) -> f64 {
        let shares = |a: &Trial, b: &Trial| a.candidate.method.shares_a_fit(&b.candidate.method);
        let of_fit = |trials: &[Trial]| {
            let fitted = self.sample.fitted(&trials[0].candidate.without);
            let units = |trial: &Trial| work::of_fits(&trial.candidate.method, &[self.folds_of(trial)], fitted);
            match trials[0].candidate.method.method().grows() {
                true => trials.iter().map(units).fold(0.0, f64::max),
                false => {
                    let folds: Vec<usize> = trials.iter().map(|trial| self.folds_of(trial)).collect();
                    work::of_fits(&trials[0].candidate.method, &folds, fitted)
                }
            }
        };
        trials.chunk_by(shares).map(of_fit).sum()
    }

    /// Returns the number of folds that a trial was fitted in.
    fn folds_of(&self, trial: &Trial) -> usize {
        if trial.ruled_out { 1 } else { self.evaluator.fits() }
    }
}

/// Returns whether an error is that of the settings: every candidate fails on it.
fn is_invalid(error: &FitError) -> bool {
    matches!(error, FitError::Method(MethodError::Setting { .. } | MethodError::OrderBeyondInputs { .. }))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;
    use crate::cost::Budget;
    use crate::data::{Dataset, Task};
    use crate::fit::{Conditions, Grid};
    use crate::method::Path;
    use crate::run::Run;

    /// Does something in a session with a budget of 2 KB.
    fn in_session(data: &Dataset, act: impl FnOnce(&mut Session<'_>)) {
        let (run, work, pace) = (Run::new(1), Cell::new(0.0), Pace::default());
        let budget = Budget { flash: Some(2048), ..Budget::default() };
        let conditions = Conditions { grid: Grid::from([]), ..Conditions::default() };
        let config = SearchConfig::new(conditions, budget);
        let config = SearchConfig { numbers: config.number_formats(), ..config };
        let sample = Sample { compared: data, all: data };
        let evaluator = Evaluator::new(sample, &config);
        let clock = Clock::new(&run, Duration::MAX, config.effort, &work);
        act(&mut Session::new("test", sample, &config, &evaluator, clock, &pace));
    }

    fn waves(session: &Session<'_>, features: usize, lambda: f64) -> Candidate {
        let path = Path { features, lambda, ..Path::default() };
        session.without_features(NumberFormat::F32, Terms::Linear).with(MethodConfig::from(path))
    }

    #[test]
    fn one_attempt_tries_all_sizes_and_each_is_what_it_is_alone() {
        in_session(&Task::Friedman1.generate(150, 1.0, 1), |session| {
            let Ok(tried) = session.attempt(&waves(session, 30, 1e-3), &[], 12) else { panic!() };
            let sizes: Vec<usize> = tried.iter().map(|&index| session.trials.candidate(index).features()).collect();
            assert_eq!(sizes, [3, 5, 8, 12]);
            let done = session.clock.done();
            assert!(session.attempt(&waves(session, 30, 1e-3), &[], 12).is_ok_and(|again| again == tried));
            assert_eq!(session.clock.done(), done);
            let together = session.trials.get(tried[1]).clone();
            in_session(session.sample.all, |alone| {
                let Ok(tried) = alone.attempt(&waves(alone, 5, 1e-3), &[], ALL_SIZES) else { panic!() };
                let last = alone.trials.get(*tried.last().unwrap());
                assert_eq!(last.candidate, together.candidate);
                if !together.ruled_out {
                    assert_eq!(last.score, together.score);
                }
            });
        });
    }

    #[test]
    fn only_what_is_better_takes_the_place_of_a_trial() {
        in_session(&Task::Friedman1.generate(300, 1.0, 1), |session| {
            let Ok(poor) = session.attempt(&waves(session, 12, 1e3), &[], 12) else { panic!() };
            let poor = session.trials.best_at(&poor).unwrap();
            let (good, worse) = (waves(session, 12, 1e-3), waves(session, 12, 1e2));
            let Ok(good) = session.improve(poor, &good, 12) else { panic!() };
            assert!(
                good != poor
                    && session.trials.get(good).score.standardised_mse
                        < 0.5 * session.trials.get(poor).score.standardised_mse
            );
            assert!(session.improve(good, &worse, 12).is_ok_and(|index| index == good));
        });
    }

    #[test]
    fn a_method_without_trials_is_measured_by_the_best_of_all() {
        in_session(&Task::Friedman1.generate(400, 1.0, 1), |session| {
            let Ok(_) = session.attempt(&waves(session, 12, 1e-3), &[], 12) else { panic!() };
            let plain = session.without_features(NumberFormat::F32, Terms::Linear);
            let of = |name: &str| {
                let method = MethodConfig::named(name).unwrap();
                plain.with(method.tuned(|t| (t.features, t.terms) = (12, Terms::Linear)))
            };
            for (name, ruled_out) in [("srff", true), ("linear", false)] {
                let Ok(tried) = session.attempt(&of(name), &[], ALL_SIZES) else { panic!() };
                assert!(!tried.is_empty(), "{name}");
                let out = |&index: &usize| session.trials.get(index).ruled_out;
                assert!(tried.iter().all(|index| out(index) == ruled_out), "{name}");
            }
        });
    }

    #[test]
    fn the_size_of_a_fit_grows_with_the_work_that_is_done() {
        in_session(&Task::Friedman1.generate(2000, 1.0, 1), |session| {
            let large = waves(session, 1000, 1e-3);
            let sizes = [0.0, 2.0, 20.0].map(|units| {
                session.clock.charge(units);
                session.most_features(&large)
            });
            assert!(FEW < sizes[0] && sizes[0] < sizes[1] && sizes[1] < sizes[2], "{sizes:?}");
        });
    }
}
