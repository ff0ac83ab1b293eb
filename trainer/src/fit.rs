//! From raw rows to a model on the workstation: scale, choose settings by cross-validation, fit.

use serde::{Deserialize, Serialize};

use crate::data::Dataset;
use crate::method::{FitError, MethodConfig};
use crate::model::Model;
use crate::observer::Observer;
use crate::scaling::{Scaling, is_constant};
use crate::select::cross_validation::{Score, cross_validate};

/// What to fit and which settings to choose from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitConfig {
    /// The method and its settings.
    pub method: MethodConfig,
    /// Inputs per feature to choose from by cross-validation; empty means the method's own setting.
    pub orders: Vec<usize>,
    /// Ridge parameters to choose from by cross-validation; empty means the method's own setting.
    pub lambdas: Vec<f64>,
    /// Folds of the cross-validation.
    pub folds: usize,
}

impl Default for FitConfig {
    fn default() -> Self {
        FitConfig {
            method: MethodConfig::Harfe(Default::default()),
            orders: Vec::new(),
            lambdas: vec![1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0],
            folds: 5,
        }
    }
}

/// A fitted model and how its settings were chosen.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The model.
    pub model: Model,
    /// The settings that it was fitted with.
    pub chosen: MethodConfig,
    /// Every setting that was tried with its score; empty where there was nothing to choose.
    pub tried: Vec<(MethodConfig, Score)>,
}

/// Fits `data` (raw columns).
///
/// # Errors
/// [`FitError`]: too few rows, a constant target, settings out of range.
pub fn fit(data: &Dataset, config: &FitConfig, seed: u64, observer: &dyn Observer) -> Result<Fit, FitError> {
    check(data)?;
    let candidates = candidates(config);
    for order in candidates.iter().map(|candidate| candidate.tunable().order) {
        if order > data.inputs() {
            return Err(FitError::OrderBeyondInputs { order, inputs: data.inputs() });
        }
    }
    let tried: Vec<(MethodConfig, Score)> = if candidates.len() > 1 {
        let scores = cross_validate(&candidates, data, config.folds, seed, observer)?;
        candidates.iter().cloned().zip(scores).collect()
    } else {
        Vec::new()
    };
    let best = tried.iter().min_by(|(_, a), (_, b)| a.mse.total_cmp(&b.mse)).map(|(candidate, _)| candidate);
    let chosen = best.unwrap_or(&candidates[0]).clone();

    let scaling = Scaling::of(data);
    let expansion = chosen.method().fit(&scaling.apply(data), seed, observer)?;
    Ok(Fit { model: Model::new(chosen.name(), expansion, scaling, data), chosen, tried })
}

/// Every combination of the settings to choose from; at least one.
fn candidates(config: &FitConfig) -> Vec<MethodConfig> {
    let own = config.method.tunable();
    let orders = if config.orders.is_empty() { vec![own.order] } else { config.orders.clone() };
    let lambdas = match own.lambda {
        Some(_) if !config.lambdas.is_empty() => config.lambdas.iter().copied().map(Some).collect(),
        own => vec![own],
    };
    let combine = |&order| lambdas.iter().map(move |&lambda| (order, lambda));
    let tuned = |(order, lambda)| config.method.clone().tuned(|t| (t.order, t.lambda) = (order, lambda));
    orders.iter().flat_map(combine).map(tuned).collect()
}

fn check(data: &Dataset) -> Result<(), FitError> {
    if data.rows() < 2 {
        let (purpose, advice) = ("a fit", "add rows");
        return Err(FitError::TooFewRows { rows: data.rows(), needed: 2, purpose, advice });
    }
    for (name, column) in data.output_names.iter().zip(data.y.column_iter()) {
        if is_constant(column.as_slice()) {
            return Err(FitError::ConstantTarget { name: name.clone() });
        }
    }
    if data.varying_inputs().is_empty() { Err(FitError::ConstantInputs) } else { Ok(()) }
}
