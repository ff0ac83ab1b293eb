//! Integer models as files for MicroPython.

use std::fs;
use std::process::Command;

use super::{failure, folder_with, json, run, table};

#[test]
fn a_file_for_micropython_predicts_as_the_command_does() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("x.csv", b"a,b\n0.37,0.91\n")]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 --number int -o m.srfm").status.success());
    let output = run(&folder, "export m.srfm --micropython sensor.py --output-unit 0.001");
    let said = "written       sensor.py: import sensor and call sensor.predict\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), said);
    let exported = json(&folder, "export m.srfm --micropython sensor.py --output-unit 0.001 --style fast");
    let text = fs::read_to_string(folder.path().join("sensor.py")).unwrap();
    assert_eq!((&exported["name"], &exported["output"]), (&"sensor".into(), &"sensor.py".into()));
    assert_eq!(exported["bytes"], text.len());
    assert!(text.starts_with("# SPDX-License-Identifier: MIT OR Apache-2.0\n"), "{text}");
    assert!(text.contains("\nINPUT_A = const(0)  # a\n") && text.contains("# Predicts y.\n"), "{text}");
    let program = "import sensor; print(sensor.in_units(sensor.predict([0.37, 0.91])))";
    let Ok(run) = Command::new("python3").args(["-B", "-c", program]).current_dir(folder.path()).output() else {
        return srfm_testing::skip("python3 cannot be started: run `apt-get install python3`");
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let thousandths: f64 = String::from_utf8(run.stdout).unwrap().trim().parse().unwrap();
    let expected = json(&folder, "predict m.srfm x.csv")["predictions"][0][0].as_f64().unwrap();
    assert!((thousandths / 1000.0 - expected).abs() < 0.000501, "{thousandths} {expected}");
}

#[test]
fn models_in_floating_point_and_files_of_others_are_refused() {
    let folder = folder_with(&[("t.csv", table(60).as_bytes()), ("own.py", b"import machine\n")]);
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 --number f32 -o f.srfm").status.success());
    assert!(run(&folder, "fit t.csv --method harfe --max-features 5 --number int16 -o m.srfm").status.success());
    let expected = [
        (
            "export f.srfm --micropython sensor.py",
            1,
            "srfm: a file for MicroPython computes in integers, and the model is in floating point; fit the model with \
             --number int\n",
        ),
        (
            "export m.srfm --micropython own.py",
            1,
            "srfm: own.py: is there already and is not a Python file that srfm wrote; name another file, or remove \
             this one\n",
        ),
        (
            "export m.srfm --micropython sensor.py --output-unit 1e-12",
            2,
            "srfm: --output-unit: outputs in units of 0.000000000001 do not fit 32 bits; give a number above 0, such \
             as 0.01\n",
        ),
    ];
    for (arguments, code, said) in expected {
        assert_eq!(failure(&folder, arguments), (code, said.to_owned()), "{arguments}");
    }
    let (code, said) = failure(&folder, "export m.srfm --micropython sensor.py --c sensor.h");
    assert!(code == 2 && said.contains("--c"), "{said}");
    assert!(!folder.path().join("sensor.py").exists());
}
