//! Sources compiled for cores in QEMU.

use std::path::Path;
use std::process::Command;

use rayon::prelude::*;

use super::host::levels;
use super::tools::{compare, run, words};
use super::{TOGETHER, cases, driver, is_installed};

/// A core in an emulator.
struct Board {
    compiler: &'static str,
    /// The options of the core.
    flags: &'static [&'static str],
    emulator: &'static str,
    machine: &'static [&'static str],
    flash: &'static str,
    ram: &'static str,
}

const fn arm(
    flags: &'static [&'static str],
    machine: &'static [&'static str],
    flash: &'static str,
    ram: &'static str,
) -> Board {
    Board { compiler: "arm-none-eabi-gcc", flags, emulator: "qemu-system-arm", machine, flash, ram }
}

const fn riscv(flags: &'static [&'static str]) -> Board {
    let machine = &["-M", "virt", "-bios", "none"];
    let (flash, ram) = ("0x80000000", "0x80800000");
    Board { compiler: "riscv64-unknown-elf-gcc", flags, emulator: "qemu-system-riscv32", machine, flash, ram }
}

const BOARDS: [Board; 7] = [
    arm(&["-mthumb", "-mcpu=cortex-m0"], &["-M", "mps2-an385"], "0x0", "0x20000000"),
    arm(&["-mthumb", "-mcpu=cortex-m3"], &["-M", "mps2-an385"], "0x0", "0x20000000"),
    arm(
        &["-mthumb", "-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
        &["-M", "mps2-an386"],
        "0x0",
        "0x20000000",
    ),
    arm(
        &["-mthumb", "-mcpu=cortex-m7", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"],
        &["-M", "mps2-an500"],
        "0x0",
        "0x20000000",
    ),
    arm(
        &["-mthumb", "-mcpu=cortex-m33", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"],
        &["-M", "mps2-an505"],
        "0x10000000",
        "0x38000000",
    ),
    riscv(&["-march=rv32imac", "-mabi=ilp32", "-mcmodel=medany", "-mno-relax"]),
    riscv(&["-march=rv32imafc", "-mabi=ilp32f", "-mcmodel=medany", "-mno-relax"]),
];

/// Compiles the driver for a board, runs it and returns the words that it writes.
fn results(folder: &Path, board: &Board, level: &str) -> Vec<u32> {
    let own = folder.join(format!("{}{level}", board.flags.join("")));
    std::fs::create_dir(&own).expect("a new folder");
    std::fs::copy(folder.join("rows.bin"), own.join("rows.bin")).expect("the rows are there");
    run(Command::new(board.compiler)
        .args(board.flags)
        .args([level, "-ffreestanding", "-nostdlib", "-fno-tree-loop-distribute-patterns", "-Wall", "-Werror"])
        .args([format!("-Wl,--defsym=FLASH_START={}", board.flash), format!("-Wl,--defsym=RAM_START={}", board.ram)])
        .args(["-Wl,--no-warn-rwx-segments", "-T", "../board.ld", "../board.c", "-lgcc", "-o", "board.elf"])
        .current_dir(&own));
    run(Command::new("timeout")
        .args(["120", board.emulator])
        .args(board.machine)
        .args(["-nographic", "-monitor", "none", "-serial", "none"])
        .args(["-semihosting-config", "enable=on,target=native", "-kernel", "board.elf"])
        .current_dir(&own));
    words(&own.join("results.bin"))
}

/// Returns what the driver in a folder writes on every core whose compiler and emulator are there, with its options.
pub fn every_result(folder: &Path, level: &str) -> Vec<(String, Vec<u32>)> {
    std::fs::write(folder.join("board.c"), include_str!("board.c")).expect("the folder can be written");
    std::fs::write(folder.join("board.ld"), include_str!("board.ld")).expect("the folder can be written");
    let installed = |board: &&Board| is_installed(board.compiler) && is_installed(board.emulator);
    let boards: Vec<&Board> = BOARDS.iter().filter(installed).collect();
    boards.par_iter().map(|board| (board.flags.join(" "), results(folder, board, level))).collect()
}

#[test]
fn every_core_and_level_gives_the_same_bits() {
    let installed = |board: &&Board| is_installed(board.compiler) && is_installed(board.emulator);
    let of_board = |board| levels().into_iter().map(move |level| (board, level));
    let runs: Vec<(&Board, &str)> = BOARDS.iter().filter(installed).flat_map(of_board).collect();
    for cases in cases(4).chunks(TOGETHER) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        driver::write(folder.path(), cases);
        std::fs::write(folder.path().join("board.c"), include_str!("board.c")).expect("the folder can be written");
        std::fs::write(folder.path().join("board.ld"), include_str!("board.ld")).expect("the folder can be written");
        let expected = driver::expected(cases);
        runs.par_iter().for_each(|&(board, level)| {
            let found = results(folder.path(), board, level);
            compare(cases, &expected, &found, &format!("{} {level}", board.flags.join(" ")));
        });
    }
}
