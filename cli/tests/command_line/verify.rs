//! The figures of a model, compared with data and with the emulated cores.

use std::fs;

use serde_json::Value;
use srfm_testing::skip;
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::require;

use super::{folder_with, json, run, table};

/// Returns figures and outcomes.
fn outcomes(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    report["checks"].as_array().unwrap().iter().map(|c| (text(&c["figure"]), text(&c["outcome"]))).collect()
}

#[test]
fn the_figures_of_a_fit_hold_on_its_rows() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    let fit = json(&folder, "fit t.csv --method harfe --max-features 5 --seed 3 --holdout 0.25 -o m.srfm");
    let report = json(&folder, "inspect m.srfm --verify t.csv");
    let origin = &report["description"]["origin"];
    let (file, errors) = (&origin["files"][0], &origin["errors"]);
    assert_eq!((&file["name"], &origin["rows"], &origin["seed"]), (&"t.csv".into(), &45.into(), &3.into()));
    assert_eq!(origin["arguments"][1], "t.csv");
    assert_eq!(errors["training RMSE"], fit["training"]["rmse"]);
    assert_eq!(errors["holdout RMSE"], fit["holdout"]["rmse"]);
    let found = outcomes(&report);
    assert!(found.len() > 8 && found[0].0 == "data" && found[1].0 == "RMSE of all rows", "{found:?}");
    assert!(
        found.iter().all(|(figure, outcome)| outcome == "holds" || figure.starts_with("instructions")),
        "{found:?}"
    );
    assert!(found.iter().all(|(_, outcome)| outcome != "differs"), "{found:?}");
}

#[test]
fn the_figures_of_a_model_with_lags_hold_on_the_cores() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    json(&folder, "fit t.csv --lag a=0..2 --method linear --split forward -o m.srfm");
    if let Err(missing) = require(&Core::of_runtime()) {
        return skip(&missing.to_string());
    }
    let found = outcomes(&json(&folder, "inspect m.srfm --verify t.csv"));
    let cores = found.iter().filter(|(figure, _)| figure.starts_with("instructions on")).count();
    assert!(cores == Core::of_runtime().len() && found.iter().all(|(_, outcome)| outcome == "holds"), "{found:?}");
}

#[test]
fn a_wrong_figure_and_other_data_are_told_apart() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("more.csv", table(61).as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm").status.success());
    let description = folder.path().join("m.srfm.json");
    let mut written: Value = serde_json::from_str(&fs::read_to_string(&description).unwrap()).unwrap();
    let rmse = written["origin"]["errors"]["training RMSE"].as_f64().unwrap();
    written["origin"]["errors"]["training RMSE"] = (1.001 * rmse).into();
    fs::write(&description, written.to_string()).unwrap();

    let output = run(&folder, "inspect m.srfm --verify t.csv");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("DIFFERS       RMSE of all rows: "));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "srfm: m.srfm: figures differ from what was found; see above\n"
    );

    let other = json(&folder, "inspect m.srfm --verify more.csv");
    assert_eq!(outcomes(&other)[0], ("data".to_owned(), "unchecked".to_owned()));
}

#[test]
fn the_comment_of_a_c_file_states_origin_and_cost() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 --seed 3 -o m.srfm --c fit.h").status.success());
    assert!(run(&folder, "export m.srfm --c export.h --name fit").status.success());
    let [fit, export] = ["fit.h", "export.h"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap());
    assert_eq!(fit, export);
    let comment = fit.split("#ifndef").next().unwrap().replace("\n  ", "");
    assert!(comment.contains("Fitted to 60 rows of t.csv (CRC-64 ") && comment.contains("seed 3, srfm "), "{comment}");
    assert!(comment.contains("Errors: training RMSE ") && comment.contains(" cycles on cortex-m4f."), "{comment}");
}
