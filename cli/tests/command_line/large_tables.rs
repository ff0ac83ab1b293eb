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
    // Six times three numbers of 8 bytes a row.
    let bound = json(&folder, &format!("fit t.csv {FIT} --memory 100k"));
    assert_eq!((&bound["sample"], &bound["rows"]), (&711.into(), &6000.into()));
    let text = String::from_utf8(run(&folder, &format!("fit t.csv {FIT} --memory 100k")).stdout).unwrap();
    assert!(text.contains(", 711 rows of the sample\n"), "{text}");
    let message = refused(&folder, &format!("fit t.csv {FIT} --memory 100k --sample 9000"), 2);
    assert!(message.contains("of 6000 rows takes about 844 kB") && message.contains("; take --sample 711 or less"));
}

/// Rules of a sample get the amplitudes of all rows, in blocks and by sums over parts.
#[test]
fn rules_take_their_amplitudes_from_all_rows() {
    let row = |i: usize| {
        let (a, b) = (i as f64 * 0.37 % 6.0, i as f64 * 0.91 % 2.0);
        let y = f64::from(u8::from(a > 2.5)) + f64::from(u8::from(b > 0.7 && a < 4.0));
        format!("{a},{b},{}\n", y + 0.3 * (i as f64 * 1.7).sin())
    };
    let table = "a,b,y\n".to_owned() + &(0..6000).map(row).collect::<String>();
    let folder = folder_with(&[("t.csv", table.as_bytes())]);
    let fit = "fit t.csv --method rules --max-features 6 --lambda 1e-6 --sample 300";
    let sums = json(&folder, &format!("{fit} --memory 1M -o blocks.srfm --features f.features"));
    assert!(json(&folder, "inspect blocks.srfm")["rules"].as_u64().unwrap() >= 2);
    assert!(run(&folder, "gram f.features t.csv -o t.sums").status.success());
    json(&folder, "merge f.features t.sums -o merged.srfm");
    let error = |model: &str| json(&folder, &format!("evaluate {model}.srfm t.csv"))["rmse"].as_f64().unwrap();
    assert!((error("merged") / error("blocks") - 1.0).abs() < 1e-4);
    // Noise of 0.3 / √2, and two in a hundred rows on the other side of a threshold that 300 rows place.
    let stated = sums["validation"]["rmse"].as_f64().unwrap();
    assert!(error("blocks") < 0.255 && (stated / error("blocks") - 1.0).abs() < 0.02, "{} {stated}", error("blocks"));
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
        ("gap.csv", b"a,b,y\n1,2,3\n1,,2\n"),
        ("text.csv", b"a,b,y\n1,2,3\n1,warm,2\n"),
    ]);
    let fitted = run(&folder, &format!("fit 1.csv {FIT} --features f.features"));
    assert!(fitted.status.success() && String::from_utf8_lossy(&fitted.stdout).ends_with("written       f.features\n"));
    for part in ["1", "2", "all"] {
        assert!(run(&folder, &format!("gram f.features {part}.csv -o {part}.sums")).status.success());
    }
    let parts = json(&folder, "merge f.features 1.sums 2.sums -o parts.srfm");
    let whole = json(&folder, "merge f.features all.sums -o whole.srfm");
    assert_eq!((&parts["rows"], &parts["parts"]), (&5000.into(), &2.into()));
    let origin = String::from_utf8(run(&folder, "inspect parts.srfm").stdout).unwrap();
    assert!(origin.contains("Fitted to 5000 rows of 1.sums (") && origin.contains(") with 2.sums ("), "{origin}");
    assert!(origin.contains("Errors: validation RMSE ") && !origin.contains("training RMSE"), "{origin}");
    let error = |model: &str| json(&folder, &format!("evaluate {model}.srfm all.csv"))["rmse"].as_f64().unwrap();
    assert!((error("parts") / error("whole") - 1.0).abs() < 1e-4);
    let stated = whole["validation_rmse"].as_f64().unwrap();
    assert!((stated / error("whole") - 1.0).abs() < 0.02, "{stated}");

    let message = refused(&folder, "gram f.features other.csv -o x.sums", 1);
    assert!(message.contains("other.csv") && message.contains('a'), "{message}");
    for (part, advice) in [
        ("gap.csv, line 3", "is missing; fit the features with --missing drop, or complete the row\n"),
        ("text.csv, line 3", "not a number; correct the cell, or fit the features with --ignore and the name of the"),
    ] {
        let name = part.split(',').next().unwrap();
        let message = refused(&folder, &format!("gram f.features {name} -o x.sums"), 1);
        assert!(message.contains(part) && message.contains(advice), "{message}");
    }
    assert!(run(&folder, &format!("fit 2.csv {FIT} --features g.features --seed 2")).status.success());
    assert!(
        refused(&folder, "merge g.features 1.sums -o x.srfm", 1).contains("1.sums: holds the sums of other features")
    );
    assert!(refused(&folder, "merge f.features f.features -o x.srfm", 1).contains("is no file of features or sums"));
    std::fs::write(folder.path().join("1.sums"), b"srfmsum3").unwrap();
    assert!(refused(&folder, "merge f.features 1.sums -o x.srfm", 1).contains("cut short"));
    assert!(!folder.path().join("x.srfm").exists() && !folder.path().join("x.sums").exists());
}

#[test]
fn predictions_and_errors_of_blocks_are_those_of_the_whole_file() {
    let (table, gaps) = ("a,b,y\n".to_owned() + &rows(0, 6000), "1,,2\n".repeat(300) + "1,nan,\n");
    let with_gaps = table.clone() + &gaps;
    let few = "a,b,y\n".to_owned() + &rows(0, 300);
    let files = [("t.csv", &table[..]), ("few.csv", &few), ("gaps.csv", &with_gaps), ("none.csv", "a,b,y\n")];
    let folder = folder_with(&files.map(|(name, text)| (name, text.as_bytes())));
    assert!(run(&folder, "fit few.csv --method compact --max-features 4 --order 1 -o m.srfm").status.success());
    for options in ["", " --intervals", " -o out.csv"] {
        let command = format!("predict m.srfm t.csv{options}");
        let of_file = |command: &str| {
            let found = run(&folder, command);
            let file = std::fs::read(folder.path().join("out.csv")).unwrap_or_default();
            (found.status.success(), found.stdout, found.stderr, file)
        };
        let whole = of_file(&command);
        assert!(whole.0 && whole.1.len() + whole.3.len() > 6000 * 4);
        // 256 rows a block.
        assert_eq!(of_file(&format!("{command} --memory 64k")), whole);
    }
    let dropped = "evaluate m.srfm gaps.csv --missing drop";
    let (blocks, whole) = (json(&folder, &format!("{dropped} --memory 64k")), json(&folder, dropped));
    for key in ["rows", "data", "coverage", "outside", "half_widths"] {
        assert_eq!(blocks[key], whole[key], "{key}");
    }
    assert_eq!(whole["data"]["dropped_rows"], 301);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    for key in ["rmse", "r2", "mse"] {
        assert!((number(&blocks[key]) / number(&whole[key]) - 1.0).abs() < 1e-9, "{key}");
    }
    let message = refused(&folder, "predict m.srfm t.csv --memory 64k --json", 2);
    assert_eq!(message, "srfm: --json with --memory: name a file for the predictions with -o\n");
    let listed = json(&folder, "predict m.srfm t.csv --memory 64k -o out.csv");
    assert!(listed["rows"] == 6000 && listed["predictions"].is_null() && listed["outside"].is_null());

    assert!(refused(&folder, "evaluate m.srfm none.csv --memory 1M", 1).contains("none.csv"));
    let message = refused(&folder, "evaluate m.srfm t.csv --labels t.csv --memory 1M", 2);
    assert!(message.contains("--labels needs all rows in memory; leave out --memory"), "{message}");
    assert!(run(&folder, "fit few.csv --lag a=0..1 --method linear -o lag.srfm").status.success());
    let message = refused(&folder, "predict lag.srfm t.csv --memory 1M", 2);
    assert!(message.contains("a model with lags or windows needs all rows in memory"), "{message}");
    // A value that is no number ends the command, and no file is left half-written.
    std::fs::write(folder.path().join("t.csv"), table + "1,x,2\n").unwrap();
    let message = refused(&folder, "predict m.srfm t.csv --memory 64k -o new.csv", 1);
    assert!(message.contains("line 6002") && message.contains("\"x\""), "{message}");
    assert!(!folder.path().join("new.csv").exists());
}

#[test]
fn what_needs_all_rows_in_memory_says_so() {
    let table = "a,b,y\n".to_owned() + &rows(0, 500) + "1,warm,3\n";
    let numbers = "a,b,y\n".to_owned() + &rows(0, 500);
    let settings = "[method.linear]\nhuber = 1.345\n";
    let files = [("t.csv", table.as_bytes()), ("n.csv", numbers.as_bytes()), ("huber.toml", settings.as_bytes())];
    let folder = folder_with(&files);
    let fit = "fit t.csv --memory 1M --sample 100";
    let robust = "fit n.csv --config huber.toml -o m.srfm";
    let message = refused(&folder, &format!("{robust} --memory 1M --sample 100"), 2);
    assert!(message.contains("huber needs all rows in memory") && !folder.path().join("m.srfm").exists(), "{message}");
    assert!(run(&folder, robust).status.success());
    assert!(
        refused(&folder, &format!("{fit} --lag a=0..2"), 2)
            .contains("--lag cannot be set: it needs all rows in memory")
    );
    assert!(refused(&folder, &format!("{fit} --task classification"), 2).contains("needs all rows in memory"));
    // The line counts from the start of the file.
    assert!(refused(&folder, fit, 1).contains("line 502, column \"b\""));
    let message = refused(&folder, "fit t.csv --memory 1k --sample 100", 2);
    assert!(message.contains("more than the 1 kB of --memory; raise --memory to 15k\n"), "{message}");
    let message = refused(&folder, "fit t.csv --memory 9 --sample 100", 2);
    assert!(message.contains("more than the 9 bytes of --memory; raise --memory to 15k\n"), "{message}");
}
