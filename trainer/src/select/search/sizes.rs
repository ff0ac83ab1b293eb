//! How many features a model has, which weights they can do without, and every other setting.

use super::candidate::{Candidate, Choices, Family};
use super::stages::REFINE;
use super::trial::Search;
use super::{SearchConfig, Stop};
use crate::method::{Compact, MethodConfig};

/// Ridge parameters of candidates whose frequencies are to lose inputs, as multiples of that which suits fewer features.
const LAMBDAS_SCOUTS: [f64; 3] = [6.0, 2.0, 0.6];

/// Fewer steps are hardly worth their time.
const LEAST_STEPS: f64 = 60.0;

impl Search<'_> {
    /// Takes more features while they help, with λ in proportion first: so it weighs as much against the sum over features.
    pub(super) fn grow(&mut self, family: Family) -> Result<(), Stop> {
        while let Some(best) = self.best_of(family) {
            let candidate = self.tried[best].candidate.clone();
            let features = candidate.method.tunable().features;
            let most = if family == Family::Refined { self.refinable(LEAST_STEPS).max(features) } else { usize::MAX };
            let most = most.min(self.config.features).min(2 * features);
            let doubled = candidate.method.clone().tuned(|t| t.features = most);
            for factor in [most as f64 / features as f64, 1.0] {
                let penalised = doubled.clone().tuned(|t| t.lambda = t.lambda.map(|lambda| factor * lambda));
                self.attempt(&candidate.with(penalised), &[])?;
                if self.best_of(family) != Some(best) {
                    break;
                }
            }
            let grown = |now: usize| now != best && self.tried[now].candidate.method.tunable().features == most;
            if !self.best_of(family).is_some_and(grown) {
                break; // no better, or all that the budget allows
            }
        }
        Ok(())
    }

    /// Takes weights out of frequencies of many inputs, so that more of them keep the budget.
    ///
    /// Settings are chosen first without that, which takes longer than everything else.
    pub(super) fn thin_out(&mut self) -> Result<(), Stop> {
        /// Inputs of a feature after it has lost some.
        const PAIR: usize = 2;
        if self.data.varying_inputs().len() <= PAIR {
            return Ok(());
        }
        let Some(best) = self.best_of(Family::Refined) else { return Ok(()) };
        let mut best = self.tried[best].candidate.clone();
        if let MethodConfig::Compact(compact) = &mut best.method {
            // Growth leaves large models few steps.
            compact.refine = compact.refine.max(REFINE);
        }
        // As many features as the budget allows of two inputs each, which is about what is left of them.
        let sparse = best.method.clone().tuned(|t| (t.order, t.features) = (Some(PAIR), self.config.features));
        let (data, config) = self.posed(self.data, &best.with(sparse));
        let Ok(most) = self.config.budget.features(&data, &config, data.classes.is_empty()) else { return Ok(()) };
        // More than twice those that help before are of no use either.
        let most = most.min(self.refinable(LEAST_STEPS)).min(2 * best.method.tunable().features).max(1);
        let first = self.tried.len();
        let own = best.method.tunable().lambda.unwrap_or_default();
        let mut lambdas = LAMBDAS_SCOUTS.map(|factor| factor * own).to_vec();
        for order in self.orders().into_iter().rev().filter(|order| order.is_none_or(|order| order > PAIR)) {
            let method = best.method.clone().tuned(|t| (t.order, t.features) = (order, most));
            lambdas = self.scout(&best.with(method), &lambdas)?.map_or(lambdas, |best| vec![best]);
        }
        let scouts = (first..self.tried.len()).filter(|&t| self.tried[t].score.mse.is_finite());
        let Some(scout) = scouts.min_by(|&a, &b| self.tried[a].score.mse.total_cmp(&self.tried[b].score.mse)) else {
            return Ok(());
        };
        let scout = self.tried[scout].candidate.clone();
        let MethodConfig::Compact(compact) = &scout.method else { return Ok(()) };
        for (refine, share) in [(1, 0.02), (3, 0.01), (1, 0.1)] {
            let (refine, sparsify) = (refine * compact.refine, Some(share));
            self.attempt(&scout.with(MethodConfig::Compact(Compact { refine, sparsify, ..compact.clone() })), &[])?;
        }
        let Some(best) = self.best_of(Family::Refined) else { return Ok(()) };
        let best = self.tried[best].candidate.clone();
        let own = best.method.tunable().lambda.unwrap_or_default();
        for lambda in [0.3 * own, 3.0 * own] {
            self.attempt(&best.with(best.method.clone().tuned(|t| t.lambda = Some(lambda))), &[])?;
        }
        Ok(())
    }

    /// The best λ for a scout, of a descending list that is gone through until it gets worse; none where no model can be had.
    fn scout(&mut self, candidate: &Candidate, lambdas: &[f64]) -> Result<Option<f64>, Stop> {
        let mut best = None;
        let mut least = f64::INFINITY;
        for &lambda in lambdas {
            let first = self.tried.len();
            self.evaluate(candidate, &[lambda], true)?;
            match self.tried.get(first) {
                Some(tried) if tried.score.mse < least => (best, least) = (Some(lambda), tried.score.mse),
                _ => break,
            }
        }
        Ok(best)
    }

    /// Changes one setting after the other until no change is better.
    pub(super) fn descend(&mut self, family: Family) -> Result<(), Stop> {
        let orders = self.orders();
        loop {
            let Some(before) = self.best_of(family) else { return Ok(()) };
            let lists = |search: &Search<'_>, best: usize| {
                let SearchConfig { fit, features, terms, numbers, .. } = search.config;
                let (features, scales, terms) = (*features, &fit.scales, terms.is_none());
                search.tried[best].candidate.neighbours(&Choices { orders: &orders, features, scales, terms, numbers })
            };
            let settings = lists(self, before).len();
            for setting in 0..settings {
                let Some(best) = self.best_of(family) else { return Ok(()) };
                for candidate in lists(self, best).get(setting).cloned().unwrap_or_default() {
                    self.attempt(&candidate, &[])?;
                }
            }
            if self.best_of(family) == Some(before) {
                return Ok(());
            }
        }
    }
}
