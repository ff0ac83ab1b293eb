//! Reading a model in place. Every check happens here, once, at run time or when the program is compiled; hence the
//! loops and matches that constant expressions allow.

use bytemuck::{must_cast, must_cast_slice};

use super::block::{Blocks, Cursor, Indices, Linear};
use super::message::Message;
use super::preparation::Preparation;
use super::section::Sections;
use super::tensor::{Scale, Shifts, Sizes, are_ascending, are_finite, index_words, take};
use super::{BUFFERED, CHECKSUM, CRC, Header, Kernel, MAGIC, Number, PREAMBLE, TREES, Trees, UNROLLED, VERSION};
use crate::Error;

/// A program that evaluates models. The parts that it does not support take no code.
pub trait Supports {
    /// The models that can be evaluated.
    const SUPPORT: Support;
}

/// The models that a program can evaluate.
#[derive(Clone, Copy, Debug)]
pub struct Support {
    /// The only kernel; none for every kernel.
    pub kernel: Option<Kernel>,
    /// Whether models in floating point can be evaluated.
    pub float: bool,
    /// Whether models in integers can be evaluated.
    pub integers: bool,
    /// Whether warped inputs can be evaluated.
    pub warps: bool,
    /// Whether trees can be evaluated.
    pub trees: bool,
}

/// The checked contents of a model file.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    pub header: Header<'a>,
    pub sections: Sections<'a>,
    pub preparation: Preparation<'a>,
    /// The shifts of an integer model, otherwise zeros.
    pub shifts: Shifts,
    /// One entry per output of an integer model, otherwise none.
    pub scales: &'a [Scale],
    pub intercepts: &'a [u32],
    /// The lowest and the highest value of every output; none of a classifier.
    pub limits: &'a [[u32; 2]],
    pub linear: Linear<'a>,
    /// The number of values that indices may refer to.
    pub view: u16,
    /// The blocks of features, and the trees.
    pub blocks: Cursor<'a>,
    /// The kernel of all features; none where there are several, or trees.
    pub kernel: Option<Kernel>,
    /// Whether indices refer to at most [`BUFFERED`] inputs and, in floating point, every feature to at most
    /// [`UNROLLED`] of them.
    pub small: bool,
    /// The length of the file in bytes.
    pub len: usize,
}

impl<'a> Contents<'a> {
    /// Returns the numbers of values that decide the lengths in a block.
    #[inline]
    pub const fn sizes(&self) -> Sizes {
        Sizes { inputs: self.view as usize, outputs: self.header.outputs as usize }
    }

    /// Returns the blocks of features one after the other.
    #[inline]
    pub const fn blocks(&self) -> Blocks<'a> {
        let Header { kernels, number, .. } = self.header;
        Blocks { cursor: self.blocks, kernels, number, sizes: self.sizes() }
    }

    /// Reads and checks the model at the start of `bytes`. Bytes behind it are ignored, so that a whole flash page can
    /// be handed over.
    pub fn read<S: Supports>(bytes: &'a [u8]) -> Result<Self, Error> {
        let front = Front::read(bytes)?;
        let file = bytes.get(..front.len).ok_or(Error::Truncated)?;
        let words = bytemuck::try_cast_slice(file).map_err(|_| Error::Misaligned)?;
        front.with_tensors::<S>(words)
    }

    /// Reads and checks the model at the start of `words`, in constant expressions.
    pub const fn read_words<S: Supports>(words: &'a [u32]) -> Result<Self, Error> {
        match Front::read(must_cast_slice(words)) {
            Ok(front) => front.with_tensors::<S>(words),
            Err(error) => Err(error),
        }
    }
}

/// The parts of a file before the tensors.
struct Front<'a> {
    header: Header<'a>,
    sections: Sections<'a>,
    /// The number of classes; 0 of a model of quantities.
    classes: usize,
    /// The offset of the tensors in bytes: a multiple of four.
    tensors: usize,
    /// The length of the file in bytes: a multiple of four.
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
        if version != VERSION {
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
        let header = match Header::read(&mut message) {
            Ok(header) => header,
            Err(error) => return Err(error),
        };
        let (sections, classes) = match Sections::read(message.rest, &header) {
            Ok(sections) => sections,
            Err(error) => return Err(error),
        };
        let tensors = header_end.next_multiple_of(4);
        if tensors > body.len() || !len.is_multiple_of(4) {
            return Err(Error::Layout);
        }
        Ok(Front { header, sections, classes, tensors, len })
    }

    /// Divides the tensors among `file` and checks them.
    const fn with_tensors<S: Supports>(self, file: &'a [u32]) -> Result<Contents<'a>, Error> {
        let Front { header, sections, classes, tensors, len } = self;
        let Some((before, _)) = file.split_at_checked((len - CHECKSUM) / 4) else { return Err(Error::Layout) };
        let Some((_, mut words)) = before.split_at_checked(tensors / 4) else { return Err(Error::Layout) };
        let (outputs, integers) = (header.outputs as usize, !header.number.is_float());
        if let Err(error) = check_header::<S>(&header) {
            return Err(error);
        }
        let inputs = if header.prepared > 0 { header.prepared } else { header.inputs } as usize;
        let (terms, double) = (header.linear as usize, 2 * outputs);
        let (of_scales, of_limits) = (if integers { double } else { 0 }, if classes == 0 { double } else { 0 });
        let words = &mut words;
        let Some(preparation) = Preparation::take(words, &header, S::SUPPORT.warps) else { return Err(Error::Layout) };
        let Some(shifts) = divide(words, Some(integers as usize)) else { return Err(Error::Layout) };
        let shifts: Shifts = must_cast(if let Some(&word) = shifts.first() { word } else { 0 });
        let Some(scales) = divide(words, Some(of_scales)) else { return Err(Error::Layout) };
        let scales: &[Scale] = must_cast_slice(as_pairs(scales));
        let Some(intercepts) = divide(words, Some(outputs)) else { return Err(Error::Layout) };
        let Some(limits) = divide(words, Some(of_limits)) else { return Err(Error::Layout) };
        let Some(weights) = divide(words, terms.checked_mul(outputs)) else { return Err(Error::Layout) };
        let Some(term_inputs) = divide(words, index_words(terms, inputs)) else { return Err(Error::Layout) };
        let Some(term_inputs) = Indices::new(term_inputs, terms, inputs) else { return Err(Error::Layout) };
        let preparation = match preparation.check(&header, S::SUPPORT.warps) {
            Ok(preparation) => preparation,
            Err(error) => return Err(error),
        };
        if !are_sound(shifts, header.number) {
            return Err(Error::Header);
        }
        let finite = integers || (are_finite(intercepts) && are_finite(limits) && are_finite(weights));
        if !finite || !are_finite(must_cast_slice(scales)) {
            return Err(Error::NotFinite);
        }
        if !are_ascending(as_pairs(limits), integers) {
            return Err(Error::Limits);
        }
        if !term_inputs.are_below(inputs) {
            return Err(Error::IndexOutOfRange);
        }
        let (sizes, blocks) = (Sizes { inputs, outputs }, Cursor { words });
        let (kernel, small) = match check_blocks::<S>(blocks, &header, sizes) {
            Ok(checked) => checked,
            Err(error) => return Err(error),
        };
        Ok(Contents {
            header,
            sections,
            preparation,
            shifts,
            scales,
            intercepts,
            limits: as_pairs(limits),
            linear: Linear { weights, inputs: term_inputs },
            view: inputs as u16,
            blocks,
            kernel,
            small,
            len,
        })
    }
}

/// Returns whether the binary points are those of a model.
const fn are_sound(shifts: Shifts, number: Number) -> bool {
    let shifted = matches!(number, Number::I32) && shifts.weights > 0;
    !shifted && (shifts.weights | shifts.argument) < 32 && shifts.linear < 64
}

/// Checks the numbers in the header.
const fn check_header<S: Supports>(header: &Header<'_>) -> Result<(), Error> {
    if header.inputs == 0 || header.outputs == 0 {
        return Err(Error::Header);
    }
    let float = header.number.is_float();
    if !(if float { S::SUPPORT.float } else { S::SUPPORT.integers }) {
        return Err(Error::UnsupportedNumber(header.number.number()));
    }
    if header.prepared as usize > BUFFERED && float {
        return Err(Error::TooLarge);
    }
    Ok(())
}

/// Checks all blocks and the trees, which come last. Returns the kernel that they have in common, if there is one, and
/// whether the model is small.
const fn check_blocks<S: Supports>(
    mut blocks: Cursor<'_>,
    header: &Header<'_>,
    sizes: Sizes,
) -> Result<(Option<Kernel>, bool), Error> {
    let (inputs, integers, mut kernels) = (sizes.inputs, !header.number.is_float(), header.kernels);
    let mut small = inputs <= BUFFERED;
    // Any kernel will do for a model without features.
    let (mut kernel, mut first, mut several) = (Kernel::Cosine, true, false);
    while let Some((&number, rest)) = kernels.split_first() {
        kernels = rest;
        if number == TREES && S::SUPPORT.trees {
            if !rest.is_empty() {
                return Err(Error::Layout);
            }
            if let Err(error) = Trees::checked(&mut blocks.words, header, sizes) {
                return Err(error);
            }
            several = true;
            break;
        }
        let supported = match S::SUPPORT.kernel {
            Some(only) if number == only.number() => S::SUPPORT.kernel,
            Some(_) => None,
            None => Kernel::of(number),
        };
        let Some(of_block) = supported else { return Err(Error::UnsupportedKernel(number)) };
        let Some(block) = blocks.block(header.number, of_block, sizes) else { return Err(Error::Layout) };
        if !integers && !are_finite(block.records) {
            return Err(Error::NotFinite);
        }
        if !block.indices.are_below(inputs) {
            return Err(Error::IndexOutOfRange);
        }
        let dense = matches!(block.indices, Indices::All { .. });
        small &= integers || (!dense && block.order as usize <= UNROLLED);
        several |= !first && of_block as u8 != kernel as u8;
        (kernel, first) = (of_block, false);
    }
    if !blocks.words.is_empty() {
        return Err(Error::Layout);
    }
    Ok((if several { None } else { Some(kernel) }, small))
}

/// [`take`] as a call, which is smaller.
#[inline(never)]
const fn divide<'a>(words: &mut &'a [u32], count: Option<usize>) -> Option<&'a [u32]> {
    take(words, count)
}

/// Returns pairs of words; a word left over is dropped.
const fn as_pairs(words: &[u32]) -> &[[u32; 2]] {
    words.as_chunks().0
}
