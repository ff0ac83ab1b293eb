//! The C example on emulated cores predicts the bits of the workstation.
//!
//! Without the C compiler, the emulator or the Rust targets the test is skipped, loudly; where `CI` or
//! `SRFM_REQUIRE_DEVICE` is set it fails.

use std::path::Path;
use std::process::Command;

use srfm_runtime::Model;
use srfm_runtime::adapt::Adaptation;
use srfm_testing::thorough;
use srfm_tests::{Blob, missing_target, skip};
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::require;

/// The readings of `main.c`.
const READINGS: [[f32; 2]; 4] = [[1090.0, 3037.0], [2289.0, 2048.0], [3116.0, 2248.0], [3246.0, 1191.0]];

/// The correction and the half-width of `main.c` after 40 references that are 50 hPa above the model.
fn adapted(model: &Model<'_>) -> [u32; 2] {
    let mut adapted = Adaptation::<7, 28>::new(model);
    for reading in READINGS.iter().cycle().take(40) {
        let mut pressure = [0.0];
        model.predict(reading, &mut pressure).expect("two readings, one pressure");
        assert_eq!(adapted.learn(model, reading, pressure[0] + 50.0), Ok(true));
    }
    let pressure = adapted.predict(model, &READINGS[0]).expect("two readings, one pressure");
    [pressure.to_bits(), adapted.interval.half_width().to_bits()]
}

/// Returns the bits behind a word in every line that has it.
fn bits(printed: &str, word: &str) -> Vec<u32> {
    let hex = printed.lines().filter_map(|line| line.split_once(word));
    hex.map(|(_, hex)| u32::from_str_radix(hex, 16).expect("hexadecimal digits")).collect()
}

/// Builds the example with its library for `core` and runs it: what it prints.
fn run(core: Core, library_flags: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/c/example");
    let mut make = Command::new("make");
    make.arg("--silent").arg("-C").arg(folder).arg("run");
    make.args([format!("CORE={core}"), format!("LIBRARY_FLAGS={library_flags}")]);
    for host in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_INCREMENTAL", "RUSTC_WORKSPACE_WRAPPER", "MAKEFLAGS"] {
        make.env_remove(host);
    }
    let output = make.output().expect("make was found");
    // The emulator prints to standard error.
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{core}: {printed}");
    printed.into_owned()
}

#[test]
fn the_c_example_predicts_the_same_bits() {
    for (program, package) in [("arm-none-eabi-gcc", "gcc-arm-none-eabi"), ("make", "make")] {
        if Command::new(program).arg("--version").output().is_err() {
            return skip(&format!("{program} cannot be started: run `apt-get install {package}`"));
        }
    }
    let cores = [Core::CortexM0, Core::CortexM3, Core::CortexM4f, Core::CortexM7];
    if let Err(missing) = require(&cores) {
        return skip(&missing.to_string());
    }
    if let Some(target) = missing_target(&cores.map(Core::target)) {
        return skip(&format!("Rust for {target} is not installed: run `rustup target add {target}`"));
    }
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware-example/models/pressure.srfm");
    let model = std::fs::read(model).expect("the model is there");
    let model = Blob::new(&model);
    let model = Model::parse(&model).expect("a sound model");
    let expected = READINGS.map(|reading| {
        let mut pressure = [0.0];
        model.predict(&reading, &mut pressure).expect("two readings, one pressure");
        pressure[0].to_bits()
    });
    let followed = adapted(&model);
    assert!(f32::from_bits(followed[0]) > f32::from_bits(expected[0]) + 10.0, "a share of the 50 hPa");
    for core in cores {
        let of_one_kernel = (core == Core::CortexM0 || thorough()).then_some("--features=cosine-only");
        for library_flags in [""].into_iter().chain(of_one_kernel) {
            let printed = run(core, library_flags);
            assert_eq!(bits(&printed, "bits "), expected, "{core} {library_flags}: {printed}");
            let corrected = [bits(&printed, "adapted "), bits(&printed, "half-width ")].concat();
            assert_eq!(corrected, followed, "{core} {library_flags}: {printed}");
        }
    }
}
