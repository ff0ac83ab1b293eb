//! Several targets at once, and targets of any size.

use super::{folder_with, json, run};

const METHODS: [&str; 5] = ["harfe", "shrimp", "srfe", "fourier", "min-norm"];

/// Two inputs and three targets: a curve, minus twice the curve and three, and an input.
fn three_targets(rows: usize) -> String {
    let row = |i: usize| {
        let (a, b) = (i as f64 * 0.37 % 3.0, i as f64 * 0.91 % 2.0);
        let curve = a.sin() + b * b;
        format!("{a},{b},{curve},{},{b}\n", 3.0 - 2.0 * curve)
    };
    "a,b,u,v,w\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn every_method_fits_several_targets() {
    let folder = folder_with(&[("t.csv", three_targets(120).as_bytes())]);
    let targets = "--target u --target v --target w";
    for method in METHODS {
        let fit = format!("fit t.csv {targets} --method {method} --max-features 12 --lambda 1e-6 -o m.srfm");
        let fit = json(&folder, &format!("{fit} --test t.csv"));
        assert_eq!((&fit["model"]["inputs"], &fit["model"]["outputs"]), (&2.into(), &3.into()), "{method}");
        let evaluate = json(&folder, &format!("evaluate m.srfm t.csv {targets}"));
        let mut expected = fit["holdout"].clone();
        expected["format"] = 1.into();
        expected["data"] = evaluate["data"].clone();
        assert_eq!((&evaluate, &evaluate["rows"], &evaluate["data"]["rows"]), (&expected, &120.into(), &120.into()));
        let of = |output: usize, key: &str| evaluate["outputs"][output][key].as_f64().unwrap();
        for (output, name) in ["u", "v", "w"].into_iter().enumerate() {
            assert_eq!(evaluate["outputs"][output]["output"], name);
            assert!(of(output, "r2") > 0.99, "{method} {name}: {evaluate}");
        }
        // v is -2 u + 3, and so are its errors; the total is over all outputs.
        assert!((of(1, "rmse") / of(0, "rmse") - 2.0).abs() < 0.02, "{method}: {evaluate}");
        let mean = (0..3).map(|output| of(output, "mse")).sum::<f64>() / 3.0;
        assert!((evaluate["mse"].as_f64().unwrap() / mean - 1.0).abs() < 1e-9);

        let predict = json(&folder, &format!("predict m.srfm t.csv {targets}"));
        let text = String::from_utf8(run(&folder, "predict m.srfm t.csv").stdout).unwrap();
        assert_eq!((text.lines().next(), text.lines().count()), (Some("u,v,w"), 121));
        let values: Vec<f64> = text.lines().nth(5).unwrap().split(',').map(|v| v.parse().unwrap()).collect();
        for (output, value) in values.iter().enumerate() {
            assert_eq!(predict["predictions"][4][output].as_f64().unwrap() as f32, *value as f32);
        }
        assert!((values[1] - (3.0 - 2.0 * values[0])).abs() < 1e-3, "{method}: {values:?}");
    }
    let text = String::from_utf8(run(&folder, &format!("evaluate m.srfm t.csv {targets}")).stdout).unwrap();
    assert!(["  u ", "  v ", "  w "].iter().all(|name| text.contains(name)) && text.contains("RMSE"), "{text}");
    let one = json(&folder, "fit t.csv --method harfe --max-features 5");
    assert!(one["training"]["outputs"].is_null(), "one target is the total");
}

#[test]
fn targets_and_inputs_of_any_size() {
    let scaled = |target: f64, input: f64| {
        let row = |i: usize| {
            let (a, b) = (i as f64 * 0.37 % 3.0, i as f64 * 0.91 % 2.0);
            format!("{:e},5,{b},{:e}\n", a * input, (a.sin() + b) * target)
        };
        "a,still,b,y\n".to_owned() + &(0..100).map(row).collect::<String>()
    };
    let folder = folder_with(&[
        ("one.csv", scaled(1.0, 1.0).as_bytes()),
        ("small.csv", scaled(1e-9, 1e9).as_bytes()),
        ("large.csv", scaled(1e9, 1e-9).as_bytes()),
    ]);
    for method in METHODS {
        let fit = |file: &str| {
            json(
                &folder,
                &format!("fit {file} --method {method} --max-features 10 --lambda 1e-4 --holdout 0.3 -o m.srfm"),
            )
        };
        let one = fit("one.csv");
        assert!(one["holdout"]["r2"].as_f64().unwrap() > 0.99, "{method}: {one}");
        let error = one["holdout"]["rmse"].as_f64().unwrap();
        for (file, unit) in [("small.csv", 1e-9), ("large.csv", 1e9)] {
            let scaled = fit(file);
            // The device rounds to one in 2²⁴ of the target, and cosines to 7e-7.
            let difference = (scaled["holdout"]["rmse"].as_f64().unwrap() / unit - error).abs();
            assert!(difference < 2e-2 * error + 1e-5, "{method}, {file}: {difference:e} of {error:e}");
            // The constant column is left out.
            assert_eq!((&scaled["model"]["inputs"], &scaled["model"]["active_inputs"]), (&3.into(), &2.into()));
            assert!((json(&folder, &format!("evaluate m.srfm {file}"))["r2"].as_f64().unwrap()) > 0.99);
        }
    }
    let said = String::from_utf8(run(&folder, "fit one.csv --method harfe --max-features 5").stderr).unwrap();
    assert!(said.contains("input 2 (\"still\") has the same value in every row"), "{said}");
}

#[test]
fn a_budget_of_flash_holds_for_several_targets_and_classes() {
    // Twelve classes on a grid, each a cloud of twenty rows.
    let wobble = |i: usize, by: f64| (i as f64 * by).sin();
    let row = |i: usize| {
        let (a, b) = ((i % 4 * 2) as f64 + wobble(i, 1.7), (i / 4 % 3 * 2) as f64 + wobble(i, 2.9));
        format!("{a},{b},class {}\n", i % 12)
    };
    let classes: String = (0..240).map(row).collect();
    let folder = folder_with(&[("t.csv", three_targets(120).as_bytes()), ("c.csv", classes.as_bytes())]);
    for (data, sizes) in [
        ("t.csv --target u --target v --target w", [("300", 300), ("1k", 1024), ("2K", 2048)]),
        ("c.csv --task classification", [("900", 900), ("2k", 2048), ("4K", 4096)]),
    ] {
        for method in METHODS {
            for (size, bytes) in sizes {
                let fit = json(&folder, &format!("fit {data} --method {method} --lambda 1e-3 --flash {size}"));
                let flash = fit["model"]["flash_bytes"].as_u64().unwrap();
                assert!(
                    flash <= bytes && fit["model"]["features"].as_u64().unwrap() > 0,
                    "{method}: {flash} of {bytes}"
                );
            }
        }
        // Nothing is left that a further feature would fit into.
        let fit = |features: &str| {
            json(&folder, &format!("fit {data} --method harfe --lambda 1e-3 --terms intercept {features}"))
        };
        let within = fit("--flash 1k");
        let more = within["model"]["features"].as_u64().unwrap() + 1;
        assert!(fit(&format!("--max-features {more}"))["model"]["flash_bytes"].as_u64().unwrap() > 1024, "{data}");
    }
}
