//! The link probes: the runtime links no panic and little code.

use std::path::Path;
use std::process::{Command, Output};

use object::{Object, ObjectSection, SectionKind};
use srfm_testing::thorough;
use srfm_tests::skip;
use srfm_trainer::cost::Core;
use srfm_trainer::export::NumberFormat;

use super::{firmware, run};

/// Runs cargo for a release of the measuring programs on `core`; `None` where the target is not installed.
fn cargo(command: &str, core: Core, arguments: &[&str]) -> Option<Output> {
    let mut cargo = Command::new("cargo");
    // The target folder of the host program, with which the probes share their dependencies.
    let target = ["--release", "--target-dir", "target", "--target", core.target()];
    cargo.current_dir(firmware().join("measure")).arg(command).args(target).args(arguments);
    for workstation in
        ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_INCREMENTAL", "RUSTC_WORKSPACE_WRAPPER", "SRFM_MODEL"]
    {
        cargo.env_remove(workstation);
    }
    let output = cargo.output().expect("these tests were started by cargo");
    if String::from_utf8_lossy(&output.stderr).contains("target may not be installed") {
        skip(&format!("Rust for {core} is not installed: run `rustup target add {}`", core.target()));
        return None;
    }
    Some(output)
}

fn assert_success(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Returns the bytes of flash that a program takes: code, constants and initial values.
fn flash_bytes(program: &Path) -> u64 {
    let elf = std::fs::read(program).expect("the program was built");
    let elf = object::File::parse(&*elf).expect("an ELF file");
    let in_flash = |kind| matches!(kind, SectionKind::Text | SectionKind::ReadOnlyData | SectionKind::Data);
    elf.sections().filter(|section| in_flash(section.kind())).map(|section| section.size()).sum()
}

#[test]
fn the_runtime_links_no_panic_and_little_code() {
    let model = std::fs::metadata(firmware().join("models/pressure.srfm")).expect("the model is there").len();
    // One core of each kind; in a thorough test all.
    let few = [Core::CortexM0, Core::CortexM4f, Core::Riscv32imac];
    for core in Core::of_runtime().into_iter().filter(|core| thorough() || few.contains(core)) {
        let Some(sound) = cargo("build", core, &["-p", "probes"]) else { return };
        assert_success(&sound);
        let programs = firmware().join("measure/target").join(core.target()).join("release");
        let code = |program: &str| flash_bytes(&programs.join(program)) - flash_bytes(&programs.join("empty")) - model;
        let (parsed, fixed) = (code("footprint"), code("fixed"));
        println!("{core}: parsing and predicting take {parsed} bytes of flash, predicting with a fixed model {fixed}");
        // Soft-float routines take a kilobyte or two.
        let (most_parsed, most_fixed) =
            if NumberFormat::from(core) == NumberFormat::F32 { (8704, 1024) } else { (10_304, 2432) };
        assert!(parsed <= most_parsed, "parsing and predicting take {parsed} bytes of flash on a {core}");
        assert!(fixed <= most_fixed, "predicting with a fixed model takes {fixed} bytes of flash on a {core}");
    }
    let arguments = ["-p", "probes", "--bin", "footprint", "--features", "deliberate-panic"];
    let panics = cargo("build", Core::CortexM4f, &arguments);
    let panics = panics.expect("the target is there");
    let log = String::from_utf8_lossy(&panics.stderr);
    assert!(!panics.status.success(), "the check would find nothing");
    assert!(log.contains("a_panic_can_be_reached"), "{log}");
}

#[test]
fn a_model_that_is_compiled_in_takes_fewer_instructions() {
    let core = Core::CortexM4f;
    let model = std::fs::read(firmware().join("models/pressure.srfm")).expect("the model is there");
    let Some(run) = run(core, &model, &[0.0; 2]) else { return };
    let received = run.unwrap().instructions_max();
    let output = cargo("run", core, &["-p", "host", "--bin", "counted"]).expect("the target is there");
    assert_success(&output);
    let said = String::from_utf8_lossy(&output.stdout);
    let counted: u32 = said.split(' ').next().and_then(|count| count.parse().ok()).expect("a count");
    println!("{core}: {counted} instructions, {received} of a model that is received");
    // A lower count would miss a part of the prediction: its 16 features take 15 instructions each besides all loads.
    assert!(counted < received && counted > 27 * 11, "{counted}, {received}");
}
