//! Tables of the papers that take seconds hold their thresholds.

use std::process::Command;

use serde_json::Value;

#[test]
fn quick_tables_hold_their_thresholds() {
    for table in ["harfe-table2", "shrimp-table2", "shrimp-figure4"] {
        let output = Command::new(env!("CARGO_BIN_EXE_srfm-papers")).args([table, "--json"]).output().unwrap();
        assert!(output.status.success(), "{table}: {}", String::from_utf8_lossy(&output.stderr));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = document["rows"].as_array().unwrap();
        assert!(!rows.is_empty(), "{table}");
        for row in rows {
            println!("{row}");
            assert_eq!(row["holds"], true, "{table}: {row}");
        }
    }
}
