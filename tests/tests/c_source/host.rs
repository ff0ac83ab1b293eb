//! Sources compiled for the workstation.

use std::path::Path;
use std::process::Command;

use rayon::prelude::*;
use srfm_testing::thorough;

use super::models::Case;
use super::tools::{compare, run, words};
use super::{TOGETHER, cases, count, driver, is_installed};

/// Every warning that a source must not give.
const WARNINGS: [&str; 5] = ["-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror"];

/// Returns levels of optimisation: the smallest and the fastest code; in a thorough test all levels.
pub fn levels() -> Vec<&'static str> {
    if thorough() { vec!["-O0", "-Os", "-O2", "-O3"] } else { vec!["-Os", "-O3"] }
}

/// Compilers of C and of C++.
const COMPILERS: [[&str; 2]; 2] = [["gcc", "g++"], ["clang", "clang++"]];

/// The driver.
pub const HOST: &str = include_str!("host.c");

/// Compiles the driver with `flags` and returns the words that it writes.
pub fn results(folder: &Path, compiler: &str, flags: &[&str]) -> Vec<u32> {
    let name = format!("{compiler}{}", flags.join(""));
    let program = folder.join(&name);
    let language = if compiler.ends_with("++") { "c++" } else { "c" };
    run(Command::new(compiler)
        .args(flags)
        .args(WARNINGS)
        .args(["-x", language])
        .arg(folder.join("host.c"))
        .arg("-o")
        .arg(&program));
    let results = folder.join(name + ".bin");
    run(Command::new(&program).arg(folder.join("rows.bin")).arg(&results));
    words(&results)
}

fn folder_with(cases: &[Case]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    driver::write(folder.path(), cases);
    std::fs::write(folder.path().join("host.c"), HOST).expect("the folder can be written");
    folder
}

#[test]
fn every_compiler_and_level_gives_the_same_bits() {
    let machines: &[&str] =
        if cfg!(target_arch = "x86_64") { &["-march=native", "-march=x86-64"] } else { &["-DNATIVE"] };
    let compilers = COMPILERS.iter().map(|compilers| compilers[0]).filter(|compiler| is_installed(compiler));
    let runs: Vec<[&str; 3]> = compilers
        .flat_map(|compiler| levels().into_iter().map(move |level| [compiler, level]))
        .flat_map(|[compiler, level]| machines.iter().map(move |&machine| [compiler, level, machine]))
        .collect();
    let mut cases = cases(0);
    // A phase of half a turn, where clang 14 made wrong vectors of a signed square.
    cases.push(Case::random(50, 100));
    // Outputs whose largest numbers of units need a factor of more than 20 bits.
    cases.push(Case::random(323 + (4 << 32), 100));
    cases.extend((0..count()).map(Case::of_near_scores));
    for cases in cases.chunks(TOGETHER) {
        let folder = folder_with(cases);
        let expected = driver::expected(cases);
        runs.par_iter().for_each(|&[compiler, level, machine]| {
            let found = results(folder.path(), compiler, &[level, machine]);
            compare(cases, &expected, &found, &format!("{compiler} {level} {machine}"));
        });
    }
}

#[test]
fn every_standard_of_c_and_cpp_is_kept() {
    let cases = cases(1);
    let folder = folder_with(&cases[..cases.len().min(20)]);
    let standards = [["c99", "c++11"], ["c11", "c++17"], ["c17", "c++20"]];
    for compilers in COMPILERS.into_iter().filter(|[compiler, _]| is_installed(compiler)) {
        standards.par_iter().for_each(|standards| {
            for (compiler, standard) in compilers.into_iter().zip(standards) {
                let language = if compiler.ends_with("++") { "c++" } else { "c" };
                run(Command::new(compiler)
                    .args(WARNINGS)
                    .args([&format!("-std={standard}"), "-fsyntax-only", "-x", language])
                    .arg(folder.path().join("host.c")));
            }
        });
    }
}

#[test]
fn without_the_protection_bits_differ() {
    let cases = cases(2);
    let folder = folder_with(&cases);
    let fused = std::fs::read_to_string("/proc/cpuinfo").is_ok_and(|text| text.contains(" fma "));
    if !fused || !is_installed("gcc") {
        return srfm_testing::skip("this machine has no fused multiply-add");
    }
    driver::write_changed(folder.path(), &cases, &|source| {
        source.lines().filter(|line| !line.ends_with("_UNFUSED(product);")).collect::<Vec<_>>().join("\n") + "\n"
    });
    let found = results(folder.path(), "gcc", &["-O2", "-march=native"]);
    let expected = driver::expected(&cases);
    let different = expected.iter().zip(&found).filter(|(expected, found)| expected != found).count();
    assert!(different > expected.len() / 100, "{different} of {}", expected.len());
}

#[test]
fn sanitizers_find_nothing() {
    let sanitizers = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all", "-O1", "-g"];
    if !is_installed("gcc") {
        return;
    }
    for cases in cases(5).chunks(TOGETHER) {
        let folder = folder_with(cases);
        compare(cases, &driver::expected(cases), &results(folder.path(), "gcc", &sanitizers), "sanitizers");
    }
}

#[test]
fn options_that_change_bits_are_refused() {
    let cases = cases(3);
    let folder = folder_with(&cases[..1]);
    let refused = |flag: &str, message: &str| {
        let mut gcc = Command::new("gcc");
        let output = gcc.args([flag, "-fsyntax-only"]).arg(folder.path().join("host.c")).output().expect("gcc runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(message), "{flag}: {said}");
    };
    if is_installed("gcc") {
        refused("-ffast-math", "the order of its operations");
        refused("-Ofast", "the order of its operations");
        refused("-ffinite-math-only", "missing readings");
        if cfg!(target_arch = "x86_64") {
            refused("-mfpmath=387", "round to float");
        }
    }
}

/// Clang has no macro for these options, with which it may change the order of operations.
#[test]
fn clang_keeps_the_order_of_operations() {
    if !is_installed("clang") {
        return;
    }
    let macros = Command::new("clang").args(["-dM", "-E", "-xc", "/dev/null"]).output().expect("clang runs").stdout;
    let macros = String::from_utf8_lossy(&macros);
    let version = macros.lines().find_map(|line| line.strip_prefix("#define __clang_major__ ")?.parse::<u32>().ok());
    if version.is_some_and(|version| version < 13) {
        return srfm_testing::skip("Clang before 13 may change the order of operations: install Clang 13 or later");
    }
    let mut cases = cases(7);
    cases.truncate(if thorough() { cases.len() } else { 2 });
    // A sum beyond its limits, of which clang 14 compared other bits, and probabilities, divisions by a common sum.
    cases.extend([22, 49].map(|seed| Case::random(seed + (7 << 32), 100)));
    let folder = folder_with(&cases);
    let expected = driver::expected(&cases);
    let associative = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"];
    for options in [&["-funsafe-math-optimizations"][..], &associative] {
        let found = results(folder.path(), "clang", &[&["-O2", "-march=native"], options].concat());
        compare(&cases, &expected, &found, &format!("clang {options:?}"));
    }
}

#[test]
fn cppcheck_finds_nothing() {
    let cases = cases(6);
    let folder = tempfile::tempdir().expect("a temporary folder");
    driver::write(folder.path(), &cases[..cases.len().min(6)]);
    if !is_installed("cppcheck") {
        return;
    }
    let headers = std::fs::read_dir(folder.path()).expect("the folder is there").flatten().map(|entry| entry.path());
    let of_models = |path: &std::path::PathBuf| !path.ends_with("models.h") && !path.ends_with("run.h");
    run(Command::new("cppcheck")
        .args(["--quiet", "--language=c", "--std=c99", "--error-exitcode=1", "--force"])
        .args(["--enable=warning,style,performance,portability", "--inline-suppr", "--suppress=missingIncludeSystem"])
        .args(headers.filter(|path| path.extension().is_some_and(|name| name == "h")).filter(of_models)));
}
