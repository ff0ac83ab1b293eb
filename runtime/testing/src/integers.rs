//! An integer model of arbitrary words.

use srfm_runtime::format::{
    ALL, BlockSpec, Confidence, Intervals, Kernel, LIMITED, ModelSpec, Number, Place, Prepared, REPLACED, Scale,
    Shifts, halves, packs, through,
};

use crate::model::write;
use crate::{Blob, OwnedTrees, OwnedWindows, Rng, Shape};

/// The parameters of an integer model.
#[derive(Clone, Debug)]
pub struct OwnedIntegers {
    pub number: Number,
    pub shape: Shape,
    pub classes: Vec<String>,
    pub ranges: Vec<[f32; 2]>,
    /// The slope of the probabilities of classes.
    pub slope: Option<f32>,
    /// How sure of a class the model must be.
    pub confidence: Option<Confidence>,
    /// The number of slots of every channel; empty for a model without a history.
    pub windows: Vec<u8>,
    pub places: Vec<Place>,
    /// The windows; none for a model without.
    pub statistics: Option<OwnedWindows>,
    pub prepared: Vec<Prepared>,
    /// The words of the limits of the counts of prepared inputs up to the last limited one.
    pub input_limits: Vec<u32>,
    /// The counts that replace missing ones of prepared inputs up to the last replaced one.
    pub replacements: Vec<i16>,
    pub scales: Vec<Scale>,
    pub shifts: Shifts,
    pub intercepts: Vec<u32>,
    /// The lowest and the highest value of every output; not written where there are classes.
    pub limits: Vec<[i32; 2]>,
    pub linear_weights: Vec<u32>,
    pub linear_inputs: Vec<u16>,
    /// The blocks of features.
    pub blocks: Vec<IntegerBlock>,
    pub trees: OwnedTrees,
}

/// A block of features of an integer model.
#[derive(Clone, Debug)]
pub struct IntegerBlock {
    pub kernel: Kernel,
    pub order: u16,
    pub records: Vec<u32>,
    pub indices: Vec<u16>,
}

impl OwnedIntegers {
    /// Returns a model of the given shape whose parameters have any bits.
    pub fn random(number: Number, shape: &Shape, rng: &mut Rng) -> Self {
        let &Shape { inputs, prepared, outputs, linear, .. } = shape;
        let prepare = |i: usize, rng: &mut Rng| Prepared {
            centre: rng.float(8.0),
            input: rng.below(inputs.into()) as u16,
            warp: shape.warp(i) | shape.flags(rng),
            exponent: rng.below(12) as i8,
        };
        let prepared: Vec<Prepared> = (0..prepared).map(|i| prepare(i, rng)).collect();
        let view = if prepared.is_empty() { inputs.into() } else { prepared.len() };
        let block = |i: usize, rng: &mut Rng| {
            let (kernel, (order, features)) = (shape.kernel_of(i), shape.blocks[i]);
            let q = if order == ALL { view } else { order.into() };
            let stride = number.weight_words(q) + number.other_words(kernel, outputs);
            let mut records: Vec<u32> = (0..features * stride).map(|_| rng.bits() as u32).collect();
            let packed = packs(number, view);
            if packed && order != ALL {
                for weight in records.chunks_exact_mut(stride).flat_map(|record| &mut record[..q]) {
                    *weight = *weight & !0xf | rng.below(view) as u32;
                }
            }
            let listed = if packed || order == ALL { 0 } else { features * q };
            IntegerBlock { kernel, order, records, indices: rng.indices(listed, view) }
        };
        let blocks = (0..shape.blocks.len()).map(|i| block(i, rng)).collect();
        let words = |n: usize, rng: &mut Rng| (0..n).map(|_| rng.bits() as u32).collect();
        let trees = OwnedTrees::random(number, [inputs.into(), view], outputs, shape.trees, rng);
        OwnedIntegers {
            number,
            shape: shape.clone(),
            classes: Vec::new(),
            ranges: Vec::new(),
            slope: None,
            confidence: None,
            windows: Vec::new(),
            places: Vec::new(),
            statistics: None,
            input_limits: (0..through(&prepared, LIMITED)).map(|_| count_limits(rng)).collect(),
            replacements: (0..through(&prepared, REPLACED)).map(|_| rng.below(20_000) as i16 - 10_000).collect(),
            prepared,
            scales: (0..outputs).map(|_| Scale { step: rng.float(1e-6), offset: rng.float(3.0) }).collect(),
            shifts: Shifts {
                weights: if number == Number::I16 { rng.below(17) as u8 } else { 0 },
                argument: rng.below(12) as u8,
                linear: rng.below(33) as u8,
                reserved: 0,
            },
            intercepts: words(outputs, rng),
            limits: (0..outputs).map(|_| limits(shape.limited, rng)).collect(),
            linear_weights: words(linear * outputs, rng),
            linear_inputs: rng.indices(linear, view),
            blocks,
            trees,
        }
    }

    /// Returns the bytes of the model.
    pub fn blob(&self) -> Blob {
        let block = |block| {
            let &IntegerBlock { kernel, order, ref records, ref indices } = block;
            BlockSpec { kernel, order, records, indices }
        };
        let limits = if self.classes.is_empty() { &self.limits[..] } else { &[] };
        let limits: Vec<[u32; 2]> = limits.iter().map(|limits| limits.map(i32::cast_unsigned)).collect();
        let replacements: Vec<u32> = self.replacements.iter().map(|&count| halves(count as u16, 0)).collect();
        let classes: Vec<&str> = self.classes.iter().map(String::as_str).collect();
        let blocks: Vec<BlockSpec<'_>> = self.blocks.iter().map(block).collect();
        let halves = self.trees.halves();
        let spec = ModelSpec {
            method: "random",
            number: self.number,
            inputs: self.shape.inputs,
            inputs_hash: 0,
            importance: &[],
            classes: &classes,
            ranges: &self.ranges,
            intervals: Intervals::default(),
            slope: self.slope,
            confidence: self.confidence,
            history: OwnedWindows::history(self.statistics.as_ref(), &self.windows, &self.places),
            prepared: &self.prepared,
            input_limits: &self.input_limits,
            replacements: &replacements,
            scales: &self.scales,
            shifts: self.shifts,
            intercepts: &self.intercepts,
            limits: &limits,
            linear_weights: &self.linear_weights,
            linear_inputs: &self.linear_inputs,
            blocks: &blocks,
            trees: self.trees.spec(&halves),
        };
        write(&spec).expect("the lengths agree and the counts fit")
    }

    /// Returns the words of a feature's record in a block.
    pub fn stride(&self, block: &IntegerBlock) -> usize {
        let q = if block.order == ALL { self.view() } else { block.order.into() };
        self.number.weight_words(q) + self.number.other_words(block.kernel, self.scales.len())
    }

    /// Returns the number of values that features refer to.
    pub fn view(&self) -> usize {
        if self.prepared.is_empty() { self.shape.inputs.into() } else { self.prepared.len() }
    }
}

/// Returns limits around zero that about half of all integers are beyond, or those of 32 bits.
fn limits(limited: bool, rng: &mut Rng) -> [i32; 2] {
    if !limited {
        return [i32::MIN, i32::MAX];
    }
    [-1 - (rng.bits() as i32 >> 1).abs(), (rng.bits() as i32 >> 1).abs()]
}

/// Returns the word of limits of a count around zero.
fn count_limits(rng: &mut Rng) -> u32 {
    halves((-1 - rng.below(20_000) as i16) as u16, rng.below(20_000) as u16)
}
