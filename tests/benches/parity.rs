//! Random models on every core: how many of how many predictions have the workstation's bits.
//!
//! `cargo bench -p srfm-tests --bench parity -- 1000` runs so many models, of all kernels, number formats and shapes,
//! on 100 rows each.

use std::env;
use std::error::Error;

use srfm_runtime::Model;
use srfm_runtime::format::Number;
use srfm_tests::{Blob, OwnedIntegers, OwnedModel, Rng, Shape};
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::{Emulator, require};

/// Models where no number is given.
const MODELS: usize = 50;

/// Rows that each model predicts.
const ROWS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo hands `--bench` to every benchmark.
    let models = match env::args().skip(1).find(|argument| argument != "--bench") {
        Some(number) => number.parse().map_err(|_| format!("{number} is no number of models"))?,
        None => MODELS,
    };
    require(&Core::of_runtime())?;
    println!("| core | models | predictions | with other bits |\n|---|---|---|---|");
    let mut differences = 0;
    for core in Core::of_runtime() {
        let emulator = Emulator::new(core)?;
        let (mut predictions, mut different) = (0, 0);
        for seed in 0..models {
            let (blob, samples) = case(seed as u64);
            let run = emulator.run(&blob, &samples)?;
            let host = predict(&Model::parse(&blob).map_err(|error| error.to_string())?, &samples);
            assert_eq!(run.predictions.len(), host.len(), "{core}, seed {seed}: predictions are missing");
            predictions += ROWS;
            // What is not a number has other bits on other processors.
            let same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            different += run.predictions.iter().zip(&host).filter(|&pair| !same(pair)).count();
        }
        println!("| {core} | {models} | {predictions} | {different} |");
        differences += different;
    }
    if differences > 0 { Err(format!("{differences} values differ").into()) } else { Ok(()) }
}

/// A model and rows for it.
fn case(seed: u64) -> (Blob, Vec<f32>) {
    let rng = &mut Rng::new(seed);
    let shape = Shape::random(rng);
    let blob = match seed % 3 {
        0 => OwnedModel::random(&shape, rng).blob(),
        1 => OwnedIntegers::random(Number::I32, &shape, rng).blob(),
        _ => OwnedIntegers::random(Number::I16, &shape, rng).blob(),
    };
    let awkward = [0.0, -0.0, 1e-40, f32::MIN_POSITIVE, f32::MAX, f32::MIN, f32::INFINITY, f32::NAN];
    let mut samples = rng.floats(ROWS * usize::from(shape.inputs), 4.0);
    samples.iter_mut().for_each(|x| {
        if rng.below(50) == 0 {
            *x = awkward[rng.below(awkward.len())];
        }
    });
    (blob, samples)
}

/// What the workstation predicts.
fn predict(model: &Model<'_>, samples: &[f32]) -> Vec<f32> {
    let mut y = vec![0.0; model.outputs()];
    let mut predict = |x| {
        model.predict(x, &mut y).expect("rows of the right length");
        y.clone()
    };
    samples.chunks(model.inputs()).flat_map(&mut predict).collect()
}
