//! The best model that keeps a budget: methods, settings, warps and inputs, by cross-validation.
//!
//! A search goes through a fixed sequence of questions: how many inputs a feature takes, how each input is warped, which inputs
//! can go, how many features there are, then every setting by itself until none gets better, then the other methods. An
//! answer is kept where it lowers the cross-validated error on the same folds, in the device's arithmetic. Frequencies that are
//! refined and such that stay as they were drawn are improved apart: the former fit more closely, the latter overfit less. Only candidates
//! whose shape keeps the budget are tried, and what is returned keeps it. The result depends on data, settings and seed alone,
//! unless time runs out first.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::budget::Budget;
use super::candidate::{Candidate, Choices, Family};
use super::cross_validation::{Score, Validated, ranked, validate};
use crate::data::Dataset;
use crate::device::instruction_bound;
use crate::export::budget::{Storage, largest};
use crate::export::{Blob, NumberFormat};
use crate::fit::{Fit, FitConfig, check, fit_chosen};
use crate::method::{Compact, FitError, MethodConfig, Terms};
use crate::observer::{Observer, Unseen, Until, resume, store};
use crate::sampling::{Sampler, SpectralLaw};
use crate::warp::Warp;

/// Keeps the rows that are searched with apart from what folds and methods draw.
const ROWS_STREAM: u64 = 5;

/// Most rows that candidates are compared on; the best of them meet again on all.
const MOST_ROWS: usize = 2000;

/// Candidates that meet again on all rows.
const FINALISTS: usize = 3;

/// Features that a search begins with.
const FEW: usize = 24;

/// Scales and ridge parameters that compaction begins with: refined frequencies move to where they fit, drawn ones must be
/// drawn there.
const SCALE_REFINED: f64 = 1.0;
const LAMBDAS_REFINED: [f64; 3] = [1e-5, 1e-3, 1e-1];
const SCALES_DRAWN: [f64; 2] = [0.15, 0.6];
const LAMBDAS_DRAWN: [f64; 3] = [1e-4, 1e-3, 1e-2];

/// Frequencies that are refined before the best of them are kept, where each can have many inputs.
const EXCESS: f64 = 1.5;

/// Ridge parameters of candidates whose frequencies are to lose inputs.
const LAMBDAS_SCOUTS: [f64; 3] = [1e-4, 1e-3, 1e-2];

/// Rows of which there are enough for one division into folds; fewer are divided several times.
const ENOUGH_ROWS: usize = 600;
const MOST_DIVISIONS: u64 = 3;

/// Most steps of a refinement that a search begins with.
const REFINE: usize = 100;

/// Methods that are tried beside compaction, those first that take less time, and their ridge parameters.
const OTHERS: [&str; 6] = ["fourier", "harfe", "shrimp", "srff", "gfc", "arff"];
const LAMBDAS_OF_OTHERS: [f64; 5] = [1e-6, 1e-4, 1e-2, 1e-1, 1.0];

/// More inputs than these are never looked at by one feature together, unless the orders say so.
const MOST_DENSE: usize = 16;

/// Least ratio of an input's readings for which a warp could matter.
const LEAST_RATIO: f64 = 2.0;

/// Shares of the importance of all inputs that the least of them have together when they are left out.
const IDLE: [f64; 4] = [0.01, 0.03, 0.1, 0.2];

/// Operations of a fit for every second of a search: a fiftieth of what a core does.
const OPERATIONS: f64 = 5e7;

/// What to search for.
#[derive(Clone, Debug)]
pub struct SearchConfig {
    /// Folds and scaling. Its warps, orders, scales and ridge parameters, where there are any, are the only ones; its method
    /// and number format are not used.
    pub fit: FitConfig,
    /// Number formats to choose from, at least one: the search begins with the first.
    pub numbers: Vec<NumberFormat>,
    /// What the model may take of the device.
    pub budget: Budget,
    /// Most features.
    pub features: usize,
    /// Most inputs that the model looks at; none for all.
    pub inputs: Option<usize>,
    /// Terms beside the features; none to choose.
    pub terms: Option<Terms>,
    /// Whether to take the smallest model whose error is within a standard error of the least, in place of that of the least.
    pub one_standard_error: bool,
    /// Time after which no other candidate is tried.
    pub time: Duration,
}

/// A candidate that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What was tried.
    pub candidate: Candidate,
    /// Its score over the rows that were searched with.
    pub score: Score,
    /// Whether it may be too large for the budget: it was tried to see what settings are good for when it is made smaller.
    pub scout: bool,
    /// Half-widths of the intervals around predictions, as in [`Validated`].
    pub half_widths: Vec<f64>,
    /// Flash that it takes at most, in bytes.
    pub flash_bytes: usize,
    /// Instructions that a prediction takes at most, on the core of the budget; none where there is none, or no bound.
    pub instructions: Option<u32>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The model.
    pub fit: Fit,
    /// What was chosen.
    pub chosen: Tried,
    /// All that was tried, best first.
    pub tried: Vec<Tried>,
    /// Rows that candidates were compared on.
    pub rows: usize,
    /// Whether the search came to its end before its time did.
    pub complete: bool,
}

/// Searches for the best model of `data` (raw columns) that keeps the budget.
///
/// # Errors
/// [`FitError`]: data that do not allow any fit, a budget that no model keeps, [`FitError::Interrupted`].
pub fn search(data: &Dataset, config: &SearchConfig, seed: u64, observer: &dyn Observer) -> Result<Found, FitError> {
    check(data, &config.fit)?;
    let Some(&number) = config.numbers.first() else { return Err(FitError::NoCandidate { tried: 0 }) };
    let rows = Sampler::stream(seed, ROWS_STREAM).choose(data.rows(), MOST_ROWS);
    let watch = Until::new(observer, config.time);
    let some = data.select(&rows);
    let mut search = Search::new(&some, config, seed, &watch);
    let mut complete = in_time(search.run(number))?;
    let mut finalists = search.ranked();
    if finalists.is_empty() {
        return Err(search.refused.unwrap_or(FitError::NoCandidate { tried: search.tried.len() }));
    }
    if rows.len() < data.rows() {
        let mut all = Search::new(data, config, seed, &watch);
        complete &= in_time(all.again(&finalists))?;
        finalists.splice(0..0, all.ranked());
    }
    let mut refused = None;
    for chosen in finalists {
        let (data, config) = search.posed(data, &chosen.candidate);
        let method = chosen.candidate.method.clone();
        match fit_chosen(&data, &config, method, chosen.half_widths.clone(), seed, observer) {
            Ok(mut fit) => match search.config.budget.check(&fit.blob) {
                Ok(()) => {
                    fit.tried = vec![(fit.chosen.clone(), chosen.score)];
                    let mut tried = search.tried;
                    tried.sort_by(|a, b| a.score.mse.total_cmp(&b.score.mse));
                    return Ok(Found { fit, chosen, tried, rows: rows.len(), complete });
                }
                Err(error) => refused = refused.or(Some(FitError::Budget(error))),
            },
            Err(FitError::Interrupted) => return Err(FitError::Interrupted),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(refused.expect("there is a finalist"))
}

/// Why a search does not go on.
enum Stop {
    /// Its time is over.
    Time,
    /// It was interrupted.
    Interrupted,
    /// The settings that were asked for cannot be.
    Refused(FitError),
}

/// Whether a part of a search came to its end.
fn in_time(ended: Result<(), Stop>) -> Result<bool, FitError> {
    match ended {
        Ok(()) => Ok(true),
        Err(Stop::Time) => Ok(false),
        Err(Stop::Interrupted) => Err(FitError::Interrupted),
        Err(Stop::Refused(error)) => Err(error),
    }
}

/// A search on its way.
struct Search<'a> {
    data: &'a Dataset,
    config: &'a SearchConfig,
    seed: u64,
    watch: &'a Until<'a>,
    tried: Vec<Tried>,
    /// Why the first candidate that could not be had was refused.
    refused: Option<FitError>,
    /// Inputs that are left out because there may not be so many.
    forbidden: Vec<usize>,
    /// Number of evaluations so far.
    evaluations: usize,
}

impl<'a> Search<'a> {
    fn new(data: &'a Dataset, config: &'a SearchConfig, seed: u64, watch: &'a Until<'a>) -> Search<'a> {
        Search { data, config, seed, watch, tried: Vec::new(), refused: None, forbidden: Vec::new(), evaluations: 0 }
    }

    fn run(&mut self, number: NumberFormat) -> Result<(), Stop> {
        let warps = match self.config.fit.warps.is_empty() {
            true => vec![Warp::Identity; self.data.inputs()],
            false => self.config.fit.warps.clone(),
        };
        let method = MethodConfig::named("linear").expect("it is a name");
        let mut start = Candidate { method, warps, without: Vec::new(), number };
        self.attempt(&start, &[])?;
        if let Some(most) = self.config.inputs {
            self.forbid(&start, most)?;
            start.leave_out(&self.forbidden);
            self.attempt(&start, &[])?;
        }
        for order in self.orders() {
            self.attempt(&start.with(self.compaction(order, REFINE, SCALE_REFINED)), &LAMBDAS_REFINED)?;
            for scale in SCALES_DRAWN {
                self.attempt(&start.with(self.compaction(order, 0, scale)), &LAMBDAS_DRAWN)?;
            }
        }
        self.warp()?;
        self.leave_out()?;
        self.thin_out()?;
        let Some(best) = self.best() else { return Ok(()) };
        let inputs = self.tried[best].candidate.clone();
        for family in [Family::Refined, Family::Drawn] {
            if let Some(best) = self.best_of(family) {
                let start = inputs.with(self.tried[best].candidate.method.clone());
                self.attempt(&start, &[])?;
                self.grow(family)?;
                self.descend(family)?;
            }
        }
        for name in OTHERS {
            let method =
                MethodConfig::named(name).expect("they are names").tuned(|t| t.features = self.config.features);
            self.attempt(&inputs.with(method), &LAMBDAS_OF_OTHERS)?;
        }
        self.descend(Family::Other)
    }

    /// Compares candidates that were compared on fewer rows. More rows take less penalty.
    fn again(&mut self, finalists: &[Tried]) -> Result<(), Stop> {
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

    fn compaction(&self, order: Option<usize>, refine: usize, scale: f64) -> MethodConfig {
        let terms = self.config.terms.unwrap_or(Terms::Linear);
        let features = self.config.features.min(FEW);
        let scale = self.config.fit.scales.first().copied().unwrap_or(scale);
        let law = SpectralLaw::Normal { scale };
        MethodConfig::Compact(Compact { features, order, terms, refine, law, ..Compact::default() })
    }

    /// Leaves the least important inputs out until there are at most so many, half of those too many at a time.
    fn forbid(&mut self, start: &Candidate, most: usize) -> Result<(), Stop> {
        loop {
            let mut candidate = start.with(self.compaction(Some(2.min(self.data.inputs())), REFINE, SCALE_REFINED));
            candidate.leave_out(&self.forbidden);
            let left = self.data.varying_inputs().len() - self.forbidden.len();
            if left <= most {
                return Ok(());
            }
            let count = (left - most).div_ceil(2);
            let Some(least) = self.by_importance(&candidate)? else { return Ok(()) };
            self.forbidden.extend(least.into_iter().map(|(input, _)| input).take(count));
            self.forbidden.sort_unstable();
        }
    }

    /// The model of a candidate; none where it cannot be had.
    fn fitted(&self, candidate: &Candidate) -> Result<Option<Fit>, Stop> {
        let (data, config) = self.posed(self.data, candidate);
        match fit_chosen(&data, &config, candidate.method.clone(), Vec::new(), self.seed, &Unseen(self.watch)) {
            Ok(fit) => Ok(Some(fit)),
            Err(FitError::Interrupted) => Err(self.stop()),
            Err(_) => Ok(None),
        }
    }

    /// The inputs of a candidate and their importance, ascending.
    fn by_importance(&self, candidate: &Candidate) -> Result<Option<Vec<(usize, f64)>>, Stop> {
        let Some(fit) = self.fitted(candidate)? else { return Ok(None) };
        let shares = fit.model.importance.iter().map(|importance| importance.share).enumerate();
        let used = |&(input, _): &(usize, f64)| !candidate.without.contains(&input);
        let mut shares: Vec<(usize, f64)> = shares.filter(used).collect();
        shares.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(Some(shares))
    }

    /// Tries every warp of every input by itself, and keeps what is better.
    fn warp(&mut self) -> Result<(), Stop> {
        if !self.config.fit.warps.is_empty() {
            return Ok(());
        }
        for input in self.data.varying_inputs() {
            let column = self.data.x.column(input);
            let (least, most) = (column.min(), column.max());
            for warp in Warp::possible(column.as_slice()) {
                let Some(best) = self.best() else { return Ok(()) };
                let mut candidate = self.tried[best].candidate.clone();
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
        let Some(best) = self.best() else { return Ok(()) };
        let best = self.tried[best].candidate.clone();
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

    /// Takes more features while they help.
    fn grow(&mut self, family: Family) -> Result<(), Stop> {
        while let Some(best) = self.best_of(family) {
            let candidate = self.tried[best].candidate.clone();
            let doubled = candidate.method.clone().tuned(|t| t.features = (2 * t.features).min(self.config.features));
            self.attempt(&candidate.with(doubled), &[])?;
            if self.best_of(family) == Some(best) {
                break;
            }
        }
        Ok(())
    }

    /// Takes weights out of frequencies of many inputs, so that more of them keep the budget.
    ///
    /// Settings are chosen first without that, which takes longer than everything else.
    fn thin_out(&mut self) -> Result<(), Stop> {
        let Some(best) = self.best_of(Family::Refined) else { return Ok(()) };
        let mut best = self.tried[best].candidate.clone();
        if let MethodConfig::Compact(compact) = &mut best.method {
            compact.excess = compact.excess.max(EXCESS);
        }
        let least = self.orders().into_iter().flatten().min().or(Some(1));
        let (data, config) = self.posed(
            self.data,
            &best.with(best.method.clone().tuned(|t| {
                (t.order, t.features) = (least, self.config.features);
            })),
        );
        let Ok(most) = self.config.budget.features(&data, &config, data.classes.is_empty()) else { return Ok(()) };
        let first = self.tried.len();
        for order in self.orders().into_iter().filter(|order| order.is_none_or(|order| order > 2)) {
            let method = best.method.clone().tuned(|t| (t.order, t.features) = (order, most));
            self.evaluate(&best.with(method), &LAMBDAS_SCOUTS, true)?;
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

    /// The candidate of the least error so far.
    fn best(&self) -> Option<usize> {
        self.least(|_| true)
    }

    /// The same of one family.
    fn best_of(&self, family: Family) -> Option<usize> {
        self.least(|candidate| candidate.family() == family)
    }

    fn least(&self, wanted: impl Fn(&Candidate) -> bool) -> Option<usize> {
        let allowed =
            (0..self.tried.len()).filter(|&t| self.allowed(&self.tried[t]) && wanted(&self.tried[t].candidate));
        allowed.min_by(|&a, &b| self.tried[a].score.mse.total_cmp(&self.tried[b].score.mse))
    }

    /// Whether a candidate can go to the device and looks at no more inputs than it may.
    fn allowed(&self, tried: &Tried) -> bool {
        let few = self.forbidden.iter().all(|input| tried.candidate.without.contains(input));
        tried.score.mse.is_finite() && few && !tried.scout
    }

    /// What may be returned, best first.
    fn ranked(&self) -> Vec<Tried> {
        let allowed: Vec<&Tried> = self.tried.iter().filter(|tried| self.allowed(tried)).collect();
        let scores: Vec<Score> = allowed.iter().map(|tried| tried.score).collect();
        let order = ranked(&scores, self.data.rows());
        let mut best: Vec<Tried> = order.into_iter().map(|place| allowed[place].clone()).collect();
        if let Some(first) = best.first().filter(|_| self.config.one_standard_error) {
            let bound = first.score.mse + first.score.standard_error;
            // Stable: of models of equal flash the better one.
            best.sort_by_key(|tried| if tried.score.mse <= bound { tried.flash_bytes } else { usize::MAX });
        }
        best
    }

    /// The rows and the settings that a candidate stands for.
    fn posed(&self, data: &Dataset, candidate: &Candidate) -> (Dataset, FitConfig) {
        let warps = candidate.warps.clone();
        let config = FitConfig { warps, number: candidate.number, ..self.config.fit.with(candidate.method.clone()) };
        (data.without(&candidate.without), config)
    }

    /// Tries a candidate with each of the λ, or with its own alone where the list is empty or the search has its own list.
    fn attempt(&mut self, candidate: &Candidate, lambdas: &[f64]) -> Result<(), Stop> {
        self.evaluate(candidate, lambdas, false)
    }

    /// The same for a scout, too.
    fn evaluate(&mut self, candidate: &Candidate, lambdas: &[f64], scout: bool) -> Result<(), Stop> {
        self.watch.show_time();
        if self.watch.interrupted() {
            return Err(self.stop());
        }
        // What an earlier run of the same search has tried is found again.
        let name = format!("search {}/{}", self.data.rows(), self.evaluations);
        self.evaluations += 1;
        if let Some(tried) = resume::<Vec<Tried>>(self.watch, &name) {
            self.tried.extend(tried);
            return Ok(());
        }
        let (data, mut config) = self.posed(self.data, candidate);
        let sized = if scout { Ok((config.method.tunable().features, None)) } else { self.sized(&data, &config)? };
        let (features, outcome) = match sized {
            Ok(sized) => sized,
            Err(error) => return self.refuse(error),
        };
        config.method = self.affordable(config.method.tuned(|t| t.features = features));
        let own = config.method.tunable().lambda;
        let given = &self.config.fit.lambdas;
        let lambdas: Vec<Option<f64>> = match own {
            None => vec![None],
            Some(_) if !given.is_empty() => given.iter().copied().map(Some).collect(),
            Some(_) if lambdas.is_empty() => vec![own],
            Some(_) => lambdas.iter().copied().map(Some).collect(),
        };
        let tuned = lambdas.into_iter().map(|lambda| config.method.clone().tuned(|t| t.lambda = lambda));
        let new = |method: &MethodConfig| {
            let candidate = candidate.with(method.clone());
            self.tried.iter().all(|tried| tried.candidate != candidate)
        };
        let methods: Vec<MethodConfig> = tuned.filter(new).collect();
        if methods.is_empty() {
            return Ok(());
        }
        let divisions = (ENOUGH_ROWS / data.rows()).clamp(1, MOST_DIVISIONS as usize) as u64;
        let divided = |division| {
            validate(&methods, &data, &config.folds(), self.seed.wrapping_add(division), &Unseen(self.watch))
        };
        let divided = match (0..divisions).map(divided).collect::<Result<Vec<Vec<Validated>>, FitError>>() {
            Ok(divided) => divided,
            Err(FitError::Interrupted) => return Err(self.stop()),
            Err(error) => return self.refuse(error),
        };
        let (scaling, first) = (config.learn(&data), self.tried.len());
        for (place, method) in methods.into_iter().enumerate() {
            let Validated { score, half_widths } = Validated::mean(divided.iter().map(|validated| &validated[place]));
            let intervals = !half_widths.is_empty();
            let storage = Storage { scaling: &scaling, number: config.number, intervals };
            let blob = outcome.clone().map_or_else(|| largest(&data, storage, &method), Ok);
            let core = self.config.budget.instructions.map(|instructions| instructions.core);
            self.tried.push(Tried {
                candidate: candidate.with(method),
                score,
                scout,
                half_widths,
                flash_bytes: blob.as_ref().map_or(usize::MAX, |blob| blob.bytes().len()),
                instructions: core.and_then(|core| instruction_bound(&blob.ok()?.model(), core)),
            });
        }
        store(self.watch, &name, &self.tried[first..]);
        Ok(())
    }

    /// The largest number of features that keeps the budget: of the largest shape, or, where features lose inputs on the way,
    /// of the model that comes out, which is given as well.
    fn sized(&self, data: &Dataset, config: &FitConfig) -> Result<Result<(usize, Option<Blob>), FitError>, Stop> {
        /// Most models that are tried on.
        const FITTINGS: usize = 4;
        let budget = &self.config.budget;
        let thinned = matches!(&config.method, MethodConfig::Compact(compact) if compact.sparsify.is_some());
        if !thinned || *budget == Budget::default() {
            return Ok(budget.features(data, config, data.classes.is_empty()).map(|features| (features, None)));
        }
        let mut features = config.method.tunable().features;
        for _ in 0..FITTINGS {
            let method = self.affordable(config.method.clone().tuned(|t| t.features = features));
            let intervals = vec![0.0; if data.classes.is_empty() { data.outputs() } else { 0 }];
            match fit_chosen(data, config, method, intervals, self.seed, &Unseen(self.watch)) {
                Ok(fit) => match budget.usage(&fit.blob) {
                    usage if usage <= 1.0 && budget.check(&fit.blob).is_ok() => {
                        return Ok(Ok((features, Some(fit.blob))));
                    }
                    usage => features = ((features as f64 * (0.98 / usage).min(0.95)) as usize).max(1),
                },
                Err(FitError::Interrupted) => return Err(self.stop()),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Err(FitError::NoCandidate { tried: FITTINGS }))
    }

    /// The method with no more features than rows can tell apart, and with no more work than a search has time for.
    fn affordable(&self, method: MethodConfig) -> MethodConfig {
        let rows = self.data.rows();
        let most = (rows / 2).max(1);
        let mut method = method.tuned(|t| t.features = t.features.min(most));
        let MethodConfig::Compact(compact) = &mut method else { return method };
        let (rows, features) = (rows.min(compact.batch) as f64, compact.features as f64 * compact.excess);
        let operations = OPERATIONS * self.config.time.as_secs_f64();
        let order = compact.order.unwrap_or(self.data.inputs()) as f64;
        let step = 4.0 * rows * features * (features + order);
        compact.refine = compact.refine.min((operations / step) as usize);
        let round = 4.0 * rows * features * compact.rounds as f64;
        compact.candidates = compact.candidates.min((operations / round) as usize).max(2 * compact.features);
        method
    }

    /// Goes on without a candidate that cannot be had, unless it is the settings asked for that cannot be.
    fn refuse(&mut self, error: FitError) -> Result<(), Stop> {
        if matches!(error, FitError::Setting { .. } | FitError::OrderBeyondInputs { .. }) {
            return Err(Stop::Refused(error));
        }
        self.refused.get_or_insert(error);
        Ok(())
    }

    fn stop(&self) -> Stop {
        if self.watch.whole_interrupted() { Stop::Interrupted } else { Stop::Time }
    }
}
