//! Predictions of a model file for random and hostile rows, against the limits that the file states and on emulated
//! cores.
//!
//! `cargo bench -p srfm-tests --bench hostile -- MODEL.srfm 1000000` takes so many rows, half of them hostile: zeros,
//! infinities, subnormal numbers and numbers that are far too large.

use std::env;
use std::error::Error;

use srfm_runtime::Model;
use srfm_tests::Rng;
use srfm_trainer::Blob;
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::{Emulator, require};

/// Rows where no number is given.
const ROWS: usize = 100_000;

/// Rows of one run of the emulator.
const TOGETHER: usize = 20_000;

/// Cores without floating point, and one with it.
const CORES: [Core; 3] = [Core::CortexM0, Core::CortexM3, Core::CortexM4f];

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo hands `--bench` to every benchmark.
    let arguments: Vec<String> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let Some(path) = arguments.first() else {
        println!("no model: cargo bench -p srfm-tests --bench hostile -- MODEL.srfm 1000000");
        return Ok(());
    };
    let rows: usize = match arguments.get(1) {
        Some(number) => number.parse().map_err(|_| format!("{number} is no number of rows"))?,
        None => ROWS,
    };
    require(&CORES)?;
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    let blob = Blob::new(&bytes).map_err(|error| format!("{path}: {error}"))?;
    let model = blob.model();
    let limits: Vec<[f32; 2]> = model.limits().collect();
    println!("{path}: {} inputs, limits of the outputs {limits:?}", model.inputs());
    let (rng, mut done) = (&mut Rng::new(1), 0);
    let (mut unknown, mut outside, mut at_limits, mut other_bits) = (0, 0, 0, [0; CORES.len()]);
    while done < rows {
        let some = TOGETHER.min(rows - done);
        let samples = readings(&model, some, rng);
        let host = predictions(&model, &samples)?;
        for y in host.chunks(limits.len()) {
            let of = |wanted: fn(f32, [f32; 2]) -> bool| y.iter().zip(&limits).any(|(&y, &limits)| wanted(y, limits));
            unknown += usize::from(of(|y, _| y.is_nan()));
            outside += usize::from(of(|y, [a, b]| y < a.min(b) || y > a.max(b)));
            at_limits += usize::from(of(|y, [a, b]| y == a || y == b));
        }
        for (core, other) in CORES.into_iter().zip(&mut other_bits) {
            let run = Emulator::new(core)?.run(&bytes, &samples)?;
            *other += host.iter().zip(&run.predictions).filter(|(a, b)| a.to_bits() != b.to_bits()).count();
        }
        done += some;
    }
    println!("{done} rows: {outside} outside the limits, {at_limits} at a limit, {unknown} not numbers");
    for (core, other) in CORES.iter().zip(other_bits) {
        println!("{core}: {other} predictions with other bits than on the host");
    }
    Ok(())
}

/// Returns rows of readings: every other one hostile.
fn readings(model: &Model<'_>, rows: usize, rng: &mut Rng) -> Vec<f32> {
    let inputs = model.inputs();
    let ranges: Vec<[f32; 2]> = model.ranges().collect();
    let usual = |input: usize, share: f32| match ranges.get(input) {
        Some(&[low, high]) if low.is_finite() => low + (share + 1.0) / 2.0 * (high - low),
        _ => 100.0 * share,
    };
    let mut samples = Vec::with_capacity(rows * inputs);
    for row in 0..rows {
        let mut x: Vec<f32> = rng.floats(inputs, 1.0).into_iter().enumerate().map(|(i, u)| usual(i, u)).collect();
        if row % 2 == 1 {
            // Some readings are hostile, or all.
            let some = 1 + rng.below(inputs);
            let hostile = rng.hostile(inputs);
            x.iter_mut().zip(hostile).for_each(|(x, hostile)| {
                if rng.below(inputs) < some && !hostile.is_nan() {
                    *x = hostile;
                }
            });
        }
        samples.extend(x);
    }
    samples
}

fn predictions(model: &Model<'_>, samples: &[f32]) -> Result<Vec<f32>, String> {
    let mut y = vec![0.0; samples.len() / model.inputs() * model.outputs()];
    for (x, y) in samples.chunks(model.inputs()).zip(y.chunks_mut(model.outputs())) {
        model.predict(x, y).map_err(|error| error.to_string())?;
    }
    Ok(y)
}
