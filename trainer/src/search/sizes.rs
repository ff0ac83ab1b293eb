//! How many features a model has, which weights they can do without, and every other setting.

use crate::method::MethodConfig;
use crate::method::compact::Compact;
use crate::search::candidate::{Candidate, Choices, Family};
use crate::search::stages::FEW;
use crate::search::trial::Search;
use crate::search::{SearchConfig, Stop};

/// Ridge parameters of candidates whose frequencies are to lose inputs, as multiples of that which suits fewer features.
const LAMBDAS_SCOUTS: [f64; 3] = [6.0, 2.0, 0.6];

/// Fewer steps are hardly worth their time.
const LEAST_STEPS: f64 = 60.0;

/// Share of the squared error before, above which a round of changes has gained no more than chance gives.
const LITTLE: f64 = 0.99;

impl Search<'_> {
    /// Takes more features while they help, up to some, with the same λ first.
    pub(crate) fn grow(&mut self, family: Family, most: usize) -> Result<(), Stop> {
        let Some(mut best) = self.best_of(&[family]) else { return Ok(()) };
        loop {
            let features = self.tried[best].candidate.features();
            let refinable = if family == Family::Drawn { usize::MAX } else { self.refinable(LEAST_STEPS) };
            let tellable = (self.data.rows() / 2).max(1);
            let most = most.min(refinable).min(tellable).min(self.config.features).min(2 * features);
            if most <= features {
                return Ok(());
            }
            let grown = self.enlarge(best, most)?;
            let candidate = &self.tried[grown].candidate;
            let enough = candidate.features() >= most || candidate.number != self.tried[best].candidate.number;
            if grown == best || !enough {
                return Ok(()); // no better, or all that the budget allows
            }
            best = grown;
        }
    }

    /// Tries a candidate with more features, or with as many of them as there is room for; the place of the best.
    fn enlarge(&mut self, place: usize, features: usize) -> Result<usize, Stop> {
        let candidate = self.tried[place].candidate.clone();
        let (family, number) = (candidate.family(), candidate.number);
        let enlarged = |factor: f64| {
            let method = candidate.method.clone();
            candidate
                .with(method.tuned(|t| (t.features, t.lambda) = (features, t.lambda.map(|lambda| factor * lambda))))
        };
        // What suits few features may be too much for many, or too little; thinned ones take too long to find out both.
        let factors: &[f64] = if family == Family::Thinned { &[1.0, 0.3] } else { &[1.0, 0.3, 10.0, 100.0] };
        let mut best = place;
        for &factor in factors {
            best = self.improve(place, &enlarged(factor))?;
            if best != place {
                break;
            }
        }
        let roomy = |c: &Candidate| c.family() == family && c.number == number && c.features() >= features;
        if !self.tried.iter().any(|tried| !tried.scout && roomy(&tried.candidate)) {
            // Where one number format has no room for them another one may have.
            for &other in self.config.numbers.iter().filter(|&&other| other != number) {
                best = self.improve(best, &Candidate { number: other, ..enlarged(1.0) })?;
            }
        }
        Ok(best)
    }

    /// Follows λ down and up while it helps, in large steps and then in small ones.
    pub(crate) fn penalise(&mut self, family: Family) -> Result<(), Stop> {
        let Some(mut best) = self.best_of(&[family]) else { return Ok(()) };
        for factor in [0.1, 10.0, 0.3, 3.0] {
            loop {
                let candidate = self.tried[best].candidate.clone();
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

    /// Takes weights out of few frequencies of many inputs, so that more of them keep the budget.
    ///
    /// Settings are chosen first without that, which takes longer than everything else.
    pub(crate) fn thin_out(&mut self) -> Result<(), Stop> {
        /// Inputs of a feature after it has lost some.
        const PAIR: usize = 2;
        let few = self.least(|c| c.family() == Family::Refined && c.few());
        let Some(best) = few else { return Ok(()) };
        let best = self.tried[best].candidate.clone();
        if self.inputs(&best.without) <= PAIR {
            return Ok(());
        }
        // As many features as there is room for of two inputs each, which is about what is left of them.
        let sparse = best.method.clone().tuned(|t| (t.order, t.features) = (Some(PAIR), self.config.features));
        let (data, config) = self.posed(self.data, &best.with(sparse));
        let Ok(most) = self.config.budget.features(&data, &config, data.classes.is_empty()) else { return Ok(()) };
        let most = most.min(self.refinable(LEAST_STEPS)).clamp(1, 2 * FEW);
        let own = best.method.tunable().lambda.unwrap_or_default();
        let mut lambdas = LAMBDAS_SCOUTS.map(|factor| factor * own).to_vec();
        if !self.config.fit.grid.lambdas.is_empty() {
            lambdas.clone_from(&self.config.fit.grid.lambdas);
            lambdas.sort_by(|a, b| b.total_cmp(a));
        }
        let mut scouts = Vec::new();
        let more = |order: &Option<usize>| order.is_none_or(|order| order > PAIR);
        for order in self.orders(&best.without).into_iter().rev().filter(more) {
            let method = best.method.clone().tuned(|t| (t.order, t.features) = (order, most));
            if let Some(scout) = self.scouted(&best.with(method), &lambdas)? {
                lambdas = self.tried[scout].candidate.method.tunable().lambda.into_iter().collect();
                scouts.push(scout);
            }
        }
        let Some(scout) = self.best_at(&scouts) else { return Ok(()) };
        let scout = self.tried[scout].candidate.clone();
        let Some(compact) = scout.method.downcast::<Compact>() else { return Ok(()) };
        for (refine, share) in [(1, 0.02), (3, 0.01), (1, 0.1)] {
            let (refine, sparsify) = (refine * compact.refine, Some(share));
            self.attempt(
                &scout.with(MethodConfig::new("compact", Compact { refine, sparsify, ..compact.clone() })),
                &[],
            )?;
        }
        Ok(())
    }

    /// Takes weights out of the best of those that were grown as well, with the λ that suits them.
    pub(crate) fn thin_out_grown(&mut self) -> Result<(), Stop> {
        let best = |family| self.best_of(&[family]).map(|best| self.tried[best].candidate.clone());
        let (Some(grown), Some(thinned)) = (best(Family::Refined), best(Family::Thinned)) else { return Ok(()) };
        let (Some(method), Some(Compact { sparsify, .. })) =
            (grown.method.downcast::<Compact>(), thinned.method.downcast::<Compact>())
        else {
            return Ok(());
        };
        self.attempt(
            &grown.with(MethodConfig::new("compact", Compact { sparsify: *sparsify, ..method.clone() })),
            &[],
        )?;
        Ok(())
    }

    /// The place of a scout with the best λ of a descending list that is gone through until it gets worse; none where no model
    /// can be had.
    fn scouted(&mut self, candidate: &Candidate, lambdas: &[f64]) -> Result<Option<usize>, Stop> {
        let mut best = None;
        for &lambda in lambdas {
            let tuned = candidate.method.clone().tuned(|t| t.lambda = Some(lambda));
            let places: Vec<usize> = best.into_iter().chain(self.scout(&candidate.with(tuned))?).collect();
            let better = self.best_at(&places);
            if better == best {
                break;
            }
            best = better;
        }
        Ok(best)
    }

    /// Changes one setting after the other as long as that helps by more than a little.
    pub(crate) fn descend(&mut self, families: &[Family]) -> Result<(), Stop> {
        loop {
            let Some(before) = self.best_of(families) else { return Ok(()) };
            let lists = |search: &Search<'_>, best: usize| {
                let SearchConfig { fit, features, terms, numbers, .. } = search.config;
                let candidate = &search.tried[best].candidate;
                let orders = &search.orders(&candidate.without);
                let (features, scales, terms) = (*features, &fit.grid.scales, terms.is_none());
                candidate.neighbours(&Choices { orders, features, scales, terms, numbers })
            };
            let settings = lists(self, before).len();
            for setting in 0..settings {
                let Some(best) = self.best_of(families) else { return Ok(()) };
                for candidate in lists(self, best).get(setting).cloned().unwrap_or_default() {
                    self.attempt(&candidate, &[])?;
                }
            }
            let loss = |place: usize| self.tried[place].score.mse;
            if self.best_of(families).is_none_or(|best| loss(best) >= LITTLE * loss(before)) {
                return Ok(());
            }
        }
    }
}
