//! The wire format: the only place that knows bytes. `FORMAT.md` describes it byte by byte.
//!
//! A model file is a preamble, a header (a postcard message and optional sections), tensors of little-endian 32-bit words
//! that are read where they lie, and a checksum.

mod message;
mod read;
mod section;
mod write;

use serde::{Deserialize, Serialize};

use self::message::Message;
use crate::kernel::{self, activation_int, cosine_f32, sigmoid_f32, sincos_f32};

pub use read::{Block, Blocks, Indices, Linear, words_of};
pub(crate) use read::{Contents, packed_index};
pub use section::{Classes, Intervals};
pub use write::{BlockSpec, ModelSpec, encoded_len, words, write};

/// The first four bytes of every model file.
pub const MAGIC: [u8; 4] = *b"SRFM";

/// The newest format version. This crate reads it and all before it, and writes the oldest that can hold a model.
pub const VERSION: u16 = 2;

/// The first version with sections and with blocks of features that look at all inputs.
const SECTIONS_FROM: u16 = 2;

/// Inputs that fit the buffer on the stack: a power of two. In floating point a model may prepare (subtract a centre from)
/// at most this many.
pub const BUFFERED: usize = 16;

/// Most inputs per feature that prediction has loops of their own for.
pub const UNROLLED: usize = 3;

/// The order of a block whose features look at all inputs.
pub const ALL: u16 = 0;

/// Bytes of magic, version, header length and total length.
const PREAMBLE: usize = 12;

/// Bytes of the checksum at the end.
const CHECKSUM: usize = 4;

/// CRC-32/ISO-HDLC, bit by bit: slower than a table, and a kilobyte smaller.
const CRC: crc::Crc<u32, crc::NoTable> = crc::Crc::<u32, crc::NoTable>::new(&crc::CRC_32_ISO_HDLC);

/// Number format of the tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Number {
    /// IEEE 754 single precision.
    F32,
    /// Integers: inputs and amplitudes of 16 bits, weights of 32.
    I32,
    /// Integers: inputs, amplitudes and weights of 16 bits.
    I16,
}

impl Number {
    /// The number format with this number in model files.
    const fn of(number: u32) -> Option<Number> {
        match number {
            0 => Some(Number::F32),
            1 => Some(Number::I32),
            2 => Some(Number::I16),
            _ => None,
        }
    }

    /// Whether it is in floating point.
    pub(crate) const fn floating_point(self) -> bool {
        matches!(self, Number::F32)
    }

    /// Words of the weights of a feature with `order` inputs.
    pub const fn weight_words(self, order: usize) -> usize {
        match self {
            Number::F32 | Number::I32 => order,
            Number::I16 => order.div_ceil(2),
        }
    }

    /// Words of a feature's record beside its weights.
    ///
    /// In floating point a bias, unless pairs fold it into their amplitudes, and every amplitude. In integers one word for
    /// the bias and the first amplitude and one for every two more; of a pair, one word for every output.
    pub const fn other_words(self, kernel: Kernel, outputs: usize) -> usize {
        match (self, kernel) {
            (Number::F32, _) => kernel.words(0, outputs),
            (_, Kernel::Sincos) => outputs,
            _ => 1 + outputs / 2,
        }
    }
}

/// Nonlinearity of the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kernel {
    /// `cos(2πt)`, angles in turns.
    Cosine,
    /// `sin(2πt)` and `cos(2πt)`, angles in turns.
    Sincos,
    /// `1 / (1 + e^-t)`.
    Sigmoid,
    /// `max(t, 0)`.
    Relu,
}

impl Kernel {
    /// The kernel with this number in model files.
    const fn of(number: u32) -> Option<Kernel> {
        match number {
            0 => Some(Kernel::Cosine),
            1 => Some(Kernel::Sincos),
            2 => Some(Kernel::Sigmoid),
            3 => Some(Kernel::Relu),
            _ => None,
        }
    }

    /// What a model stores amplitudes times: one number for every value of a feature.
    pub const fn scales(self) -> &'static [f64] {
        match self {
            Kernel::Cosine => &[cosine_f32::LEADING],
            Kernel::Sincos => &sincos_f32::LEADING,
            Kernel::Sigmoid => &[sigmoid_f32::SCALE],
            Kernel::Relu => &[0.5],
        }
    }

    /// The integer that stands for a value of one, of the rectified argument for the largest one.
    pub const fn one(self) -> i32 {
        match self {
            Kernel::Relu => activation_int::RELU_ONE,
            _ => kernel::ONE,
        }
    }

    /// Words of a feature's record with `order` inputs: a bias, unless pairs fold it into their amplitudes, the weights, and
    /// the amplitudes of every output.
    pub const fn words(self, order: usize, outputs: usize) -> usize {
        match self {
            Kernel::Sincos => order + 2 * outputs,
            Kernel::Cosine | Kernel::Sigmoid | Kernel::Relu => 1 + order + outputs,
        }
    }

    /// Whether a record begins with a bias.
    pub(crate) const fn biased(self) -> bool {
        !matches!(self, Kernel::Sincos)
    }
}

/// What the model is, before its tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header<'a> {
    /// Number format of the tensors.
    pub number: Number,
    /// Nonlinearity of the features.
    pub kernel: Kernel,
    /// Number of readings that a prediction takes.
    pub inputs: u16,
    /// Number of values that a prediction gives.
    pub outputs: u16,
    /// Number of inputs that are prepared; 0 means that features read the readings directly.
    pub prepared: u16,
    /// Number of terms of the linear block.
    pub linear: u16,
    /// Number of blocks of features.
    pub blocks: u16,
    /// CRC-32/ISO-HDLC of the input names, joined by line feeds; 0 where there were no names.
    pub inputs_hash: u32,
    /// Name of the method that fitted the model.
    #[serde(borrow)]
    pub method: &'a str,
}

impl<'a> Header<'a> {
    /// The header at the front of a message, which goes on behind it.
    const fn read(message: &mut Message<'a>) -> Option<Header<'a>> {
        let (Some(number), Some(kernel)) = (message.number(32), message.number(32)) else { return None };
        let (Some(number), Some(kernel)) = (Number::of(number), Kernel::of(kernel)) else { return None };
        let (Some(inputs), Some(outputs), Some(prepared)) = (message.short(), message.short(), message.short()) else {
            return None;
        };
        let (Some(linear), Some(blocks)) = (message.short(), message.short()) else { return None };
        let (Some(inputs_hash), Some(method)) = (message.number(32), message.text()) else { return None };
        Some(Header { number, kernel, inputs, outputs, prepared, linear, blocks, inputs_hash, method })
    }
}

/// What integers of 32 bits stand for: an output is `offset + step * integer`.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Scale {
    /// Units of the output that one stands for.
    pub step: f32,
    /// What zero stands for.
    pub offset: f32,
}

/// Binary points of an integer model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Shifts {
    /// Bits by which sums of 16-bit weights are shifted left; below 32, and 0 with weights of 32 bits.
    pub weights: u8,
    /// Bits by which the argument of an activation is shifted right; below 32.
    pub argument: u8,
    /// Bits by which the sum of the linear terms is shifted right; below 64.
    pub linear: u8,
    /// Zero.
    pub reserved: u8,
}

/// A function of one input. In floating point it is applied to the reading, before the centre is subtracted; in integers to
/// the input of 16 bits, a count that nothing should be subtracted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Warp {
    /// The input itself.
    Identity,
    /// Logarithm to base 2: [`warp_f32::log2`](crate::kernel::warp_f32::log2) and
    /// [`warp_int::log2`](crate::kernel::warp_int::log2).
    Log,
    /// Square root: [`warp_f32::sqrt`](crate::kernel::warp_f32::sqrt) and
    /// [`warp_int::sqrt`](crate::kernel::warp_int::sqrt).
    Sqrt,
}

impl Warp {
    /// The warp with this number in model files.
    pub const fn of(number: u8) -> Option<Warp> {
        match number {
            0 => Some(Warp::Identity),
            1 => Some(Warp::Log),
            2 => Some(Warp::Sqrt),
            _ => None,
        }
    }

    /// Its number in model files.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// One prepared input: `z = warp(reading[input]) - centre`, in integer models the warp of the nearest integer to
/// `2^exponent (reading[input] - centre)`.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Prepared {
    /// What is subtracted from the warped reading, in integer models from the reading.
    pub centre: f32,
    /// Which reading.
    pub input: u16,
    /// Number of a [`Warp`].
    pub warp: u8,
    /// Exponent of two, -126 to 127, of an integer model; otherwise 0, and ignored.
    pub exponent: i8,
}

/// The checksum of input names that [`Header::inputs_hash`] holds.
pub fn hash_names<'n>(names: impl IntoIterator<Item = &'n str>) -> u32 {
    let mut digest = CRC.digest();
    for (i, name) in names.into_iter().enumerate() {
        if i > 0 {
            digest.update(b"\n");
        }
        digest.update(name.as_bytes());
    }
    digest.finalize()
}

/// Whether indices into `inputs` values need two bytes.
pub(crate) const fn wide(inputs: usize) -> bool {
    inputs > 256
}

/// The nearest weight whose last four bits are the number of its input, below [`BUFFERED`].
pub const fn pack(weight: u32, index: u16) -> u32 {
    let index = index as u32;
    weight.wrapping_sub(index).wrapping_add(8) & !0xf | index
}

/// A word of two numbers of 16 bits: an amplitude and the bias above it, or two weights or amplitudes.
pub const fn halves(lower: u16, upper: u16) -> u32 {
    (upper as u32) << 16 | lower as u32
}

/// Whether the number of an input is in the last four bits of its weight.
pub const fn packs(number: Number, inputs: usize) -> bool {
    matches!(number, Number::I32) && inputs <= BUFFERED
}

/// Words that `count` indices into `inputs` values occupy.
const fn index_words(count: usize, inputs: usize) -> Option<usize> {
    if !wide(inputs) {
        return Some(count.div_ceil(4));
    }
    match count.checked_mul(2) {
        Some(bytes) => Some(bytes.div_ceil(4)),
        None => None,
    }
}
