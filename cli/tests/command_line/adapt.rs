//! Logs that are replayed with references.

use std::f64::consts::TAU;

use super::{failure, folder_with, json, run};

/// Rows of y = sin a + b, and `gain` times that in the second half.
fn log(rows: usize, gain: f64) -> String {
    let row = |i: usize| {
        let (a, b) = (i as f64 * 0.37 % TAU, i as f64 * 0.91 % 2.0);
        let gain = if 2 * i < rows { 1.0 } else { gain };
        format!("{a},{b},{}\n", gain * (a.sin() + b) + 0.02 * (i as f64 * 1.7).sin())
    };
    "a,b,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn a_log_that_drifts_is_followed() {
    let (fitted, same, drifted) = (log(300, 1.0), log(2000, 1.0), log(2000, 1.6));
    let folder = folder_with(&[
        ("t.csv", fitted.as_bytes()),
        ("same.csv", same.as_bytes()),
        ("drifted.csv", drifted.as_bytes()),
    ]);
    assert!(run(&folder, "fit t.csv --method compact --max-features 8 -o m.srfm").status.success());
    let number = |value: &serde_json::Value| value.as_f64().unwrap();

    let followed = json(&folder, "adapt m.srfm drifted.csv --references 10%");
    assert!((150..250).contains(&followed["references"].as_u64().unwrap()));
    assert!(number(&followed["change"]) < -0.4, "{followed}");
    assert!(number(&followed["frozen"]["coverage"]) < 0.7, "{followed}");
    assert!((0.82..0.97).contains(&number(&followed["adapted"]["coverage"])), "{followed}");
    let text = String::from_utf8(run(&folder, "adapt m.srfm drifted.csv --references 10%").stdout).unwrap();
    let number_of = |key: &str| text.lines().find(|line| line.starts_with(key)).unwrap_or_else(|| panic!("{text}"));
    let share = |key: &str| 100.0 * number(&followed[key]["coverage"]);
    assert_eq!(
        number_of("replayed"),
        format!("replayed      2000 rows, {} references, seed 1", followed["references"])
    );
    assert!(number_of("frozen").contains(&format!(", {:.2} % within", share("frozen"))), "{text}");
    assert!(number_of("adapted").contains(&format!(", {:.2} % within", share("adapted"))), "{text}");
    assert!(
        number_of("adapted").ends_with(&format!("within, {:+.1} %", 100.0 * number(&followed["change"]))),
        "{text}"
    );
    assert_eq!(number_of("drift"), format!("drift         first alarm at row {}", followed["first_alarm"]));
    assert!(number_of("outside").ends_with(" outside of the fitted range"), "{text}");
    let ram = format!("RAM           {} bytes for 7 coefficients, interval and alarms", followed["ram_bytes"]);
    assert_eq!(number_of("RAM"), ram);
    assert_eq!((&followed["regressors"], followed["coefficients"].as_array().unwrap().len()), (&"products".into(), 7));
    let of_inputs = json(&folder, "adapt m.srfm drifted.csv --references 10% --regressors inputs");
    assert_eq!((&of_inputs["regressors"], of_inputs["coefficients"].as_array().unwrap().len()), (&"inputs".into(), 4));
    assert!(number(&of_inputs["change"]) < -0.4, "{of_inputs}");
    assert!(number(&of_inputs["ram_bytes"]) < number(&followed["ram_bytes"]), "{of_inputs}");
    // The drift begins at row 1001.
    assert!((1001..1300).contains(&followed["first_alarm"].as_u64().unwrap()), "{followed}");

    let left_alone = json(&folder, "adapt m.srfm same.csv --references 0.1");
    assert!(number(&left_alone["change"]) < 0.03 && left_alone["first_alarm"].is_null(), "{left_alone}");
    let text = String::from_utf8(run(&folder, "adapt m.srfm same.csv --references 0.1").stdout).unwrap();
    assert!(text.contains("\ndrift         no alarm\n"), "{text}");
    let frozen = json(&folder, "evaluate m.srfm same.csv");
    // The rows with a reference do not count.
    let (all, counted) = (number(&frozen["rmse"]), number(&left_alone["frozen"]["rmse"]));
    assert!((counted / all - 1.0).abs() < 0.1 && counted != all, "{counted} {all}");
}

#[test]
fn logs_without_targets_and_shares_out_of_range_are_refused() {
    let rows = log(60, 1.0);
    let inputs = "a,b\n1,1\n2,1\n";
    let folder = folder_with(&[("t.csv", rows.as_bytes()), ("x.csv", inputs.as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm").status.success());
    let (code, said) = failure(&folder, "adapt m.srfm x.csv");
    assert!(code == 1 && said.starts_with("srfm: x.csv: has inputs only; add the target as the last column"), "{said}");
    let (code, said) = failure(&folder, "adapt m.srfm t.csv --references 200%");
    assert!(code == 2 && said.contains("expected a share of the rows above 0 and below 1, such as 2%"), "{said}");
    let (code, said) = failure(&folder, "adapt m.srfm t.csv --references 1e-9");
    let expected = "srfm: t.csv: none of 60 rows is a reference; raise --references or add rows\n";
    assert_eq!((code, said.as_str()), (1, expected));
    let (code, said) = failure(&folder, "adapt m.srfm t.csv --references 0.999999");
    let expected = "every row is a reference, and no row is left to compare; lower --references or add rows\n";
    assert_eq!((code, said), (1, format!("srfm: t.csv: {expected}")));
}

#[test]
fn every_row_outside_of_the_fitted_range_counts() {
    let outside: String = (0..40).map(|i| format!("{},50,1\n", 100 + i)).collect();
    let folder =
        folder_with(&[("t.csv", log(60, 1.0).as_bytes()), ("far.csv", format!("a,b,y\n{outside}").as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm").status.success());
    assert_eq!(json(&folder, "evaluate m.srfm far.csv")["outside"], 40);
    // The last row is a reference with almost every seed.
    for seed in 1..=3 {
        assert_eq!(json(&folder, &format!("adapt m.srfm far.csv --references 90% --seed {seed}"))["outside"], 40);
    }
}

#[test]
fn a_model_of_several_quantities_is_refused() {
    let folder = folder_with(&[("t.csv", log(60, 1.0).as_bytes())]);
    assert!(
        run(&folder, "fit t.csv --target a --target y --method harfe --order 1 --max-features 5 -o m.srfm")
            .status
            .success()
    );
    let expected = "srfm: m.srfm: only models of one quantity adapt; fit a model for each target\n";
    assert_eq!(failure(&folder, "adapt m.srfm t.csv --target a --target y"), (1, expected.to_owned()));
}
