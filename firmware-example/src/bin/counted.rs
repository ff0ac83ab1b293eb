//! Counts the instructions of a prediction by a model all of whose parameters are known when the program is compiled; of an
//! integer model from counts to counts. `srfm device` counts those of models that come at run time.
#![no_std]
#![no_main]

use core::hint::black_box;

use semihosting::{println, process};

#[path = "../board/mod.rs"]
#[expect(dead_code, reason = "no model is received")]
mod board;
#[path = "../compiled_in.rs"]
mod compiled_in;
#[path = "../counter.rs"]
mod counter;
#[path = "../entry.rs"]
mod entry;
#[path = "../fault.rs"]
mod fault;

use compiled_in::{COUNTS, MODEL};
use counter::Counter;
use entry::entry;

#[entry]
fn main() -> ! {
    let counter = Counter::start();
    // References that nothing is known of: no part of a prediction can be computed outside of what is counted.
    let (instructions, outcome) = if MODEL.scales().is_empty() {
        let (x, mut y) = ([0.0; MODEL.inputs()], [0.0; MODEL.outputs()]);
        counter.count(|| MODEL.predict(black_box(&x), black_box(&mut y)))
    } else {
        let (z, mut y) = ([0; COUNTS], [0; MODEL.outputs()]);
        counter.count(|| MODEL.predict_integers(black_box(&z), black_box(&mut y)))
    };
    match outcome {
        Ok(()) => println!("{instructions} instructions a prediction"),
        Err(error) => fault::fail(format_args!("{error}")),
    }
    process::exit(0)
}
