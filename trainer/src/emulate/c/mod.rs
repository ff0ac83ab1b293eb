//! The exported C of a model, compiled for a core and run in the emulator.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use srfm_runtime::Model;
use srfm_runtime::format::Number;

use crate::cost::Core;
use crate::emulate::build::last_lines;
use crate::emulate::emulator::{START, execute, time_limit};
use crate::emulate::{DeviceError, Run};
use crate::export::{Blob, CSource};

/// The compiler, and the program that states sizes.
const COMPILER: &str = "arm-none-eabi-gcc";
const SIZE: &str = "arm-none-eabi-size";

/// The Debian package of both.
const PACKAGE: &str = "gcc-arm-none-eabi";

/// The program around the model, and its memory layout.
const PROGRAM: &str = include_str!("program.c");
const LAYOUT: &str = include_str!("board.ld");

/// What the exported C of a model computes and takes on a core.
#[derive(Clone, Debug, PartialEq)]
pub struct CRun {
    /// What it computes; the instructions include those of a history, and the model takes no RAM beside it.
    pub run: Run,
    /// The flash of the prediction: that of a program that only predicts, less that of an empty one.
    pub flash_bytes: usize,
}

/// The options of GCC for a core, and where flash and RAM of its board start; none for a core that is not Arm's.
fn target(core: Core) -> Option<(&'static [&'static str], [&'static str; 2])> {
    const USUAL: [&str; 2] = ["0", "0x20000000"];
    Some(match core {
        Core::CortexM0 => (&["-mcpu=cortex-m0"], USUAL),
        Core::CortexM3 => (&["-mcpu=cortex-m3"], USUAL),
        Core::CortexM4f => (&["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"], USUAL),
        Core::CortexM7 => (&["-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"], USUAL),
        Core::CortexM33 => {
            (&["-mcpu=cortex-m33", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"], ["0x10000000", "0x38000000"])
        }
        Core::Riscv32imac | Core::Riscv32imafc => return None,
    })
}

/// Exports a model as C in small code, compiles it with `-Os` for `core`, and runs it on sequences of samples, readings
/// row after row.
///
/// # Errors
/// [`DeviceError`]: the core is not Arm's, the compiler or the emulator is missing, or the program fails.
pub fn run_c(blob: &Blob, core: Core, sequences: &[&[f32]]) -> Result<CRun, DeviceError> {
    let (flags, origins) = target(core).ok_or(DeviceError::NoCompiler(core))?;
    let model = blob.model();
    let folder = tempfile::tempdir()?;
    let source = CSource::new(blob, "model").map_err(|error| DeviceError::Failed(error.to_string()))?;
    fs::write(folder.path().join("model.h"), source.text())?;
    fs::write(folder.path().join("program.c"), PROGRAM)?;
    fs::write(folder.path().join("board.ld"), LAYOUT)?;
    let flags: Vec<String> = flags.iter().map(ToString::to_string).chain(of_model(&model)).collect();
    let compile = |image: &str, kind: &[&str]| compile(folder.path(), &flags, origins, image, kind);
    compile("empty.elf", &["-DEMPTY"])?;
    compile("sized.elf", &["-DSIZED"])?;
    compile("program.elf", &[])?;
    let flash_bytes = size(&folder.path().join("sized.elf"))?.saturating_sub(size(&folder.path().join("empty.elf"))?);
    fs::write(folder.path().join("rows.bin"), rows(&model, sequences))?;
    let readings = sequences.iter().map(|samples| samples.len()).sum();
    let limit = START + time_limit(blob.bytes().len(), readings);
    execute(core.board(), &folder.path().join("program.elf"), limit)?;
    let results = fs::read(folder.path().join("results.bin"))?;
    let words: Vec<u32> = results.as_chunks().0.iter().copied().map(u32::from_le_bytes).collect();
    Ok(CRun { run: decoded(&words, model.outputs()), flash_bytes })
}

/// Returns the options that describe a model to the program.
fn of_model(model: &Model<'_>) -> Vec<String> {
    let mut options = Vec::new();
    let flags = [
        (model.header().number != Number::F32, "-DINTEGERS"),
        (model.takes_counts(), "-DCOUNTS"),
        (!model.lags().is_empty(), "-DSAMPLES"),
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

/// Returns the bytes of the rows: for each sequence the number of its rows, then the readings.
fn rows(model: &Model<'_>, sequences: &[&[f32]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for samples in sequences {
        bytes.extend(((samples.len() / model.channels().max(1)) as u32).to_le_bytes());
        bytes.extend_from_slice(bytemuck::cast_slice(samples));
    }
    bytes
}

/// Compiles the program in a folder.
fn compile(
    folder: &Path,
    flags: &[String],
    [flash, ram]: [&str; 2],
    image: &str,
    kind: &[&str],
) -> Result<(), DeviceError> {
    let mut compiler = Command::new(COMPILER);
    compiler
        .args(flags)
        .args(["-mthumb", "-Os", "-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns"])
        .args(["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "-T", "board.ld"])
        .args([format!("-Wl,--defsym=FLASH_START={flash}"), format!("-Wl,--defsym=RAM_START={ram}")])
        .args(kind)
        .args(["program.c", "-I.", "-lgcc", "-o", image])
        .current_dir(folder);
    output(&mut compiler).map(|_| ())
}

/// Returns the bytes of code and constants of an image.
fn size(image: &Path) -> Result<usize, DeviceError> {
    let text = output(Command::new(SIZE).arg(image))?;
    let figure = text.lines().nth(1).and_then(|line| line.split_whitespace().next()?.parse().ok());
    figure.ok_or_else(|| DeviceError::BuildFailed(format!("{SIZE} states no size")))
}

/// Runs a program of the compiler and returns what it wrote.
fn output(command: &mut Command) -> Result<String, DeviceError> {
    let missing = |source| DeviceError::CompilerMissing { program: COMPILER, package: PACKAGE, source };
    let output = command.output().map_err(missing)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(DeviceError::BuildFailed(last_lines(&String::from_utf8_lossy(&output.stderr)))),
    }
}

/// Takes the results apart: for each prediction the instructions, the bytes of stack and the outputs.
fn decoded(words: &[u32], outputs: usize) -> Run {
    let mut run = Run { outputs, ..Run::default() };
    for row in words.chunks_exact(2 + outputs) {
        run.instructions.push(row[0]);
        run.history_instructions.push(0);
        run.stack_bytes = run.stack_bytes.max(row[1]);
        run.predictions.extend(row[2..].iter().copied().map(f32::from_bits));
    }
    run
}
