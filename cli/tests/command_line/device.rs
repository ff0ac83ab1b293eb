//! `srfm device` needs QEMU and nothing else: no checkout, no compiler, no home folder.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use srfm_testing::skip;
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::require;
use tempfile::TempDir;

use super::{folder_with, srfm};

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
