//! Evaluates models that the host supplies.
//!
//! The host program and the trainer exchange files in the emulator's working directory. All values are little-endian
//! 32-bit words:
//!
//! | file | contents |
//! |---|---|
//! | `model.srfm` | the models, one after the other |
//! | `samples.f32` | for each model: the number of values that follow, the readings, sample after sample |
//! | `results.bin` | for each model: the numbers of rows and of outputs, the bytes of a parsed model; then per row:
//! instructions, bytes of stack, instructions of the history, outputs |
//!
//! Instructions and stack are those of `predict`, for an integer model those of `predict_integers`. A model that looks
//! back in time has a row for every sample that it predicts at, such as the last one of a window. The history of other
//! models takes no instructions.

use core::fmt;

use board::{Counter, MODEL_BYTES, NotCounting, VALUES, stack_bytes};
use bytemuck::{bytes_of, bytes_of_mut, cast_slice, cast_slice_mut};
use semihosting::fs::File;
use semihosting::io::{Read, Write};
use srfm_runtime::format::{Number, Samples};
use srfm_runtime::history::take_sample;
use srfm_runtime::{Error, Model};

/// Memory for the models and their values: a `static`, since the stack is too small.
pub struct Buffers {
    /// The models, on the four-byte boundary that parsing needs.
    models: [u32; MODEL_BYTES / 4],
    values: Values,
}

/// Memory for the values of a model.
struct Values {
    /// The latest samples of a model that looks back in time, and the one that is read.
    slots: [f32; VALUES],
    sample: [f32; VALUES],
    inputs: [f32; VALUES],
    outputs: [f32; VALUES],
    /// Inputs and outputs of an integer model.
    integer_inputs: [i16; VALUES],
    integer_outputs: [i32; VALUES],
}

impl Buffers {
    /// Returns buffers of zeros.
    pub const fn new() -> Self {
        let values = Values {
            slots: [0.0; _],
            sample: [0.0; _],
            inputs: [0.0; _],
            outputs: [0.0; _],
            integer_inputs: [0; _],
            integer_outputs: [0; _],
        };
        Buffers { models: [0; _], values }
    }
}

/// An error of the exchange or of the model.
pub enum Failure {
    NotCounting(NotCounting),
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
            Failure::NotCounting(error) => error.fmt(f),
            Failure::CannotOpen(name) => write!(f, "cannot open {name}"),
            Failure::CannotRead(name) => write!(f, "cannot read {name}"),
            Failure::ModelTooLarge => write!(f, "the models have {MODEL_BYTES} bytes or more, too many for this board"),
            Failure::TooManyValues => write!(f, "the model has more than {VALUES} inputs, slots or outputs"),
            Failure::ModelRefused(error) => write!(f, "the model is refused: {error}"),
            Failure::PartOfARow => f.write_str("samples.f32 ends within a row"),
            Failure::Contradiction => f.write_str("predictions from floating-point and from integer inputs differ"),
            Failure::CannotWrite => f.write_str("cannot write results.bin"),
        }
    }
}

/// The files of rows and of results.
struct Files {
    samples: File,
    results: File,
}

impl Files {
    /// Reads as many values as there is room for. Returns whether the file had any.
    fn read(&mut self, values: &mut [u8]) -> Result<bool, Failure> {
        match self.samples.read(values).map_err(|_| Failure::CannotRead("samples.f32"))? {
            0 => Ok(false),
            len if len < values.len() => Err(Failure::PartOfARow),
            _ => Ok(true),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.results.write_all(bytes).map_err(|_| Failure::CannotWrite)
    }
}

/// Evaluates every model on its rows.
pub fn serve(buffers: &mut Buffers) -> Result<(), Failure> {
    let counter = Counter::start().map_err(Failure::NotCounting)?;
    let mut file = File::open(c"model.srfm").map_err(|_| Failure::CannotOpen("model.srfm"))?;
    let room = cast_slice_mut(&mut buffers.models);
    let len = file.read(room).map_err(|_| Failure::CannotRead("model.srfm"))?;
    let mut models = room.get(..len).filter(|models| models.len() < MODEL_BYTES).ok_or(Failure::ModelTooLarge)?;

    let samples = File::open(c"samples.f32").map_err(|_| Failure::CannotOpen("samples.f32"))?;
    let results = File::create(c"results.bin").map_err(|_| Failure::CannotOpen("results.bin"))?;
    let mut files = Files { samples, results };
    let mut count = 0_u32;
    while files.read(bytes_of_mut(&mut count))? {
        let model = Model::parse(models).map_err(Failure::ModelRefused)?;
        models = models.get(model.flash_bytes()..).unwrap_or_default();
        evaluate(&model, count, &counter, &mut buffers.values, &mut files)?;
    }
    Ok(())
}

/// Evaluates a model on samples of `count` values together.
fn evaluate(
    model: &Model<'_>,
    count: u32,
    counter: &Counter,
    values: &mut Values,
    files: &mut Files,
) -> Result<(), Failure> {
    let of_history = model.samples();
    let channels = model.channels() as u32;
    let samples = count / channels;
    if samples * channels != count {
        return Err(Failure::PartOfARow);
    }
    let sample = values.sample.get_mut(..model.channels()).ok_or(Failure::TooManyValues)?;
    let slots = values.slots.get_mut(..model.slots()).ok_or(Failure::TooManyValues)?;
    let x = values.inputs.get_mut(..model.inputs()).ok_or(Failure::TooManyValues)?;
    let y = values.outputs.get_mut(..model.outputs()).ok_or(Failure::TooManyValues)?;
    let view = if model.prepared().is_empty() { model.inputs() } else { model.prepared().len() };
    let z = values.integer_inputs.get_mut(..view).ok_or(Failure::TooManyValues)?;
    let integers = values.integer_outputs.get_mut(..model.outputs()).ok_or(Failure::TooManyValues)?;
    let rows = of_history.predictions(samples as usize) as u32;
    files.write(bytes_of(&[rows, model.outputs() as u32, size_of_val(model) as u32]))?;
    let mut taken = 0;
    for _ in 0..samples {
        let instructions_of_history = if of_history.is_empty() {
            files.read(cast_slice_mut(x))?;
            0
        } else {
            files.read(cast_slice_mut(sample))?;
            let (instructions, ready) = counter.count(|| take(of_history, sample, slots, &mut taken, x));
            if !ready.map_err(Failure::ModelRefused)? {
                continue;
            }
            instructions
        };
        let (stack, instructions) = if model.header().number == Number::F32 {
            let (stack, (instructions, outcome)) = stack_bytes(|| counter.count(|| predict(model, x, y)));
            outcome.map_err(Failure::ModelRefused)?;
            (stack, instructions)
        } else {
            counted_integers(model, counter, (x, y), (z, integers))?
        };
        files.write(bytes_of(&[instructions, stack, instructions_of_history]))?;
        files.write(cast_slice(y))?;
    }
    Ok(())
}

/// Evaluates an integer model on a row. Returns the bytes of stack and the instructions, from integers to integers.
fn counted_integers(
    model: &Model<'_>,
    counter: &Counter,
    (x, y): (&[f32], &mut [f32]),
    (z, integers): (&mut [i16], &mut [i32]),
) -> Result<(u32, u32), Failure> {
    // A firmware with integers from its converter skips the preparation.
    model.prepare(x, z).map_err(Failure::ModelRefused)?;
    let (stack, (instructions, outcome)) = stack_bytes(|| counter.count(|| predict_integers(model, z, integers)));
    predict(model, x, y).map_err(Failure::ModelRefused)?;
    if outcome == Err(Error::MissingReading) {
        let missing = y.iter().all(|y| y.is_nan());
        return if missing { Ok((stack, instructions)) } else { Err(Failure::Contradiction) };
    }
    outcome.map_err(Failure::ModelRefused)?;
    for (y, (integer, scale)) in y.iter().zip(integers.iter().zip(model.scales())) {
        if y.to_bits() != (scale.offset + scale.step * *integer as f32).to_bits() {
            return Err(Failure::Contradiction);
        }
    }
    Ok((stack, instructions))
}

/// Calls `take_sample`. Inlining would mix its registers with those of the loop.
#[inline(never)]
fn take(
    samples: Samples<'_>,
    sample: &[f32],
    slots: &mut [f32],
    taken: &mut u16,
    x: &mut [f32],
) -> Result<bool, Error> {
    take_sample(samples, sample, slots, taken, x)
}

/// Calls `Model::predict`. Inlining would mix its registers and stack with those of the loop.
#[inline(never)]
fn predict(model: &Model<'_>, x: &[f32], y: &mut [f32]) -> Result<(), Error> {
    model.predict(x, y)
}

/// Calls `Model::predict_integers`, likewise.
#[inline(never)]
fn predict_integers(model: &Model<'_>, z: &[i16], y: &mut [i32]) -> Result<(), Error> {
    model.predict_integers(z, y)
}
