//! What is said about columns that cannot be used as the options ask.

use std::fs;

use tempfile::TempDir;

use super::columns::{FIT, log, permuted};
use super::{failure, folder_with, json, table};

/// Returns the files of the next test.
fn folder_of_bad_tables() -> TempDir {
    let text = log(40);
    let with = |row: &str| permuted(&text, &[1, 2, 4]) + row + "\n";
    let ids: String = (0..10_000).map(|i| format!("k{i},{},{}\n", i % 7, i % 11)).collect();
    let holes: String = (0..30).map(|i| if i % 3 == 0 { "1,,3\n" } else { ",2,3\n" }).collect();
    let folder = folder_with(&[
        ("t.csv", text.as_bytes()),
        ("plain.csv", table(40).as_bytes()),
        ("gap.csv", with("1,,2").as_bytes()),
        ("bare.csv", with("1,2,").as_bytes()),
        ("code.csv", with("1,-200,2").as_bytes()),
        ("twice.csv", table(40).replace("a,b,y", "a,a,y").as_bytes()),
        ("ids.csv", format!("id,a,y\n{ids}").as_bytes()),
        ("holes.csv", format!("a,b,y\n{holes}").as_bytes()),
        ("empty.csv", table(40).replace("a,b,y", "a,b,y,e").replace('\n', ",\n").replacen("e,\n", "e\n", 1).as_bytes()),
        ("targetless.csv", format!("a,b,y\n{}", "1,2,\n".repeat(20)).as_bytes()),
        ("comma.csv", b"a;b;y\n1,5;2,5;3\n1.234,5;2;3\n"),
        ("mixed.csv", b"a,b,y\n1,5,2,5,3,5\n2,5,2,5,3,5\n"),
        ("few.csv", b"a\n1\n2\n"),
        ("other.csv", b"a,c,y\n1,2,3\n"),
        ("word.csv", b"a,b,y\n1,warm,3\n"),
    ]);
    json(&folder, &format!("fit t.csv --ignore time,mode {FIT} -o m.srfm"));
    fs::copy(folder.path().join("m.srfm"), folder.path().join("alone.srfm")).unwrap();
    folder
}

#[test]
fn bad_columns_are_answered_with_one_sentence() {
    let folder = folder_of_bad_tables();
    let cases: [(&str, u8, &[&str]); 31] = [
        ("fit t.csv", 1, &["t.csv has text in the columns time, mode (line 2: \"2024-01-01 0:00\")", "--ignore time"]),
        ("fit t.csv --ignore time", 1, &["the column mode (line 2: \"eco\")", "--categorical mode, or --ignore mode"]),
        ("fit t.csv --ignore tim,mode", 2, &["t.csv", "no column is called \"tim\"", "time, a, b, mode, y"]),
        ("fit t.csv --ignore 6", 2, &["no column is called \"6\""]),
        ("fit t.csv --inputs a,b --ignore a", 2, &["\"a\" is named by --inputs and by --ignore"]),
        ("fit t.csv --ignore y --target y", 2, &["\"y\" is named by --target and by --ignore"]),
        ("fit t.csv --inputs a,y --target y", 2, &["\"y\" is named by --inputs and by --target"]),
        ("fit t.csv --inputs a,a", 2, &["\"a\" is named twice"]),
        ("fit t.csv --ignore a,b,time,mode", 2, &["none of the 5 columns is left as an input"]),
        ("fit t.csv --inputs a,b,y,mode,time", 2, &["every column is an input", "--target"]),
        ("fit t.csv --categorical y --target y", 2, &["\"y\" is named by --target and by --categorical"]),
        ("fit t.csv --categorical mode --inputs a,b", 2, &["\"mode\" is named by --categorical, but is no input"]),
        ("fit t.csv --group site --ignore time,mode", 2, &["no column is called \"site\""]),
        ("fit ids.csv --categorical id", 1, &["\"id\" has 10000 categories", "at most 100", "--ignore"]),
        ("fit gap.csv", 1, &["gap.csv, line 42, column \"b\"", "missing", "--missing drop", "--missing mean"]),
        ("fit bare.csv", 1, &["bare.csv, line 42, column \"y\"", "--missing drop", "--missing mean", "without target"]),
        ("fit code.csv --missing-value -200", 1, &["line 42, column \"b\"", "\"-200\" is missing", "--missing drop"]),
        ("fit holes.csv --missing drop", 1, &["every row has a missing value", "\"a\" (20 of 30 rows)", "--ignore"]),
        ("fit targetless.csv --missing mean", 1, &["none of the 20 rows has a target", "--target"]),
        ("fit empty.csv --target y", 1, &["empty.csv has no values in the column e; add --ignore e"]),
        ("fit twice.csv", 1, &["columns 1 and 2 are both called \"a\"", "number"]),
        ("fit plain.csv --decimal comma", 1, &["plain.csv, line 3, column \"a\"", "\"0.37\" has a point"]),
        ("fit comma.csv --decimal comma", 1, &["comma.csv, line 3", "\"1.234,5\"", "thousands"]),
        ("fit mixed.csv --decimal comma", 1, &["mixed.csv, line 2", "6 fields where line 1 has 3"]),
        ("predict m.srfm other.csv", 1, &["no column is called \"b\", which the model was fitted to", "a, c, y"]),
        ("predict m.srfm t.csv --inputs a", 2, &["--inputs names 1 column, but the model takes 2"]),
        ("predict m.srfm word.csv", 1, &["word.csv, line 2, column \"b\"", "\"warm\" is not a number"]),
        ("predict alone.srfm few.csv", 1, &["few.csv", "1 column, but the model takes 2 inputs", "--ignore"]),
        ("predict alone.srfm gap.csv --missing mean", 1, &["gap.csv", "no description", "means", "--missing drop"]),
        ("evaluate m.srfm targetless.csv --missing drop", 1, &["none of the 20 rows has a target"]),
        ("evaluate m.srfm other.csv --inputs a,c --target z", 2, &["no column is called \"z\""]),
    ];
    for (arguments, expected_code, expected) in cases {
        let (code, said) = failure(&folder, arguments);
        assert_eq!((code, said.lines().count()), (expected_code.into(), 1), "{arguments}: {said}");
        for part in expected {
            assert!(said.contains(part), "{arguments}: {said:?} should name {part:?}");
        }
    }
    for (arguments, expected) in [
        ("fit plain.csv --missing-value warm", "such as -200"),
        ("fit plain.csv --missing-value NaN", "missing anyway"),
        ("fit plain.csv --missing maybe", "error, drop, mean"),
        ("fit plain.csv --decimal dot", "point, comma"),
        ("predict m.srfm plain.csv --categorical a", "unexpected argument"),
    ] {
        let (code, said) = failure(&folder, arguments);
        assert!(code == 2 && said.contains(expected), "{arguments}: {said}");
    }
}
