//! Predicts the pressure from the readings of a bridge and a thermistor, in counts of a 12-bit converter.
//!
//! `cargo run --release` runs the program in QEMU.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use semihosting::{println, process};
use srfm_runtime::{Model, static_model};

/// The model, in flash. The compiler checks every length, index and value of the file.
static PRESSURE: Model = static_model!("../models/pressure.srfm");

/// Readings of the bridge and the thermistor, in place of a converter.
const READINGS: [[f32; 2]; 4] = [
    [1090.0, 3037.0], // 500 hPa at 0 °C
    [2289.0, 2048.0], // 800 hPa at 25 °C
    [3116.0, 2248.0], // 1013.25 hPa at 20 °C
    [3246.0, 1191.0], // 1100 hPa at 50 °C
];

#[entry]
fn main() -> ! {
    for readings in READINGS {
        let mut pressure = [0.0];
        if let Err(error) = PRESSURE.predict(&readings, &mut pressure) {
            println!("{error}");
            process::exit(1)
        }
        println!("{readings:?} counts: {:.2} hPa", pressure[0]);
    }
    process::exit(0)
}
