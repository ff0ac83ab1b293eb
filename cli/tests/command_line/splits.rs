//! Folds and held-out rows at random, in blocks and forward in time, and groups that stay together.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::{failure, folder_with, json, run};

/// The fits of these tests: a few features, and two settings to choose from.
const FIT: &str = "fit series.csv --method harfe --max-features 6 --order 1,2 --lambda 1e-3 --folds 4";

/// Returns a folder with `series.csv`: 240 rows of two readings and a drift that grows with the rows. `grouped.csv` has
/// a group for every ten rows, too. The last 60 rows are also in `last.csv`.
fn folder() -> TempDir {
    let row = |i: usize| {
        let (a, b) = (i as f64 * 0.37 % 3.0, i as f64 * 0.91 % 2.0);
        format!("{a},{b},{}", a.sin() + b + (i as f64 / 60.0).powi(2) * (1.0 + (i as f64 / 9.0).sin()))
    };
    let lines: Vec<String> = (0..240).map(row).collect();
    let file = |lines: &[String]| format!("a,b,y\n{}\n", lines.join("\n"));
    let groups: Vec<String> = lines.iter().enumerate().map(|(i, line)| format!("g{},{line}", i / 10)).collect();
    let grouped = format!("batch,a,b,y\n{}\n", groups.join("\n"));
    let settings = b"split = \"forward\"\n";
    folder_with(&[
        ("series.csv", file(&lines).as_bytes()),
        ("last.csv", file(&lines[180..]).as_bytes()),
        ("grouped.csv", grouped.as_bytes()),
        ("s.toml", settings),
    ])
}

#[test]
fn forward_holds_out_the_last_rows_and_says_how_rows_were_divided() {
    let folder = folder();
    let of = |split: &str| json(&folder, &format!("{FIT} --split {split} --holdout 0.25 -o {split}.srfm"));
    for split in ["blocked", "forward"] {
        let fit = of(split);
        let last = json(&folder, &format!("evaluate {split}.srfm last.csv"));
        assert_eq!((&fit["holdout"]["rmse"], &fit["split"]), (&last["rmse"], &split.into()));
        assert_eq!(fit["holdout"]["interval_score"], last["interval_score"]);
        assert_eq!((&fit["validation"]["split"], &fit["validation"]["folds"]), (&split.into(), &4.into()));
        assert_eq!(fit["validation"]["rows"], if split == "forward" { 180 - 36 } else { 180 });
        assert_eq!(fit["residual_autocorrelation"], Value::Null);
        // Errors grow with time; the drift of the last rows is the largest.
        let figure = |value: &Value| value.as_f64().unwrap();
        let (mean, largest) = (figure(&fit["validation"]["rmse"]), figure(&fit["validation"]["largest_rmse"]));
        assert!(mean < largest && largest < figure(&fit["holdout"]["rmse"]), "{fit}");
    }
    let random = of("random");
    let figure = |key: &str| random["validation"][key].as_f64().unwrap();
    assert_eq!((&random["split"], random["holdout"]["rows"].as_u64()), (&"random".into(), Some(60)));
    assert!(figure("rmse") < json(&folder, "evaluate random.srfm last.csv")["rmse"].as_f64().unwrap());
    // One target, and folds of equal size: both errors say the same in different units.
    let deviation = figure("rmse") / random["cross_validated_rmse"].as_f64().unwrap();
    let forward = json(&folder, &format!("{FIT} --split forward"));
    assert!(deviation > 0.5 && forward["cross_validated_rmse"].is_number());
}

#[test]
fn correlated_neighbours_are_remarked_on() {
    let folder = folder();
    let text = |options: &str| String::from_utf8(run(&folder, &format!("{FIT}{options}")).stdout).unwrap();
    let correlation = json(&folder, FIT)["residual_autocorrelation"].as_f64().unwrap();
    assert!(correlation > 0.3, "{correlation}");
    assert!(text("").contains("--split forward"), "{}", text(""));
    let forward = text(" --split forward");
    assert!(!forward.contains("--split") && forward.contains("4 forward folds"), "{forward}");
    assert!(run(&folder, "generate friedman1 --rows 300 --noise 1 -o independent.csv").status.success());
    let independent = "fit independent.csv --method harfe --max-features 20";
    assert!(!String::from_utf8(run(&folder, independent).stdout).unwrap().contains("--split"));
    assert!(json(&folder, independent)["residual_autocorrelation"].as_f64().unwrap().abs() < 0.2);
}

#[test]
fn a_settings_file_sets_the_split_and_the_option_overrides_it() {
    let folder = folder();
    let fit = format!("{FIT} --config s.toml --holdout 0.25");
    let (file, option) = (json(&folder, &fit), json(&folder, &format!("{fit} --split random")));
    assert_eq!((&file["split"], &option["split"]), (&"forward".into(), &"random".into()));
    let given = json(&folder, &format!("{FIT} --holdout 0.25 --split forward"));
    assert_eq!(file["holdout"], given["holdout"]);
    fs::write(folder.path().join("s.toml"), "split = \"sideways\"").unwrap();
    let (code, said) = failure(&folder, &fit);
    assert_eq!(code, 2);
    assert!(said.contains("sideways") && said.contains("forward"), "{said}");
    assert_eq!(failure(&folder, &format!("{FIT} --split sideways")).0, 2);
}

#[test]
fn rows_of_a_test_file_are_called_test_rows() {
    let folder = folder();
    let text = String::from_utf8(run(&folder, &format!("{FIT} --test last.csv")).stdout).unwrap();
    assert!(text.contains("\ntest          RMSE") && text.contains("of the test rows"), "{text}");
    assert!(!text.contains("holdout"), "{text}");
    let text = String::from_utf8(run(&folder, &format!("{FIT} --holdout 0.2")).stdout).unwrap();
    assert!(text.contains("\nholdout       RMSE"), "{text}");
}

#[test]
fn groups_stay_together() {
    let folder = folder();
    let fit = "fit grouped.csv --method harfe --max-features 6 --lambda 1e-3 --order 1,2 --folds 4 --group batch";
    for split in ["random", "blocked", "forward"] {
        let grouped = json(&folder, &format!("{fit} --holdout 0.3 --split {split}"));
        // 240 rows in groups of ten: 72 rows are nearest to seven groups.
        assert_eq!((grouped["holdout"]["rows"].as_u64(), grouped["rows"].as_u64()), (Some(70), Some(170)), "{split}");
        assert_eq!(grouped["residual_autocorrelation"], Value::Null);
        let inputs: Vec<&Value> = grouped["importance"].as_array().unwrap().iter().map(|i| &i["input"]).collect();
        assert!(inputs.len() == 2 && !inputs.contains(&&"batch".into()), "{inputs:?}");
    }
    let few = failure(&folder, &format!("{fit} --folds 40").replace(" --folds 4 ", " "));
    assert_eq!(few, (1, "srfm: 24 groups cannot be divided into 40 parts; add groups or lower --folds\n".to_owned()));
    let scattered = fs::read_to_string(folder.path().join("grouped.csv")).unwrap().replace("g23,", "g1,");
    fs::write(folder.path().join("grouped.csv"), scattered).unwrap();
    assert_eq!(json(&folder, fit)["rows"], 240);
    let (code, said) = failure(&folder, &format!("{fit} --split forward"));
    assert_eq!(code, 1);
    assert!(said.contains("row 231") && said.contains("--group") && said.contains("--split"), "{said}");
}
