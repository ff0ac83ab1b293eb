//! The host programs: those of the library are up to date, and requests that they refuse have a reason.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use srfm_tests::{OwnedModel, Rng, Shape, skip};
use srfm_trainer::cost::{Core, Machine};
use srfm_trainer::emulate::{DeviceError, Emulator};

use super::{emulator, firmware, run, usual};

/// The compiler that built the programs of the library. Another one gives other bytes.
const COMPILER: &str = "rustc 1.95.0 (59807616e 2026-04-14)";

/// Tells this test to replace the programs of the library.
const UPDATE: &str = "SRFM_UPDATE_PROGRAMS";

#[test]
fn the_programs_of_the_library_are_those_of_the_sources() {
    let compiler = Command::new("rustc").arg("--version").current_dir(firmware().join("measure")).output();
    let compiler = compiler.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    if !compiler.as_ref().is_ok_and(|compiler| compiler == COMPILER) {
        return skip(&format!("the programs of the library were built by {COMPILER}, not by {compiler:?}"));
    }
    let mut outdated = Vec::new();
    for core in Core::of_runtime() {
        let Some(built) = emulator(core.machine()) else { return };
        if built.program() == Emulator::new(core).unwrap().program() {
            continue;
        }
        outdated.push(core);
        if std::env::var_os(UPDATE).is_some() {
            let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trainer/programs");
            let file = fs::File::create(programs.join(core.target()).with_added_extension("elf.gz")).unwrap();
            let mut encoder = GzEncoder::new(file, Compression::best());
            encoder.write_all(built.program()).unwrap();
            encoder.finish().unwrap();
        }
    }
    let command = format!("{UPDATE}=1 cargo test --release -p srfm-tests device::programs");
    assert!(
        outdated.is_empty(),
        "the programs for {outdated:?} are out of date: run `{command}`, then the tests again"
    );
}

/// Otherwise the programs would depend on the folder of the checkout and on the user who built them.
#[test]
fn programs_have_no_paths() {
    for core in Core::of_runtime() {
        let program = Emulator::new(core).unwrap();
        let text = String::from_utf8_lossy(program.program());
        assert!(!text.contains(".rs") && !text.contains("/registry/"), "{core}");
        assert!(program.program().len() < 152 << 10, "{core}: {} bytes", program.program().len());
    }
}

#[test]
fn the_host_program_says_what_it_refuses() {
    let mut blob = OwnedModel::random(&usual(), &mut Rng::new(13)).blob();
    let Some(part) = run(Core::CortexM4f, &blob, &[0.5; 15]) else { return };
    assert!(part.expect_err("half a row is left over").to_string().contains("samples.f32 ends within a row"));
    let none = run(Core::CortexM4f, &blob, &[]).expect("the emulator is there").expect("no row is no error");
    assert_eq!((none.predictions.len(), none.instructions_max()), (0, 0));
    let last = blob.len() - 1;
    blob[last] ^= 1;
    let large = OwnedModel::random(&Shape { blocks: vec![(2, 300)], ..usual() }, &mut Rng::new(14)).blob();
    let large = emulator(Machine::MICROBIT).expect("the emulator is there").run(&large, &[0.5; 10]);
    assert!(large.expect_err("more than the RAM of a micro:bit").to_string().contains("4096 bytes or more"));
    let corrupt = run(Core::CortexM4f, &blob, &[0.5; 10]).expect("the emulator is there");
    assert!(corrupt.expect_err("the checksum does not fit").to_string().contains("the model is corrupt"));
}

#[test]
fn cores_have_names() {
    for core in Core::of_runtime() {
        assert_eq!(core.to_string().parse::<Core>().expect("its own name"), core);
    }
    assert_eq!("riscv32".parse::<Core>().expect("the family"), Core::Riscv32imac);
    assert!("cortex-m4".parse::<Core>().expect_err("without the f").to_string().contains("cortex-m4f"));
}

#[test]
fn firmware_without_sources_is_reported() {
    let nowhere = Emulator::build(Core::CortexM3.machine(), "/nonexistent".as_ref());
    assert!(matches!(nowhere, Err(DeviceError::FirmwareMissing(_))), "{nowhere:?}");
}
