//! Evaluates a model that the host supplies: the other end of the trainer's `device` module.
//!
//! In the emulator's working directory, all little-endian 32-bit words:
//!
//! | file | contents |
//! |---|---|
//! | `model.srfm` | the model |
//! | `samples.f32` | one row of readings after the other |
//! | `results.bin` | the number of outputs and the bytes of a parsed model, then per row: instructions, bytes of stack, outputs |
//!
//! Of an integer model, instructions and stack are those of `predict_integers`.

use core::fmt;

use bytemuck::{bytes_of, cast_slice, cast_slice_mut};
use semihosting::fs::File;
use semihosting::io::{Read, Write};
use srfm_runtime::format::Number;
use srfm_runtime::{Error, Model};

use crate::board::{MODEL_BYTES, VALUES};
use crate::counter::Counter;
use crate::stack;

/// Room for what the host sends; a `static` in zeroed RAM, since it is far too large for the stack.
pub struct Buffers {
    /// The model, on the four-byte boundary that parsing asks for.
    model: [u32; MODEL_BYTES / 4],
    readings: [f32; VALUES],
    outputs: [f32; VALUES],
    /// Inputs and outputs of an integer model.
    inputs: [i16; VALUES],
    integers: [i32; VALUES],
}

impl Buffers {
    /// All zero.
    pub const fn new() -> Self {
        Buffers { model: [0; _], readings: [0.0; _], outputs: [0.0; _], inputs: [0; _], integers: [0; _] }
    }
}

/// Why the host's request could not be served.
pub enum Failure {
    CannotOpen(&'static str),
    CannotRead(&'static str),
    ModelTooLarge,
    TooManyValues,
    ModelRefused(Error),
    PartOfARow,
    Contradiction,
    CannotWrite,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::CannotOpen(name) => write!(f, "cannot open {name}"),
            Failure::CannotRead(name) => write!(f, "cannot read {name}"),
            Failure::ModelTooLarge => write!(f, "the model has {MODEL_BYTES} bytes or more, too many for this board"),
            Failure::TooManyValues => write!(f, "the model has more than {VALUES} inputs or outputs"),
            Failure::ModelRefused(error) => write!(f, "the model is refused: {error}"),
            Failure::PartOfARow => f.write_str("samples.f32 ends within a row"),
            Failure::Contradiction => f.write_str("readings and integers give different predictions"),
            Failure::CannotWrite => f.write_str("cannot write results.bin"),
        }
    }
}

/// Evaluates the model on every row.
pub fn serve(buffers: &mut Buffers) -> Result<(), Failure> {
    let counter = Counter::start();
    let mut file = File::open(c"model.srfm").map_err(|_| Failure::CannotOpen("model.srfm"))?;
    let room = cast_slice_mut(&mut buffers.model);
    let len = file.read(room).map_err(|_| Failure::CannotRead("model.srfm"))?;
    if len == room.len() {
        return Err(Failure::ModelTooLarge);
    }
    let model = Model::parse(&cast_slice(&buffers.model)[..len]).map_err(Failure::ModelRefused)?;

    let mut samples = File::open(c"samples.f32").map_err(|_| Failure::CannotOpen("samples.f32"))?;
    let mut results = File::create(c"results.bin").map_err(|_| Failure::CannotOpen("results.bin"))?;
    let mut write = |bytes: &[u8]| results.write_all(bytes).map_err(|_| Failure::CannotWrite);
    write(bytes_of(&[model.outputs() as u32, size_of_val(&model) as u32]))?;

    let x = buffers.readings.get_mut(..model.inputs()).ok_or(Failure::TooManyValues)?;
    let y = buffers.outputs.get_mut(..model.outputs()).ok_or(Failure::TooManyValues)?;
    let view = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let z = buffers.inputs.get_mut(..view).ok_or(Failure::TooManyValues)?;
    let integers = buffers.integers.get_mut(..model.outputs()).ok_or(Failure::TooManyValues)?;
    loop {
        match samples.read(cast_slice_mut(x)).map_err(|_| Failure::CannotRead("samples.f32"))? {
            0 => return Ok(()),
            len if len < size_of_val(x) => return Err(Failure::PartOfARow),
            _ => {}
        }
        let (stack_bytes, instructions) = if model.header().number == Number::F32 {
            let (stack_bytes, (instructions, refused)) = stack::measure(|| counter.count(|| predict(&model, x, y)));
            refused.map_err(Failure::ModelRefused)?;
            (stack_bytes, instructions)
        } else {
            // What a firmware does that has integers from its converter and wants an integer.
            model.prepare(x, z).map_err(Failure::ModelRefused)?;
            let (stack_bytes, (instructions, refused)) =
                stack::measure(|| counter.count(|| predict_integers(&model, z, integers)));
            refused.map_err(Failure::ModelRefused)?;
            predict(&model, x, y).map_err(Failure::ModelRefused)?;
            for (y, (integer, scale)) in y.iter().zip(integers.iter().zip(model.scales())) {
                if y.to_bits() != (scale.offset + scale.step * *integer as f32).to_bits() {
                    return Err(Failure::Contradiction);
                }
            }
            (stack_bytes, instructions)
        };
        write(bytes_of(&[instructions, stack_bytes]))?;
        write(cast_slice(y))?;
    }
}

/// `Model::predict` as a call, so that its registers and stack are not those of the loop.
#[inline(never)]
fn predict(model: &Model<'_>, x: &[f32], y: &mut [f32]) -> Result<(), Error> {
    model.predict(x, y)
}

/// The same for `Model::predict_integers`.
#[inline(never)]
fn predict_integers(model: &Model<'_>, z: &[i16], y: &mut [i32]) -> Result<(), Error> {
    model.predict_integers(z, y)
}
