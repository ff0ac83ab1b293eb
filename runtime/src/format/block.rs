//! Blocks of features, the linear block, and the indices of their inputs, all borrowed from the file.

use bytemuck::must_cast_slice;

use super::tensor::{Sizes, index_words, take};
use super::{ALL, BUFFERED, Kernel, Number, TREES, Trees, packs, wide};

/// Indices of inputs.
#[derive(Clone, Copy, Debug)]
pub enum Indices<'a> {
    /// A list of one byte each, for at most 256 inputs.
    Narrow(&'a [u8]),
    /// A list of two bytes each, for more than 256 inputs.
    Wide(&'a [u16]),
    /// No list: the last four bits of every weight.
    Packed {
        /// The records of the features.
        records: &'a [u32],
        /// Inputs per feature.
        order: u16,
        /// Words of a record, of which the first `order` are weights.
        stride: usize,
    },
    /// No list: every feature looks at all inputs in their order.
    All {
        /// The number of features.
        features: u16,
        /// The number of inputs.
        inputs: u16,
    },
}

impl<'a> Indices<'a> {
    /// Returns the first `count` indices in `words`, which may end in padding.
    pub(super) const fn new(words: &'a [u32], count: usize, inputs: usize) -> Option<Self> {
        if wide(inputs) {
            let Some((indices, _)) = must_cast_slice::<u32, u16>(words).split_at_checked(count) else { return None };
            return Some(Indices::Wide(indices));
        }
        let Some((indices, _)) = must_cast_slice::<u32, u8>(words).split_at_checked(count) else { return None };
        Some(Indices::Narrow(indices))
    }

    /// Returns the list of one byte each; empty where there is none.
    #[inline]
    pub(crate) fn narrow(&self) -> &'a [u8] {
        if let Indices::Narrow(narrow) = *self { narrow } else { &[] }
    }

    /// Returns the list of two bytes each; empty where there is none.
    #[inline]
    pub(crate) fn wide(&self) -> &'a [u16] {
        if let Indices::Wide(wide) = *self { wide } else { &[] }
    }

    /// Returns the number of indices.
    pub fn len(&self) -> usize {
        match *self {
            Indices::Narrow(narrow) => narrow.len(),
            Indices::Wide(wide) => wide.len(),
            Indices::Packed { records, order, stride } => records.len() / stride.max(1) * usize::from(order),
            Indices::All { features, inputs } => usize::from(features) * usize::from(inputs),
        }
    }

    /// Returns whether there are no indices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the index at position `i`.
    pub fn get(&self, i: usize) -> Option<u16> {
        match *self {
            Indices::Narrow(narrow) => narrow.get(i).map(|&index| index.into()),
            Indices::Wide(wide) => wide.get(i).copied(),
            Indices::Packed { records, order, stride } => {
                let (feature, weight) = (i.checked_div(order.into())?, i.checked_rem(order.into())?);
                records.get(feature * stride + weight).map(|&weight| packed_index(weight))
            }
            Indices::All { inputs, .. } => i.checked_rem(inputs.into()).map(|index| index as u16),
        }
    }

    /// Returns the indices one after the other.
    pub fn iter(self) -> impl Iterator<Item = u16> + use<'a> {
        (0..self.len()).map_while(move |i| self.get(i))
    }

    /// Returns whether all indices are below `inputs`.
    #[inline(never)]
    pub(super) const fn are_below(self, inputs: usize) -> bool {
        match self {
            Indices::Narrow(mut narrow) => {
                while let Some((&index, rest)) = narrow.split_first() {
                    if index as usize >= inputs {
                        return false;
                    }
                    narrow = rest;
                }
            }
            Indices::Wide(mut wide) => {
                while let Some((&index, rest)) = wide.split_first() {
                    if index as usize >= inputs {
                        return false;
                    }
                    wide = rest;
                }
            }
            Indices::Packed { mut records, order, stride } => {
                while stride > 0
                    && let Some((record, rest)) = records.split_at_checked(stride)
                {
                    let Some((mut weights, _)) = record.split_at_checked(order as usize) else { return false };
                    while let Some((&weight, rest)) = weights.split_first() {
                        if packed_index(weight) as usize >= inputs {
                            return false;
                        }
                        weights = rest;
                    }
                    records = rest;
                }
            }
            Indices::All { .. } => {}
        }
        true
    }
}

/// Returns the index of the input of a weight that holds it in its last four bits.
#[inline(always)]
pub(crate) const fn packed_index(weight: u32) -> u16 {
    weight as u16 % BUFFERED as u16
}

/// The linear block: for term `i` and output `o`, `y[o] += weights[i * outputs + o] * z[inputs[i]]`.
#[derive(Clone, Copy, Debug)]
pub struct Linear<'a> {
    /// The weights, one row of `outputs` values a term.
    pub weights: &'a [u32],
    /// The input of each term.
    pub inputs: Indices<'a>,
}

/// A run of features with the same kernel and the same number of inputs.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The function of the features.
    pub kernel: Kernel,
    /// Inputs per feature.
    pub order: u16,
    /// One record a feature: its bias, weights and amplitudes, as the format lays them out.
    pub records: &'a [u32],
    /// `order` input indices a feature.
    pub indices: Indices<'a>,
    features: u16,
}

impl Block<'_> {
    /// Returns the number of features.
    pub fn features(&self) -> usize {
        self.features.into()
    }
}

/// The words of the blocks of features, taken off from the front.
///
/// Parsing has gone through all blocks, so that nothing ends or overflows there.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    pub words: &'a [u32],
}

impl<'a> Cursor<'a> {
    /// Takes the head of the next block: its order as the file has it, and its number of features.
    #[inline(always)]
    pub fn head(&mut self) -> Option<(u16, usize)> {
        let (&head, words) = self.words.split_first()?;
        self.words = words;
        Some((head as u16, (head >> 16) as usize))
    }

    /// Takes `count` words.
    #[inline(always)]
    pub fn words(&mut self, count: usize) -> Option<&'a [u32]> {
        take(&mut self.words, Some(count))
    }

    /// Takes `count` records of `WORDS` words: without the division that a slice of records takes.
    #[inline(always)]
    pub fn records<const WORDS: usize>(&mut self, count: usize) -> Option<&'a [[u32; WORDS]]> {
        Some(self.words(WORDS * count)?.as_chunks().0)
    }

    /// Takes `count` bytes and the padding up to a whole word.
    #[inline(always)]
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        must_cast_slice(self.words(count.div_ceil(4))?).get(..count)
    }

    /// Takes a whole block of a kernel.
    #[inline]
    pub const fn block(&mut self, number: Number, kernel: Kernel, sizes: Sizes) -> Option<Block<'a>> {
        let Sizes { inputs, outputs } = sizes;
        let mut words = self.words;
        let Some(&[head]) = take(&mut words, Some(1)) else { return None };
        let (order, features) = (head as u16, (head >> 16) as u16);
        let (order, dense) = if order == ALL { (inputs as u16, true) } else { (order, false) };
        let stride = number.weight_words(order as usize) + number.other_words(kernel, outputs);
        let Some(records) = take(&mut words, (features as usize).checked_mul(stride)) else { return None };
        let indices = if dense {
            Indices::All { features, inputs: order }
        } else if packs(number, inputs) {
            Indices::Packed { records, order, stride }
        } else {
            let Some(count) = (features as usize).checked_mul(order as usize) else { return None };
            let Some(listed) = take(&mut words, index_words(count, inputs)) else { return None };
            let Some(indices) = Indices::new(listed, count, inputs) else { return None };
            indices
        };
        self.words = words;
        Some(Block { kernel, order, records, indices, features })
    }
}

/// The blocks of features of kernels of a model, in the order in which they are summed.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    pub(super) cursor: Cursor<'a>,
    /// The number of the kernel of every block; last that of the block of trees, where there is one.
    pub(super) kernels: &'a [u8],
    pub(super) number: Number,
    pub(super) sizes: Sizes,
}

impl<'a> Blocks<'a> {
    /// Returns the trees, which follow all blocks of kernels; none where the model has none.
    pub fn trees(mut self) -> Option<Trees<'a>> {
        while self.next().is_some() {}
        self.trees_behind()
    }

    /// Returns the trees behind the blocks of kernels, which have all been taken.
    #[inline(never)]
    pub(crate) fn trees_behind(&self) -> Option<Trees<'a>> {
        if self.kernels != [TREES] {
            return None;
        }
        let mut words = self.cursor.words;
        Trees::take(&mut words, !self.number.is_float(), self.sizes.outputs)
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    #[inline]
    fn next(&mut self) -> Option<Block<'a>> {
        let (&kernel, kernels) = self.kernels.split_first()?;
        let kernel = Kernel::of(kernel)?;
        self.kernels = kernels;
        self.cursor.block(self.number, kernel, self.sizes)
    }
}
