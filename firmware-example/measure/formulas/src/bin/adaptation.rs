//! Prints the instructions of recalibrations of some numbers of coefficients, of an interval and of alarms.
#![no_std]
#![no_main]

use core::hint::black_box;

use board::{Counter, entry};
use host::fail;
use semihosting::{println, process};
use srfm_runtime::adapt::{Drift, Interval, Recalibration, Settings};

/// References before those that are counted, so that no entry of the covariance is that of the start.
const BEFORE: usize = 20;

/// Prints the instructions of a reference and of a correction.
fn print<const N: usize, const T: usize>(counter: &Counter) {
    let mut recalibration = Recalibration::<N, T>::new(Settings::DEFAULT);
    let regressors: [f32; N] = core::array::from_fn(|i| if i == 0 { 1.0 } else { 0.9 - 0.083 * i as f32 });
    for step in 0..BEFORE {
        let sign = if step % 3 == 0 { -1.0 } else { 1.0 };
        recalibration.learn(&regressors.map(|x| sign * x), 0.7);
    }
    let learned = counter.count(|| recalibration.learn(black_box(&regressors), black_box(0.6))).0;
    let corrected = counter.count(|| black_box(recalibration.correction(black_box(&regressors)))).0;
    println!("{N} {} {learned} {corrected}", size_of_val(&recalibration));
}

#[entry]
fn main() -> ! {
    let counter = &Counter::start().unwrap_or_else(|error| fail(error));
    print::<4, 10>(counter);
    print::<7, 28>(counter);
    print::<11, 66>(counter);
    print::<16, 136>(counter);
    print::<21, 231>(counter);
    let (mut interval, mut drift) = (Interval::new(1.0, 0.9), Drift::new());
    let of_interval = counter.count(|| interval.learn(black_box(0.3))).0;
    let of_drift = counter.count(|| drift.learn(black_box(0.3))).0;
    black_box((interval, drift));
    println!("interval {} {of_interval} 0", size_of::<Interval>());
    println!("alarms {} {of_drift} 0", size_of::<Drift>());
    process::exit(0)
}
