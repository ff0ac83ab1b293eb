//! Clock cycles of generated C.

use std::process::Command;

use srfm_runtime::format::Number;
use srfm_tests::{OwnedIntegers, Rng, Shape, skip};
use srfm_trainer::Blob;
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::{CRun, run_c};
use srfm_trainer::export::CSource;

/// The rows of each model.
const ROWS: usize = 6;

/// Returns whether the programs can be started; one that cannot be is reported.
fn are_installed(programs: &[(&str, &str)]) -> bool {
    for (program, package) in programs {
        if Command::new(program).arg("--version").output().is_err() {
            skip(&format!("{program} cannot be started: run `apt-get install {package}`"));
            return false;
        }
    }
    true
}

/// Returns an integer model with rules or without, and readings.
fn sample(trees: usize, rng: &mut Rng) -> (Blob, Vec<f32>) {
    let shape = Shape { inputs: 3, blocks: vec![(1, 3), (2, 4)], trees, linear: 2, ..Shape::default() };
    let model = OwnedIntegers::random([Number::I32, Number::I16][trees % 2], &shape, rng);
    let rows = rng.floats(3 * ROWS, 1000.0).into_iter().map(f32::round).collect();
    (Blob::new(&model.blob()).unwrap(), rows)
}

/// The cycles that a run states are those of a timer alone, and its predictions those of the workstation.
#[test]
fn cycles_of_an_avr_are_those_of_its_timer() {
    if !are_installed(&[("avr-gcc", "gcc-avr avr-libc"), ("simavr", "simavr")]) {
        return;
    }
    let rng = &mut Rng::new(70);
    for trees in [0, 3, 8] {
        let (blob, rows) = sample(trees, rng);
        let CRun { run, cycles, .. } = run_c(&blob, Core::Atmega328p, &[&rows]).unwrap();
        assert!(cycles.iter().all(|cycles| cycles.least == cycles.most) && cycles.len() == ROWS);
        let counted: Vec<u32> = cycles.iter().map(|cycles| cycles.most).collect();
        assert_eq!(counted, ticks(&blob, &rows), "{trees} trees");
        let model = blob.model();
        let mut host = vec![0.0; ROWS];
        rows.chunks(3).zip(host.chunks_mut(1)).for_each(|(x, y)| model.predict(x, y).unwrap());
        assert_eq!(run.predictions, host, "{trees} trees");
    }
}

/// Returns the cycles of the predictions of rows by the timer.
fn ticks(blob: &Blob, rows: &[f32]) -> Vec<u32> {
    let folder = tempfile::tempdir().unwrap();
    let source = CSource::new(blob, "model").unwrap().text();
    std::fs::write(folder.path().join("model.h"), source).unwrap();
    std::fs::write(folder.path().join("cycles.c"), include_str!("cycles.c")).unwrap();
    let rows: Vec<String> = rows.chunks(3).map(|x| format!("{{{}f,{}f,{}f}}", x[0], x[1], x[2])).collect();
    let compiled = Command::new("avr-gcc")
        .args(["-mmcu=atmega328p", "-Os", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"])
        .args([&format!("-DCOUNTS={{{}}}", rows.join(",").replace("f", ".0f")), "cycles.c", "-I.", "-o", "cycles.elf"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let simulated = Command::new("timeout")
        .args(["60", "simavr", "-m", "atmega328p", "-f", "16000000", "cycles.elf"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let printed = [simulated.stdout, simulated.stderr].concat();
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let figures = printed.split('#').skip(1).filter_map(|part| part.get(..4));
    figures.map(|digits| u32::from_str_radix(digits, 16).unwrap()).collect()
}

/// A Cortex-M0+ takes fewer cycles than a Cortex-M0 for the same instructions, and no core less than one for each.
#[test]
fn cycles_of_a_cortex_m_exceed_its_instructions() {
    if !are_installed(&[("arm-none-eabi-gcc", "gcc-arm-none-eabi"), ("qemu-system-arm", "qemu-system-arm")]) {
        return;
    }
    let (blob, rows) = sample(4, &mut Rng::new(71));
    let of_core = |core: Core| run_c(&blob, core, &[&rows]).unwrap();
    let [m0, m0_plus, m3, m4] = [Core::CortexM0, Core::CortexM0Plus, Core::CortexM3, Core::CortexM4f].map(of_core);
    for run in [&m0, &m0_plus, &m3, &m4] {
        assert_eq!(run.cycles.len(), ROWS);
        // Those of the timer leave the return out.
        let pairs = run.cycles.iter().zip(&run.run.instructions);
        assert!(pairs.clone().all(|(cycles, &count)| cycles.least > count && cycles.most < 3 * count), "{run:?}");
    }
    assert_eq!(m0.run, m0_plus.run);
    assert!(m0.cycles.iter().zip(&m0_plus.cycles).all(|(m0, plus)| m0.most > plus.most));
    assert!(run_c(&blob, Core::CortexM33, &[&rows]).unwrap().cycles.is_empty());
}
