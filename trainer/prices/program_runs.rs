//! Programs of generated C, compiled with GCC and counted in the emulator.

use std::path::Path;
use std::time::Duration;

use rayon::prelude::*;
use srfm_runtime::Model;
use srfm_runtime::format::Number;

use crate::cost::Core;
use crate::emulate::{Toolchain, counted, simulated};
use crate::export::{Blob, CSource};

/// The cores of the table. A core with the target of the one before it adds a column of cycles alone.
pub const CORES: [Core; 6] =
    [Core::CortexM0, Core::CortexM0Plus, Core::CortexM3, Core::CortexM4f, Core::CortexM33, Core::Atmega328p];

/// The programs that a measurement takes.
pub const TOOLS: [&str; 4] = ["arm-none-eabi-gcc", "qemu-system-arm", "avr-gcc", "simavr"];

/// Far more time than a program takes.
const LIMIT: Duration = Duration::from_secs(120);

/// What a program takes.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub bytes: f64,
    /// None on an AVR.
    pub instructions: Option<f64>,
    /// The most clock cycles; none on a core whose timing is not published.
    pub cycles: Option<f64>,
    pub stack: usize,
}

/// Measures the programs of models with a row of readings each, less the bytes of a program without a model.
pub fn measure(models: &[(&Blob, &[f32])], core: Core) -> Vec<Measured> {
    let cases: Vec<Case> = models.iter().map(|&(blob, readings)| Case { blob, readings, call: None }).collect();
    measure_calls(&cases, core)
}

/// A model with a row of readings, and the statement that takes the place of the prediction.
pub struct Case<'a> {
    pub blob: &'a Blob,
    pub readings: &'a [f32],
    pub call: Option<&'a str>,
}

/// Measures programs, less the bytes of a program without a model.
pub fn measure_calls(cases: &[Case<'_>], core: Core) -> Vec<Measured> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let toolchain = Toolchain::of(core);
    let empty = size(&toolchain, folder.path(), &[]);
    cases.par_iter().map(|case| measured(case, core, &toolchain, empty)).collect()
}

fn measured(&Case { blob, readings, call }: &Case<'_>, core: Core, toolchain: &Toolchain, empty: f64) -> Measured {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = CSource::new(blob, "model").expect("a C identifier").text();
    std::fs::write(folder.path().join("model.h"), source).expect("the folder can be written");
    let mut options = vec!["-DMODEL".to_owned(), "-fstack-usage".to_owned()];
    options.extend(flags_of(&blob.model()).map(str::to_owned));
    options.extend(call.map(|call| format!("-DCALL={call}")));
    let bytes = size(toolchain, folder.path(), &options) - empty;
    let stack = stack(folder.path());
    let readings: Vec<String> = readings.iter().map(|x| format!("{x:?}f")).collect();
    options.extend(["-DTRACED", "-fno-ipa-cp", "-fno-ipa-pure-const"].map(str::to_owned));
    options.push(format!("-DBEFORE={}", blob.model().samples().depth() - 1));
    options.push(format!("-DREADINGS={{{}}}", readings.join(",")));
    compile(toolchain, folder.path(), "traced.elf", &options);
    let image = folder.path().join("traced.elf");
    let [instructions, cycles] = if core.has_runtime() { traced(core, &image) } else { timed(core, &image) };
    Measured { bytes, instructions, cycles, stack }
}

/// Returns the instructions and the most cycles of a prediction in QEMU.
fn traced(core: Core, image: &Path) -> [Option<f64>; 2] {
    let calls = counted(core, image, LIMIT).expect("the program runs");
    let last = calls.last().expect("the program predicts");
    [Some(last.instructions.into()), last.cycles.map(|cycles| cycles.most.into())]
}

/// Returns the cycles of a prediction by the timer of an AVR.
fn timed(core: Core, image: &Path) -> [Option<f64>; 2] {
    let words = simulated(core.machine(), image, LIMIT).expect("the program runs");
    let cycles = words.last().filter(|&&cycles| cycles < u32::MAX).expect("the timer has enough places");
    [None, Some(f64::from(*cycles))]
}

/// Returns the options that say which function budgets count.
fn flags_of(model: &Model<'_>) -> impl Iterator<Item = &'static str> {
    let integers = model.header().number != Number::F32;
    let lags = !model.samples().is_empty();
    let prepared = integers && !model.takes_counts();
    // The decision among several classes in integers takes floating point.
    let classes = model.classes().count() > 0 && model.samples().is_empty() && (!integers || model.outputs() == 1);
    let flags = [(integers, "-DINTEGERS"), (prepared, "-DPREPARED"), (lags, "-DSAMPLES"), (classes, "-DCLASSES")];
    flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag)
}

/// The program around a model.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../firmware-example/measure/c/program.c");

fn compile(toolchain: &Toolchain, folder: &Path, image: &str, options: &[String]) {
    toolchain.compile(folder, PROGRAM, image, options).expect("the program compiles");
}

/// Returns the bytes of the program that predicts.
fn size(toolchain: &Toolchain, folder: &Path, options: &[String]) -> f64 {
    compile(toolchain, folder, "sized.elf", options);
    toolchain.size(&folder.join("sized.elf")).expect("the image has a size") as f64
}

/// Returns the stack of the functions of a program, which call each other at most in a row.
fn stack(folder: &Path) -> usize {
    let files = std::fs::read_dir(folder).expect("the folder is there").filter_map(|file| Some(file.ok()?.path()));
    let usage = files.filter(|path| path.extension().is_some_and(|extension| extension == "su"));
    let usage: String = usage.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    usage.lines().filter_map(|line| line.split('\t').nth(1)?.parse::<usize>().ok()).sum()
}
