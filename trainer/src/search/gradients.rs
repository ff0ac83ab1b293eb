//! Frequencies by stochastic gradients: candidates for many rows and many inputs.

use crate::data::Dataset;
use crate::export::NumberFormat;
use crate::method::Sgd;
use crate::method::{MethodConfig, Terms};
use crate::search::candidate::Candidate;
use crate::search::policy::{
    COMPARED_ROWS, FEWER_INPUTS, FIRST_GRADIENT_STEPS, FIRST_GRADIENTS, MANY_INPUTS, MANY_ROWS, MORE_GRADIENT_STEPS,
};
use crate::search::session::{Session, Stop};
use crate::search::trials::Trial;

/// Returns whether a search tries candidates by stochastic gradients: not where rows and inputs are few, since other
/// methods then find models that are as good.
pub(crate) fn takes_gradients(data: &Dataset) -> bool {
    data.rows() > MANY_ROWS || data.rows() > COMPARED_ROWS && data.varying_inputs().len() > MANY_INPUTS
}

/// Returns the number of folds for the comparison of candidates by stochastic gradients, at most `given`.
pub(crate) fn gradient_folds(rows: usize, given: usize) -> usize {
    if rows > MANY_ROWS { given.min(2) } else { given }
}

impl Session<'_> {
    /// Tries stochastic gradients with a growing number of features as long as more of them help and the budget allows
    /// them. Then come more steps and features together, fewer inputs per feature and other number formats, as long as
    /// they help. `other` is the best trial of the other methods, if there is one; few steps must be
    /// better than it for more steps to be tried.
    pub fn try_gradients(&mut self, other: Option<&Trial>) -> Result<(), Stop> {
        let numbers = self.numbers();
        let least = other.map_or(f64::INFINITY, |other| other.score.search_loss());
        let other = other.map(|other| &other.candidate);
        let Some(number) = other.map(|other| other.number).or(numbers.first().copied()) else { return Ok(()) };
        let mut start = self.without_features(number, self.config.terms.unwrap_or(Terms::Linear));
        if let (Some(other), Some(_)) = (other, self.config.inputs) {
            start.leave_out(&other.without); // No more inputs than are allowed.
        }
        self.attempt(
            &start.with(self.gradients(FIRST_GRADIENTS.min(self.config.features), &start)),
            &[],
            self.config.features,
        )?;
        let mut limited = self.grow_gradients()?;
        let reached = self.trials.best_of("sgd").map(|best| self.trials.get(best).score.search_loss());
        if reached.is_none_or(|reached| reached > least) {
            return Ok(());
        }
        loop {
            let more_steps_help = self.try_more_steps()?;
            if limited {
                self.try_fewer_inputs()?;
                self.try_other_numbers(&numbers)?;
            }
            if !more_steps_help {
                break;
            }
            limited = self.grow_gradients()?;
        }
        let Some(best) = self.trials.best_of("sgd") else { return Ok(()) };
        let best = self.candidate(best);
        if let Some(other) = other.filter(|other| other.warps != best.warps) {
            self.attempt(
                &Candidate { warps: other.warps.clone(), without: other.without.clone(), ..best },
                &[],
                self.config.features,
            )?;
        }
        Ok(())
    }

    /// Doubles the number of features of the best candidate as long as that helps. Returns whether the budget ended it.
    fn grow_gradients(&mut self) -> Result<bool, Stop> {
        let Some(mut best) = self.trials.best_of("sgd") else { return Ok(true) };
        loop {
            let candidate = self.candidate(best);
            let features = self.config.features.min(2 * candidate.features());
            if features == candidate.features() {
                return Ok(false);
            }
            let tried = self.attempt(
                &candidate.with(candidate.method.clone().tuned(|t| t.features = features)),
                &[],
                self.config.features,
            )?;
            let Some(&tried) = tried.first() else { return Ok(true) };
            let allowed = self.trials.candidate(tried).features();
            let better = self.trials.least([best, tried].into_iter()).unwrap_or(best);
            if better == best || allowed < features {
                return Ok(allowed < features);
            }
            best = better;
        }
    }

    /// Tries the best candidate with more steps, as many as the time and the work that are left allow, and with twice
    /// the features: a descent may need both to leave a plateau. Returns whether they help.
    fn try_more_steps(&mut self) -> Result<bool, Stop> {
        let Some(best) = self.trials.best_of("sgd") else { return Ok(false) };
        let own = self.candidate(best);
        let most = self.config.features.min(2 * own.features());
        let larger = own.with(own.method.clone().tuned(|t| t.features = most));
        let within = self.evaluator.features_within_budget(&larger).unwrap_or(most);
        let features = most.min(within.max(own.features()));
        let longer = |times: usize| {
            let mut candidate = own.with(own.method.clone().tuned(|t| t.features = features));
            if let Some(sgd) = candidate.method.downcast_mut::<Sgd>() {
                sgd.steps *= times;
            }
            candidate
        };
        let mut times = MORE_GRADIENT_STEPS;
        while times > 2 && (self.is_late(&longer(times), self.config.features) || self.is_far_beyond(&longer(times))) {
            times /= 2;
        }
        let candidate = longer(times);
        self.shortened |= times < MORE_GRADIENT_STEPS;
        if self.is_far_beyond(&candidate) {
            return Ok(false);
        }
        Ok(self.improve(best, &candidate, self.config.features)? != best)
    }

    /// Tries a fraction of the inputs per feature, and as many more features, as long as that helps.
    fn try_fewer_inputs(&mut self) -> Result<(), Stop> {
        let Some(mut best) = self.trials.best_of("sgd") else { return Ok(()) };
        if !self.config.fit.grid.orders.is_empty() {
            return Ok(());
        }
        let mut order = self.sample.inputs(&self.trials.candidate(best).without) / FEWER_INPUTS;
        while order >= 2 {
            let candidate = self.candidate(best);
            let features = self.config.features.min(FEWER_INPUTS * candidate.features());
            let method = candidate.method.clone().tuned(|t| (t.order, t.features) = (Some(order), features));
            let better = self.improve(best, &candidate.with(method), self.config.features)?;
            if better == best {
                return Ok(());
            }
            (best, order) = (better, order / FEWER_INPUTS);
        }
        Ok(())
    }

    /// Tries the best candidate in other number formats, which may allow more features.
    fn try_other_numbers(&mut self, numbers: &[NumberFormat]) -> Result<(), Stop> {
        let Some(best) = self.trials.best_of("sgd") else { return Ok(()) };
        let best = self.candidate(best);
        for &number in numbers.iter().filter(|&&number| number != best.number) {
            let method = best.method.clone().tuned(|t| t.features = self.config.features.min(2 * t.features));
            self.attempt(&Candidate { number, ..best.with(method) }, &[], self.config.features)?;
        }
        Ok(())
    }

    /// Returns the method with few steps.
    fn gradients(&self, features: usize, start: &Candidate) -> MethodConfig {
        let (terms, own) = (start.method.tunable().terms, Sgd::default());
        let order = self.config.fit.grid.orders.first().copied();
        let law = self.config.fit.grid.scales.first().map_or(own.law, |&scale| own.law.with_scale(scale));
        MethodConfig::from(Sgd { features, terms, order, law, steps: FIRST_GRADIENT_STEPS, ..own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Task;

    #[test]
    fn gradients_take_part_where_rows_or_inputs_are_many() {
        let of = |task: Task, rows| takes_gradients(&task.generate(rows, 0.1, 1));
        // Ten inputs, and eighteen.
        assert_eq!((of(Task::Friedman1, 20_000), of(Task::Friedman1, 20_001)), (false, true));
        assert_eq!((of(Task::Se1, 2000), of(Task::Se1, 2001)), (false, true));
        assert_eq!((gradient_folds(20_000, 5), gradient_folds(50_000, 5)), (5, 2));
    }
}
