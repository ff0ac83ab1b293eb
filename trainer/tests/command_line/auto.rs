//! `srfm fit` without a method, and `srfm compare`.

use std::fs;

use crate::{failure, folder_with, json, run, table};

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
    let inspect = json(&folder, "inspect m.srfm");
    assert_eq!(inspect["flash_bytes"], fs::metadata(folder.path().join("m.srfm")).unwrap().len());
    let options = "--max-features 2 --lambda 1e-3 --max-inputs 1 --one-standard-error --time 1m";
    let text = run(&folder, &format!("fit t.csv --config folds.toml {options}"));
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("candidates on 30 rows") && text.contains("not needed"), "{text}");
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
    let entries = comparison["entries"].as_array().unwrap();
    let failed = comparison["failed"].as_array().unwrap();
    let (plain, models): (Vec<_>, Vec<_>) =
        entries.iter().partition(|entry| ["polynomial", "table"].contains(&entry["method"].as_str().unwrap()));
    assert_eq!(models.len() + failed.len(), 6, "two methods of two sizes, the line and the mean");
    assert!(plain.iter().any(|e| e["method"] == "polynomial") && plain.iter().any(|e| e["method"] == "table"));
    // Six features of so few rows have coefficients that integers cannot hold.
    assert!(
        models.len() > 4 && failed.iter().all(|f| f["reason"].as_str().unwrap().contains("--number")),
        "{failed:?}"
    );
    let errors: Vec<f64> = entries.iter().map(|e| e["rmse"].as_f64().unwrap()).collect();
    assert!(errors.is_sorted() && entries.iter().all(|e| e["instructions"].is_u64()));
    assert_eq!(entries[0]["best_for_flash"], true, "nothing has less error");
    assert_eq!(comparison["inputs"].as_array().unwrap().len(), 2);
    assert_eq!((&comparison["complete"], &comparison["number"]), (&true.into(), &"int".into()));
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.matches("<svg").count() == 2 && page.contains("t.csv"));
    // Nothing is loaded from elsewhere.
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("<link"));
    let text = String::from_utf8(run(&folder, arguments).stdout).unwrap();
    assert!(text.contains("best for") && text.contains("judged with"), "{text}");
    let (code, said) = failure(&folder, "compare t.csv -o t.csv");
    assert!(code == 2 && said.contains("t.csv"), "{said}");
}
