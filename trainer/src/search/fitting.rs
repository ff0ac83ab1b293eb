//! Models of candidates: what inputs they look at, how large they get, and the one that is returned.

use std::slice;

use crate::cost::instruction_bound;
use crate::data::Dataset;
use crate::error::FitError;
use crate::export::Blob;
use crate::fit::{Fit, FitConfig, fit_chosen};
use crate::importance::permutation_importance;
use crate::method::MethodConfig;
use crate::method::compact::Compact;
use crate::run::Run;
use crate::sampling::Sampler;
use crate::search::candidate::{Candidate, Family};
use crate::search::trial::Search;
use crate::search::{MOST_ROWS, Stop, Tried};
use crate::validate::cross_validation::Validated;

/// Operations of a fit for every second of a search: a hundredth of what a core does.
const OPERATIONS: f64 = 1.5e8;

/// Keeps the permutations that inputs are judged by apart from what folds and methods draw.
const IMPORTANCE_STREAM: u64 = 6;

impl Search<'_> {
    /// The model of a candidate, whatever the device loses of it; none where it cannot be had.
    fn fitted(&self, candidate: &Candidate) -> Result<Option<Fit>, Stop> {
        let (data, mut config) = self.posed(self.data, candidate);
        config.encoding.max_error = f64::INFINITY;
        match fit_chosen(&data, &config, candidate.method.clone(), Vec::new(), &self.patience()) {
            Ok(fit) => Ok(Some(fit)),
            Err(FitError::Interrupted) => Err(self.stop()),
            Err(_) => Ok(None),
        }
    }

    /// The inputs of a candidate and their importance, ascending.
    pub(crate) fn by_importance(&self, candidate: &Candidate) -> Result<Option<Vec<(usize, f64)>>, Stop> {
        let Some(fit) = self.fitted(candidate)? else { return Ok(None) };
        let (x, sampler) = (
            fit.model.scaling.inputs(&self.data.x),
            &mut Sampler::stream(self.clock.whole().seed(), IMPORTANCE_STREAM),
        );
        let shares = permutation_importance(&fit.model.expansion, &x, sampler).into_iter().enumerate();
        let varying = self.data.varying_inputs();
        let used = |&(input, _): &(usize, f64)| varying.contains(&input) && !candidate.without.contains(&input);
        let mut shares: Vec<(usize, f64)> = shares.filter(used).collect();
        shares.sort_by(|a, b| a.1.total_cmp(&b.1));
        Ok(Some(shares))
    }

    /// The model of a finalist, fitted to all rows, and what it was judged by. All rows may leave it more weights than some did:
    /// one that is too large is made smaller and judged again.
    pub(crate) fn fitted_within(&self, data: &Dataset, chosen: Tried, run: &Run<'_>) -> Result<(Fit, Tried), FitError> {
        let (budget, own) = (&self.config.budget, chosen.candidate.method.clone());
        let (data, config) = self.posed(data, &chosen.candidate);
        let quiet = run.quiet();
        let fitted = |method: MethodConfig, half_widths: &[f64]| {
            let run = if method == own { run } else { &quiet };
            fit_chosen(&data, &config, method, half_widths.to_vec(), run)
        };
        let fit = budget.fit_within(own.clone(), |method| fitted(method, &chosen.half_widths))?;
        if fit.chosen.tunable().features == own.tunable().features {
            return Ok((fit, chosen));
        }
        let (some, to_compare) = self.posed_to_compare(&chosen.candidate);
        let validated = self.validated(slice::from_ref(&fit.chosen), &some, &to_compare, &quiet)?;
        let Validated { score, half_widths } = validated.into_iter().next().expect("there is a score for every method");
        let fit = fitted(fit.chosen, &half_widths)?;
        budget.check(&fit.blob).map_err(FitError::Budget)?;
        let flash_bytes = fit.blob.bytes().len();
        let instructions = budget.instructions.and_then(|most| instruction_bound(&fit.blob.model(), most.core));
        let candidate = chosen.candidate.with(fit.chosen.clone());
        Ok((fit, Tried { candidate, score, half_widths, flash_bytes, instructions, ..chosen }))
    }

    /// The largest number of features that keeps the budget: of the largest shape, or, where features lose inputs on
    /// the way, of the model that comes out, which is given as well.
    pub(crate) fn sized(
        &self,
        data: &Dataset,
        config: &FitConfig,
    ) -> Result<Result<(usize, Option<Blob>), FitError>, Stop> {
        let budget = &self.config.budget;
        let largest = budget.features(data, config, data.classes.is_empty());
        // Features that lost inputs may take more instructions.
        let kept = |&most: &usize| most >= config.method.tunable().features && budget.instructions.is_none();
        if Family::of(&config.method) != Family::Thinned || largest.as_ref().is_ok_and(kept) {
            return Ok(largest.map(|features| (features, None)));
        }
        let fitted = |method| self.shaped(data, config, &self.affordable(method));
        match budget.fit_within(config.method.clone(), fitted) {
            Ok(fit) => Ok(Ok((fit.chosen.tunable().features, Some(fit.blob)))),
            Err(FitError::Interrupted) => Err(self.stop()),
            Err(error) => Ok(Err(error)),
        }
    }

    /// A method's model, to see what it takes of the device.
    pub(crate) fn shaped(&self, data: &Dataset, config: &FitConfig, method: &MethodConfig) -> Result<Fit, FitError> {
        let intervals = vec![0.0; if data.classes.is_empty() { data.outputs() } else { 0 }];
        fit_chosen(data, config, method.clone(), intervals, &self.clock.limited().quiet())
    }

    /// Whether some number of such features keeps the budget, as far as that is known before a fit.
    pub(crate) fn keeps(&self, candidate: &Candidate) -> bool {
        let (data, config) = self.posed(self.data, candidate);
        self.config.budget.features(&data, &config, data.classes.is_empty()).is_ok()
    }

    /// The method with no more features than rows can tell apart, and with no more work than a search has time for.
    pub(crate) fn affordable(&self, method: MethodConfig) -> MethodConfig {
        let rows = self.data.rows();
        let most = (rows / 2).max(1);
        let mut method = method.tuned(|t| t.features = t.features.min(most));
        let Some(compact) = method.downcast_mut::<Compact>() else { return method };
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
    pub(crate) fn refinable(&self, steps: f64) -> usize {
        let operations = OPERATIONS * self.config.time.as_secs_f64();
        (operations / (steps * 4.0 * self.data.rows() as f64)).sqrt() as usize
    }
}
