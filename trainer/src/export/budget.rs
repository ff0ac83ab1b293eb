//! The largest model that fits a flash budget, known before anything is fitted.

use std::iter::repeat;

use srfm_runtime::format::{
    self, ALL, BUFFERED, BlockSpec, Intervals, Kernel, ModelSpec, Number, Prepared, Scale, Shifts, packs,
};

use super::encode::{dense_pays, limited};
use super::float::needs_centre;
use super::sections::Beside;
use super::{Blob, ExportError, NumberFormat};
use crate::data::{Dataset, inputs_hash};
use crate::method::{FitError, MethodConfig, Terms};
use crate::scaling::{InputScaling, Scaling};
use crate::warp::Warp;

/// How the model of a fit is to be stored.
#[derive(Clone, Copy, Debug)]
pub struct Storage<'a> {
    /// How inputs are scaled.
    pub scaling: InputScaling,
    /// The warp of each input; empty where none is warped.
    pub warps: &'a [Warp],
    /// The number format.
    pub number: NumberFormat,
    /// Whether settings are cross-validated on quantities, so that there are intervals around predictions.
    pub intervals: bool,
}

/// The flash in bytes that a model of `features` features of the method's order fitted to `data` takes at most.
///
/// What a fit gives is not known yet: it may use every input that varies or a few of them only, and where there are at most
/// [`BUFFERED`], or any number in integers, it may prepare them. Every part of the file grows with the number of inputs used, so that
/// the largest models of either kind bound all others.
///
/// # Errors
/// [`ExportError::TooMany`] where the format cannot hold such a model.
pub fn flash_bytes(
    data: &Dataset,
    storage: Storage<'_>,
    method: &MethodConfig,
    features: usize,
) -> Result<usize, ExportError> {
    Inputs::of(data, storage).flash_bytes(data, method, features)
}

/// The largest number of features, up to the method's own, of a model that takes at most `flash` bytes.
///
/// # Errors
/// [`FitError::Budget`] where not even one feature fits.
pub fn features_within(
    data: &Dataset,
    storage: Storage<'_>,
    method: &MethodConfig,
    flash: usize,
) -> Result<usize, FitError> {
    let inputs = Inputs::of(data, storage);
    let bytes = |features| inputs.flash_bytes(data, method, features).unwrap_or(usize::MAX);
    let smallest = inputs.flash_bytes(data, method, 1)?;
    if smallest > flash {
        return Err(FitError::Budget { flash, smallest });
    }
    // Invariant: `fits` fits and `beyond` does not.
    let (mut fits, mut beyond) = (1, method.tunable().features.min(u16::MAX.into()) + 1);
    while beyond - fits > 1 {
        let middle = fits.midpoint(beyond);
        if bytes(middle) <= flash { fits = middle } else { beyond = middle }
    }
    Ok(fits)
}

/// Makes sure of what [`features_within`] promised.
///
/// # Errors
/// [`ExportError::OverBudget`] where the model takes more than `flash` bytes.
pub fn check(blob: &Blob, flash: usize) -> Result<(), ExportError> {
    let bytes = blob.bytes().len();
    if bytes > flash { Err(ExportError::OverBudget { flash, bytes }) } else { Ok(()) }
}

/// What of the inputs matters to the length of a model file.
struct Inputs {
    /// How many of them vary.
    varying: usize,
    /// Most of them that may be prepared.
    prepared: usize,
    number: Number,
    intervals: bool,
}

impl Inputs {
    fn of(data: &Dataset, storage: Storage<'_>) -> Inputs {
        let Storage { scaling, warps, number, intervals } = storage;
        let scaling = Scaling::learn(data, scaling, warps).x;
        let varying: Vec<usize> = (0..data.inputs()).filter(|&i| scaling.scale[i].is_finite()).collect();
        let warped = |i: usize| warps.get(i).is_some_and(|warp| warp.bends());
        let prepared = match number {
            NumberFormat::F32 if varying.iter().any(|&i| warped(i) || needs_centre(&scaling, i)) => BUFFERED,
            NumberFormat::F32 => 0,
            NumberFormat::Int | NumberFormat::Int16 => varying.len(),
        };
        Inputs { varying: varying.len(), prepared, number: number.number(), intervals }
    }

    fn flash_bytes(&self, data: &Dataset, method: &MethodConfig, features: usize) -> Result<usize, ExportError> {
        let method = method.clone().tuned(|t| t.features = features);
        let settings = method.tunable();
        let order = settings.order.map_or(self.varying, |order| order.min(self.varying));
        let linear = settings.terms == Terms::Linear;
        let used = if linear { self.varying } else { self.varying.min(features.saturating_mul(order)) };
        // For one output, a sine with a phase does for a pair.
        let pairs = method.method().pairs() && data.outputs() > 1;
        let kernel = if pairs { Kernel::Sincos } else { Kernel::Cosine };
        let (number, intervals) = (self.number, self.intervals);
        let shape = Shape { data, method: method.name(), number, intervals, kernel, features, order, linear };
        let prepared = self.prepared.min(used);
        Ok(shape.bytes(used, 0)?.max(shape.bytes(if prepared > 0 { prepared } else { used }, prepared)?))
    }
}

/// What decides the length of a model file beside the inputs that it uses.
struct Shape<'a> {
    data: &'a Dataset,
    method: &'static str,
    number: Number,
    intervals: bool,
    /// Of the longest records that the features can have.
    kernel: Kernel,
    features: usize,
    order: usize,
    linear: bool,
}

impl Shape<'_> {
    /// The length of a file whose model uses `used` inputs and prepares `prepared` of them: only lengths matter, so
    /// all values are zero.
    fn bytes(&self, used: usize, prepared: usize) -> Result<usize, ExportError> {
        let (inputs, outputs) = (limited("inputs", self.data.inputs())?, self.data.outputs());
        let view = if prepared > 0 { prepared } else { self.data.inputs() };
        let dense = dense_pays(self.number, self.order, view);
        let listed = if dense || packs(self.number, view) { 0 } else { self.order };
        let weights = self.number.weight_words(if dense { view } else { self.order });
        let per_feature = weights + self.number.other_words(self.kernel, outputs);
        // The length field has 32 bits.
        let words = self.features.saturating_mul(per_feature);
        if words > u32::MAX as usize / 4 {
            return Err(ExportError::TooMany { what: "parameters", count: words, limit: u32::MAX as usize / 4 });
        }
        let terms = if self.linear { used } else { 0 };
        let (records, indices) = (vec![0; words], vec![0; self.features * listed]);
        let order = if dense { ALL } else { limited("inputs per feature", self.order)? };
        let chunk = usize::from(u16::MAX);
        let records = records.chunks(chunk * per_feature);
        let indices = indices.chunks((chunk * listed).max(1)).chain(repeat(&[][..]));
        let mut blocks: Vec<BlockSpec<'_>> =
            records.zip(indices).map(|(records, indices)| BlockSpec { order, records, indices }).collect();
        if dense {
            // Where a method leaves some weights at zero, lists of inputs that take as much as all weights have heads and
            // padding of their own.
            blocks.extend([BlockSpec { order: 1, records: &[], indices: &[] }; 2]);
        }
        let classes: Vec<&str> = self.data.classes.iter().map(String::as_str).collect();
        let spec = ModelSpec {
            method: self.method,
            number: self.number,
            kernel: self.kernel,
            inputs,
            inputs_hash: inputs_hash(&self.data.input_names),
            importance: &[],
            classes: &classes,
            ranges: &[],
            intervals: Intervals::default(),
            prepared: &vec![Prepared { centre: 0.0, input: 0, warp: 0, exponent: 0 }; prepared],
            scales: &vec![Scale { step: 1.0, offset: 0.0 }; if self.number == Number::F32 { 0 } else { outputs }],
            shifts: Shifts::default(),
            intercepts: &vec![0; outputs],
            linear_weights: &vec![0; terms * outputs],
            linear_inputs: &vec![0; terms],
            blocks: &blocks,
        };
        let beside = Beside::longest(self.data.inputs(), if self.intervals { outputs } else { 0 });
        beside.added_to(spec).and_then(|spec| format::encoded_len(&spec)).map_err(ExportError::Refused)
    }
}
