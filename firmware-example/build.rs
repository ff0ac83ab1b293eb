//! Hands the memory layout to the linker.

use std::path::Path;
use std::{env, fs};

fn main() {
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::copy("memory.x", Path::new(&out).join("memory.x")).expect("memory.x can be copied");
    println!("cargo:rustc-link-search={out}");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    // Sections start where memory.x says, not on the next page.
    println!("cargo:rustc-link-arg-bins=--nmagic");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=memory.x");
}
