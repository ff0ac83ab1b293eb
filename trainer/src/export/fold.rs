//! Folds all scaling into the parameters and writes the result in `f32`.
//!
//! With inputs `(x − m) / s` and frequencies ω in radians, the device computes `cos(2π(⟨w, x⟩ + p))` with
//! `w = ω / (2π s)` and `p = (b − ⟨ω, m / s⟩) / 2π − 1/4` (the quarter turn makes a sine of it). Where an input's mean
//! is large against its spread, `⟨w, x⟩` and p cancel and `f32` loses the digits in which they differ: such a model
//! keeps `m` and subtracts it from the reading first.

use std::f64::consts::TAU;

use srfm_runtime::format::{self, BUFFERED, BlockSpec, Kernel, ModelSpec, Prepared};
use srfm_runtime::kernel::cosine_f32;

use super::merge::merge;
use super::sections::{rounded, with_importance};
use super::{Blob, ExportError};
use crate::data::inputs_hash;
use crate::features::Activation;
use crate::model::Model;
use crate::scaling::Columns;

/// Mean over standard deviation of an input from which on its mean is subtracted on the device: folding it into the
/// phase would cost more than three of the 24 bits of an `f32`.
const CENTRE_FROM: f64 = 8.0;

/// One feature in the device's canonical form.
struct Folded {
    support: Vec<usize>,
    /// Turns per unit of the reading.
    weights: Vec<f64>,
    /// Turns, in −1/2 ..= 1/2.
    phase: f64,
    /// One per output, times the kernel's leading coefficient.
    amplitudes: Vec<f64>,
}

/// Writes `model` as the device stores it, in `f32`.
///
/// # Errors
/// [`ExportError::Activation`], [`ExportError::TooMany`] and [`ExportError::Range`]; see [`verify`](super::verify) for the loss of precision.
pub fn export(model: &Model) -> Result<Blob, ExportError> {
    match model.expansion.activation {
        Activation::Sine => {}
        Activation::Sigmoid => return Err(ExportError::Activation { activation: "sigmoid" }),
        Activation::Relu => return Err(ExportError::Activation { activation: "rectified" }),
    }
    let (d, k) = (limited("inputs", model.input_names.len())?, model.expansion.intercept.ncols());
    limited("outputs", k)?;
    let active = active_inputs(model);
    let centred = active.len() <= BUFFERED && active.iter().any(|&i| needs_centre(&model.scaling.x, i));
    // Without preparation features see the readings themselves.
    let position = |input: usize| match centred {
        true => active.iter().position(|&a| a == input).expect("supports are active") as u16,
        false => input as u16,
    };
    // The device subtracts the centre as it is in f32: fold with that value, not with the exact mean.
    let centre = |input: usize| model.scaling.x.mean[input] as f32;
    let shift = |input: usize| model.scaling.x.mean[input] - if centred { f64::from(centre(input)) } else { 0.0 };

    let prepared: Vec<Prepared> = match centred {
        true => active.iter().map(|&i| Prepared { centre: centre(i), input: i as u16, warp: 0, reserved: 0 }).collect(),
        false => Vec::new(),
    };
    let (mut features, constants) = fold_features(model, shift);
    let (intercepts, linear_inputs, linear_weights) = fold_terms(model, &active, &constants, shift);
    let linear_inputs: Vec<u16> = linear_inputs.into_iter().map(position).collect();
    check_range(model, &features, &intercepts, &linear_weights)?;

    features.sort_by(|a, b| (a.support.len(), &a.support).cmp(&(b.support.len(), &b.support)));
    let mut blocks: Vec<(u16, Vec<f32>, Vec<u16>)> = Vec::new();
    for feature in &features {
        let order = limited("inputs per feature", feature.support.len())?;
        let full = |records: &Vec<f32>| records.len() / (1 + usize::from(order) + k) == usize::from(u16::MAX);
        if blocks.last().is_none_or(|(last, records, _)| *last != order || full(records)) {
            blocks.push((order, Vec::new(), Vec::new()));
        }
        let (_, records, indices) = blocks.last_mut().expect("just pushed");
        records.push(feature.phase as f32);
        records.extend(feature.weights.iter().chain(&feature.amplitudes).map(|&v| v as f32));
        indices.extend(feature.support.iter().map(|&i| position(i)));
    }
    let blocks: Vec<BlockSpec<'_>> =
        blocks.iter().map(|(order, records, indices)| BlockSpec { order: *order, records, indices }).collect();

    let classes: Vec<&str> = model.classes.iter().map(String::as_str).collect();
    let spec = ModelSpec {
        method: model.method,
        inputs: d,
        kernel: Kernel::Cosine,
        inputs_hash: inputs_hash(&model.input_names),
        importance: &[],
        classes: &classes,
        prepared: &prepared,
        intercepts: &intercepts,
        linear_weights: &linear_weights,
        linear_inputs: &linear_inputs,
        blocks: &blocks,
    };
    let importance = rounded(&model.importance);
    let spec = with_importance(spec, &importance).map_err(ExportError::Refused)?;
    let mut bytes = vec![0; format::encoded_len(&spec).map_err(ExportError::Refused)?];
    format::write(&spec, &mut bytes).map_err(ExportError::Refused)?;
    Blob::new(&bytes).map_err(ExportError::Refused)
}

pub(super) fn limited(what: &'static str, count: usize) -> Result<u16, ExportError> {
    u16::try_from(count).map_err(|_| ExportError::TooMany { what, count, limit: u16::MAX.into() })
}

/// The inputs that the outputs depend on, ascending.
fn active_inputs(model: &Model) -> Vec<usize> {
    let expansion = &model.expansion;
    let varies = |i: usize| model.scaling.x.scale[i].is_finite();
    let used = |i: usize| {
        expansion.linear.row(i).iter().any(|&w| w != 0.0) || expansion.features.iter().any(|f| f.support.contains(&i))
    };
    (0..model.input_names.len()).filter(|&i| varies(i) && used(i)).collect()
}

pub(super) fn needs_centre(x: &Columns, input: usize) -> bool {
    x.mean[input].abs() > CENTRE_FROM * x.scale[input]
}

/// The features in canonical form, those of one frequency merged, and what to add to the intercepts.
///
/// Features that no output uses are left out, and inputs that do not vary; a feature without an input is a constant.
fn fold_features(model: &Model, shift: impl Fn(usize) -> f64) -> (Vec<Folded>, Vec<f64>) {
    let (expansion, scale) = (&model.expansion, &model.scaling.x.scale);
    let (features, coefficients) = merge(&expansion.features, &expansion.coefficients);
    let (mut folded, mut constants) = (Vec::new(), vec![0.0; coefficients.ncols()]);
    for (feature, coefficients) in features.iter().zip(coefficients.row_iter()) {
        if coefficients.iter().all(|&c| c == 0.0) {
            continue;
        }
        let (mut support, mut weights, mut phase) = (Vec::new(), Vec::new(), feature.bias / TAU - 0.25);
        for (&input, &weight) in feature.support.iter().zip(&feature.weights) {
            let weight = weight / (TAU * scale[input]);
            if weight != 0.0 {
                support.push(input);
                weights.push(weight);
                phase -= weight * shift(input);
            }
        }
        if support.is_empty() {
            for ((constant, c), scale) in constants.iter_mut().zip(coefficients.iter()).zip(&model.scaling.y.scale) {
                *constant += c * scale * libm::sin(feature.bias);
            }
            continue;
        }
        let amplitudes =
            coefficients.iter().zip(&model.scaling.y.scale).map(|(c, scale)| c * scale * cosine_f32::LEADING).collect();
        folded.push(Folded { support, weights, phase: phase - phase.round(), amplitudes });
    }
    (folded, constants)
}

/// Intercepts, with `constants` added, and inputs and weights of the linear terms.
fn fold_terms(
    model: &Model,
    active: &[usize],
    constants: &[f64],
    shift: impl Fn(usize) -> f64,
) -> (Vec<f32>, Vec<usize>, Vec<f32>) {
    let (expansion, x, y) = (&model.expansion, &model.scaling.x, &model.scaling.y);
    let weight = |input: usize, output: usize| expansion.linear[(input, output)] * y.scale[output] / x.scale[input];
    let outputs = 0..expansion.intercept.ncols();
    let inputs: Vec<usize> = active.iter().copied().filter(|&i| outputs.clone().any(|o| weight(i, o) != 0.0)).collect();
    let intercept = |o: usize| {
        let shifted: f64 = inputs.iter().map(|&i| weight(i, o) * shift(i)).sum();
        (y.mean[o] + y.scale[o] * expansion.intercept[o] + constants[o] - shifted) as f32
    };
    let weights = inputs.iter().flat_map(|&i| outputs.clone().map(move |o| (i, o))).map(|(i, o)| weight(i, o) as f32);
    (outputs.clone().map(intercept).collect(), inputs.clone(), weights.collect())
}

/// Names the first parameter that is not finite in `f32`.
fn check_range(model: &Model, features: &[Folded], intercepts: &[f32], linear: &[f32]) -> Result<(), ExportError> {
    const TARGET: &str = "rescale the target, or raise --lambda";
    let finite = |value: f64| (value as f32).is_finite();
    let target = |output: usize| &model.output_names[output];
    for feature in features {
        if let Some(i) = feature.weights.iter().position(|&w| !finite(w)) {
            let what = format!("a weight of the input {:?}", model.input_names[feature.support[i]]);
            return Err(ExportError::Range { what, advice: "rescale the input, or lower the scale of the law" });
        }
        if !feature.phase.is_finite() {
            let advice = "rescale the inputs, or lower the scale of the law";
            return Err(ExportError::Range { what: "the phase of a feature".to_owned(), advice });
        }
        if let Some(output) = feature.amplitudes.iter().position(|&a| !finite(a)) {
            let what = format!("a coefficient of the target {:?}", target(output));
            return Err(ExportError::Range { what, advice: TARGET });
        }
    }
    if let Some(output) = intercepts.iter().position(|v| !v.is_finite()) {
        return Err(ExportError::Range {
            what: format!("the intercept of the target {:?}", target(output)),
            advice: TARGET,
        });
    }
    if let Some(term) = linear.iter().position(|v| !v.is_finite()) {
        let what = format!("a linear term of the target {:?}", target(term % intercepts.len()));
        return Err(ExportError::Range { what, advice: "rescale the inputs or the target" });
    }
    Ok(())
}
