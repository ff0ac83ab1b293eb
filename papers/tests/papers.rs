//! The quickest table of the papers holds its thresholds; `./check all` computes all tables.

use std::process::Command;

use serde_json::Value;

#[test]
fn the_quickest_table_holds_its_thresholds() {
    let output = Command::new(env!("CARGO_BIN_EXE_srfm-papers")).args(["harfe-table2", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = document["rows"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        println!("{row}");
        assert_eq!(row["holds"], true, "{row}");
    }
}
