//! The model file: the only module that knows bytes. `docs/format.md` in the repository describes every byte.
//!
//! A file is a preamble, a header (a postcard message and optional sections), tensors of little-endian 32-bit words
//! that are read where they lie, and a checksum.

mod block;
mod header;
#[cfg(feature = "write")]
mod header_write;
mod history;
mod message;
mod preparation;
mod read;
mod samples;
mod section;
#[cfg(feature = "write")]
mod spec;
mod table;
mod tensor;
mod trees;
mod windows;
#[cfg(feature = "write")]
mod write;

pub use block::{Block, Blocks, Indices, Linear};
pub(crate) use block::{Cursor, packed_index};
pub use header::{Header, hash_names};
pub use history::{Lags, Place};
pub(crate) use preparation::Preparation;
pub use preparation::through;
pub(crate) use read::{Contents, Support, Supports};
pub use samples::Samples;
pub use section::{Classes, Confidence, USUAL_SLOPE};
#[cfg(feature = "write")]
pub use spec::{BlockSpec, HistorySpec, Intervals, ModelSpec, TreesSpec, WindowsSpec};
pub(crate) use table::kernels;
pub use table::{Kernel, Number, Warp};
pub use tensor::{Prepared, Scale, Shifts, halves, pack, packs, words_of};
pub(crate) use tensor::{Sizes, wide};
pub use trees::{Node, NodeHead, TREES, TreeInput, Trees, key_of, reading_of};
pub use windows::{Band, Statistic, WINDOW_SAMPLES, WindowInput, Windows};
#[cfg(feature = "write")]
pub use write::{encoded_len, words, write};

/// The first four bytes of every model file.
pub const MAGIC: [u8; 4] = *b"SRFM";

/// The format version that this crate reads and writes.
const VERSION: u16 = 1;

/// The number of inputs that fit the buffer on the stack, a power of two. A model in floating point prepares at most
/// this many inputs.
pub const BUFFERED: usize = 16;

/// The largest order that the evaluation in floating point has unrolled loops for.
pub const UNROLLED: usize = 3;

/// The order of a block whose features look at all inputs.
pub const ALL: u16 = 0;

/// The bit of [`Prepared::warp`] that says that the reading is limited.
pub const LIMITED: u8 = 0x80;

/// The integer that stands for a missing reading in the inputs of an integer model, as NaN does in floating point. No
/// reading becomes this integer.
pub const MISSING: i16 = i16::MIN;

/// The bit of [`Prepared::warp`] that says that a missing reading is replaced.
pub const REPLACED: u8 = 0x40;

/// The bits behind the binary point of the argument of a sigmoid in integers, after [`Shifts::argument`].
pub const ARGUMENT_BITS: u32 = 20;

/// The length in bytes of magic, version, header length and total length.
const PREAMBLE: usize = 12;

/// The length in bytes of the checksum at the end.
const CHECKSUM: usize = 4;

/// CRC-32/ISO-HDLC, bit by bit: slower than with a table, and a kilobyte smaller.
pub(crate) const CRC: crc::Crc<u32, crc::NoTable> = crc::Crc::<u32, crc::NoTable>::new(&crc::CRC_32_ISO_HDLC);
