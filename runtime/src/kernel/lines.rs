//! The tables of the kernels that are lines on equal segments in integers.

use super::{cosine, sigmoid};
use crate::format::Kernel;

/// Returns the words of the 256 lines that a kernel consists of in integers; none for a kernel without a table.
///
/// A line is `(word + slope * argument) >> 16`: the slope is the lower half of the word, and the argument has 16 bits,
/// of which the upper 8 are the number of the segment. Both halves are in two's complement. A pair of sine and cosine
/// has the table of the cosine.
pub const fn lines(kernel: Kernel) -> Option<&'static [i32; 256]> {
    match kernel {
        Kernel::Cosine | Kernel::Sincos => Some(&cosine::COSINE),
        Kernel::Sigmoid => Some(&sigmoid::SIGMOID),
        Kernel::Polynomial | Kernel::Relu | Kernel::Square => None,
    }
}
