//! From raw rows to a verified model: preprocess, choose settings by cross-validation, fit, export.

use std::slice;

use serde::Serialize;
use srfm_runtime::format::Confidence;

use crate::data::Dataset;
use crate::error::FitError;
use crate::export::{self, Agreement, Blob, ExportError, Exported};
use crate::fit::FitConfig;
use crate::message::message;
use crate::message::setting::CONFIDENCE;
use crate::method::{MethodConfig, MethodError, Terms};
use crate::model::Model;
use crate::run::{Parts, Run};
use crate::validate::certainty::Certainty;
use crate::validate::cross_validation::validate;
use crate::validate::{Score, Validated, ranked};

/// The largest number of times that the penalty grows.
const MOST_RETRIES: usize = 6;

/// A fitted model and how its settings were chosen.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The model on the workstation. Integers round its inputs, biases and amplitudes only.
    pub model: Model,
    /// The model as the device stores it.
    pub blob: Blob,
    /// The difference between the device's code and the model over the fitted rows.
    pub agreement: Agreement,
    /// The method and its chosen settings.
    pub chosen: MethodConfig,
    /// The cross-validated settings with their scores; empty if there was nothing to choose.
    pub tried: Vec<(MethodConfig, Score)>,
    /// Whether λ, or the assumed rounding error of a method without λ, was raised, or linear terms got a penalty: the
    /// device could not reproduce the model of the settings as they were.
    pub raised: bool,
    /// How often a model that tells novel rows from normal ones is wrong about normal ones; none for other models.
    pub false_alarms: Option<FalseAlarms>,
}

/// The false alarms of a model that tells novel rows from normal ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FalseAlarms {
    /// The largest probability that a fresh normal row is found novel, if all rows are alike.
    pub level: f64,
    /// The number of held-out normal rows that the threshold was set on.
    pub rows: usize,
    /// The number of these rows that are found novel.
    pub found: usize,
    /// Whether these rows were drawn at random one by one. Rows of the same group, and neighbours in time, resemble
    /// each other, so that the level holds for fresh groups and times only roughly.
    pub alike: bool,
}

/// Fits `data` (raw columns) and exports the model.
///
/// The settings are those of the best cross-validated score whose model the device's code reproduces. If the device
/// loses too much, as with dependent columns, the method is fitted again with penalised linear terms, with a larger λ,
/// or with a larger assumed rounding error where it has no λ. A run with a checkpoint resumes after the folds that an
/// earlier run finished, and from the state of a method that saves one.
///
/// # Errors
/// [`FitError`]: too few rows, a constant target, settings out of range, no model that the device could reproduce.
pub fn fit(data: &Dataset, config: &FitConfig, run: &Run<'_>) -> Result<Fit, FitError> {
    run.install(|run| fit_on_threads(data, config, run))
}

/// Fits a model on the present threads.
fn fit_on_threads(data: &Dataset, config: &FitConfig, run: &Run<'_>) -> Result<Fit, FitError> {
    config.check(data)?;
    config.method.check_name()?;
    let candidates = config.candidates();
    // Cross-validation fits each path of λ once in every fold. The fits to all rows follow, more than one only after a
    // failed export.
    let paths = candidates.chunk_by(MethodConfig::shares_a_fit).count();
    let chooses = candidates.len() > 1;
    let of_folds = if chooses || config.calibrates(data) { config.fold_count().saturating_mul(paths) } else { 0 };
    let again = candidates.iter().skip(1).map(|_| 0);
    let parts = Parts::new(run, [of_folds, 1].into_iter().chain(again).collect());
    let validated: Vec<Validated> = match of_folds {
        0 => Vec::new(),
        _ => match validate(&candidates, data, &config.folds(), &parts.part(0)) {
            // A model with nothing to choose goes without intervals where the rows are too few for folds.
            Err(error) if !chooses && config.encoding.confidence.is_none() && error != FitError::Interrupted => {
                Vec::new()
            }
            validated => validated?,
        },
    };
    let tried: Vec<(MethodConfig, Score)> = candidates.iter().cloned().zip(validated.iter().map(|v| v.score)).collect();
    // The export of the final model can fail although those of all folds succeeded. Then the next best settings are
    // fitted.
    let mut refused = None;
    let ranking = by_score(&candidates, &tried, data.rows());
    if ranking.is_empty() {
        return fit_steadily(data, config, candidates, &run.quiet());
    }
    for (place, chosen) in ranking.into_iter().enumerate() {
        let own = candidates.iter().position(|candidate| *candidate == chosen).and_then(|own| validated.get(own));
        let certainty = own.map(|own| own.certainty.clone()).unwrap_or_default();
        check_certainty(config.encoding.confidence, &certainty, own.map_or(0, |own| own.score.rows))?;
        match fit_chosen(data, &config.with(chosen), certainty, &parts.part(1 + place)) {
            Ok(fit) => return Ok(Fit { tried, ..fit }),
            Err(FitError::Export(error)) => refused = refused.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    Err(refused.expect("there is at least one candidate").into())
}

/// Checks that cross-validation gave the margin of a confidence.
///
/// # Errors
/// [`MethodError::TooFewRows`].
pub(crate) fn check_certainty(level: Option<f64>, certainty: &Certainty, tested: usize) -> Result<(), MethodError> {
    match level {
        Some(level) if certainty.margin.is_none() => {
            let needed = (level / (1.0 - level)).ceil() as usize;
            let advice = message!("add rows, or lower ", CONFIDENCE);
            let purpose = "this confidence, as they are those that cross-validation tests";
            Err(MethodError::TooFewRows { rows: tested, needed, purpose, advice })
        }
        _ => Ok(()),
    }
}

/// Fits candidates none of which has a model in every fold: with a penalty for their linear terms, which λ leaves out,
/// or else with a λ that is large enough.
///
/// # Errors
/// As [`fit_penalised`].
fn fit_steadily(
    data: &Dataset,
    config: &FitConfig,
    candidates: Vec<MethodConfig>,
    run: &Run<'_>,
) -> Result<Fit, FitError> {
    let method = &config.method;
    if method.tunable().terms == Terms::Linear && method.tunable().features > 0 {
        let method = method.clone().tuned(|t| t.terms = Terms::Ridge);
        let penalised = FitConfig { method, ..config.clone() };
        match fit_on_threads(data, &penalised, run) {
            Err(FitError::NoCandidate { .. } | FitError::Export(_)) => {}
            fitted => return fitted.map(|fit| Fit { raised: true, ..fit }),
        }
    }
    fit_penalised(data, config, candidates, run)
}

/// Fits the first of the candidates, none of which has a model in every fold, with a λ that is large enough for one.
///
/// # Errors
/// The error of a fit to all rows, which usually fails for the same reason as the folds and names it;
/// [`FitError::NoCandidate`] if folds fail with every λ.
fn fit_penalised(
    data: &Dataset,
    config: &FitConfig,
    candidates: Vec<MethodConfig>,
    run: &Run<'_>,
) -> Result<Fit, FitError> {
    let tried = candidates.len();
    let mut next = candidates.into_iter().next();
    for _ in 0..MOST_RETRIES {
        let Some(method) = next else { break };
        let chosen = fit_chosen(data, &config.with(method), Certainty::default(), run)?.chosen;
        let validated = validate(slice::from_ref(&chosen), data, &config.folds(), run)?;
        let Validated { score, certainty, .. } = validated.into_iter().next().expect("there is one method");
        if !ranked(&[score], data.rows()).is_empty() {
            check_certainty(config.encoding.confidence, &certainty, score.rows)?;
            let fit = fit_chosen(data, &config.with(chosen.clone()), certainty, run)?;
            return Ok(Fit { tried: vec![(chosen, score)], raised: true, ..fit });
        }
        next = chosen.steadier(1.0);
    }
    Err(FitError::NoCandidate { tried })
}

/// Fits all rows with the method of `config`, which is chosen, and exports the model. Cross-validation gave the
/// certainty of predictions.
///
/// # Errors
/// As [`fit`].
pub(crate) fn fit_chosen(
    data: &Dataset,
    config: &FitConfig,
    certainty: Certainty,
    run: &Run<'_>,
) -> Result<Fit, FitError> {
    config.preprocessing.check(data)?;
    let scaling = config.preprocessing.learn(data);
    let scaled = scaling.apply(data);
    let mut chosen = config.method.clone();
    let mut refused = None;
    for attempt in 0.. {
        let expansion = chosen.fit_expansion(&scaled, run)?;
        let importance = expansion.input_importance(&scaled.x);
        let Certainty { half_widths, slope, margin } = certainty.clone();
        let level = config.encoding.confidence;
        let stated = |(level, margin)| Confidence { level: level as f32, margin: rounded_up(margin) };
        let confidence = level.zip(margin).map(stated);
        let fitted = Model::new(chosen.name(), expansion, scaling.clone(), data);
        let model = Model { importance, half_widths, slope, confidence, ..fitted };
        let error = match export::finished(model, data, config.encoding) {
            Ok(Exported { model, blob, agreement }) => {
                let tried = Vec::new();
                let raised = attempt > 0;
                return Ok(Fit { model, blob, agreement, chosen, tried, raised, false_alarms: None });
            }
            Err(error) => error,
        };
        // Columns that nearly depend on each other, and discontinuous targets such as classes, take larger
        // coefficients.
        let next = match error {
            ExportError::Precision { share, limit } if attempt < MOST_RETRIES => chosen.clone().steadier(share / limit),
            _ => None,
        };
        refused = refused.or(Some(error));
        match next {
            Some(steadier) => chosen = steadier,
            None => break,
        }
    }
    Err(refused.expect("there was an attempt").into())
}

/// Returns the least number in single precision that is not below a margin.
fn rounded_up(margin: f64) -> f32 {
    let near = margin as f32;
    if f64::from(near) < margin { near.next_up() } else { near }
}

/// Returns the candidates that are left after cross-validation, best first; all candidates without cross-validation.
fn by_score(candidates: &[MethodConfig], tried: &[(MethodConfig, Score)], rows: usize) -> Vec<MethodConfig> {
    if tried.is_empty() {
        return candidates.to_vec();
    }
    let scores: Vec<Score> = tried.iter().map(|(_, score)| *score).collect();
    ranked(&scores, rows).into_iter().map(|candidate| candidates[candidate].clone()).collect()
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::*;
    use crate::method::Harfe;
    use crate::sampling::Sampler;

    /// Readings of two sensors that agree to seven digits: no λ of the features makes the coefficients of the line
    /// small, which then differ by the noise over 1e-7.
    #[test]
    fn linear_terms_that_the_device_cannot_hold_get_a_penalty() {
        for seed in 0..3 {
            let mut sampler = Sampler::new(seed);
            let mut x = DMatrix::from_fn(200, 3, |_, _| sampler.normal());
            (0..200).for_each(|row| x[(row, 2)] = x[(row, 0)] + 1e-7 * x[(row, 2)]);
            let y = DMatrix::from_fn(200, 1, |row, _| x[(row, 0)] + libm::cos(x[(row, 1)]) + 0.1 * sampler.normal());
            let data = Dataset::new(x, y).unwrap();
            let config = FitConfig::new(Harfe { features: 10, ..Harfe::default() });
            let fit = fit(&data, &config, &Run::new(seed)).unwrap();
            assert!(fit.raised && fit.chosen.tunable().terms == Terms::Ridge, "seed {seed}");
            // Cross-validation chose λ anew, and tells how certain predictions are.
            assert!(fit.tried.len() > 1 && fit.score().is_some() && fit.model.half_widths[0] < 0.5, "seed {seed}");
            let off = (export::predict(&fit.blob, &data.x).cast::<f64>() - &data.y).norm() / 200_f64.sqrt();
            assert!(off < 0.2, "seed {seed}: {off}, with noise of 0.1");
        }
    }
}
