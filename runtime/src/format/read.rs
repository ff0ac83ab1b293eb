//! Reading a model in place: every check happens here, once.

use bytemuck::{must_cast, must_cast_slice};

use super::section::Sections;
use super::{
    ALL, BUFFERED, CHECKSUM, CRC, Header, MAGIC, Number, PREAMBLE, Prepared, SECTIONS_FROM, Scale, Shifts, UNROLLED,
    VERSION, Warp, index_words, packs, wide,
};
use crate::Error;

/// Indices of inputs, one or two bytes each.
#[derive(Clone, Copy, Debug)]
pub enum Indices<'a> {
    /// At most 256 inputs.
    Narrow(&'a [u8]),
    /// More than 256 inputs.
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
        /// Number of features.
        features: u16,
        /// Number of inputs.
        inputs: u16,
    },
}

impl<'a> Indices<'a> {
    /// The first `count` indices in `words`, which may end in padding.
    fn new(words: &'a [u32], count: usize, inputs: usize) -> Option<Self> {
        Some(if wide(inputs) {
            Indices::Wide(must_cast_slice::<u32, u16>(words).get(..count)?)
        } else {
            Indices::Narrow(must_cast_slice::<u32, u8>(words).get(..count)?)
        })
    }

    /// The indices where they are of one byte; empty where they are of two.
    #[inline]
    pub(crate) fn narrow(&self) -> &'a [u8] {
        match *self {
            Indices::Narrow(narrow) => narrow,
            Indices::Wide(_) | Indices::Packed { .. } | Indices::All { .. } => &[],
        }
    }

    /// Number of indices.
    pub fn len(&self) -> usize {
        match *self {
            Indices::Narrow(narrow) => narrow.len(),
            Indices::Wide(wide) => wide.len(),
            Indices::Packed { records, order, stride } => records.len() / stride.max(1) * usize::from(order),
            Indices::All { features, inputs } => usize::from(features) * usize::from(inputs),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index at position `i`.
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

    /// The indices one after the other.
    pub fn iter(self) -> impl Iterator<Item = u16> + use<'a> {
        (0..self.len()).map_while(move |i| self.get(i))
    }
}

/// The input of a weight that has its number in the last four bits.
#[inline(always)]
pub(crate) fn packed_index(weight: u32) -> u16 {
    weight as u16 % BUFFERED as u16
}

/// The linear block: for term `i` and output `o`, `y[o] += weights[i * outputs + o] * z[inputs[i]]`.
#[derive(Clone, Copy, Debug)]
pub struct Linear<'a> {
    /// Weights, one row of `outputs` values a term.
    pub weights: &'a [u32],
    /// The input of each term.
    pub inputs: Indices<'a>,
}

/// A run of features with the same number of inputs.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Inputs per feature.
    pub order: u16,
    /// One record a feature: its bias, weights and amplitudes, as `FORMAT.md` has them.
    pub records: &'a [u32],
    /// `order` input indices a feature.
    pub indices: Indices<'a>,
    features: u16,
}

impl Block<'_> {
    /// Number of features.
    pub fn features(&self) -> usize {
        self.features.into()
    }
}

/// The blocks of features of a model, in the order in which they are summed.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    words: &'a [u32],
    /// Number of values that indices may refer to.
    inputs: usize,
    number: Number,
    /// Words of a record beside its weights.
    beside: usize,
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    #[inline]
    fn next(&mut self) -> Option<Block<'a>> {
        let mut words = self.words;
        let &[head] = take(&mut words, 1)? else { return None };
        let (order, features) = (head as u16, (head >> 16) as u16);
        let count = usize::from(features);
        let (order, dense) = if order == ALL { (self.inputs as u16, true) } else { (order, false) };
        let stride = self.number.weight_words(order.into()) + self.beside;
        let records = take(&mut words, count.checked_mul(stride)?)?;
        let indices = if dense {
            Indices::All { features, inputs: order }
        } else if packs(self.number, self.inputs) {
            Indices::Packed { records, order, stride }
        } else {
            let indices = count.checked_mul(order.into())?;
            Indices::new(take(&mut words, index_words(indices, self.inputs)?)?, indices, self.inputs)?
        };
        self.words = words;
        Some(Block { order, records, indices, features })
    }
}

impl<'a> Blocks<'a> {
    /// The head of the next block: its order as the file has it, and its number of features. [`words`](Self::words),
    /// [`records`](Self::records) and [`bytes`](Self::bytes) take the rest of it. Parsing has gone through all blocks, so that
    /// nothing ends or overflows there.
    #[inline(always)]
    pub(crate) fn next_head(&mut self) -> Option<(u16, usize)> {
        let (&head, words) = self.words.split_first()?;
        self.words = words;
        Some((head as u16, (head >> 16) as usize))
    }

    /// The next `count` words.
    #[inline(always)]
    pub(crate) fn words(&mut self, count: usize) -> Option<&'a [u32]> {
        take(&mut self.words, count)
    }

    /// The next `count` records of `WORDS` words: without the division that a slice of them takes.
    #[inline(always)]
    pub(crate) fn records<const WORDS: usize>(&mut self, count: usize) -> Option<&'a [[u32; WORDS]]> {
        Some(self.words(WORDS * count)?.as_chunks().0)
    }

    /// The next `count` bytes, behind which there are others up to a whole word.
    #[inline(always)]
    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        must_cast_slice(self.words(count.div_ceil(4))?).get(..count)
    }
}

/// Everything in a model file, borrowed and checked.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    pub header: Header<'a>,
    pub sections: Sections<'a>,
    pub prepared: &'a [Prepared],
    /// Whether any input has a warp but the identity.
    pub warped: bool,
    /// Of an integer model, otherwise zeros.
    pub shifts: Shifts,
    /// One per output of an integer model, otherwise none.
    pub scales: &'a [Scale],
    pub intercepts: &'a [u32],
    pub linear: Linear<'a>,
    pub blocks: Blocks<'a>,
    /// Whether indices refer to at most [`BUFFERED`] inputs and, in floating point, every feature to at most [`UNROLLED`]
    /// of them.
    pub few: bool,
    /// Length of the file in bytes.
    pub len: usize,
}

impl<'a> Contents<'a> {
    /// Number of values that indices may refer to.
    #[inline]
    pub fn view(&self) -> usize {
        self.blocks.inputs
    }

    /// Reads and checks the model at the start of `bytes`. Bytes behind it are ignored, so that a whole flash page can
    /// be handed over. Without `warps` a model that warps inputs is refused.
    pub fn read(bytes: &'a [u8], warps: bool) -> Result<Self, Error> {
        let (preamble, _) = bytes.split_first_chunk::<PREAMBLE>().ok_or(Error::Truncated)?;
        let [m0, m1, m2, m3, v0, v1, h0, h1, l0, l1, l2, l3] = *preamble;
        if [m0, m1, m2, m3] != MAGIC {
            return Err(Error::NotAModel);
        }
        let version = u16::from_le_bytes([v0, v1]);
        if !(1..=VERSION).contains(&version) {
            return Err(Error::UnsupportedVersion(version));
        }
        let len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let file = bytes.get(..len).ok_or(Error::Truncated)?;
        let (body, checksum) = file.split_last_chunk::<CHECKSUM>().ok_or(Error::Layout)?;
        if CRC.checksum(body) != u32::from_le_bytes(*checksum) {
            return Err(Error::Corrupt);
        }
        let header_end = PREAMBLE + usize::from(u16::from_le_bytes([h0, h1]));
        let header = body.get(PREAMBLE..header_end).ok_or(Error::Layout)?;
        let (header, behind): (Header<'a>, _) = postcard::take_from_bytes(header).map_err(|_| Error::Header)?;
        let behind = if version < SECTIONS_FROM { &[] } else { behind };
        let sections = Sections::read(behind, &header)?;
        let tensors = body.get(header_end.next_multiple_of(4)..).ok_or(Error::Layout)?;
        if !tensors.len().is_multiple_of(4) {
            return Err(Error::Layout);
        }
        let words = bytemuck::try_cast_slice(tensors).map_err(|_| Error::Misaligned)?;
        Self::tensors(version, header, sections, words, len, warps)
    }

    /// Divides the tensors and checks every value in them.
    fn tensors(
        version: u16,
        header: Header<'a>,
        sections: Sections<'a>,
        mut words: &'a [u32],
        len: usize,
        warps: bool,
    ) -> Result<Self, Error> {
        let outputs = usize::from(header.outputs);
        if header.inputs == 0 || outputs == 0 {
            return Err(Error::Header);
        }
        let prepared = usize::from(header.prepared);
        if prepared > BUFFERED && header.number == Number::F32 {
            return Err(Error::TooLarge);
        }
        let inputs = if prepared > 0 { prepared } else { header.inputs.into() };
        let terms = usize::from(header.linear);

        let mut divide = |count: Option<usize>| take(&mut words, count?);
        let prepared: &[Prepared] = must_cast_slice(as_pairs(divide(Some(2 * prepared)).ok_or(Error::Layout)?));
        let number = header.number;
        let integers = number != Number::F32;
        let shifts = divide(Some(usize::from(integers))).ok_or(Error::Layout)?;
        let shifts = shifts.first().map_or(Shifts::default(), |&word| must_cast(word));
        let scales: &[Scale] =
            must_cast_slice(as_pairs(divide(Some(if integers { 2 * outputs } else { 0 })).ok_or(Error::Layout)?));
        let intercepts = divide(Some(outputs)).ok_or(Error::Layout)?;
        let weights = divide(terms.checked_mul(outputs)).ok_or(Error::Layout)?;
        let term_inputs = divide(index_words(terms, inputs)).ok_or(Error::Layout)?;
        let term_inputs = Indices::new(term_inputs, terms, inputs).ok_or(Error::Layout)?;
        let blocks = Blocks { words, inputs, number, beside: number.other_words(header.kernel, outputs) };

        let mut warped = false;
        for p in prepared {
            check_finite(&[p.centre])?;
            if p.input >= header.inputs {
                return Err(Error::IndexOutOfRange);
            }
            if (p.warp != 0 && !warps) || Warp::of(p.warp).is_none() || (integers && p.exponent < -126) {
                return Err(Error::Header);
            }
            warped |= p.warp != 0;
        }
        let shifted = number == Number::I32 && shifts.weights > 0;
        if (shifts.weights | shifts.argument) >= 32 || shifts.linear >= 64 || shifted {
            return Err(Error::Header);
        }
        check_finite(must_cast_slice(scales))?;
        let check_number = |words: &[u32]| if integers { Ok(()) } else { check_finite(must_cast_slice(words)) };
        check_number(intercepts)?;
        check_number(weights)?;
        check_indices(term_inputs, inputs)?;
        let (mut rest, mut largest_order) = (blocks, 0);
        for _ in 0..header.blocks {
            let block = rest.next().ok_or(Error::Layout)?;
            let dense = matches!(block.indices, Indices::All { .. });
            if dense && version < SECTIONS_FROM {
                return Err(Error::Layout);
            }
            check_number(block.records)?;
            check_indices(block.indices, inputs)?;
            largest_order = largest_order.max(if dense { u16::MAX } else { block.order });
        }
        if !rest.words.is_empty() {
            return Err(Error::Layout);
        }
        let few = inputs <= BUFFERED && (integers || usize::from(largest_order) <= UNROLLED);
        let linear = Linear { weights, inputs: term_inputs };
        Ok(Contents { header, sections, prepared, warped, shifts, scales, intercepts, linear, blocks, few, len })
    }
}

/// Splits `count` words off the front.
#[inline]
fn take<'a>(words: &mut &'a [u32], count: usize) -> Option<&'a [u32]> {
    let (front, rest) = words.split_at_checked(count)?;
    *words = rest;
    Some(front)
}

/// Pairs of words; a word left over is dropped.
fn as_pairs(words: &[u32]) -> &[[u32; 2]] {
    words.as_chunks().0
}

#[inline(never)]
fn check_finite(values: &[f32]) -> Result<(), Error> {
    if values.iter().all(|v| v.is_finite()) { Ok(()) } else { Err(Error::NotFinite) }
}

fn check_indices(indices: Indices<'_>, inputs: usize) -> Result<(), Error> {
    let within = match indices {
        Indices::Narrow(narrow) => narrow.iter().all(|&i| usize::from(i) < inputs),
        Indices::Wide(wide) => wide.iter().all(|&i| usize::from(i) < inputs),
        Indices::Packed { records, order, stride } => records
            .chunks_exact(stride.max(1))
            .all(|record| record.iter().take(order.into()).all(|&w| usize::from(packed_index(w)) < inputs)),
        Indices::All { .. } => true,
    };
    if within { Ok(()) } else { Err(Error::IndexOutOfRange) }
}
