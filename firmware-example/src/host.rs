//! Evaluates a model that the host supplies: the other end of the trainer's `device` module.
//!
//! In the emulator's working directory, all little-endian 32-bit words:
//!
//! | file | contents |
//! |---|---|
//! | `model.srfm` | the model |
//! | `samples.f32` | one row of readings after the other |
//! | `results.bin` | the number of outputs, then per row: instructions, bytes of stack, outputs |

use core::fmt;

use bytemuck::{bytes_of, cast_slice, cast_slice_mut};
use srfm_runtime::{Error, Model};

use crate::counter::Counter;
use crate::semihosting::File;
use crate::stack;

/// Room for what the host sends; a `static` in zeroed RAM, since it is far too large for the stack.
pub struct Buffers {
    /// The model: 1 MiB, on the four-byte boundary that parsing asks for.
    model: [u32; 1 << 18],
    /// The most readings and outputs that the format allows.
    readings: [f32; 1 << 16],
    outputs: [f32; 1 << 16],
}

impl Buffers {
    /// All zero.
    pub const fn new() -> Self {
        Buffers { model: [0; _], readings: [0.0; _], outputs: [0.0; _] }
    }
}

/// Why the host's request could not be served.
pub enum Failure {
    CannotOpen(&'static str),
    ModelTooLarge,
    ModelRefused(Error),
    PartOfARow,
    CannotWrite,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::CannotOpen(name) => write!(f, "cannot open {name}"),
            Failure::ModelTooLarge => f.write_str("the model is larger than 1 MiB"),
            Failure::ModelRefused(error) => write!(f, "the model is refused: {error}"),
            Failure::PartOfARow => f.write_str("samples.f32 ends within a row"),
            Failure::CannotWrite => f.write_str("cannot write results.bin"),
        }
    }
}

/// Evaluates the model on every row.
pub fn serve(buffers: &mut Buffers) -> Result<(), Failure> {
    let counter = Counter::start();
    let mut file = File::open(c"model.srfm").ok_or(Failure::CannotOpen("model.srfm"))?;
    let len = file.read(cast_slice_mut(&mut buffers.model));
    if len == size_of_val(&buffers.model) {
        return Err(Failure::ModelTooLarge);
    }
    let model = Model::parse(&cast_slice(&buffers.model)[..len]).map_err(Failure::ModelRefused)?;

    let mut samples = File::open(c"samples.f32").ok_or(Failure::CannotOpen("samples.f32"))?;
    let mut results = File::create(c"results.bin").ok_or(Failure::CannotOpen("results.bin"))?;
    let mut write = |bytes: &[u8]| if results.write(bytes) { Ok(()) } else { Err(Failure::CannotWrite) };
    write(bytes_of(&(model.outputs() as u32)))?;

    let x = &mut buffers.readings[..model.inputs()];
    let y = &mut buffers.outputs[..model.outputs()];
    loop {
        match samples.read(cast_slice_mut(x)) {
            0 => return Ok(()),
            len if len < size_of_val(x) => return Err(Failure::PartOfARow),
            _ => {}
        }
        let (stack_bytes, (instructions, refused)) = stack::measure(|| counter.count(|| predict(&model, x, y)));
        refused.map_err(Failure::ModelRefused)?;
        write(bytes_of(&[instructions, stack_bytes]))?;
        write(cast_slice(y))?;
    }
}

/// `Model::predict` as a call, so that its registers and stack are not those of the loop.
#[inline(never)]
fn predict(model: &Model<'_>, x: &[f32], y: &mut [f32]) -> Result<(), Error> {
    model.predict(x, y)
}
