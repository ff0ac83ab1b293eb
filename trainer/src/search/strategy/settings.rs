//! The settings of a model: λ, and every other setting by coordinate descent.

use crate::search::candidate::{Candidate, Choices};
use crate::search::compaction::{FEW, Family};
use crate::search::config::SearchConfig;
use crate::search::strategy::attempts::{Stop, Strategy};

/// The share of the squared error before a round of changes. A round that leaves more has gained no more than chance
/// gives.
const LITTLE: f64 = 0.99;

/// Multiples of the ridge parameter of least squares that are tried with Huber's loss. With large residuals clipped, a
/// smaller penalty is enough.
const LAMBDA_FACTORS_OF_HUBER: [f64; 3] = [1.0, 0.1, 0.01];

/// The ratio of the ridge parameters that are tried with more inputs per feature; its inverse with fewer.
const FACTOR_OF_ORDERS: f64 = 100.0;

/// The amplitude and the phase of a feature.
const PARAMETERS_BESIDE_WEIGHTS: usize = 2;

impl Strategy<'_> {
    /// Follows λ down and up while that helps, in large steps and then in small ones.
    pub fn choose_lambda(&mut self, family: Family) -> Result<(), Stop> {
        let Some(mut best) = self.trials.best_of(&[family]) else { return Ok(()) };
        for factor in [0.1, 10.0, 0.3, 3.0] {
            loop {
                let candidate = self.candidate(best);
                let penalised = candidate.method.clone().tuned(|t| t.lambda = t.lambda.map(|lambda| factor * lambda));
                let better = self.improve(best, &candidate.with(penalised))?;
                if better == best {
                    break;
                }
                best = better;
            }
        }
        Ok(())
    }

    /// Tries Huber's loss where the residuals of the best candidate have heavy tails.
    pub fn choose_loss(&mut self) -> Result<(), Stop> {
        let Some(best) = self.trials.best(|_| true).filter(|&best| self.has_heavy_tails(best)) else { return Ok(()) };
        let family = self.trials.candidate(best).family();
        // Huber's loss is tried with other λ as well, so least squares gets its best λ first.
        self.choose_lambda(family)?;
        let candidate = self.candidate(self.trials.best_of(&[family]).unwrap_or(best));
        if candidate.method.setting::<f64>("huber").is_some() {
            return Ok(()); // The descent tries the way back.
        }
        for robust in candidate.other_losses() {
            let own = robust.method.tunable().lambda.unwrap_or_default();
            let mut lambdas = LAMBDA_FACTORS_OF_HUBER.map(|factor| factor * own).to_vec();
            lambdas.dedup();
            self.attempt(&robust, &lambdas)?;
        }
        Ok(())
    }

    /// Returns whether Huber's loss may be better than least squares for the candidate of a trial.
    fn has_heavy_tails(&self, index: usize) -> bool {
        self.config.robust && self.trials.get(index).heavy_tails
    }

    /// Tries other numbers of inputs per feature, since those that suit few features may not suit many. Models have as
    /// many parameters as the best one, and at least as many features as it where these are few.
    pub fn choose_order(&mut self, family: Family) -> Result<(), Stop> {
        let Some(best) = self.trials.best_of(&[family]) else { return Ok(()) };
        let best = self.candidate(best);
        let (settings, inputs) = (best.method.tunable(), self.sample.inputs(&best.without));
        let parameters = |order: Option<usize>| order.unwrap_or(inputs).min(inputs) + PARAMETERS_BESIDE_WEIGHTS;
        let (own, most) = (parameters(settings.order), self.most_features(family));
        let of_order = |order| {
            let features = (settings.features * own / parameters(order)).max(settings.features.min(FEW)).min(most);
            // More weights in a feature need a larger penalty.
            let factor = if parameters(order) > own { FACTOR_OF_ORDERS } else { 1.0 / FACTOR_OF_ORDERS };
            let lambdas = settings.lambda.iter().flat_map(|lambda| [*lambda, factor * lambda]).collect();
            (best.with(best.method.clone().tuned(|t| (t.order, t.features) = (order, features))), lambdas)
        };
        let others = self.orders(&best.without).into_iter().filter(|&order| order != settings.order);
        let candidates: Vec<(Candidate, Vec<f64>)> = others.map(of_order).collect();
        self.foresee(candidates.iter().cloned());
        for (candidate, lambdas) in candidates {
            self.attempt(&candidate, &lambdas)?;
        }
        Ok(())
    }

    /// Changes one setting after the other as long as a round of changes lowers the error by more than a little.
    pub fn descend(&mut self, families: &[Family]) -> Result<(), Stop> {
        loop {
            let Some(before) = self.trials.best_of(families) else { return Ok(()) };
            let lists = |strategy: &Strategy<'_>, best: usize| {
                let SearchConfig { fit, features, terms, numbers, .. } = strategy.config;
                let candidate = strategy.trials.candidate(best);
                let orders = &strategy.orders(&candidate.without);
                let (features, scales, terms) = (*features, &fit.grid.scales, terms.is_none());
                let heavy_tails = strategy.has_heavy_tails(best);
                candidate.neighbours(&Choices { orders, features, scales, terms, heavy_tails, numbers })
            };
            let settings = lists(self, before).len();
            for setting in 0..settings {
                let Some(best) = self.trials.best_of(families) else { return Ok(()) };
                let candidates = lists(self, best).get(setting).cloned().unwrap_or_default();
                self.foresee(candidates.iter().map(|candidate| (candidate.clone(), Vec::new())));
                for candidate in candidates {
                    self.attempt(&candidate, &[])?;
                }
            }
            let loss = |index: usize| self.trials.get(index).score.mse;
            if self.trials.best_of(families).is_none_or(|best| loss(best) >= LITTLE * loss(before)) {
                return Ok(());
            }
        }
    }
}
