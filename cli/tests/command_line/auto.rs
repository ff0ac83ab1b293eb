//! `srfm fit` without a method, and `srfm compare`.

use std::fs;

use serde_json::Value;

use super::columns::stdout;
use super::{failure, folder_with, json, run, table};

#[test]
fn the_default_is_a_search() {
    let folder = folder_with(&[("t.csv", table(30).as_bytes()), ("folds.toml", b"folds = 2\n")]);
    let fit = json(&folder, "fit t.csv --config folds.toml --max-features 2 --flash 200 --core cortex-m0 -o m.srfm");
    assert!(fit["model"]["flash_bytes"].as_u64().unwrap() <= 200);
    assert!(["int", "int16"].contains(&fit["model"]["number"].as_str().unwrap()));
    let search = &fit["search"];
    assert!(search["tried"].as_u64().unwrap() > 20 && search["complete"] == true && search["rows"] == 30);
    let best = search["best"].as_array().unwrap();
    let errors: Vec<f64> = best.iter().map(|b| b["cross_validated_rmse"].as_f64().unwrap()).collect();
    assert!(errors.is_sorted() && best.iter().any(|b| b["method"] == "linear") && best.len() > 2);
    // The stated error is that of folds which did not choose.
    let stated = fit["cross_validated_rmse"].as_f64().unwrap();
    assert!(stated != errors[0] && (0.5..2.0).contains(&(stated / errors[0])), "{stated} {}", errors[0]);
    // A candidate of another kind than the first of the list is named.
    let chosen = &search["chosen"];
    let differs = ["number", "flash_bytes", "candidate"].map(|key| !chosen[key].is_null());
    assert!(differs == [true; 3] || chosen.is_null() && best[0]["method"] == fit["model"]["method"], "{search}");
    let inspect = json(&folder, "inspect m.srfm");
    assert_eq!(inspect["flash_bytes"], fs::metadata(folder.path().join("m.srfm")).unwrap().len());
    let options = "--max-features 2 --lambda 1e-3 --max-inputs 1 --one-standard-error --time 1m";
    let text = run(&folder, &format!("fit t.csv --config folds.toml {options}"));
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("candidates on 30 rows") && text.contains("not needed"), "{text}");
}

#[test]
fn the_report_says_how_many_of_many_rows_were_tested() {
    let folder = folder_with(&[]);
    let line = |rows: usize, effort: f64| {
        assert!(run(&folder, &format!("generate friedman1 --rows {rows} -o f.csv")).status.success());
        let text = run(&folder, &format!("fit f.csv --max-features 4 --effort {effort}")).stdout;
        let text = String::from_utf8(text).unwrap();
        text.lines().find(|line| line.starts_with("validation")).unwrap().to_owned()
    };
    // Three of five folds of 2,000 rows, and with more effort two of five folds of all 5,000.
    for (effort, tested) in [(0.02, 1200), (1.0, 2000)] {
        let line = line(5000, effort);
        assert!(line.ends_with(&format!(" of the target, tested on {tested} rows in random folds")), "{line}");
    }
    let few = line(300, 0.02);
    assert!(few.ends_with(" of the target"), "{few}");
}

#[test]
fn options_of_the_search_are_for_it_alone() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    for (arguments, option) in [
        ("fit t.csv --method harfe --time 5s", "--time"),
        ("fit t.csv --method harfe --max-inputs 1", "--max-inputs"),
        ("fit t.csv --method harfe --one-standard-error", "--one-standard-error"),
        ("fit t.csv --method harfe --number auto", "--number auto"),
        ("fit t.csv --time never", "--time"),
        ("fit t.csv --lambda -1", "lambda"),
    ] {
        let (code, said) = failure(&folder, arguments);
        assert!(code == 2 && said.contains(option), "{arguments}: {said}");
    }
    let (code, said) = failure(&folder, "fit t.csv --flash 40");
    assert!(code == 1 && said.contains("40 bytes") && said.contains("--flash"), "{said}");
}

#[test]
fn methods_are_compared() {
    let folder = folder_with(&[("t.csv", table(80).as_bytes())]);
    let arguments = "compare t.csv --methods harfe,fourier --sizes 2,6 --folds 3 --core cortex-m0 -o page.html";
    let comparison = json(&folder, arguments);
    let models = comparison["entries"].as_array().unwrap();
    let failed = comparison["failed"].as_array().unwrap();
    assert_eq!(models.len() + failed.len(), 6, "two methods of two sizes, the line and the mean");
    // Six features of so few rows have coefficients that integers cannot hold.
    assert!(
        models.len() > 4 && failed.iter().all(|f| f["reason"].as_str().unwrap().contains("--number")),
        "{failed:?}"
    );
    let errors: Vec<f64> = models.iter().map(|e| e["rmse"].as_f64().unwrap()).collect();
    assert!(errors.is_sorted() && models.iter().all(|e| e["instructions"].is_u64()));
    assert_eq!(models[0]["best_for_flash"], true, "nothing has less error");
    // A program in C has the parameters of the file, code and a table of cosines.
    let program = |entry: &Value| entry["program_bytes"].as_u64().unwrap();
    let with_features = |entry: &&Value| entry["features"].as_u64().unwrap() > 0;
    assert!(models.iter().filter(with_features).all(|entry| program(entry) > 1024), "{models:?}");
    assert!(models.iter().any(|entry| program(entry) < 200), "the line and the mean need no cosine: {models:?}");
    assert_eq!(comparison["inputs"].as_array().unwrap().len(), 2);
    assert_eq!((&comparison["complete"], &comparison["number"]), (&true.into(), &"int".into()));
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.matches("<svg").count() == 2 && page.contains("t.csv"));
    // Nothing is loaded from elsewhere.
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("<link"));
    let text = String::from_utf8(run(&folder, arguments).stdout).unwrap();
    assert!(text.contains("best for") && text.contains("judged with") && text.contains("as C, bytes"), "{text}");
    let (code, said) = failure(&folder, "compare t.csv -o t.csv");
    assert!(code == 2 && said.contains("t.csv"), "{said}");
}

#[test]
fn a_budget_that_allows_no_input_is_said() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    let constant = run(&folder, "fit t.csv --flash 60");
    let (text, said) = (String::from_utf8(constant.stdout).unwrap(), String::from_utf8(constant.stderr).unwrap());
    assert!(text.contains("of which 0 used") && said.contains("a constant that uses no input"), "{text}{said}");
    assert!(said.contains("raise --flash\n"), "{said}");
    assert!(
        text.contains("each method's best (RMSE in standard deviations of the target, bytes of file):\n"),
        "{text}"
    );
    // What the message names is enough, and a byte less is not.
    let smallest = |arguments: &str, before: &str| -> u32 {
        let (code, said) = failure(&folder, arguments);
        assert!(code == 1 && said.lines().count() == 1 && !said.contains("--max-features"), "{said}");
        said.split(before).nth(1).and_then(|rest| rest.split([' ', ';']).next()?.parse().ok()).expect(&said)
    };
    let bytes = smallest("fit t.csv --flash 5", "the smallest takes ");
    assert!(run(&folder, &format!("fit t.csv --flash {bytes}")).status.success());
    assert_eq!(smallest(&format!("fit t.csv --flash {}", bytes - 1), "the smallest takes "), bytes);
    let instructions = smallest("fit t.csv --instructions 5", "the fastest takes up to ");
    assert!(run(&folder, &format!("fit t.csv --instructions {instructions}")).status.success());
}

#[test]
fn polynomials_and_tables_are_had_where_they_are_best() {
    let rows = |target: fn(f64, f64) -> f64| {
        let row = |i: usize| {
            let (a, b) = (i as f64 * 0.37 % 3.0, i as f64 * 0.91 % 2.0);
            format!("{a},{b},{}\n", target(a, b))
        };
        "a,b,y\n".to_owned() + &(0..200).map(row).collect::<String>()
    };
    let (products, bends) = (rows(|a, b| a * a + a * b), rows(|a, b| (a - 1.5).abs() + 2.0 * (b - 1.0).max(0.0)));
    let folder = folder_with(&[("p.csv", products.as_bytes()), ("t.csv", bends.as_bytes())]);
    let found = json(&folder, "fit p.csv --effort 1 --flash 200 -o p.srfm");
    assert_eq!(found["search"]["best"][0]["method"], "polynomial", "{}", found["search"]);
    // They have a model file as all others.
    let compared = run(&folder, "compare p.csv --methods polynomial,table --sizes 4");
    let compared = String::from_utf8(compared.stdout).unwrap();
    let rows = compared.lines().filter(|line| line.starts_with("polynomial") || line.starts_with("table"));
    assert_eq!(rows.filter(|row| !row.contains(" - ")).count(), 2, "{compared}");
    for (file, method) in [("p.csv", "polynomial"), ("t.csv", "table")] {
        let alone = json(&folder, &format!("fit {file} --method {method} --deploy c -o {method}.srfm"));
        assert!(alone["training"]["r2"].as_f64().unwrap() > 0.999, "{alone}");
        stdout(&folder, &format!("export {method}.srfm --c {method}.h"));
        assert!(fs::read_to_string(folder.path().join(format!("{method}.h"))).unwrap().contains("_predict("));
    }
}
