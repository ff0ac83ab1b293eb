//! Readers on an AVR in simavr, whose `int` and `size_t` have 16 bits.

use std::process::Command;

use srfm_runtime::Model;
use srfm_runtime::format::Number;
use srfm_runtime::kernel::Any;
use srfm_tests::{Blob, Rng, skip};

use super::cases::{self, Reader};
use super::files::{golden, run, write};

/// The controller, and the bytes of its RAM that a file and its arrays may take.
const CONTROLLER: &str = "atmega1284p";
const RAM: usize = 12_000;

/// The bytes of files in its flash.
const FLASH: usize = 60_000;

/// Returns a file from its header and its tensors.
fn file(header: &[u8], tensors: &[u32]) -> Blob {
    let padded = header.len().next_multiple_of(4);
    let mut blob = Blob::default();
    blob.resize(12 + padded + 4 * tensors.len() + 4);
    blob[6..8].copy_from_slice(&(header.len() as u16).to_le_bytes());
    blob[12..][..header.len()].copy_from_slice(header);
    for (to, word) in blob[12 + padded..].chunks_exact_mut(4).zip(tensors) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    blob.mend();
    blob
}

/// Returns files whose lengths are right if products are computed modulo 65,536.
fn hostile(integers: bool) -> Vec<Blob> {
    // The number format; 32,769 inputs; an output; no prepared inputs, linear terms, blocks, hash and method.
    let number = u8::from(integers);
    let mut history = vec![number, 0x81, 0x80, 2, 1, 0, 0, 0, 0, 0];
    // A history of 129 channels with 255 slots each, and one place in slot 0.
    history.extend([0x82, 133, 1, 129, 0]);
    history.extend([255; 129]);
    history.extend([0, 0]);
    if !integers {
        return vec![file(&history, &[0; 3])];
    }
    // 32,769 prepared inputs, and the bytes of one.
    let prepared = [number, 2, 1, 0x81, 0x80, 2, 0, 0, 0, 0];
    vec![file(&history, &[0; 6]), file(&prepared, &[0; 8])]
}

/// Returns whether the controller has room for a file and the arrays that predict from it.
fn fits(file: &Blob) -> bool {
    let model = Model::<Any>::parse_only(file).unwrap();
    let numbers = model.slots() + 2 * model.inputs() + model.channels() + 2 * model.outputs();
    file.len() + 4 * numbers < RAM
}

/// Returns whether a reader evaluates a file.
fn is_of(reader: Reader, file: &Blob) -> bool {
    let model = Model::<Any>::parse_only(file).unwrap();
    model.samples().windows().is_none()
        && (reader.rules || model.trees().is_none())
        && (model.header().number != Number::F32) == reader.integers
        && model.blocks().all(|block| block.kernel == reader.kernel)
}

#[test]
fn an_avr_gives_the_status_and_the_bits_of_the_workstation() {
    for (program, package) in [("avr-gcc", "gcc-avr avr-libc"), ("simavr", "simavr")] {
        if Command::new(program).arg("--version").output().is_err() {
            return skip(&format!("{program} cannot be started: run `apt-get install {package}`"));
        }
    }
    for reader in Reader::all() {
        let (folder, mut rng) = (tempfile::tempdir().unwrap(), Rng::new(100));
        let mut files: Vec<Blob> = golden().into_values().filter(|file| is_of(reader, file)).collect();
        files.extend(cases::models(reader, 12, &mut rng));
        files.retain(fits);
        let mut bytes = 0;
        files.retain(|file| {
            bytes += file.len();
            bytes < FLASH
        });
        let sound = files.clone();
        files.extend(hostile(reader.integers));
        write(folder.path(), &sound, &files);
        let expected: Vec<Vec<u32>> = files.iter().map(|file| cases::expected(reader, file)).collect();
        assert!(expected[..sound.len()].iter().all(|words| words[0] == 0) && sound.len() > 4);
        assert!(expected[sound.len()..].iter().all(|words| words == &[13]), "the hostile files contradict themselves");
        assert_eq!(printed(folder.path(), files.len()), expected.concat(), "{reader:?}");
    }
}

/// Compiles the program for the controller, runs it, and returns the words that it prints.
fn printed(folder: &std::path::Path, files: usize) -> Vec<u32> {
    run(Command::new("avr-gcc")
        .args([&format!("-mmcu={CONTROLLER}"), &format!("-DFILES={files}"), "-std=gnu99", "-Os"])
        .args(["-Wall", "-Wextra", "-Werror", "avr.c", "-o", "avr.elf"])
        .current_dir(folder));
    let printed = run(Command::new("timeout")
        .args(["600", "simavr", "-m", CONTROLLER, "-f", "16000000", "avr.elf"])
        .current_dir(folder));
    assert!(!printed.contains("CORE: ***"), "{printed}");
    let words = printed.split('#').skip(1).filter_map(|word| word.get(..8));
    words.map(|word| u32::from_str_radix(word, 16).expect("hexadecimal digits")).collect()
}
