//! Prints the instructions of each formula: name, then the mean over some readings.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::{Counter, entry};
use formulas::{Bme280, cold_junction_millivolts, hot_junction, inverse, polynomial, table_1, table_2};
use host::fail;
use semihosting::{println, process};

/// The number of readings.
const READINGS: usize = 8;

/// Prints the mean instructions of a formula of a reading.
fn print<X: Copy, Y>(counter: &Counter, name: &str, readings: [X; READINGS], formula: impl Fn(X) -> Y) {
    let of = |&x: &X| {
        let x = black_box(x);
        counter.count(|| black_box(formula(x))).0
    };
    println!("{name} {}", readings.iter().map(of).sum::<u32>() / READINGS as u32);
}

#[entry]
fn main() -> ! {
    let counter = &Counter::start().unwrap_or_else(|error| fail(error));
    let device = &black_box(Bme280::TYPICAL);
    let x: [f32; READINGS] = core::array::from_fn(|place| (place as f32 + 0.5) / READINGS as f32);
    print(counter, "polynomial-1-4", x, |x| polynomial(&[x], black_box(&[[0.5, 2.0]]), black_box(&[0.3; 4])));
    print(counter, "polynomial-1-8", x, |x| polynomial(&[x], black_box(&[[0.5, 2.0]]), black_box(&[0.3; 8])));
    print(counter, "polynomial-2-10", x, |x| polynomial(&[x; 2], black_box(&[[0.5, 2.0]; 2]), black_box(&[0.3; 10])));
    print(counter, "polynomial-4-15", x, |x| polynomial(&[x; 4], black_box(&[[0.5, 2.0]; 4]), black_box(&[0.3; 15])));
    print(counter, "polynomial-4-70", x, |x| polynomial(&[x; 4], black_box(&[[0.5, 2.0]; 4]), black_box(&[0.3; 70])));
    print(counter, "polynomial-10-66", x, |x| {
        polynomial(&[x; 10], black_box(&[[0.5, 2.0]; 10]), black_box(&[0.3; 66]))
    });
    print(counter, "table-1", x, |x| table_1(x, black_box([0.0, 16.0]), black_box(&[0.3; 17])));
    print(counter, "table-2", x, |x| table_2([x; 2], black_box([[0.0, 8.0]; 2]), black_box(&[[0.3; 9]; 9])));
    let millivolts = x.map(|x| 60.0 * x - 5.5);
    print(counter, "nist-inverse", millivolts, inverse);
    print(counter, "nist-cold-junction", x.map(|x| 80.0 * x - 20.0), cold_junction_millivolts);
    print(counter, "nist-hot-junction", millivolts.map(|x| 1000.0 * x), |x| hot_junction(x, black_box(25.0)));
    let raw: [i32; READINGS] = core::array::from_fn(|place| 412_500 + 25_000 * place as i32);
    print(counter, "bme280-temperature", raw, |raw| device.temperature(raw));
    print(counter, "bme280-pressure", raw, |raw| device.pressure(raw, device.fine(black_box(519_888))));
    print(counter, "bme280-humidity", raw.map(|raw| raw / 20), |raw| {
        device.humidity(raw, device.fine(black_box(519_888)))
    });
    process::exit(0)
}
