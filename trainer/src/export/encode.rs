//! The parts of a model file that do not depend on the number format: features in blocks, sections.

use srfm_runtime::Error;
use srfm_runtime::format::{
    ALL, BlockSpec, Intervals, Kernel, ModelSpec, Number, Prepared, Scale, Shifts, UNROLLED, encoded_len, packs,
};

use crate::data::inputs_hash;
use crate::export::absorb::{Absorbed, AbsorbedModel, active_inputs};
use crate::export::trees::EncodedTrees;
use crate::export::view::View;
use crate::export::{Blob, ExportError};
use crate::model::{INTERVAL_LEVEL, Model};

/// What a number format makes of a model, but for the features.
pub(crate) struct Encoded<'a> {
    pub number: Number,
    pub prepared: Vec<Prepared>,
    /// The words of the limits of prepared inputs.
    pub input_limits: Vec<u32>,
    /// The words of what replaces missing readings of prepared inputs.
    pub replacements: Vec<u32>,
    pub scales: Vec<Scale>,
    pub shifts: Shifts,
    pub intercepts: Vec<u32>,
    /// The lowest and the highest value of each output; none for a classifier.
    pub limits: Vec<[u32; 2]>,
    pub linear_weights: Vec<u32>,
    pub linear_inputs: Vec<u16>,
    pub trees: EncodedTrees,
    /// The inputs that indices refer to.
    pub view: &'a View,
}

/// Writes a model file. `record` gives the words of a feature, with a weight for every input of the view where it is
/// true.
pub(crate) fn write(
    model: &Model,
    absorbed: &AbsorbedModel,
    encoded: Encoded<'_>,
    record: impl Fn(&Absorbed, bool) -> Vec<u32>,
) -> Result<Blob, ExportError> {
    let inputs = limited("inputs", model.input_names.len())?;
    limited("outputs", absorbed.intercepts.len())?;
    let blocks = blocks(encoded.number, absorbed, encoded.view, record)?;
    let blocks: Vec<BlockSpec<'_>> = blocks.iter().map(Block::spec).collect();
    let history = model.history.shortened(&active_inputs(model));
    let classes: Vec<&str> = model.classes.iter().map(String::as_str).collect();
    let spec = ModelSpec {
        method: model.method,
        number: encoded.number,
        inputs,
        inputs_hash: inputs_hash(model.readings()),
        importance: &[],
        classes: &classes,
        ranges: &[],
        intervals: Intervals::default(),
        slope: model.slope.map(|slope| slope as f32),
        confidence: model.confidence,
        history: history.spec(),
        prepared: &encoded.prepared,
        input_limits: &encoded.input_limits,
        replacements: &encoded.replacements,
        scales: &encoded.scales,
        shifts: encoded.shifts,
        intercepts: &encoded.intercepts,
        limits: &encoded.limits,
        linear_weights: &encoded.linear_weights,
        linear_inputs: &encoded.linear_inputs,
        blocks: &blocks,
        trees: encoded.trees.spec(),
    };
    Sections::from_model(model).added_to(spec).and_then(|spec| Blob::from_spec(&spec)).map_err(ExportError::Refused)
}

pub(crate) fn limited(what: &'static str, count: usize) -> Result<u16, ExportError> {
    u16::try_from(count).map_err(|_| ExportError::TooMany { what, count, limit: u16::MAX.into() })
}

/// Most inputs of a feature for which the integer loops are unrolled that find numbers of inputs in the weights.
const UNROLLED_PACKED: usize = 5;

/// Whether features of `order` inputs take less flash with a weight for each of the `view` inputs than with a list of
/// theirs. The quick loops for few inputs per feature take lists alone; with numbers of inputs in the weights they are
/// for more of them, and a list takes nothing.
pub(crate) fn dense_pays(number: Number, order: usize, view: usize) -> bool {
    let index = if view > 256 { 2 } else { 1 };
    let (list, unrolled) = if packs(number, view) { (0, UNROLLED_PACKED) } else { (index * order, UNROLLED) };
    order > unrolled && 4 * number.weight_words(view) <= 4 * number.weight_words(order) + list
}

/// Features of one order on their way to the file.
struct Block {
    kernel: Kernel,
    order: u16,
    records: Vec<u32>,
    indices: Vec<u16>,
}

impl Block {
    fn spec(&self) -> BlockSpec<'_> {
        BlockSpec { kernel: self.kernel, order: self.order, records: &self.records, indices: &self.indices }
    }
}

/// The features in blocks, ascending by order and support; those that look at nearly all inputs of the view come last.
fn blocks(
    number: Number,
    absorbed: &AbsorbedModel,
    view: &View,
    record: impl Fn(&Absorbed, bool) -> Vec<u32>,
) -> Result<Vec<Block>, ExportError> {
    let mut features: Vec<&Absorbed> = absorbed.features.iter().collect();
    features.sort_by_key(|feature| (feature.support.len(), &feature.support));
    let mut blocks: Vec<Block> = Vec::new();
    for feature in features {
        let dense = dense_pays(number, feature.support.len(), view.len());
        let packs = packs(number, view.len());
        let order = if dense { ALL } else { limited("inputs per feature", feature.support.len())? };
        let record = record(feature, dense);
        let full = |block: &Block| block.records.len() / record.len() == usize::from(u16::MAX);
        if blocks.last().is_none_or(|last| last.order != order || full(last)) {
            blocks.push(Block { kernel: absorbed.kernel, order, records: Vec::new(), indices: Vec::new() });
        }
        let block = blocks.last_mut().expect("just pushed");
        block.records.extend(record);
        if !dense && !packs {
            block.indices.extend(feature.support.iter().map(|&input| view.position(input)));
        }
    }
    Ok(blocks)
}

/// Bytes of a file for each byte that the importance of its inputs may take.
const IMPORTANCE_FROM: usize = 16;

/// Bytes of a file for each byte that intervals, or ranges in a file without a limit, may take.
const RANGES_FROM: usize = 8;

/// Bytes of intervals that every file has room for: those of one output.
const SHORT_INTERVALS: usize = 8;

/// The content of the sections.
pub(crate) struct Sections {
    /// Shares in 255ths.
    importance: Vec<u8>,
    ranges: Vec<[f32; 2]>,
    half_widths: Vec<f32>,
    /// Flash that the file may take.
    flash: Option<usize>,
}

impl Sections {
    pub fn from_model(model: &Model) -> Sections {
        let active = active_inputs(model);
        let range = |(input, &(low, high)): (usize, &(f64, f64))| match active.binary_search(&input) {
            Ok(_) => [low as f32, high as f32],
            Err(_) => [f32::NEG_INFINITY, f32::INFINITY],
        };
        Sections {
            importance: model.importance.iter().map(|i| (255.0 * i.share).round() as u8).collect(),
            ranges: model.ranges.iter().enumerate().map(range).collect(),
            half_widths: model.half_widths.iter().map(|&h| h as f32).collect(),
            flash: model.flash,
        }
    }

    /// The longest there can be.
    pub fn longest(inputs: usize, intervals: usize, flash: Option<usize>) -> Sections {
        let importance = vec![0; inputs];
        let ranges = vec![[0.0; 2]; inputs];
        Sections { importance, ranges, half_widths: vec![0.0; intervals], flash }
    }

    /// The model with those sections that are short beside it, as flash is scarce, and with ranges that fill flash that
    /// is left over.
    pub fn added_to<'a>(&'a self, spec: ModelSpec<'a>) -> Result<ModelSpec<'a>, Error> {
        let short = self.short(spec)?;
        let whole = ModelSpec { ranges: &self.ranges, ..short };
        let fills = match self.flash {
            Some(flash) => encoded_len(&whole)? <= flash,
            None => false,
        };
        Ok(if fills { whole } else { short })
    }

    /// Returns the largest number of bytes that a model of at most the length of `spec` takes with its sections.
    pub fn most_bytes(&self, spec: ModelSpec<'_>) -> Result<usize, Error> {
        let short = self.short(spec)?;
        let bytes = encoded_len(&short)?;
        let whole = encoded_len(&ModelSpec { ranges: &self.ranges, ..short })?;
        Ok(self.flash.map_or(bytes, |flash| bytes.max(whole.min(flash))))
    }

    /// The model with those sections that are short beside it.
    ///
    /// The more bytes a model takes without, the more it takes with them.
    fn short<'a>(&'a self, spec: ModelSpec<'a>) -> Result<ModelSpec<'a>, Error> {
        let bytes = encoded_len(&spec)?;
        let importance = if IMPORTANCE_FROM * self.importance.len() <= bytes { &self.importance[..] } else { &[] };
        let has_ranges = self.flash.is_none() && RANGES_FROM * size_of_val(&self.ranges[..]) <= bytes;
        let ranges = if has_ranges { &self.ranges[..] } else { &[] };
        let intervals = size_of::<f32>() + size_of_val(&self.half_widths[..]);
        let worth = intervals <= SHORT_INTERVALS || RANGES_FROM * intervals <= bytes;
        let half_widths = if worth { &self.half_widths[..] } else { &[] };
        Ok(ModelSpec { importance, ranges, intervals: Intervals { level: INTERVAL_LEVEL as f32, half_widths }, ..spec })
    }
}
