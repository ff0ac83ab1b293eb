//! Adaptations in generated C: compilers of the workstation and emulated boards compute the bits of the runtime, also
//! behind a reset, and refuse damaged states.

mod cases;
mod steps;

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use srfm_trainer::export::{CSource, Regressors};

use crate::c_source::tools::run;
use crate::c_source::{boards, host, is_installed};
use cases::Case;

/// The words of a step: what to do, a number for it, and the readings.
const STEP: usize = 2;

/// The words that a step gives.
const RESULTS: usize = 9;

/// Writes the sources of all models with their adaptations, and the driver and its steps.
fn write(folder: &Path, cases: &[Case]) {
    let mut text = String::from("#include <stddef.h>\n#include <stdint.h>\n");
    let mut table = String::new();
    for (i, case) in cases.iter().enumerate() {
        let name = format!("m{i}");
        let source = CSource::new(&case.blob, &name).expect("a C identifier");
        let header = format!("{name}.h");
        let adaptation = source.adaptation(case.regressors, &header).expect("a model of one quantity");
        std::fs::write(folder.join(format!("{name}_adaptation.h")), adaptation).expect("the folder can be written");
        std::fs::write(folder.join(header), source.text()).expect("the folder can be written");
        let upper = name.to_uppercase();
        let step = include_str!("step.h").replace("@name@", &name).replace("@NAME@", &upper);
        write!(text, "#include \"{name}_adaptation.h\"\n{step}").unwrap();
        let words = STEP + case.inputs();
        writeln!(table, "    {{ step_{name}, {words}, {RESULTS}, {} }},", case.steps.len() / words).unwrap();
    }
    write!(
        text,
        "#define MOST_WORDS 64\nstatic const struct {{ void (*run)(const float *, uint32_t *); \
         size_t inputs, words, rows; }} runs[] = {{\n{table}}};\n"
    )
    .unwrap();
    std::fs::write(folder.join("models.h"), text).expect("the folder can be written");
    std::fs::write(folder.join("run.h"), include_str!("../c_source/run.h")).expect("the folder can be written");
    std::fs::write(folder.join("host.c"), host::HOST).expect("the folder can be written");
    let steps: Vec<u8> = cases.iter().flat_map(|case| &case.steps).flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.join("rows.bin"), steps).expect("the folder can be written");
}

/// Compares the words of all models with those of the runtime.
fn compare(cases: &[Case], found: &[u32], how: &str) {
    let mut rest = found;
    for (i, case) in cases.iter().enumerate() {
        let expected = case.expected();
        let (own, others) = rest.split_at(expected.len());
        rest = others;
        let place = own.iter().zip(&expected).position(|(found, expected)| found != expected);
        if let Some(place) = place {
            let (row, word) = (place / RESULTS, place % RESULTS);
            panic!("{how}: model {i}, step {row}, word {word}: {:08x} {:08x}", own[place], expected[place]);
        }
    }
    assert!(rest.is_empty(), "{how}");
}

fn folder_with(cases: &[Case]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), cases);
    folder
}

#[test]
fn every_compiler_gives_the_bits_of_the_runtime() {
    let cases = Case::all(0, 300);
    let folder = folder_with(&cases);
    let runs: [(&str, &[&str]); 3] =
        [("gcc", &["-Os", "-std=c99"]), ("gcc", &["-O3", "-march=native"]), ("clang", &["-O2", "-march=native"])];
    for (compiler, flags) in runs.into_iter().filter(|(compiler, _)| is_installed(compiler)) {
        compare(&cases, &host::results(folder.path(), compiler, flags), &format!("{compiler} {flags:?}"));
    }
    if is_installed("gcc") {
        let sanitizers = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-O1"];
        compare(&cases, &host::results(folder.path(), "gcc", &sanitizers), "sanitizers");
        run(Command::new("gcc")
            .args(["-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only"])
            .arg(folder.path().join("host.c")));
    }
    if is_installed("g++") {
        run(Command::new("g++")
            .args(["-std=c++11", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++"])
            .arg(folder.path().join("host.c")));
    }
}

#[test]
fn every_core_gives_the_bits_of_the_runtime() {
    let cases = Case::all(1, 60);
    let folder = folder_with(&cases);
    for (core, found) in boards::every_result(folder.path(), "-Os") {
        compare(&cases, &found, &core);
    }
}

/// Two years of a gas turbine, of which each tenth row is a reference, with resets on the way.
#[test]
fn a_gas_turbine_is_followed_with_the_same_bits() {
    let Some(cases) = Case::of_gas_turbine() else { return };
    let folder = folder_with(&cases);
    if is_installed("gcc") {
        compare(&cases, &host::results(folder.path(), "gcc", &["-O2"]), "gas turbine");
    }
}

#[test]
fn cppcheck_finds_nothing_in_adaptations() {
    let cases = Case::all(2, 1);
    let folder = folder_with(&cases);
    if !is_installed("cppcheck") {
        return;
    }
    let files = (0..6).map(|i| folder.path().join(format!("m{i}_adaptation.h")));
    run(Command::new("cppcheck")
        .args(["--quiet", "--language=c", "--std=c99", "--error-exitcode=1", "--force"])
        .args(["--enable=warning,style,performance,portability", "--inline-suppr", "--suppress=missingIncludeSystem"])
        .args(files));
}

#[test]
fn models_of_several_outputs_and_lines_of_more_than_120_columns_are_not_written() {
    for case in Case::all(3, 1) {
        let source = CSource::new(&case.blob, "a_name").expect("a C identifier");
        for regressors in [Regressors::Inputs, Regressors::Products] {
            let text = source.adaptation(regressors, "a_name.h").expect("a model of one quantity");
            let longest = text.lines().max_by_key(|line| line.chars().count()).unwrap_or_default();
            assert!(longest.chars().count() <= 120, "{longest}");
        }
    }
    let several = cases::of_two_outputs();
    assert!(CSource::new(&several, "m").expect("a C identifier").adaptation(Regressors::Inputs, "m.h").is_err());
}
