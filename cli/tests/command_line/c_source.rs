//! Models as C source.

use std::fs;
use std::process::Command;

use super::{failure, folder_with, json, run, table};

/// Outputs in hundredths, by integers alone, as a program prints them.
#[test]
fn integer_outputs_have_the_unit_of_the_user() {
    let main = "#include <stdio.h>\n#include \"sensor.h\"\n\nint main(void) {\n    int16_t z[SENSOR_VALUES];\n    \
                int32_t y;\n    const float x[2] = { 0.37f, 0.91f };\n    sensor_prepare(x, z);\n    if \
                (sensor_predict_integers(z, &y) != SENSOR_OK) {\n        return 1;\n    }\n    printf(\"%ld\\n\", \
                (long)sensor_in_units(y));\n    return 0;\n}\n";
    let folder =
        folder_with(&[("t.csv", table(60).as_bytes()), ("x.csv", b"a,b\n0.37,0.91\n"), ("main.c", main.as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 --number int -o m.srfm").status.success());
    assert!(run(&folder, "export m.srfm --c sensor.h --output-unit 0.01").status.success());
    let text = fs::read_to_string(folder.path().join("sensor.h")).unwrap();
    assert!(text.starts_with("/* SPDX-License-Identifier: MIT OR Apache-2.0 */\n"), "{text}");
    assert!(text.contains("#define SENSOR_DECIMALS 2 "), "{text}");
    let Ok(compiled) = Command::new("cc").args(["main.c", "-o", "main"]).current_dir(folder.path()).output() else {
        return srfm_testing::skip("cc cannot be started: run `apt-get install gcc`");
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let printed = Command::new(folder.path().join("main")).output().unwrap().stdout;
    let hundredths: f64 = String::from_utf8(printed).unwrap().trim().parse().unwrap();
    let expected = json(&folder, "predict m.srfm x.csv")["predictions"][0][0].as_f64().unwrap();
    assert!((hundredths / 100.0 - expected).abs() < 0.00501, "{hundredths} {expected}");
    for (unit, said) in [("0", "do not fit 32 bits"), ("1e-12", "do not fit 32 bits")] {
        let (code, found) = failure(&folder, &format!("export m.srfm --c sensor.h --output-unit {unit}"));
        assert!(code == 2 && found.contains(said), "{found}");
    }
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 --number f32 -o f.srfm").status.success());
    let (code, found) = failure(&folder, "export f.srfm --c sensor.h --output-unit 0.01");
    assert!(code == 2 && found.contains("gives no quantities in integers"), "{found}");
}

/// A program that predicts the first row of the table.
const MAIN: &str = r#"#include <stdio.h>
#include "sensor.h"

int main(void) {
    float x[SENSOR_INPUTS] = { 0.0f, 0.0f };
    x[SENSOR_INPUT_A] = 0.37f;
    x[SENSOR_INPUT_B] = 0.91f;
    printf("%.9g\n", sensor_predict(x));
    return 0;
}
"#;

#[test]
fn a_program_in_c_predicts_as_the_command_does() {
    let rows = "a,b\n0.37,0.91\n";
    let folder =
        folder_with(&[("t.csv", table(60).as_bytes()), ("x.csv", rows.as_bytes()), ("main.c", MAIN.as_bytes())]);
    let fit = "fit t.csv --method harfe --max-features 5 --seed 3 --holdout 0.25 -o m.srfm --c fit.h";
    let output = run(&folder, fit);
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("written       m.srfm, fit.h\n"));
    let exported = json(&folder, "export m.srfm --c sensor.h");
    let text = fs::read_to_string(folder.path().join("sensor.h")).unwrap();
    assert_eq!((&exported["name"], &exported["output"]), (&"sensor".into(), &"sensor.h".into()));
    assert_eq!(exported["bytes"], text.len());
    let fit = fs::read_to_string(folder.path().join("fit.h")).unwrap();
    assert!(fit.contains("float fit_predict(") && text.contains("/* Predicts y from the readings"), "{text}");
    let other = run(&folder, "export m.srfm --c other.h --name probe --style fast");
    assert_eq!(String::from_utf8_lossy(&other.stdout), "written       other.h: include it and call probe_predict\n");
    let Ok(compiled) = Command::new("cc").args(["main.c", "-o", "main"]).current_dir(folder.path()).output() else {
        return srfm_testing::skip("cc cannot be started: run `apt-get install gcc`");
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let printed = Command::new(folder.path().join("main")).output().unwrap().stdout;
    let predicted: f32 = String::from_utf8(printed).unwrap().trim().parse().unwrap();
    let expected = json(&folder, "predict m.srfm x.csv")["predictions"][0][0].as_f64().unwrap() as f32;
    assert_eq!(predicted.to_bits(), expected.to_bits());
}

#[test]
fn a_reader_is_written_in_place_of_a_program() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 --number f32 -o m.srfm").status.success());
    let output = run(&folder, "export m.srfm --c-reader reader.h --name probe");
    let said = "written       reader.h: include it and call probe_open, then probe_predict\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), said);
    let text = fs::read_to_string(folder.path().join("reader.h")).unwrap();
    assert!(text.contains("probe_status probe_open(const uint8_t *bytes, size_t length, probe_model *model)"));
    let (code, said) = failure(&folder, "export m.srfm --c-reader reader.h --style fast");
    assert!(code == 2 && said.contains("--style"), "{said}");
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 --number int -o int.srfm").status.success());
    assert!(run(&folder, "export int.srfm --c-reader ints.h").status.success());
    let text = fs::read_to_string(folder.path().join("ints.h")).unwrap();
    assert!(text.contains("#define INTS_INTEGERS 1u") && text.contains("ints_predict_sample("), "{text}");
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/golden/mixed.srfm");
    fs::copy(golden, folder.path().join("mixed.srfm")).unwrap();
    let (code, said) = failure(&folder, "export mixed.srfm --c-reader mixed.h");
    assert!(code == 1 && said.contains("evaluates one kernel, and the model has several"), "{said}");
    assert!(!folder.path().join("mixed.h").exists());
}

#[test]
fn bad_models_and_names_are_refused() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 -o m.srfm").status.success());
    let mut bytes = fs::read(folder.path().join("m.srfm")).unwrap();
    bytes.pop();
    fs::write(folder.path().join("cut.srfm"), bytes).unwrap();
    let expected = [
        ("export cut.srfm --c sensor.h", 1, "srfm: cut.srfm: the model is cut short; export or copy the model again\n"),
        (
            "export m.srfm --c sensor.h --name 2x",
            2,
            "srfm: \"2x\" is no C identifier; give a name of ASCII letters, digits and underscores that starts with a \
             letter\n",
        ),
        (
            "export m.srfm --c none/sensor.h",
            1,
            "srfm: none/sensor.h: cannot be written: the folder none does not exist\n",
        ),
        ("export m.srfm", 2, "srfm: name the C file to write with --c, such as srfm export m.srfm --c m.h\n"),
        (
            "export m.srfm --layout cmake",
            2,
            "srfm: name the C file to write with --c, such as srfm export m.srfm --c m.h\n",
        ),
        (
            "export m.srfm --c m.srfm",
            2,
            "srfm: m.srfm: is an input of this command and cannot be its output; name another file\n",
        ),
    ];
    for (arguments, code, said) in expected {
        assert_eq!(failure(&folder, arguments), (code, said.to_owned()), "{arguments}");
    }
    let (code, said) = failure(&folder, "export m.srfm --c sensor.h --name int");
    assert_eq!((code, &said[..]), (2, "srfm: \"int\" is a keyword of C or C++; give another name\n"));
    assert!(!folder.path().join("sensor.h").exists());
}

#[test]
fn only_generated_files_are_written_anew() {
    let page = "<!DOCTYPE html>\n<html></html>\n";
    let folder = folder_with(&[
        ("t.csv", table(60).as_bytes()),
        ("main.c", MAIN.as_bytes()),
        ("page.html", page.as_bytes()),
        ("empty.h", b""),
    ]);
    let fit = "fit t.csv --method harfe --max-features 5 -o m.srfm";
    assert!(run(&folder, fit).status.success());
    let not_c = "srfm: main.c: is there already and is not a C file that srfm wrote; name another file, or remove this \
                 one\n";
    let not_a_page = not_c.replace("a C file that srfm wrote", "an HTML page");
    for (arguments, said) in [
        ("export m.srfm --c main.c", not_c),
        ("export m.srfm --c-reader main.c", not_c),
        (&format!("{fit} --c main.c"), not_c),
        (&format!("{fit} --report main.c"), &not_a_page),
        ("report m.srfm t.csv -o main.c", &not_a_page),
        ("compare t.csv -o main.c", &not_a_page),
    ] {
        assert_eq!(failure(&folder, arguments), (1, said.to_owned()), "{arguments}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("main.c")).unwrap(), MAIN);
    for arguments in [
        "export m.srfm --c empty.h --name model",
        "export m.srfm --c empty.h --name model --style fast",
        "export m.srfm --c-reader empty.h --name model",
        "export m.srfm --c empty.h --name a_long_name_that_makes_the_first_comment_of_the_file_two_lines_long",
        "report m.srfm t.csv -o page.html",
        "report m.srfm t.csv -o page.html",
    ] {
        assert!(run(&folder, arguments).status.success(), "{arguments}");
    }
}

#[test]
fn the_name_of_a_c_file_is_checked_before_the_fit() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes())]);
    let fit = "fit t.csv --method harfe --max-features 5 -o m.srfm";
    for (file, more) in [("int.h", "from the file int.h, is a keyword"), ("m.h --name 2x", "no C identifier")] {
        let (code, said) = failure(&folder, &format!("{fit} --c {file}"));
        assert!(code == 2 && said.contains(more) && said.lines().count() == 1, "{said}");
        assert!(!folder.path().join("m.srfm").exists());
    }
    assert!(run(&folder, &format!("{fit} --c int.h --name probe")).status.success());
    assert!(fs::read_to_string(folder.path().join("int.h")).unwrap().contains("float probe_predict("));
}

#[test]
fn the_c_file_says_how_missing_readings_are_given() {
    let gaps = table(60) + "-200,1,2\n,1,2\n";
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("gaps.csv", gaps.as_bytes())]);
    let header = |fit: &str| {
        let fit = format!("fit {fit} --method harfe --max-features 5 -o m.srfm --c m.h");
        let output = run(&folder, &fit);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = fs::read_to_string(folder.path().join("m.h")).unwrap();
        text.lines().map(|line| line.trim_start_matches([' ', '*', '/'])).collect::<Vec<_>>().join(" ")
    };
    let mean = header("gaps.csv --missing mean --missing-value -200");
    assert!(mean.contains("Pass NaN for a missing reading: the mean of the fitted rows takes its place."), "{mean}");
    assert!(mean.contains("The training data have -200 in place of missing readings."), "{mean}");
    let drop = header("gaps.csv --missing drop");
    assert!(drop.contains("Pass NaN for a missing reading: there is no prediction then."), "{drop}");
    let full = header("t.csv");
    assert!(!full.contains("Pass NaN"), "{full}");
    assert_eq!(run(&folder, "export m.srfm --c m.h").stderr, b"");
    fs::remove_file(folder.path().join("m.srfm.json")).unwrap();
    let said = String::from_utf8(run(&folder, "export m.srfm --c m.h").stderr).unwrap();
    assert_eq!(said, "srfm: the names of the inputs are not in the C file, since m.srfm.json is not there\n");
}
