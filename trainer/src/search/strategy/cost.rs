//! The work and the time of trials.

use crate::run::Instant;
use crate::search::candidate::Candidate;
use crate::search::compaction::Family;
use crate::search::effort::MOST_COMPARED_ROWS;
use crate::search::strategy::attempts::Strategy;
use crate::search::trials::Trial;
use crate::search::work;

/// Fits that show the size of a pruned model.
const FITS_OF_SIZE: usize = 2;

impl Strategy<'_> {
    /// Counts the time of the trials of some queries.
    pub(super) fn count<'t>(&self, started: Instant, answers: impl IntoIterator<Item = &'t [Trial]>) {
        let (mut units, mut fits) = (0.0, 0);
        for trials in answers {
            units += self.work_of_path(trials);
            fits += trials.iter().map(|trial| self.folds_of(trial)).sum::<usize>();
        }
        self.pace.count(started.elapsed(), units, fits);
    }

    /// Returns whether the time is too short for the trial of a candidate on many rows and for the last fit to all of
    /// them, be it that of the candidate or of the best one so far.
    pub fn is_late(&self, candidate: &Candidate) -> bool {
        let rows = self.sample.compared.rows();
        let best = self.trials.best(|_| true).map(|best| self.trials.candidate(best));
        let last = best.into_iter().chain([candidate]).map(|finalist| self.work(finalist, 1)).fold(0.0, f64::max);
        let units = self.work(candidate, 1) + last / self.evaluator.fits() as f64;
        let needed = self.pace.time(units, self.sample.all.rows() as f64 / rows as f64);
        self.has_all_rows() && needed.is_some_and(|needed| needed > self.clock.remaining())
    }

    /// Returns whether candidates are compared on more rows than those of the stages of the budget.
    pub fn has_all_rows(&self) -> bool {
        self.sample.compared.rows() > MOST_COMPARED_ROWS
    }

    /// Returns whether the trial of a candidate would take the stage beyond twice its work.
    pub fn is_far_beyond(&self, candidate: &Candidate) -> bool {
        self.clock.would_be_spent(0.5 * (self.clock.done() + self.work(candidate, 1)))
    }

    /// Returns the work of cross-validating a candidate with some λ.
    pub(super) fn work(&self, candidate: &Candidate, lambdas: usize) -> f64 {
        self.work_of_folds(candidate, vec![self.evaluator.fits(); lambdas])
    }

    /// Returns the work that the trials of a query took, which differ in λ.
    pub(super) fn work_of_path(&self, trials: &[Trial]) -> f64 {
        let folds = trials.iter().map(|trial| self.folds_of(trial)).collect();
        trials.first().map_or(0.0, |first| self.work_of_folds(&first.candidate, folds))
    }

    /// Returns the number of folds that a trial was fitted in.
    fn folds_of(&self, trial: &Trial) -> usize {
        if trial.ruled_out { 1 } else { self.evaluator.fits() }
    }

    /// Returns the work of fitting a candidate to so many folds with each λ, and of finding its size.
    fn work_of_folds(&self, candidate: &Candidate, mut folds: Vec<usize>) -> f64 {
        let rows = self.sample.compared.rows();
        let of_size = if candidate.family() == Family::Pruned { FITS_OF_SIZE } else { 0 };
        folds.iter_mut().for_each(|folds| *folds += of_size);
        work::of_fits(&candidate.method, &folds, rows, self.sample.inputs(&candidate.without))
    }
}
