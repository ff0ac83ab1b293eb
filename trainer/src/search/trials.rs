//! The trials of a search and their cache.

use serde::{Deserialize, Serialize};

use crate::error::FitError;
use crate::method::as_json;
use crate::run::{Run, Tried};
use crate::search::candidate::Candidate;
use crate::validate::certainty::Certainty;
use crate::validate::{Score, ranked};

/// A candidate that was tried, and what the trial says of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The candidate.
    #[serde(with = "as_json")]
    pub candidate: Candidate,
    /// The number of features, or the room of a method that has one.
    pub features: usize,
    /// Its cross-validated score over the rows that candidates are compared on.
    pub score: Score,
    /// Whether one fold ruled the candidate out, as it was clearly worse there than a better one. The score is an
    /// estimate then.
    pub ruled_out: bool,
    /// Whether the search must not return the candidate, as it may exceed the budget or uses too many inputs.
    pub over_budget: bool,
    /// How certain predictions are.
    pub(crate) certainty: Certainty,
    /// Whether the target is one quantity and its residuals have heavy tails.
    pub(crate) heavy_tails: bool,
    /// The losses of the rows of the last fold: squared errors in units of the targets' variances, or those of the
    /// metric of classes. Empty where no candidate is ruled out by them.
    pub(crate) last_fold: Vec<f64>,
    /// The largest flash that the model can take, in bytes.
    pub flash_bytes: usize,
    /// The most work of a prediction on the core and in the unit of the budget; none without such a budget and for a
    /// model that no file can hold.
    pub work: Option<u32>,
}

impl Trial {
    /// Returns whether the search may return the candidate.
    pub(crate) fn is_allowed(&self) -> bool {
        self.score.standardised_mse.is_finite() && !self.over_budget && !self.ruled_out
    }

    /// Returns what an observer hears of the trial.
    pub(crate) fn told(&self) -> Tried<'_> {
        Tried {
            method: self.candidate.method.name(),
            flash_bytes: self.flash_bytes,
            error: self.score.error_rate.unwrap_or(self.score.standardised_mse.sqrt()),
            is_allowed: self.is_allowed(),
        }
    }
}

/// A question to the evaluator: a candidate with several λ, in all sizes of its method up to a limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Query {
    #[serde(with = "as_json")]
    pub candidate: Candidate,
    pub lambdas: Vec<Option<f64>>,
    /// The largest number of features.
    pub most: usize,
    /// The index of the trial that it may take the place of, where it does nothing else.
    pub instead_of: Option<usize>,
}

/// All trials of a part of a search, and its queries with the indices of their answers.
#[derive(Default)]
pub(crate) struct Trials {
    trials: Vec<Trial>,
    /// The indices of the trials that others of their methods are measured by.
    bars: Vec<usize>,
    answers: Vec<(Query, Vec<usize>)>,
    /// The error of the first candidate that could not be fitted; of those over the budget, the smallest.
    pub refused: Option<FitError>,
}

impl Trials {
    /// Returns the indices of the trials that answer a query; none if it is new.
    pub fn answer(&self, query: &Query) -> Option<&[usize]> {
        self.answers.iter().find(|(known, _)| known == query).map(|(_, answer)| &answer[..])
    }

    /// Answers a new query and returns the indices of the answer. An answer of an earlier run of the same search is
    /// taken from the checkpoint of `run`, unless a time limit led the earlier run to another query at this place.
    pub fn record<E>(
        &mut self,
        query: Query,
        part: &str,
        run: &Run<'_>,
        evaluate: impl FnOnce(&Query, &mut Trials) -> Result<Vec<Trial>, E>,
    ) -> Result<Vec<usize>, E> {
        let name = format!("search {part}/{}", self.answers.len());
        let saved = run.resume::<(Query, Vec<Trial>)>(&name).filter(|(of, _)| *of == query);
        let answer = match saved {
            Some((_, answer)) => answer,
            None => {
                let answer = evaluate(&query, self)?;
                if !answer.is_empty() {
                    run.store(&name, &(&query, &answer));
                }
                answer
            }
        };
        let indices: Vec<usize> = answer.into_iter().map(|trial| self.insert(trial)).collect();
        self.answers.push((query, indices.clone()));
        Ok(indices)
    }

    /// Adds trials on other rows.
    pub fn extend(&mut self, trials: impl IntoIterator<Item = Trial>) {
        for trial in trials {
            self.insert(trial);
        }
    }

    /// Returns the index of a trial after adding it where its candidate is new.
    fn insert(&mut self, trial: Trial) -> usize {
        self.trials.iter().position(|known| known.candidate == trial.candidate).unwrap_or_else(|| {
            self.trials.push(trial);
            self.trials.len() - 1
        })
    }

    /// Returns the trial of a candidate.
    pub fn find(&self, candidate: &Candidate) -> Option<&Trial> {
        self.trials.iter().find(|trial| trial.candidate == *candidate)
    }

    /// Returns a trial.
    pub fn get(&self, index: usize) -> &Trial {
        &self.trials[index]
    }

    /// Returns a candidate that was tried.
    pub fn candidate(&self, index: usize) -> &Candidate {
        &self.trials[index].candidate
    }

    /// Returns all trials in the order in which they were made.
    pub fn all(&self) -> &[Trial] {
        &self.trials
    }

    /// Keeps the error of a candidate that could not be fitted.
    pub fn refuse(&mut self, error: FitError) {
        let replaces = match (&self.refused, &error) {
            (Some(FitError::Budget(kept)), FitError::Budget(error)) => error.is_closer_than(kept),
            (kept, _) => kept.is_none(),
        };
        if replaces {
            self.refused = Some(error);
        }
    }

    /// Returns whether there is a candidate that may be returned.
    pub fn has_result(&self) -> bool {
        self.trials.iter().any(Trial::is_allowed)
    }

    /// Measures candidates by the best trials so far, method by method.
    pub fn raise_the_bar(&mut self) {
        let mut bars: Vec<usize> = Vec::new();
        for index in (0..self.trials.len()).filter(|&index| self.get(index).is_allowed()) {
            match bars.iter_mut().find(|bar| self.candidate(**bar).is_like(self.candidate(index))) {
                Some(bar) if self.get(index).score.search_loss() < self.get(*bar).score.search_loss() => *bar = index,
                Some(_) => {}
                None => bars.push(index),
            }
        }
        self.bars = bars;
    }

    /// Returns the trial that a candidate is measured by, if there is one: the best of its method, or the best of all
    /// where its method has none. Lines are cheap, and are not measured.
    pub fn bar(&self, candidate: &Candidate) -> Option<&Trial> {
        if candidate.features() == 0 {
            return None;
        }
        let own = self.bars.iter().copied().find(|&index| self.candidate(index).is_like(candidate));
        own.or_else(|| self.least(self.bars.iter().copied())).map(|index| self.get(index))
    }

    /// Returns the index of the least error among the allowed trials of the wanted candidates.
    pub fn best(&self, wanted: impl Fn(&Candidate) -> bool) -> Option<usize> {
        let wanted = |&index: &usize| self.trials[index].is_allowed() && wanted(&self.trials[index].candidate);
        self.least((0..self.trials.len()).filter(wanted))
    }

    /// Returns the index of the least error among the allowed trials of a method.
    pub fn best_of(&self, method: &str) -> Option<usize> {
        self.best(|candidate| candidate.method.name() == method)
    }

    /// Returns the index of the least finite error among some trials, including those over the budget.
    pub fn best_at(&self, indices: &[usize]) -> Option<usize> {
        self.least(indices.iter().copied().filter(|&index| self.trials[index].score.standardised_mse.is_finite()))
    }

    /// Returns the index of the least error; ties go to the first.
    pub fn least(&self, indices: impl Iterator<Item = usize>) -> Option<usize> {
        indices.min_by(|&a, &b| self.trials[a].score.search_loss().total_cmp(&self.trials[b].score.search_loss()))
    }

    /// Returns the allowed trials, best first. `rows` is the number of rows that candidates are compared on.
    pub fn ranked(&self, rows: usize, one_standard_error: bool) -> Vec<Trial> {
        let allowed: Vec<&Trial> = self.trials.iter().filter(|trial| trial.is_allowed()).collect();
        let scores: Vec<Score> = allowed.iter().map(|trial| trial.score).collect();
        let order = ranked(&scores, rows);
        let mut best: Vec<Trial> = order.into_iter().map(|index| allowed[index].clone()).collect();
        if let Some(first) = best.first().filter(|_| one_standard_error) {
            // The sort is stable: of models of equal flash, the better one comes first.
            let bound = first.score.loss() + first.score.allowance(rows);
            best.sort_by_key(|trial| if trial.score.loss() <= bound { trial.flash_bytes } else { usize::MAX });
        }
        best
    }

    /// Returns all trials, least loss first.
    pub fn into_sorted(self) -> Vec<Trial> {
        let mut trials = self.trials;
        trials.sort_by(|a, b| a.score.loss().total_cmp(&b.score.loss()));
        trials
    }
}
