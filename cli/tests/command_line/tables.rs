//! Shapes of tables that other programs write, and the lines and columns that messages name.

use std::fs;

use super::columns::{FIT, bytes, stderr, stdout};
use super::{failure, folder_with, json, table};

#[test]
fn errors_name_the_line_of_an_editor() {
    // The bad field is in the last but one line of each text.
    let folder = folder_with(&[]);
    for (rows, line) in [
        ("a,b,y\n1,2,3\n4,5,6\nx,5,6\n7,8,10\n", 4),
        ("a,b,y\n1,2,3\n4,5,6\n\n\nx,5,6\n7,8,10\n", 6),
        ("\n# a log\na,b,y\n\n1,2,3\n4,5,6\nx,5,6\n7,8,10\n", 7),
        ("\"a\nin V\",b,y\n1,2,\"3\n\"\n4,5,6\nx,5,6\n7,8,10\n", 6),
    ] {
        for end in ["\n", "\r\n", "\r"] {
            let text = rows.replace('\n', end);
            let bad: [(Vec<u8>, &str); 4] = [
                (text.clone().into_bytes(), "\"x\" is not a number"),
                (text.replace("x,5,6", "4,6").into_bytes(), "2 fields where line"),
                (text.replace("x,5,6", ",5,6").into_bytes(), "\"\" is missing"),
                (text.bytes().map(|byte| if byte == b'x' { 0xff } else { byte }).collect(), "not UTF-8 text"),
            ];
            for (bytes, problem) in bad {
                fs::write(folder.path().join("t.csv"), bytes).unwrap();
                for memory in ["", " --memory 1M"] {
                    let (code, said) = failure(&folder, &format!("fit t.csv{memory}"));
                    let place = format!("t.csv, line {line}");
                    assert!(code == 1 && said.contains(&place) && said.contains(problem), "{text:?}: {said}");
                }
            }
        }
    }
    let text = "a,b,y\r\n1,2,u\r\n4,5,v\r\n\r\n4,5,w\r\n7,8,\r\n";
    fs::write(folder.path().join("t.csv"), text).unwrap();
    let (_, said) = failure(&folder, "fit t.csv --task classification");
    assert!(said.contains("t.csv, line 6, column \"y\": \"\" is missing"), "{said}");
}

#[test]
fn files_without_names_keep_their_first_row_and_numbered_columns_their_names() {
    let named = table(40);
    let rows = named.split_once('\n').unwrap().1;
    let indexed = |first: &str, from: usize| {
        let row = |(number, row)| format!("{number},{row}\n");
        first.to_owned() + &(from..).zip(rows.lines()).map(row).collect::<String>()
    };
    let stamped = (0..40).zip(rows.lines()).map(|(i, row)| format!("2024-01-01 00:{i:02}:00,{row}\n"));
    let folder = folder_with(&[
        ("t.csv", named.as_bytes()),
        ("stamped.csv", stamped.collect::<String>().as_bytes()),
        ("numbered.csv", format!("0,1,2\n{rows}").as_bytes()),
        ("index.csv", indexed(",a,b,y\n", 0).as_bytes()),
        ("numbers.csv", indexed(",0,1,2\n", 0).as_bytes()),
        ("bare.csv", indexed("", 1).as_bytes()),
        ("named.csv", indexed("day,a,b,y\n", 5).replace("\n5,", "\n0,").as_bytes()),
    ]);
    let training = &json(&folder, &format!("fit t.csv {FIT}"))["training"];
    for (options, inputs, remark) in [
        ("stamped.csv --inputs 2,3", ["column 2", "column 3"], ""),
        ("numbered.csv", ["0", "1"], "srfm: numbered.csv, line 1: read as a header, since it numbers the columns"),
        ("index.csv --ignore 1", ["a", "b"], ""),
    ] {
        let fit = json(&folder, &format!("fit {options} {FIT} -o m.srfm"));
        let described = &json(&folder, "inspect m.srfm")["description"]["inputs"];
        let names = [0, 1].map(|input| described[input]["name"].as_str().unwrap());
        assert_eq!((names, &fit["training"]), (inputs, training), "{options}");
        let said = stderr(&folder, &format!("fit {options} {FIT} -o m.srfm"));
        assert!(said.starts_with(remark) && said.lines().count() == usize::from(!remark.is_empty()), "{said}");
    }
    for (file, counted) in [
        ("index.csv", Some("from 0; if it is an index, add --ignore 1\n")),
        ("numbers.csv", Some("from 0; if it is an index, add --ignore \"column 1\"\n")),
        ("bare.csv", Some("from 1; if it is an index, add --ignore 1\n")),
        ("named.csv", None),
        ("t.csv", None),
    ] {
        let said = stderr(&folder, &format!("fit {file} {FIT}"));
        let remark = "srfm: input 1 (\"column 1\") counts the rows ";
        assert_eq!(said.split_once(remark).and_then(|(_, rest)| rest.split_inclusive('\n').next()), counted, "{said}");
        assert_eq!(stderr(&folder, &format!("fit {file} {FIT} --quiet")), "");
    }
}

#[test]
fn separators_at_the_ends_of_lines_and_of_spreadsheets_do_not_matter() {
    let text = table(40);
    let ended = text.replace('\n', ",\n");
    let folder = folder_with(&[
        ("t.csv", text.as_bytes()),
        ("ended.csv", ended.as_bytes()),
        ("sep.csv", format!("sep=;\r\n{}", text.replace(',', ";")).as_bytes()),
        ("decimals.csv", format!("sep=;\n{}", text.replace(',', ";").replace('.', ",")).as_bytes()),
        ("bare.csv", ended.split_once('\n').unwrap().1.as_bytes()),
        ("pair.csv", "1,2,\n3,4,\n".as_bytes()),
        ("empty.csv", "a,b,y,\n1,2,,\n3,4,,\n".as_bytes()),
    ]);
    json(&folder, &format!("fit t.csv {FIT} -o t.srfm"));
    let expected = stdout(&folder, "predict t.srfm t.csv");
    for (arguments, file) in [
        ("ended.csv", "t.csv"),
        ("ended.csv --missing drop", "t.csv"),
        ("sep.csv", "t.csv"),
        ("decimals.csv --decimal comma", "t.csv"),
        ("bare.csv", "bare.csv"),
    ] {
        json(&folder, &format!("fit {arguments} {FIT} -o m.srfm"));
        assert_eq!(stderr(&folder, &format!("fit {arguments} {FIT} -o m.srfm")), "", "{arguments}");
        let lines = |text: String| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(lines(stdout(&folder, &format!("predict m.srfm {file} --decimal point"))), lines(expected.clone()));
    }
    // Without a description, columns are found by their places.
    fs::remove_file(folder.path().join("t.srfm.json")).unwrap();
    assert_eq!(json(&folder, "evaluate t.srfm ended.csv"), json(&folder, "evaluate t.srfm t.csv"));
    assert_eq!(stdout(&folder, "predict t.srfm pair.csv").lines().count(), 3);
    let (code, said) = failure(&folder, "fit empty.csv --missing drop");
    let expected = "srfm: empty.csv: none of the 2 rows has a target; name another column with --target\n";
    assert_eq!((code, said.as_str()), (1, expected));
}

#[test]
fn messages_about_fields_and_formats_say_what_to_do() {
    let folder = folder_with(&[
        ("thousands.csv", b"a,b,y\n\"1,043\",2,3\n\"2,100\",2,4\n"),
        ("millions.csv", b"a,b,y\n\"1,234,567\",2,3\n\"2,000,100\",2,4\n"),
        ("decimal.csv", b"a;b;y\n1,043;2;3\n2,100;2;4\n"),
        ("quote.csv", b"a,b,y\n1,2,3\n\"4,5,6\n7,8,9\n"),
        ("last.csv", b"a,b,y\n1,2,3\n\"4,5,6\n"),
        ("end.csv", b"a,b,y\n1,2,3\n4,5,\"6\n7,8,9\n"),
        ("one.csv", b"a,b,y\n1,2,3\n4\n"),
        ("long.csv", ["y\n".to_owned(), "1\n".repeat(28), "1,2\n".to_owned()].concat().as_bytes()),
        ("units.csv", "t,y\n2.5 °C,3\n2.6 °C,4\n".as_bytes()),
        ("a.xlsx", b"PK\x03\x04 and so on"),
        ("grouped.csv", b"a,g,y\n1,u,\n2,v,\n"),
    ]);
    for (arguments, expected) in [
        (
            "fit thousands.csv",
            "\"1,043\" has separators of thousands; remove them, or if the comma marks the decimals, \
                               set --decimal comma\n",
        ),
        ("fit millions.csv", "\"1,234,567\" has separators of thousands; remove them"),
        ("fit decimal.csv", "\"1,043\" is not a number; write decimals with a point instead of a comma"),
        ("fit quote.csv", "line 3: 1 field where line 1 has 3; a quote opens in this line: close or remove it"),
        ("fit last.csv", "line 3: 1 field where line 1 has 3; a quote opens in this line"),
        ("fit end.csv", "line 3, column \"y\": \"6\\n7,8,9\" is not a number; a quote opens in this line"),
        (
            "fit one.csv",
            "line 3: 1 field where line 1 has 3; complete or remove the row; text above the header needs a # before \
             each line\n",
        ),
        ("fit long.csv", "line 30: 2 fields where line 1 has 1; complete or remove the row\n"),
        (
            "fit units.csv",
            "text in the column t (line 2: \"2.5 °C\"); remove the unit °C after each number, or add --ignore t\n",
        ),
        ("fit a.xlsx", "a.xlsx: is a zip archive; save a spreadsheet as CSV"),
        ("fit grouped.csv --group g --missing drop", "none of the 2 rows has a target and a group"),
    ] {
        let (code, said) = failure(&folder, arguments);
        assert!(code == 1 && said.lines().count() == 1 && said.contains(expected), "{arguments}: {said}");
    }
    let row = |i: i32| format!("\"{},{:03}\",{}\n", i % 3 + 1, i * 7 % 900 + 100, i * i % 11);
    let text = "a,y\n".to_owned() + &(0..40).map(row).collect::<String>();
    fs::write(folder.path().join("t.csv"), text).unwrap();
    assert_eq!(json(&folder, &format!("fit t.csv --decimal comma {FIT} --order 1"))["rows"], 40);
}

#[test]
fn words_of_other_programs_stand_for_missing_values() {
    let text = table(40);
    let words = ["N/A", "n/a", "#N/A", "None", "<NA>", "-", "--", "NULL"];
    let rows: String = words.iter().map(|word| format!("1,{word},2\n")).collect();
    let folder = folder_with(&[("t.csv", text.as_bytes()), ("gaps.csv", format!("{text}{rows}").as_bytes())]);
    json(&folder, &format!("fit t.csv {FIT} -o t.srfm"));
    let fit = json(&folder, &format!("fit gaps.csv --missing drop {FIT} -o gaps.srfm"));
    assert_eq!(fit["data"]["dropped_rows"], words.len());
    assert_eq!(bytes(&folder, "gaps.srfm"), bytes(&folder, "t.srfm"));
    let said = stderr(&folder, "predict gaps.srfm gaps.csv");
    assert!(said.contains("8 of 48 rows have no prediction: a reading is missing"), "{said}");
    assert_eq!(stdout(&folder, "predict gaps.srfm gaps.csv").lines().filter(|line| *line == "NaN").count(), 8);
    assert!(stderr(&folder, "evaluate gaps.srfm gaps.csv").contains("8 of 48 rows left out for missing values"));
    let (_, said) = failure(&folder, "fit gaps.csv");
    assert!(said.contains("line 42, column \"b\": \"N/A\" is missing"), "{said}");
}

#[test]
fn columns_that_a_model_needs_are_neither_missing_nor_ignored() {
    let text = table(40);
    let other = text.replace("a,b,y", "a,b,target");
    let folder = folder_with(&[
        ("t.csv", text.as_bytes()),
        ("ren.csv", other.as_bytes()),
        ("two.csv", b"a,b,y\n1,2,3\n2,3,4\n"),
        ("constant.csv", b"a,b,y\n1,2,3\n2,3,3\n4,1,3\n"),
        ("one.csv", b"a,b,y\n1,2,3\n"),
    ]);
    json(&folder, &format!("fit t.csv {FIT} -o m.srfm"));
    json(&folder, &format!("fit t.csv --lag a=0..3 {FIT} -o lag.srfm"));
    let target = "ren.csv: no column is called \"y\", the target of the model; name another one with --target (left \
                  over: target)\n";
    let needed = "the column \"a\" is named by --ignore, but the model needs it; leave it out of --ignore\n";
    let lags = "the inputs look back at 4 samples, but the data do not have 4 rows; ";
    let fit_test = format!("fit t.csv {FIT} --test ren.csv");
    let cases: [(&str, i32, String); 14] = [
        ("evaluate m.srfm ren.csv", 1, target.to_owned()),
        ("evaluate m.srfm ren.csv --memory 1M", 1, target.to_owned()),
        (fit_test.as_str(), 1, target.to_owned()),
        ("report m.srfm ren.csv", 1, target.to_owned()),
        ("adapt m.srfm ren.csv", 1, target.to_owned()),
        ("evaluate m.srfm ren.csv --ignore target", 1, "ren.csv: has inputs only; ".to_owned()),
        ("predict m.srfm t.csv --ignore nope", 2, "no column is called \"nope\"".to_owned()),
        ("predict m.srfm t.csv --ignore a", 2, needed.to_owned()),
        ("predict m.srfm t.csv --inputs a,b --ignore a", 2, "is named by --inputs and by --ignore".to_owned()),
        ("evaluate m.srfm t.csv --target y --ignore y", 2, "is named by --target and by --ignore".to_owned()),
        ("evaluate lag.srfm two.csv", 1, format!("{lags}add rows\n")),
        ("fit two.csv --lag a=0..3", 1, format!("{lags}name smaller lags, or add rows\n")),
        ("fit constant.csv", 1, "constant.csv: the target \"y\" has the same value in every row".to_owned()),
        ("fit one.csv", 1, "one.csv: 1 row is too few".to_owned()),
    ];
    for (arguments, code, expected) in cases {
        let (found, said) = failure(&folder, arguments);
        let lines = said.lines().filter(|line| !line.contains("rows share samples")).count();
        assert!(found == code && lines == 1 && said.contains(&expected), "{arguments}: {found} {said}");
    }
    let rmse = |arguments: &str| json(&folder, arguments)["rmse"].clone();
    assert_eq!(rmse("evaluate m.srfm ren.csv --target target"), rmse("evaluate m.srfm t.csv"));
    assert_eq!(stdout(&folder, "predict m.srfm t.csv --ignore y"), stdout(&folder, "predict m.srfm t.csv"));
}
