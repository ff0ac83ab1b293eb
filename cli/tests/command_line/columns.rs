//! Columns by name, missing values, categories, decimal commas, and the description beside a model.

use std::fs;

use tempfile::TempDir;

use super::{failure, folder_with, json, run};

pub const FIT: &str = "--method harfe --max-features 5 --lambda 1e-3";

/// Rows of a log: a time stamp, two readings, a mode of three and a target.
pub fn log(rows: usize) -> String {
    let row = |i: usize| {
        let (a, b) = (i as f64 * 0.37 % 3.0, i as f64 * 0.91 % 2.0);
        let mode = ["eco", "boost", "off"][i * 7 % 3];
        format!("2024-01-{:02} {}:00,{a},{b},{mode},{}\n", i / 24 + 1, i % 24, a.sin() + b * (i * 7 % 3) as f64)
    };
    "time,a,b,mode,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// Returns a CSV file with its columns in another order.
pub fn permuted(text: &str, order: &[usize]) -> String {
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        order.iter().map(|&column| fields[column]).collect::<Vec<_>>().join(",") + "\n"
    };
    text.lines().map(line).collect()
}

pub fn stdout(folder: &TempDir, arguments: &str) -> String {
    let output = run(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

pub fn stderr(folder: &TempDir, arguments: &str) -> String {
    String::from_utf8(run(folder, arguments).stderr).unwrap()
}

pub fn bytes(folder: &TempDir, name: &str) -> Vec<u8> {
    fs::read(folder.path().join(name)).unwrap()
}

#[test]
fn columns_in_any_order_give_the_same_predictions() {
    let text = log(60);
    let folder = folder_with(&[("t.csv", text.as_bytes())]);
    json(&folder, &format!("fit t.csv --ignore time --categorical mode {FIT} -o m.srfm"));
    let expected = stdout(&folder, "predict m.srfm t.csv");
    let evaluated = json(&folder, "evaluate m.srfm t.csv");
    assert!(expected.starts_with("y\n") && evaluated["rows"] == 60);
    // All rotations of the columns, and their mirror images.
    for shift in 0..5 {
        let mut order: Vec<usize> = (0..5).map(|column| (column + shift) % 5).collect();
        for _ in 0..2 {
            fs::write(folder.path().join("p.csv"), permuted(&text, &order)).unwrap();
            assert_eq!(stdout(&folder, "predict m.srfm p.csv"), expected, "{order:?}");
            assert_eq!(json(&folder, "evaluate m.srfm p.csv"), evaluated, "{order:?}");
            order.reverse();
        }
    }
    // Neither the target nor the ignored column is needed, and the columns of the output stay.
    fs::write(folder.path().join("p.csv"), permuted(&text, &[3, 2, 1])).unwrap();
    assert_eq!(stdout(&folder, "predict m.srfm p.csv"), expected);
    let (code, said) = failure(&folder, "evaluate m.srfm p.csv");
    assert!(code == 1 && said.contains("target"), "{said}");
    // The same inputs under other names.
    fs::write(folder.path().join("p.csv"), text.replace("a,b,mode", "u,v,state")).unwrap();
    assert_eq!(stdout(&folder, "predict m.srfm p.csv --inputs u,v,state"), expected);
}

#[test]
fn the_order_of_inputs_is_that_of_the_option() {
    let text = log(60);
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("p.csv", permuted(&text, &[2, 1, 4]).as_bytes())]);
    json(&folder, &format!("fit p.csv {FIT} -o p.srfm"));
    json(&folder, &format!("fit t.csv --inputs b,a {FIT} -o t.srfm"));
    json(&folder, &format!("fit t.csv --ignore 1,4 {FIT} -o numbers.srfm"));
    json(&folder, &format!("fit t.csv --inputs a --inputs b {FIT} -o twice.srfm"));
    assert_eq!(bytes(&folder, "p.srfm"), bytes(&folder, "t.srfm"));
    assert_eq!(bytes(&folder, "numbers.srfm"), bytes(&folder, "twice.srfm"));
    assert_ne!(bytes(&folder, "numbers.srfm"), bytes(&folder, "t.srfm"));
}

#[test]
fn rows_with_gaps_are_dropped_as_if_they_were_not_there() {
    let clean = permuted(&log(80), &[1, 2, 4]);
    let mut dirty: Vec<String> = clean.lines().map(str::to_owned).collect();
    for (place, row) in ["1,,2", "NA,2,3", "1,-200,3", "1,2,NaN", "?,?,?", "null,1,2", "1,2,"].into_iter().enumerate() {
        dirty.insert(5 * place + 2, row.to_owned());
    }
    let dirty = dirty.join("\n") + "\n";
    let comma = dirty.replace(',', ";").replace('.', ",");
    let folder = folder_with(&[
        ("clean.csv", clean.as_bytes()),
        ("dirty.csv", dirty.as_bytes()),
        ("comma.csv", comma.as_bytes()),
    ]);
    let reference = json(&folder, &format!("fit clean.csv {FIT} -o clean.srfm"));
    let missing = "--missing drop --missing-value -200";
    let fit = json(&folder, &format!("fit dirty.csv {missing} {FIT} -o dirty.srfm"));
    json(&folder, &format!("fit comma.csv {missing} --decimal comma {FIT} -o comma.srfm"));
    assert_eq!(bytes(&folder, "dirty.srfm"), bytes(&folder, "clean.srfm"));
    assert_eq!(bytes(&folder, "comma.srfm"), bytes(&folder, "clean.srfm"));
    let counts = |rows: u32, dropped: u32| {
        serde_json::json!({
            "rows": rows, "rows_without_history": 0, "dropped_rows": dropped, "replaced_values": 0
        })
    };
    assert_eq!((&fit["data"], &fit["rows"]), (&counts(87, 7), &80.into()));
    assert_eq!(reference["data"], counts(80, 0));
    let said = stderr(&folder, &format!("fit dirty.csv {missing} {FIT}"));
    assert!(said.contains("7 of 87 rows left out for missing values"), "{said}");

    // The description has the options; predictions keep the rows of the file.
    assert_eq!(json(&folder, "evaluate dirty.srfm dirty.csv")["rmse"], reference["training"]["rmse"]);
    assert_eq!(json(&folder, "evaluate comma.srfm comma.csv")["rmse"], reference["training"]["rmse"]);
    let predicted = stdout(&folder, "predict dirty.srfm dirty.csv");
    assert_eq!(predicted.lines().count(), 88);
    let (gaps, numbers): (Vec<&str>, Vec<&str>) = predicted.lines().partition(|line| *line == "NaN");
    assert_eq!(gaps.len(), 5, "two rows lack the target alone");
    let alone: Vec<String> = stdout(&folder, "predict clean.srfm clean.csv").lines().map(str::to_owned).collect();
    assert!(alone.iter().all(|line| numbers.contains(&line.as_str())));
    assert_eq!(json(&folder, "predict dirty.srfm dirty.csv")["predictions"][1], serde_json::json!([null]));
}

#[test]
fn a_missing_reading_counts_as_the_mean_of_its_column() {
    // The mean of the first column without its gaps, 2, and that of the second, -0.5, are exact.
    let rows = |gap_a: &str, gap_b: &str| {
        let row = |i: i32| {
            let a = if i % 9 == 4 { gap_a.to_owned() } else { (2 + (i % 9 - 4) * 3).to_string() };
            let b = if i % 7 == 3 { gap_b.to_owned() } else { (f64::from(i % 7 - 3) * 0.25 - 0.5).to_string() };
            format!("{a},{b},{}\n", (i * i) % 17)
        };
        "a,b,y\n".to_owned() + &(0..63).map(row).collect::<String>()
    };
    let folder = folder_with(&[
        ("gaps.csv", rows("", "NA").as_bytes()),
        ("full.csv", rows("2", "-0.5").as_bytes()),
        ("none.csv", format!("{}3,1,NA\n", rows("?", "-9")).as_bytes()),
    ]);
    let full = json(&folder, &format!("fit full.csv {FIT} -o full.srfm"));
    let gaps = json(&folder, &format!("fit gaps.csv --missing mean {FIT} -o gaps.srfm"));
    let none = json(&folder, &format!("fit none.csv --missing mean --missing-value -9 {FIT} -o none.srfm"));
    // The models differ in rounding alone: one subtracts centres from readings, since it replaces missing ones.
    let same_error = |fit: &serde_json::Value| {
        let [a, b] = [fit, &full].map(|fit| fit["training"]["rmse"].as_f64().unwrap());
        assert!((a - b).abs() < 1e-4 * b, "{a} and {b}");
    };
    same_error(&gaps);
    assert_eq!(
        gaps["data"],
        serde_json::json!({ "rows": 63, "rows_without_history": 0, "dropped_rows": 0, "replaced_values": 16 })
    );
    same_error(&none);
    assert_eq!(none["data"]["dropped_rows"], 1, "a target is never invented");
    assert_eq!(stdout(&folder, "predict gaps.srfm gaps.csv"), stdout(&folder, "predict gaps.srfm full.csv"));
    // The device replaces a reading that is not a number by the same mean.
    let file = srfm_trainer::Blob::new(&bytes(&folder, "gaps.srfm")).unwrap();
    let predicted = |x: [f32; 2]| {
        let mut y = [0.0];
        file.model().predict(&x, &mut y).unwrap();
        y[0].to_bits()
    };
    assert_eq!(predicted([f32::NAN, 1.0]), predicted([2.0, 1.0]));
    assert_eq!(predicted([3.0, f32::NAN]), predicted([3.0, -0.5]));
    assert_ne!(predicted([3.0, f32::NAN]), predicted([3.0, 1.0]));
    // The means are those of the fitted rows, whatever the rows to predict are.
    fs::write(folder.path().join("one.csv"), "b,a\n1,NA\n").unwrap();
    fs::write(folder.path().join("two.csv"), "b,a\n1,2\n").unwrap();
    assert_eq!(stdout(&folder, "predict gaps.srfm one.csv"), stdout(&folder, "predict gaps.srfm two.csv"));
    let (code, said) = failure(&folder, "predict gaps.srfm one.csv --missing error");
    assert!(code == 1 && said.contains("one.csv, line 2, column \"a\""), "{said}");
}

#[test]
fn categories_become_inputs_that_are_one_in_their_rows() {
    let text = log(60);
    let coded = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let one = ["boost", "eco", "off"].map(|mode| u8::from(fields[3] == mode).to_string()).join(",");
        format!("{},{},{one},{}\n", fields[1], fields[2], fields[4])
    };
    let by_hand =
        "a,b,mode = boost,mode = eco,mode = off,y\n".to_owned() + &text.lines().skip(1).map(coded).collect::<String>();
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("hand.csv", by_hand.as_bytes())]);
    json(&folder, &format!("fit t.csv --ignore time --categorical mode {FIT} -o t.srfm"));
    json(&folder, &format!("fit hand.csv {FIT} -o hand.srfm"));
    assert_eq!(bytes(&folder, "t.srfm"), bytes(&folder, "hand.srfm"));

    let described = json(&folder, "inspect t.srfm")["description"]["inputs"].clone();
    let third = serde_json::json!({ "name": "mode = boost", "column": "mode", "category": "boost" });
    for key in ["name", "column", "category"] {
        assert_eq!(described[2][key], third[key], "{described}");
    }
    assert!(stdout(&folder, "inspect t.srfm").contains("\nnames         1 a, 2 b, 3 mode = boost, 4 mode = eco"));

    // An unknown category is an error, or a missing value.
    let turbo = text.replacen(",off,", ",turbo,", 1);
    fs::write(folder.path().join("turbo.csv"), &turbo).unwrap();
    let (code, said) = failure(&folder, "predict t.srfm turbo.csv");
    let line = turbo.lines().position(|line| line.contains("turbo")).unwrap() + 1;
    assert_eq!((code, said.lines().count()), (1, 1), "{said}");
    for part in [&format!("turbo.csv, line {line}, column \"mode\""), "\"turbo\"", "--missing", "boost, eco, off"] {
        assert!(said.contains(part), "{said:?} should name {part:?}");
    }
    assert_eq!(json(&folder, "evaluate t.srfm turbo.csv --missing drop")["rows"], 59);
    assert_eq!(json(&folder, "evaluate t.srfm turbo.csv --missing mean")["rows"], 60);
}

#[test]
fn a_description_belongs_to_one_model() {
    let text = log(40);
    let folder = folder_with(&[("t.csv", text.as_bytes())]);
    json(&folder, &format!("fit t.csv --ignore time,mode {FIT} -o m.srfm"));
    fs::rename(folder.path().join("m.srfm.json"), folder.path().join("kept.json")).unwrap();
    json(&folder, &format!("fit t.csv --ignore time,mode {FIT} --seed 2 -o other.srfm"));
    let place = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).unwrap();

    let (code, said) = failure(&folder, "predict m.srfm t.csv");
    assert!(
        code == 1 && said.contains("5 columns") && said.contains("2 inputs") && said.contains("--ignore"),
        "{said}"
    );
    let alone = stdout(&folder, "predict m.srfm t.csv --ignore time,mode");
    for (content, reason) in [
        (bytes(&folder, "other.srfm.json"), "belongs to another model"),
        (b"{}".to_vec(), "is no description"),
        (
            String::from_utf8(bytes(&folder, "kept.json")).unwrap().replace("\"format\": 1", "\"format\": 7").into(),
            "format 7",
        ),
    ] {
        place("m.srfm.json", &content);
        let said = stderr(&folder, "predict m.srfm t.csv --ignore time,mode");
        assert!(said.contains("m.srfm.json: ") && said.contains(reason) && said.contains("ignored"), "{said}");
        assert!(stderr(&folder, "predict m.srfm t.csv --ignore time,mode --quiet").is_empty());
        assert_eq!(stdout(&folder, "predict m.srfm t.csv --ignore time,mode"), alone);
    }
    place("m.srfm.json", &bytes(&folder, "kept.json"));
    let named = stdout(&folder, "predict m.srfm t.csv");
    assert!(named.starts_with("y\n") && alone.starts_with("prediction\n"));
    assert!(named.lines().skip(1).eq(alone.lines().skip(1)));
    let (code, said) = failure(&folder, "fit m.srfm.json -o m.srfm");
    assert!(code == 2 && said.contains("cannot be its output"), "{said}");
}

#[test]
fn groups_are_read_and_are_no_inputs() {
    let folder = folder_with(&[("t.csv", log(60).as_bytes())]);
    let fit = |more: &str| json(&folder, &format!("fit t.csv --ignore time {more} {FIT}"));
    assert_eq!(fit("--group mode")["model"]["inputs"], 2);
    assert_eq!(fit("--categorical mode")["model"]["inputs"], 5);
    let (code, said) = failure(&folder, "fit t.csv --ignore time --group mode --inputs mode,a");
    assert!(code == 2 && said.contains("\"mode\" is named by --inputs and by --group"), "{said}");
}

#[test]
fn columns_without_names_are_found_by_their_numbers() {
    let (header, rows) = ("time,a,b,y\n", permuted(&log(40), &[4, 1, 2, 4]).split_once('\n').unwrap().1.to_owned());
    let (inputs, all) = (permuted(&rows, &[1, 2]), permuted(&rows, &[1, 2, 3]));
    let folder = folder_with(&[
        ("bare.csv", rows.as_bytes()),
        ("named.csv", format!("{header}{rows}").as_bytes()),
        ("inputs.csv", inputs.as_bytes()),
        ("all.csv", all.as_bytes()),
    ]);
    json(&folder, &format!("fit bare.csv --ignore 1 {FIT} -o m.srfm"));
    let expected = stdout(&folder, "predict m.srfm bare.csv");
    assert_eq!(stdout(&folder, "predict m.srfm inputs.csv"), expected);
    assert_eq!(stdout(&folder, "predict m.srfm all.csv"), expected);
    assert_eq!(stdout(&folder, "predict m.srfm named.csv --ignore time"), expected);
    let rmse = json(&folder, "evaluate m.srfm bare.csv")["rmse"].clone();
    assert_eq!(json(&folder, "evaluate m.srfm all.csv")["rmse"], rmse);
    assert_eq!(json(&folder, "evaluate m.srfm named.csv --ignore time")["rmse"], rmse);
}

#[test]
fn constant_columns_and_columns_without_a_name_are_allowed() {
    let text: String = log(60).lines().map(|line| format!("{line},5,\n")).collect();
    let text = text.replacen(",5,", ",,", 1);
    let folder = folder_with(&[("t.csv", text.as_bytes())]);
    let (_, said) = failure(&folder, "fit t.csv --target y");
    assert!(said.contains("--ignore time --categorical mode") && !said.contains("column 7"), "{said}");
    let left_out = stderr(&folder, &format!("fit t.csv --target y --ignore 1,4,7 {FIT}"));
    let said = stderr(&folder, &format!("fit t.csv --target y --ignore 1,4 {FIT}"));
    assert_eq!(said, left_out);
    assert!(said.contains("input 3 (\"column 6\") has the same value in every row"), "{said}");
}
