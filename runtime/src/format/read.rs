//! Reading a model in place: every check happens here, once, at run time or when the program is compiled. Hence loops and
//! matches that constant expressions allow.

use bytemuck::{must_cast, must_cast_slice};

use super::message::Message;
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
    const fn new(words: &'a [u32], count: usize, inputs: usize) -> Option<Self> {
        if wide(inputs) {
            let Some((indices, _)) = must_cast_slice::<u32, u16>(words).split_at_checked(count) else { return None };
            return Some(Indices::Wide(indices));
        }
        let Some((indices, _)) = must_cast_slice::<u32, u8>(words).split_at_checked(count) else { return None };
        Some(Indices::Narrow(indices))
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
pub(crate) const fn packed_index(weight: u32) -> u16 {
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
        self.next_block()
    }
}

impl<'a> Blocks<'a> {
    /// [`next`](Iterator::next) in constant expressions.
    #[inline]
    const fn next_block(&mut self) -> Option<Block<'a>> {
        let mut words = self.words;
        let Some(&[head]) = take(&mut words, Some(1)) else { return None };
        let (order, features) = (head as u16, (head >> 16) as u16);
        let (order, dense) = if order == ALL { (self.inputs as u16, true) } else { (order, false) };
        let stride = self.number.weight_words(order as usize) + self.beside;
        let Some(records) = take(&mut words, (features as usize).checked_mul(stride)) else { return None };
        let indices = if dense {
            Indices::All { features, inputs: order }
        } else if packs(self.number, self.inputs) {
            Indices::Packed { records, order, stride }
        } else {
            let Some(count) = (features as usize).checked_mul(order as usize) else { return None };
            let Some(listed) = take(&mut words, index_words(count, self.inputs)) else { return None };
            let Some(indices) = Indices::new(listed, count, self.inputs) else { return None };
            indices
        };
        self.words = words;
        Some(Block { order, records, indices, features })
    }

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
        take(&mut self.words, Some(count))
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
        let front = Front::read(bytes)?;
        let file = bytes.get(..front.len).ok_or(Error::Truncated)?;
        let words = bytemuck::try_cast_slice(file).map_err(|_| Error::Misaligned)?;
        Self::behind(front, words, warps)
    }

    /// The same of words, in constant expressions.
    pub const fn read_words(words: &'a [u32], warps: bool) -> Result<Self, Error> {
        match Front::read(must_cast_slice(words)) {
            Ok(front) => Self::behind(front, words, warps),
            Err(error) => Err(error),
        }
    }

    /// Divides the tensors behind the front of a file and checks every value in them.
    const fn behind(front: Front<'a>, file: &'a [u32], warps: bool) -> Result<Self, Error> {
        let Front { version, header, sections, tensors, len } = front;
        let Some((before, _)) = file.split_at_checked((len - CHECKSUM) / 4) else { return Err(Error::Layout) };
        let Some((_, mut words)) = before.split_at_checked(tensors / 4) else { return Err(Error::Layout) };
        let outputs = header.outputs as usize;
        if header.inputs == 0 || outputs == 0 {
            return Err(Error::Header);
        }
        let (number, integers) = (header.number, !header.number.floating_point());
        if header.prepared as usize > BUFFERED && !integers {
            return Err(Error::TooLarge);
        }
        let inputs = if header.prepared > 0 { header.prepared } else { header.inputs } as usize;
        let terms = header.linear as usize;

        let words = &mut words;
        let Some(prepared) = divide(words, Some(2 * header.prepared as usize)) else { return Err(Error::Layout) };
        let prepared: &[Prepared] = must_cast_slice(as_pairs(prepared));
        let Some(shifts) = divide(words, Some(integers as usize)) else { return Err(Error::Layout) };
        let shifts: Shifts = must_cast(if let Some(&word) = shifts.first() { word } else { 0 });
        let scales = divide(words, Some(if integers { 2 * outputs } else { 0 }));
        let Some(scales) = scales else { return Err(Error::Layout) };
        let scales: &[Scale] = must_cast_slice(as_pairs(scales));
        let Some(intercepts) = divide(words, Some(outputs)) else { return Err(Error::Layout) };
        let Some(weights) = divide(words, terms.checked_mul(outputs)) else { return Err(Error::Layout) };
        let Some(term_inputs) = divide(words, index_words(terms, inputs)) else { return Err(Error::Layout) };
        let Some(term_inputs) = Indices::new(term_inputs, terms, inputs) else { return Err(Error::Layout) };
        let blocks = Blocks { words, inputs, number, beside: number.other_words(header.kernel, outputs) };

        let (mut warped, mut unchecked) = (false, prepared);
        while let Some((p, rest)) = unchecked.split_first() {
            unchecked = rest;
            if !p.centre.is_finite() {
                return Err(Error::NotFinite);
            }
            if p.input >= header.inputs {
                return Err(Error::IndexOutOfRange);
            }
            if (p.warp != 0 && !warps) || Warp::of(p.warp).is_none() || (integers && p.exponent < -126) {
                return Err(Error::Header);
            }
            warped |= p.warp != 0;
        }
        let shifted = matches!(number, Number::I32) && shifts.weights > 0;
        if (shifts.weights | shifts.argument) >= 32 || shifts.linear >= 64 || shifted {
            return Err(Error::Header);
        }
        let finite = integers || (are_finite(intercepts) && are_finite(weights));
        if !finite || !are_finite(must_cast_slice(scales)) {
            return Err(Error::NotFinite);
        }
        if !are_within(term_inputs, inputs) {
            return Err(Error::IndexOutOfRange);
        }
        let (mut rest, mut left, mut unrolled) = (blocks, header.blocks, true);
        while left > 0 {
            left -= 1;
            let Some(block) = rest.next_block() else { return Err(Error::Layout) };
            let dense = matches!(block.indices, Indices::All { .. });
            if dense && version < SECTIONS_FROM {
                return Err(Error::Layout);
            }
            if !integers && !are_finite(block.records) {
                return Err(Error::NotFinite);
            }
            if !are_within(block.indices, inputs) {
                return Err(Error::IndexOutOfRange);
            }
            unrolled &= !dense && block.order as usize <= UNROLLED;
        }
        if !rest.words.is_empty() {
            return Err(Error::Layout);
        }
        let few = inputs <= BUFFERED && (integers || unrolled);
        let linear = Linear { weights, inputs: term_inputs };
        Ok(Contents { header, sections, prepared, warped, shifts, scales, intercepts, linear, blocks, few, len })
    }
}

/// What stands before the tensors.
struct Front<'a> {
    version: u16,
    header: Header<'a>,
    sections: Sections<'a>,
    /// Where the tensors begin, in bytes: a multiple of four.
    tensors: usize,
    /// Length of the file in bytes: a multiple of four.
    len: usize,
}

impl<'a> Front<'a> {
    /// Checks the checksum and everything before the tensors.
    const fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        let Some((preamble, _)) = bytes.split_first_chunk::<PREAMBLE>() else { return Err(Error::Truncated) };
        let [m0, m1, m2, m3, v0, v1, h0, h1, l0, l1, l2, l3] = *preamble;
        if u32::from_le_bytes([m0, m1, m2, m3]) != u32::from_le_bytes(MAGIC) {
            return Err(Error::NotAModel);
        }
        let version = u16::from_le_bytes([v0, v1]);
        if version == 0 || version > VERSION {
            return Err(Error::UnsupportedVersion(version));
        }
        let len = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let Some((file, _)) = bytes.split_at_checked(len) else { return Err(Error::Truncated) };
        let Some((body, checksum)) = file.split_last_chunk::<CHECKSUM>() else { return Err(Error::Layout) };
        if CRC.checksum(body) != u32::from_le_bytes(*checksum) {
            return Err(Error::Corrupt);
        }
        let header_end = PREAMBLE + u16::from_le_bytes([h0, h1]) as usize;
        let Some((before, _)) = body.split_at_checked(header_end) else { return Err(Error::Layout) };
        let Some((_, rest)) = before.split_at_checked(PREAMBLE) else { return Err(Error::Layout) };
        let mut message = Message { rest };
        let Some(header) = Header::read(&mut message) else { return Err(Error::Header) };
        let behind = if version < SECTIONS_FROM { &[] } else { message.rest };
        let sections = match Sections::read(behind, &header) {
            Ok(sections) => sections,
            Err(error) => return Err(error),
        };
        let tensors = header_end.next_multiple_of(4);
        if tensors > body.len() || !len.is_multiple_of(4) {
            return Err(Error::Layout);
        }
        Ok(Front { version, header, sections, tensors, len })
    }
}

/// The words of a file, for [`static_model!`](crate::static_model); bytes left over are dropped, words without bytes are 0.
#[doc(hidden)]
pub const fn words_of<const WORDS: usize>(bytes: &[u8]) -> [u32; WORDS] {
    let (mut words, mut i) = ([0; WORDS], 0);
    let (chunks, _) = bytes.as_chunks();
    while i < WORDS && i < chunks.len() {
        words[i] = u32::from_le_bytes(chunks[i]);
        i += 1;
    }
    words
}

/// Splits `count` words off the front, if that is a number.
#[inline]
const fn take<'a>(words: &mut &'a [u32], count: Option<usize>) -> Option<&'a [u32]> {
    let Some(count) = count else { return None };
    let Some((front, rest)) = words.split_at_checked(count) else { return None };
    *words = rest;
    Some(front)
}

/// [`take`] as a call, which is smaller.
#[inline(never)]
const fn divide<'a>(words: &mut &'a [u32], count: Option<usize>) -> Option<&'a [u32]> {
    take(words, count)
}

/// Pairs of words; a word left over is dropped.
const fn as_pairs(words: &[u32]) -> &[[u32; 2]] {
    words.as_chunks().0
}

/// Whether words stand for finite numbers.
#[inline(never)]
const fn are_finite(mut words: &[u32]) -> bool {
    while let Some((&word, rest)) = words.split_first() {
        if !f32::from_bits(word).is_finite() {
            return false;
        }
        words = rest;
    }
    true
}

/// Whether all indices are those of inputs.
#[inline(never)]
const fn are_within(indices: Indices<'_>, inputs: usize) -> bool {
    match indices {
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
