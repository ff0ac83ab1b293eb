//! The exported C of a model, compiled for a core and run in the emulator.

mod toolchain;

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use srfm_runtime::Model;
use srfm_runtime::format::Number;
use tempfile::TempDir;

pub(crate) use toolchain::Toolchain;

use crate::cost::Core;
use crate::emulate::emulator::{START, execute, simulated, time_limit};
use crate::emulate::timing::{Cycles, has_timing};
use crate::emulate::trace::{Counted, counted};
use crate::emulate::{DeviceError, Run};
use crate::export::{Blob, CSource};

/// The prediction of a row.
const CALL: &str = include_str!("call.h");

/// The predictions whose clock cycles are counted on a Cortex-M, from the first.
const TIMED_PREDICTIONS: usize = 16;

/// Far more than a trace takes for a row, whatever it computes.
const TRACED_ROW: Duration = Duration::from_millis(200);

/// The bytes of rows that a program for an AVR holds, beside a model.
const ROOM_AVR: usize = 4096;

/// What the exported C of a model computes and takes on a core.
#[derive(Clone, Debug, PartialEq)]
pub struct CRun {
    /// What it computes; the instructions include those of a history, and the model takes no RAM beside it. An AVR has
    /// no counts of instructions.
    pub run: Run,
    /// The flash of the prediction: that of a program that only predicts, less that of an empty one.
    pub flash_bytes: usize,
    /// The clock cycles of predictions at zero wait states, by the documented timing of the core: of all rows on an
    /// AVR, of the first rows on a Cortex-M. Empty for a core whose timing is not published.
    pub cycles: Vec<Cycles>,
}

/// Exports a model as C in small code, compiles it with `-Os` for `core`, and runs it on sequences of samples, readings
/// row after row.
///
/// # Errors
/// [`DeviceError`]: the compiler or the emulator is missing, or the program fails.
pub fn run_c(blob: &Blob, core: Core, sequences: &[&[f32]]) -> Result<CRun, DeviceError> {
    let program = Program::new(blob, core)?;
    let flash_bytes = program.flash()?;
    let (run, cycles) = match core {
        Core::Atmega328p => program.run_avr(sequences)?,
        _ => program.run_in_qemu(sequences)?,
    };
    Ok(CRun { run, flash_bytes, cycles })
}

/// A folder with the sources of a program.
struct Program<'a> {
    blob: &'a Blob,
    core: Core,
    toolchain: Toolchain,
    folder: TempDir,
    /// The options that describe the model to the program.
    options: Vec<String>,
}

impl<'a> Program<'a> {
    /// Writes the sources.
    fn new(blob: &'a Blob, core: Core) -> Result<Self, DeviceError> {
        let toolchain = Toolchain::of(core);
        let folder = tempfile::tempdir()?;
        let source = CSource::new(blob, "model").map_err(|error| DeviceError::Failed(error.to_string()))?;
        for (name, text) in [("model.h", &*source.text()), ("call.h", CALL), ("program.c", toolchain.program)] {
            fs::write(folder.path().join(name), text)?;
        }
        Ok(Program { blob, core, toolchain, folder, options: of_model(&blob.model()) })
    }

    /// Compiles the program in a variant and returns the path of the image.
    fn compiled(&self, image: &str, variant: Option<&str>) -> Result<PathBuf, DeviceError> {
        let options: Vec<String> = self.options.iter().cloned().chain(variant.map(str::to_owned)).collect();
        self.toolchain.compile(self.folder.path(), "program.c", image, &options)?;
        Ok(self.folder.path().join(image))
    }

    /// Returns the flash of the prediction.
    fn flash(&self) -> Result<usize, DeviceError> {
        let sized = self.toolchain.size(&self.compiled("sized.elf", Some("-DSIZED"))?)?;
        Ok(sized.saturating_sub(self.toolchain.size(&self.compiled("empty.elf", Some("-DEMPTY"))?)?))
    }

    /// Writes the rows where the program looks for them: for each sequence their number, then the readings.
    fn write_rows(&self, sequences: &[&[f32]]) -> Result<(), DeviceError> {
        let mut bytes = Vec::new();
        for samples in sequences {
            bytes.extend(((samples.len() / self.channels()) as u32).to_le_bytes());
            bytes.extend_from_slice(bytemuck::cast_slice(samples));
        }
        Ok(fs::write(self.folder.path().join("rows.bin"), bytes)?)
    }

    /// Returns far more time than rows take.
    fn limit(&self, sequences: &[&[f32]]) -> Duration {
        START + time_limit(self.blob.bytes().len(), sequences.iter().map(|samples| samples.len()).sum())
    }

    /// Runs the program in QEMU, and counts the cycles of the first predictions where the core's timing is published.
    fn run_in_qemu(&self, sequences: &[&[f32]]) -> Result<(Run, Vec<Cycles>), DeviceError> {
        let image = self.compiled("program.elf", None)?;
        self.write_rows(sequences)?;
        execute(self.core.machine(), &image, self.limit(sequences))?;
        let results = fs::read(self.folder.path().join("results.bin"))?;
        let words: Vec<u32> = results.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect();
        let mut run = self.empty_run();
        for row in words.chunks_exact(2 + run.outputs) {
            run.instructions.push(row[0]);
            run.history_instructions.push(0);
            run.stack_bytes = run.stack_bytes.max(row[1]);
            run.predictions.extend(row[2..].iter().copied().map(f32::from_bits));
        }
        if !has_timing(self.core) {
            return Ok((run, Vec::new()));
        }
        let (depth, step) = (self.blob.model().samples().depth(), self.blob.model().samples().step());
        let timed = self.parts(sequences, (TIMED_PREDICTIONS - 1) * usize::from(step) + usize::from(depth));
        let counted = timed.first().map_or(Ok(Vec::new()), |part| self.counted(part))?;
        Ok((run, counted.iter().filter_map(|call| call.cycles).collect()))
    }

    /// Runs the program on a simulated AVR, on as many rows at a time as its flash has room for. Its timer counts the
    /// cycles of every prediction.
    fn run_avr(&self, sequences: &[&[f32]]) -> Result<(Run, Vec<Cycles>), DeviceError> {
        let mut run = self.empty_run();
        let mut cycles = Vec::new();
        let mut has_cycles = true;
        for part in self.parts(sequences, ROOM_AVR / size_of::<f32>() / self.channels()) {
            self.write_rows(&part)?;
            let image = self.compiled("program.elf", None)?;
            let words = simulated(self.core.machine(), &image, self.limit(&part))?;
            for row in words.chunks_exact(2 + run.outputs) {
                // The largest number says that the timer had too few places: the cycles are not known then.
                has_cycles &= row[0] < u32::MAX;
                cycles.push(Cycles::exactly(row[0]));
                run.stack_bytes = run.stack_bytes.max(row[1]);
                run.predictions.extend(row[2..].iter().copied().map(f32::from_bits));
            }
        }
        Ok((run, if has_cycles { cycles } else { Vec::new() }))
    }

    fn empty_run(&self) -> Run {
        Run { outputs: self.blob.model().outputs(), ..Run::default() }
    }

    /// Counts the predictions of rows, each of which the program makes twice.
    fn counted(&self, sequences: &[&[f32]]) -> Result<Vec<Counted>, DeviceError> {
        self.write_rows(sequences)?;
        let image = self.compiled("traced.elf", Some("-DPAINTED=0"))?;
        let rows = sequences.iter().map(|samples| samples.len() / self.channels()).sum::<usize>();
        let limit = self.limit(sequences) + TRACED_ROW * u32::try_from(rows).unwrap_or(u32::MAX);
        let calls = counted(self.core, &image, limit)?;
        let model = self.blob.model();
        let samples_of = model.samples();
        let mut of_rows = calls.chunks_exact(2).map(|calls| calls[1]);
        let mut predictions = Vec::new();
        for samples in sequences {
            let rows = of_rows.by_ref().take(samples.len() / self.channels());
            // A row that completes no history gives no prediction.
            let is_ready = |row: &usize| samples_of.predictions(row + 1) > samples_of.predictions(*row);
            predictions.extend(rows.enumerate().filter(|(row, _)| is_ready(row)).map(|(_, counted)| counted));
        }
        Ok(predictions)
    }

    fn channels(&self) -> usize {
        self.blob.model().channels().max(1)
    }

    /// Returns the sequences in parts with at most so many rows each, or with those of one prediction. A part repeats
    /// the rows that its first prediction looks back to.
    fn parts<'s>(&self, sequences: &[&'s [f32]], rows: usize) -> Vec<Vec<&'s [f32]>> {
        let model = self.blob.model();
        let [depth, step] = [model.samples().depth(), model.samples().step()].map(usize::from);
        let channels = self.channels();
        let mut parts: Vec<Vec<&[f32]>> = Vec::new();
        let mut room = 0;
        for samples in sequences {
            let all = model.samples().predictions(samples.len() / channels);
            let mut next = 0;
            while next < all {
                if room < depth {
                    parts.push(Vec::new());
                    room = rows.max(depth);
                }
                let taken = (1 + (room - depth) / step).min(all - next);
                let rows = next * step..(next + taken - 1) * step + depth;
                room -= rows.len();
                let piece = &samples[rows.start * channels..rows.end * channels];
                parts.last_mut().expect("a part with room").push(piece);
                next += taken;
            }
        }
        parts
    }
}

/// Returns the options that describe a model to the program.
fn of_model(model: &Model<'_>) -> Vec<String> {
    let mut options = Vec::new();
    let flags = [
        (model.header().number != Number::F32, "-DINTEGERS"),
        (model.takes_counts(), "-DCOUNTS"),
        (!model.samples().is_empty(), "-DSAMPLES"),
    ];
    options.extend(flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_owned()));
    let mut steps = String::new();
    let mut offsets = String::new();
    for scale in model.scales() {
        let [step, offset] = [scale.step, scale.offset].map(f64::from);
        // Writing to a string does not fail.
        let _ = write!(steps, "{step:?}f,");
        let _ = write!(offsets, "{offset:?}f,");
    }
    options.extend([format!("-DSTEPS={{{steps}}}"), format!("-DOFFSETS={{{offsets}}}")]);
    options
}

#[cfg(test)]
mod tests {
    use srfm_testing::{OwnedIntegers, OwnedModel, Rng, Shape, report_skipped};

    use super::*;

    const CORES: [Core; 4] = [Core::CortexM0, Core::CortexM4f, Core::Riscv32imac, Core::Riscv32imafc];

    const TOOLS: [&str; 4] = ["arm-none-eabi-gcc", "qemu-system-arm", "riscv64-unknown-elf-gcc", "qemu-system-riscv32"];

    const ROWS: usize = 5;

    /// The instructions that a core counts itself are those of a trace of its program, and its predictions those of the
    /// workstation. The trace has the return as well.
    #[test]
    fn instructions_are_those_of_a_trace() {
        if let Some(tool) =
            TOOLS.iter().find(|tool| std::process::Command::new(tool).arg("--version").output().is_err())
        {
            report_skipped(&format!("{tool} cannot be started"));
            return;
        }
        let rng = &mut Rng::new(61);
        let shape = Shape { inputs: 3, blocks: vec![(1, 3), (2, 4)], trees: 2, linear: 2, ..Shape::default() };
        let rows: Vec<f32> = rng.floats(3 * ROWS, 1000.0).into_iter().map(f32::round).collect();
        for bytes in [OwnedModel::random(&shape, rng).blob(), OwnedIntegers::random(Number::I32, &shape, rng).blob()] {
            let blob = Blob::new(&bytes).unwrap();
            let mut host = vec![0.0; ROWS];
            rows.chunks(3).zip(host.chunks_mut(1)).for_each(|(x, y)| blob.model().predict(x, y).unwrap());
            for core in CORES {
                let program = Program::new(&blob, core).unwrap();
                let (run, _) = program.run_in_qemu(&[&rows]).unwrap();
                assert_eq!(run.predictions, host, "{core}");
                let traced: Vec<u32> =
                    program.counted(&[&rows]).unwrap().iter().map(|call| call.instructions - 1).collect();
                assert_eq!(run.instructions, traced, "{core}");
            }
        }
    }
}
