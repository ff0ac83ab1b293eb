//! Tables that are read in blocks, and sums over parts of a table.

use tempfile::TempDir;

use super::{failure, folder_with, json, run};

/// Rows of y = sin a + b with a little noise, from `first` on.
fn rows(first: usize, count: usize) -> String {
    let row = |i: usize| {
        let (a, b) = (i as f64 * 0.37 % 6.0, i as f64 * 0.91 % 2.0);
        format!("{a},{b},{}\n", a.sin() + b + 0.05 * (i as f64 * 1.7).sin())
    };
    (first..first + count).map(row).collect()
}

/// Runs a command that fails with the exit code and returns its message.
fn refused(folder: &TempDir, arguments: &str, code: i32) -> String {
    let (found, message) = failure(folder, arguments);
    assert_eq!(found, code, "{message}");
    message
}

const FIT: &str = "--method compact --max-features 5 --order 1 --lambda 1e-4";

#[test]
fn a_sample_gives_the_features_and_all_rows_the_rest() {
    let table = "a,b,y\n".to_owned() + &rows(0, 6000);
    let folder = folder_with(&[("t.csv", table.as_bytes())]);
    let fit = format!("fit t.csv {FIT} --sample 300 --holdout 0.1");
    let small = json(&folder, &format!("{fit} --memory 1M -o small.srfm --threads 1"));
    let large = json(&folder, &format!("{fit} -o large.srfm --threads 2"));
    assert_eq!(
        std::fs::read(folder.path().join("small.srfm")).unwrap(),
        std::fs::read(folder.path().join("large.srfm")).unwrap()
    );
    assert_eq!((&small["rows"], &small["sample"]), (&5700.into(), &300.into()));
    assert_eq!(small["holdout"]["rows"], 300);
    assert_eq!(small["validation"], large["validation"]);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let (stated, found) = (number(&small["validation"]["rmse"]), number(&small["holdout"]["rmse"]));
    // Noise of 0.05 / √2; 300 rows tell their error to 4 %.
    assert!(stated < 0.04 && (stated / found - 1.0).abs() < 0.2, "{stated} {found}");
    let whole = json(&folder, &format!("fit t.csv {FIT} --sample 6000"));
    assert!(whole["sample"].is_null() && whole["rows"] == 6000);
}

#[test]
fn sums_over_parts_merge_to_a_model() {
    let table = |first, count| "a,b,y\n".to_owned() + &rows(first, count);
    let (one, two, all) = (table(0, 2000), table(2000, 3000), table(0, 5000));
    let other = "x,b,y\n".to_owned() + &rows(0, 10);
    let folder = folder_with(&[
        ("1.csv", one.as_bytes()),
        ("2.csv", two.as_bytes()),
        ("all.csv", all.as_bytes()),
        ("other.csv", other.as_bytes()),
    ]);
    assert!(run(&folder, &format!("fit 1.csv {FIT} --features f.features")).status.success());
    for part in ["1", "2", "all"] {
        assert!(run(&folder, &format!("gram f.features {part}.csv -o {part}.sums")).status.success());
    }
    let parts = json(&folder, "merge f.features 1.sums 2.sums -o parts.srfm");
    let whole = json(&folder, "merge f.features all.sums -o whole.srfm");
    assert_eq!((&parts["rows"], &parts["parts"]), (&5000.into(), &2.into()));
    let error = |model: &str| json(&folder, &format!("evaluate {model}.srfm all.csv"))["rmse"].as_f64().unwrap();
    assert!((error("parts") / error("whole") - 1.0).abs() < 1e-4);
    let stated = whole["validation_rmse"].as_f64().unwrap();
    assert!((stated / error("whole") - 1.0).abs() < 0.02, "{stated}");

    let message = refused(&folder, "gram f.features other.csv -o x.sums", 1);
    assert!(message.contains("other.csv") && message.contains('a'), "{message}");
    assert!(run(&folder, &format!("fit 2.csv {FIT} --features g.features --seed 2")).status.success());
    assert!(
        refused(&folder, "merge g.features 1.sums -o x.srfm", 1).contains("1.sums: holds the sums of other features")
    );
    assert!(refused(&folder, "merge f.features f.features -o x.srfm", 1).contains("is no file of features or sums"));
    std::fs::write(folder.path().join("1.sums"), b"srfmsum1").unwrap();
    assert!(refused(&folder, "merge f.features 1.sums -o x.srfm", 1).contains("cut short"));
    assert!(!folder.path().join("x.srfm").exists() && !folder.path().join("x.sums").exists());
}

#[test]
fn what_needs_all_rows_in_memory_says_so() {
    let table = "a,b,y\n".to_owned() + &rows(0, 500) + "1,warm,3\n";
    let folder = folder_with(&[("t.csv", table.as_bytes())]);
    let fit = "fit t.csv --memory 1M --sample 100";
    assert!(refused(&folder, &format!("{fit} --lag a=0..2"), 1).contains("--lag needs all rows in memory"));
    assert!(refused(&folder, &format!("{fit} --task classification"), 2).contains("needs all rows in memory"));
    // The line counts from the start of the file.
    assert!(refused(&folder, fit, 1).contains("line 502, column \"b\""));
    assert!(refused(&folder, "fit t.csv --memory 1k --sample 100", 2).contains("take --sample"));
}
