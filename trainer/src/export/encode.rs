//! The parts of a model file that do not depend on the number format: features in blocks, sections.

use srfm_runtime::format::{
    ALL, BlockSpec, HistorySpec, Intervals, Kernel, ModelSpec, Number, Prepared, Scale, Shifts, UNROLLED, packs,
};

use crate::data::inputs_hash;
use crate::export::absorb::{Absorbed, AbsorbedModel, active_inputs};
use crate::export::sections::Sections;
use crate::export::view::{View, replacements};
use crate::export::{Blob, ExportError};
use crate::model::Model;

/// What a number format makes of a model, but for the features.
pub(crate) struct Encoded<'a> {
    pub number: Number,
    pub prepared: Vec<Prepared>,
    /// The words of the limits of prepared inputs.
    pub input_limits: Vec<u32>,
    pub scales: Vec<Scale>,
    pub shifts: Shifts,
    pub intercepts: Vec<u32>,
    /// The lowest and the highest value of each output; none for a classifier.
    pub limits: Vec<[u32; 2]>,
    pub linear_weights: Vec<u32>,
    pub linear_inputs: Vec<u16>,
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
        history: HistorySpec { windows: history.windows(), places: history.places() },
        prepared: &encoded.prepared,
        input_limits: &encoded.input_limits,
        replacements: &replacements(&encoded.prepared, &model.scaling),
        scales: &encoded.scales,
        shifts: encoded.shifts,
        intercepts: &encoded.intercepts,
        limits: &encoded.limits,
        linear_weights: &encoded.linear_weights,
        linear_inputs: &encoded.linear_inputs,
        blocks: &blocks,
    };
    Sections::of(model).added_to(spec).and_then(|spec| Blob::of(&spec)).map_err(ExportError::Refused)
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
