//! The questions of a search, one after the other.

use crate::export::NumberFormat;
use crate::method::compact::Compact;
use crate::method::linear::Linear;
use crate::method::{METHODS, MethodConfig, Terms};
use crate::sampling::SpectralLaw;
use crate::search::candidate::{Candidate, Family};
use crate::search::trial::Search;
use crate::search::{SearchConfig, Stop, Tried};
use crate::warp::Warp;

/// Candidates that meet again on all rows.
const FINALISTS: usize = 3;

/// Features that a search begins with.
pub(crate) const FEW: usize = 12;

/// Features that take little time still.
const MORE: usize = 4 * FEW;

/// Scales, ridge parameters and numbers of candidates that compaction begins with: refined frequencies move to where they fit,
/// drawn ones must be drawn there.
const SCALE_REFINED: f64 = 1.0;
const CANDIDATES_REFINED: usize = 300;
const LAMBDAS_REFINED: [f64; 4] = [1e-7, 1e-5, 1e-3, 1e-1];
const SCALES_DRAWN: [f64; 2] = [0.15, 0.6];
const LAMBDAS_DRAWN: [f64; 3] = [1e-4, 1e-3, 1e-2];

/// Smoothness that compaction begins with: a penalty on curvature, with the λ that suits it, gave 5 % less error than ridge
/// regression on airfoil self-noise, 30 % less on Friedman 2 of 200 rows, and no more on elevators.
pub(crate) const SMOOTHNESS: f64 = 2.0;

/// Most steps of a refinement that a search begins with.
const REFINE: usize = 100;

/// Ridge parameters of the methods that are tried beside compaction.
const LAMBDAS_OF_OTHERS: [f64; 5] = [1e-6, 1e-4, 1e-2, 1e-1, 1.0];

/// More inputs than these are never looked at by one feature together, unless the orders say so.
const MOST_DENSE: usize = 16;

impl Search<'_> {
    pub(crate) fn run(&mut self) -> Result<(), Stop> {
        self.begin()?;
        // Small first: inputs and settings are looked at with few features, which takes less time, and more flash allows more
        // features of what less flash allows.
        self.leave_out()?;
        self.warp()?;
        self.leave_out()?;
        self.penalise(Family::Refined)?;
        // What takes long comes after what takes less, so that large budgets do not use up the time of small models.
        self.grow(Family::Refined, MORE)?;
        self.penalise(Family::Refined)?;
        self.with_all_inputs()?;
        self.thin_out()?;
        self.grow(Family::Refined, usize::MAX)?;
        self.thin_out_grown()?;
        self.penalise(Family::Thinned)?;
        self.grow(Family::Thinned, usize::MAX)?;
        self.descend(&[Family::Refined, Family::Thinned])?;
        let Some(found) = self.best_of_few() else { return Ok(()) };
        self.draw(&self.tried[found].candidate.clone())?;
        if self.best_of_few().is_some_and(|best| self.tried[best].candidate.family() == Family::Drawn) {
            self.leave_out()?;
            self.warp()?;
            self.with_inputs_found()?;
        }
        self.grow(Family::Drawn, usize::MAX)?;
        self.descend(&[Family::Drawn])?;
        let Some(found) = self.best_of_few() else { return Ok(()) };
        let found = self.tried[found].candidate.clone();
        for other in METHODS.iter().filter(|method| method.searched) {
            let method = self.other(other.config(), found.method.tunable().terms);
            self.attempt(&found.with(method), &LAMBDAS_OF_OTHERS)?;
        }
        self.descend(&[Family::Other])
    }

    /// Compaction of few features in the first number format that holds most of it.
    fn begin(&mut self) -> Result<(), Stop> {
        for number in self.numbers() {
            let mut places = Vec::new();
            // Linear terms cost flash and rows: where no feature is to be had with them, without.
            for terms in self.terms(number)? {
                if self.held(&places).0 == 0 {
                    places.extend(self.start(number, terms)?);
                }
            }
            // Inputs that vary in few rows ask for more digits than floating point has; the phases of integers wrap.
            let (held, lost) = self.held(&places);
            if held > 0 && held >= lost {
                break;
            }
        }
        Ok(())
    }

    /// How many candidates with features the device holds of those at some places, and how many it does not.
    fn held(&self, places: &[usize]) -> (usize, usize) {
        let featured = places.iter().map(|&place| &self.tried[place]).filter(|tried| tried.candidate.features() > 0);
        let (held, lost): (Vec<&Tried>, Vec<&Tried>) = featured.partition(|tried| tried.score.mse.is_finite());
        (held.len(), lost.len())
    }

    /// The terms to begin with, after the line and the mean: linear ones where the line is better, which it is not where
    /// inputs are many and rows few.
    fn terms(&mut self, number: NumberFormat) -> Result<Vec<Terms>, Stop> {
        if let Some(terms) = self.config.terms {
            self.attempt(&self.without_features(number, terms), &[])?;
            return Ok(vec![terms]);
        }
        let mut places = Vec::new();
        for terms in [Terms::Linear, Terms::Intercept] {
            places.extend(self.attempt(&self.without_features(number, terms), &[])?);
        }
        Ok(match self.best_at(&places).map(|best| self.tried[best].candidate.method.tunable().terms) {
            Some(Terms::Linear) => vec![Terms::Linear, Terms::Intercept],
            _ => vec![Terms::Intercept],
        })
    }

    pub(crate) fn without_features(&self, number: NumberFormat, terms: Terms) -> Candidate {
        let warps = match self.config.fit.preprocessing.warps.is_empty() {
            true => vec![Warp::Identity; self.data.inputs()],
            false => self.config.fit.preprocessing.warps.clone(),
        };
        Candidate { method: MethodConfig::new("linear", Linear { terms }), warps, without: self.unseen(), number }
    }

    /// Compaction with every number of inputs per feature, refined.
    fn start(&mut self, number: NumberFormat, terms: Terms) -> Result<Vec<usize>, Stop> {
        let mut start = self.without_features(number, terms);
        if let Some(most) = self.config.inputs {
            let forbidden = self.forbid(&start, terms, most)?;
            start.leave_out(&forbidden);
            self.attempt(&start, &[])?;
        }
        let mut places = Vec::new();
        for order in self.orders(&start.without) {
            places.extend(self.attempt(&start.with(self.refined(order, terms)), &LAMBDAS_REFINED)?);
        }
        Ok(places)
    }

    /// Compaction with frequencies as they were drawn.
    fn draw(&mut self, found: &Candidate) -> Result<(), Stop> {
        let terms = found.method.tunable().terms;
        for scale in SCALES_DRAWN {
            let mut lambdas = LAMBDAS_DRAWN.to_vec();
            for order in self.orders(&found.without) {
                let places = self.attempt(&found.with(self.compaction(order, terms, 0, scale)), &lambdas)?;
                // What suits drawn frequencies of one number of inputs suits the others well enough to begin with.
                let best = self.best_at(&places).and_then(|best| self.tried[best].candidate.method.tunable().lambda);
                lambdas = best.map_or(lambdas, |best| vec![best]);
            }
        }
        Ok(())
    }

    /// A method with its own settings but for those that are given, and without linear terms where those do not pay.
    fn other(&self, method: MethodConfig, found: Terms) -> MethodConfig {
        let SearchConfig { fit, features, terms, .. } = self.config;
        let varying = self.data.varying_inputs().len();
        method.tuned(|t| {
            t.features = *features;
            t.terms = terms.unwrap_or(if found == Terms::Intercept { found } else { t.terms });
            t.order = t.order.map(|order| fit.grid.orders.first().copied().unwrap_or(order.min(varying)));
            t.scale = t.scale.map(|scale| fit.grid.scales.first().copied().unwrap_or(scale));
        })
    }

    /// Compares candidates that were compared on fewer rows. More rows take less penalty.
    pub(crate) fn again(&mut self, finalists: &[Tried]) -> Result<(), Stop> {
        for Tried { candidate, .. } in finalists.iter().take(FINALISTS) {
            let lambda = candidate.method.tunable().lambda;
            let lambdas: Vec<f64> = lambda.iter().flat_map(|&lambda| [lambda, 0.2 * lambda]).collect();
            self.attempt(candidate, &lambdas)?;
        }
        Ok(())
    }

    /// The numbers of inputs per feature to choose from for a candidate; none for all inputs that it looks at.
    pub(crate) fn orders(&self, without: &[usize]) -> Vec<Option<usize>> {
        let inputs = self.inputs(without);
        if !self.config.fit.grid.orders.is_empty() {
            return self.config.fit.grid.orders.iter().map(|&order| Some(order)).collect();
        }
        let sparse = [2, 3, 5, 1].into_iter().filter(|&order| order < inputs).map(Some);
        sparse.chain((inputs <= MOST_DENSE).then_some(None)).collect()
    }

    /// The number formats, those first that are known to keep the budget with the most numbers of inputs per feature.
    fn numbers(&self) -> Vec<NumberFormat> {
        let refused = |number: NumberFormat| {
            let terms = self.config.terms.unwrap_or(Terms::Intercept);
            let none = self.without_features(number, terms);
            let of_order = |order| none.with(self.compaction(order, terms, 0, SCALE_REFINED));
            self.orders(&[]).into_iter().filter(|&order| !self.keeps(&of_order(order))).count()
        };
        let mut numbers = self.config.numbers.clone();
        numbers.sort_by_cached_key(|&number| refused(number));
        numbers
    }

    /// Compaction of few features with refined frequencies.
    pub(crate) fn refined(&self, order: Option<usize>, terms: Terms) -> MethodConfig {
        self.compaction(order, terms, REFINE, SCALE_REFINED)
    }

    fn compaction(&self, order: Option<usize>, terms: Terms, refine: usize, scale: f64) -> MethodConfig {
        let features = self.config.features.min(FEW);
        let scale = self.config.fit.grid.scales.first().copied().unwrap_or(scale);
        let law = SpectralLaw::Normal { scale };
        let mut compact = Compact { features, order, terms, refine, law, smoothness: SMOOTHNESS, ..Compact::default() };
        if refine > 0 {
            compact.candidates = CANDIDATES_REFINED;
        }
        MethodConfig::new("compact", compact)
    }

    /// The best candidate of as many features as a search begins with at most, but of some where there is one.
    pub(crate) fn best_of_few(&self) -> Option<usize> {
        self.least(Candidate::few).or_else(|| self.least(|c| c.features() == 0))
    }
}
