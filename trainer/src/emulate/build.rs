//! Building the firmware for a board.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cost::{Board, Core, Program};
use crate::emulate::DeviceError;
use crate::emulate::log::last_lines;

/// The program of the firmware folder.
const PROGRAM: &str = "firmware-example";

/// Where the firmware's sources are: `SRFM_FIRMWARE`, or the checkout that this library was built from.
pub fn default_firmware_dir() -> PathBuf {
    match std::env::var_os("SRFM_FIRMWARE") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware-example"),
    }
}

/// Looks for all that emulating `cores` takes, before anything is built.
///
/// # Errors
/// [`DeviceError::FirmwareMissing`], and [`DeviceError::Missing`] with everything else that is missing.
pub fn require(cores: &[Core], firmware: &Path) -> Result<(), DeviceError> {
    require_boards(&cores.iter().map(|core| core.board()).collect::<Vec<_>>(), firmware)
}

fn require_boards(boards: &[Board], firmware: &Path) -> Result<(), DeviceError> {
    if !firmware.join("Cargo.toml").is_file() {
        return Err(DeviceError::FirmwareMissing(firmware.to_owned()));
    }
    let mut missing = Vec::new();
    for Program { name, package } in distinct(boards.iter().map(|board| board.emulator)) {
        if let Err(source) = Command::new(name).arg("--version").output() {
            missing.push(DeviceError::EmulatorMissing { program: name, package, source }.to_string());
        }
    }
    for target in distinct(boards.iter().map(|board| board.target)) {
        let mut rustc = Command::new("rustc");
        rustc.current_dir(firmware).args(["--print", "target-libdir", "--target", target]);
        match rustc.output() {
            Err(error) => {
                missing.push(DeviceError::CargoMissing(error).to_string());
                break;
            }
            // A folder that cannot be told leaves the verdict to the build.
            Ok(output) if !output.status.success() => {}
            Ok(output) => {
                if !Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir() {
                    missing.push(DeviceError::TargetMissing(target).to_string());
                }
            }
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(DeviceError::Missing(missing)) }
}

/// Every value once, in the order of its first appearance.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut distinct, value| {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
        distinct
    })
}

/// Builds the firmware in the folder `firmware` for `board`, unless it is up to date, and says where it is.
///
/// # Errors
/// What [`require`] says, or the build fails.
pub(crate) fn build(board: Board, firmware: &Path) -> Result<PathBuf, DeviceError> {
    require_boards(&[board], firmware)?;
    let target = board.target;
    let mut cargo = Command::new("cargo");
    cargo.current_dir(firmware).args(["build", "--release", "--target", target, "--bin", PROGRAM]);
    // Cargo tells where the program is: the target folder may be configured in many ways.
    cargo.arg("--message-format=json-render-diagnostics");
    if let Some(feature) = board.feature {
        // Builds that differ in features alone would replace each other.
        cargo.args(["--features", feature, "--target-dir"]).arg(Path::new("target").join(feature));
    }
    for (name, _) in std::env::vars_os().filter(|(name, _)| meant_for_the_host(name)) {
        cargo.env_remove(name);
    }
    let output = cargo.output().map_err(DeviceError::CargoMissing)?;
    let (messages, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(if log.contains("target may not be installed") {
            DeviceError::TargetMissing(target)
        } else {
            DeviceError::BuildFailed(last_lines(&log))
        });
    }
    executable(&messages).ok_or_else(|| DeviceError::BuildFailed(format!("cargo does not say where {PROGRAM} is")))
}

/// Whether an environment variable changes how programs for the host are built, and would spoil the firmware.
fn meant_for_the_host(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    name.ends_with("RUSTFLAGS")
        || name.starts_with("CARGO_PROFILE_")
        || matches!(name, "CARGO_INCREMENTAL" | "RUSTC_WORKSPACE_WRAPPER")
}

/// The program among cargo's messages, one JSON document a line.
fn executable(messages: &str) -> Option<PathBuf> {
    let documents = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut programs = documents.filter(|document| document["target"]["name"] == PROGRAM);
    programs.find_map(|document| document["executable"].as_str().map(PathBuf::from))
}
