//! The features of a block, taken apart, and how a source writes them: in straight lines, or in loops over a table.

use srfm_runtime::format::{Block, Kernel, Number};

use super::style::Style;

/// The most inputs of a feature, and the most outputs, that small code writes out.
pub(in crate::export) const WRITTEN_OUT: usize = 4;

/// The most inputs of a feature, outputs and features of a block that fast code writes out.
const MOST_WRITTEN_OUT: (usize, usize, usize) = (8, 8, 64);

/// A feature. In floating point all words are bits of numbers; in integers, weights and amplitudes of 16 bits have
/// their sign extended.
pub(in crate::export) struct Feature {
    /// The bias; 0 for a kernel without.
    pub bias: u32,
    /// One weight an input.
    pub weights: Vec<u32>,
    /// The inputs.
    pub inputs: Vec<u16>,
    /// One amplitude for each value of the kernel, for every output.
    pub amplitudes: Vec<u32>,
}

/// Returns the features of a block.
pub(in crate::export) fn features(block: &Block<'_>, number: Number, outputs: usize) -> Vec<Feature> {
    let order = usize::from(block.order);
    let stride = number.weight_words(order) + number.other_words(block.kernel, outputs);
    let feature = |(j, record): (usize, &[u32])| {
        let inputs = (0..order).filter_map(|k| block.indices.get(j * order + k)).collect();
        match number {
            Number::F32 => of_floats(block.kernel, order, record, inputs),
            Number::I32 | Number::I16 => of_integers(block.kernel, number, order, outputs, record, inputs),
        }
    };
    block.records.chunks_exact(stride.max(1)).enumerate().map(feature).collect()
}

fn of_floats(kernel: Kernel, order: usize, record: &[u32], inputs: Vec<u16>) -> Feature {
    let (bias, rest) = record.split_at(usize::from(kernel.has_bias()));
    let (weights, amplitudes) = rest.split_at(order);
    let bias = bias.first().copied().unwrap_or(0);
    Feature { bias, weights: weights.to_vec(), inputs, amplitudes: amplitudes.to_vec() }
}

fn of_integers(
    kernel: Kernel,
    number: Number,
    order: usize,
    outputs: usize,
    record: &[u32],
    inputs: Vec<u16>,
) -> Feature {
    let halves = |words: &[u32]| -> Vec<u32> {
        let halves = words.iter().flat_map(|&word| [word as i16, (word >> 16) as i16]);
        halves.map(|half| i32::from(half) as u32).collect()
    };
    let (weights, others) = record.split_at(number.weight_words(order));
    let weights = if number == Number::I16 { halves(weights)[..order].to_vec() } else { weights.to_vec() };
    let mut amplitudes = halves(others);
    let mut bias = 0;
    if kernel.has_bias() {
        // The bias is the whole first word, whose lower half is the first amplitude.
        bias = others[0];
        amplitudes.remove(1);
    }
    amplitudes.truncate(outputs * kernel.scales().len());
    Feature { bias, weights, inputs, amplitudes }
}

/// Returns whether a block is written out rather than as a loop.
pub(in crate::export) fn is_written_out(style: Style, order: usize, outputs: usize, features: usize) -> bool {
    match style {
        Style::Small => features == 1 && order < WRITTEN_OUT && outputs <= WRITTEN_OUT,
        Style::Fast => {
            let (inputs, most_outputs, most_features) = MOST_WRITTEN_OUT;
            order <= inputs && outputs <= most_outputs && features <= most_features
        }
    }
}

/// Returns the text of indices from 0 to `count`, or the name of the counter of a loop where `count` is large.
pub(super) fn unrolled(count: usize, written_out: bool) -> Option<Vec<String>> {
    (written_out || count <= WRITTEN_OUT).then(|| (0..count).map(|k| k.to_string()).collect())
}

/// Returns the text of `base + stride * index`.
pub(super) fn place(base: usize, stride: usize, index: &str) -> String {
    if let Ok(index) = index.parse::<usize>() {
        return (base + stride * index).to_string();
    }
    let product = if stride == 1 { index.to_owned() } else { format!("{stride}u * {index}") };
    if base == 0 { product } else { format!("{base}u + {product}") }
}
