//! Fits: what is refused, what is chosen.

use std::fs;

use super::{failure, folder_with, json, run, table};

#[test]
fn the_same_seed_gives_the_same_file_on_any_number_of_threads() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    for (threads, file) in [(1, "one.srfm"), (2, "two.srfm")] {
        assert!(
            run(&folder, &format!("fit t.csv --method harfe --max-features 20 --threads {threads} -o {file}"))
                .status
                .success()
        );
    }
    let bytes = |file: &str| fs::read(folder.path().join(file)).unwrap();
    assert_eq!(bytes("one.srfm"), bytes("two.srfm"));
}

#[test]
fn unusable_data_and_settings_are_answered_with_what_to_do() {
    let constant = "a,b,y\n1,2,3\n2,2,3\n3,2,3\n4,2,3\n5,2,3\n6,2,3\n";
    let folder = folder_with(&[
        ("t.csv", table(30).as_bytes()),
        ("three.csv", table(3).as_bytes()),
        ("one.csv", table(1).as_bytes()),
        ("column.csv", b"y\n1\n2\n3\n"),
        ("constant.csv", constant.as_bytes()),
        ("still.csv", b"a,y\n1,2\n1,3\n1,4\n1,5\n1,6\n1,7\n"),
        ("bad.toml", b"folds = 5\nlambda = 3\n"),
    ]);
    fs::create_dir(folder.path().join("sub")).unwrap();
    let files = fs::read_dir(folder.path()).unwrap().count();
    let cases: [(&str, i32, &[&str]); 19] = [
        ("fit missing.csv -o o.srfm", 1, &["missing.csv", "cannot be read"]),
        ("fit sub -o o.srfm", 1, &["sub", "cannot be read"]),
        ("fit t.csv -o nowhere/o.srfm", 1, &["nowhere/o.srfm", "cannot be written"]),
        ("fit t.csv -o sub", 1, &["sub", "folder"]),
        ("fit t.csv --target z -o o.srfm", 2, &["\"z\"", "a, b, y"]),
        ("fit t.csv --target a --target b --target y -o o.srfm", 2, &["t.csv", "input"]),
        ("fit column.csv -o o.srfm", 1, &["column.csv", "input"]),
        ("fit constant.csv -o o.srfm", 1, &["\"y\"", "same value"]),
        ("fit still.csv --order 1 -o o.srfm", 1, &["input", "same value"]),
        ("fit three.csv -o o.srfm", 1, &["3 rows", "5", "--folds"]),
        ("fit one.csv -o o.srfm", 1, &["1 row is too few"]),
        ("fit one.csv --holdout 0.5 -o o.srfm", 1, &["1 row cannot be divided"]),
        ("fit t.csv --order 3 -o o.srfm", 2, &["order of 3", "2 inputs"]),
        ("fit t.csv --max-features 0 -o o.srfm", 2, &["--max-features", "from 1 to 65535"]),
        ("fit t.csv --holdout 1.5 -o o.srfm", 2, &["--holdout", "between 0 and 1"]),
        ("fit t.csv --lambda -1 -o o.srfm", 2, &["lambda", "-1"]),
        ("fit t.csv --flash 40 -o o.srfm", 1, &["40 bytes", "--flash"]),
        ("fit t.csv --method magic -o o.srfm", 2, &["magic", "harfe"]),
        ("fit t.csv --config bad.toml -o o.srfm", 2, &["bad.toml", "lambda", "line 2"]),
    ];
    for (arguments, code, expected) in cases {
        let (exit, said) = failure(&folder, arguments);
        assert_eq!(exit, code, "{arguments}: {said}");
        for part in expected {
            assert!(said.contains(part), "{arguments}: {said:?} should name {part:?}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), files, "a file was left behind");
}

#[test]
fn a_test_file_is_looked_at_before_the_fit() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("other.csv", b"1,2,3,4\n5,6,7,8\n")]);
    // The fit would fail too, on its settings: what is said first was looked at first.
    for (test, expected) in [("absent.csv", "cannot be read"), ("other.csv", "4 columns")] {
        let (code, said) = failure(&folder, &format!("fit t.csv --order 9 --test {test}"));
        assert!(code == 1 && said.contains(test) && said.contains(expected), "{said}");
    }
    fs::write(folder.path().join("fresh.csv"), table(30)).unwrap();
    assert_eq!(json(&folder, "fit t.csv --method harfe --max-features 5 --test fresh.csv")["holdout"]["rows"], 30);
}

#[test]
fn cross_validation_passes_by_what_the_device_cannot_hold() {
    let folder = folder_with(&[]);
    assert!(run(&folder, "generate ishigami --rows 400 -o ish.csv").status.success());
    let fit = json(&folder, "fit ish.csv --method harfe --order auto --max-features 200");
    assert!(fit["training"]["r2"].as_f64().unwrap() > 0.99, "{fit}");
}

#[test]
fn a_rare_event_gives_a_finite_score() {
    let rows: String = (0..40).map(|i| format!("{},{},{}\n", i % 7, i % 5, u8::from(i == 13))).collect();
    let folder = folder_with(&[("rare.csv", rows.as_bytes())]);
    let fit = json(&folder, "fit rare.csv --method harfe --max-features 5");
    // All but the event can be predicted as what they are; the event alone is the whole variance.
    let rmse = fit["cross_validated_rmse"].as_f64().expect("finite");
    assert!((0.5..3.0).contains(&rmse), "{rmse}");
    assert!(fit["lambda"].as_f64().unwrap() > 1e-8, "{fit}");
}

#[test]
fn every_method_fits_one_input() {
    let rows: String = (0..40).map(|i| format!("{i},{}\n", (f64::from(i) / 9.0).sin())).collect();
    let folder = folder_with(&[("one.csv", format!("a,y\n{rows}").as_bytes())]);
    for method in ["harfe", "fourier", "min-norm", "shrimp", "srfe", "gfc", "arff", "a-la-carte", "compact"] {
        let fitted = json(&folder, &format!("fit one.csv --method {method} --max-features 5"));
        assert!(fitted["order"].is_null() || fitted["order"] == 1, "{method}: {}", fitted["order"]);
    }
    // An order that was asked for is refused.
    let (code, said) = failure(&folder, "fit one.csv --method harfe --order 2");
    assert!(code == 2 && said.contains("an order of 2 inputs per feature"), "{code} {said}");
}
