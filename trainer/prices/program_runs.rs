//! Programs of generated C, compiled with GCC and counted in the emulator.

use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use srfm_runtime::Model;
use srfm_runtime::format::Number;

use crate::cost::Core;
use crate::export::{Blob, CSource};

/// A core, the options of GCC, the board of the emulator, and where its flash and its RAM start.
pub type Target = (Core, &'static [&'static str], &'static str, [&'static str; 2]);

const USUAL: [&str; 2] = ["0", "0x20000000"];

pub const TARGETS: [Target; 4] = [
    (Core::CortexM0, &["-mcpu=cortex-m0"], "mps2-an385", USUAL),
    (Core::CortexM3, &["-mcpu=cortex-m3"], "mps2-an385", USUAL),
    (Core::CortexM4f, &["-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"], "mps2-an386", USUAL),
    (
        Core::CortexM33,
        &["-mcpu=cortex-m33", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"],
        "mps2-an505",
        ["0x10000000", "0x38000000"],
    ),
];

/// The programs that a measurement takes.
pub const TOOLS: [&str; 2] = ["arm-none-eabi-gcc", "qemu-system-arm"];

/// What a program takes.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub bytes: f64,
    pub instructions: f64,
    pub stack: usize,
}

/// Measures the programs of models with a row of readings each, less the bytes of a program without a model.
pub fn measure(models: &[(&Blob, &[f32])], target: Target) -> Vec<Measured> {
    let cases: Vec<Case> = models.iter().map(|&(blob, readings)| Case { blob, readings, call: None }).collect();
    measure_calls(&cases, target)
}

/// A model with a row of readings, and the statement that takes the place of the prediction.
pub struct Case<'a> {
    pub blob: &'a Blob,
    pub readings: &'a [f32],
    pub call: Option<&'a str>,
}

/// Measures programs, less the bytes of a program without a model.
pub fn measure_calls(cases: &[Case<'_>], target: Target) -> Vec<Measured> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let empty = size(&compiled(folder.path(), target, "empty.elf", &[]));
    cases.par_iter().map(|case| measured(case, target, empty)).collect()
}

fn measured(&Case { blob, readings, call }: &Case<'_>, target: Target, empty: f64) -> Measured {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = CSource::new(blob, "model").expect("a C identifier").text();
    std::fs::write(folder.path().join("model.h"), source).expect("the folder can be written");
    let mut options = vec!["-DMODEL".to_owned(), "-fstack-usage".to_owned()];
    options.extend(flags_of(&blob.model()).map(str::to_owned));
    options.extend(call.map(|call| format!("-DCALL={call}")));
    let bytes = size(&compiled(folder.path(), target, "sized.elf", &options)) - empty;
    let stack = stack(folder.path());
    let readings: Vec<String> = readings.iter().map(|x| format!("{x:?}f")).collect();
    options.extend(["-DCOUNTED", "-fno-ipa-cp", "-fno-ipa-pure-const"].map(str::to_owned));
    options.push(format!("-DREADINGS={{{}}}", readings.join(",")));
    let image = compiled(folder.path(), target, "counted.elf", &options);
    let silent = ["-display", "none", "-monitor", "none", "-serial", "none", "-icount", "shift=6,sleep=off"];
    let printed = ["-chardev", "stdio,id=out", "-semihosting-config", "enable=on,target=native,chardev=out"];
    let mut run = Command::new("timeout");
    run.args(["60", "qemu-system-arm", "-M", target.2]).args(silent).args(printed).arg("-kernel").arg(image);
    Measured { bytes, instructions: output(&mut run).trim().parse().expect("the program prints a number"), stack }
}

/// Returns the options that say which function budgets count.
fn flags_of(model: &Model<'_>) -> impl Iterator<Item = &'static str> {
    let integers = model.header().number != Number::F32;
    let lags = !model.lags().is_empty() && (!integers || model.takes_counts());
    // The decision among several classes in integers takes floating point.
    let classes = model.classes().count() > 0 && model.lags().is_empty() && (!integers || model.outputs() == 1);
    let flags = [(integers, "-DINTEGERS"), (lags, "-DSAMPLES"), (classes, "-DCLASSES")];
    flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag)
}

/// Compiles the program in a folder and returns its image.
fn compiled(folder: &Path, (_, flags, _, [flash, ram]): Target, image: &str, options: &[String]) -> PathBuf {
    let source: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "firmware-example", "measure", "c"].iter().collect();
    let mut compiler = Command::new("arm-none-eabi-gcc");
    compiler
        .args(flags)
        .args(["-mthumb", "-Os", "-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns"])
        .args(["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments"])
        .args([format!("-Wl,--defsym=FLASH_START={flash}"), format!("-Wl,--defsym=RAM_START={ram}")])
        .arg("-T")
        .args([source.join("board.ld"), source.join("program.c")])
        .args(options)
        .args(["-I.", "-lgcc", "-o", image])
        .current_dir(folder);
    output(&mut compiler);
    folder.join(image)
}

/// Returns the bytes of an image.
fn size(image: &Path) -> f64 {
    let text = output(Command::new("arm-none-eabi-size").arg(image));
    let figure = text.lines().nth(1).and_then(|line| line.split_whitespace().next()?.parse().ok());
    figure.expect("the second line starts with the bytes of code")
}

/// Returns the stack of the functions of a program, which call each other at most in a row.
fn stack(folder: &Path) -> usize {
    let files = std::fs::read_dir(folder).expect("the folder is there").filter_map(|file| Some(file.ok()?.path()));
    let usage = files.filter(|path| path.extension().is_some_and(|extension| extension == "su"));
    let usage: String = usage.filter_map(|path| std::fs::read_to_string(path).ok()).collect();
    usage.lines().filter_map(|line| line.split('\t').nth(1)?.parse::<usize>().ok()).sum()
}

/// Runs a command that must succeed and returns what it wrote.
fn output(command: &mut Command) -> String {
    let output = command.output().expect("the program is installed");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
