//! Hints: what a user probably meant, and what oddities of the data cost.

use std::fs;

use super::columns::{FIT, stderr};
use super::{failure, folder_with, json, table};

#[test]
fn mistakes_are_named_for_what_they_are() {
    let text = table(60).replace("a,b,y", "flow,bridge_counts,pressure_hpa");
    let cell = text.replacen("\n0.37,", "\n1x3131,", 1);
    let column: String = (0..20).map(|i| format!("{i}.5\n")).collect();
    let own: String = (0..60).map(|i| format!("{},{},k{i}\n", i % 7, i % 11)).collect();
    let folder = folder_with(&[
        ("t.csv", text.as_bytes()),
        ("cell.csv", cell.as_bytes()),
        ("column.csv", column.as_bytes()),
        ("own.csv", format!("a,b,id\n{own}").as_bytes()),
        ("empty.srfm", b""),
    ]);
    json(&folder, &format!("fit t.csv {FIT} -o m.srfm"));
    for (arguments, expected) in [
        ("fit t.csv --target presure", "pressure_hpa; did you mean \"pressure_hpa\"?"),
        ("fit t.csv --ignore bridge", "did you mean \"bridge_counts\"?"),
        ("fit t.csv --inputs 7", "flow, bridge_counts, pressure_hpa, numbered from 1 to 3"),
    ] {
        let (code, said) = failure(&folder, arguments);
        assert_eq!((code, said.lines().count()), (2, 1), "{arguments}: {said}");
        assert!(said.contains(expected), "{arguments}: {said:?} should contain {expected:?}");
    }
    for (arguments, expected) in [
        ("fit column.csv", "has one column, not an input and a target; separate columns by commas"),
        ("fit cell.csv", "line 3, column \"flow\": \"1x3131\" is not a number; correct the cell or remove the row"),
        ("inspect m.srfm --verify cell.csv", "leave the column out with --ignore (an option of srfm evaluate)"),
        ("fit m.srfm", "m.srfm: is an srfm model, not a table"),
        ("predict t.csv m.srfm", "t.csv: not an srfm model (the first four bytes are not SRFM); where a command takes"),
        ("predict empty.srfm t.csv", "empty.srfm: the file is empty"),
        ("fit own.csv --task classification", "60 classes in 60 rows"),
    ] {
        let (code, said) = failure(&folder, arguments);
        assert_eq!((code, said.lines().count()), (1, 1), "{arguments}: {said}");
        assert!(said.contains(expected), "{arguments}: {said:?} should contain {expected:?}");
    }
    let (_, said) = failure(&folder, "fit t.csv --target altitude");
    assert!(said.ends_with("the columns are flow, bridge_counts, pressure_hpa\n"), "{said}");
    let description = fs::read_to_string(folder.path().join("m.srfm.json")).unwrap();
    fs::write(folder.path().join("m.srfm.json"), &description[..description.len() / 2]).unwrap();
    let said = stderr(&folder, "inspect m.srfm");
    assert!(said.contains("is no description of a model, or damaged or cut short; the description"), "{said}");
}

#[test]
fn codes_of_missing_values_and_what_they_cost_are_said() {
    // The first column lacks every fifth value, the second every twentieth, in other rows.
    let row = |i: usize| {
        let (a, b) = (i as f64 * 0.37 % 3.0, i as f64 * 0.91 % 2.0);
        let a_text = if i.is_multiple_of(5) { "-200".to_owned() } else { a.to_string() };
        let b_text = if i % 20 == 1 { "-200".to_owned() } else { b.to_string() };
        format!("{a_text},{b_text},{}\n", a.sin() + b)
    };
    let text = "CO_GT,b,y\n".to_owned() + &(0..200).map(row).collect::<String>();
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("full.csv", table(60).as_bytes())]);
    let said = stderr(&folder, &format!("fit t.csv {FIT}"));
    let code = "-200 stands in 40 rows of \"CO_GT\" and in another column, far from the other values; if it means \
                missing, add --missing-value -200";
    assert!(said.contains(code), "{said}");
    assert_eq!(stderr(&folder, &format!("fit t.csv {FIT} --quiet")), "");
    assert!(!stderr(&folder, &format!("fit full.csv {FIT}")).contains("stands in"));
    let said = stderr(&folder, &format!("fit t.csv {FIT} --missing drop --missing-value -200 --max-error 1 -o m.srfm"));
    let costs = "50 of 200 rows left out for missing values; without the column \"CO_GT\", 190 would be kept";
    assert!(said.contains(costs) && !said.contains("stands in"), "{said}");
    let said = stderr(&folder, &format!("fit t.csv {FIT} --missing mean --missing-value -200"));
    assert!(said.contains("srfm: 50 missing values replaced by the means of their inputs\n"), "{said}");
    // A missing reading is not outside of the range: both commands say the same of the fitted rows.
    let said = stderr(&folder, "predict m.srfm t.csv");
    let kept = "srfm: 50 of 200 rows have no prediction: a reading is missing\n";
    assert!(said.contains(kept) && !said.contains("outside"), "{said}");
    assert!(stderr(&folder, "evaluate m.srfm t.csv").contains("50 of 200 rows left out for missing values\n"));
    assert_eq!(json(&folder, "evaluate m.srfm t.csv")["outside"], 0);
    let predicted = json(&folder, "predict m.srfm t.csv");
    assert_eq!((&predicted["predictions"][5][0], &predicted["outside"][5]), (&serde_json::Value::Null, &0.into()));
}
