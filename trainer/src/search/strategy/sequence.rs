//! The order of the questions.

use crate::method::{METHODS, MethodConfig, Terms};
use crate::search::candidate::Candidate;
use crate::search::compaction::Family;
use crate::search::config::SearchConfig;
use crate::search::strategy::attempts::{Stop, Strategy};
use crate::search::trials::Trial;

/// Scales and ridge parameters of unrefined frequencies. Frequencies that are not refined must be drawn where they fit.
const SCALES_DRAWN: [f64; 2] = [0.15, 0.6];
const LAMBDAS_DRAWN: [f64; 3] = [1e-4, 1e-3, 1e-2];

/// Ridge parameters of the methods that are tried beside compaction.
const LAMBDAS_OF_OTHERS: [f64; 5] = [1e-6, 1e-4, 1e-2, 1e-1, 1.0];

/// The ratio of squared errors from which on better settings of a family are not worth their time.
const PROMISING: f64 = 4.0;

impl Strategy<'_> {
    /// Tries all candidates of a stage, again and again as long as fits may take more work than in the round before.
    pub fn run(&mut self) -> Result<(), Stop> {
        loop {
            let effort = self.effort();
            self.round()?;
            if self.effort() == effort {
                return Ok(());
            }
        }
    }

    /// Tries few features, and which inputs they use.
    pub fn run_with_few(&mut self) -> Result<(), Stop> {
        self.start()?;
        self.choose_inputs()
    }

    fn round(&mut self) -> Result<(), Stop> {
        // Inputs and settings are chosen with few features first, which takes less time. A larger budget of flash
        // starts with those of a smaller one, unless that had no room for linear terms.
        let best = self.trials.best_of(&[Family::Refined]).filter(|_| self.follows);
        let follows = best.is_some_and(|best| self.trials.candidate(best).method.tunable().terms != Terms::Intercept);
        if follows {
            self.grow(Family::Refined)?;
            self.reconsider_inputs()?;
        } else {
            self.start()?;
            self.choose_inputs()?;
            self.choose_lambda(Family::Refined)?;
        }
        self.try_rules()?;
        self.grow_with_orders(Family::Refined)?;
        if follows {
            self.choose_inputs()?;
            self.grow(Family::Refined)?;
        }
        self.reconsider_inputs()?;
        self.prune()?;
        self.prune_largest()?;
        self.choose_lambda(Family::Pruned)?;
        self.grow(Family::Pruned)?;
        self.descend(&[Family::Refined, Family::Pruned])?;
        let Some(best) = self.trials.best_small() else { return Ok(()) };
        self.try_drawn(&self.candidate(best))?;
        if self.trials.best_small().is_some_and(|best| self.trials.candidate(best).family() == Family::Drawn) {
            self.choose_inputs()?;
            self.try_found_inputs()?;
        }
        self.grow(Family::Drawn)?;
        if self.is_promising(Family::Drawn) {
            self.descend(&[Family::Drawn])?;
        }
        let Some(best) = self.trials.best_small() else { return Ok(()) };
        let best = self.candidate(best);
        let others = self.others(&best, false);
        self.foresee(others.iter().map(|candidate| (candidate.clone(), LAMBDAS_OF_OTHERS.to_vec())));
        for candidate in others {
            self.attempt(&candidate, &LAMBDAS_OF_OTHERS)?;
        }
        if self.is_promising(Family::Other) {
            self.descend(&[Family::Other])?;
        }
        Ok(())
    }

    /// Tries rules before features grow: fits of rules take little work, and win by far where the target has steps.
    fn try_rules(&mut self) -> Result<(), Stop> {
        if self.config.smooth || !self.config.budget.takes_rules() {
            return Ok(());
        }
        let Some(best) = self.trials.best_small() else { return Ok(()) };
        for candidate in self.others(&self.candidate(best), true) {
            self.attempt(&candidate, &LAMBDAS_OF_OTHERS)?;
        }
        Ok(())
    }

    /// Returns the methods that a search tries beside compaction, those with rules or those with features, with the
    /// inputs of a candidate.
    fn others(&self, best: &Candidate, rules: bool) -> Vec<Candidate> {
        let rows = METHODS.iter().filter(|row| row.searched && row.config().method().has_rules() == rules);
        rows.map(|row| best.with(self.other(row.config(), best.method.tunable().terms))).collect()
    }

    /// Tries more features, with other numbers of inputs per feature and other λ.
    fn grow_with_orders(&mut self, family: Family) -> Result<(), Stop> {
        self.grow(family)?;
        self.choose_order(family)?;
        self.grow(family)?;
        self.choose_lambda(family)
    }

    /// Returns whether better settings may bring a family to the error of the best candidate.
    fn is_promising(&self, family: Family) -> bool {
        let mse = |best: Option<usize>| best.map(|index| self.trials.get(index).score.mse);
        mse(self.trials.best_of(&[family])).zip(mse(self.trials.best(|_| true))).is_some_and(|(a, b)| a < PROMISING * b)
    }

    /// Compares the finalists on all rows. Then it goes on with the best of them: more rows allow more features and
    /// another penalty.
    pub fn continue_with(&mut self, finalists: &[Trial]) -> Result<(), Stop> {
        self.foresee(finalists.iter().map(|finalist| (finalist.candidate.clone(), Vec::new())));
        for finalist in finalists {
            self.attempt(&finalist.candidate, &[])?;
        }
        let family = self.trials.best(|_| true).map(|best| self.trials.candidate(best).family());
        match family {
            Some(family @ (Family::Refined | Family::Pruned | Family::Drawn)) => self.grow_with_orders(family),
            _ => Ok(()),
        }
    }

    /// Tries compaction with unrefined frequencies.
    fn try_drawn(&mut self, best: &Candidate) -> Result<(), Stop> {
        let terms = best.method.tunable().terms;
        for scale in SCALES_DRAWN {
            let mut lambdas = LAMBDAS_DRAWN.to_vec();
            for (place, order) in self.orders(&best.without).into_iter().enumerate() {
                if place == 1 {
                    let others = self.orders(&best.without).into_iter().skip(1);
                    let drawn = |order| (best.with(self.drawn(order, terms, scale)), lambdas.clone());
                    let next: Vec<_> = others.map(drawn).collect();
                    self.foresee(next);
                }
                let indices = self.attempt(&best.with(self.drawn(order, terms, scale)), &lambdas)?;
                // The best λ of one order is close enough for the other orders.
                let best = self.trials.best_at(&indices);
                let lambda = best.and_then(|best| self.trials.candidate(best).method.tunable().lambda);
                lambdas = lambda.map_or(lambdas, |lambda| vec![lambda]);
            }
        }
        Ok(())
    }

    /// Returns a method with its default settings, except for the given ones, and without linear terms where those do
    /// not pay.
    fn other(&self, method: MethodConfig, found: Terms) -> MethodConfig {
        let SearchConfig { fit, features, terms, .. } = self.config;
        let varying = self.sample.compared.varying_inputs().len();
        method.tuned(|t| {
            t.features = *features;
            t.terms = terms.unwrap_or(if found == Terms::Intercept { found } else { t.terms });
            t.order = t.order.map(|order| fit.grid.orders.first().copied().unwrap_or(order.min(varying)));
            t.scale = t.scale.map(|scale| fit.grid.scales.first().copied().unwrap_or(scale));
        })
    }
}
