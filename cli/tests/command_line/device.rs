//! `srfm device` needs QEMU and nothing else: no checkout, no compiler, no home folder.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use srfm_testing::skip;
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::require;
use tempfile::TempDir;

use super::{folder_with, json, srfm};

/// Runs the command with no environment variable but `PATH`, which has the folder `programs` alone.
fn run_alone(folder: &TempDir, programs: &Path, arguments: &str) -> Output {
    let mut command = srfm();
    command.args(arguments.split(' ')).current_dir(folder.path()).env_clear().env("PATH", programs);
    command.output().unwrap()
}

/// Returns the path of a program that can be started.
fn located(program: &str) -> PathBuf {
    let output = Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().into()
}

#[test]
fn a_model_runs_on_emulated_cores_with_the_emulator_alone() {
    let (folder, programs) = (folder_with(&[]), folder_with(&[]));
    let alone = |arguments: &str| {
        let output = run_alone(&folder, programs.path(), arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    alone("generate friedman1 --rows 300 --seed 1 -o data.csv");
    alone("fit data.csv --target y --method harfe --quiet -o model.srfm");

    let missing = run_alone(&folder, programs.path(), "device model.srfm data.csv --quiet");
    let said = String::from_utf8(missing.stderr).unwrap();
    assert_eq!(missing.status.code(), Some(1), "{said}");
    assert!(said.contains("qemu-system-arm cannot be started: install QEMU") && said.lines().count() == 1, "{said}");

    if let Err(missing) = require(&[Core::CortexM0]) {
        return skip(&missing.to_string());
    }
    symlink(located("qemu-system-arm"), programs.path().join("qemu-system-arm")).unwrap();
    let instructions = ["cortex-m4f", "cortex-m0"].map(|core| {
        let report = alone(&format!("device model.srfm data.csv --rows 20 --json --quiet --core {core}"));
        let report: Value = serde_json::from_slice(&report).unwrap();
        assert_eq!((&report["core"], &report["rows"], &report["bit_exact"]), (&core.into(), &20.into(), &true.into()));
        report["instructions_mean"].as_f64().unwrap()
    });
    // A Cortex-M0 computes floating point in software.
    assert!(instructions[0] > 100.0 && instructions[1] > 10.0 * instructions[0], "{instructions:?}");
}

/// The exported C itself runs: its bits are those of the workstation, and its flash and its instructions are those that
/// `srfm inspect` states, up to what the table of pieces is off by.
#[test]
fn the_exported_program_runs_and_takes_what_was_promised() {
    let row = |i: usize| {
        let [a, b, c] = [(i * 37) % 1024, (i * 91 + 5) % 1024, (i * i * 13) % 1024];
        format!("{a},{b},{c},{:.3}\n", a as f64 / 50.0 + (b as f64 / 200.0).sin() - c as f64 / 300.0)
    };
    let rows = "low,mid,high,level\n".to_owned() + &(0..200).map(row).collect::<String>();
    let folder = folder_with(&[("t.csv", rows.as_bytes())]);
    if require(&[Core::CortexM0]).is_err() || Command::new("arm-none-eabi-gcc").arg("--version").output().is_err() {
        return skip("arm-none-eabi-gcc or qemu-system-arm cannot be started");
    }
    for (options, cores) in [
        ("--number int", ["cortex-m0", "cortex-m3", "cortex-m4f"].as_slice()),
        ("--number int --lag low=0..1 --lag mid=0..1", &["cortex-m0", "cortex-m3", "cortex-m4f"]),
        ("--number f32", &["cortex-m4f"]),
        ("--number f32 --difference low", &["cortex-m4f"]),
    ] {
        json(&folder, &format!("fit t.csv {options} --deploy c --method harfe --max-features 5 --folds 3 -o m.srfm"));
        let promised = json(&folder, "inspect m.srfm")["programs"].clone();
        for core in cores {
            let report = json(&folder, &format!("device m.srfm t.csv --rows 20 --deploy c --core {core}"));
            assert_eq!(report["bit_exact"], true, "{options}, {core}");
            let promised = promised.as_array().unwrap().iter().find(|program| program["core"] == *core).unwrap();
            let figures = |name: &str, other: &str| [promised[name].as_f64().unwrap(), report[other].as_f64().unwrap()];
            let flash = figures("flash_bytes", "flash_bytes");
            let instructions = figures("instructions", "instructions_max");
            println!("{options}, {core}: flash {flash:?}, instructions {instructions:?}");
            assert!((flash[1] - flash[0]).abs() < f64::max(40.0, 0.1 * flash[0]), "{options}, {core}: {flash:?}");
            assert!((instructions[1] / instructions[0] - 1.0).abs() < 0.2, "{options}, {core}: {instructions:?}");
        }
    }
}
