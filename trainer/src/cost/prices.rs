//! The prices of the parts of a prediction in instructions.

use srfm_runtime::format::{Block, Indices, Number};

/// The prices on one core, for each number format.
pub(crate) struct Prices {
    /// Floating point in hardware; none on a core that computes it in software.
    pub f32: Option<NumberPrices>,
    /// Integers with weights of 32 bits.
    pub i32: NumberPrices,
    /// Integers with weights of 16 bits.
    pub i16: NumberPrices,
}

/// The largest numbers of instructions that the parts of a prediction take in one number format.
pub(crate) struct NumberPrices {
    /// Every prediction.
    pub call: u32,
    /// An input.
    pub input: u32,
    /// A prepared input; zero for integers, whose preparation is not counted.
    pub prepared: u32,
    /// A model with warps, any prepared input in such a model, a logarithm, and a square root.
    pub warps: [u32; 4],
    /// A block of features.
    pub block: u32,
    /// A feature of one input, of two inputs, and so on.
    pub features: &'static [u32],
    /// Features of other numbers of inputs; none if they have no bound.
    pub others: Option<OtherFeatures>,
    /// A model with linear terms, and each linear term.
    pub linear: [u32; 2],
}

/// The prices of features whose loops are not unrolled.
pub(crate) struct OtherFeatures {
    /// A block of features.
    pub block: u32,
    /// A feature, and each of its inputs.
    pub some: [u32; 2],
    /// A feature of all inputs, each pair of inputs, and a last input without a pair.
    pub all: [u32; 3],
}

impl Prices {
    /// Returns the prices of a number format; none for floating point in software.
    pub fn of(&self, number: Number) -> Option<&NumberPrices> {
        match number {
            Number::F32 => self.f32.as_ref(),
            Number::I32 => Some(&self.i32),
            Number::I16 => Some(&self.i16),
        }
    }
}

impl OtherFeatures {
    /// Returns the price of a feature of a block.
    pub fn feature(&self, block: &Block<'_>) -> u32 {
        let order = u32::from(block.order);
        if matches!(block.indices, Indices::All { .. }) {
            let [feature, pair, last] = self.all;
            return feature + pair * (order / 2) + last * (order % 2);
        }
        let [feature, input] = self.some;
        feature + input * order
    }
}
