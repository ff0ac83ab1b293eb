//! Frequencies by stochastic gradients: candidates for many rows and many inputs.

use std::time::Duration;

use crate::data::Dataset;
use crate::export::NumberFormat;
use crate::method::sgd::Sgd;
use crate::method::{MethodConfig, Terms};
use crate::search::candidate::Candidate;
use crate::search::compaction::Family;
use crate::search::effort::MOST_ROWS;
use crate::search::strategy::attempts::{Stop, Strategy};
use crate::search::strategy::orders::MOST_DENSE;

/// Rows from which on stochastic gradients are worth their time for any number of inputs.
const MANY_ROWS: usize = 20_000;

/// The largest number of rows that candidates by stochastic gradients are compared on.
pub(crate) const COMPARED_ROWS: usize = 50_000;

/// The number of folds of so many rows.
const FOLDS: usize = 2;

/// The number of features that the candidates start with.
const FIRST_FEATURES: usize = 4;

/// The ratio of the steps of the chosen candidate and of those that it is chosen from.
const MORE_STEPS: usize = 4;

/// The ratio of the inputs per feature of successive candidates.
const FEWER_INPUTS: usize = 3;

/// Operations of a descent for every second of a search, and the least and the most steps of a comparison.
const OPERATIONS: f64 = 1e9;
const STEPS: (f64, f64) = (500.0, 2500.0);

/// The share of the time of a search that candidates by stochastic gradients have.
const SHARE: u32 = 2;

/// Returns the part of the time of a search that candidates by stochastic gradients have: none where rows and inputs
/// are few, since other methods then find models that are as good.
pub(crate) fn gradient_time(data: &Dataset, time: Duration) -> Duration {
    let many = data.rows() > MANY_ROWS || data.rows() > MOST_ROWS && data.varying_inputs().len() > MOST_DENSE;
    if many { time / SHARE } else { Duration::ZERO }
}

/// Returns the number of folds for the comparison of candidates by stochastic gradients, at most `given`.
pub(crate) fn gradient_folds(rows: usize, given: usize) -> usize {
    if rows > MANY_ROWS { FOLDS.min(given) } else { given }
}

impl Strategy<'_> {
    /// Tries stochastic gradients with a growing number of features as long as more of them help and the budget allows
    /// them. Then come fewer inputs per feature and other settings, and more steps in the end. `other` is the best
    /// candidate of the other methods, if there is one.
    pub fn try_gradients(&mut self, other: Option<&Candidate>) -> Result<(), Stop> {
        let numbers = self.numbers();
        let Some(number) = other.map(|other| other.number).or(numbers.first().copied()) else { return Ok(()) };
        let mut start = self.without_features(number, self.config.terms.unwrap_or(Terms::Linear));
        if let (Some(other), Some(_)) = (other, self.config.inputs) {
            start.leave_out(&other.without); // No more inputs than are allowed.
        }
        let limited = self.grow_gradients(&start)?;
        self.try_more_steps()?;
        if limited {
            self.try_fewer_inputs()?;
            self.try_other_numbers(&numbers)?;
        }
        let Some(best) = self.trials.best_of(&[Family::Gradients]) else { return Ok(()) };
        let best = self.candidate(best);
        if let Some(other) = other.filter(|other| other.warps != best.warps) {
            self.attempt(&Candidate { warps: other.warps.clone(), without: other.without.clone(), ..best }, &[])?;
        }
        Ok(())
    }

    /// Doubles the number of features of a start without features as long as that helps. Returns whether the budget
    /// ended it.
    fn grow_gradients(&mut self, start: &Candidate) -> Result<bool, Stop> {
        let (mut features, mut best) = (FIRST_FEATURES.min(self.config.features), None);
        loop {
            let tried = self.attempt(&start.with(self.gradients(features, start)), &[])?;
            let Some(&tried) = tried.first() else { return Ok(true) };
            let better = self.trials.best_of(&[Family::Gradients]);
            let allowed = self.trials.candidate(tried).features();
            if better == best || allowed < features || features >= self.config.features {
                return Ok(better != best && allowed < features);
            }
            best = better;
            features = self.config.features.min(2 * features);
        }
    }

    /// Tries the best candidate with more steps.
    fn try_more_steps(&mut self) -> Result<(), Stop> {
        let Some(best) = self.trials.best_of(&[Family::Gradients]) else { return Ok(()) };
        let mut candidate = self.candidate(best);
        if let Some(sgd) = candidate.method.downcast_mut::<Sgd>() {
            sgd.steps *= MORE_STEPS;
        }
        self.improve(best, &candidate)?;
        Ok(())
    }

    /// Tries a fraction of the inputs per feature, and as many more features, as long as that helps.
    fn try_fewer_inputs(&mut self) -> Result<(), Stop> {
        let Some(mut best) = self.trials.best_of(&[Family::Gradients]) else { return Ok(()) };
        if !self.config.fit.grid.orders.is_empty() {
            return Ok(());
        }
        let mut order = self.sample.inputs(&self.trials.candidate(best).without) / FEWER_INPUTS;
        while order >= 2 {
            let candidate = self.candidate(best);
            let features = self.config.features.min(FEWER_INPUTS * candidate.features());
            let method = candidate.method.clone().tuned(|t| (t.order, t.features) = (Some(order), features));
            let better = self.improve(best, &candidate.with(method))?;
            if better == best {
                return Ok(());
            }
            (best, order) = (better, order / FEWER_INPUTS);
        }
        Ok(())
    }

    /// Tries the best candidate in other number formats, which may allow more features.
    fn try_other_numbers(&mut self, numbers: &[NumberFormat]) -> Result<(), Stop> {
        let Some(best) = self.trials.best_of(&[Family::Gradients]) else { return Ok(()) };
        let best = self.candidate(best);
        for &number in numbers.iter().filter(|&&number| number != best.number) {
            let method = best.method.clone().tuned(|t| t.features = self.config.features.min(2 * t.features));
            self.attempt(&Candidate { number, ..best.with(method) }, &[])?;
        }
        Ok(())
    }

    /// Returns the method with as many steps as the time allows.
    fn gradients(&self, features: usize, start: &Candidate) -> MethodConfig {
        let terms = start.method.tunable().terms;
        let inputs = self.sample.inputs(&start.without);
        let own = Sgd::default();
        let step = 4.0 * (own.batch * features.max(8)) as f64 * (inputs as f64 + 8.0);
        let steps = OPERATIONS * self.config.time.as_secs_f64() / step;
        let order = self.config.fit.grid.orders.first().copied();
        let law = self.config.fit.grid.scales.first().map_or(own.law, |&scale| own.law.with_scale(scale));
        let steps = steps.clamp(STEPS.0, STEPS.1) as usize;
        MethodConfig::new("sgd", Sgd { features, terms, order, law, steps, ..own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::generate::Task;

    #[test]
    fn gradients_take_part_where_rows_or_inputs_are_many() {
        let time = Duration::from_secs(60);
        let of = |task: Task, rows| gradient_time(&task.generate(rows, 0.1, 1), time);
        // Ten inputs, and eighteen.
        assert_eq!((of(Task::Friedman1, 20_000), of(Task::Friedman1, 20_001)), (Duration::ZERO, time / 2));
        assert_eq!((of(Task::Se1, 2000), of(Task::Se1, 2001)), (Duration::ZERO, time / 2));
        assert_eq!((gradient_folds(20_000, 5), gradient_folds(50_000, 5)), (5, 2));
    }
}
