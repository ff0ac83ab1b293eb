//! The build script of the programs: arguments of the linker, and the model that is compiled in.

use std::env;

fn main() {
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    // Sections start where memory.x says, not on the next page.
    println!("cargo:rustc-link-arg-bins=--nmagic");
    let example = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/pressure.srfm").to_owned();
    println!("cargo:rustc-env=SRFM_MODEL={}", env::var("SRFM_MODEL").unwrap_or_else(|_| example()));
    println!("cargo:rerun-if-env-changed=SRFM_MODEL");
}
