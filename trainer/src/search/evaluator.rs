//! The evaluator of a search: fits, cross-validates and sizes candidates within the budget.

use std::slice;

use crate::cost::flash::{Storage, most_flash, most_work};
use crate::cost::{Budget, Core, Unit, Work};
use crate::data::Dataset;
use crate::error::FitError;
use crate::fit::taken::within_budget;
use crate::fit::within::{most_features, shrink_until_within};
use crate::fit::{Fit, FitConfig, check_budget, check_certainty, fit_chosen};
use crate::importance::permutation_importance;
use crate::method::MethodConfig;
use crate::run::Run;
use crate::sampling::Sampler;
use crate::search::candidate::Candidate;
use crate::search::config::SearchConfig;
use crate::search::policy::{ENOUGH_ROWS, MOST_DIVISIONS, ROUNDING_ALLOWANCE};
use crate::search::race::{Bar, Judge, Judged};
use crate::search::sample::Sample;
use crate::search::trials::{Query, Trial, Trials};
use crate::search::work;
use crate::validate::Validated;
use crate::validate::certainty::Certainty;
use crate::validate::cross_validation::{Folds, mean_over_divisions, validate};

/// The distance of the seeds of the finalists' folds from those of the search.
const OTHER_DIVISIONS: u64 = 1 << 32;

/// Separates the permutations of the importance from the random numbers of folds and methods.
const IMPORTANCE_STREAM: u64 = 6;

/// Returns the number of divisions of rows into folds. Blocks of rows are the same in every division.
fn divisions(rows: usize, folds: &Folds) -> u64 {
    let most = if folds.draws() { MOST_DIVISIONS } else { 1 };
    (ENOUGH_ROWS / rows).clamp(1, most) as u64
}

/// The evaluator over rows and a budget.
pub(crate) struct Evaluator<'a> {
    sample: Sample<'a>,
    config: &'a SearchConfig,
    /// The number of divisions of the compared rows into folds.
    divisions: u64,
}

impl<'a> Evaluator<'a> {
    /// The evaluator of candidates on the compared rows of a sample.
    pub fn new(sample: Sample<'a>, config: &'a SearchConfig) -> Evaluator<'a> {
        let divisions = divisions(sample.compared.rows(), &config.fit.folds());
        Evaluator { sample, config, divisions }
    }

    /// Returns whether a trial may exceed the budget or uses too many inputs.
    pub fn exceeds(&self, trial: &Trial) -> bool {
        let Budget { flash, work, .. } = self.config.budget;
        let over = |most: Work| trial.work.is_none_or(|needed| needed > most.at_most);
        let many = |most| self.sample.inputs(&trial.candidate.without) > most;
        flash.is_some_and(|flash| trial.flash_bytes > flash)
            || work.is_some_and(over)
            || self.config.inputs.is_some_and(many)
    }

    /// Returns the rows and the settings of a candidate.
    fn problem(&self, data: &Dataset, candidate: &Candidate) -> (Dataset, FitConfig) {
        let mut config = self.config.fit.with(candidate.method.clone());
        (config.preprocessing.warps, config.encoding.number) = (candidate.warps.clone(), candidate.number);
        config.encoding = self.config.budget.encoding(config.encoding);
        (data.without(&candidate.without), config)
    }

    /// Returns the compared rows and the settings of a candidate, with an allowance for rounding in single folds.
    fn comparison(&self, candidate: &Candidate) -> (Dataset, FitConfig) {
        let (data, mut config) = self.problem(self.sample.compared, candidate);
        config.encoding.max_error *= ROUNDING_ALLOWANCE;
        (data, config)
    }

    /// Scores methods on some divisions into folds.
    fn divided(
        &self,
        methods: &[MethodConfig],
        data: &Dataset,
        config: &FitConfig,
        divisions: u64,
        run: &Run<'_>,
    ) -> Result<Vec<Validated>, FitError> {
        mean_over_divisions(divisions, run, |_, run| {
            validate(methods, data, &self.sample.folds(&config.conditions()), run)
        })
    }

    /// Returns the trial of a candidate.
    fn trial(
        &self,
        candidate: Candidate,
        data: &Dataset,
        storage: Storage<'_>,
        Judged { validated, last_fold, ruled_out }: Judged,
    ) -> Trial {
        let method = &candidate.method;
        let features = method.tunable().features;
        let Budget { deployment, work, .. } = &self.config.budget;
        let flash_bytes = most_flash(data, storage, method, features, deployment).unwrap_or(usize::MAX);
        let work = work.and_then(|most| most_work(data, storage, method, most, deployment).ok());
        let heavy_tails = data.classes.is_empty() && data.outputs() == 1 && validated.has_heavy_tails();
        let Validated { score, certainty, .. } = validated;
        let mut trial = Trial {
            candidate,
            features,
            score,
            ruled_out,
            over_budget: false,
            certainty,
            heavy_tails,
            last_fold,
            flash_bytes,
            work,
        };
        trial.over_budget = self.exceeds(&trial);
        trial
    }

    /// Returns the largest number of instructions that the model of a trial can take, for each core with a bound.
    pub fn instruction_bounds(&self, trial: &Trial) -> Vec<(Core, u32)> {
        let (data, config) = self.comparison(&trial.candidate);
        let scaling = config.preprocessing.learn(&data);
        let storage = Storage { scaling: &scaling, encoding: config.encoding, intervals: data.classes.is_empty() };
        let method = &trial.candidate.method;
        let deployment = &self.config.budget.deployment;
        let bound = |core: Core| {
            let counted = Work { at_most: u32::MAX, unit: Unit::Instructions, core };
            let needed = most_work(&data, storage, method, counted, deployment).ok()?;
            (needed < u32::MAX).then_some((core, needed))
        };
        Core::ALL.into_iter().filter_map(bound).collect()
    }

    /// Returns the work of cross-validating a candidate on some divisions into folds.
    pub fn work_of_divisions(&self, candidate: &Candidate, divisions: usize) -> f64 {
        let fits = self.config.fit.fold_count() * divisions;
        work::of_fits(&candidate.method, &[fits], self.sample.fitted(&candidate.without))
    }

    /// Scores the candidate of a trial on divisions into folds that the search has not used. Returns the trial and the
    /// losses of all rows, as in [`Validated`].
    pub fn again(&self, trial: &Trial, divisions: u64, run: &Run<'_>) -> Result<(Trial, Vec<f64>), FitError> {
        let (data, config) = self.comparison(&trial.candidate);
        let run = run.with_seed(run.seed().wrapping_add(OTHER_DIVISIONS)).quiet();
        let method = within_budget(&self.config.budget, &data, &config, data.classes.is_empty());
        let validated = self.divided(slice::from_ref(&method), &data, &config, divisions, &run)?;
        let first = validated.into_iter().next();
        let Validated { score, certainty, losses } = first.expect("there is a score for every method");
        Ok((Trial { score, certainty, ..trial.clone() }, losses))
    }

    /// Fits the model of a finalist to all rows of `data`. The final fit on all rows may keep more weights than the
    /// cross-validation fits did: a model that exceeds the budget is made smaller and cross-validated again. The trial
    /// keeps the number of features of the finalist.
    pub fn fit_finalist(&self, data: &Dataset, chosen: Trial, run: &Run<'_>) -> Result<(Fit, Trial), FitError> {
        let (budget, own) = (&self.config.budget, chosen.candidate.method.clone());
        let (data, config) = self.problem(data, &chosen.candidate);
        let quiet = run.quiet();
        let fitted = |method: MethodConfig, certainty: &Certainty| {
            let run = if method == own { run } else { &quiet };
            fit_chosen(&data, &config.with(method), certainty.clone(), run)
        };
        check_certainty(config.encoding.confidence, &chosen.certainty, chosen.score.rows)?;
        let fit = fitted(own.clone(), &chosen.certainty)?;
        if check_budget(&fit.blob, budget).is_ok() {
            return Ok((fit, chosen));
        }
        let limited = within_budget(budget, &data, &config, data.classes.is_empty());
        let fit = shrink_until_within(budget, limited, |method| fitted(method, &chosen.certainty))?;
        let (some, to_compare) = self.comparison(&chosen.candidate);
        let validated = self.divided(slice::from_ref(&fit.chosen), &some, &to_compare, self.divisions, &quiet)?;
        let first = validated.into_iter().next();
        let Validated { score, certainty, .. } = first.expect("there is a score for every method");
        let fit = fitted(fit.chosen, &certainty)?;
        check_budget(&fit.blob, budget).map_err(FitError::Budget)?;
        let deployment = &budget.deployment;
        let flash_bytes = deployment.flash(&fit.blob);
        let work = budget.work.map(|most| deployment.work(&fit.blob.model(), most.core, most.unit));
        let candidate = chosen.candidate.with(fit.chosen.clone());
        Ok((fit, Trial { candidate, score, certainty, flash_bytes, work, ..chosen }))
    }
}

impl Evaluator<'_> {
    /// Returns the trials of a query.
    ///
    /// # Errors
    /// [`FitError`]: the candidate cannot be fitted or exceeds the budget, or the run is over.
    pub fn evaluate(&self, query: &Query, trials: &Trials, run: &Run<'_>) -> Result<Vec<Trial>, FitError> {
        let Query { candidate, lambdas, most, instead_of } = query;
        let (data, config) = self.comparison(candidate);
        let within = most_features(&self.config.budget, &data, &config, data.classes.is_empty())?;
        // No more features than the rows can tell apart.
        let distinguishable = (self.sample.compared.rows() / 2).max(1);
        let largest = config.method.clone().tuned(|t| t.features = within.min(distinguishable));
        let mut sizes = largest.method().sizes();
        sizes.retain(|size| size <= most);
        if sizes.is_empty() {
            sizes.push(largest.tunable().features.min(*most));
        }
        let (mut answer, mut new) = (Vec::new(), Vec::new());
        for &lambda in lambdas {
            for &features in &sizes {
                let method = largest.clone().tuned(|t| {
                    t.features = features;
                    t.lambda = lambda;
                });
                let candidate = candidate.with(method);
                match trials.find(&candidate) {
                    Some(known) => answer.push(known.clone()),
                    None => new.push(candidate.method),
                }
            }
        }
        if new.is_empty() {
            return Ok(answer);
        }
        let (folds, rules_out) = (&self.sample.folds(&config.conditions()), !self.config.one_standard_error);
        let judge = Judge { data: &data, folds, divisions: self.divisions, rules_out, run };
        let bar = match instead_of {
            Some(index) => Some(Bar { trial: trials.get(*index), is_to_beat: true }),
            None => trials.bar(candidate).map(|trial| Bar { trial, is_to_beat: false }),
        };
        let judged = judge.judged(&new, bar)?;
        let scaling = config.preprocessing.learn(&data);
        for (method, judged) in new.into_iter().zip(judged) {
            let intervals = match judged.ruled_out {
                true => data.classes.is_empty(),
                false => !judged.validated.certainty.half_widths.is_empty(),
            };
            let storage = Storage { scaling: &scaling, encoding: config.encoding, intervals };
            answer.push(self.trial(candidate.with(method), &data, storage, judged));
        }
        Ok(answer)
    }

    /// Returns the inputs of a candidate's model and their importance, ascending; none if there is no model.
    ///
    /// # Errors
    /// [`FitError::Interrupted`].
    pub fn importance(&self, candidate: &Candidate, run: &Run<'_>) -> Result<Option<Vec<(usize, f64)>>, FitError> {
        let compared = self.sample.compared;
        let (data, mut config) = self.problem(compared, candidate);
        config.encoding.max_error = f64::INFINITY;
        let fit = match fit_chosen(&data, &config, Certainty::default(), run) {
            Ok(fit) => fit,
            Err(FitError::Interrupted) => return Err(FitError::Interrupted),
            Err(_) => return Ok(None),
        };
        let x = fit.model.scaling.inputs(&compared.x);
        let mut sampler = Sampler::stream(run.seed(), IMPORTANCE_STREAM);
        let shares = permutation_importance(&fit.model.expansion, &x, &mut sampler).into_iter().enumerate();
        let varying = compared.varying_inputs();
        let used = |&(input, _): &(usize, f64)| varying.contains(&input) && !candidate.without.contains(&input);
        let mut shares: Vec<(usize, f64)> = shares.filter(used).collect();
        shares.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(Some(shares))
    }

    /// Returns the number of fits that cross-validate a candidate.
    pub fn fits(&self) -> usize {
        self.sample.folds(&self.config.fit).fitted * self.divisions as usize
    }

    /// Returns the largest number of features of a candidate that keeps the budget whatever the fit gives.
    ///
    /// # Errors
    /// [`FitError`]: not even one feature keeps the budget.
    pub fn features_within_budget(&self, candidate: &Candidate) -> Result<usize, FitError> {
        let (data, config) = self.problem(self.sample.compared, candidate);
        most_features(&self.config.budget, &data, &config, data.classes.is_empty())
    }
}
