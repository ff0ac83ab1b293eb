//! From raw rows to a model on the workstation: scale, choose settings by cross-validation, fit.

use serde::{Deserialize, Serialize};

use crate::data::{Dataset, is_constant};
use crate::error::FitError;
use crate::export::{self, Agreement, Blob, Encoding, ExportError, Exported, NumberFormat};
use crate::importance::input_importance;
use crate::method::{MethodConfig, MethodError};
use crate::model::Model;
use crate::run::{Parts, Run};
use crate::scaling::{InputScaling, Scaling};
use crate::validate::cross_validation::{Folds, Score, Validated, ranked, validate};
use crate::warp::{self, Warp};

/// Factor by which a method without λ reckons with more rounding when its model loses too much on the device.
const STEADIER: f64 = 3.0;

/// Most times that it does.
const MOST_STEADIER: usize = 4;

/// What to fit and which settings to choose from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FitConfig {
    /// The method and its settings.
    pub method: MethodConfig,
    /// Inputs per feature to choose from by cross-validation; empty means the method's own setting.
    pub orders: Vec<usize>,
    /// Scales of the law that frequencies are drawn from to choose from; empty means the method's own setting.
    pub scales: Vec<f64>,
    /// Ridge parameters to choose from by cross-validation; empty means the method's own setting. A settings file that has
    /// no list but sets the method's own means that one alone.
    pub lambdas: Vec<f64>,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// How inputs are scaled; none means standard.
    pub scaling: Option<InputScaling>,
    /// The warp of each input; empty where none is warped.
    pub warps: Vec<Warp>,
    /// How the device stores the model.
    pub number: NumberFormat,
    /// Largest difference between the device's predictions and the workstation's, in standard deviations of the target.
    pub max_error: f64,
}

impl Default for FitConfig {
    fn default() -> Self {
        FitConfig {
            method: MethodConfig::Harfe(Default::default()),
            orders: Vec::new(),
            scales: Vec::new(),
            lambdas: vec![1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0],
            folds: 5,
            scaling: None,
            warps: Vec::new(),
            number: NumberFormat::default(),
            max_error: Encoding::default().max_error,
        }
    }
}

impl FitConfig {
    /// How the model is stored.
    pub fn encoding(&self) -> Encoding {
        Encoding { number: self.number, max_error: self.max_error }
    }

    /// The scaling of inputs and targets.
    pub fn learn(&self, data: &Dataset) -> Scaling {
        Scaling::learn(data, self.scaling.unwrap_or_default(), &self.warps)
    }

    /// Whether a fit to `data` chooses by cross-validation and can say how far its predictions of quantities are off.
    pub fn calibrates(&self, data: &Dataset) -> bool {
        data.classes.is_empty() && self.candidates().len() > 1
    }

    /// How rows are divided for cross-validation.
    pub(crate) fn folds(&self) -> Folds {
        let (scaling, warps) = (self.scaling.unwrap_or_default(), self.warps.clone());
        Folds { count: self.folds, scaling, warps, encoding: self.encoding() }
    }

    /// Every combination of the settings to choose from; at least one.
    pub(crate) fn candidates(&self) -> Vec<MethodConfig> {
        let own = self.method.tunable();
        let orders = choices(&self.orders, own.order);
        let scales = choices(&self.scales, own.scale);
        let lambdas = if own.lambda.is_none() { vec![None] } else { choices(&self.lambdas, own.lambda) };
        let mut candidates: Vec<MethodConfig> = Vec::new();
        for &order in &orders {
            for &scale in &scales {
                for &lambda in &lambdas {
                    let tuned = self.method.clone().tuned(|t| (t.order, t.scale, t.lambda) = (order, scale, lambda));
                    // A method without a scale is the same for all of them.
                    if !candidates.contains(&tuned) {
                        candidates.push(tuned);
                    }
                }
            }
        }
        candidates
    }

    /// The same with nothing left to choose for `method`.
    pub(crate) fn with(&self, method: MethodConfig) -> FitConfig {
        FitConfig { method, orders: Vec::new(), scales: Vec::new(), lambdas: Vec::new(), ..self.clone() }
    }
}

/// A fitted model and how its settings were chosen.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The model, as [`Exported`] has it.
    pub model: Model,
    /// The model as the device stores it.
    pub blob: Blob,
    /// How well the device's code reproduces the model over the fitted rows.
    pub agreement: Agreement,
    /// The settings that it was fitted with.
    pub chosen: MethodConfig,
    /// Every setting that was tried with its score; empty where there was nothing to choose.
    pub tried: Vec<(MethodConfig, Score)>,
}

/// Fits `data` (raw columns) and exports the model.
///
/// The model has the settings of the best cross-validated score among those whose model the device's code reproduces. A
/// method without λ is fitted again, with more allowance for rounding, where the device loses too much. Where the observer has
/// a checkpoint, folds that are finished and the state of a method that keeps one are found again.
///
/// # Errors
/// [`FitError`]: too few rows, a constant target, settings out of range, no model that the device could reproduce.
pub fn fit(data: &Dataset, config: &FitConfig, run: &Run<'_>) -> Result<Fit, FitError> {
    check(data, config)?;
    let candidates = config.candidates();
    // Cross-validation fits once a fold and path of λ, then come all rows; again only where the device does not hold the model.
    let paths = candidates.chunk_by(MethodConfig::differs_in_lambda_alone).count();
    let of_folds = if candidates.len() > 1 { config.folds.saturating_mul(paths) } else { 0 };
    let again = candidates.iter().skip(1).map(|_| 0);
    let parts = Parts::new(run, [of_folds, 1].into_iter().chain(again).collect());
    let validated: Vec<Validated> =
        if candidates.len() > 1 { validate(&candidates, data, &config.folds(), &parts.part(0))? } else { Vec::new() };
    let tried: Vec<(MethodConfig, Score)> = candidates.iter().cloned().zip(validated.iter().map(|v| v.score)).collect();
    // All rows can give a model that the device does not hold though every fold's was held: then the next best has its turn.
    let mut refused = None;
    for (place, chosen) in by_score(&candidates, &tried, data.rows())?.into_iter().enumerate() {
        let own = candidates.iter().position(|candidate| *candidate == chosen).and_then(|own| validated.get(own));
        let half_widths = own.map_or(Vec::new(), |own| own.half_widths.clone());
        match fit_chosen(data, config, chosen, half_widths, &parts.part(1 + place)) {
            Ok(fit) => return Ok(Fit { tried, ..fit }),
            Err(FitError::Export(error)) => refused = refused.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(refused.expect("there is at least one candidate").into())
}

/// Fits all rows with settings that are chosen, whose cross-validation gave these half-widths of intervals, and exports the
/// model; the method of `config` is not used.
///
/// # Errors
/// As [`fit`].
pub(crate) fn fit_chosen(
    data: &Dataset,
    config: &FitConfig,
    mut chosen: MethodConfig,
    half_widths: Vec<f64>,
    run: &Run<'_>,
) -> Result<Fit, FitError> {
    warp::check(data, &config.warps)?;
    let scaling = config.learn(data);
    let scaled = scaling.apply(data);
    let mut refused = None;
    for attempt in 0.. {
        let expansion = chosen.method().fit(&scaled, run)?;
        let importance = input_importance(&expansion, &scaled.x);
        let half_widths = half_widths.clone();
        let model = Model { importance, half_widths, ..Model::new(chosen.name(), expansion, scaling.clone(), data) };
        let error = match export::finished(model, data, config.encoding()) {
            Ok(Exported { model, blob, agreement }) => {
                return Ok(Fit { model, blob, agreement, chosen, tried: Vec::new() });
            }
            Err(error) => error,
        };
        // Targets that jump, such as classes, take larger coefficients than a method without λ reckons with.
        let steadier = chosen.clone().steadier(STEADIER);
        let lost = matches!(error, ExportError::Precision { .. }) && attempt < MOST_STEADIER;
        refused = refused.or(Some(error));
        match steadier.filter(|_| lost) {
            Some(steadier) => chosen = steadier,
            None => break,
        }
    }
    Err(refused.expect("there was an attempt").into())
}

/// The candidates that are left after cross-validation, best first; all where there was none.
fn by_score(
    candidates: &[MethodConfig],
    tried: &[(MethodConfig, Score)],
    rows: usize,
) -> Result<Vec<MethodConfig>, FitError> {
    if tried.is_empty() {
        return Ok(candidates.to_vec());
    }
    let scores: Vec<Score> = tried.iter().map(|(_, score)| *score).collect();
    let ranking = ranked(&scores, rows);
    if ranking.is_empty() {
        return Err(FitError::NoCandidate { tried: tried.len() });
    }
    Ok(ranking.into_iter().map(|candidate| candidates[candidate].clone()).collect())
}

/// The list, or the method's own setting where it is empty.
fn choices<T: Copy>(list: &[T], own: Option<T>) -> Vec<Option<T>> {
    if list.is_empty() { vec![own] } else { list.iter().copied().map(Some).collect() }
}

/// Makes sure that there is something to fit and that there are settings to fit it with; methods check their own.
///
/// # Errors
/// As [`fit`].
pub fn check(data: &Dataset, config: &FitConfig) -> Result<(), FitError> {
    if data.rows() < 2 {
        let (purpose, advice) = ("a fit", "add rows");
        return Err(MethodError::TooFewRows { rows: data.rows(), needed: 2, purpose, advice }.into());
    }
    for (name, column) in data.output_names.iter().zip(data.y.column_iter()) {
        if is_constant(column.as_slice()) {
            return Err(FitError::ConstantTarget { name: name.clone() });
        }
    }
    if data.varying_inputs().is_empty() {
        return Err(MethodError::ConstantInputs.into());
    }
    warp::check(data, &config.warps)?;
    if config.max_error.is_nan() || config.max_error <= 0.0 {
        return Err(MethodError::Setting { setting: "max_error", range: "above 0", value: config.max_error }.into());
    }
    for order in config.candidates().iter().filter_map(|candidate| candidate.tunable().order) {
        if order == 0 {
            return Err(MethodError::Setting { setting: "order", range: "at least 1", value: 0.0 }.into());
        }
        if order > data.inputs() {
            return Err(MethodError::OrderBeyondInputs { order, inputs: data.inputs() }.into());
        }
    }
    Ok(())
}
