//! The emulator, with the firmware in it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::cost::{Board, Core, Program};
use crate::emulate::build::build;
use crate::emulate::log::last_lines;
use crate::emulate::{DeviceError, Run};

/// The firmware, built for a board and ready to run models.
#[derive(Clone, Debug)]
pub struct Emulator {
    board: Board,
    program: PathBuf,
}

impl Emulator {
    /// Builds the firmware in the folder `firmware` for the board of `core`, unless it is up to date.
    ///
    /// # Errors
    /// What [`require`](crate::emulate::require) says, or the build fails.
    pub fn build(core: Core, firmware: &Path) -> Result<Self, DeviceError> {
        Self::build_for(core.board(), firmware)
    }

    /// The same for a particular board.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_for(board: Board, firmware: &Path) -> Result<Self, DeviceError> {
        Ok(Emulator { board, program: build(board, firmware)? })
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
        let Program { name, package } = self.board.emulator;
        let mut qemu = Command::new(name);
        qemu.args(["-M", self.board.machine, "-nographic", "-monitor", "none", "-serial", "none"])
            .args(self.board.arguments)
            .args(["-semihosting-config", "enable=on,target=native,arg=host", "-kernel"])
            .arg(&self.program)
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        let child = qemu.spawn().map_err(|source| DeviceError::EmulatorMissing { program: name, package, source })?;
        let status = wait(child, time_limit(model.len(), samples.len()))?;
        if !status.success() {
            let log = fs::read(path("log"))?;
            return Err(DeviceError::Failed(last_lines(&String::from_utf8_lossy(&log))));
        }
        let results = fs::read(path("results.bin"))?;
        Run::decode(&results).ok_or_else(|| DeviceError::Failed("its results are incomplete".into()))
    }
}

/// Far more than any run takes: every byte of the model at a floating-point operation in software a row, at a tenth of
/// the emulator's usual speed. A time limit only has to end a program that hangs.
fn time_limit(model_bytes: usize, readings: usize) -> Duration {
    const INSTRUCTIONS_PER_SECOND: f64 = 5e6;
    let rows = 1.0 + readings as f64;
    let instructions = rows * (20_000.0 + 200.0 * model_bytes as f64);
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
