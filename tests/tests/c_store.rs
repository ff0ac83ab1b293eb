//! The store of the C library on the workstation, on a simulated flash whose power fails.

use std::path::Path;
use std::process::Command;

use srfm_runtime::update::{Manifest, Sender};
use srfm_tests::{OwnedModel, Rng, Shape, skip};

/// The frames of an update.
fn frames(model: &[u8], sequence: u32) -> Vec<u8> {
    let manifest = Manifest::new(model, sequence, 0x5052_4553).unwrap();
    let (mut sender, mut bytes) = (Sender::new(manifest.into(), model), Vec::new());
    while let Some(frame) = sender.frame() {
        bytes.extend_from_slice(frame.as_bytes());
        sender.advance();
    }
    bytes
}

#[test]
fn a_power_cut_after_each_step_leaves_the_old_model_or_the_new_one() {
    if Command::new("gcc").arg("--version").output().is_err() {
        return skip("gcc cannot be started: run `apt-get install gcc`");
    }
    let c = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/c").canonicalize().unwrap();
    let mut cargo = Command::new("cargo");
    cargo.current_dir(&c).args(["build", "--quiet", "--release", "--features=store", "--target-dir=target/host"]);
    for host in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_INCREMENTAL", "RUSTC_WORKSPACE_WRAPPER"] {
        cargo.env_remove(host);
    }
    assert!(cargo.status().unwrap().success(), "the library does not build");

    let (folder, mut rng) = (tempfile::tempdir().unwrap(), Rng::new(5));
    let models = [4, 30].map(|features| {
        OwnedModel::random(&Shape { inputs: 2, blocks: vec![(2, features)], ..Shape::default() }, &mut rng)
            .blob()
            .to_vec()
    });
    let path = |name: &str| folder.path().join(name);
    for (name, bytes) in [
        ("old.srfm", &models[0]),
        ("new.srfm", &models[1]),
        ("old.frames", &frames(&models[0], 4)),
        ("new.frames", &frames(&models[1], 9)),
    ] {
        std::fs::write(path(name), bytes).unwrap();
    }
    let mut gcc = Command::new("gcc");
    gcc.args(["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-I"]);
    gcc.arg(c.join("include")).arg(c.join("tests/store.c")).arg(c.join("target/host/release/libsrfm.a"));
    gcc.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-Wl,--gc-sections", "-o"]);
    let compiled = gcc.arg(path("store")).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));

    let files = ["old.srfm", "new.srfm", "old.frames", "new.frames"].map(path);
    let ran = Command::new(path("store")).args(files).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert_eq!(said.lines().filter(|line| line.ends_with(" steps")).count(), 4, "{said}");
}
