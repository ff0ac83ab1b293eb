//! Sources compiled for an AVR in simavr.

use std::fmt::Write;
use std::process::Command;

use crate::models::Case;
use crate::tools::run;
use crate::{cases, driver, is_installed};

/// The controller: with more flash than the ATmega328P, for several models in one program.
const CONTROLLER: &str = "atmega1284p";

/// The largest number of readings of a model, for the rows of its self test.
const MOST_READINGS: usize = 20;

/// The number of models of a program.
const MODELS: usize = 4;

#[test]
fn an_avr_gives_the_same_bits() {
    if !is_installed("avr-gcc") || !is_installed("simavr") {
        return;
    }
    let mut cases = cases(5);
    cases.retain(|case| case.blob.model().inputs() <= MOST_READINGS);
    for cases in cases.chunks(MODELS) {
        for level in ["-Os", "-O2"] {
            assert_eq!(differing_rows(cases, level), vec![0; 2 * cases.len()], "{level}");
        }
    }
}

/// Returns the number of differing rows of the self test of every model, in both styles.
fn differing_rows(cases: &[Case], level: &str) -> Vec<u32> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut text, mut table) = (String::from("#include <stddef.h>\n#include <stdint.h>\n"), String::new());
    for (i, case) in cases.iter().enumerate() {
        for (style, letter) in driver::STYLES {
            let (name, upper) = (format!("{letter}{i}"), format!("{letter}{i}").to_uppercase());
            std::fs::write(folder.path().join(format!("{name}.h")), case.source(&name, style)).unwrap();
            writeln!(text, "#define {upper}_SELF_TEST\n#include \"{name}.h\"").unwrap();
            write!(table, " {name}_self_test,").unwrap();
        }
    }
    writeln!(text, "static size_t (*const tests[])(void) = {{{table} }};").unwrap();
    std::fs::write(folder.path().join("models.h"), text).unwrap();
    std::fs::write(folder.path().join("avr.c"), include_str!("avr.c")).unwrap();
    run(Command::new("avr-gcc")
        .args([&format!("-mmcu={CONTROLLER}"), level, "-Wall", "-Wextra", "-Wconversion", "-Werror"])
        .args(["avr.c", "-o", "avr.elf"])
        .current_dir(&folder));
    let printed = run(Command::new("timeout")
        .args(["60", "simavr", "-m", CONTROLLER, "-f", "16000000", "avr.elf"])
        .current_dir(&folder));
    let digits = printed.split('#').skip(1).filter_map(|part| part.chars().next()?.to_digit(10));
    digits.collect()
}
