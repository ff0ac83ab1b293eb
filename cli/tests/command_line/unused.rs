//! Inputs that a model does not use: their values do not matter, and their columns may be absent.

use std::fs;

use srfm_testing::skip;
use srfm_trainer::cost::Core;
use srfm_trainer::emulate::require;
use tempfile::TempDir;

use super::columns::{FIT, permuted, stderr, stdout};
use super::{failure, folder_with, json};

/// A model of one feature of one input.
const ONE_INPUT: &str = "--method harfe --max-features 1 --order 1 --terms none --lambda 1e-3 --max-error 1";

/// Rows of two readings, a constant number and a constant category, which no model uses, and a target.
fn rows() -> String {
    let row = |i: usize| {
        let (a, b) = (i as f64 * 0.37 % 3.0, i as f64 * 0.91 % 2.0);
        format!("{a},20,{b},eco,{}\n", a.sin() + b)
    };
    "a,idle,b,mode,y\n".to_owned() + &(0..60).map(row).collect::<String>()
}

/// Returns the folder of a model of [`rows`], and of the same rows in files with other values of the unused inputs.
fn folder(options: &str) -> TempDir {
    let text = rows();
    let folder = folder_with(&[
        ("t.csv", text.as_bytes()),
        ("gaps.csv", text.replace(",20,", ",,").replace(",eco,", ",NA,").as_bytes()),
        ("words.csv", text.replace(",20,", ",broken,").replace(",eco,", ",turbo,").as_bytes()),
        ("absent.csv", permuted(&text, &[2, 0, 4]).as_bytes()),
    ]);
    let fit = json(&folder, &format!("fit t.csv --categorical mode {FIT} {options} -o m.srfm"));
    if !options.contains("--lag") {
        assert_eq!((&fit["model"]["inputs"], &fit["model"]["active_inputs"]), (&4.into(), &2.into()));
    }
    folder
}

#[test]
fn values_of_unused_inputs_do_not_matter() {
    for options in ["--seed 1", "--missing drop", "--missing mean", "--number int16"] {
        let folder = folder(options);
        for command in ["predict m.srfm", "evaluate m.srfm", "adapt m.srfm --references 10%"] {
            let expected = stdout(&folder, &format!("{command} t.csv"));
            assert!(!expected.contains("NaN"), "{expected}");
            for file in ["gaps.csv", "words.csv", "absent.csv"] {
                let arguments = format!("{command} {file}");
                assert_eq!(stdout(&folder, &arguments), expected, "{options}: {arguments}");
                assert_eq!(stderr(&folder, &arguments), "", "{options}: {arguments}");
            }
        }
        let blocks = "evaluate m.srfm absent.csv --memory 1k";
        assert_eq!(stdout(&folder, blocks), stdout(&folder, "evaluate m.srfm t.csv"));
    }
}

#[test]
fn the_board_does_not_need_unused_inputs() {
    if let Err(missing) = require(&[Core::CortexM0]) {
        return skip(&missing.to_string());
    }
    let folder = folder("--missing drop");
    let expected = json(&folder, "device m.srfm t.csv --rows 5");
    assert_eq!((&expected["rows"], &expected["bit_exact"]), (&5.into(), &true.into()));
    for file in ["gaps.csv", "absent.csv"] {
        assert_eq!(json(&folder, &format!("device m.srfm {file} --rows 5")), expected, "{file}");
    }
}

#[test]
fn the_c_file_says_which_inputs_are_not_used() {
    let code = |options: &str| {
        let folder = folder(options);
        stdout(&folder, "export m.srfm --c m.h");
        fs::read_to_string(folder.path().join("m.h")).unwrap().replace("\n   ", " ")
    };
    let text = code("--missing drop");
    for line in [
        "M_INPUT_A = 0, /* a */",
        "M_INPUT_IDLE = 1, /* idle, not used */",
        "M_INPUT_B = 2, /* b */",
        "M_INPUT_MODE_ECO = 3 /* mode = eco, not used */",
        "Pass NaN for a missing reading: there is no prediction then. A reading that is not used may hold any number.",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(code("--missing mean").contains("takes its place. A reading that is not used may hold any number. */"));
    assert!(code("--seed 1").contains("/* A reading that is not used may hold any number. */"));
    // A column is used where one of its samples is.
    let text = code("--lag a=0..1");
    assert!(text.contains("M_CHANNEL_A = 0, /* a */") && text.contains("/* idle, not used */"), "{text}");
}

#[test]
fn columns_that_the_model_uses_stay_needed() {
    let text = rows();
    let folder = folder("--seed 1");
    fs::write(folder.path().join("without.csv"), permuted(&text, &[0, 1, 3, 4])).unwrap();
    fs::write(folder.path().join("gap.csv"), text.replacen("\n0,20,0,", "\n,20,0,", 1)).unwrap();
    let (code, said) = failure(&folder, "predict m.srfm without.csv");
    assert!(code == 1 && said.contains("no column is called \"b\", which the model was fitted to"), "{said}");
    let (code, said) = failure(&folder, "predict m.srfm gap.csv");
    assert!(code == 1 && said.contains("gap.csv, line 2, column \"a\": \"\" is missing"), "{said}");
    // Without names, columns are found by their places, and none may be absent.
    fs::rename(folder.path().join("m.srfm.json"), folder.path().join("kept.json")).unwrap();
    json(&folder, &format!("fit t.csv --ignore mode {FIT} -o n.srfm"));
    let expected = stdout(&folder, "predict n.srfm t.csv");
    fs::remove_file(folder.path().join("n.srfm.json")).unwrap();
    fs::write(folder.path().join("places.csv"), permuted(&text, &[0, 1, 2]).replace(",20,", ",,")).unwrap();
    assert!(stdout(&folder, "predict n.srfm places.csv").lines().skip(1).eq(expected.lines().skip(1)));
}

#[test]
fn a_missing_category_matters_where_one_category_is_used() {
    // The target is one in the last of three categories.
    let row = |i: usize| format!("{},{},{}\n", i % 7, ["eco", "boost", "off"][i % 3], u8::from(i % 3 == 2));
    let text = "a,mode,y\n".to_owned() + &(0..60).map(row).collect::<String>();
    let gap = text.replacen(",eco,", ",,", 1);
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("gap.csv", gap.as_bytes())]);
    for missing in ["drop", "mean"] {
        json(&folder, &format!("fit t.csv --categorical mode --missing {missing} {ONE_INPUT} -o m.srfm"));
        let inspected = stdout(&folder, "inspect m.srfm");
        assert!(inspected.contains("inputs        4, of which 1 used"), "{inspected}");
        let said = stdout(&folder, "predict m.srfm gap.csv");
        let gaps: Vec<usize> = (0..60).filter(|&row| said.lines().nth(row + 1) == Some("NaN")).collect();
        assert_eq!(gaps, if missing == "drop" { vec![0] } else { vec![] }, "{said}");
        let counts = &json(&folder, "evaluate m.srfm gap.csv")["data"];
        let expected = if missing == "drop" { (1, 0) } else { (0, 1) };
        assert_eq!((&counts["dropped_rows"], &counts["replaced_values"]), (&expected.0.into(), &expected.1.into()));
    }
}
