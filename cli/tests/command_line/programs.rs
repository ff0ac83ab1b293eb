//! `srfm fit --deploy rust`: budgets of programs that have the model by `static_model!`.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use srfm_testing::{skip, thorough};
use tempfile::TempDir;

use super::{failure, folder_with, json, srfm};

/// The target of a Cortex-M4F.
const TARGET: &str = "thumbv7em-none-eabihf";

fn firmware() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "firmware-example"].iter().collect()
}

/// Returns by how many bytes of code, constants and initial values a program with a model is larger than one without.
fn added(model: &Path) -> u64 {
    let output = Command::new("cargo")
        .args(["build", "--quiet", "--release", "--target", TARGET, "-p", "probes", "--bin", "fixed", "--bin", "empty"])
        .args(["--config", "profile.release.opt-level=\"s\"", "--target-dir"])
        .arg(model.with_file_name("target"))
        .current_dir(firmware().join("measure"))
        .env("SRFM_MODEL", model)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let [fixed, empty] = ["fixed", "empty"].map(|program| {
        let image = model.with_file_name("target").join(TARGET).join("release").join(program);
        let output = Command::new("arm-none-eabi-size").arg(image).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let words = text.lines().nth(1).unwrap().split_whitespace();
        words.take(2).map(|bytes| bytes.parse::<u64>().unwrap()).sum::<u64>()
    });
    fixed - empty
}

/// Returns the program of a fit and the number of features.
fn program(folder: &TempDir, options: &str) -> ([u64; 2], u64) {
    let arguments = format!("fit data.csv --deploy rust --firmware {} -o m.srfm {options}", firmware().display());
    let fit = json(folder, &arguments);
    let program = &fit["program"];
    assert_eq!((&program["deploy"], &program["core"]), (&"rust".into(), &"cortex-m4f".into()));
    let number = |key: &str| program[key].as_u64().unwrap();
    let parts = ["parameter_bytes", "code_bytes", "constant_bytes"].map(number);
    assert_eq!(parts.iter().sum::<u64>(), number("flash_bytes"), "{program}");
    assert_eq!(parts[0], fit["model"]["flash_bytes"].as_u64().unwrap(), "the program has the whole file");
    assert!(number("stack_bytes") > 0);
    (["flash_bytes", "instructions"].map(number), fit["model"]["features"].as_u64().unwrap())
}

#[test]
fn budgets_of_compiled_models_hold() {
    for tool in ["arm-none-eabi-size", "qemu-system-arm"] {
        if Command::new(tool).arg("--version").output().is_err() {
            return skip(&format!("{tool} is not installed"));
        }
    }
    let folder = folder_with(&[]);
    json(&folder, "generate friedman1 --rows 200 -o data.csv");
    let model = folder.path().join("m.srfm");
    let ([flash, instructions], features) = program(&folder, "--method harfe --max-features 20");
    assert_eq!(features, 20);
    // The stated bytes are those of the programs that anyone can build.
    assert_eq!(flash, added(&model));
    assert!((1.0..10.0).contains(&(instructions as f64 / 200.0)), "{instructions}");
    // One instruction less is a smaller model; in a thorough test, one byte less as well.
    let budgets = [format!("--instructions {}", instructions - 1), format!("--flash {}", flash - 1)];
    for budget in budgets.into_iter().take(if thorough() { 2 } else { 1 }) {
        let ([less, fewer], left) = program(&folder, &format!("--method harfe --max-features 20 {budget}"));
        let kept = if budget.contains("flash") { less < flash } else { fewer < instructions };
        assert!(kept && (10..20).contains(&left), "{budget}: {less} bytes, {fewer} instructions, {left} features");
    }
    // A search keeps the budget, too.
    let ([flash, instructions], _) = program(&folder, "--flash 1100 --instructions 600 --effort 0.1");
    assert!(flash <= 1100 && instructions <= 600, "{flash} {instructions}");
    assert_eq!(flash, added(&model));
}

#[test]
fn what_cannot_be_compiled_is_said_before_the_search() {
    let folder = folder_with(&[]);
    json(&folder, "generate friedman1 --rows 200 -o data.csv");
    let (code, said) = failure(&folder, "fit data.csv --deploy rust");
    assert!(code == 2 && said.contains("--firmware") && said.contains("firmware-example is none"), "{said}");
    let in_software = format!("fit data.csv -o m.srfm --deploy rust --firmware {}", firmware().display());
    let (code, said) = failure(&folder, &format!("{in_software} --core cortex-m0 --number f32"));
    assert!(code == 2 && said.contains("--number int"), "{said}");
    // Without cargo.
    let arguments = in_software.split(' ');
    let output = srfm().args(arguments).current_dir(folder.path()).env("PATH", "").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("cargo") && said.contains("rustup.rs") && said.trim().lines().count() == 1, "{said}");
    let said: Result<Value, _> = serde_json::from_slice(&output.stdout);
    assert!(said.is_err() && output.status.code() == Some(1));
}
