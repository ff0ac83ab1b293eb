//! Predicts in a loop with a model that the compiler knows, and nothing else; integer models from integers to integers.
//!
//! The size of the program, less that of `empty`, is all the flash that the model takes, parameters included.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::entry;
use probes as _;
use srfm_runtime::{Model, static_model};

/// The file that the environment variable `SRFM_MODEL` names by its absolute path, or the example's.
static MODEL: Model = static_model!(env!("SRFM_MODEL"));

/// The number of inputs of the kernels.
const VIEW: usize = if MODEL.prepared().is_empty() { MODEL.inputs() } else { MODEL.prepared().len() };

#[entry]
fn main() -> ! {
    loop {
        if MODEL.scales().is_empty() {
            let (x, mut y) = (black_box([0.0; MODEL.inputs()]), [0.0; MODEL.outputs()]);
            let _ = MODEL.predict(&x, &mut y);
            black_box(y);
        } else {
            let (z, mut y) = (black_box([0; VIEW]), [0; MODEL.outputs()]);
            let _ = MODEL.predict_integers(&z, &mut y);
            black_box(y);
        }
    }
}
