//! What data files may look like, and what is said about those that cannot be used.

use std::fs;

use super::{failure, folder_with, json, run, table};

#[test]
fn files_come_in_several_shapes() {
    let comma = table(40);
    let bare = comma.lines().skip(1).collect::<Vec<_>>().join("\r\n");
    let shapes = [
        ("semicolon.csv", comma.replace(',', ";")),
        ("tab.csv", comma.replace(',', "\t")),
        ("blanks.csv", comma.replace(',', "   ")),
        ("mark.csv", format!("\u{feff}{comma}\n\n")),
        ("bare.csv", bare),
    ];
    let folder = folder_with(&[("comma.csv", comma.as_bytes())]);
    let reference = json(&folder, "fit comma.csv --method harfe --max-features 5");
    for (name, text) in shapes {
        fs::write(folder.path().join(name), text).unwrap();
        assert_eq!(
            json(&folder, &format!("fit {name} --method harfe --max-features 5"))["training"],
            reference["training"],
            "{name}"
        );
    }
}

#[test]
fn the_target_is_the_last_column_or_a_named_one() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    let last = json(&folder, "fit t.csv --method harfe --max-features 5");
    assert_eq!(json(&folder, "fit t.csv --method harfe --max-features 5 --target y")["training"], last["training"]);
    assert_ne!(json(&folder, "fit t.csv --method harfe --max-features 5 --target b")["training"], last["training"]);
    let two = json(&folder, "fit t.csv --method harfe --max-features 5 --target y --target b --order 1 -o two.srfm");
    assert_eq!((&two["model"]["inputs"], &two["model"]["outputs"]), (&1.into(), &2.into()));
    // The named columns are found again wherever they stand.
    assert_eq!(json(&folder, "evaluate two.srfm t.csv --target y --target b")["rows"], 60);
}

#[test]
fn bad_tables_are_answered_with_file_line_and_column() {
    let long = table(30);
    let with = |line: usize, text: &str| {
        let mut lines: Vec<&str> = long.lines().collect();
        lines[line - 1] = text;
        lines.join("\n")
    };
    let cases: [(&str, String, &[&str]); 12] = [
        ("empty.csv", String::new(), &["empty.csv", "empty"]),
        ("blank.csv", "\n\n".into(), &["blank.csv", "empty"]),
        ("header.csv", "a,b,y\n".into(), &["header.csv", "no rows", "line 1"]),
        ("ragged.csv", with(7, "1,2"), &["ragged.csv", "line 7", "2 fields", "3"]),
        ("wide.csv", with(9, "1,2,3,4"), &["wide.csv", "line 9", "4 fields"]),
        ("text.csv", with(5, "1,warm,3"), &["text.csv", "line 5", "\"b\"", "\"warm\"", "not a number"]),
        ("gap.csv", with(6, "1,,3"), &["gap.csv", "line 6", "\"b\"", "missing"]),
        ("nan.csv", with(8, "NaN,2,3"), &["nan.csv", "line 8", "\"a\"", "not finite"]),
        ("inf.csv", with(8, "1,2,-inf"), &["inf.csv", "line 8", "\"y\"", "not finite"]),
        ("huge.csv", with(8, "1,2e300,3"), &["huge.csv", "line 8", "\"b\"", "32-bit"]),
        ("comma.csv", long.replace(',', ";").replace('.', ","), &["comma.csv", "line 3", "point instead of a comma"]),
        ("binary.csv", String::new(), &["binary.csv", "UTF-8"]),
    ];
    for (name, text, expected) in cases {
        let bytes = if name == "binary.csv" { vec![0xff, 0xfe, 0x00, 0x41] } else { text.into_bytes() };
        let folder = folder_with(&[(name, &bytes)]);
        let (code, said) = failure(&folder, &format!("fit {name} -o out.srfm"));
        assert_eq!((code, said.lines().count()), (1, 1), "{said}");
        for part in expected {
            assert!(said.contains(part), "{name}: {said:?} should name {part:?}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{name}: a file was left behind");
    }
}

#[test]
fn headers_and_targets_are_told_apart() {
    let named = table(60);
    let bare = named.split_once('\n').unwrap().1.to_owned();
    let folder = folder_with(&[
        ("named.csv", named.as_bytes()),
        ("bare.csv", bare.as_bytes()),
        ("slip.csv", format!("1,warm,3\n{bare}").as_bytes()),
        ("twice.csv", named.replace("a,b,y", "a,a,y").as_bytes()),
        ("comment.csv", format!("# from the bench; 20 °C\n\n{named}1,2\n").as_bytes()),
        ("units.csv", named.replace("a,b,y", "\"a; raw\",b|c,y").as_bytes()),
    ]);
    // A model of columns without names takes the same columns with names.
    assert!(run(&folder, "fit bare.csv --method harfe --max-features 5 -o bare.srfm").status.success());
    assert_eq!(json(&folder, "evaluate bare.srfm named.csv"), json(&folder, "evaluate bare.srfm bare.csv"));

    let slip = run(&folder, "fit slip.csv --method harfe --max-features 5");
    let said = String::from_utf8(slip.stderr).unwrap();
    assert!(slip.status.success() && said.contains("slip.csv, line 1") && said.contains("\"warm\""), "{said}");
    assert!(run(&folder, "fit slip.csv --method harfe --max-features 5 --quiet").stderr.is_empty());

    let (code, said) = failure(&folder, "fit twice.csv --target a");
    assert!(code == 1 && said.contains("columns 1 and 2"), "{said}");
    let (_, said) = failure(&folder, "fit comment.csv");
    assert!(said.contains("line 64") && said.contains("line 3 has 3"), "{said}");
    assert_eq!(json(&folder, "fit units.csv --method harfe --max-features 5")["model"]["inputs"], 2);
}

#[test]
fn the_order_of_target_options_does_not_matter() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    let fit = |targets: &str| {
        json(&folder, &format!("fit t.csv --method harfe --max-features 5 --order 1 {targets} -o two.srfm"))
    };
    let (by, yb) = (fit("--target b --target y"), fit("--target y --target b"));
    assert_eq!(by["training"], yb["training"]);
    let evaluate = |targets: &str| json(&folder, &format!("evaluate two.srfm t.csv {targets}"));
    assert_eq!(evaluate("--target b --target y"), evaluate("--target y --target b"));
    let (code, said) = failure(&folder, "evaluate two.srfm t.csv --target y");
    assert!(code == 2 && said.contains("1 target(s) named") && said.contains("2 output(s)"), "{said}");
}

#[test]
fn rows_are_counted_as_the_file_has_them() {
    let wide: String = (0..20).map(|i| format!("x{i},")).collect::<String>() + "y\n";
    let row = |r: usize| (0..20).map(|c| format!("{},", (r * (c + 3)) % 17)).collect::<String>() + &format!("{r}\n");
    let folder = folder_with(&[("w.csv", (wide + &(0..24).map(row).collect::<String>()).as_bytes())]);
    let linear = "fit w.csv --method harfe --max-features 5 --terms linear";
    let (_, said) = failure(&folder, linear);
    assert!(said.contains("24 rows in 5 folds leave 19"), "{said}");
    let (_, said) = failure(&folder, &format!("{linear} --holdout 0.5 --lambda 1"));
    assert!(said.contains("--holdout leaves 12 of 24 rows"), "{said}");
    // By default, linear terms are left out where the rows are too few for them.
    let fit = json(&folder, "fit w.csv --method harfe --max-features 5 -o default.srfm");
    let intercept = json(&folder, "fit w.csv --method harfe --max-features 5 --terms intercept -o intercept.srfm");
    assert_eq!(fit["model"], intercept["model"]);
}
