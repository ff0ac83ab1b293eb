//! Building the host program from its source.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cost::Machine;
use crate::emulate::DeviceError;

/// The package of the programs, and the program that runs models.
pub(crate) const HOST: &str = "host";

/// What is built, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings<'a> {
    /// The packages of the programs; others would add features to their dependencies.
    pub packages: &'a [&'a str],
    /// Whether the compiler aims at small code.
    pub small: bool,
    /// The model file that is compiled in; the example's without one.
    pub model: Option<&'a Path>,
}

/// Builds a program of the package [`HOST`] for `machine` from the sources in the folder `firmware`, unless the program
/// is up to date. Returns the path of the program.
///
/// # Errors
/// As [`built`].
pub(crate) fn build(machine: Machine, firmware: &Path, program: &str) -> Result<PathBuf, DeviceError> {
    let settings = Settings { packages: &[HOST], small: false, model: None };
    let mut paths = built(machine, firmware, &[program], settings)?;
    Ok(paths.remove(0))
}

/// Builds programs for `machine` from the sources in the folder `firmware`, unless they are up to date. Returns the
/// paths of the programs in the given order.
///
/// # Errors
/// [`DeviceError::FirmwareMissing`], [`CargoMissing`](DeviceError::CargoMissing),
/// [`TargetMissing`](DeviceError::TargetMissing) or [`BuildFailed`](DeviceError::BuildFailed).
pub(crate) fn built(
    machine: Machine,
    firmware: &Path,
    programs: &[&str],
    settings: Settings<'_>,
) -> Result<Vec<PathBuf>, DeviceError> {
    let workspace = firmware.join("measure");
    if !workspace.join("Cargo.toml").is_file() {
        return Err(DeviceError::FirmwareMissing(firmware.to_owned()));
    }
    let target = machine.target;
    let mut cargo = Command::new("cargo");
    cargo.current_dir(workspace).args(["build", "--release", "--target", target]);
    programs.iter().for_each(|program| _ = cargo.args(["--bin", program]));
    settings.packages.iter().for_each(|package| _ = cargo.args(["-p", package]));
    // Cargo reports the path of the program, which depends on the configured target folder.
    cargo.arg("--message-format=json-render-diagnostics");
    if let Some(feature) = machine.feature {
        // Builds that differ only in features would replace each other.
        cargo.args(["--features", feature, "--target-dir"]).arg(Path::new("target").join(feature));
    }
    for (name, _) in std::env::vars_os().filter(|(name, _)| changes_builds(name)) {
        cargo.env_remove(name);
    }
    if settings.small {
        cargo.args(["--config", "profile.release.opt-level=\"s\""]);
    }
    if let Some(model) = settings.model {
        cargo.env("SRFM_MODEL", model);
    }
    let output = cargo.output().map_err(DeviceError::CargoMissing)?;
    let messages = String::from_utf8_lossy(&output.stdout);
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(if log.contains("target may not be installed") {
            DeviceError::TargetMissing(target)
        } else {
            DeviceError::BuildFailed(last_lines(&log))
        });
    }
    let path = |program: &&str| {
        let missing = || DeviceError::BuildFailed(format!("cargo reports no program called {program}"));
        executable(&messages, program).ok_or_else(missing)
    };
    programs.iter().map(path).collect()
}

/// Returns whether an environment variable changes how programs for the workstation are built. The firmware has its own
/// settings.
fn changes_builds(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    name.ends_with("RUSTFLAGS")
        || name.starts_with("CARGO_PROFILE_")
        || matches!(name, "CARGO_INCREMENTAL" | "RUSTC_WORKSPACE_WRAPPER")
}

/// Returns the path of the program from cargo's messages, one JSON document a line.
fn executable(messages: &str, program: &str) -> Option<PathBuf> {
    let documents = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut programs = documents.filter(|document| document["target"]["name"] == program);
    programs.find_map(|document| document["executable"].as_str().map(PathBuf::from))
}

/// Returns the last lines of a log, where errors are.
pub fn last_lines(log: &str) -> String {
    const LINES: usize = 20;
    let lines: Vec<&str> = log.trim().lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
