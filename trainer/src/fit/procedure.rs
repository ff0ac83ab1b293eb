//! From raw rows to a verified model: preprocess, choose settings by cross-validation, fit, export.

use crate::data::Dataset;
use crate::error::FitError;
use crate::export::{self, Agreement, Blob, ExportError, Exported};
use crate::fit::FitConfig;
use crate::importance::input_importance;
use crate::method::MethodConfig;
use crate::model::Model;
use crate::run::{Parts, Run};
use crate::validate::cross_validation::{Score, Validated, ranked, validate};

/// Factor by which a method without λ reckons with more rounding when its model loses too much on the device.
const STEADIER: f64 = 3.0;

/// Most times that it does.
const MOST_STEADIER: usize = 4;

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
    run.install(|run| fit_on_threads(data, config, run))
}

/// Fits a model on the present threads.
fn fit_on_threads(data: &Dataset, config: &FitConfig, run: &Run<'_>) -> Result<Fit, FitError> {
    config.check(data)?;
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
    config.preprocessing.check(data)?;
    let scaling = config.preprocessing.learn(data);
    let scaled = scaling.apply(data);
    let mut refused = None;
    for attempt in 0.. {
        let expansion = chosen.method().fit(&scaled, run)?;
        let importance = input_importance(&expansion, &scaled.x);
        let half_widths = half_widths.clone();
        let model = Model { importance, half_widths, ..Model::new(chosen.name(), expansion, scaling.clone(), data) };
        let error = match export::finished(model, data, config.encoding) {
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
