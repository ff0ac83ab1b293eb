//! The largest model that keeps a budget.

#[cfg(test)]
mod tests;

use crate::cost::flash::Storage;
use crate::cost::{Budget, BudgetError, Needs};
use crate::data::Dataset;
use crate::emulate;
use crate::error::FitError;
use crate::export::{Blob, Encoding};
use crate::fit::FitConfig;
use crate::fit::procedure::{Fit, fit};
use crate::fit::taken::within_budget;
use crate::method::MethodConfig;
use crate::run::Run;

/// The share of the budget that a smaller model aims at, and the largest share of features that it keeps.
const SPARE: f64 = 0.98;
const LARGEST_STEP: f64 = 0.95;

/// Fits the largest model of the settings that keeps the budget.
///
/// The shape of a model bounds what it takes. Where only a fit shows it, a model that exceeds the budget is fitted
/// again with fewer features, until one keeps it.
///
/// # Errors
/// [`FitError::Budget`] if no model keeps the budget, and those of [`fit`].
pub fn fit_within(data: &Dataset, config: &FitConfig, budget: &Budget, run: &Run<'_>) -> Result<Fit, FitError> {
    if *budget == Budget::default() {
        return fit(data, config, run);
    }
    let intervals = config.calibrates(data);
    let features = most_features(budget, data, config, intervals)?;
    let method = within_budget(budget, data, config, intervals).tuned(|t| t.features = features);
    let mut run = *run;
    shrink_until_within(budget, method, |method| {
        let fitted = fit(data, &FitConfig { method, ..config.clone() }, &run);
        run = run.quiet();
        fitted
    })
}

/// Fits a method whose model size only a fit shows. A model that exceeds the budget is fitted again with fewer
/// features.
///
/// # Errors
/// [`FitError::Budget`] if a model of one feature exceeds the budget, and the errors of `fit`.
pub(crate) fn shrink_until_within(
    budget: &Budget,
    mut method: MethodConfig,
    mut fit: impl FnMut(MethodConfig) -> Result<Fit, FitError>,
) -> Result<Fit, FitError> {
    loop {
        let fitted = fit(method.clone())?;
        let needs = needs(budget, &fitted.blob).map_err(FitError::Budget)?;
        let usage = budget.usage(needs);
        let features = fitted.chosen.tunable().features;
        let fewer = ((features as f64 * (SPARE / usage).min(LARGEST_STEP)) as usize).max(1);
        if usage <= 1.0 || fewer >= features {
            return budget.check(needs).map(|()| fitted).map_err(FitError::Budget);
        }
        method = method.tuned(|t| t.features = fewer);
    }
}

/// Returns the largest number of features, up to the method's own, of a model that keeps the budget for every outcome
/// of the fit and of the choice of settings. Pruned features can take more instructions than features of all inputs.
/// `intervals` says whether the model has intervals around its predictions.
///
/// If the encoding has a limit of flash, features leave room for the ranges of the readings where these take at most a
/// quarter of the budget.
///
/// # Errors
/// [`FitError::Budget`] if not even one feature keeps the budget, and [`FitError`] for settings that are out of range.
pub(crate) fn most_features(
    budget: &Budget,
    data: &Dataset,
    config: &FitConfig,
    intervals: bool,
) -> Result<usize, FitError> {
    config.check(data)?;
    let largest_order = config.grid.orders.iter().copied().max().or(config.method.tunable().order);
    let method = config.method.clone().tuned(|t| t.order = largest_order);
    let scaling = config.preprocessing.learn(data);
    let reserves = budget.reserves_ranges(data.inputs());
    let file_limit = budget.file_limit(config.encoding);
    let with_room_for = |flash: Option<usize>| {
        let encoding = Encoding { flash, ..config.encoding };
        budget.most_features(data, &method, Storage { scaling: &scaling, encoding, intervals })
    };
    let features = with_room_for(file_limit.map(|flash| if reserves { usize::MAX } else { flash }));
    features.or_else(|_| with_room_for(file_limit)).map_err(FitError::Budget)
}

/// Checks that a model keeps the budget; where only the compiler can tell, with the compiler.
///
/// # Errors
/// [`BudgetError::OverFlash`], [`BudgetError::OverWork`], [`BudgetError::Program`].
pub fn check_budget(blob: &Blob, budget: &Budget) -> Result<(), BudgetError> {
    budget.check(needs(budget, blob)?)
}

/// Returns the flash and the work of a model; where only the compiler can tell, by the compiler.
fn needs(budget: &Budget, blob: &Blob) -> Result<Needs, BudgetError> {
    let compiled = match budget.deployment.compiled() {
        Some(_) => emulate::footprint(blob, &budget.deployment)?,
        None => None,
    };
    Ok(budget.needs(blob, compiled.as_ref()))
}
