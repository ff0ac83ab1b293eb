//! The trials of a search and their cache.

use serde::{Deserialize, Serialize};

use crate::error::FitError;
use crate::method::as_json;
use crate::run::Run;
use crate::search::candidate::Candidate;
use crate::search::compaction::{self, Family};
use crate::search::effort::Effort;
use crate::validate::{Score, ranked};

/// A candidate that was tried, and what the trial says of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The candidate.
    #[serde(with = "as_json")]
    pub candidate: Candidate,
    /// The number of features; of pruned models, whose size only a fit shows, that of the fit to the compared rows.
    pub features: usize,
    /// Its cross-validated score over the rows that candidates are compared on.
    pub score: Score,
    /// Whether one fold ruled the candidate out, as it was clearly worse there than the best of its family. The score
    /// is an estimate then.
    pub ruled_out: bool,
    /// Whether the search must not return the candidate, as it may exceed the budget or uses too many inputs. The
    /// search tries such candidates to learn which settings suit the data.
    pub over_budget: bool,
    /// The half-widths of the intervals around predictions; empty where there are none.
    pub(crate) half_widths: Vec<f64>,
    /// Whether there is one target and its residuals have heavy tails.
    pub(crate) heavy_tails: bool,
    /// The squared errors of the rows of the last fold, in units of the targets' variances; empty where no candidate is
    /// ruled out by them.
    pub(crate) last_fold: Vec<f64>,
    /// The largest flash that the model can take, in bytes.
    pub flash_bytes: usize,
    /// The largest number of instructions of a prediction on the core of the budget; none without such a budget
    /// and for a model that no file can hold.
    pub instructions: Option<u32>,
}

impl Trial {
    /// Returns whether the search may return the candidate.
    pub(crate) fn is_allowed(&self) -> bool {
        self.score.mse.is_finite() && !self.over_budget && !self.ruled_out
    }
}

/// A question to the evaluator: a candidate with several λ. The evaluator chooses the number of features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Query {
    #[serde(with = "as_json")]
    pub candidate: Candidate,
    pub lambdas: Vec<Option<f64>>,
    /// Whether the candidate keeps its number of features even if it exceeds the budget.
    pub any_size: bool,
    /// The limits of the work of a fit.
    pub effort: Effort,
}

impl Query {
    /// Returns whether both ask for the same, whatever a fit may take.
    fn asks_as(&self, other: &Query) -> bool {
        self.any_size == other.any_size && self.lambdas == other.lambdas && self.candidate == other.candidate
    }
}

/// Inputs with their shares of the importance, ascending.
pub(crate) type Shares = Vec<(usize, f64)>;

/// All trials of a search, and the queries of its current stage with the indices of their answers.
#[derive(Default)]
pub(crate) struct Trials {
    trials: Vec<Trial>,
    /// The indices of the trials that others of their families are measured by.
    bars: Vec<usize>,
    answers: Vec<(Query, Vec<usize>)>,
    /// The inputs that were left out to keep the limit of inputs, by the candidate that the elimination started from.
    pub excluded: Vec<(Candidate, Vec<usize>)>,
    /// The importance of the inputs of candidates; none where there is no model.
    pub importance: Vec<(Candidate, Option<Shares>)>,
    /// The error of the first candidate of the stage that could not be fitted; of those over the budget, the smallest.
    pub refused: Option<FitError>,
}

impl Trials {
    /// Returns the indices of the trials that answer a query of this stage; none if the query is new, or if its fits
    /// may take more work now and took less than they asked for.
    pub fn answer(&self, query: &Query) -> Option<&[usize]> {
        let answers = |(known, answer): &&(Query, Vec<usize>)| {
            known.asks_as(query) && (known.effort == query.effort || !self.is_reduced(known, answer))
        };
        self.answers.iter().find(answers).map(|(_, answer)| &answer[..])
    }

    /// Returns whether trials took less work than their query asked for.
    fn is_reduced(&self, query: &Query, answer: &[usize]) -> bool {
        let work = |candidate: &Candidate| {
            compaction::settings(&candidate.method).map(|compact| (compact.refine, compact.candidates))
        };
        answer.iter().any(|&index| work(self.candidate(index)) != work(&query.candidate))
    }

    /// Answers a new query and returns the indices of the answer. An answer of an earlier run of the same search is
    /// taken from the checkpoint of `run`, unless a time limit led the earlier run to another query at this place.
    pub fn record<E>(
        &mut self,
        query: Query,
        stage: &str,
        run: &Run<'_>,
        evaluate: impl FnOnce(&Query, &mut Trials) -> Result<Vec<Trial>, E>,
    ) -> Result<Vec<usize>, E> {
        let name = format!("search {stage}/{}", self.answers.len());
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

    /// Adds the trials of a stage before this one. `exceeds` says which trials exceed the budget of this stage.
    pub fn learn_from(&mut self, before: &Trials, exceeds: impl Fn(&Trial) -> bool) {
        self.extend(before.trials.iter().map(|trial| Trial { over_budget: exceeds(trial), ..trial.clone() }));
        self.excluded
            .extend(before.excluded.iter().filter(|known| !self.excluded.contains(known)).cloned().collect::<Vec<_>>());
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

    /// Returns whether this stage has found a candidate that may be returned, or has measured some by one.
    pub fn stage_has_result(&self) -> bool {
        let answered = self.answers.iter().flat_map(|(_, answer)| answer);
        let measured = |trial: &Trial| trial.ruled_out && !trial.over_budget;
        answered.map(|&index| self.get(index)).any(|trial| trial.is_allowed() || measured(trial))
    }

    /// Measures candidates by the best trials so far, family by family.
    pub fn raise_the_bar(&mut self) {
        self.bars = Family::ALL.iter().filter_map(|&family| self.best_of(&[family])).collect();
    }

    /// Returns the trial that a candidate is measured by, if there is one. Lines and rules are cheap, and are not
    /// measured.
    pub fn bar(&self, candidate: &Candidate) -> Option<&Trial> {
        if candidate.features() == 0 || candidate.method.method().has_rules() {
            return None;
        }
        let family = candidate.family();
        self.bars.iter().map(|&index| self.get(index)).find(|trial| trial.candidate.family() == family)
    }

    /// Returns the index of the least error among the allowed trials of the wanted candidates.
    pub fn best(&self, wanted: impl Fn(&Candidate) -> bool) -> Option<usize> {
        let wanted = |&index: &usize| self.trials[index].is_allowed() && wanted(&self.trials[index].candidate);
        self.least((0..self.trials.len()).filter(wanted))
    }

    /// Returns the index of the least error among the allowed trials of some families.
    pub fn best_of(&self, families: &[Family]) -> Option<usize> {
        self.best(|candidate| families.contains(&candidate.family()))
    }

    /// Returns the index of the least error among the allowed small models with features, or without features if there
    /// are none.
    pub fn best_small(&self) -> Option<usize> {
        self.best(Candidate::is_small).or_else(|| self.best(|candidate| candidate.features() == 0))
    }

    /// Returns the index of the least finite error among some trials, including those over the budget.
    pub fn best_at(&self, indices: &[usize]) -> Option<usize> {
        self.least(indices.iter().copied().filter(|&index| self.trials[index].score.mse.is_finite()))
    }

    /// Returns the index of the least error; ties go to the first.
    pub fn least(&self, indices: impl Iterator<Item = usize>) -> Option<usize> {
        indices.min_by(|&a, &b| self.trials[a].score.mse.total_cmp(&self.trials[b].score.mse))
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
