//! Boards: their table, the folder of a fit for a board, and limits of time.

use srfm_testing::skip;
use srfm_trainer::cost::{Board, Core};
use srfm_trainer::emulate::require;

use super::{failure, folder_with, json, run, srfm, table};

#[test]
fn every_board_has_a_row() {
    let folder = folder_with(&[]);
    let rows = json(&folder, "boards")["boards"].as_array().unwrap().clone();
    assert_eq!(rows.len(), Board::all().count());
    let uno = rows.iter().find(|row| row["name"] == "uno").unwrap();
    assert_eq!((&uno["core"], &uno["clock"]), (&"atmega328p".into(), &16e6.into()));
    assert_eq!((&uno["flash_bytes"], &uno["budget_bytes"]), (&32_768.into(), &4096.into()));
    let text = String::from_utf8(run(&folder, "boards").stdout).unwrap();
    assert!(text.contains("Raspberry Pi Pico    pico         cortex-m0plus  125 MHz"), "{text}");
}

#[test]
fn a_fit_for_a_board_writes_a_folder() {
    let folder = folder_with(&[("t.csv", table(80).as_bytes())]);
    let fit = json(&folder, "fit t.csv --method harfe --max-features 6 --board uno -o sensor/");
    assert_eq!((&fit["program"]["deploy"], &fit["program"]["core"]), (&"c".into(), &"atmega328p".into()));
    let timing = &fit["timing"];
    let cycles = timing["cycles"].as_u64().unwrap();
    assert!((timing["microseconds"].as_f64().unwrap() - cycles as f64 / 16.0).abs() < 1e-9);
    for file in
        ["library.properties", "src/sensor.h", "examples/predict/predict.ino", "sensor.srfm", "sensor.srfm.json"]
    {
        assert!(folder.path().join("sensor").join(file).is_file(), "{file}");
    }
    let header = std::fs::read_to_string(folder.path().join("sensor/src/sensor.h")).unwrap();
    let words: Vec<&str> = header.split_whitespace().collect();
    let header = words.join(" ");
    assert!(header.contains("On Arduino Uno R3 at 16 MHz it takes at most"));
    assert!(header.contains("cycles on atmega328p") && !header.contains("on cortex-m4f"));
    // A second fit replaces the files, and the model of the folder is a model like others.
    json(&folder, "fit t.csv --method harfe --max-features 6 --board uno -o sensor/");
    assert_eq!(json(&folder, "inspect sensor/sensor.srfm")["number"], "int");
    // A file stays a file.
    json(&folder, "fit t.csv --method linear --board uno -o alone.srfm");
    assert!(folder.path().join("alone.srfm").is_file());
    // A folder of something else stays as it is.
    std::fs::create_dir(folder.path().join("other")).unwrap();
    assert!(failure(&folder, "fit t.csv --method linear --board uno -o other/").1.contains("exists already"));
}

#[test]
fn a_model_keeps_the_promise_on_its_board() {
    if let Err(missing) = require(&[Core::CortexM0, Core::Atmega328p]) {
        return skip(&missing.to_string());
    }
    let folder = folder_with(&[]);
    assert!(run(&folder, "generate pressure --rows 80 -o t.csv").status.success());
    // Readings that are no whole numbers have to be prepared in floating point.
    let counts = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
    let tenths = counts.lines().skip(1).map(|line| line.split_once(',').unwrap());
    let tenths: String = tenths.map(|(bridge, rest)| format!("{bridge}.1,{rest}\n")).collect();
    let head = counts.lines().next().unwrap();
    std::fs::write(folder.path().join("tenths.csv"), format!("{head}\n{tenths}")).unwrap();
    let gaps: String = counts
        .lines()
        .enumerate()
        .map(|(i, line)| {
            if i == 9 {
                line.split_once(',').map_or(String::new(), |(_, rest)| format!(",{rest}\n"))
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    std::fs::write(folder.path().join("gaps.csv"), gaps).unwrap();
    let lags = " --lag bridge_counts=0..2";
    let cases = [
        ("t", lags, "uno"),
        ("t", "", "uno"),
        ("t", lags, "pico"),
        ("t", "", "pico"),
        ("t", "", "nucleo-f411"),
        ("tenths", lags, "uno"),
        ("tenths", "", "uno"),
        ("tenths", lags, "pico"),
        ("tenths", "", "pico"),
        ("gaps", " --missing mean", "pico"),
    ];
    for (table, options, board) in cases {
        let fit = format!("fit {table}.csv --method rules --max-features 20 --board {board}{options} -o m.srfm");
        let fit = json(&folder, &fit);
        let device = json(&folder, &format!("device m.srfm {table}.csv --board {board}"));
        assert_eq!(device["bit_exact"], true, "{board}");
        // The first lags that the model uses may be later ones.
        let complete = device["rows"].as_u64().unwrap();
        assert!((78..=80).contains(&complete) && (complete == 80 || options == lags), "{board}");
        let promised = &fit["timing"];
        let most = promised["cycles"].as_u64().unwrap();
        let found = device["cycles"]["max"].as_u64().unwrap();
        assert!(found <= most && found * 2 > most, "{table} {options} {board}: {found} of {most}");
        let flash = device["flash_bytes"].as_u64().unwrap();
        // What a history and the preparation of readings take is an estimate.
        let room = if options.is_empty() && table != "tenths" { 1.0 } else { 1.05 };
        let most = room * promised["flash_bytes"].as_f64().unwrap();
        assert!(flash as f64 <= most, "{table} {options} {board}: {flash} of {promised}");
        // Floating point in software is most of the code. Means of counts are whole.
        assert_eq!(flash > 1500, table == "tenths", "{table} {options} {board}: {flash}");
        let clock = board.parse::<Board>().unwrap().clock();
        assert_eq!(device["cycles"]["microseconds"].as_f64().unwrap(), found as f64 / clock * 1e6);
    }
}

#[test]
fn a_limit_of_time_holds() {
    let folder = folder_with(&[("t.csv", table(200).as_bytes())]);
    let cycles = |latency: &str| {
        let fit = json(&folder, &format!("fit t.csv --method fourier --board pico --latency {latency}"));
        fit["timing"]["microseconds"].as_f64().unwrap()
    };
    // Two readings that have to be prepared take 13 µs.
    let [short, long] = [cycles("18us"), cycles("30us")];
    assert!(short <= 18.0 && long <= 30.0 && long > 18.0, "{short} {long}");
    for (options, said) in [
        ("--latency 100us", "--latency needs the clock of the core; set --board, or --clock such as 16M"),
        ("--latency 100us --clock 400M --core cortex-m7", "clock cycles of cortex-m7 are not published"),
        ("--latency 100us --board pico --deploy file", "clock cycles are known of generated C alone"),
        ("--latency 1ns --board pico", "no time for a prediction; give more"),
        ("--latency 100us --board esp32-c3", "clock cycles of riscv32imac are not published"),
        ("--latency 100us --board pico --instructions 500", "leave one of them out"),
        ("--latency 1us --board uno", "keeps the budget of 16 cycles on atmega328p"),
        ("--name probe", "--name is the name of C files; add --c FILE.h, or --board"),
        ("--board uno --deploy file", "atmega328p runs generated C alone"),
        ("--board uno --core cortex-m0", "cannot be used with"),
    ] {
        let words = format!("fit t.csv --method linear {options}");
        let output = srfm().args(words.split(' ')).current_dir(folder.path()).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(said), "{options}: {text}");
    }
}
