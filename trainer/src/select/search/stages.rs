//! The questions of a search, one after the other.

use std::ops::RangeInclusive;

use super::candidate::{Candidate, Choices, Family};
use super::trial::Search;
use super::{SearchConfig, Stop, Tried};
use crate::export::NumberFormat;
use crate::method::{Compact, Linear, MethodConfig, Terms};
use crate::sampling::SpectralLaw;
use crate::warp::Warp;

/// Candidates that meet again on all rows.
const FINALISTS: usize = 3;

/// Features that a search begins with.
const FEW: usize = 12;

/// Scales, ridge parameters and numbers of candidates that compaction begins with: refined frequencies move to where they fit,
/// drawn ones must be drawn there.
const SCALE_REFINED: f64 = 1.0;
const CANDIDATES_REFINED: usize = 300;
const LAMBDAS_REFINED: [f64; 3] = [1e-5, 1e-3, 1e-1];
const SCALES_DRAWN: [f64; 2] = [0.15, 0.6];
const LAMBDAS_DRAWN: [f64; 3] = [1e-4, 1e-3, 1e-2];

/// Ridge parameters of candidates whose frequencies are to lose inputs, as multiples of that which suits fewer features.
const LAMBDAS_SCOUTS: [f64; 4] = [10.0, 3.0, 1.0, 0.3];

/// Most steps of a refinement that a search begins with.
const REFINE: usize = 100;

/// Fewer steps are hardly worth their time.
const LEAST_STEPS: f64 = 60.0;

/// Methods that are tried beside compaction, those first that take less time, and their ridge parameters.
const OTHERS: [&str; 6] = ["fourier", "harfe", "shrimp", "srff", "gfc", "arff"];
const LAMBDAS_OF_OTHERS: [f64; 5] = [1e-6, 1e-4, 1e-2, 1e-1, 1.0];

/// More inputs than these are never looked at by one feature together, unless the orders say so.
const MOST_DENSE: usize = 16;

/// Most inputs whose warps are tried.
const MOST_WARPED: usize = 16;

/// Least ratio of an input's readings for which a warp could matter.
const LEAST_RATIO: f64 = 2.0;

/// Shares of the importance of all inputs that the least of them have together when they are left out.
const IDLE: [f64; 4] = [0.01, 0.03, 0.1, 0.2];

impl Search<'_> {
    pub(super) fn run(&mut self) -> Result<(), Stop> {
        // Linear terms cost flash and rows, floating point a core that has it: where no feature is to be had with them,
        // without.
        let featured = |candidate: &Candidate| candidate.method.tunable().features > 0;
        for number in self.numbers() {
            for terms in self.terms(number)? {
                if self.least(featured).is_none() {
                    self.start(number, terms)?;
                }
            }
            if self.least(featured).is_some() {
                break;
            }
        }
        // Inputs are looked at with few features, which takes less time; but there is a large model early.
        self.grow(Family::Refined)?;
        self.leave_out()?;
        self.warp()?;
        self.with_inputs_found()?;
        self.grow(Family::Refined)?;
        self.thin_out()?;
        self.descend(Family::Refined)?;
        let Some(found) = self.best_of_few() else { return Ok(()) };
        self.draw(&found)?;
        if self.best_of_few().is_some_and(|best| best.family() == Family::Drawn) {
            self.leave_out()?;
            self.warp()?;
            self.with_inputs_found()?;
        }
        self.grow(Family::Drawn)?;
        self.descend(Family::Drawn)?;
        let Some(found) = self.best_of_few() else { return Ok(()) };
        for name in OTHERS {
            let method = self.other(name, found.method.tunable().terms);
            self.attempt(&found.with(method), &LAMBDAS_OF_OTHERS)?;
        }
        self.descend(Family::Other)
    }

    /// Tries the best refined frequencies with the warps and without the inputs that suit few features best.
    fn with_inputs_found(&mut self) -> Result<(), Stop> {
        let (Some(found), Some(best)) = (self.best_of_few(), self.best_of(Family::Refined)) else { return Ok(()) };
        self.attempt(&found.with(self.tried[best].candidate.method.clone()), &[])
    }

    /// The terms to begin with, after the line and the mean: linear ones where the line is better, which it is not where
    /// inputs are many and rows few.
    fn terms(&mut self, number: NumberFormat) -> Result<Vec<Terms>, Stop> {
        if let Some(terms) = self.config.terms {
            self.attempt(&self.without_features(number, terms), &[])?;
            return Ok(vec![terms]);
        }
        let first = self.tried.len();
        for terms in [Terms::Linear, Terms::Intercept] {
            self.attempt(&self.without_features(number, terms), &[])?;
        }
        let best = self.tried[first..].iter().min_by(|a, b| a.score.mse.total_cmp(&b.score.mse));
        Ok(match best.map(|best| best.candidate.method.tunable().terms) {
            Some(Terms::Linear) => vec![Terms::Linear, Terms::Intercept],
            _ => vec![Terms::Intercept],
        })
    }

    fn without_features(&self, number: NumberFormat, terms: Terms) -> Candidate {
        let warps = match self.config.fit.warps.is_empty() {
            true => vec![Warp::Identity; self.data.inputs()],
            false => self.config.fit.warps.clone(),
        };
        Candidate { method: MethodConfig::Linear(Linear { terms }), warps, without: Vec::new(), number }
    }

    /// Compaction with every number of inputs per feature, refined.
    fn start(&mut self, number: NumberFormat, terms: Terms) -> Result<(), Stop> {
        let mut start = self.without_features(number, terms);
        if let Some(most) = self.config.inputs {
            let forbidden = self.forbid(&start, terms, most)?;
            start.leave_out(&forbidden);
            self.attempt(&start, &[])?;
        }
        for order in self.orders() {
            self.attempt(&start.with(self.compaction(order, terms, REFINE, SCALE_REFINED)), &LAMBDAS_REFINED)?;
        }
        Ok(())
    }

    /// Compaction with frequencies as they were drawn.
    fn draw(&mut self, found: &Candidate) -> Result<(), Stop> {
        let terms = found.method.tunable().terms;
        for scale in SCALES_DRAWN {
            let mut lambdas = LAMBDAS_DRAWN.to_vec();
            for order in self.orders() {
                let first = self.tried.len();
                self.attempt(&found.with(self.compaction(order, terms, 0, scale)), &lambdas)?;
                // What suits drawn frequencies of one number of inputs suits the others well enough to begin with.
                let had = self.tried[first..].iter().filter(|tried| tried.score.mse.is_finite());
                let best = had.min_by(|a, b| a.score.mse.total_cmp(&b.score.mse));
                lambdas =
                    best.and_then(|best| best.candidate.method.tunable().lambda).map_or(lambdas, |best| vec![best]);
            }
        }
        Ok(())
    }

    /// A method with its own settings but for those that are given, and without linear terms where those do not pay.
    fn other(&self, name: &str, found: Terms) -> MethodConfig {
        let SearchConfig { fit, features, terms, .. } = self.config;
        let varying = self.data.varying_inputs().len();
        MethodConfig::named(name).expect("it is a name").tuned(|t| {
            t.features = *features;
            t.terms = terms.unwrap_or(if found == Terms::Intercept { found } else { t.terms });
            t.order = t.order.map(|order| fit.orders.first().copied().unwrap_or(order.min(varying)));
            t.scale = t.scale.map(|scale| fit.scales.first().copied().unwrap_or(scale));
        })
    }

    /// Compares candidates that were compared on fewer rows. More rows take less penalty.
    pub(super) fn again(&mut self, finalists: &[Tried]) -> Result<(), Stop> {
        for Tried { candidate, .. } in finalists.iter().take(FINALISTS) {
            let lambda = candidate.method.tunable().lambda;
            let lambdas: Vec<f64> = lambda.iter().flat_map(|&lambda| [lambda, 0.2 * lambda]).collect();
            self.attempt(candidate, &lambdas)?;
        }
        Ok(())
    }

    /// The numbers of inputs per feature to choose from; none for all inputs that vary.
    fn orders(&self) -> Vec<Option<usize>> {
        let varying = self.data.varying_inputs().len();
        if !self.config.fit.orders.is_empty() {
            return self.config.fit.orders.iter().map(|&order| Some(order)).collect();
        }
        let sparse = [2, 3, 5, 1].into_iter().filter(|&order| order < varying).map(Some);
        sparse.chain((varying <= MOST_DENSE).then_some(None)).collect()
    }

    /// The number formats, those first that are known to keep the budget with the most numbers of inputs per feature.
    fn numbers(&self) -> Vec<NumberFormat> {
        let refused = |number: NumberFormat| {
            let terms = self.config.terms.unwrap_or(Terms::Intercept);
            let none = self.without_features(number, terms);
            let of_order = |order| none.with(self.compaction(order, terms, 0, SCALE_REFINED));
            self.orders().into_iter().filter(|&order| !self.keeps(&of_order(order))).count()
        };
        let mut numbers = self.config.numbers.clone();
        numbers.sort_by_cached_key(|&number| refused(number));
        numbers
    }

    fn compaction(&self, order: Option<usize>, terms: Terms, refine: usize, scale: f64) -> MethodConfig {
        let features = self.config.features.min(FEW);
        let scale = self.config.fit.scales.first().copied().unwrap_or(scale);
        let law = SpectralLaw::Normal { scale };
        let mut compact = Compact { features, order, terms, refine, law, ..Compact::default() };
        if refine > 0 {
            compact.candidates = CANDIDATES_REFINED;
        }
        MethodConfig::Compact(compact)
    }

    /// The least important inputs, all but so many: half of those too many are left out at a time.
    fn forbid(&mut self, start: &Candidate, terms: Terms, most: usize) -> Result<Vec<usize>, Stop> {
        let varying = self.data.varying_inputs().len();
        let order = Some(2.min(varying));
        let mut candidate = start.with(self.compaction(order, terms, REFINE, SCALE_REFINED));
        while varying - candidate.without.len() > most {
            let least = match self.by_importance(&candidate)? {
                Some(least) => least,
                None => self.by_importance(&candidate.with(start.method.clone()))?.unwrap_or_default(),
            };
            let count = (varying - candidate.without.len() - most).div_ceil(2);
            let least: Vec<usize> = least.into_iter().map(|(input, _)| input).take(count).collect();
            if least.is_empty() {
                break;
            }
            candidate.leave_out(&least);
        }
        Ok(candidate.without)
    }

    /// Tries every warp of every input by itself, of many inputs those that matter most, and keeps what is better.
    fn warp(&mut self) -> Result<(), Stop> {
        if !self.config.fit.warps.is_empty() {
            return Ok(());
        }
        let mut inputs = self.data.varying_inputs();
        if inputs.len() > MOST_WARPED {
            let Some(best) = self.best_of_few() else { return Ok(()) };
            let by_importance = self.by_importance(&best)?.unwrap_or_default();
            inputs = by_importance.into_iter().rev().take(MOST_WARPED).map(|(input, _)| input).collect();
        }
        for input in inputs {
            let column = self.all.x.column(input);
            let (least, most) = (column.min(), column.max());
            for warp in Warp::possible(column.as_slice()) {
                let Some(mut candidate) = self.best_of_few() else { return Ok(()) };
                let used = !candidate.without.contains(&input);
                if used && candidate.warps[input] != warp && most > LEAST_RATIO * least {
                    candidate.warps[input] = warp;
                    self.attempt(&candidate, &[])?;
                }
            }
        }
        Ok(())
    }

    /// Leaves out the inputs that matter least.
    fn leave_out(&mut self) -> Result<(), Stop> {
        let Some(best) = self.best_of_few() else { return Ok(()) };
        let Some(least) = self.by_importance(&best)? else { return Ok(()) };
        for share in IDLE {
            let mut sum = 0.0;
            let idle = least.iter().take_while(|(_, importance)| {
                sum += importance;
                sum <= share
            });
            let mut candidate = best.clone();
            candidate.leave_out(&idle.map(|&(input, _)| input).collect::<Vec<_>>());
            self.attempt(&candidate, &[])?;
        }
        Ok(())
    }

    /// The best candidate of as many features as a search begins with at most, but of some where there is one.
    fn best_of_few(&self) -> Option<Candidate> {
        let of = |range: RangeInclusive<usize>| self.least(|c| range.contains(&c.method.tunable().features));
        Some(self.tried[of(1..=FEW).or_else(|| of(0..=0))?].candidate.clone())
    }

    /// Takes more features while they help, with more penalty first: more of them overfit more.
    fn grow(&mut self, family: Family) -> Result<(), Stop> {
        while let Some(best) = self.best_of(family) {
            let candidate = self.tried[best].candidate.clone();
            let features = candidate.method.tunable().features;
            let most = if family == Family::Refined { self.refinable(LEAST_STEPS).max(features) } else { usize::MAX };
            let most = most.min(self.config.features).min(2 * features);
            let doubled = candidate.method.clone().tuned(|t| t.features = most);
            for factor in [3.0, 1.0] {
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
    fn thin_out(&mut self) -> Result<(), Stop> {
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
        let scouts = (first..self.tried.len()).filter(|&t| self.tried[t].scout && self.tried[t].score.mse.is_finite());
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
    fn descend(&mut self, family: Family) -> Result<(), Stop> {
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
