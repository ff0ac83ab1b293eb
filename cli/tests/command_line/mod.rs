//! The command as scripts and people meet it: keys, exit codes, and what it says to bad input.

mod adapt;
mod auto;
mod bad_columns;
mod boards;
mod c_adaptation;
mod c_source;
#[cfg(unix)]
mod checkpoint;
mod classes;
mod columns;
mod data;
#[cfg(unix)]
mod device;
#[cfg(unix)]
mod faults;
mod files;
mod fit;
mod hints;
#[cfg(unix)]
mod inspected;
mod interruption;
mod intervals;
mod lags;
mod large_tables;
mod layouts;
mod messages;
mod micropython;
mod novelty;
mod numbers;
mod outputs;
mod parquet;
#[cfg(target_arch = "x86_64")]
mod processors;
mod programs;
mod report;
mod requests;
mod send;
mod settings;
mod splits;
mod tables;
mod targets;
mod unused;
mod usage;
mod verify;
mod warps;
mod weights;
mod windows;

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// The command.
fn srfm() -> Command {
    Command::new(env!("CARGO_BIN_EXE_srfm"))
}

fn run(folder: &TempDir, arguments: &str) -> Output {
    srfm().args(arguments.split(' ')).current_dir(folder.path()).output().unwrap()
}

fn json(folder: &TempDir, arguments: &str) -> Value {
    let output = run(folder, &format!("{arguments} --json"));
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Runs a command that must fail: exit code and what it said, one sentence on one line.
fn failure(folder: &TempDir, arguments: &str) -> (i32, String) {
    let output = run(folder, arguments);
    // On a loaded machine a fit may print lines of progress before it fails, and a fit without a file says so first.
    let said = String::from_utf8(output.stderr).unwrap();
    let before = |line: &&str| line.contains(" % after ") || line.contains("the model will not be kept");
    let said: String = said.split_inclusive('\n').filter(|line| !before(line)).collect();
    assert!(!said.contains("panicked"), "{said}");
    assert!(output.stdout.is_empty());
    (output.status.code().unwrap(), said)
}

fn folder_with(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// `rows` rows of y = sin a + b, three columns.
fn table(rows: usize) -> String {
    let row = |i: usize| {
        let (a, b) = (i as f64 * 0.37 % 3.0, i as f64 * 0.91 % 2.0);
        format!("{a},{b},{}\n", a.sin() + b)
    };
    "a,b,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn the_whole_path_and_its_keys() {
    let folder = folder_with(&[]);
    assert!(run(&folder, "generate friedman1 --rows 400 --noise 0.5 --seed 3 -o data.csv").status.success());
    let fit =
        json(&folder, "fit data.csv --method harfe --max-features 40 --seed 2 --holdout 0.25 -o m.srfm --order 1,2");
    assert_eq!(fit["format"], 1);
    assert_eq!(fit["seed"], 2);
    assert_eq!(fit["holdout"]["rows"], 100);
    assert!(fit["holdout"]["r2"].as_f64().unwrap() > 0.9);
    assert!(fit["seconds"].is_number());
    // Five inputs of Friedman's function matter, and they come first.
    let important: Vec<&str> = (0..5).map(|i| fit["importance"][i]["input"].as_str().unwrap()).collect();
    assert!(["x1", "x2", "x3", "x4", "x5"].iter().all(|input| important.contains(input)), "{important:?}");
    let shares: f64 = fit["importance"].as_array().unwrap().iter().map(|i| i["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-12);

    let inspect = json(&folder, "inspect m.srfm");
    for key in ["method", "number", "inputs", "active_inputs", "outputs", "features", "flash_bytes"] {
        assert_eq!(inspect[key], fit["model"][key], "{key}");
        assert!(!inspect[key].is_null(), "{key}");
    }
    // The file has numbers in place of names, and shares to the nearest 255th.
    assert_eq!(inspect["importance"], fit["model"]["importance"]);
    assert_eq!(inspect["importance"].as_array().unwrap().len(), 10);
    for rounded in inspect["importance"].as_array().unwrap() {
        let name = format!("x{}", rounded["input"]);
        let exact = fit["importance"].as_array().unwrap().iter().find(|i| i["input"] == *name).unwrap();
        assert!((rounded["share"].as_f64().unwrap() - exact["share"].as_f64().unwrap()).abs() < 0.5001 / 255.0);
        assert_eq!(rounded["occurrences"], exact["occurrences"], "{name}");
    }
    let occurrences = |i: &Value| i["occurrences"].as_u64().unwrap();
    let looks: u64 = inspect["importance"].as_array().unwrap().iter().map(occurrences).sum();
    let orders = inspect["orders"].as_array().unwrap().iter();
    assert_eq!(looks, orders.map(|o| o[0].as_u64().unwrap() * o[1].as_u64().unwrap()).sum::<u64>());
    let text = String::from_utf8(run(&folder, "inspect m.srfm").stdout).unwrap();
    assert!(text.contains(&format!("importance    x{} ", inspect["importance"][0]["input"])), "{text}");
    assert_eq!(inspect["flash_bytes"], fs::metadata(folder.path().join("m.srfm")).unwrap().len());

    let evaluate = json(&folder, "evaluate m.srfm data.csv");
    let (rmse, mse) = (evaluate["rmse"].as_f64().unwrap(), evaluate["mse"].as_f64().unwrap());
    assert_eq!(evaluate["rows"], 400);
    assert!((rmse * rmse - mse).abs() < 1e-12 && evaluate["r2"].as_f64().unwrap() > 0.9);

    // The text and the JSON of `predict` are the same numbers, and give the error of `evaluate`.
    let predict = json(&folder, "predict m.srfm data.csv");
    let text = String::from_utf8(run(&folder, "predict m.srfm data.csv").stdout).unwrap();
    let data = fs::read_to_string(folder.path().join("data.csv")).unwrap();
    let mut sum = 0.0;
    for (row, (line, target)) in text.lines().zip(data.lines()).skip(1).enumerate() {
        let value: f64 = line.parse().unwrap();
        assert_eq!(predict["predictions"][row][0].as_f64().unwrap() as f32, value as f32);
        let target: f64 = target.rsplit(',').next().unwrap().parse().unwrap();
        sum += (value - target).powi(2);
    }
    assert!((sum / 400.0 - mse).abs() < 1e-5 * mse);
}

#[test]
fn help_names_every_subcommand() {
    let folder = folder_with(&[]);
    let output = run(&folder, "--help");
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("1    cannot: a file") && help.contains("2    wrong usage: an option"), "{help}");
    let commands = "demo fit compare predict evaluate adapt report gram merge inspect device export send generate";
    for command in commands.split(' ') {
        assert!(help.contains(command), "{command}");
        let output = run(&folder, &format!("{command} --help"));
        let text = String::from_utf8(output.stdout).unwrap();
        let example = text.find("Example").unwrap_or_else(|| panic!("{command} has no example"));
        assert!(output.status.success() && text[example..].contains(&format!("\n  srfm {command} ")), "{text}");
    }
}

#[test]
fn an_emulator_that_is_missing_is_named_with_its_package() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm").status.success());
    let mut device = srfm();
    device.args(["device", "m.srfm", "t.csv"]).current_dir(folder.path()).env("PATH", folder.path());
    let said = String::from_utf8(device.output().unwrap().stderr).unwrap();
    assert!(
        said.contains("apt-get install --no-install-recommends qemu-system-arm") && said.lines().count() == 1,
        "{said}"
    );
}
