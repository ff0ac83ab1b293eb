//! Rows that count by a column of weights.

use serde_json::Value;

use super::{failure, folder_with, json, run};

/// Rows of two inputs, a weight, a quantity and a state. The halves of the rows contradict each other.
fn rows(count: usize) -> Vec<[String; 5]> {
    let row = |i: usize| {
        let uniform = |by: f64| (i as f64 * by).fract() * 2.0 - 1.0;
        let (a, b) = (uniform(0.618_033_988_7), uniform(0.414_213_562_4));
        let sign = if i < count / 2 { 1.0 } else { -1.0 };
        let y = sign * a + b + 0.2 * uniform(0.732_050_807_6);
        [
            a.to_string(),
            b.to_string(),
            (i % 4).to_string(),
            y.to_string(),
            ["off", "on"][usize::from(y > 0.0)].to_owned(),
        ]
    };
    (0..count).map(row).collect()
}

const HEADER: &str = "a,b,w,y,state\n";

/// A table of rows, each with another weight.
fn table(rows: &[[String; 5]], weight: impl Fn(usize, &str) -> String) -> String {
    let line = |(i, [a, b, w, y, state]): (usize, &[String; 5])| format!("{a},{b},{},{y},{state}\n", weight(i, w));
    HEADER.to_owned() + &rows.iter().enumerate().map(line).collect::<String>()
}

/// The same rows as copies, as many of each as its weight says.
fn copies(rows: &[[String; 5]]) -> String {
    let copied = rows.iter().flat_map(|row| vec![row.clone(); row[2].parse().unwrap()]);
    table(&copied.collect::<Vec<_>>(), |_, _| "1".to_owned())
}

/// Returns a figure.
fn figure(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("{name} in {value}"))
}

#[test]
fn weights_are_copies_in_fits_and_figures() {
    let rows = rows(400);
    let folder = folder_with(&[
        ("log.csv", table(&rows, |_, w| w.to_owned()).as_bytes()),
        ("copies.csv", copies(&rows).as_bytes()),
    ]);
    let of_target =
        |target: &str, other: &str| format!("--target {target} --ignore {other} --method linear --lambda 0.1");
    for (target, other, task, names) in [
        ("y", "state", "regression", &["rmse", "mse", "r2"][..]),
        ("state", "y", "classification", &["accuracy", "balanced_accuracy", "log_loss", "brier", "auc"][..]),
    ] {
        let settings = of_target(target, other);
        let weighted =
            json(&folder, &format!("fit log.csv {settings} --task {task} --weight w --test log.csv -o w.srfm"));
        let copied = json(&folder, &format!("fit copies.csv {settings} --task {task} --ignore w -o c.srfm"));
        let alike = json(&folder, &format!("fit log.csv {settings} --task {task} --ignore w -o a.srfm"));
        assert_eq!((&weighted["weight"], &weighted["rows"]), (&"w".into(), &300.into()));
        assert_eq!(weighted["data"]["rows_without_weight"], 100);
        assert!(weighted["training"]["weighted"] == true && alike["training"]["weighted"].is_null());
        let evaluated = json(&folder, "evaluate w.srfm log.csv --weight w");
        let in_blocks = json(&folder, "evaluate w.srfm log.csv --weight w --memory 1k");
        let of_copies = json(&folder, "evaluate w.srfm copies.csv --ignore w");
        for name in names {
            let own = figure(&evaluated, name);
            assert!((own / figure(&of_copies, name) - 1.0).abs() < 1e-9, "{name}: {evaluated} {of_copies}");
            assert!((own / figure(&in_blocks, name) - 1.0).abs() < 1e-9, "{name} in blocks");
            for part in ["training", "holdout"] {
                assert!((own / figure(&weighted[part], name) - 1.0).abs() < 1e-12, "{name}, {part}");
            }
        }
        // The models are the same, but for the rounding of sums; the lines of classes have a weak penalty of their own,
        // which does not grow with the rows.
        let apart = if target == "y" { 1e-6 } else { 0.02 };
        let own = figure(&weighted["training"], names[2]);
        assert!((own / figure(&copied["training"], names[2]) - 1.0).abs() < apart, "{target}");
    }
}

#[test]
fn the_search_follows_the_rows_that_count() {
    let rows = rows(300);
    let heavy = table(&rows, |i, _| if i < 150 { "40" } else { "1" }.to_owned());
    let folder = folder_with(&[
        ("log.csv", heavy.as_bytes()),
        ("first.csv", table(&rows[..150], |_, w| w.to_owned()).as_bytes()),
    ]);
    let fit = "fit log.csv --target y --ignore state --flash 400 --effort 0.3";
    let weighted = json(&folder, &format!("{fit} --weight w -o w.srfm"));
    let alike = json(&folder, &format!("{fit} --ignore w -o a.srfm"));
    let error = |model: &str| figure(&json(&folder, &format!("evaluate {model} first.csv --target y")), "rmse");
    assert!(error("w.srfm") < 0.3 * error("a.srfm"), "{} {}", error("w.srfm"), error("a.srfm"));
    // Cross-validation states the error by weights.
    let stated = |fit: &Value| figure(&fit["validation"], "rmse");
    assert!(stated(&weighted) < 0.5 * stated(&alike), "{} {}", stated(&weighted), stated(&alike));
    assert_eq!(weighted["validation"]["weighted"], true);
    let compare = "compare log.csv --target y --ignore state --methods linear --sizes 4";
    let least = |compared: &Value| {
        let entries = compared["entries"].as_array().unwrap().iter();
        entries.map(|entry| figure(entry, "rmse")).fold(f64::INFINITY, f64::min)
    };
    let (own, other) =
        (json(&folder, &format!("{compare} --weight w")), json(&folder, &format!("{compare} --ignore w")));
    assert!(least(&own) < 0.6 * least(&other), "{own} {other}");
    assert_eq!(own["weight"], "w");
}

#[test]
fn reports_say_that_rows_count_by_weights() {
    let rows = rows(120);
    let folder = folder_with(&[("log.csv", table(&rows, |_, w| w.to_owned()).as_bytes())]);
    let fit =
        run(&folder, "fit log.csv --target y --ignore state --weight w --method linear -o m.srfm --report m.html");
    let shown = String::from_utf8(fit.stdout).unwrap();
    assert!(shown.contains("weights       all errors and shares count rows by the column \"w\"\n"), "{shown}");
    let said = String::from_utf8(fit.stderr).unwrap();
    assert!(said.contains("30 of 120 rows left out for the weight 0"), "{said}");
    let page = std::fs::read_to_string(folder.path().join("m.html")).unwrap();
    assert!(page.contains("Rows count by their weights in these figures"));
    let evaluated = run(&folder, "evaluate m.srfm log.csv --weight w");
    let shown = String::from_utf8(evaluated.stdout).unwrap();
    assert!(shown.contains("weights       all errors and shares count rows by their weights\n"), "{shown}");
    // Predictions need no weights.
    assert!(run(&folder, "predict m.srfm log.csv").status.success());
    assert!(json(&folder, "evaluate m.srfm log.csv")["weighted"].is_null());
    // The stated errors are those by weights, of the same rows.
    let checks = json(&folder, "inspect m.srfm --verify log.csv");
    let checks = checks["checks"].as_array().unwrap();
    let of_rows = checks.iter().find(|check| check["figure"] == "RMSE of all rows").unwrap();
    assert!(of_rows["outcome"] == "holds" && checks.iter().all(|check| check["outcome"] != "differs"), "{checks:?}");
    let settings = "[columns.preparation]\nweight = \"w\"\nignore = [\"state\"]\n[method.linear]\n";
    std::fs::write(folder.path().join("s.toml"), settings).unwrap();
    run(&folder, "fit log.csv --target y --config s.toml -o s.srfm");
    let file = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(file("s.srfm"), file("m.srfm"));
}

#[test]
fn weights_that_are_none_are_refused() {
    let rows = rows(40);
    let with = |text: &'static str| table(&rows, move |i, w| if i == 3 { text.to_owned() } else { w.to_owned() });
    let none = table(&rows, |_, _| "0".to_owned());
    let one_class = table(&rows, |i, _| u8::from(rows[i][4] == "on").to_string());
    let folder = folder_with(&[
        ("log.csv", with("1").as_bytes()),
        ("negative.csv", with("-2").as_bytes()),
        ("gap.csv", with("").as_bytes()),
        ("nan.csv", with("NaN").as_bytes()),
        ("infinite.csv", with("inf").as_bytes()),
        ("text.csv", with("many").as_bytes()),
        ("none.csv", none.as_bytes()),
        ("one.csv", one_class.as_bytes()),
    ]);
    let is_none = "is no weight; weights are finite numbers of at least 0";
    for (arguments, code, message) in [
        ("negative.csv --weight w", 1, format!("negative.csv, line 5, column \"w\": \"-2\" {is_none}")),
        ("text.csv --weight w", 1, format!("text.csv, line 5, column \"w\": \"many\" {is_none}")),
        ("infinite.csv --weight w", 1, "infinite.csv, line 5, column \"w\": \"inf\" is not finite".to_owned()),
        ("gap.csv --weight w", 1, "gap.csv, line 5, column \"w\": the weight is missing; weights are".to_owned()),
        ("nan.csv --weight w", 1, "nan.csv, line 5, column \"w\": the weight is missing; weights are".to_owned()),
        ("none.csv --weight w", 1, "none.csv: all 40 rows have the weight 0 in \"w\"; give rows that".to_owned()),
        ("log.csv --weight u", 2, "log.csv: no column is called \"u\"; the columns are a, b, w, y, state".to_owned()),
        ("log.csv --weight y", 2, "the column \"y\" is named by --target and by --weight".to_owned()),
        ("log.csv --inputs a,b,w --weight w", 2, "the column \"w\" is named by --inputs and by --weight".to_owned()),
        ("log.csv --weight w --sample 100", 2, "--weight cannot be set: it needs all rows in memory".to_owned()),
    ] {
        let (found, error) = failure(&folder, &format!("fit {arguments} --target y --ignore state --method linear"));
        assert!(error.contains(&message), "{arguments}: {error}");
        assert_eq!((found, error.lines().count()), (code, 1), "{arguments}: {error}");
    }
    let classes = "fit one.csv --target state --ignore y --task classification --weight w --method linear";
    let (found, error) = failure(&folder, classes);
    assert!(found == 1 && error.contains("one.csv: every row has the class \"on\"; add rows"), "{error}");
    run(&folder, "fit log.csv --target y --ignore state,w --method linear -o m.srfm");
    let (found, error) = failure(&folder, "evaluate m.srfm log.csv --weight a");
    assert!(found == 2 && error.contains("the column \"a\" is named by --weight, but the model reads it"), "{error}");
    let (found, error) = failure(&folder, "evaluate m.srfm negative.csv --weight w");
    assert!(found == 1 && error.contains("line 5, column \"w\": \"-2\" is no weight"), "{error}");
}
