//! Chooses the board, hands its memory layout to the linker, and names the model that is compiled in.

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
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    // Sections start where memory.x says, not on the next page.
    println!("cargo:rustc-link-arg-bins=--nmagic");
    let example = || variable("CARGO_MANIFEST_DIR") + "/models/pressure.srfm";
    println!("cargo:rustc-env=SRFM_MODEL={}", env::var("SRFM_MODEL").unwrap_or_else(|_| example()));
    println!("cargo:rerun-if-env-changed=SRFM_MODEL");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={layout}");
}
