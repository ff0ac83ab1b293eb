//! The state of a strategy, and how it tries candidates.

use crate::error::FitError;
use crate::export::NumberFormat;
use crate::method::Linear;
use crate::method::{MethodConfig, MethodError, Terms};
use crate::run::{Instant, Run};
use crate::search::candidate::Candidate;
use crate::search::clock::Clock;
use crate::search::compaction::{self, Family};
use crate::search::config::SearchConfig;
use crate::search::effort::Effort;
use crate::search::evaluate::Evaluate;
use crate::search::pace::Pace;
use crate::search::sample::Sample;
use crate::search::trials::{Query, Trial, Trials};
use crate::search::work;
use crate::warp::Warp;

/// Why a search does not continue.
pub(crate) enum Stop {
    /// The time is over.
    Time,
    /// The observer asked to stop.
    Interrupted,
    /// The settings are invalid.
    Refused(FitError),
}

/// The strategy of one stage of a search.
pub(crate) struct Strategy<'a> {
    /// Tells stages of the same rows and budget apart.
    pub name: &'static str,
    pub sample: Sample<'a>,
    pub config: &'a SearchConfig,
    pub evaluator: &'a dyn Evaluate,
    pub clock: Clock<'a>,
    pub trials: Trials,
    /// Whether inputs may be left out and warped.
    pub chooses_inputs: bool,
    /// Whether the trials of a smaller budget of flash are known.
    pub follows: bool,
    /// How long fits take.
    pub pace: &'a Pace,
    /// Whether a candidate took fewer steps than it should have, for want of time.
    pub shortened: bool,
    /// The candidates that were foreseen last. They are measured by the best trials at that time, whether workers try
    /// them at once or one is tried after the other.
    foreseen: Vec<Candidate>,
}

impl<'a> Strategy<'a> {
    /// A strategy without trials that may choose inputs.
    pub fn new(
        sample: Sample<'a>,
        config: &'a SearchConfig,
        evaluator: &'a dyn Evaluate,
        clock: Clock<'a>,
        pace: &'a Pace,
    ) -> Strategy<'a> {
        let (name, trials, foreseen) = ("", Trials::default(), Vec::new());
        let (chooses_inputs, follows, shortened) = (true, false, false);
        Strategy { name, sample, config, evaluator, clock, trials, chooses_inputs, follows, pace, shortened, foreseen }
    }

    /// Tries a candidate with each λ of a list, or with its own λ where the list is empty. A list of the search's own
    /// settings takes the place of both. Returns the indices of the trials that gave a model.
    pub fn attempt(&mut self, candidate: &Candidate, lambdas: &[f64]) -> Result<Vec<usize>, Stop> {
        let mut indices = Vec::new();
        for (candidate, lambdas) in self.tries(candidate, lambdas) {
            indices.extend(self.evaluate(&candidate, &lambdas, false)?);
        }
        Ok(indices)
    }

    /// Says which candidates come next, each with a list of λ as in [`Strategy::attempt`]. No candidate may depend on
    /// the trial of another one. Where there are workers, they try the candidates at the same time, and
    /// [`Strategy::attempt`] takes the trials from there.
    pub fn foresee(&mut self, candidates: impl IntoIterator<Item = (Candidate, Vec<f64>)>) {
        let run = self.run_of_fits();
        let tries: Vec<_> = candidates.into_iter().flat_map(|(of, lambdas)| self.tries(&of, &lambdas)).collect();
        self.foreseen = tries.iter().map(|(candidate, _)| candidate.clone()).collect();
        self.trials.raise_the_bar();
        if run.workers().is_none() {
            return;
        }
        let (mut done, mut queries, mut asked) = (self.clock.done(), Vec::new(), Vec::<Candidate>::new());
        for (candidate, lambdas) in tries {
            if self.is_limited() && self.clock.would_be_spent(done) || self.is_late(&candidate) {
                break;
            }
            let effort = Effort::new(self.sample.compared, done);
            let query = Query { candidate, lambdas, any_size: false, effort };
            if self.trials.answer(&query).is_some() {
                continue;
            }
            // A fit for several λ rounds differently than one for some of them. So a query waits for another one that
            // answers it in part.
            let method = &query.candidate.method;
            let with = |&lambda: &Option<f64>| query.candidate.with(method.clone().tuned(|t| t.lambda = lambda));
            let candidates: Vec<Candidate> = query.lambdas.iter().map(with).collect();
            done += self.work(&query.candidate, candidates.len());
            if !candidates.iter().any(|candidate| asked.contains(candidate)) {
                asked.extend(candidates);
                queries.push(query);
            }
        }
        if queries.len() < 2 {
            queries.clear();
        }
        let started = Instant::now();
        self.evaluator.prepare(&queries, &self.trials, &run);
        let answers: Vec<Vec<Trial>> = queries.iter().filter_map(|query| self.evaluator.prepared(query)).collect();
        self.count(started, answers.iter().map(Vec::as_slice));
    }

    /// Returns the queries of an attempt: candidates, each with some λ.
    fn tries(&self, candidate: &Candidate, lambdas: &[f64]) -> Vec<(Candidate, Vec<Option<f64>>)> {
        let own = candidate.method.tunable().lambda;
        let lambdas: Vec<Option<f64>> = match (own, &self.config.fit.grid.lambdas) {
            (None, _) => vec![None],
            (Some(_), given) if !given.is_empty() => given.iter().copied().map(Some).collect(),
            (Some(_), _) if lambdas.is_empty() => vec![own],
            (Some(_), _) => lambdas.iter().copied().map(Some).collect(),
        };
        // The number of weights that pruning leaves depends on λ.
        let together = if candidate.family() == Family::Pruned { 1 } else { lambdas.len() };
        let of_some = |lambdas: &[Option<f64>]| {
            let tuned = candidate.method.clone().tuned(|t| t.lambda = lambdas[0]);
            (candidate.with(tuned), lambdas.to_vec())
        };
        lambdas.chunks(together).map(of_some).collect()
    }

    /// Tries a candidate to replace the trial at `index`. Returns the index of the better one.
    pub fn improve(&mut self, index: usize, candidate: &Candidate) -> Result<usize, Stop> {
        let found = self.attempt(candidate, &[])?.into_iter().filter(|&found| self.trials.get(found).is_allowed());
        Ok(self.trials.least([index].into_iter().chain(found)).unwrap_or(index))
    }

    /// Tries a candidate that may exceed the budget, to learn which settings suit the data. Returns its index.
    pub fn explore(&mut self, candidate: &Candidate) -> Result<Option<usize>, Stop> {
        let indices = self.evaluate(candidate, &[candidate.method.tunable().lambda], true)?;
        Ok(indices.first().copied())
    }

    fn evaluate(&mut self, candidate: &Candidate, lambdas: &[Option<f64>], any_size: bool) -> Result<Vec<usize>, Stop> {
        self.clock.show();
        let run = self.run_of_fits();
        if run.interrupted() || (self.is_limited() && self.clock.is_spent()) {
            return Err(self.stop());
        }
        let (lambdas, effort) = (lambdas.to_vec(), self.effort());
        let query = Query { candidate: candidate.clone(), lambdas, any_size, effort };
        if let Some(answer) = self.trials.answer(&query) {
            return Ok(answer.to_vec());
        }
        if !self.foreseen.contains(candidate) {
            self.foresee([]);
        }
        let stage =
            format!("{}{} {}", self.name, self.sample.compared.rows(), self.config.budget.flash.unwrap_or(usize::MAX));
        if self.is_late(candidate) {
            return Err(Stop::Time);
        }
        let (started, prepared) = (Instant::now(), self.evaluator.prepared(&query).is_some());
        let (evaluator, whole, known) = (self.evaluator, self.clock.whole(), self.trials.all().len());
        let mut fits = false;
        let answer = self.trials.record(query, &stage, &whole, |query, trials| {
            fits = !prepared;
            match evaluator.evaluate(query, trials, &run) {
                Ok(answer) => Ok(answer),
                Err(FitError::Interrupted) => Err(if whole.interrupted() { Stop::Interrupted } else { Stop::Time }),
                Err(error) if is_invalid(&error) => Err(Stop::Refused(error)),
                Err(error) => {
                    trials.refuse(error);
                    Ok(Vec::new())
                }
            }
        })?;
        let tried = &self.trials.all()[known..];
        self.clock.charge(self.work_of_path(tried));
        if fits {
            self.count(started, [tried]);
        }
        Ok(answer)
    }

    /// Returns the inputs of a candidate's model and their importance, ascending; none if there is no model.
    pub fn importance(&mut self, candidate: &Candidate) -> Result<Option<Vec<(usize, f64)>>, Stop> {
        if let Some((_, known)) = self.trials.importance.iter().find(|(of, _)| of == candidate) {
            return Ok(known.clone());
        }
        let (rows, inputs) = (self.sample.compared.rows(), self.sample.inputs(&candidate.without));
        self.clock.charge(work::of_fits(&candidate.method, &[1], rows, inputs));
        let importance = self.evaluator.importance(candidate, &self.run_of_fits()).map_err(|_| self.stop())?;
        self.trials.importance.push((candidate.clone(), importance.clone()));
        Ok(importance)
    }

    /// Returns the run of the fits. As long as it has no candidate with features, the last stage may take the time of
    /// the parts after it.
    fn run_of_fits(&self) -> Run<'a> {
        let run = match (self.is_limited(), self.lacks_features()) {
            (false, _) => self.clock.whole(),
            (true, true) => self.clock.limited_by_search(),
            (true, false) => self.clock.limited(),
        };
        run.quiet()
    }

    /// Returns whether the stage is the last one and no candidate with features is known.
    fn lacks_features(&self) -> bool {
        let has_features = self.trials.best(|candidate| candidate.features() > 0).is_some();
        !(has_features || self.has_all_rows() || self.clock.is_followed())
    }

    /// Returns whether the limits hold: for a stage that has a result, for all stages but the last, and for the
    /// comparison of finalists on all rows.
    fn is_limited(&self) -> bool {
        let found = self.has_all_rows() || self.trials.stage_has_result();
        found || self.clock.is_followed()
    }

    fn stop(&self) -> Stop {
        if self.clock.whole().interrupted() { Stop::Interrupted } else { Stop::Time }
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

    /// Returns compaction of few features with refined frequencies.
    pub fn refined(&self, order: Option<usize>, terms: Terms) -> MethodConfig {
        let scale = self.scale(compaction::SCALE_REFINED);
        compaction::refined(self.config.features, order, terms, scale)
    }

    /// Returns compaction of few features with frequencies as they are drawn.
    pub fn drawn(&self, order: Option<usize>, terms: Terms, scale: f64) -> MethodConfig {
        compaction::drawn(self.config.features, order, terms, self.scale(scale))
    }

    /// Returns the given scale of the settings, else `scale`.
    fn scale(&self, scale: f64) -> f64 {
        self.config.fit.grid.scales.first().copied().unwrap_or(scale)
    }

    /// Returns the limits of the work of one fit.
    pub fn effort(&self) -> Effort {
        Effort::new(self.sample.compared, self.clock.done())
    }

    /// Returns the candidate of a trial.
    pub fn candidate(&self, index: usize) -> Candidate {
        self.trials.candidate(index).clone()
    }
}

/// Returns whether an error is that of the settings: every candidate fails on it.
fn is_invalid(error: &FitError) -> bool {
    matches!(error, FitError::Method(MethodError::Setting { .. } | MethodError::OrderBeyondInputs { .. }))
}
