//! Chooses the board and gives its memory layout to the linker.

use std::path::Path;
use std::{env, fs};

fn main() {
    let variable = |name| env::var(name).expect("cargo sets it");
    let target = variable("TARGET");
    let board = match target.as_str() {
        "thumbv6m-none-eabi" if env::var_os("CARGO_FEATURE_MICROBIT").is_some() => "microbit",
        "thumbv8m.main-none-eabihf" => "an505",
        target if target.starts_with("riscv32") => "virt",
        _ => "mps2",
    };
    println!("cargo:rustc-cfg=board=\"{board}\"");
    println!("cargo:rustc-check-cfg=cfg(board, values(\"mps2\", \"an505\", \"microbit\", \"virt\"))");

    let (layout, out) = (format!("memory/{board}.x"), variable("OUT_DIR"));
    fs::copy(&layout, Path::new(&out).join("memory.x")).expect("the memory layout can be copied");
    println!("cargo:rustc-link-search={out}");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={layout}");
}
