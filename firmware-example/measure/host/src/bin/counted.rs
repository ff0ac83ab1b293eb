//! Counts the instructions and the stack of a prediction by a model that the compiler knows; for an integer model, from
//! integers to integers. `srfm device` counts the instructions of models that are received at run time.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::{Counter, entry, stack_bytes};
use host::fail;
use semihosting::{println, process};
use srfm_runtime::{Model, static_model};

/// The file that the environment variable `SRFM_MODEL` names by its absolute path, or the example's.
static MODEL: Model = static_model!(env!("SRFM_MODEL"));

/// The number of inputs of the kernels.
const VIEW: usize = if MODEL.prepared().is_empty() { MODEL.inputs() } else { MODEL.prepared().len() };

#[entry]
fn main() -> ! {
    let counter = Counter::start().unwrap_or_else(|error| fail(error));
    // `black_box` hides the arguments from the compiler, so no part of the prediction moves out of the measurement.
    let (stack, (instructions, outcome)) = if MODEL.scales().is_empty() {
        let (x, mut y) = ([0.0; MODEL.inputs()], [0.0; MODEL.outputs()]);
        stack_bytes(|| counter.count(|| MODEL.predict(black_box(&x), black_box(&mut y))))
    } else {
        let (z, mut y) = ([0; VIEW], [0; MODEL.outputs()]);
        stack_bytes(|| counter.count(|| MODEL.predict_integers(black_box(&z), black_box(&mut y))))
    };
    match outcome {
        Ok(()) => println!("{instructions} instructions a prediction, {stack} bytes of stack"),
        Err(error) => fail(error),
    }
    process::exit(0)
}
