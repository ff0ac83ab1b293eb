//! The emulator with the host program in it.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use flate2::bufread::GzDecoder;

use crate::cost::{Core, Machine, Program};
use crate::emulate::DeviceError;
use crate::emulate::build::{HOST, build, last_lines};

/// Checks that the emulators of `cores` can be started.
///
/// # Errors
/// [`DeviceError::EmulatorMissing`] with the first emulator that is missing.
pub fn require(cores: &[Core]) -> Result<(), DeviceError> {
    for core in cores {
        let Program { name, package } = core.machine().emulator;
        let started = Command::new(name).arg("--version").output();
        started.map_err(|source| DeviceError::EmulatorMissing { program: name, package, source })?;
    }
    Ok(())
}

/// An emulated machine with the host program, ready to run models.
#[derive(Clone, Debug)]
pub struct Emulator {
    machine: Machine,
    program: Vec<u8>,
}

impl Emulator {
    /// Returns the emulator of `core` with the host program that is part of this library.
    ///
    /// # Errors
    /// [`DeviceError::NoRuntime`] for a core that takes generated C alone.
    pub fn new(core: Core) -> Result<Self, DeviceError> {
        let machine = core.machine();
        let compressed = compressed_program(machine.target).ok_or(DeviceError::NoRuntime(core))?;
        let mut program = Vec::new();
        GzDecoder::new(compressed).read_to_end(&mut program)?;
        Ok(Emulator { machine, program })
    }

    /// Builds the host program of `machine` from the sources in the folder `firmware`, unless it is up to date.
    ///
    /// # Errors
    /// [`DeviceError`]: the sources, cargo or the target are missing, or the build fails.
    pub fn build(machine: Machine, firmware: &Path) -> Result<Self, DeviceError> {
        Emulator::with_program(machine, firmware, HOST)
    }

    /// [`build`](Self::build) for another program of the package.
    pub(crate) fn with_program(machine: Machine, firmware: &Path, program: &str) -> Result<Self, DeviceError> {
        Ok(Emulator { machine, program: fs::read(build(machine, firmware, program)?)? })
    }

    /// Returns the host program, an ELF file.
    pub fn program(&self) -> &[u8] {
        &self.program
    }

    /// Evaluates the model file `model` on `samples`, readings row after row.
    ///
    /// # Errors
    /// [`DeviceError`]: the emulator is missing or too slow, the host program refuses the model, `samples` does not
    /// consist of whole rows.
    pub fn run(&self, model: &[u8], samples: &[f32]) -> Result<Run, DeviceError> {
        let mut runs = self.run_all(&[(model, samples)])?;
        Ok(runs.remove(0))
    }

    /// Evaluates several model files, each on its own samples, in as few runs of the emulator as the machine has room
    /// for.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_all(&self, cases: &[(&[u8], &[f32])]) -> Result<Vec<Run>, DeviceError> {
        let mut runs = Vec::new();
        let mut rest = cases;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |(model, _): &&(&[u8], &[f32])| {
                bytes += model.len();
                bytes < ROOM
            };
            let (together, behind) = rest.split_at(rest.iter().take_while(fits).count().max(1));
            runs.extend(self.run_together(together)?);
            rest = behind;
        }
        Ok(runs)
    }

    fn run_together(&self, cases: &[(&[u8], &[f32])]) -> Result<Vec<Run>, DeviceError> {
        let models: Vec<&[u8]> = cases.iter().map(|&(model, _)| model).collect();
        let mut values: Vec<u8> = Vec::new();
        for (_, samples) in cases {
            values.extend((samples.len() as u32).to_le_bytes());
            values.extend_from_slice(bytemuck::cast_slice(samples));
        }
        let limit = cases.iter().map(|(model, samples)| time_limit(model.len(), samples.len())).sum();
        let results = self.execute(&[("model.srfm", &models.concat()), ("samples.f32", &values)], limit)?;
        let mut words = &results[..];
        let runs = cases.iter().map(|_| Run::decode(&mut words));
        runs.collect::<Option<_>>().ok_or_else(|| DeviceError::Failed("its results are incomplete".into()))
    }

    /// Runs the program on files in its working directory, for at most `limit` and the time to start. Returns the words
    /// of its results.
    pub(crate) fn execute(&self, files: &[(&str, &[u8])], limit: Duration) -> Result<Vec<u32>, DeviceError> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        for (name, bytes) in [("host.elf", &self.program[..])].iter().chain(files) {
            fs::write(path(name), bytes)?;
        }
        run(self.machine, &path("host.elf"), START + limit)?;
        let results = fs::read(path("results.bin"))?;
        Ok(results.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect())
    }
}

/// Runs a program that exchanges files in its folder, for at most `limit`.
pub(super) fn execute(machine: Machine, image: &Path, limit: Duration) -> Result<(), DeviceError> {
    run(machine, image, limit).map(|_| ())
}

/// Runs a program until it ends, for at most `limit`, in its own folder. Returns what it printed.
fn run(machine: Machine, image: &Path, limit: Duration) -> Result<String, DeviceError> {
    let folder = image.parent().unwrap_or(Path::new("."));
    // To a file, because a pipe that nobody reads until the end could fill up and block the emulator.
    let path = folder.join("log");
    let log = File::create(&path)?;
    let mut qemu = command(machine, image);
    qemu.args(["-serial", "none"]).stdout(log.try_clone()?).stderr(log);
    let status = wait(start(&mut qemu, machine)?, limit)?;
    let log = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    if status.success() { Ok(log) } else { Err(DeviceError::Failed(last_lines(&log))) }
}

/// Returns the emulator with a program in it, in the folder of the program. Where its output goes is left open.
pub(super) fn command(machine: Machine, image: &Path) -> Command {
    let mut qemu = Command::new(machine.emulator.name);
    qemu.args(["-M", machine.machine, "-nographic", "-monitor", "none"])
        .args(machine.arguments)
        .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(image)
        .current_dir(image.parent().unwrap_or(Path::new(".")))
        .stdin(Stdio::null());
    qemu
}

/// Starts the emulator of a machine.
pub(super) fn start(qemu: &mut Command, machine: Machine) -> Result<Child, DeviceError> {
    let Program { name, package } = machine.emulator;
    qemu.spawn().map_err(|source| DeviceError::EmulatorMissing { program: name, package, source })
}

/// Runs a program that ends by itself at once. Returns what it printed.
pub(crate) fn printed(machine: Machine, image: &Path) -> Result<String, DeviceError> {
    run(machine, image, START)
}

/// Runs a program in the simulator of an AVR until it sleeps, for at most `limit`. Returns the words that it wrote to
/// its serial port, each as `#` and hexadecimal digits.
pub(crate) fn simulated(machine: Machine, image: &Path, limit: Duration) -> Result<Vec<u32>, DeviceError> {
    let path = image.with_extension("log");
    let log = File::create(&path)?;
    let mut simulator = Command::new(machine.emulator.name);
    simulator.args(["-m", machine.machine]).args(machine.arguments).arg(image).stdin(Stdio::null());
    let status = wait(start(simulator.stdout(log.try_clone()?).stderr(log), machine)?, limit)?;
    let log = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    let digits = log.split('#').skip(1).map(|word| word.get(..8).unwrap_or_default());
    let words: Option<Vec<u32>> = digits.map(|word| u32::from_str_radix(word, 16).ok()).collect();
    words.filter(|_| status.success()).ok_or_else(|| DeviceError::Failed(last_lines(&log)))
}

/// The room in bytes for models on the machines of the cores.
const ROOM: usize = 1 << 20;

/// Far more than the emulator takes to start.
pub(super) const START: Duration = Duration::from_secs(30);

/// Returns far more than any model takes: every byte of the model at a floating-point operation in software a row, at a
/// tenth of the emulator's usual speed. The limit only has to end a program that hangs.
pub(super) fn time_limit(model_bytes: usize, readings: usize) -> Duration {
    const INSTRUCTIONS_PER_SECOND: f64 = 5e6;
    let rows = 1.0 + readings as f64;
    let instructions = rows * (20_000.0 + 200.0 * model_bytes as f64);
    Duration::from_secs_f64(instructions / INSTRUCTIONS_PER_SECOND)
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

macro_rules! programs {
    ($($target:literal)*) => {
        /// Targets and the programs that were built for them, compressed by gzip.
        static PROGRAMS: &[(&str, &[u8])] =
            &[$(($target, include_bytes!(concat!("../../programs/", $target, ".elf.gz")))),*];
    };
}

programs! {
    "thumbv6m-none-eabi"
    "thumbv7m-none-eabi"
    "thumbv7em-none-eabihf"
    "thumbv8m.main-none-eabihf"
    "riscv32imac-unknown-none-elf"
    "riscv32imafc-unknown-none-elf"
}

/// Returns the compressed program for a target; none for a target that no core has.
fn compressed_program(target: &str) -> Option<&'static [u8]> {
    PROGRAMS.iter().find(|(name, _)| *name == target).map(|&(_, program)| program)
}

/// What a device computed, and what it cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Number of values per row.
    pub outputs: usize,
    /// The values, one row after the other.
    pub predictions: Vec<f32>,
    /// Instructions that each prediction executed.
    pub instructions: Vec<u32>,
    /// Instructions that the history executed before each prediction; 0 of a model without one.
    pub history_instructions: Vec<u32>,
    /// Bytes of RAM that the parsed model takes: what it knows of the parameters, which stay in flash.
    pub ram_bytes: u32,
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

    /// Takes apart the results of one model at the front of the words that the firmware wrote: the numbers of rows and
    /// of outputs, the bytes of a parsed model, then per row the instructions, the bytes of stack, the instructions of
    /// the history, the outputs.
    pub(crate) fn decode(words: &mut &[u32]) -> Option<Self> {
        let &[rows, outputs, ram_bytes] = words.split_off(..3)?.as_array()?;
        let outputs = outputs as usize;
        let predictions = vec![];
        let instructions = vec![];
        let history_instructions = vec![];
        let mut run = Run { outputs, predictions, instructions, history_instructions, ram_bytes, stack_bytes: 0 };
        for _ in 0..rows {
            let row = words.split_off(..3 + outputs)?;
            run.instructions.push(row[0]);
            run.stack_bytes = run.stack_bytes.max(row[1]);
            run.history_instructions.push(row[2]);
            run.predictions.extend(row[3..].iter().copied().map(f32::from_bits));
        }
        Some(run)
    }
}
