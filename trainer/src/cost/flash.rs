//! The largest file that a model can take, known before a fit.

use std::cmp::Reverse;
use std::iter::repeat;

use srfm_runtime::format::{
    self, ALL, BUFFERED, BlockSpec, Confidence, Intervals, Kernel, LIMITED, ModelSpec, NodeHead, Number, Prepared,
    REPLACED, Scale, Shifts, TreeInput, TreesSpec, USUAL_SLOPE, packs, through,
};

use crate::cost::{Deployment, Work};
use crate::data::{Dataset, inputs_hash};
use crate::export::{
    Blob, Encoding, ExportError, NumberFormat, Sections, are_counts, dense_pays, limited, needs_centre, rank,
};
use crate::features::Activation;
use crate::method::MethodConfig;
use crate::scaling::Scaling;

/// How the model of a fit is stored.
#[derive(Clone, Copy, Debug)]
pub struct Storage<'a> {
    /// The scaling, learned from the rows that are fitted.
    pub scaling: &'a Scaling,
    /// The number format and the flash that the file may take.
    pub encoding: Encoding,
    /// Whether the model has intervals around its predictions.
    pub intervals: bool,
}

/// Returns the largest flash in bytes that a model of `features` features of the method's order fitted to `data` can
/// take.
///
/// The outcome of the fit is unknown: the model may use all varying inputs or only some. It may prepare them if there
/// are at most [`BUFFERED`], or any number of them in integers. Every part of the file grows with the number of used
/// inputs, so the largest model with prepared inputs and the largest without bound all others.
///
/// # Errors
/// [`ExportError::TooMany`] if the format cannot hold such a model.
pub fn flash_bytes(
    data: &Dataset,
    storage: Storage<'_>,
    method: &MethodConfig,
    features: usize,
) -> Result<usize, ExportError> {
    let bytes = |shape: &Shape<'_>, used: usize, warps: &[u8]| -> Result<usize, ExportError> {
        shape.written(used, warps, |beside, spec| beside.most_bytes(spec))
    };
    let [as_read, prepared] = Inputs::new(storage).largest(data, method, features, bytes)?;
    Ok(as_read.max(prepared))
}

/// Returns the largest flash in bytes of a model as [`flash_bytes`] describes it, for the way in which it gets on the
/// board.
///
/// # Errors
/// [`ExportError::TooMany`] if the format cannot hold such a model.
pub(crate) fn most_flash(
    data: &Dataset,
    storage: Storage<'_>,
    method: &MethodConfig,
    features: usize,
    deployment: &Deployment,
) -> Result<usize, ExportError> {
    if !deployment.is_program() {
        return flash_bytes(data, storage, method, features);
    }
    let bytes = |shape: &Shape<'_>, used: usize, warps: &[u8]| {
        let blob = shape.written(used, warps, |beside, spec| match deployment.has_file() {
            true => Blob::from_spec(&beside.added_to(spec)?),
            false => Blob::from_spec(&spec),
        })?;
        Ok(deployment.flash(&blob))
    };
    let [as_read, prepared] = Inputs::new(storage).largest(data, method, features, bytes)?;
    Ok(as_read.max(prepared))
}

/// Returns the most work that a prediction can take after a fit, on the core and in the unit of a limit: that of a file
/// of the largest shape, with the warps of the scaling. Values do not matter.
///
/// # Errors
/// [`ExportError::TooMany`] if the format cannot hold such a model.
pub(crate) fn most_work(
    data: &Dataset,
    storage: Storage<'_>,
    method: &MethodConfig,
    Work { core, unit, .. }: Work,
    deployment: &Deployment,
) -> Result<u32, ExportError> {
    let work = |shape: &Shape<'_>, used: usize, warps: &[u8]| {
        let blob = shape.written(used, warps, |beside, spec| Blob::from_spec(&beside.added_to(spec)?))?;
        Ok(deployment.work(&blob.model(), core, unit))
    };
    let [as_read, prepared] = Inputs::new(storage).largest(data, method, method.tunable().features, work)?;
    Ok(as_read.max(prepared))
}

/// The properties of the inputs that determine the length of a model file.
struct Inputs<'a> {
    scaling: &'a Scaling,
    /// The varying inputs.
    varying: Vec<usize>,
    /// The warps and flags in model files of inputs that may be prepared, in the order of the file, most expensive
    /// first.
    warps: Vec<u8>,
    number: Number,
    flash: Option<usize>,
    intervals: bool,
    polynomial: bool,
    /// Whether the file states how sure of a class the model must be.
    confidence: bool,
}

impl Inputs<'_> {
    fn new(Storage { scaling, encoding, intervals }: Storage<'_>) -> Inputs<'_> {
        let Encoding { number, flash, polynomial, confidence, .. } = encoding;
        let Scaling { warps, x, .. } = scaling;
        let varying: Vec<usize> = (0..x.scale.len()).filter(|&i| x.scale[i].is_finite()).collect();
        let byte = |&i: &usize| format::Warp::from(warps[i]).number() | scaling.flags(i);
        let mut prepared: Vec<u8> = varying.iter().map(byte).collect();
        // Any number of inputs before the last one that is replaced takes a word each.
        if prepared.iter().any(|&byte| byte & REPLACED != 0) {
            prepared.iter_mut().for_each(|byte| *byte |= REPLACED);
        }
        // The most expensive warp is the logarithm in floating point and the square root in integers.
        let dearest = if number == NumberFormat::F32 { format::Warp::Log } else { format::Warp::Sqrt }.number();
        prepared.sort_unstable_by_key(|&byte| {
            let warp = byte & !(LIMITED | REPLACED);
            (rank(byte), Reverse((warp > 0, warp == dearest)))
        });
        let needed = || prepared.iter().any(|&byte| byte > 0) || varying.iter().any(|&i| needs_centre(x, i));
        match number {
            NumberFormat::F32 if !needed() => prepared.clear(),
            NumberFormat::F32 => prepared.truncate(BUFFERED),
            NumberFormat::Int | NumberFormat::Int16 => {}
        }
        let confidence = confidence.is_some();
        let number = number.number();
        Inputs { scaling, varying, warps: prepared, number, flash, intervals, polynomial, confidence }
    }

    /// Applies `write` to the largest model of inputs as they are read and to the largest model of prepared inputs.
    fn largest<T>(
        &self,
        data: &Dataset,
        method: &MethodConfig,
        features: usize,
        write: impl Fn(&Shape<'_>, usize, &[u8]) -> Result<T, ExportError>,
    ) -> Result<[T; 2], ExportError> {
        let method = method.clone().tuned(|t| t.features = features);
        let settings = method.tunable();
        let varying = self.varying.len();
        let order = settings.order.map_or(varying, |order| order.min(varying));
        let linear = settings.terms.has_lines();
        let rules = if method.method().has_rules() { features } else { 0 };
        let features = features - rules;
        // A rule of one condition looks at one input. In floating point rules take readings as they are.
        let looked_at = varying.min(features.saturating_mul(order).saturating_add(rules));
        let used = if linear { varying } else { looked_at };
        let used = if rules > 0 && !linear && self.number == Number::F32 { 0 } else { used };
        // For one output, a sine with a phase does for a pair.
        let pairs = method.method().pairs() && data.outputs() > 1;
        let &Inputs { number, flash, intervals, polynomial, confidence, .. } = self;
        let kernel = match (pairs, number) {
            (true, _) => Kernel::Sincos,
            (false, Number::I32 | Number::I16) if polynomial => Kernel::Polynomial,
            (false, _) => Kernel::Cosine,
        };
        let name = method.name();
        let ranges: Vec<(f64, f64)> =
            self.varying.iter().map(|&i| (data.x.column(i).min(), data.x.column(i).max())).collect();
        // A fit with other activations than waves is measured when it is done.
        let counts = are_counts(&self.varying, &ranges, data, self.scaling, (number, Activation::Sine));
        let shape = Shape {
            data,
            method: name,
            number,
            flash,
            intervals,
            confidence,
            kernel,
            features,
            order,
            linear,
            rules,
            varying,
            counts,
        };
        let warps = &self.warps[..self.warps.len().min(used)];
        let as_read = write(&shape, used, &[])?;
        Ok([as_read, write(&shape, if warps.is_empty() { used } else { warps.len() }, warps)?])
    }
}

/// The properties of a model, apart from its inputs, that determine the length of its file.
struct Shape<'a> {
    data: &'a Dataset,
    method: &'static str,
    number: Number,
    flash: Option<usize>,
    intervals: bool,
    confidence: bool,
    /// The kernel with the longest records that the features can have.
    kernel: Kernel,
    features: usize,
    order: usize,
    linear: bool,
    /// The number of rules, each of one condition.
    rules: usize,
    /// The number of varying inputs.
    varying: usize,
    /// Whether readings go into an integer model as they are.
    counts: bool,
}

/// The most features of a block.
const LARGEST_BLOCK: usize = u16::MAX as usize;

/// Returns the words of the parameters of all features.
fn parameter_words(features: usize, per_feature: usize) -> Result<usize, ExportError> {
    // The length field has 32 bits.
    let words = features.saturating_mul(per_feature);
    let limit = u32::MAX as usize / 4;
    if words > limit { Err(ExportError::TooMany { what: "parameters", count: words, limit }) } else { Ok(words) }
}

/// Rules of one condition each.
#[derive(Default)]
struct OneConditions {
    inputs: Vec<TreeInput>,
    steps: Vec<f32>,
    halves: Vec<u16>,
}

impl OneConditions {
    fn spec(&self) -> TreesSpec<'_> {
        TreesSpec { inputs: &self.inputs, steps: &self.steps, shift: 0, halves: &self.halves }
    }
}

impl Shape<'_> {
    /// Returns the rules, each a tree of one condition.
    fn rules(&self) -> Result<OneConditions, ExportError> {
        if self.rules == 0 {
            return Ok(OneConditions::default());
        }
        let outputs = self.data.outputs();
        let of_rule = 2 + outputs;
        let (count, limit) = (self.rules.saturating_mul(of_rule), usize::from(u16::MAX));
        if count > limit {
            return Err(ExportError::TooMany { what: "words of 16 bits in rules", count, limit });
        }
        let mut halves = vec![0; count];
        halves.iter_mut().step_by(of_rule).for_each(|head| *head = NodeHead::LOWER_AMPLITUDES);
        let float = self.number == Number::F32;
        let inputs = if float { self.varying.min(self.rules) } else { 0 };
        Ok(OneConditions {
            inputs: vec![TreeInput { base: 0, input: 0, shift: 0 }; inputs],
            steps: vec![0.0; if float { outputs } else { 0 }],
            halves,
        })
    }

    /// Applies `write` to the sections and to a model without them. The model uses `used` inputs and prepares an input
    /// for each of the `warps`. All values are zero, because only lengths and warps matter.
    fn written<T>(
        &self,
        used: usize,
        warps: &[u8],
        write: impl FnOnce(&Sections, ModelSpec<'_>) -> Result<T, srfm_runtime::Error>,
    ) -> Result<T, ExportError> {
        let inputs = limited("inputs", self.data.inputs())?;
        let outputs = self.data.outputs();
        let view = if warps.is_empty() { self.data.inputs() } else { warps.len() };
        let dense = dense_pays(self.number, self.order, view);
        let rules = self.rules()?;
        let listed = if dense || packs(self.number, view) { 0 } else { self.order };
        let weights = self.number.weight_words(if dense { view } else { self.order });
        let per_feature = weights + self.number.other_words(self.kernel, outputs);
        let words = parameter_words(self.features, per_feature)?;
        let terms = if self.linear { used } else { 0 };
        let records = vec![0; words];
        let indices = vec![0; self.features * listed];
        let order = if dense { ALL } else { limited("inputs per feature", self.order)? };
        let records = records.chunks(LARGEST_BLOCK * per_feature);
        let indices = indices.chunks((LARGEST_BLOCK * listed).max(1)).chain(repeat(&[][..]));
        let kernel = self.kernel;
        let mut blocks: Vec<BlockSpec<'_>> =
            records.zip(indices).map(|(records, indices)| BlockSpec { kernel, order, records, indices }).collect();
        if dense && self.features > 0 {
            // If a method leaves some weights at zero, lists of inputs that take as much as all weights have heads and
            // padding of their own.
            blocks.extend([BlockSpec { kernel, order: 1, records: &[], indices: &[] }; 2]);
        }
        let entry = |&warp| Prepared { centre: 0.0, input: 0, warp, exponent: i8::from(!self.counts) };
        let prepared: Vec<_> = warps.iter().map(entry).collect();
        let words = if self.number == Number::F32 { 2 } else { 1 };
        let classes: Vec<&str> = self.data.classes.iter().map(String::as_str).collect();
        let spec = ModelSpec {
            method: self.method,
            number: self.number,
            inputs,
            inputs_hash: inputs_hash(self.data.readings()),
            importance: &[],
            classes: &classes,
            ranges: &[],
            intervals: Intervals::default(),
            slope: (!classes.is_empty()).then_some(USUAL_SLOPE),
            confidence: self.confidence.then_some(Confidence { level: 0.0, margin: 0.0 }),
            history: self.data.history.spec(),
            prepared: &prepared,
            input_limits: &vec![0; words * through(&prepared, LIMITED)],
            replacements: &vec![0; through(&prepared, REPLACED)],
            scales: &vec![Scale { step: 1.0, offset: 0.0 }; if self.number == Number::F32 { 0 } else { outputs }],
            shifts: Shifts::default(),
            intercepts: &vec![0; outputs],
            limits: &vec![[0; 2]; if classes.is_empty() { outputs } else { 0 }],
            linear_weights: &vec![0; terms * outputs],
            linear_inputs: &vec![0; terms],
            blocks: &blocks,
            trees: rules.spec(),
        };
        let beside = Sections::longest(self.data.inputs(), if self.intervals { outputs } else { 0 }, self.flash);
        write(&beside, spec).map_err(ExportError::Refused)
    }
}
