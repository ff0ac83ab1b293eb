//! What `fit` and `inspect` say of a model and its description.

use std::fs;

use srfm_testing::skip;
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::require;

use super::columns::{FIT, bytes, log, permuted, stdout};
use super::{folder_with, json, table};

#[test]
fn numbers_for_missing_values_come_in_lists() {
    let clean = permuted(&log(60), &[1, 2, 4]);
    let coded = clean.clone() + "-999,1,2\n1,-998.5,2\n1,2,-999\n";
    let folder = folder_with(&[("t.csv", coded.as_bytes()), ("five.csv", (clean + "-999,1,2\n1,5,2\n").as_bytes())]);
    let fits = ["--missing-value -999,-998.5", "--missing-value -999 --missing-value -998.5"];
    let models = fits.map(|codes| {
        let fit = json(&folder, &format!("fit t.csv --missing drop {codes} {FIT} -o m.srfm"));
        assert_eq!((&fit["rows"], &fit["data"]["dropped_rows"]), (&60.into(), &3.into()));
        bytes(&folder, "m.srfm")
    });
    assert_eq!(models[0], models[1]);
    // A command that reads a model adds numbers to those of the model.
    assert_eq!(json(&folder, "evaluate m.srfm five.csv")["rows"], 61);
    assert_eq!(json(&folder, "evaluate m.srfm five.csv --missing-value 5")["rows"], 60);
    let inspected = stdout(&folder, "inspect m.srfm");
    let row =
        "missing       rows without a reading are left out; -999, -998.5 stand for missing readings in data files\n";
    assert!(inspected.contains(row), "{inspected}");
}

#[test]
fn the_target_and_the_treatment_of_gaps_are_shown() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    let missing = "--missing mean --missing-value -999 --split forward --holdout 20%";
    let fit = stdout(&folder, &format!("fit t.csv {FIT} {missing} -o m.srfm"));
    let inspected = stdout(&folder, "inspect m.srfm");
    for text in [&fit, &inspected] {
        assert!(text.contains("\ntarget        y\noutputs       1, from ") && text.contains("\nRAM           0 bytes"));
    }
    for row in [
        "missing       the mean of the fitted rows takes the place of a reading; -999 stands for a missing reading in \
         data files\n",
        "split         forward folds and held-out rows\n",
    ] {
        assert!(inspected.contains(row), "{inspected}");
    }
    assert_eq!(
        json(&folder, &format!("fit t.csv {FIT} --order 1 --target a --target y"))["targets"],
        serde_json::json!(["a", "y"])
    );
    // The model alone knows that it replaces missing readings.
    fs::remove_file(folder.path().join("m.srfm.json")).unwrap();
    let alone = stdout(&folder, "inspect m.srfm");
    assert!(alone.contains("missing       the mean of the fitted rows takes the place of NaN\n"), "{alone}");
    // Rows that were not divided have no split, and rows without gaps no treatment.
    stdout(&folder, &format!("fit t.csv {FIT} -o n.srfm"));
    let plain = stdout(&folder, "inspect n.srfm");
    assert!(!plain.contains("\nsplit ") && !plain.contains("\nmissing "), "{plain}");
}

#[test]
fn the_board_takes_the_ram_that_is_stated() {
    if let Err(missing) = require(&[Core::CortexM0]) {
        return skip(&missing.to_string());
    }
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    for options in ["--seed 1", "--lag a=0..2"] {
        let row = |text: &str| text.lines().find(|line| line.starts_with("RAM ")).unwrap().to_owned();
        let stated = row(&stdout(&folder, &format!("fit t.csv {FIT} {options} -o m.srfm")));
        assert_eq!(row(&stdout(&folder, "inspect m.srfm")), stated);
        for core in ["cortex-m0", "cortex-m4f", "riscv32imac"] {
            assert_eq!(row(&stdout(&folder, &format!("device m.srfm t.csv --rows 4 --core {core}"))), stated, "{core}");
        }
    }
}
