//! Folds all scaling into the parameters and writes the result in `f32`.
//!
//! With inputs `(x − m) / s` and frequencies ω in radians, the device computes `cos(2π(⟨w, x⟩ + p))` with
//! `w = ω / (2π s)` and `p = (b − ⟨ω, m / s⟩) / 2π − 1/4` (the quarter turn makes a sine of it). Where an input's mean
//! is large against its spread, `⟨w, x⟩` and p cancel and `f32` loses the digits in which they differ: such a model
//! keeps `m` and subtracts it from the reading first.

use std::f64::consts::TAU;

use srfm_runtime::format::{self, BUFFERED, BlockSpec, ModelSpec, Prepared};
use srfm_runtime::kernel::cosine_f32;

use super::merge::merge;
use super::{Blob, ExportError};
use crate::model::Model;

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
/// [`ExportError::TooMany`] and [`ExportError::Range`]; see [`verify`](super::verify) for the loss of precision.
pub fn export(model: &Model) -> Result<Blob, ExportError> {
    let (d, k) = (limited("inputs", model.input_names.len())?, model.expansion.intercept.ncols());
    limited("outputs", k)?;
    let active = active_inputs(model);
    let centred = active.len() <= BUFFERED && active.iter().any(|&i| needs_centre(model, i));
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
    let (intercepts, linear_inputs, linear_weights) = fold_terms(model, &active, shift);
    let linear_inputs: Vec<u16> = linear_inputs.into_iter().map(position).collect();

    let mut features = fold_features(model, shift);
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

    let spec = ModelSpec {
        method: model.method,
        inputs: d,
        inputs_hash: format::hash_names(model.input_names.iter().map(String::as_str)),
        prepared: &prepared,
        intercepts: &intercepts,
        linear_weights: &linear_weights,
        linear_inputs: &linear_inputs,
        blocks: &blocks,
    };
    let mut bytes = vec![0; format::encoded_len(&spec).map_err(ExportError::Refused)?];
    format::write(&spec, &mut bytes).map_err(ExportError::Refused)?;
    Blob::new(&bytes).map_err(|error| match error {
        srfm_runtime::Error::NotFinite => ExportError::Range,
        error => ExportError::Refused(error),
    })
}

fn limited(what: &'static str, count: usize) -> Result<u16, ExportError> {
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

fn needs_centre(model: &Model, input: usize) -> bool {
    model.scaling.x.mean[input].abs() > CENTRE_FROM * model.scaling.x.scale[input]
}

/// The features in canonical form, those of one frequency merged; those that no output uses are left out, and inputs that do not vary.
fn fold_features(model: &Model, shift: impl Fn(usize) -> f64) -> Vec<Folded> {
    let (expansion, scale) = (&model.expansion, &model.scaling.x.scale);
    let (features, coefficients) = merge(&expansion.features, &expansion.coefficients);
    let mut folded = Vec::new();
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
        let amplitudes =
            coefficients.iter().zip(&model.scaling.y.scale).map(|(c, scale)| c * scale * cosine_f32::LEADING).collect();
        folded.push(Folded { support, weights, phase: phase - phase.round(), amplitudes });
    }
    folded
}

/// Intercepts, and inputs and weights of the linear terms.
fn fold_terms(model: &Model, active: &[usize], shift: impl Fn(usize) -> f64) -> (Vec<f32>, Vec<usize>, Vec<f32>) {
    let (expansion, x, y) = (&model.expansion, &model.scaling.x, &model.scaling.y);
    let weight = |input: usize, output: usize| expansion.linear[(input, output)] * y.scale[output] / x.scale[input];
    let outputs = 0..expansion.intercept.ncols();
    let inputs: Vec<usize> = active.iter().copied().filter(|&i| outputs.clone().any(|o| weight(i, o) != 0.0)).collect();
    let intercept = |o: usize| {
        let shifted: f64 = inputs.iter().map(|&i| weight(i, o) * shift(i)).sum();
        (y.mean[o] + y.scale[o] * expansion.intercept[o] - shifted) as f32
    };
    let weights = inputs.iter().flat_map(|&i| outputs.clone().map(move |o| (i, o))).map(|(i, o)| weight(i, o) as f32);
    (outputs.clone().map(intercept).collect(), inputs.clone(), weights.collect())
}
