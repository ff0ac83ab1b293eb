//! Evaluates an embedded model on sensor readings and reports over semihosting.
//!
//! `cargo run --release` runs it in QEMU. A program of your own needs the lines that are marked with numbers; the rest
//! is this board and the emulator. The same program serves `srfm device`, which hands it models at run time: see
//! [`host`].
#![no_std]
#![no_main]

mod arch;
mod board;
mod counter;
mod entry;
mod fault;
mod host;
mod stack;

use semihosting::experimental::env;
use semihosting::{eprintln, println, process};
use srfm_runtime::{Error, Model, static_model};

use counter::Counter;
use entry::entry;

/// 1. The model, in flash. It tells the pressure from a bridge and a thermistor, in counts of a 12-bit converter. Every length,
///    index and value of the file is checked when the program is compiled.
static MODEL: Model = static_model!("../models/pressure.srfm");

/// Readings of the bridge and the thermistor, in place of a converter.
const READINGS: [[f32; 2]; 4] = [
    [1090.0, 3037.0], // 500 hPa at 0 °C
    [2289.0, 2048.0], // 800 hPa at 25 °C
    [3116.0, 2248.0], // 1013.25 hPa at 20 °C
    [3246.0, 1191.0], // 1100 hPa at 50 °C
];

fn example() -> Result<(), Error> {
    println!("{} features in {} bytes of flash", MODEL.features(), MODEL.flash_bytes());

    let counter = Counter::start();
    for reading in READINGS {
        // 2. One output, in its physical unit.
        let mut pressure = [0.0];
        let (instructions, outcome) = counter.count(|| MODEL.predict(&reading, &mut pressure));
        outcome?;
        println!("{:?} counts: {:.2} hPa, {} instructions", reading, pressure[0], instructions);
    }
    Ok(())
}

/// Whether the command line, `arg=` of `-semihosting-config`, asks for [`host`].
fn host_asks() -> bool {
    env::args::<64>().is_ok_and(|arguments| (&arguments).next() == Some(Ok("host")))
}

static mut BUFFERS: host::Buffers = host::Buffers::new();

#[entry]
fn main() -> ! {
    let outcome = if host_asks() {
        let buffers = &raw mut BUFFERS;
        // SAFETY: `main` is entered once, so that this is the only reference.
        host::serve(unsafe { &mut *buffers }).map_err(|failure| eprintln!("{failure}"))
    } else {
        example().map_err(|error| eprintln!("{error}"))
    };
    process::exit(outcome.is_err().into())
}
