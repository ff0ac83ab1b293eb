//! The emulated device computes the bits of the workstation within its budget, and the runtime links no panic.
//!
//! The programs are built from source. Without the emulator or the Rust targets these tests are skipped, loudly; where
//! `CI` or `SRFM_REQUIRE_DEVICE` is set they fail.

mod cycles;
mod instructions;
mod links;
mod parity;
mod programs;

use std::path::PathBuf;
use std::sync::Mutex;

use srfm_runtime::Model;
use srfm_tests::{AWKWARD, Blob, Rng, Shape, skip};
use srfm_trainer::cost::{Core, Machine};
use srfm_trainer::emulate::{DeviceError, Emulator, Run, require};

/// The folder of the example, which has the sources of the programs.
fn firmware() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "firmware-example"].iter().collect()
}

/// The emulator of a machine, built once for all tests; `None` where something is missing.
fn emulator(machine: Machine) -> Option<Emulator> {
    static BUILT: Mutex<Vec<(Machine, Option<Emulator>)>> = Mutex::new(Vec::new());
    let mut built = BUILT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some((_, emulator)) = built.iter().find(|(other, _)| *other == machine) {
        return emulator.clone();
    }
    let emulator = match require(&Core::of_runtime()).and_then(|()| Emulator::build(machine, &firmware())) {
        Err(missing @ (DeviceError::EmulatorMissing { .. } | DeviceError::TargetMissing(_))) => {
            skip(&missing.to_string());
            None
        }
        outcome => Some(outcome.expect("the program builds")),
    };
    built.push((machine, emulator.clone()));
    emulator
}

/// Runs a model in the emulator; `None` where there is none.
fn run(core: Core, model: &[u8], samples: &[f32]) -> Option<Result<Run, DeviceError>> {
    Some(emulator(core.machine())?.run(model, samples))
}

/// Rows of ordinary readings, then rows with awkward ones.
fn samples(inputs: usize, rng: &mut Rng) -> Vec<f32> {
    const ROWS: usize = 50;
    let mut samples = rng.floats(ROWS * inputs, 4.0);
    for awkward in AWKWARD.into_iter().chain([1e6, -1e6, f32::from_bits(1)]) {
        let mut row = rng.floats(inputs, 4.0);
        row[rng.below(inputs)] = awkward;
        samples.extend(row);
        samples.extend(vec![awkward; inputs]);
    }
    samples
}

fn predict_on_host(blob: &Blob, samples: &[f32]) -> Vec<f32> {
    let model = Model::parse(blob).expect("a model that was just written");
    let mut predictions = vec![];
    for x in samples.chunks(model.inputs()) {
        let mut y = vec![0.0; model.outputs()];
        model.predict(x, &mut y).expect("rows of the right length");
        predictions.extend(y);
    }
    predictions
}

/// Compares bits. The bits of a NaN may differ.
fn assert_same_bits(device: &[f32], host: &[f32], context: &str) {
    assert_eq!(device.len(), host.len(), "{context}");
    for (i, (&device, &host)) in device.iter().zip(host).enumerate() {
        let same = device.to_bits() == host.to_bits() || device.is_nan() && host.is_nan();
        assert!(same, "{context}, value {i}: device {device:e}, host {host:e}");
    }
}

/// 100 features of two out of ten inputs, one output.
fn usual() -> Shape {
    Shape { inputs: 10, blocks: vec![(2, 100)], ..Shape::default() }
}
