//! A model that owns its parameters, to be changed and written.

use srfm_runtime::Error;
use srfm_runtime::format::{
    self, ALL, BlockSpec, Confidence, Intervals, Kernel, LIMITED, ModelSpec, Number, Place, Prepared, REPLACED, Shifts,
    through, words,
};

use crate::{Blob, OwnedTrees, OwnedWindows, Rng};

/// The parameters that a [`ModelSpec`] borrows.
#[derive(Clone, Debug)]
pub struct OwnedModel {
    pub method: String,
    pub inputs: u16,
    pub inputs_hash: u32,
    pub importance: Vec<u8>,
    pub classes: Vec<String>,
    pub ranges: Vec<[f32; 2]>,
    pub half_widths: Vec<f32>,
    pub slope: Option<f32>,
    /// How sure of a class the model must be.
    pub confidence: Option<Confidence>,
    /// The number of slots of every channel; empty for a model without a history.
    pub windows: Vec<u8>,
    pub places: Vec<Place>,
    /// The windows; none for a model without.
    pub statistics: Option<OwnedWindows>,
    pub prepared: Vec<Prepared>,
    /// The limits of the readings of prepared inputs up to the last limited one.
    pub input_limits: Vec<[f32; 2]>,
    /// What replaces NaN in the readings of prepared inputs up to the last replaced one.
    pub replacements: Vec<f32>,
    pub intercepts: Vec<f32>,
    /// The lowest and the highest value of every output; where empty, a model of quantities has those of `f32`.
    pub limits: Vec<[f32; 2]>,
    pub linear_weights: Vec<f32>,
    pub linear_inputs: Vec<u16>,
    pub blocks: Vec<OwnedBlock>,
    pub trees: OwnedTrees,
}

/// The parameters that a [`BlockSpec`] borrows.
#[derive(Clone, Debug)]
pub struct OwnedBlock {
    pub kernel: Kernel,
    pub order: u16,
    pub records: Vec<f32>,
    pub indices: Vec<u16>,
}

/// The size of a random model.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The kernel of the first block.
    pub kernel: Kernel,
    /// Whether every further block has the next kernel; otherwise all have the same.
    pub mixed: bool,
    pub inputs: u16,
    pub prepared: usize,
    /// Whether prepared inputs are warped, with every warp in turn.
    pub warped: bool,
    pub outputs: usize,
    pub linear: usize,
    /// Order and number of features of every block.
    pub blocks: Vec<(u16, usize)>,
    /// The number of trees.
    pub trees: usize,
    /// Whether outputs have limits that some predictions meet.
    pub limited: bool,
    /// Whether readings of prepared inputs are limited, or replaced where they are NaN; some of them at random.
    pub bounded: bool,
    /// Whether the header has every section that the number of outputs allows.
    pub sections: bool,
}

impl Default for Shape {
    /// Returns the shape of a model of one input, one output and no features.
    fn default() -> Self {
        Shape {
            kernel: Kernel::Cosine,
            mixed: false,
            inputs: 1,
            prepared: 0,
            warped: false,
            outputs: 1,
            linear: 0,
            blocks: vec![],
            trees: 0,
            limited: false,
            bounded: false,
            sections: false,
        }
    }
}

impl Default for OwnedModel {
    /// Returns a model without a method, inputs and outputs.
    fn default() -> Self {
        OwnedModel {
            method: String::new(),
            inputs: 0,
            inputs_hash: 0,
            importance: vec![],
            classes: vec![],
            ranges: vec![],
            half_widths: vec![],
            slope: None,
            confidence: None,
            windows: vec![],
            places: vec![],
            statistics: None,
            prepared: vec![],
            input_limits: vec![],
            replacements: vec![],
            intercepts: vec![],
            limits: vec![],
            linear_weights: vec![],
            linear_inputs: vec![],
            blocks: vec![],
            trees: OwnedTrees::default(),
        }
    }
}

impl OwnedModel {
    /// Returns a random model. Its angles stay within a few turns for readings of about one, as in a fitted model.
    pub fn random(shape: &Shape, rng: &mut Rng) -> Self {
        let &Shape { inputs, prepared, outputs, linear, .. } = shape;
        let prepare = |i: usize, rng: &mut Rng| Prepared {
            centre: rng.float(8.0),
            input: rng.below(inputs.into()) as u16,
            warp: shape.warp(i) | shape.flags(rng),
            exponent: 0,
        };
        let prepared: Vec<Prepared> = (0..prepared).map(|i| prepare(i, rng)).collect();
        let view = if prepared.is_empty() { inputs.into() } else { prepared.len() };
        let blocks = shape.blocks.iter().enumerate().map(|(i, &(order, features))| {
            let kernel = shape.kernel_of(i);
            let inputs = if order == ALL { view } else { order.into() };
            let records = rng.floats(features * kernel.words(inputs, outputs), 0.5 / (inputs as f32).sqrt().max(1.5));
            match order {
                ALL => OwnedBlock::all(kernel, view as u16, outputs, records),
                _ => OwnedBlock::new(kernel, order, outputs, records, rng.indices(features * inputs, view)),
            }
        });
        let blocks = blocks.collect();
        let trees = OwnedTrees::random(Number::F32, [inputs.into(), view], outputs, shape.trees, rng);
        let (importance, classes) = if shape.sections { sections(inputs, outputs, rng) } else { Default::default() };
        let ranges = if shape.sections { vec![[-2.0, 3.0]; inputs.into()] } else { vec![] };
        let input_limits = limits(through(&prepared, LIMITED), rng);
        let limits = if shape.limited && classes.is_empty() { limits(outputs, rng) } else { vec![] };
        let half_widths = if shape.sections { vec![1.5; outputs] } else { vec![] };
        OwnedModel {
            method: "random".into(),
            inputs,
            inputs_hash: 0,
            importance,
            classes,
            ranges,
            half_widths,
            slope: None,
            confidence: None,
            windows: vec![],
            places: vec![],
            statistics: None,
            input_limits,
            replacements: rng.floats(through(&prepared, REPLACED), 2.0),
            prepared,
            intercepts: rng.floats(outputs, 1.0),
            limits,
            linear_weights: rng.floats(linear * outputs, 0.5),
            linear_inputs: rng.indices(linear, view),
            blocks,
            trees,
        }
    }

    /// Returns the number of outputs.
    pub fn outputs(&self) -> usize {
        self.intercepts.len()
    }

    /// Returns the limits that the model is written with.
    pub fn output_limits(&self) -> Vec<[f32; 2]> {
        let unlimited = if self.classes.is_empty() { self.outputs() } else { 0 };
        if self.limits.is_empty() { vec![[f32::MIN, f32::MAX]; unlimited] } else { self.limits.clone() }
    }

    /// Calls `then` with the model as the writer takes it.
    pub fn with_spec<R>(&self, then: impl FnOnce(&ModelSpec<'_>) -> R) -> R {
        let block = |b| {
            let &OwnedBlock { kernel, order, ref records, ref indices } = b;
            BlockSpec { kernel, order, records: words(records), indices }
        };
        let blocks: Vec<BlockSpec<'_>> = self.blocks.iter().map(block).collect();
        let classes: Vec<&str> = self.classes.iter().map(String::as_str).collect();
        let limits: Vec<[u32; 2]> = self.output_limits().iter().map(|limits| limits.map(f32::to_bits)).collect();
        then(&ModelSpec {
            method: &self.method,
            number: Number::F32,
            inputs: self.inputs,
            inputs_hash: self.inputs_hash,
            importance: &self.importance,
            classes: &classes,
            ranges: &self.ranges,
            intervals: Intervals { level: 0.9, half_widths: &self.half_widths },
            slope: self.slope,
            confidence: self.confidence,
            history: OwnedWindows::history(self.statistics.as_ref(), &self.windows, &self.places),
            prepared: &self.prepared,
            input_limits: words(self.input_limits.as_flattened()),
            replacements: format::words(&self.replacements),
            scales: &[],
            shifts: Shifts::default(),
            intercepts: words(&self.intercepts),
            limits: &limits,
            linear_weights: words(&self.linear_weights),
            linear_inputs: &self.linear_inputs,
            blocks: &blocks,
            trees: self.trees.spec(&self.trees.halves()),
        })
    }

    /// Returns the bytes of the model.
    pub fn write(&self) -> Result<Blob, Error> {
        self.with_spec(write)
    }

    /// Returns the bytes of a model that can be written.
    pub fn blob(&self) -> Blob {
        self.write().expect("the lengths agree and the counts fit")
    }
}

/// Returns the bytes that `format::write` gives.
pub(crate) fn write(spec: &ModelSpec<'_>) -> Result<Blob, Error> {
    let mut blob = Blob::default();
    blob.resize(format::encoded_len(spec)?);
    let written = format::write(spec, &mut blob)?;
    assert_eq!(written, blob.len(), "encoded_len foretells the length");
    Ok(blob)
}

/// Returns limits around zero.
fn limits(count: usize, rng: &mut Rng) -> Vec<[f32; 2]> {
    (0..count).map(|_| [-rng.float(2.0).abs(), rng.float(2.0).abs()]).collect()
}

/// Returns importance and class names of a random model.
fn sections(inputs: u16, outputs: usize, rng: &mut Rng) -> (Vec<u8>, Vec<String>) {
    let names =
        |count| (0..count).map(|class| ["", "a", "zwei", "Klasse drei, größer"][class % 4].to_owned()).collect();
    let classes = match outputs {
        1 => names(2),
        2 => vec![], // one output for two classes
        outputs => names(outputs),
    };
    ((0..inputs).map(|_| rng.bits() as u8).collect(), classes)
}

impl OwnedBlock {
    /// Returns a block of features. Its records hold amplitudes as they enter the sum; the block stores them times the
    /// scales of the kernel.
    pub fn new(kernel: Kernel, order: u16, outputs: usize, mut records: Vec<f32>, indices: Vec<u16>) -> Self {
        let first_amplitude = kernel.words(order.into(), 0);
        for record in records.chunks_exact_mut(kernel.words(order.into(), outputs)) {
            let scales = kernel.scales().iter().cycle();
            record[first_amplitude..].iter_mut().zip(scales).for_each(|(a, scale)| *a = (f64::from(*a) * scale) as f32);
        }
        OwnedBlock { kernel, order, records, indices }
    }

    /// Returns a block of features that look at all `inputs`; see [`new`](Self::new).
    pub fn all(kernel: Kernel, inputs: u16, outputs: usize, records: Vec<f32>) -> Self {
        OwnedBlock { order: ALL, ..OwnedBlock::new(kernel, inputs, outputs, records, vec![]) }
    }
}

impl Shape {
    /// Returns the kernel of block `i`.
    pub fn kernel_of(&self, i: usize) -> Kernel {
        let further = if self.mixed { i } else { 0 };
        Kernel::ALL[(self.kernel as usize + further) % Kernel::ALL.len()]
    }

    /// Returns the number of the warp of prepared input `i`.
    pub(crate) fn warp(&self, i: usize) -> u8 {
        if self.warped { ((i + 1) % 3) as u8 } else { 0 }
    }

    /// Returns the flags of a prepared input.
    pub(crate) fn flags(&self, rng: &mut Rng) -> u8 {
        if self.bounded { [0, LIMITED, REPLACED, LIMITED | REPLACED][rng.below(4)] } else { 0 }
    }
}
