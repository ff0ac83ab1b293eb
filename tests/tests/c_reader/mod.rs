//! Readers of model files in C: the status and the bits of the runtime, for sound files and for damaged ones.
//!
//! Each reader is compiled in one of the ways of compiling it, in a thorough test in all of them.

mod avr;
mod cases;
mod files;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use srfm_tests::{Rng, skip};

use self::cases::Reader;
use self::files::{golden, reader, run, write};

/// Every warning that a reader must not give.
const WARNINGS: [&str; 6] = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror"];

/// Compilers, and options of a run of each.
const RUNS: [(&str, &[&str]); 9] = [
    ("gcc", &["-std=c99", "-O0"]),
    ("gcc", &["-std=c11", "-O2", "-march=native"]),
    ("gcc", &["-std=c99", "-Os"]),
    ("g++", &["-xc++", "-std=c++11", "-O2"]),
    ("clang", &["-std=c99", "-O0"]),
    ("clang", &["-std=c11", "-O2", "-march=native"]),
    ("clang", &["-std=c99", "-Os"]),
    ("clang++", &["-xc++", "-std=c++11", "-O2"]),
    ("gcc", &["-std=c11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]),
];

/// Sound models of a reader, and damaged files of each.
const MODELS: usize = 12;
const DAMAGED: usize = 300;

/// Compares what the program of a compiler makes of the files with what the runtime does.
fn compare(folder: &Path, compiler: &str, options: &[&str], reader: Reader, expected: &[Vec<u32>]) {
    let (program, results) = (folder.join("program"), folder.join("results.bin"));
    let mut compile = Command::new(compiler);
    compile.args(options).args(WARNINGS).arg(folder.join("host.c")).arg("-o").arg(&program);
    run(&mut compile);
    run(Command::new(&program).arg(folder.join("files.bin")).arg(&results));
    let bytes = std::fs::read(results).unwrap();
    let mut found = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
    for (i, words) in expected.iter().enumerate() {
        let of_file: Vec<u32> = found.by_ref().take(words.len()).collect();
        assert_eq!(&of_file, words, "{compiler} {options:?}, {reader:?}, file {i}");
    }
    assert_eq!(found.next(), None);
}

#[test]
fn readers_refuse_what_the_runtime_refuses_and_predict_its_bits() {
    let found = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let runs: Vec<_> = RUNS.iter().filter(|(compiler, _)| found(compiler)).collect();
    if runs.len() < RUNS.len() {
        skip("a compiler cannot be started: run `apt-get install gcc g++ clang`");
    }
    let mut statuses = BTreeMap::<u32, usize>::new();
    for (place, reader) in Reader::all().enumerate() {
        let (folder, mut rng) = (tempfile::tempdir().unwrap(), Rng::new(place as u64 / 2));
        let sound = cases::models(reader, MODELS, &mut rng);
        let mut files = sound.clone();
        files.extend(sound.iter().flat_map(|model| cases::damaged(model, DAMAGED, &mut rng)));
        write(folder.path(), &sound, &files);
        let expected: Vec<Vec<u32>> = files.iter().map(|file| cases::expected(reader, file)).collect();
        assert!(expected[..MODELS].iter().all(|words| words[0] == 0), "sound models");
        expected.iter().for_each(|words| *statuses.entry(words[0]).or_default() += 1);
        let step = if srfm_testing::thorough() { 1 } else { runs.len() };
        for (compiler, options) in runs.iter().skip(place % step).step_by(step) {
            compare(folder.path(), compiler, options, reader, &expected);
        }
    }
    println!("{statuses:?}");
    // Every check refuses some of the files, and some damage leaves a model that can be evaluated.
    for status in [0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 22] {
        assert!(statuses.get(&status).is_some_and(|&count| count >= 5), "status {status}: {statuses:?}");
    }
}

#[test]
fn options_that_change_the_bits_are_refused() {
    if Command::new("gcc").arg("--version").output().is_err() {
        return skip("gcc cannot be started: run `apt-get install gcc`");
    }
    let folder = tempfile::tempdir().unwrap();
    let plane = golden().remove("plane.srfm").unwrap();
    write(folder.path(), &[plane], &[]);
    for option in ["-ffast-math", "-Ofast", "-ffinite-math-only"] {
        let mut gcc = Command::new("gcc");
        let compiled = gcc.args([option, "-fsyntax-only"]).arg(folder.path().join("host.c")).output().unwrap();
        let said = String::from_utf8_lossy(&compiled.stderr);
        assert!(!compiled.status.success() && said.contains("#error"), "{option}: {said}");
    }
}

#[test]
fn readers_are_for_one_kernel() {
    let golden = golden();
    let reader = |name: &str| reader(&golden[name]);
    assert!(reader("plane.srfm").is_some_and(|text| text.contains("#define SENSOR_KERNEL 0u")));
    assert!(reader("sigmoid.srfm").is_some_and(|text| text.contains("#define SENSOR_KERNEL 2u")));
    assert!(reader("int.srfm").is_some_and(|text| text.contains("#define SENSOR_INTEGERS 1u")));
    assert!(reader("trees.srfm").is_some_and(|text| text.contains("#define SENSOR_RULES 1u")));
    assert_eq!(reader("mixed.srfm"), None);
}
