//! The best of what was tried.

use crate::search::Tried;
use crate::search::candidate::{Candidate, Family};
use crate::search::trial::Search;
use crate::validate::cross_validation::{Score, ranked};

impl Search<'_> {
    /// The candidate of the least error so far, of those that are wanted.
    pub(crate) fn least(&self, wanted: impl Fn(&Candidate) -> bool) -> Option<usize> {
        let wanted = |&place: &usize| self.allowed(&self.tried[place]) && wanted(&self.tried[place].candidate);
        self.better((0..self.tried.len()).filter(wanted))
    }

    /// The same of some families.
    pub(crate) fn best_of(&self, families: &[Family]) -> Option<usize> {
        self.least(|candidate| families.contains(&candidate.family()))
    }

    /// That of the least error at some places, scouts among them.
    pub(crate) fn best_at(&self, places: &[usize]) -> Option<usize> {
        self.better(places.iter().copied().filter(|&place| self.tried[place].score.mse.is_finite()))
    }

    /// That of the least error of some, of equals the first.
    pub(crate) fn better(&self, places: impl Iterator<Item = usize>) -> Option<usize> {
        places.min_by(|&a, &b| self.tried[a].score.mse.total_cmp(&self.tried[b].score.mse))
    }

    /// Whether a candidate can go to the device.
    pub(crate) fn allowed(&self, tried: &Tried) -> bool {
        tried.score.mse.is_finite() && !tried.scout
    }

    /// How many inputs there are without some.
    pub(crate) fn inputs(&self, without: &[usize]) -> usize {
        self.data.varying_inputs().iter().filter(|input| !without.contains(input)).count()
    }

    /// Inputs that do not vary over the rows that candidates are compared on, but do over all: nothing is known of them.
    pub(crate) fn unseen(&self) -> Vec<usize> {
        let seen = self.data.varying_inputs();
        self.all.varying_inputs().into_iter().filter(|input| !seen.contains(input)).collect()
    }

    /// What may be returned, best first.
    pub(crate) fn ranked(&self) -> Vec<Tried> {
        let allowed: Vec<&Tried> = self.tried.iter().filter(|tried| self.allowed(tried)).collect();
        let scores: Vec<Score> = allowed.iter().map(|tried| tried.score).collect();
        let order = ranked(&scores, self.data.rows());
        let mut best: Vec<Tried> = order.into_iter().map(|place| allowed[place].clone()).collect();
        if let Some(first) = best.first().filter(|_| self.config.one_standard_error) {
            // Stable: of models of equal flash the better one.
            let bound = first.score.loss() + first.score.allowance(self.data.rows());
            best.sort_by_key(|tried| if tried.score.loss() <= bound { tried.flash_bytes } else { usize::MAX });
        }
        best
    }
}
