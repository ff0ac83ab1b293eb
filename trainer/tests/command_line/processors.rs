//! The bytes of a model do not depend on the vector instructions of the processor.

use std::fs;
use std::process::{Command, Stdio};

use super::*;

const EMULATOR: &str = "qemu-x86_64";

/// Processors without vector instructions of four numbers, with them, and with fused multiplications.
const PROCESSORS: [&str; 3] = ["Nehalem", "SandyBridge", "Haswell"];

#[test]
fn processors_with_other_vector_instructions_fit_the_same_bytes() {
    let emulator = Command::new(EMULATOR).arg("--version").stdout(Stdio::null()).status();
    if !cfg!(target_arch = "x86_64") || emulator.is_err() {
        eprintln!("SKIPPED: no {EMULATOR} (Debian: qemu-user), fits on other processors are not compared");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(run(&folder, "generate friedman1 --rows 100 -o data.csv").status.success());
    for method in ["harfe", "shrimp", "compact", "gfc", "min-norm"] {
        let fit = format!("fit data.csv --method {method} --max-features 15 --order 2 --seed 1 --threads 1 -q -o");
        assert!(run(&folder, &format!("{fit} here.srfm")).status.success());
        let here = fs::read(folder.path().join("here.srfm")).unwrap();
        for processor in PROCESSORS {
            let mut emulated = Command::new(EMULATOR);
            emulated.args(["-cpu", processor]).arg(srfm().get_program()).args(fit.split(' ')).arg("there.srfm");
            let output = emulated.current_dir(folder.path()).output().unwrap();
            assert!(output.status.success(), "{method}, {processor}: {}", String::from_utf8_lossy(&output.stderr));
            let there = fs::read(folder.path().join("there.srfm")).unwrap();
            assert!(here == there, "{method}: {processor} fits another model than the processor of this machine");
        }
    }
}
