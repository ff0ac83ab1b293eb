//! The bytes of a model do not depend on the vector instructions of the processor.

use std::fs;
use std::process::{Command, Stdio};

use srfm_testing::skip;

use super::*;

const EMULATOR: &str = "qemu-x86_64";

/// A processor without vector instructions of four numbers, and one with them and with fused multiplications.
const PROCESSORS: [&str; 2] = ["Nehalem", "Haswell"];

/// Methods, each with options for a fit of a few seconds in the emulator.
const FITS: [&str; 5] = [
    "harfe --max-features 10 --order 2",
    "shrimp --max-features 20 --order 2",
    "compact --max-features 3 --order 2 --lambda 1e-3",
    "gfc --max-features 3 --order 2 --lambda 1e-3",
    "min-norm --max-features 20 --order 2",
];

#[test]
fn processors_with_other_vector_instructions_fit_the_same_bytes() {
    if Command::new(EMULATOR).arg("--version").stdout(Stdio::null()).status().is_err() {
        return skip(&format!("no {EMULATOR} (Debian: qemu-user), fits on other processors are not compared"));
    }
    let folder = folder_with(&[]);
    assert!(run(&folder, "generate friedman1 --rows 60 -o data.csv").status.success());
    for options in FITS {
        let fit = format!("fit data.csv --method {options} --seed 1 --threads 1 --quiet -o");
        assert!(run(&folder, &format!("{fit} here.srfm")).status.success());
        let here = fs::read(folder.path().join("here.srfm")).unwrap();
        for processor in PROCESSORS {
            let mut emulated = Command::new(EMULATOR);
            emulated.args(["-cpu", processor]).arg(srfm().get_program()).args(fit.split(' ')).arg("there.srfm");
            let output = emulated.current_dir(folder.path()).output().unwrap();
            assert!(output.status.success(), "{options}, {processor}: {}", String::from_utf8_lossy(&output.stderr));
            let there = fs::read(folder.path().join("there.srfm")).unwrap();
            assert!(here == there, "{options}: {processor} fits another model than the processor of this machine");
        }
    }
}
