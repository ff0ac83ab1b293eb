//! How many features a model has, and which weights can be pruned.

use crate::search::candidate::Candidate;
use crate::search::compaction::{self, FEW, Family};
use crate::search::strategy::attempts::{Stop, Strategy};

/// Ridge parameters of candidates whose weights are to be pruned, as multiples of the best λ of fewer features,
/// descending.
const LAMBDA_FACTORS: [f64; 3] = [6.0, 2.0, 0.6];

/// The smallest number of refinement steps that is worth its time.
const LEAST_STEPS: f64 = 60.0;

/// The least growth of the number of features that is tried, as a divisor of the number.
const LEAST_GROWTH: usize = 8;

/// The number of inputs that is left of a feature after pruning.
const PAIR: usize = 2;

impl Strategy<'_> {
    /// Returns the largest number of features of a family that a fit may have.
    pub fn most_features(&self, family: Family) -> usize {
        let effort = self.effort();
        let limited = family != Family::Drawn && !self.has_all_rows();
        let refinable = if limited { effort.refinable(LEAST_STEPS) } else { usize::MAX };
        refinable.min(effort.distinguishable()).min(self.config.features).max(1)
    }

    /// Doubles the number of features while that helps, with the same λ first. Where that takes too long on all rows,
    /// the number grows by less.
    pub fn grow(&mut self, family: Family) -> Result<(), Stop> {
        let Some(mut best) = self.trials.best_of(&[family]) else { return Ok(()) };
        let most = self.most_features(family);
        loop {
            let own = self.candidate(best);
            let features = own.features();
            let mut next = most.min(2 * features);
            if self.has_all_rows() {
                next = self.affordable(&own, next);
            }
            if next <= features {
                return Ok(());
            }
            let grown = self.enlarge(best, next)?;
            let candidate = self.trials.candidate(grown);
            let enough = candidate.features() >= next || candidate.number != own.number;
            if grown == best || !enough {
                return Ok(()); // More features do not help, or the budget allows no more.
            }
            best = grown;
        }
    }

    /// Returns at most `most` features for a candidate on all rows: as many as the budget, the time and the work of the
    /// stage allow. A small gain of features is not worth a fit to all rows, and is none.
    fn affordable(&mut self, candidate: &Candidate, most: usize) -> usize {
        let features = candidate.features();
        let least = features + features / LEAST_GROWTH;
        let larger = enlarged(candidate, most, 1.0);
        let within = match larger.family() {
            Family::Pruned => most,
            _ => self.evaluator.features_within_budget(&larger).unwrap_or(features),
        };
        let mut next = most.min(within);
        while next > least {
            let larger = enlarged(candidate, next, 1.0);
            if !self.is_late(&larger) && !self.is_far_beyond(&larger) {
                return next;
            }
            next = features + (next - features) / 2;
            self.shortened = true;
        }
        features
    }

    /// Tries a candidate with more features, or with as many of them as the budget allows. Returns the index of the
    /// best.
    fn enlarge(&mut self, index: usize, features: usize) -> Result<usize, Stop> {
        let candidate = self.candidate(index);
        let (family, number) = (candidate.family(), candidate.number);
        // The λ of few features may be too large or too small for many. For pruned models trying all factors takes too
        // long.
        let factors: &[f64] = if family == Family::Pruned { &[1.0, 0.3] } else { &[1.0, 10.0, 100.0, 0.3] };
        let mut best = index;
        for &factor in factors {
            best = self.improve(index, &enlarged(&candidate, features, factor))?;
            if best != index {
                break;
            }
        }
        let large = |c: &Candidate| c.family() == family && c.number == number && c.features() >= features;
        if !self.trials.all().iter().any(|trial| !trial.over_budget && large(&trial.candidate)) {
            // Another number format may allow as many features.
            for &other in self.config.numbers.iter().filter(|&&other| other != number) {
                best = self.improve(best, &Candidate { number: other, ..enlarged(&candidate, features, 1.0) })?;
            }
        }
        Ok(best)
    }

    /// Prunes the weights of few features of many inputs, so that the budget allows more of them.
    ///
    /// Other settings are chosen without pruning first, because pruning takes longer than everything else.
    pub fn prune(&mut self) -> Result<(), Stop> {
        let Some(best) = self.trials.best(|c| c.family() == Family::Refined && c.is_small()) else { return Ok(()) };
        let best = self.candidate(best);
        if self.sample.inputs(&best.without) <= PAIR {
            return Ok(());
        }
        // As many features as the budget allows of two inputs each, which is about what pruning leaves.
        let sparse = best.method.clone().tuned(|t| (t.order, t.features) = (Some(PAIR), self.config.features));
        let Ok(most) = self.evaluator.features_within_budget(&best.with(sparse)) else { return Ok(()) };
        let most = most.min(self.effort().refinable(LEAST_STEPS)).clamp(1, 2 * FEW);
        let own = best.method.tunable().lambda.unwrap_or_default();
        let mut lambdas = LAMBDA_FACTORS.map(|factor| factor * own).to_vec();
        let given = &self.config.fit.grid.lambdas;
        if !given.is_empty() {
            lambdas.clone_from(given);
            lambdas.sort_by(|a, b| b.total_cmp(a));
        }
        let mut explored = Vec::new();
        let more = |order: &Option<usize>| order.is_none_or(|order| order > PAIR);
        for order in self.orders(&best.without).into_iter().rev().filter(more) {
            let method = best.method.clone().tuned(|t| (t.order, t.features) = (order, most));
            if let Some(index) = self.explore_lambdas(&best.with(method), &lambdas)? {
                lambdas = self.trials.candidate(index).method.tunable().lambda.into_iter().collect();
                explored.push(index);
            }
        }
        let Some(start) = self.trials.best_at(&explored) else { return Ok(()) };
        let start = self.candidate(start);
        let pruned = [(1, 0.02), (3, 0.01), (1, 0.1)].map(|(steps, share)| {
            start.with(compaction::edited(start.method.clone(), |compact| {
                (compact.refine, compact.sparsify) = (steps * compact.refine, Some(share));
            }))
        });
        self.foresee(pruned.iter().map(|candidate| (candidate.clone(), Vec::new())));
        for candidate in pruned {
            self.attempt(&candidate, &[])?;
        }
        Ok(())
    }

    /// Prunes the weights of the best large model as well, with the best share of the small ones.
    pub fn prune_largest(&mut self) -> Result<(), Stop> {
        let best = |family| self.trials.best_of(&[family]).map(|best| self.candidate(best));
        let (Some(grown), Some(pruned)) = (best(Family::Refined), best(Family::Pruned)) else { return Ok(()) };
        let share = compaction::settings(&pruned.method).and_then(|compact| compact.sparsify);
        let method = compaction::edited(grown.method.clone(), |compact| compact.sparsify = share);
        self.attempt(&grown.with(method), &[])?;
        Ok(())
    }

    /// Tries a candidate of any size with a descending list of λ until the error rises. Returns the index of the best;
    /// none if there is no model.
    fn explore_lambdas(&mut self, candidate: &Candidate, lambdas: &[f64]) -> Result<Option<usize>, Stop> {
        let mut best = None;
        for &lambda in lambdas {
            let tuned = candidate.method.clone().tuned(|t| t.lambda = Some(lambda));
            let indices: Vec<usize> = best.into_iter().chain(self.explore(&candidate.with(tuned))?).collect();
            let better = self.trials.best_at(&indices);
            if better == best {
                break;
            }
            best = better;
        }
        Ok(best)
    }
}

/// Returns a candidate with another number of features and a multiple of its λ.
fn enlarged(candidate: &Candidate, features: usize, factor: f64) -> Candidate {
    let method = candidate.method.clone();
    candidate.with(method.tuned(|t| (t.features, t.lambda) = (features, t.lambda.map(|lambda| factor * lambda))))
}
