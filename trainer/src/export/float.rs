//! Writes a model in `f32`.
//!
//! Where an input's mean is large against its spread, `⟨w, x⟩` and the bias cancel and `f32` loses the digits in which
//! they differ: such a model keeps the mean and subtracts it from the reading first. A model that warps inputs does the
//! same.

use srfm_runtime::format::{self, BUFFERED, LIMITED, Number, Prepared, Shifts, through, words};

use crate::export::absorb::{Absorbed, AbsorbedModel, absorb, feature_inputs};
use crate::export::encode::{Encoded, write};
use crate::export::view::{View, replacements};
use crate::export::{Blob, ExportError, trees};
use crate::message::message;
use crate::message::setting::LAMBDA;
use crate::model::Model;
use crate::scaling::Columns;

/// Mean over standard deviation of an input from which on its mean is subtracted on the device: absorbing it into the
/// bias would cost more than three of the 24 bits of an `f32`.
const CENTRE_FROM: f64 = 8.0;

/// Writes `model` as the device stores it, in `f32`.
///
/// # Errors
/// [`ExportError::TooMany`] and [`ExportError::Range`]. The loss of precision is not looked at, as a fit does.
pub fn export(model: &Model) -> Result<Blob, ExportError> {
    let active = feature_inputs(model);
    let Model { scaling, .. } = model;
    let special = active.iter().any(|&i| scaling.warps[i].bends() || scaling.flags(i) > 0);
    if special && active.len() > BUFFERED {
        return Err(ExportError::TooManyPrepared { inputs: active.len(), limit: BUFFERED });
    }
    let centred = active.len() <= BUFFERED && active.iter().any(|&i| needs_centre(&model.scaling.x, i));
    let prepares = special || centred;
    // The device subtracts the centre as it is in f32: absorb that value, not with the exact mean.
    let centre = |input: usize| model.scaling.x.mean[input] as f32;
    let absorbed = absorb(model, Number::F32, &active, |input| {
        model.scaling.x.mean[input] - if prepares { f64::from(centre(input)) } else { 0.0 }
    });
    check_range(model, &absorbed)?;
    let warp = |i: usize| format::Warp::from(scaling.warps[i]).number() | scaling.flags(i);
    let prepare = |&i: &usize| Prepared { centre: centre(i), input: i as u16, warp: warp(i), exponent: 0 };
    // Without preparation features see the readings themselves.
    let view = if prepares { View::prepared(&active, scaling) } else { View::readings(model.input_names.len()) };
    let prepared: Vec<Prepared> = if prepares { view.inputs.iter().map(prepare).collect() } else { Vec::new() };
    let limits = |p: &Prepared| scaling.limits[usize::from(p.input)].unwrap_or_default().map(f32::to_bits);
    let input_limits = prepared[..through(&prepared, LIMITED)].iter().flat_map(limits).collect();
    let replacements = replacements(&prepared, scaling, |_, reading| reading.to_bits());
    let encoded = Encoded {
        number: Number::F32,
        prepared,
        input_limits,
        replacements,
        scales: Vec::new(),
        shifts: Shifts::default(),
        intercepts: single(&absorbed.intercepts),
        limits: model.limits.iter().map(|limits| limits.map(f32::to_bits)).collect(),
        linear_weights: single(&absorbed.linear_weights),
        linear_inputs: absorbed.linear_inputs.iter().map(|&input| view.position(input)).collect(),
        trees: trees::in_floats(model)?,
        view: &view,
    };
    let record = |feature: &Absorbed, dense: bool| record(&absorbed, feature, dense.then_some(&view.inputs[..]));
    write(model, &absorbed, encoded, record)
}

/// The words of numbers in single precision.
fn single(values: &[f64]) -> Vec<u32> {
    words(&values.iter().map(|&v| v as f32).collect::<Vec<_>>()).to_vec()
}

pub(crate) fn needs_centre(x: &Columns, input: usize) -> bool {
    x.mean[input].abs() > CENTRE_FROM * x.scale[input]
}

/// Bias, weights (of all the inputs in `view`, where there is one) and amplitudes of a feature.
fn record(absorbed: &AbsorbedModel, feature: &Absorbed, view: Option<&[usize]>) -> Vec<u32> {
    let mut record: Vec<f64> = feature.bias.into_iter().collect();
    match view {
        None => record.extend(&feature.weights),
        Some(view) => {
            let weight = |input| feature.support.binary_search(input).map_or(0.0, |i| feature.weights[i]);
            record.extend(view.iter().map(weight));
        }
    }
    record.extend(feature.amplitudes.iter().zip(absorbed.kernel.scales().iter().cycle()).map(|(a, scale)| a * scale));
    single(&record)
}

/// Names the first parameter that is not finite in `f32`.
pub(crate) fn check_range(model: &Model, absorbed: &AbsorbedModel) -> Result<(), ExportError> {
    let of_target = || message!("rescale the target, or raise ", LAMBDA);
    let finite = |value: f64| (value as f32).is_finite();
    let target = |output: usize| &model.output_names[output];
    let scales = absorbed.kernel.scales();
    for feature in &absorbed.features {
        if let Some(i) = feature.weights.iter().position(|&w| !finite(w)) {
            let what = format!("a weight of the input {:?}", model.input_names[feature.support[i]]);
            return Err(ExportError::Range { what, advice: "rescale the input, or lower the scale of the law".into() });
        }
        if !feature.bias.is_none_or(finite) {
            let advice = "rescale the inputs, or lower the scale of the law".into();
            return Err(ExportError::Range { what: "the bias of a feature".to_owned(), advice });
        }
        let mut amplitudes = feature.amplitudes.iter().zip(scales.iter().cycle());
        if let Some(i) = amplitudes.position(|(amplitude, scale)| !finite(amplitude * scale)) {
            let what = format!("a coefficient of the target {:?}", target(i / scales.len()));
            return Err(ExportError::Range { what, advice: of_target() });
        }
    }
    if let Some(output) = absorbed.intercepts.iter().position(|&v| !finite(v)) {
        return Err(ExportError::Range {
            what: format!("the intercept of the target {:?}", target(output)),
            advice: of_target(),
        });
    }
    if let Some(term) = absorbed.linear_weights.iter().position(|&v| !finite(v)) {
        let what = format!("a linear term of the target {:?}", target(term % absorbed.intercepts.len()));
        return Err(ExportError::Range { what, advice: "rescale the inputs or the target".into() });
    }
    Ok(())
}
