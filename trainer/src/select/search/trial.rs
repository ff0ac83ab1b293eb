//! Trying candidates, and what was tried.

use super::candidate::{Candidate, Family};
use super::{MOST_ROWS, SearchConfig, Stop, Tried};
use crate::compact::importance::permutation_importance;
use crate::data::Dataset;
use crate::device::instruction_bound;
use crate::export::Blob;
use crate::export::budget::{Storage, largest};
use crate::fit::{Fit, FitConfig, fit_chosen};
use crate::method::{FitError, MethodConfig};
use crate::observer::{Observer, Unseen, Until, resume, store};
use crate::sampling::Sampler;
use crate::select::budget::Budget;
use crate::select::cross_validation::{Score, Validated, ranked, validate};

/// Rows of which there are enough for one division into folds; fewer are divided several times.
const ENOUGH_ROWS: usize = 600;
const MOST_DIVISIONS: u64 = 3;

/// Operations of a fit for every second of a search: a hundredth of what a core does.
const OPERATIONS: f64 = 1.5e8;

/// Keeps the permutations that inputs are judged by apart from what folds and methods draw.
const IMPORTANCE_STREAM: u64 = 6;

/// What a model may differ by on the device while candidates are compared, as a multiple of what it may in the end.
const ALLOWANCE: f64 = 2.0;

/// A search on its way.
pub(super) struct Search<'a> {
    /// The rows that candidates are compared on.
    pub(super) data: &'a Dataset,
    /// All rows that there are.
    pub(super) all: &'a Dataset,
    pub(super) config: &'a SearchConfig,
    seed: u64,
    watch: &'a Until<'a>,
    pub(super) tried: Vec<Tried>,
    /// Why the first candidate that could not be had was refused.
    pub(super) refused: Option<FitError>,
    /// Number of evaluations so far.
    evaluations: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        data: &'a Dataset,
        all: &'a Dataset,
        config: &'a SearchConfig,
        seed: u64,
        watch: &'a Until<'a>,
    ) -> Search<'a> {
        Search { data, all, config, seed, watch, tried: Vec::new(), refused: None, evaluations: 0 }
    }

    /// The model of a candidate; none where it cannot be had.
    fn fitted(&self, candidate: &Candidate) -> Result<Option<Fit>, Stop> {
        let (data, config) = self.posed_to_compare(candidate);
        match fit_chosen(&data, &config, candidate.method.clone(), Vec::new(), self.seed, &Unseen(self.watch)) {
            Ok(fit) => Ok(Some(fit)),
            Err(FitError::Interrupted) => Err(self.stop()),
            Err(_) => Ok(None),
        }
    }

    /// The inputs of a candidate and their importance, ascending.
    pub(super) fn by_importance(&self, candidate: &Candidate) -> Result<Option<Vec<(usize, f64)>>, Stop> {
        let Some(fit) = self.fitted(candidate)? else { return Ok(None) };
        let (x, sampler) = (fit.model.scaling.inputs(&self.data.x), &mut Sampler::stream(self.seed, IMPORTANCE_STREAM));
        let shares = permutation_importance(&fit.model.expansion, &x, sampler).into_iter().enumerate();
        let varying = self.data.varying_inputs();
        let used = |&(input, _): &(usize, f64)| varying.contains(&input) && !candidate.without.contains(&input);
        let mut shares: Vec<(usize, f64)> = shares.filter(used).collect();
        shares.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(Some(shares))
    }

    /// The candidate of the least error so far, of those that are wanted.
    pub(super) fn least(&self, wanted: impl Fn(&Candidate) -> bool) -> Option<usize> {
        let allowed =
            (0..self.tried.len()).filter(|&t| self.allowed(&self.tried[t]) && wanted(&self.tried[t].candidate));
        allowed.min_by(|&a, &b| self.tried[a].score.mse.total_cmp(&self.tried[b].score.mse))
    }

    /// The same of one family.
    pub(super) fn best_of(&self, family: Family) -> Option<usize> {
        self.least(|candidate| candidate.family() == family)
    }

    /// Whether a candidate can go to the device and looks at no more inputs than it may.
    fn allowed(&self, tried: &Tried) -> bool {
        let used = self.data.varying_inputs().iter().filter(|input| !tried.candidate.without.contains(input)).count();
        tried.score.mse.is_finite() && self.config.inputs.is_none_or(|most| used <= most) && !tried.scout
    }

    /// What may be returned, best first.
    pub(super) fn ranked(&self) -> Vec<Tried> {
        let allowed: Vec<&Tried> = self.tried.iter().filter(|tried| self.allowed(tried)).collect();
        let scores: Vec<Score> = allowed.iter().map(|tried| tried.score).collect();
        let order = ranked(&scores, self.data.rows());
        let mut best: Vec<Tried> = order.into_iter().map(|place| allowed[place].clone()).collect();
        if let Some(first) = best.first().filter(|_| self.config.one_standard_error) {
            // Stable: of models of equal flash the better one.
            let bound = first.score.loss() + first.score.allowance(self.data.rows());
            best.sort_by_key(|tried| if tried.score.loss() <= bound { tried.flash_bytes } else { usize::MAX });
        }
        best
    }

    /// The rows and the settings that a candidate stands for.
    pub(super) fn posed(&self, data: &Dataset, candidate: &Candidate) -> (Dataset, FitConfig) {
        let warps = candidate.warps.clone();
        let config = FitConfig { warps, number: candidate.number, ..self.config.fit.with(candidate.method.clone()) };
        (data.without(&candidate.without), config)
    }

    /// The same to be compared: errors are those of the device anyway, so that a fold that loses a little more than the model
    /// may in the end does not decide.
    fn posed_to_compare(&self, candidate: &Candidate) -> (Dataset, FitConfig) {
        let (data, config) = self.posed(self.data, candidate);
        (data, FitConfig { max_error: ALLOWANCE * config.max_error, ..config })
    }

    /// Tries a candidate with each of the λ, or with its own alone where the list is empty or the search has its own list.
    pub(super) fn attempt(&mut self, candidate: &Candidate, lambdas: &[f64]) -> Result<(), Stop> {
        self.evaluate(candidate, lambdas, false)
    }

    /// The same for a scout, too.
    pub(super) fn evaluate(&mut self, candidate: &Candidate, lambdas: &[f64], scout: bool) -> Result<(), Stop> {
        self.watch.show_time();
        let observer = self.patience();
        if observer.interrupted() {
            return Err(self.stop());
        }
        // What an earlier run of the same search has tried is found again.
        let name = format!("search {}/{}", self.data.rows(), self.evaluations);
        self.evaluations += 1;
        if let Some(tried) = resume::<Vec<Tried>>(self.watch, &name) {
            self.tried.extend(tried);
            return Ok(());
        }
        let (data, mut config) = self.posed_to_compare(candidate);
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
        let divided =
            |division| validate(&methods, &data, &config.folds(), self.seed.wrapping_add(division), &observer);
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
            let kept = || blob.as_ref().is_ok_and(|blob| self.config.budget.check(blob).is_ok());
            self.tried.push(Tried {
                candidate: candidate.with(method),
                score,
                scout: scout && !kept(),
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
                    Ok(usage) if usage <= 1.0 => return Ok(Ok((features, Some(fit.blob)))),
                    Ok(usage) => features = ((features as f64 * (0.98 / usage).min(0.95)) as usize).max(1),
                    Err(error) => return Ok(Err(FitError::Budget(error))),
                },
                Err(FitError::Interrupted) => return Err(self.stop()),
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Err(FitError::NoCandidate { tried: FITTINGS }))
    }

    /// Whether some number of such features keeps the budget, as far as that is known before a fit.
    pub(super) fn keeps(&self, candidate: &Candidate) -> bool {
        let (data, config) = self.posed(self.data, candidate);
        self.config.budget.features(&data, &config, data.classes.is_empty()).is_ok()
    }

    /// The method with no more features than rows can tell apart, and with no more work than a search has time for.
    fn affordable(&self, method: MethodConfig) -> MethodConfig {
        let rows = self.data.rows();
        let most = (rows / 2).max(1);
        let mut method = method.tuned(|t| t.features = t.features.min(most));
        let MethodConfig::Compact(compact) = &mut method else { return method };
        if rows > MOST_ROWS {
            return method; // a finalist stays as it was found
        }
        let (rows, features) = (rows.min(compact.batch) as f64, compact.features as f64 * compact.excess);
        let operations = OPERATIONS * self.config.time.as_secs_f64();
        let order = compact.order.unwrap_or(self.data.inputs()) as f64;
        let step = 4.0 * rows * features * (features + order);
        compact.refine = compact.refine.min((operations / step) as usize);
        let round = 4.0 * rows * features * compact.rounds as f64;
        compact.candidates = compact.candidates.min((operations / round) as usize).max(2 * compact.features);
        method
    }

    /// The most features that a fit can refine `steps` times.
    pub(super) fn refinable(&self, steps: f64) -> usize {
        let operations = OPERATIONS * self.config.time.as_secs_f64();
        (operations / (steps * 4.0 * self.data.rows() as f64)).sqrt() as usize
    }

    /// Goes on without a candidate that cannot be had, unless it is the settings asked for that cannot be.
    fn refuse(&mut self, error: FitError) -> Result<(), Stop> {
        if matches!(error, FitError::Setting { .. } | FitError::OrderBeyondInputs { .. }) {
            return Err(Stop::Refused(error));
        }
        self.refused.get_or_insert(error);
        Ok(())
    }

    /// Time ends a search that has found something; what it found is compared on all rows only in time.
    fn patience(&self) -> Unseen<'a> {
        let found = self.data.rows() > MOST_ROWS || self.tried.iter().any(|tried| self.allowed(tried));
        Unseen(if found { self.watch } else { self.watch.whole() })
    }

    fn stop(&self) -> Stop {
        if self.watch.whole().interrupted() { Stop::Interrupted } else { Stop::Time }
    }
}
