//! The C interface under hostile calls, compiled with the sanitizers of the C compiler.
//!
//! The sanitizers see the C program. The library is Rust, which they do not see: pages that cannot be touched stand at
//! the end of every buffer.

use std::path::{Path, PathBuf};
use std::process::Command;

use srfm_runtime::Model;
use srfm_tests::{Blob, skip};

/// Damaged copies of each model.
const COPIES: usize = 2000;

/// The readings of the program: the high words of a linear congruential generator.
struct Generator(u64);

impl Generator {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn reading(&mut self) -> f32 {
        (self.bits() % 8001) as f32 / 1000.0 - 4.0
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the golden models in the order of their names.
fn models() -> Vec<PathBuf> {
    let files = std::fs::read_dir(root().join("runtime/golden")).expect("the folder is there").flatten();
    let mut models: Vec<PathBuf> = files.map(|file| file.path()).collect();
    models.retain(|path| path.extension().is_some_and(|extension| extension == "srfm"));
    models.sort();
    models
}

/// Runs a command that must succeed; returns what it prints.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("the command was found");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Builds the library for this machine; returns its path.
fn library() -> PathBuf {
    let target = root().join("target/c_hostile");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--quiet", "--manifest-path"]).arg(root().join("runtime/c/Cargo.toml"));
    cargo.arg("--target-dir").arg(&target);
    run(cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS"));
    target.join("release/libsrfm.a")
}

/// Compiles the program and returns what it prints for damaged copies of all models.
fn hostile(compiler: &str, folder: &Path, library: &Path) -> String {
    let program = folder.join(compiler);
    let warnings = ["-std=gnu11", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-g", "-O1"];
    let sanitizers = ["-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize-recover=all"];
    run(Command::new(compiler)
        .args(warnings)
        .args(sanitizers)
        .arg("-I")
        .arg(root().join("runtime/c/include"))
        .arg(root().join("tests/tests/c_hostile/hostile.c"))
        .arg(library)
        .arg("-o")
        .arg(&program));
    run(Command::new(program).arg(COPIES.to_string()).args(models()))
}

#[test]
fn hostile_calls_touch_nothing_beyond_their_buffers() {
    if !cfg!(target_os = "linux") || Command::new("gcc").arg("--version").output().is_err() {
        return skip("gcc cannot be started: run `apt-get install gcc`");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = library();
    let printed = hostile("gcc", folder.path(), &library);
    let (words, accepted) = printed.trim_end().rsplit_once("\naccepted ").expect("the number is printed last");
    let accepted: usize = accepted.parse().expect("a number");
    let all = COPIES * models().len();
    assert!(accepted > all / 4 && accepted < all, "{accepted} of {all} copies were accepted");
    // The first model comes before any other random number.
    let bytes = Blob::new(&std::fs::read(&models()[0]).expect("the file is there"));
    let model = Model::parse(&bytes).expect("a sound model");
    let mut generator = Generator(1);
    let x: Vec<f32> = (0..model.inputs()).map(|_| generator.reading()).collect();
    let mut y = vec![0.0; model.outputs()];
    model.predict(&x, &mut y).expect("the lengths are those of the model");
    let expected: Vec<u32> = y.iter().map(|y| y.to_bits()).collect();
    let found: Vec<u32> = words.lines().take(y.len()).map(|word| word.parse().expect("a number")).collect();
    assert_eq!(found, expected);
}
