//! Ranges and intervals as the command shows them.

use super::{failure, folder_with, json, run, table};

#[test]
fn intervals_are_shown_where_they_are_asked_for() {
    let far = "a,b\n0.5,0.5\n1e6,0.5\n";
    let folder = folder_with(&[("t.csv", table(120).as_bytes()), ("far.csv", far.as_bytes())]);
    let fit = json(&folder, "fit t.csv --method harfe --max-features 25 -o m.srfm");
    let half_width = fit["model"]["half_widths"][0].as_f64().unwrap();
    assert!(half_width > 0.0 && (fit["model"]["level"].as_f64().unwrap() - 0.9).abs() < 1e-6);
    assert_eq!(fit["model"]["ranges"][0]["input"], 1);

    let text = |arguments: &str| String::from_utf8(run(&folder, arguments).stdout).unwrap();
    let plain = text("predict m.srfm t.csv");
    let lines = text("predict m.srfm t.csv --intervals");
    let mut rows = lines.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    assert_eq!(
        (&header[1..], header.len()),
        (&[&*format!("{} low", header[0]), &format!("{} high", header[0]), "outside"][..], 4)
    );
    for (row, plain) in rows.zip(plain.lines().skip(1)) {
        let [y, low, high, outside]: [f64; 4] =
            row.iter().map(|v| v.parse().unwrap()).collect::<Vec<_>>().try_into().unwrap();
        assert_eq!(row[0], plain, "the predictions are the same");
        assert!((y - low - half_width).abs() < 1e-4 && (high - y - half_width).abs() < 1e-4 && outside == 0.0);
    }
    assert!(text("inspect m.srfm").contains("\ninterval      ± "), "{}", text("inspect m.srfm"));
    assert!(text("inspect m.srfm").contains("\nfitted to     a "), "{}", text("inspect m.srfm"));

    let evaluation = json(&folder, "evaluate m.srfm t.csv");
    assert!(evaluation["coverage"][0].as_f64().unwrap() > 0.85 && evaluation["outside"] == 0, "{evaluation}");
    assert!(text("evaluate m.srfm t.csv").contains("at 90 %: "));

    let said = String::from_utf8(run(&folder, "predict m.srfm far.csv").stderr).unwrap();
    assert!(said.contains("1 of 2 rows have readings outside"), "{said}");
    assert!(!said.contains("check its unit"), "half of the rows are within: {said}");
    assert!(run(&folder, "predict m.srfm far.csv --quiet").stderr.is_empty());
    assert_eq!(json(&folder, "predict m.srfm far.csv")["outside"], serde_json::json!([0, 1]));
}

#[test]
fn a_column_in_another_unit_is_named() {
    // The fitted range of `a` is 0 to 2.99; the rows have it a thousand times larger, but for the first, which is 0.
    let milli: String = (0..9).map(|i| format!("{},0.5\n", 250 * i)).collect();
    let targets = milli.replace("\n", ",1\n");
    let folder = folder_with(&[
        ("t.csv", table(120).as_bytes()),
        ("milli.csv", format!("a,b\n{milli}").as_bytes()),
        ("targets.csv", format!("a,b,y\n{targets}").as_bytes()),
    ]);
    json(&folder, "fit t.csv --method harfe --max-features 10 --lambda 1e-4 -o m.srfm");
    let largest = json(&folder, "inspect m.srfm")["ranges"][0]["high"].as_f64().unwrap();
    let column = format!(
        "in the column \"a\" 8 of them, which reads 0 to 2000 in place of 0 to {largest:.3}: check its unit, or \
         whether it drifted"
    );
    let expected = "srfm: 8 of 9 rows have readings outside of the range that the model was fitted to; ";
    for arguments in
        ["predict m.srfm milli.csv", "predict m.srfm milli.csv --memory 64k", "evaluate m.srfm targets.csv"]
    {
        let said = String::from_utf8(run(&folder, arguments).stderr).unwrap();
        assert_eq!(said, format!("{expected}{column}\n"), "{arguments}");
    }
}

#[test]
fn a_small_budget_has_intervals_without_ranges() {
    let folder = folder_with(&[("t.csv", table(120).as_bytes())]);
    let whole = json(&folder, "fit t.csv --method harfe --max-features 1");
    assert!(!whole["model"]["ranges"][0].is_null(), "{whole}");
    let flash = whole["model"]["flash_bytes"].as_u64().unwrap() - 1;
    let fit = json(&folder, &format!("fit t.csv --method harfe --max-features 1 --flash {flash} -o m.srfm"));
    assert!(fit["model"]["half_widths"][0].as_f64().unwrap() > 0.0 && fit["model"]["ranges"][0].is_null(), "{fit}");
    let shown = run(&folder, "predict m.srfm t.csv --intervals");
    let (lines, said) = (String::from_utf8(shown.stdout).unwrap(), String::from_utf8(shown.stderr).unwrap());
    assert!(lines.lines().count() == 121 && lines.lines().all(|line| line.split(',').count() == 3), "{lines}");
    assert!(said.contains("m.srfm: its flash budget left no room for the ranges"), "{said}");
}

#[test]
fn a_model_without_intervals_says_how_to_get_them() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    json(&folder, "fit t.csv --method harfe --max-features 25 --lambda 1e-3 -o m.srfm");
    let (code, said) = failure(&folder, "predict m.srfm t.csv --intervals");
    assert!(code == 1 && said.contains("settings to choose from"), "{said}");
}

#[test]
fn a_line_has_intervals_from_cross_validation() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("few.csv", table(4).as_bytes())]);
    let fit = json(&folder, "fit t.csv --method linear -o m.srfm");
    assert!(fit["model"]["half_widths"][0].as_f64().unwrap() > 0.0 && fit["cross_validated_rmse"].is_f64(), "{fit}");
    assert_eq!(json(&folder, "predict m.srfm t.csv --intervals")["half_widths"], fit["model"]["half_widths"]);
    // Four rows are too few for five folds, but enough for a line.
    let few = json(&folder, "fit few.csv --method linear --lambda 0");
    assert!(
        few["model"]["half_widths"].as_array().unwrap().is_empty() && few["cross_validated_rmse"].is_null(),
        "{few}"
    );
}
