//! Models as C source: compilers of the workstation and emulated boards compute the bits of the runtime.
//!
//! `SRFM_C_ROWS` sets the number of rows of each random model, `SRFM_C_FIRST` the seed of the first model. A thorough
//! test has more models.

mod avr;
pub mod boards;
mod driver;
pub mod host;
pub mod models;
pub mod tools;

use std::process::Command;

use models::Case;

/// Programs whose Debian package has another name.
const PACKAGES: [(&str, &str); 4] = [
    ("arm-none-eabi-gcc", "gcc-arm-none-eabi"),
    ("riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf"),
    ("qemu-system-riscv32", "qemu-system-misc"),
    ("avr-gcc", "gcc-avr avr-libc"),
];

/// The number of models of a program: a board has 4 MB of flash.
const TOGETHER: usize = 40;

/// Returns the number in an environment variable, or the usual one.
fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Returns the number of rows of a model.
fn rows() -> usize {
    number("SRFM_C_ROWS", 16)
}

/// Returns the number of random models.
fn count() -> u64 {
    if srfm_testing::thorough() { 60 } else { 5 }
}

/// Returns random models with rows; tests with different streams have different models.
fn cases(stream: u64) -> Vec<Case> {
    let first = number("SRFM_C_FIRST", 0) as u64;
    (first..first + count()).map(|seed| Case::random(seed + (stream << 32), rows())).collect()
}

/// Returns whether a program can be started; a program that cannot be is reported.
pub fn is_installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        let package = PACKAGES.iter().find(|(name, _)| *name == program).map_or(program, |(_, package)| package);
        srfm_testing::skip(&format!("{program} cannot be started: run `apt-get install {package}`"));
    }
    found
}
