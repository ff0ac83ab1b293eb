//! The C source of models against the runtime.

use std::cell::RefCell;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use srfm_testing::AWKWARD;
use srfm_trainer::Blob;
use srfm_trainer::export::{CSource, Style};

use crate::models::mended;

/// The models that are compiled together, and the bytes of them from which on they are compiled. The compiler takes
/// about 40 ms for a small model with its sanitizer, and the time limit of an input holds on a loaded machine as well.
const TOGETHER: usize = 40;
const TOGETHER_BYTES: usize = 1 << 13;

/// Rows of readings of a model.
const ROWS: usize = 4;

/// The length in bytes of the largest model that is compiled.
const LARGEST: usize = 4096;

/// Writes the source of a model, and compiles it once enough models are there: the program predicts the runtime's bits.
/// A batch that differs stays in a folder, whose name the message has.
pub fn c_source(bytes: &[u8]) {
    thread_local! {
        static BATCH: RefCell<Vec<Blob>> = const { RefCell::new(Vec::new()) };
    }
    let Ok(blob) = Blob::new(&mended(bytes)) else { return };
    // Trees of many levels are refused.
    if CSource::new(&blob, "model").is_err() {
        return;
    }
    for style in [Style::Small, Style::Fast] {
        let text = CSource::new(&blob, "model").expect("an identifier").with_style(style).text();
        assert!(text.contains("model_predict"));
    }
    if blob.bytes().len() > LARGEST || blob.model().inputs() > 256 {
        return;
    }
    BATCH.with_borrow_mut(|batch| {
        batch.push(blob);
        let size: usize = batch.iter().map(|blob| blob.bytes().len()).sum();
        if batch.len() == TOGETHER || size >= TOGETHER_BYTES {
            compare(&std::mem::take(batch));
        }
    });
}

/// Returns a row of readings that are hard on arithmetic.
fn row(model: &Blob, row: usize) -> Vec<f32> {
    AWKWARD.iter().copied().cycle().skip(5 * row).take(model.model().inputs()).collect()
}

fn bits(y: f32) -> u32 {
    if y.is_nan() { 0x7fc0_0000 } else { y.to_bits() }
}

/// Returns the words that the program is to print: the outputs of all rows of all models.
fn expected(models: &[Blob]) -> Vec<u32> {
    let mut words = Vec::new();
    for blob in models {
        let model = blob.model();
        let mut y = vec![0.0; model.outputs()];
        for i in 0..ROWS {
            assert_eq!(model.predict(&row(blob, i), &mut y), Ok(()));
            words.extend(y.iter().copied().map(bits));
        }
    }
    words
}

fn compare(models: &[Blob]) {
    if Command::new("gcc").arg("--version").output().is_err() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder").keep();
    let mut main = String::from("#include <stdio.h>\n");
    let mut calls = String::new();
    for (i, blob) in models.iter().enumerate() {
        let style = [Style::Small, Style::Fast][i % 2];
        let text = CSource::new(blob, &format!("m{i}")).expect("an identifier").with_style(style).text();
        std::fs::write(folder.join(format!("m{i}.h")), text).expect("the folder can be written");
        std::fs::write(folder.join(format!("m{i}.srfm")), blob.bytes()).expect("the folder can be written");
        write!(main, "#include \"m{i}.h\"\n{}", function(blob, i)).expect("memory takes any length");
        write!(calls, "run{i}();").expect("memory takes any length");
    }
    let print = "union word { float y; unsigned bits; };\n\
                 static void print(float y) { union word w; w.y = y; \
                 printf(\"%u\\n\", y != y ? 0x7fc00000u : w.bits); }\n";
    let text = format!("{print}{main}int main(void) {{ {calls} return 0; }}\n");
    std::fs::write(folder.join("main.c"), text).expect("the folder can be written");
    assert_eq!(output(&folder), expected(models), "{} holds models and sources", folder.display());
    std::fs::remove_dir_all(folder).expect("the folder can be removed");
}

/// Returns a function that predicts the rows of a model and prints the outputs.
fn function(blob: &Blob, i: usize) -> String {
    let outputs = blob.model().outputs();
    let mut text =
        format!("static void run{i}(void) {{ float y[{outputs}]; union word x[{}];\n", blob.model().inputs());
    for number in 0..ROWS {
        for (at, x) in row(blob, number).into_iter().enumerate() {
            write!(text, "x[{at}].bits = {}u;", x.to_bits()).expect("memory takes any length");
        }
        let call =
            if outputs == 1 { format!("y[0] = m{i}_predict(&x[0].y);") } else { format!("m{i}_predict(&x[0].y, y);") };
        writeln!(text, "{call} for (int i = 0; i < {outputs}; i++) print(y[i]);").expect("memory takes any length");
    }
    text + "}\n"
}

/// Compiles the program and returns the words that it prints.
fn output(folder: &Path) -> Vec<u32> {
    let program = folder.join("main");
    let flags = ["-O1", "-w", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-o"];
    let gcc = Command::new("gcc").args(flags).arg(&program).arg(folder.join("main.c")).output().expect("gcc was found");
    assert!(gcc.status.success(), "{}: {}", folder.display(), String::from_utf8_lossy(&gcc.stderr));
    let run = Command::new(&program).output().expect("the program was built");
    assert!(run.status.success(), "{}: {}", folder.display(), String::from_utf8_lossy(&run.stderr));
    String::from_utf8_lossy(&run.stdout).lines().map(|word| word.parse().expect("a number")).collect()
}
