//! Sources compiled for an AVR in simavr.

use std::path::Path;
use std::process::Command;

use super::host::levels;
use super::tools::run;
use super::{cases, driver, is_installed, rows};

/// The controller: with more flash than the ATmega328P, for rows beside several models.
const CONTROLLER: &str = "atmega1284p";

/// The largest number of readings of a model, for its rows in flash.
const MOST_READINGS: usize = 20;

/// Models times rows of a program, which bounds what it takes of the flash; a model alone has no more rows.
const MODEL_ROWS: usize = 32;

/// Of so many programs, one may be larger than the flash: `-O3` writes the lines of a model for each of its functions.
const PROGRAMS_OF_A_LARGE_ONE: usize = 50;

#[test]
fn an_avr_gives_the_same_bits() {
    if !is_installed("avr-gcc") || !is_installed("simavr") {
        return;
    }
    let mut cases = cases(5);
    cases.iter_mut().for_each(|case| case.rows.truncate(MODEL_ROWS * case.blob.model().inputs()));
    cases.retain(|case| case.blob.model().inputs() <= MOST_READINGS);
    let mut programs = 0;
    let mut large = 0;
    for cases in cases.chunks((MODEL_ROWS / rows()).max(1)) {
        let expected: Vec<String> = cases.iter().flat_map(|case| vec![hash(&case.expected()); 2]).collect();
        let folder = tempfile::tempdir().expect("a temporary folder");
        driver::write(folder.path(), cases);
        std::fs::write(folder.path().join("avr.c"), include_str!("avr.c")).expect("the folder can be written");
        for level in levels() {
            programs += 1;
            match hashes(folder.path(), level) {
                Some(found) => assert_eq!(found, expected, "{level}"),
                None => large += 1,
            }
        }
    }
    assert!(large * PROGRAMS_OF_A_LARGE_ONE <= programs, "{large} of {programs} programs are larger than the flash");
}

/// Returns the hash of the words of every model, in both styles; none where the program is larger than the flash.
fn hashes(folder: &Path, level: &str) -> Option<Vec<String>> {
    let linked = Command::new("avr-gcc")
        .args([&format!("-mmcu={CONTROLLER}"), level, "-Wall", "-Wextra", "-Wconversion", "-Werror"])
        .args(["avr.c", "-o", "avr.elf"])
        .current_dir(folder)
        .output()
        .expect("avr-gcc is installed");
    let message = String::from_utf8_lossy(&linked.stderr);
    if message.contains("will not fit in region") {
        return None;
    }
    assert!(linked.status.success(), "{level}: {message}");
    let printed = run(Command::new("timeout")
        .args(["600", "simavr", "-m", CONTROLLER, "-f", "16000000", "avr.elf"])
        .current_dir(folder));
    Some(printed.split('#').skip(1).filter_map(|part| part.get(..8).map(str::to_owned)).collect())
}

/// Returns the FNV-1a hash of words, as the program prints it.
fn hash(words: &[u32]) -> String {
    let hash = words.iter().fold(2_166_136_261_u32, |hash, word| (hash ^ word).wrapping_mul(16_777_619));
    format!("{hash:08x}")
}
