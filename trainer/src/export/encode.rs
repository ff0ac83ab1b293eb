//! Writes a model as the device stores it, in `f32`.
//!
//! Where an input's mean is large against its spread, `⟨w, x⟩` and the bias cancel and `f32` loses the digits in which they
//! differ: such a model keeps the mean and subtracts it from the reading first.

use srfm_runtime::format::{self, ALL, BUFFERED, BlockSpec, Kernel, ModelSpec, Prepared, UNROLLED};

use super::fold::{Folded, FoldedModel, active_inputs, fold};
use super::sections::{rounded, with_importance};
use super::{Blob, ExportError};
use crate::data::inputs_hash;
use crate::model::Model;
use crate::scaling::Columns;

/// Mean over standard deviation of an input from which on its mean is subtracted on the device: folding it into the
/// bias would cost more than three of the 24 bits of an `f32`.
const CENTRE_FROM: f64 = 8.0;

/// Writes `model` as the device stores it, in `f32`.
///
/// # Errors
/// [`ExportError::TooMany`] and [`ExportError::Range`]; see [`verify`](super::verify) for the loss of precision.
pub fn export(model: &Model) -> Result<Blob, ExportError> {
    let (d, k) = (limited("inputs", model.input_names.len())?, model.expansion.intercept.ncols());
    limited("outputs", k)?;
    let active = active_inputs(model);
    let centred = active.len() <= BUFFERED && active.iter().any(|&i| needs_centre(&model.scaling.x, i));
    // The device subtracts the centre as it is in f32: fold with that value, not with the exact mean.
    let centre = |input: usize| model.scaling.x.mean[input] as f32;
    let folded = fold(model, &active, |input| {
        model.scaling.x.mean[input] - if centred { f64::from(centre(input)) } else { 0.0 }
    });
    let prepared: Vec<Prepared> = match centred {
        true => active.iter().map(|&i| Prepared { centre: centre(i), input: i as u16, warp: 0, reserved: 0 }).collect(),
        false => Vec::new(),
    };
    // Without preparation features see the readings themselves.
    let view: Vec<usize> = if centred { active } else { (0..d.into()).collect() };
    let position = |input: &usize| view.binary_search(input).expect("supports are active") as u16;
    let linear_inputs: Vec<u16> = folded.linear_inputs.iter().map(position).collect();
    let intercepts: Vec<f32> = folded.intercepts.iter().map(|&v| v as f32).collect();
    let linear_weights: Vec<f32> = folded.linear_weights.iter().map(|&v| v as f32).collect();
    check_range(model, &folded)?;

    let blocks = blocks(&folded, &view)?;
    let blocks: Vec<BlockSpec<'_>> = blocks.iter().map(Block::spec).collect();
    let classes: Vec<&str> = model.classes.iter().map(String::as_str).collect();
    let spec = ModelSpec {
        method: model.method,
        kernel: folded.kernel,
        inputs: d,
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

pub(super) fn needs_centre(x: &Columns, input: usize) -> bool {
    x.mean[input].abs() > CENTRE_FROM * x.scale[input]
}

/// Whether features of `order` inputs take less flash with a weight for each of the `view` inputs than with a list of
/// theirs. The quick loops for few inputs per feature take lists alone.
pub(super) fn dense_pays(order: usize, view: usize) -> bool {
    let index = if view > 256 { 2 } else { 1 };
    order > UNROLLED && 4 * view <= order * (4 + index)
}

/// Features of one order on their way to the file.
struct Block {
    order: u16,
    records: Vec<f32>,
    indices: Vec<u16>,
}

impl Block {
    fn spec(&self) -> BlockSpec<'_> {
        BlockSpec { order: self.order, records: &self.records, indices: &self.indices }
    }
}

/// The features in blocks, ascending by order and support; those that look at nearly all inputs of the view come last.
fn blocks(folded: &FoldedModel, view: &[usize]) -> Result<Vec<Block>, ExportError> {
    let mut features: Vec<&Folded> = folded.features.iter().collect();
    features.sort_by_key(|feature| (feature.support.len(), &feature.support));
    let mut blocks: Vec<Block> = Vec::new();
    for feature in features {
        let dense = dense_pays(feature.support.len(), view.len());
        let order = if dense { ALL } else { limited("inputs per feature", feature.support.len())? };
        let record = record(folded.kernel, feature, dense.then_some(view));
        let full = |block: &Block| block.records.len() / record.len() == usize::from(u16::MAX);
        if blocks.last().is_none_or(|last| last.order != order || full(last)) {
            blocks.push(Block { order, records: Vec::new(), indices: Vec::new() });
        }
        let block = blocks.last_mut().expect("just pushed");
        block.records.extend(record);
        if !dense {
            let position = |input: &usize| view.binary_search(input).expect("supports are in the view") as u16;
            block.indices.extend(feature.support.iter().map(position));
        }
    }
    Ok(blocks)
}

/// Bias, weights (of all the inputs in `view`, where there is one) and amplitudes of a feature.
fn record(kernel: Kernel, feature: &Folded, view: Option<&[usize]>) -> Vec<f32> {
    let mut record: Vec<f64> = feature.bias.into_iter().collect();
    match view {
        None => record.extend(&feature.weights),
        Some(view) => {
            let weight = |input| feature.support.binary_search(input).map_or(0.0, |i| feature.weights[i]);
            record.extend(view.iter().map(weight));
        }
    }
    record.extend(feature.amplitudes.iter().zip(kernel.scales().iter().cycle()).map(|(a, scale)| a * scale));
    record.into_iter().map(|v| v as f32).collect()
}

/// Names the first parameter that is not finite in `f32`.
fn check_range(model: &Model, folded: &FoldedModel) -> Result<(), ExportError> {
    const TARGET: &str = "rescale the target, or raise --lambda";
    let finite = |value: f64| (value as f32).is_finite();
    let target = |output: usize| &model.output_names[output];
    let scales = folded.kernel.scales();
    for feature in &folded.features {
        if let Some(i) = feature.weights.iter().position(|&w| !finite(w)) {
            let what = format!("a weight of the input {:?}", model.input_names[feature.support[i]]);
            return Err(ExportError::Range { what, advice: "rescale the input, or lower the scale of the law" });
        }
        if !feature.bias.is_none_or(finite) {
            let advice = "rescale the inputs, or lower the scale of the law";
            return Err(ExportError::Range { what: "the bias of a feature".to_owned(), advice });
        }
        let mut amplitudes = feature.amplitudes.iter().zip(scales.iter().cycle());
        if let Some(i) = amplitudes.position(|(amplitude, scale)| !finite(amplitude * scale)) {
            let what = format!("a coefficient of the target {:?}", target(i / scales.len()));
            return Err(ExportError::Range { what, advice: TARGET });
        }
    }
    if let Some(output) = folded.intercepts.iter().position(|&v| !finite(v)) {
        return Err(ExportError::Range {
            what: format!("the intercept of the target {:?}", target(output)),
            advice: TARGET,
        });
    }
    if let Some(term) = folded.linear_weights.iter().position(|&v| !finite(v)) {
        let what = format!("a linear term of the target {:?}", target(term % folded.intercepts.len()));
        return Err(ExportError::Range { what, advice: "rescale the inputs or the target" });
    }
    Ok(())
}
