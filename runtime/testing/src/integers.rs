//! An integer model of arbitrary words.

use srfm_runtime::format::{ALL, BlockSpec, Intervals, Kernel, ModelSpec, Number, Prepared, Scale, Shifts, packs};

use crate::{Blob, Rng, Shape, model::write};

/// The parameters of an integer model.
#[derive(Clone, Debug)]
pub struct OwnedIntegers {
    pub number: Number,
    pub shape: Shape,
    pub prepared: Vec<Prepared>,
    pub scales: Vec<Scale>,
    pub shifts: Shifts,
    pub intercepts: Vec<u32>,
    pub linear_weights: Vec<u32>,
    pub linear_inputs: Vec<u16>,
    /// The blocks of features.
    pub blocks: Vec<IntegerBlock>,
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
            warp: shape.warp(i),
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
        OwnedIntegers {
            number,
            shape: shape.clone(),
            prepared,
            scales: (0..outputs).map(|_| Scale { step: rng.float(1e-6), offset: rng.float(3.0) }).collect(),
            shifts: Shifts {
                weights: if number == Number::I16 { rng.below(17) as u8 } else { 0 },
                argument: rng.below(12) as u8,
                linear: rng.below(33) as u8,
                reserved: 0,
            },
            intercepts: words(outputs, rng),
            linear_weights: words(linear * outputs, rng),
            linear_inputs: rng.indices(linear, view),
            blocks,
        }
    }

    /// Returns the bytes of the model.
    pub fn blob(&self) -> Blob {
        let block = |block| {
            let &IntegerBlock { kernel, order, ref records, ref indices } = block;
            BlockSpec { kernel, order, records, indices }
        };
        let blocks: Vec<BlockSpec<'_>> = self.blocks.iter().map(block).collect();
        let spec = ModelSpec {
            method: "random",
            number: self.number,
            inputs: self.shape.inputs,
            inputs_hash: 0,
            importance: &[],
            classes: &[],
            ranges: &[],
            intervals: Intervals::default(),
            prepared: &self.prepared,
            scales: &self.scales,
            shifts: self.shifts,
            intercepts: &self.intercepts,
            linear_weights: &self.linear_weights,
            linear_inputs: &self.linear_inputs,
            blocks: &blocks,
        };
        write(&spec).expect("the lengths agree and the counts fit")
    }

    /// Returns the number of values that features refer to.
    pub fn view(&self) -> usize {
        if self.prepared.is_empty() { self.shape.inputs.into() } else { self.prepared.len() }
    }
}
