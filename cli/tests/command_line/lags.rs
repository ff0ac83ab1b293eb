//! Inputs that look back in time.

use std::fs;

use srfm_runtime::{Error, History};
use srfm_testing::{Rng, skip};
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::require;
use srfm_trainer::export::Blob;
use tempfile::TempDir;

use super::columns::{bytes, permuted, stderr, stdout};
use super::report::compiles;
use super::{failure, folder_with, json};

const LINEAR: &str = "--method linear --lambda 1e-9 --split forward";

/// Rows of `u`, `v` and a target of the `u` two rows before and the change of `v`. Returns the readings as well.
fn series(rows: usize) -> (String, Vec<[f32; 2]>) {
    let rng = &mut Rng::new(4);
    let readings: Vec<[f32; 2]> = (0..rows).map(|_| [rng.float(4.0), rng.float(2.0)]).collect();
    let target = |row: usize| match row {
        0 | 1 => 0.0,
        _ => 3.0 * readings[row - 2][0] - 0.5 * (readings[row][1] - readings[row - 1][1]) + 1.0,
    };
    let line = |row: usize| format!("{},{},{}\n", readings[row][0], readings[row][1], target(row));
    ("u,v,y\n".to_owned() + &(0..rows).map(line).collect::<String>(), readings)
}

/// Returns the predictions of a model that takes sample after sample; NaN while there are too few.
fn sample_by_sample(folder: &TempDir, samples: &[[f32; 2]]) -> Vec<f32> {
    let file = Blob::new(&bytes(folder, "m.srfm")).unwrap();
    let model = file.model();
    let mut history = History::<64, 64>::new();
    let mut predict = |sample: &[f32; 2]| -> Result<f32, Error> {
        let mut y = [f32::NAN];
        history.predict(&model, sample, &mut y).map(|_| y[0])
    };
    samples.iter().map(|sample| predict(sample).unwrap()).collect()
}

/// Returns the predictions of `srfm predict`.
fn predictions(folder: &TempDir, arguments: &str) -> Vec<f32> {
    stdout(folder, arguments).lines().skip(1).map(|line| line.parse().unwrap()).collect()
}

fn same_bits(a: &[f32], b: &[f32]) -> bool {
    let same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    a.len() == b.len() && a.iter().zip(b).all(same)
}

#[test]
fn the_lag_of_a_series_is_found() {
    let (text, readings) = series(200);
    let folder = folder_with(&[("t.csv", text.as_bytes())]);
    let fit = json(&folder, &format!("fit t.csv --lag u=0..4 --difference v {LINEAR} -o m.srfm"));
    assert_eq!((&fit["data"]["rows_without_history"], &fit["rows"]), (&4.into(), &196.into()));
    assert!(fit["training"]["rmse"].as_f64().unwrap() < 1e-4, "{fit}");
    let important: Vec<&str> = (0..2).map(|place| fit["importance"][place]["input"].as_str().unwrap()).collect();
    assert_eq!(important, ["u lag 2", "v change"]);
    // Without the lag, the target is noise.
    let without = json(&folder, &format!("fit t.csv --lag u=0,1 --difference v {LINEAR}"));
    assert!(without["training"]["r2"].as_f64().unwrap() < 0.2, "{without}");

    // One more row: the model predicts as the formula says.
    let at = |row: usize| 3.0 * readings[row - 2][0] - 0.5 * (readings[row][1] - readings[row - 1][1]) + 1.0;
    let predicted = predictions(&folder, "predict m.srfm t.csv");
    assert!(predicted[..4].iter().all(|y| y.is_nan()));
    assert!((4..200).all(|row| (predicted[row] - at(row)).abs() < 1e-3));
}

#[test]
fn a_history_on_the_board_predicts_the_bits_of_the_workstation() {
    let (text, mut readings) = series(120);
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("p.csv", permuted(&text, &[1, 2, 0]).as_bytes())]);
    for options in [
        "--lag u=0..4 --difference v",
        "--lag u=1,3 --lag v=2 --difference u=0,5",
        "--lag 1,2=0..2 --method harfe --max-features 12 --lambda 1e-3",
        "--lag u=0..9 --number int --method harfe --max-features 9 --lambda 1e-3",
        "--inputs v,u --difference v=0..1 --number int16",
    ] {
        let method = if options.contains("--method") { "--split forward" } else { LINEAR };
        json(&folder, &format!("fit t.csv {options} {method} -o m.srfm"));
        let expected = predictions(&folder, "predict m.srfm t.csv");
        let reversed = options.contains("v,u");
        readings.iter_mut().filter(|_| reversed).for_each(|reading| reading.reverse());
        let history = sample_by_sample(&folder, &readings);
        assert!(same_bits(&history, &expected) && expected[10..].iter().all(|y| y.is_finite()), "{options}");
        // Columns are found by their names; without the description they are those of the samples in their order.
        assert!(same_bits(&predictions(&folder, "predict m.srfm p.csv"), &expected), "{options}");
        if !reversed {
            fs::remove_file(folder.path().join("m.srfm.json")).unwrap();
            assert!(same_bits(&predictions(&folder, "predict m.srfm t.csv"), &expected), "{options}");
        }
    }
}

#[test]
fn lags_do_not_cross_groups() {
    let (text, _) = series(80);
    let rows: Vec<&str> = text.lines().skip(1).collect();
    // Two devices whose rows alternate, and the same one after the other.
    let header = "u,v,y,device\n";
    let alone = |device: usize| -> String { rows[40 * device..40 * (device + 1)].join("\n") + "\n" };
    let named = |row: &str, device: usize| format!("{row},{}\n", ["a", "b"][device]);
    let mixed: String = (0..80).map(|i| named(rows[40 * (i % 2) + i / 2], i % 2)).collect();
    let folder = folder_with(&[
        ("mixed.csv", format!("{header}{mixed}").as_bytes()),
        ("a.csv", format!("u,v,y\n{}", alone(0)).as_bytes()),
        ("b.csv", format!("u,v,y\n{}", alone(1)).as_bytes()),
    ]);
    let fit =
        json(&folder, "fit mixed.csv --target y --group device --lag u=0..3 --method linear --lambda 1 -o m.srfm");
    assert_eq!((&fit["data"]["rows_without_history"], &fit["rows"]), (&6.into(), &74.into()));
    let together = predictions(&folder, "predict m.srfm mixed.csv");
    let [a, b] = ["a.csv", "b.csv"].map(|file| predictions(&folder, &format!("predict m.srfm {file}")));
    let expected: Vec<f32> = (0..80).map(|i| if i % 2 == 0 { a[i / 2] } else { b[i / 2] }).collect();
    assert!(same_bits(&together, &expected) && a.iter().filter(|y| y.is_nan()).count() == 3);
    // The rows of the groups cannot tell the lag of a device if they are one series.
    let crossed = json(&folder, "fit mixed.csv --target y --ignore device --lag u=0..3 --method linear --lambda 1");
    assert_eq!(crossed["rows"], 77);
}

#[test]
fn lags_begin_anew_after_a_gap_of_time() {
    // A row a minute; half an hour is missing after row 79. The target is the sum of three rows of `u`, which is wrong
    // across the gap.
    let rng = &mut Rng::new(5);
    let minutes: Vec<usize> = (0..80).chain(110..200).collect();
    let readings: Vec<f32> = minutes.iter().map(|_| rng.float(3.0)).collect();
    let before =
        |row: usize, lag: usize| match row.checked_sub(lag).filter(|&first| minutes[row] - minutes[first] == lag) {
            Some(first) => readings[first],
            None => 50.0,
        };
    let line = |row: usize| {
        let time = format!("2026-11-29 {:02}:{:02}:00", 8 + minutes[row] / 60, minutes[row] % 60);
        format!("{time},{},{}\n", readings[row], readings[row] + before(row, 1) + before(row, 2))
    };
    let head = "time,u,y\n".to_owned();
    let sorted = head.clone() + &(0..170).map(line).collect::<String>();
    let shuffled = head + &(0..170).map(|place| line(place * 73 % 170)).collect::<String>();
    let wrong = sorted.replacen("2026-11-29 08:16:00", "8:16", 1);
    let folder = folder_with(&[
        ("log.csv", sorted.as_bytes()),
        ("shuffled.csv", shuffled.as_bytes()),
        ("wrong.csv", wrong.as_bytes()),
    ]);
    let options = format!("--lag u=0..2 --time-column time {LINEAR}");
    let fit = json(&folder, &format!("fit log.csv {options} -o m.srfm"));
    // Two rows at the start, and two after the gap.
    assert_eq!((&fit["data"]["rows_without_history"], &fit["data"]["gaps"]), (&4.into(), &1.into()));
    assert!(fit["training"]["rmse"].as_f64().unwrap() < 1e-3, "{}", fit["training"]);
    json(&folder, &format!("fit shuffled.csv {options} -o s.srfm"));
    assert!(bytes(&folder, "s.srfm") == bytes(&folder, "m.srfm"), "rows are in the order of time");
    let predicted = predictions(&folder, "predict m.srfm log.csv");
    let waiting: Vec<usize> = (0..170).filter(|&row| predicted[row].is_nan()).collect();
    assert_eq!(waiting, [0, 1, 80, 81]);
    let evaluated = json(&folder, "evaluate m.srfm shuffled.csv");
    assert!(evaluated["rows"] == 166 && evaluated["rmse"].as_f64().unwrap() < 1e-3, "{evaluated}");
    let said = stderr(&folder, "evaluate m.srfm log.csv");
    assert!(
        said.contains("4 of 170 rows left out, since too few rows lie before them, or between them and a gap of time"),
        "{said}"
    );
    if require(&[Core::CortexM4f]).is_err() {
        return skip("the emulator is missing");
    }
    let device = json(&folder, "device m.srfm log.csv --core cortex-m4f");
    assert!(device["bit_exact"] == true && device["rows"] == 166, "{device}");

    // Without lags, the time stamps only order the rows, and predictions do without them.
    json(&folder, &format!("fit log.csv --time-column time {LINEAR} -o plain.srfm"));
    let plain = json(&folder, "evaluate plain.srfm shuffled.csv");
    assert!(plain["rows"] == 170 && plain["data"]["gaps"].is_null(), "{plain}");
    assert_eq!(predictions(&folder, "predict plain.srfm shuffled.csv").len(), 170);

    let (code, error) = failure(&folder, &format!("fit wrong.csv {options}"));
    assert!(code == 1 && error.contains("line 18, column \"time\": \"8:16\" is no time stamp"), "{error}");
    let (code, error) = failure(&folder, "predict m.srfm shuffled.csv");
    assert!(code == 1 && error.contains("not in the order of the time stamps in \"time\"; sort them"), "{error}");
    let (code, error) = failure(&folder, "fit log.csv --time-column u --lag u=1 --target y");
    assert!(code == 2 && error.contains("is named by --time-column and by --lag"), "{error}");
}

#[test]
fn a_missing_reading_counts_as_long_as_it_is_in_the_window() {
    let (text, mut readings) = series(60);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[31] = format!("NA,{}", lines[31].split_once(',').unwrap().1);
    readings[30][0] = f32::NAN;
    let folder = folder_with(&[("t.csv", (lines.join("\n") + "\n").as_bytes())]);
    let options = format!("--lag u=0..2 --lag v=0..2 --missing drop {LINEAR}");
    let fit = json(&folder, &format!("fit t.csv {options} -o m.srfm"));
    let data = serde_json::json!({ "rows": 60, "rows_without_history": 2, "dropped_rows": 3, "replaced_values": 0 });
    assert_eq!((&fit["data"], &fit["rows"]), (&data, &55.into()));
    let predicted = predictions(&folder, "predict m.srfm t.csv");
    let gaps: Vec<usize> = (0..60).filter(|&row| predicted[row].is_nan()).collect();
    assert_eq!(gaps, [0, 1, 30, 31, 32]);
    assert!(same_bits(&sample_by_sample(&folder, &readings), &predicted));

    // The mean of each input replaces it, on the board as well.
    let mean = options.replace("drop", "mean");
    let fit = json(&folder, &format!("fit t.csv {mean} -o m.srfm"));
    assert_eq!((&fit["data"]["replaced_values"], &fit["rows"]), (&3.into(), &58.into()));
    let predicted = predictions(&folder, "predict m.srfm t.csv");
    assert!(predicted[..2].iter().all(|y| y.is_nan()) && predicted[2..].iter().all(|y| y.is_finite()));
    assert!(same_bits(&sample_by_sample(&folder, &readings), &predicted));
}

#[test]
fn a_missing_reading_of_an_unused_sample_does_not_matter() {
    let (text, mut readings) = series(60);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[31] = ",,".to_owned() + lines[31].rsplit(',').next().unwrap();
    readings[30] = [f32::NAN; 2];
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("gap.csv", (lines.join("\n") + "\n").as_bytes())]);
    let one = "--method auto --max-inputs 1 --effort 1 --flash 300 --split forward";
    let fit = json(&folder, &format!("fit t.csv --lag u=0..2 --lag v=0..2 --missing drop {one} -o m.srfm"));
    assert_eq!((&fit["model"]["active_inputs"], &fit["importance"][0]["input"]), (&1.into(), &"u lag 2".into()));
    let predicted = predictions(&folder, "predict m.srfm gap.csv");
    let gaps: Vec<usize> = (0..60).filter(|&row| predicted[row].is_nan()).collect();
    assert_eq!(gaps, [0, 1, 32]);
    assert!(same_bits(&sample_by_sample(&folder, &readings), &predicted));
    assert_eq!(json(&folder, "evaluate m.srfm gap.csv")["rows"], 57);
    // The column of `v` is not needed, nor the description for missing readings.
    fs::write(folder.path().join("p.csv"), permuted(&text, &[2, 0])).unwrap();
    assert_eq!(stdout(&folder, "predict m.srfm p.csv"), stdout(&folder, "predict m.srfm t.csv"));
    fs::remove_file(folder.path().join("m.srfm.json")).unwrap();
    assert!(same_bits(&predictions(&folder, "predict m.srfm gap.csv --missing drop"), &predicted));
}

#[test]
fn a_missing_reading_of_any_lagged_column_is_replaced() {
    let (text, mut readings) = series(60);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines[31] = lines[31].replacen(&format!(",{},", readings[30][1]), ",NA,", 1);
    readings[30][1] = f32::NAN;
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("gap.csv", (lines.join("\n") + "\n").as_bytes())]);
    json(&folder, &format!("fit t.csv --lag u=0..2 --lag v=0..2 --missing mean {LINEAR} -o m.srfm"));
    let predicted = predictions(&folder, "predict m.srfm gap.csv");
    assert!(predicted[2..].iter().all(|y| y.is_finite()), "{predicted:?}");
    assert!(same_bits(&sample_by_sample(&folder, &readings), &predicted));
}

#[test]
fn the_board_keeps_only_the_samples_that_the_model_uses() {
    let (text, _) = series(200);
    let folder = folder_with(&[("t.csv", text.as_bytes())]);
    let search = "--method auto --time 10s --max-inputs 2 --split forward --flash 300";
    json(&folder, &format!("fit t.csv --lag u=0..6 --difference v {search} -o m.srfm"));
    let inspected = json(&folder, "inspect m.srfm");
    let history = &inspected["history"];
    // Three slots of u and two of v; nine inputs.
    let keys = ["channels", "samples", "slots", "ram_bytes"].map(|key| history[key].as_u64().unwrap());
    assert_eq!(keys, [2, 3, 5, 4 * (5 + 9) + 12], "{inspected}");
    // Two lengths and the number of samples take a word each, of four bytes on the board.
    assert_eq!(size_of::<History<4, 6>>(), 4 * (4 + 6) + 3 * size_of::<usize>());
    assert_eq!(inspected["active_inputs"], 2);
    assert_eq!(predictions(&folder, "predict m.srfm t.csv").iter().filter(|y| y.is_nan()).count(), 2);
    let text = stdout(&folder, "inspect m.srfm");
    assert!(text.contains("history       3 samples of 2 readings in 5 slots"), "{text}");
    assert!(text.contains("RAM           68 bytes (the history; the parameters stay in flash)"), "{text}");
    assert_eq!(inspected["ram_bytes"], 68);
    assert!(text.contains("readings      1 u, 2 v\n") && text.contains("3 u lag 2,"), "{text}");
    let bounds = history["instructions"].as_array().unwrap();
    let bound_on = |core: &str| bounds.iter().find(|bound| bound["core"] == core).unwrap()["at_most"].as_u64().unwrap();
    let of_m4f = format!("at most {} on cortex-m4f, cortex-m7\n", bound_on("cortex-m4f"));
    assert!(text.contains("\nof history    at most ") && text.contains(&of_m4f), "{text}");

    if let Err(missing) = require(&[Core::CortexM0]) {
        return skip(&missing.to_string());
    }
    for core in Core::of_runtime() {
        let device = json(&folder, &format!("device m.srfm t.csv --rows 50 --core {core}"));
        assert_eq!((&device["bit_exact"], &device["rows"]), (&true.into(), &48.into()), "{core}");
        let most = device["history_instructions_max"].as_u64().unwrap();
        let bound = bound_on(core.name());
        assert!((1..=bound).contains(&most), "{core}: {device} {bound}");
    }
}

#[test]
fn random_folds_of_lags_get_a_remark() {
    let (text, _) = series(60);
    let folder = folder_with(&[("t.csv", text.as_bytes())]);
    let said = |split: &str| stderr(&folder, &format!("fit t.csv --lag u=0..2 --method linear{split}"));
    assert!(said("").contains("take --split forward"), "{}", said(""));
    assert!(!said(" --split blocked").contains("--split forward"));
    assert!(said("").contains("2 of 60 rows left out, since too few rows lie before them"));
}

#[test]
fn bad_lags_are_answered_with_one_sentence() {
    let (text, _) = series(40);
    let named = text.replace('\n', ",eco\n").replacen(",eco", ",mode", 1);
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("m.csv", named.as_bytes())]);
    for (arguments, expected) in [
        ("t.csv --lag w=0..2", &["no column is called \"w\"", "u, v, y"][..]),
        ("t.csv --lag y=1", &["\"y\" is named by --target and by --lag"]),
        ("t.csv --difference y", &["\"y\" is named by --target and by --difference"]),
        ("t.csv --ignore u --lag u=1", &["\"u\" is named by --ignore and by --lag"]),
        ("t.csv --inputs v --lag u=1", &["\"u\" is named by --lag, but is no input", "--inputs"]),
        ("m.csv --target y --categorical mode --lag mode=1", &["\"mode\" is named by --categorical and by --lag"]),
        ("t.csv --lag u=0..2 --lag u=4", &["\"u\" is named by --lag twice", "one list"]),
        ("t.csv --difference u=254", &["\"u\" looks back at more than 255 samples in --difference"]),
    ] {
        let (code, said) = failure(&folder, &format!("fit {arguments}"));
        assert_eq!((code, said.lines().count()), (2, 1), "{arguments}: {said}");
        for part in expected {
            assert!(said.contains(part), "{arguments}: {said:?} should name {part:?}");
        }
    }
    let short = "t.csv: the inputs look back at 41 samples, but the data do not have 41 rows; name smaller lags";
    for (arguments, expected) in [
        ("t.csv --lag u=0..40", short),
        ("m.csv --target v --group mode --inputs u --lag u=1..99", "no group has 100 rows"),
    ] {
        let (code, said) = failure(&folder, &format!("fit {arguments}"));
        assert_eq!((code, said.lines().count()), (1, 1), "{arguments}: {said}");
        assert!(said.contains(expected), "{arguments}: {said}");
    }
    for (arguments, expected) in [
        ("--lag u", "u=0..4"),
        ("--lag u=", "whole numbers from 0 to 254"),
        ("--lag u=-1", "whole numbers from 0 to 254"),
        ("--lag u=1.5", "whole numbers from 0 to 254"),
        ("--lag u=0..255", "whole numbers from 0 to 254"),
        ("--lag u=4..0", "write 0..4"),
        ("--difference u=x", "whole numbers from 0 to 254"),
    ] {
        let (code, said) = failure(&folder, &format!("fit t.csv {arguments}"));
        assert!(code == 2 && said.contains(expected), "{arguments}: {said}");
    }
}

#[test]
fn generated_code_names_the_readings_of_a_sample() {
    let (text, _) = series(60);
    let folder = folder_with(&[("t.csv", text.as_bytes())]);
    json(&folder, &format!("fit t.csv --lag u=0..2 {LINEAR} -o m.srfm --report m.html"));
    stdout(&folder, "export m.srfm --c m.h");
    let c = String::from_utf8(bytes(&folder, "m.h")).unwrap();
    assert!(c.contains("M_CHANNEL_U = 0,") && c.contains("M_CHANNEL_V = 1 ") && !c.contains("LAG"), "{c}");
    let page = String::from_utf8(bytes(&folder, "m.html")).unwrap();
    for line in [
        "pub type Samples = History&lt;4, 4&gt;;",
        "Readings of a sample: u, v.",
        "m_predict_sample(&amp;history, readings, output);",
    ] {
        assert!(page.contains(line), "{line}");
    }
    compiles(&folder, &page);
}
