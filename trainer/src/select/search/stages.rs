//! The questions of a search, one after the other.

use std::ops::RangeInclusive;

use super::candidate::{Candidate, Family};
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

/// Most steps of a refinement that a search begins with.
pub(super) const REFINE: usize = 100;

/// Methods that are tried beside compaction, those first that take less time, and their ridge parameters.
const OTHERS: [&str; 6] = ["fourier", "harfe", "shrimp", "srff", "gfc", "arff"];
const LAMBDAS_OF_OTHERS: [f64; 5] = [1e-6, 1e-4, 1e-2, 1e-1, 1.0];

/// More inputs than these are never looked at by one feature together, unless the orders say so.
const MOST_DENSE: usize = 16;

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
            self.attempt(&start.with(self.refined(order, terms)), &LAMBDAS_REFINED)?;
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
    pub(super) fn orders(&self) -> Vec<Option<usize>> {
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

    /// Compaction of few features with refined frequencies.
    pub(super) fn refined(&self, order: Option<usize>, terms: Terms) -> MethodConfig {
        self.compaction(order, terms, REFINE, SCALE_REFINED)
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

    /// The best candidate of as many features as a search begins with at most, but of some where there is one.
    pub(super) fn best_of_few(&self) -> Option<Candidate> {
        let of = |range: RangeInclusive<usize>| self.least(|c| range.contains(&c.method.tunable().features));
        Some(self.tried[of(1..=FEW).or_else(|| of(0..=0))?].candidate.clone())
    }
}
