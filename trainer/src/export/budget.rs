//! The largest model that fits a flash budget, known before anything is fitted.

use srfm_runtime::format::{self, BUFFERED, BlockSpec, ModelSpec, Prepared};

use super::fold::{limited, needs_centre};
use super::sections::with_importance;
use super::{Blob, ExportError};
use crate::data::{Dataset, inputs_hash};
use crate::method::{FitError, MethodConfig, Terms};
use crate::scaling::{InputScaling, Scaling};

/// The flash in bytes that a model of `features` features of the method's order fitted to `data` takes at most.
///
/// What a fit gives is not known yet: it may use every input that varies or a few of them only, and where there are at most
/// [`BUFFERED`] it may subtract their centres. Every part of the file grows with the number of inputs used, so that
/// the largest models of either kind bound all others.
///
/// # Errors
/// [`ExportError::TooMany`] where the format cannot hold such a model.
pub fn flash_bytes(
    data: &Dataset,
    inputs: InputScaling,
    method: &MethodConfig,
    features: usize,
) -> Result<usize, ExportError> {
    Inputs::of(data, inputs).flash_bytes(data, method, features)
}

/// The largest number of features, up to the method's own, of a model that takes at most `flash` bytes.
///
/// # Errors
/// [`FitError::Budget`] where not even one feature fits.
pub fn features_within(
    data: &Dataset,
    inputs: InputScaling,
    method: &MethodConfig,
    flash: usize,
) -> Result<usize, FitError> {
    let inputs = Inputs::of(data, inputs);
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
    /// Whether there is one whose centre has to be subtracted.
    far: bool,
}

impl Inputs {
    fn of(data: &Dataset, scaling: InputScaling) -> Inputs {
        let scaling = Scaling::learn(data, scaling).x;
        let varying: Vec<usize> = (0..data.inputs()).filter(|&i| scaling.scale[i].is_finite()).collect();
        Inputs { varying: varying.len(), far: varying.iter().any(|&i| needs_centre(&scaling, i)) }
    }

    fn flash_bytes(&self, data: &Dataset, method: &MethodConfig, features: usize) -> Result<usize, ExportError> {
        let method = method.clone().tuned(|t| t.features = features);
        let (settings, features) = (method.tunable(), method.method().device_features(data.outputs()));
        let (order, linear) =
            (settings.order.map_or(self.varying, |order| order.min(self.varying)), settings.terms == Terms::Linear);
        let used = if linear { self.varying } else { self.varying.min(features.saturating_mul(order)) };
        let shape = Shape { data, method: method.name(), features, order, linear };
        let centred = if self.far { used.min(BUFFERED) } else { 0 };
        Ok(shape.bytes(used, 0)?.max(shape.bytes(centred, centred)?))
    }
}

/// What decides the length of a model file beside the inputs that it uses.
struct Shape<'a> {
    data: &'a Dataset,
    method: &'static str,
    features: usize,
    order: usize,
    linear: bool,
}

impl Shape<'_> {
    /// The length of a file whose model uses `used` inputs and prepares `prepared` of them: only lengths matter, so
    /// all values are zero.
    fn bytes(&self, used: usize, prepared: usize) -> Result<usize, ExportError> {
        let (inputs, outputs) = (limited("inputs", self.data.inputs())?, self.data.outputs());
        let order = limited("inputs per feature", self.order)?;
        let per_feature = 1 + self.order + outputs;
        // The length field has 32 bits.
        let words = self.features.saturating_mul(per_feature);
        if words > u32::MAX as usize / 4 {
            return Err(ExportError::TooMany { what: "parameters", count: words, limit: u32::MAX as usize / 4 });
        }
        let terms = if self.linear { used } else { 0 };
        let (records, indices) = (vec![0.0; words], vec![0; self.features * self.order]);
        let chunk = usize::from(u16::MAX);
        let blocks: Vec<BlockSpec<'_>> = records
            .chunks(chunk * per_feature)
            .zip(indices.chunks(chunk * self.order))
            .map(|(records, indices)| BlockSpec { order, records, indices })
            .collect();
        let classes: Vec<&str> = self.data.classes.iter().map(String::as_str).collect();
        let spec = ModelSpec {
            method: self.method,
            inputs,
            inputs_hash: inputs_hash(&self.data.input_names),
            importance: &[],
            classes: &classes,
            prepared: &vec![Prepared { centre: 0.0, input: 0, warp: 0, reserved: 0 }; prepared],
            intercepts: &vec![0.0; outputs],
            linear_weights: &vec![0.0; terms * outputs],
            linear_inputs: &vec![0; terms],
            blocks: &blocks,
        };
        let importance = vec![0; self.data.inputs()];
        with_importance(spec, &importance).and_then(|spec| format::encoded_len(&spec)).map_err(ExportError::Refused)
    }
}
