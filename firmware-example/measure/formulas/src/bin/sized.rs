//! Evaluates the formula that the environment variable `SRFM_FORMULA` names in a loop, and nothing else.
//!
//! The size of the program, less that of `empty` of the probes, is the flash that the formula takes.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::entry;
use formulas::{Bme280, hot_junction, inverse, polynomial, table_1, table_2};
use probes as _;

const NAME: &str = match option_env!("SRFM_FORMULA") {
    Some(name) => name,
    None => "",
};
static COEFFICIENTS: [f32; 70] = [0.3; 70];
static ROWS: [[f32; 9]; 9] = [[0.3; 9]; 9];
static KNOTS: [f32; 17] = [0.3; 17];
static SCALING: [[f32; 2]; 4] = [[0.5, 2.0]; 4];
static DEVICE: Bme280 = Bme280::TYPICAL;

#[entry]
fn main() -> ! {
    loop {
        let x = black_box([0.0_f32; 4]);
        let raw = black_box([0_i32; 2]);
        let device = black_box(&DEVICE);
        match NAME {
            "polynomial" => _ = black_box(polynomial(&x, black_box(&SCALING), black_box(&COEFFICIENTS))),
            "table-1" => _ = black_box(table_1(x[0], black_box([0.0, 16.0]), black_box(&KNOTS))),
            "table-2" => _ = black_box(table_2([x[0], x[1]], black_box([[0.0, 8.0]; 2]), black_box(&ROWS))),
            "nist-inverse" => _ = black_box(inverse(x[0])),
            "nist-hot-junction" => _ = black_box(hot_junction(x[0], x[1])),
            "bme280-temperature" => _ = black_box(device.temperature(raw[0])),
            "bme280-pressure" => _ = black_box(device.pressure(raw[0], device.fine(raw[1]))),
            "bme280-humidity" => _ = black_box(device.humidity(raw[0], device.fine(raw[1]))),
            _ => {}
        }
    }
}
