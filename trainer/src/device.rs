//! Running a model in an emulated microcontroller.
//!
//! QEMU runs the firmware of `firmware-example` and hands it the model and the rows as files, so that one build serves
//! every model. The predictions are those of the device, bit for bit, and the instruction counts are exact: the same in
//! every run. They are executed instructions, not cycles of a particular chip.
//!
//! ```no_run
//! use srfm_trainer::device::{Core, Emulator, default_firmware_dir};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let emulator = Emulator::build(Core::CortexM4f, &default_firmware_dir())?;
//! let run = emulator.run(&std::fs::read("model.srfm")?, &[0.25, 2.0])?;
//! println!("{:?} after {} instructions", run.predictions, run.instructions_max());
//! # Ok(())
//! # }
//! ```

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

use thiserror::Error;

/// Emulators of Arm cores.
const QEMU: &str = "qemu-system-arm";

/// One instruction takes 2¹⁰ ns of emulated time, which the firmware's timer counts.
const ICOUNT: &str = "shift=10,sleep=off";

/// The program of the firmware folder.
const PROGRAM: &str = "firmware-example";

/// A processor core that can be emulated with exact instruction counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Core {
    /// Arm Cortex-M3: floating point in software.
    CortexM3,
    /// Arm Cortex-M4 with the single-precision floating-point unit.
    CortexM4f,
}

impl Core {
    /// All cores.
    pub const ALL: [Core; 2] = [Core::CortexM3, Core::CortexM4f];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Core::CortexM3 => "cortex-m3",
            Core::CortexM4f => "cortex-m4f",
        }
    }

    /// The Rust target that programs for this core are built for.
    pub fn target(self) -> &'static str {
        match self {
            Core::CortexM3 => "thumbv7m-none-eabi",
            Core::CortexM4f => "thumbv7em-none-eabihf",
        }
    }

    /// The board that QEMU emulates.
    fn machine(self) -> &'static str {
        match self {
            Core::CortexM3 => "mps2-an385",
            Core::CortexM4f => "mps2-an386",
        }
    }
}

impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Core {
    type Err = DeviceError;

    fn from_str(name: &str) -> Result<Self, DeviceError> {
        let core = Core::ALL.into_iter().find(|core| core.name() == name);
        core.ok_or_else(|| DeviceError::UnknownCore(name.to_owned()))
    }
}

/// Why a model could not be run.
#[derive(Debug, Error)]
pub enum DeviceError {
    /// No core has this name.
    #[error("no core is called `{0}`: choose cortex-m3 or cortex-m4f")]
    UnknownCore(String),
    /// The firmware's sources are not there.
    #[error("there is no firmware in {0}: set SRFM_FIRMWARE to the firmware-example folder of a checkout")]
    FirmwareMissing(PathBuf),
    /// `cargo` could not be started.
    #[error("cargo, which builds the firmware, cannot be started: install Rust from https://rustup.rs")]
    CargoMissing(#[source] io::Error),
    /// Something that must be installed first is missing.
    #[error("{}", .0.join("; "))]
    Missing(Vec<String>),
    /// The standard library of the target is not installed.
    #[error("Rust for {0} is not installed: run `rustup target add {0}`")]
    TargetMissing(&'static str),
    /// The compiler or linker refused the firmware.
    #[error("the firmware does not build:\n{0}")]
    BuildFailed(String),
    /// QEMU could not be started.
    #[error("{QEMU} cannot be started: run `apt-get install --no-install-recommends {QEMU}`")]
    EmulatorMissing(#[source] io::Error),
    /// The emulator took longer than the work should.
    #[error("the emulator had not finished after {0} seconds and was stopped: run fewer rows at a time")]
    TimedOut(u64),
    /// The firmware refused the model or failed.
    #[error("the firmware failed: {0}")]
    Failed(String),
    /// The files of the exchange could not be written or read.
    #[error("files cannot be exchanged with the emulator: check the space and rights in the temporary folder")]
    Exchange(#[from] io::Error),
}

/// What a device computed, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The core.
    pub core: Core,
    /// Number of values per row.
    pub outputs: usize,
    /// The values, one row after the other.
    pub predictions: Vec<f32>,
    /// Instructions that each prediction executed.
    pub instructions: Vec<u32>,
    /// Most bytes of stack that a prediction used.
    pub stack_bytes: u32,
}

impl Run {
    /// Mean number of instructions of a prediction; not a number where there was no row.
    pub fn instructions_mean(&self) -> f64 {
        self.instructions.iter().map(|&n| f64::from(n)).sum::<f64>() / self.instructions.len() as f64
    }

    /// Largest number of instructions of a prediction; 0 where there was no row.
    pub fn instructions_max(&self) -> u32 {
        self.instructions.iter().copied().max().unwrap_or(0)
    }

    /// Takes apart what the firmware wrote: the number of outputs, then per row instructions, bytes of stack, outputs.
    fn decode(core: Core, results: &[u8]) -> Option<Self> {
        let (words, []) = results.as_chunks::<4>() else { return None };
        let words: Vec<u32> = words.iter().copied().map(u32::from_le_bytes).collect();
        let (&outputs, words) = words.split_first()?;
        let outputs = outputs as usize;
        let mut run = Run { core, outputs, predictions: vec![], instructions: vec![], stack_bytes: 0 };
        let rows = words.chunks_exact(2 + outputs);
        if !rows.remainder().is_empty() {
            return None;
        }
        for row in rows {
            run.instructions.push(row[0]);
            run.stack_bytes = run.stack_bytes.max(row[1]);
            run.predictions.extend(row[2..].iter().copied().map(f32::from_bits));
        }
        Some(run)
    }
}

/// Looks for all that emulating `cores` takes, before anything is built.
///
/// # Errors
/// [`DeviceError::FirmwareMissing`], and [`DeviceError::Missing`] with everything else that is missing.
pub fn require(cores: &[Core], firmware: &Path) -> Result<(), DeviceError> {
    if !firmware.join("Cargo.toml").is_file() {
        return Err(DeviceError::FirmwareMissing(firmware.to_owned()));
    }
    let mut missing = Vec::new();
    if let Err(error) = Command::new(QEMU).arg("--version").output() {
        missing.push(DeviceError::EmulatorMissing(error).to_string());
    }
    for core in cores {
        let mut rustc = Command::new("rustc");
        rustc.current_dir(firmware).args(["--print", "target-libdir", "--target", core.target()]);
        match rustc.output() {
            Err(error) => {
                missing.push(DeviceError::CargoMissing(error).to_string());
                break;
            }
            // A folder that cannot be told leaves the verdict to the build.
            Ok(output) if !output.status.success() => {}
            Ok(output) => {
                if !Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir() {
                    missing.push(DeviceError::TargetMissing(core.target()).to_string());
                }
            }
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(DeviceError::Missing(missing)) }
}

/// The firmware, built for a core and ready to run models.
#[derive(Clone, Debug)]
pub struct Emulator {
    core: Core,
    program: PathBuf,
}

impl Emulator {
    /// Builds the firmware in the folder `firmware` for `core`, unless it is up to date.
    ///
    /// # Errors
    /// What [`require`] says, or the build fails.
    pub fn build(core: Core, firmware: &Path) -> Result<Self, DeviceError> {
        require(&[core], firmware)?;
        let mut cargo = Command::new("cargo");
        cargo.current_dir(firmware).args(["build", "--release", "--target", core.target(), "--bin", PROGRAM]);
        // Cargo tells where the program is: the target folder may be configured in many ways.
        cargo.arg("--message-format=json-render-diagnostics");
        for (name, _) in std::env::vars_os().filter(|(name, _)| meant_for_the_host(name)) {
            cargo.env_remove(name);
        }
        let output = cargo.output().map_err(DeviceError::CargoMissing)?;
        let (messages, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            return Err(if log.contains("target may not be installed") {
                DeviceError::TargetMissing(core.target())
            } else {
                DeviceError::BuildFailed(last_lines(&log))
            });
        }
        match executable(&messages) {
            Some(program) => Ok(Emulator { core, program }),
            None => Err(DeviceError::BuildFailed(format!("cargo does not say where {PROGRAM} is"))),
        }
    }

    /// Evaluates the model file `model` on `samples`, readings row after row.
    ///
    /// # Errors
    /// [`DeviceError`]: the emulator is missing or too slow, the firmware refuses the model, `samples` does not consist
    /// of whole rows.
    pub fn run(&self, model: &[u8], samples: &[f32]) -> Result<Run, DeviceError> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        fs::write(path("model.srfm"), model)?;
        fs::write(path("samples.f32"), bytemuck::cast_slice(samples))?;
        // To a file, because a pipe that nobody reads until the end could fill up and block the emulator.
        let log = File::create(path("log"))?;
        let mut qemu = Command::new(QEMU);
        qemu.args(["-M", self.core.machine(), "-icount", ICOUNT, "-nographic", "-monitor", "none", "-serial", "none"])
            .args(["-semihosting-config", "enable=on,target=native,arg=host", "-kernel"])
            .arg(&self.program)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        let child = qemu.spawn().map_err(DeviceError::EmulatorMissing)?;
        let status = wait(child, time_limit(model.len(), samples.len()))?;
        if !status.success() {
            let log = fs::read(path("log"))?;
            return Err(DeviceError::Failed(last_lines(&String::from_utf8_lossy(&log))));
        }
        let results = fs::read(path("results.bin"))?;
        Run::decode(self.core, &results).ok_or_else(|| DeviceError::Failed("its results are incomplete".into()))
    }
}

/// Where the firmware's sources are: `SRFM_FIRMWARE`, or the checkout that this library was built from.
pub fn default_firmware_dir() -> PathBuf {
    match std::env::var_os("SRFM_FIRMWARE") {
        Some(folder) => folder.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware-example"),
    }
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

/// Far more than any run takes: every byte of the model at a floating-point operation in software a row, at a tenth of
/// the emulator's usual speed. A time limit only has to end a program that hangs.
fn time_limit(model_bytes: usize, readings: usize) -> Duration {
    const INSTRUCTIONS_PER_SECOND: f64 = 5e6;
    let rows = 1.0 + readings as f64;
    let instructions = rows * (20_000.0 + 100.0 * model_bytes as f64);
    Duration::from_secs_f64(30.0 + instructions / INSTRUCTIONS_PER_SECOND)
}

/// Waits for `child` to end, and stops it at the time limit.
fn wait(mut child: Child, limit: Duration) -> Result<ExitStatus, DeviceError> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Err(DeviceError::TimedOut(limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What matters of a log: its end.
fn last_lines(log: &str) -> String {
    const LINES: usize = 20;
    let lines: Vec<&str> = log.trim().lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
