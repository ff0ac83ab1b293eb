//! Inputs that are statistics of windows.

use std::fs;

use srfm_runtime::{History, Model};
use srfm_testing::{Rng, skip};
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::require;
use srfm_trainer::export::Blob;
use tempfile::TempDir;

use super::columns::{bytes, permuted, stderr, stdout};
use super::report::compiles;
use super::{failure, folder_with, json};

/// The options of a quick fit of classes by all statistics.
const LINEAR: &str = "--target state --task classification --method linear --lambda 1e-3";

/// The rows of a recording.
const ROWS: usize = 50;

/// Recordings `r` of two channels `u` and `v`. The state is `fast` where `v` is a fast sine, otherwise `slow`; `u` is
/// noise. Every recording has one state.
fn recordings(count: usize) -> (String, Vec<Vec<[f32; 2]>>) {
    let rng = &mut Rng::new(5);
    let mut text = "r,u,v,state\n".to_owned();
    let mut samples = Vec::new();
    for recording in 0..count {
        let fast = recording % 2 == 0;
        let step = if fast { 1.5 } else { 0.4 } + rng.float(0.1);
        let sample = |row: usize, rng: &mut Rng| [rng.float(1.0), (step * row as f32).sin() + rng.float(0.3)];
        let of_recording: Vec<[f32; 2]> = (0..ROWS).map(|row| sample(row, rng)).collect();
        for [u, v] in &of_recording {
            text += &format!("{recording},{u},{v},{}\n", if fast { "fast" } else { "slow" });
        }
        samples.push(of_recording);
    }
    (text, samples)
}

/// Returns the answers of a model that takes sample after sample; empty where no window is complete.
fn on_the_board(model: &Model<'_>, samples: &[[f32; 2]]) -> Vec<String> {
    let mut history = History::<64, 64>::new();
    let mut scores = vec![0.0; model.outputs()];
    let answer = |sample: &[f32; 2]| {
        let Some(x) = history.push(model, sample).unwrap() else { return String::new() };
        let class = model.classify(x, &mut scores).unwrap();
        class.and_then(|class| model.classes().nth(class)).unwrap_or_default().to_owned()
    };
    samples.iter().map(answer).collect()
}

/// Returns the classes that `srfm predict` writes.
fn predictions(folder: &TempDir, arguments: &str) -> Vec<String> {
    let text = stdout(folder, arguments);
    text.lines().skip(1).map(|line| line.trim_matches('"').to_owned()).collect()
}

#[test]
fn windows_of_the_board_are_those_of_the_workstation() {
    let (text, samples) = recordings(20);
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("p.csv", permuted(&text, &[2, 3, 0, 1]).as_bytes())]);
    for options in ["--window 16", "--window 16 --step 16", "--window 9 --step 1", "--window 16 --number int16"] {
        let fit = json(&folder, &format!("fit t.csv {options} --group r {LINEAR} -o m.srfm"));
        let file = Blob::new(&bytes(&folder, "m.srfm")).unwrap();
        let model = file.model();
        let of_recording = model.samples().predictions(ROWS);
        assert_eq!((&fit["rows"], &fit["data"]["windows"]), (&(20 * of_recording).into(), &(20 * of_recording).into()));
        assert!(fit["training"]["accuracy"].as_f64().unwrap() > 0.9, "{options}: {}", fit["training"]);
        let expected: Vec<String> = samples.iter().flat_map(|samples| on_the_board(&model, samples)).collect();
        assert_eq!(expected.iter().filter(|class| !class.is_empty()).count(), 20 * of_recording);
        assert_eq!(predictions(&folder, "predict m.srfm t.csv"), expected, "{options}");
        assert_eq!(predictions(&folder, "predict m.srfm p.csv"), expected, "{options}: columns in another order");
        let evaluated = json(&folder, "evaluate m.srfm t.csv");
        assert_eq!(evaluated["accuracy"], fit["training"]["accuracy"], "{options}");
    }
    // Half a window is the step that is left out.
    let inspected = json(&folder, "inspect m.srfm");
    let keys = ["channels", "samples", "step", "slots"].map(|key| inspected["history"][key].as_u64().unwrap());
    assert_eq!(keys, [2, 16, 8, 32]);
    let said = stderr(&folder, "predict m.srfm t.csv");
    assert!(said.contains("1000 rows make 100 windows; each has a prediction in its last row"), "{said}");
    let file = bytes(&folder, "m.srfm");
    assert!(Blob::new(&file).unwrap().model().samples().windows().is_some());
}

#[test]
fn windows_keep_only_what_the_model_uses() {
    let (text, _) = recordings(30);
    let folder = folder_with(&[("t.csv", text.as_bytes())]);
    let one = "--group r --max-inputs 1 --effort 0.3 --flash 400 --target state --task classification";
    json(&folder, &format!("fit t.csv --window 16 {one} -o m.srfm --c m.h --report m.html"));
    let inspected = json(&folder, "inspect m.srfm");
    assert_eq!((&inspected["active_inputs"], &inspected["history"]["slots"]), (&1.into(), &16.into()), "{inspected}");
    let text = stdout(&folder, "inspect m.srfm");
    assert!(text.contains("windows       16 samples of 2 readings every 8 in 16 slots"), "{text}");
    assert!(text.contains("readings      1 u, 2 v\n") && text.contains("1 u mean, 2 u deviation"), "{text}");
    let c = String::from_utf8(bytes(&folder, "m.h")).unwrap();
    assert!(c.contains("slots[place] = sample[1];") && !c.contains("sample[0];"), "{c}");
    assert_eq!(
        c.lines().filter(|line| line.starts_with("    x[")).count(),
        3,
        "one statistic, and lines of eight zeros: {c}"
    );
    compiles(&folder, &String::from_utf8(bytes(&folder, "m.html")).unwrap());

    if let Err(missing) = require(&[Core::CortexM0]) {
        return skip(&missing.to_string());
    }
    let bounds = inspected["history"]["instructions"].as_array().unwrap();
    for core in Core::of_runtime() {
        let device = json(&folder, &format!("device m.srfm t.csv --rows 200 --core {core}"));
        assert_eq!((&device["bit_exact"], &device["rows"]), (&true.into(), &20.into()), "{core}");
        let bound = bounds.iter().find(|bound| bound["core"] == core.name()).unwrap()["at_most"].as_u64().unwrap();
        let most = device["history_instructions_max"].as_u64().unwrap();
        assert!((1..=bound).contains(&most), "{core}: {most}, bound {bound}");
    }
    let verified = stdout(&folder, "inspect m.srfm --verify t.csv");
    assert!(!verified.contains("differs"), "{verified}");
}

#[test]
fn windows_of_two_states_are_left_out() {
    // One recording of 40 rows, whose state changes at row 18: of the windows of 8 rows that end at the rows 7, 11, …,
    // 39, those of the rows 19 and 23 have both states.
    let rng = &mut Rng::new(6);
    let line = |row: usize, rng: &mut Rng| format!("{},{}\n", rng.float(1.0), ["a", "b"][usize::from(row >= 18)]);
    let text = "u,state\n".to_owned() + &(0..40).map(|row| line(row, rng)).collect::<String>();
    let folder = folder_with(&[("t.csv", text.as_bytes())]);
    let fit = json(&folder, &format!("fit t.csv --window 8 {LINEAR} -o m.srfm"));
    assert_eq!(
        (&fit["data"]["windows"], &fit["data"]["mixed_windows"], &fit["rows"]),
        (&9.into(), &2.into(), &7.into())
    );
    let said = stderr(&folder, "evaluate m.srfm t.csv");
    let expected = "40 rows make 9 windows; 2 windows left out, since their rows have different classes";
    assert!(said.contains(expected), "{said}");
    // Without the labels, every window has a prediction.
    assert_eq!(predictions(&folder, "predict m.srfm t.csv").iter().filter(|class| !class.is_empty()).count(), 9);
}

#[test]
fn windows_begin_anew_after_a_gap() {
    let rng = &mut Rng::new(7);
    let seconds: Vec<usize> = (0..30).chain(60..90).collect();
    let line = |second: &usize, rng: &mut Rng| {
        let u = rng.float(1.0);
        format!("{second},{u},{}\n", 2.0 * u)
    };
    let text = "time,u,y\n".to_owned() + &seconds.iter().map(|second| line(second, rng)).collect::<String>();
    let folder = folder_with(&[("t.csv", text.as_bytes())]);
    let options = "--window 10 --step 10 --time-column time --method linear --lambda 1e-3 --split forward";
    let fit = json(&folder, &format!("fit t.csv {options} -o m.srfm"));
    assert_eq!((&fit["data"]["windows"], &fit["data"]["gaps"], &fit["rows"]), (&6.into(), &1.into(), &6.into()));
    let predicted = stdout(&folder, "predict m.srfm t.csv");
    let complete: Vec<usize> =
        predicted.lines().skip(1).enumerate().filter(|(_, line)| *line != "NaN").map(|(row, _)| row).collect();
    assert_eq!(complete, [9, 19, 29, 39, 49, 59]);
    let said = stderr(&folder, "predict m.srfm t.csv");
    assert!(said.contains("60 rows make 6 windows, which begin anew after a gap of time"), "{said}");
}

#[test]
fn windows_beyond_the_ram_of_a_board_are_refused() {
    let folder = folder_with(&[]);
    json(&folder, "generate pressure --rows 6000 -o p.csv");
    let fit = "fit p.csv --window 600 --step 100 --method linear --terms ridge --flash 20k --board uno -o sensor/";
    let (code, said) = failure(&folder, fit);
    assert!(code == 1 && said.contains("of the 2048 bytes of RAM of uno; set a smaller --window"), "{said}");
    assert!(!folder.path().join("sensor").exists());
}

#[test]
fn bad_windows_are_answered_with_one_sentence() {
    let (text, _) = recordings(4);
    let words = text.replace("\n0,", "\nzero,");
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("w.csv", words.as_bytes())]);
    for (arguments, expected) in [
        ("--window 1", "--window must be between 2 and 1024 samples, not 1"),
        ("--window 2000", "--window must be between 2 and 1024 samples, not 2000"),
        ("--window 16 --step 17", "--step must be between 1 and the 16 samples of a window, not 17"),
        ("--window 16 --step 0", "--step must be between 1 and the 16 samples of a window, not 0"),
        ("--step 4", "--step is the step of windows; set --window, too"),
        ("--window 16 --lag u=1", "--window and --lag do not go together"),
        ("--window 16 --difference u", "--window and --difference do not go"),
        ("--window 16 --categorical r", "--window and --categorical do not go"),
    ] {
        let (code, said) = failure(&folder, &format!("fit t.csv {arguments} --target state --task classification"));
        assert_eq!((code, said.lines().count()), (2, 1), "{arguments}: {said}");
        assert!(said.contains(expected), "{arguments}: {said:?} should name {expected:?}");
    }
    let classes = "--target state --task classification";
    for (arguments, expected) in [
        ("t.csv --window 64 --group r", "a window takes 64 samples, but no group has 64 rows; set a smaller --window"),
        ("t.csv --window 201", "a window takes 201 samples, but the data do not have 201 rows"),
        ("t.csv --window 60 --step 60", "all 3 windows have rows of different classes"),
        ("w.csv --window 16 --inputs r", "\"zero\" is not a number"),
    ] {
        let (code, said) = failure(&folder, &format!("fit {arguments} {classes}"));
        assert!(code > 0 && said.lines().count() == 1, "{arguments}: {said}");
        assert!(said.contains(expected), "{arguments}: {said}");
    }
    json(&folder, &format!("fit t.csv --window 16 --group r --number int {LINEAR} -o m.srfm"));
    for (arguments, expected) in [
        ("export m.srfm --micropython m.py", "statistics of windows are in floating point"),
        ("export m.srfm --c-reader m.h", "windows"),
        ("evaluate m.srfm t.csv --memory 1M", "windows needs all rows in memory"),
    ] {
        let (code, said) = failure(&folder, arguments);
        assert!(code > 0 && said.lines().count() == 1 && said.contains(expected), "{arguments}: {said}");
    }
    // Without its description, the model does not know the groups: windows with rows of two of them are left out.
    fs::remove_file(folder.path().join("m.srfm.json")).unwrap();
    assert_eq!(json(&folder, "evaluate m.srfm t.csv --inputs u,v --target state")["rows"], 18);
}
