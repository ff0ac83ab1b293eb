//! Number formats and cores from the options of a fit to the device.

use super::{failure, folder_with, json, run};

/// Rows of a converter: whole numbers of 12 bits.
fn counts() -> String {
    let row = |i: usize| {
        let (a, b) = ((i * 37) % 4096, (i * 101) % 4096);
        format!("{a},{b},{}\n", (a as f64 / 900.0).sin() + b as f64 / 2000.0)
    };
    "a,b,y\n".to_owned() + &(0..300).map(row).collect::<String>()
}

#[test]
fn a_core_without_floating_point_gets_integers() {
    let folder = folder_with(&[("c.csv", counts().as_bytes())]);
    let number = |options: &str| {
        let fit = json(&folder, format!("fit c.csv --method harfe --max-features 20 {options}").trim());
        fit["model"]["number"].as_str().unwrap().to_owned()
    };
    assert_eq!(number(""), "f32");
    assert_eq!(number("--core cortex-m0"), "int");
    assert_eq!(number("--core riscv32"), "int");
    assert_eq!(number("--core cortex-m33"), "f32");
    assert_eq!(number("--core cortex-m3 --number f32"), "f32");
    assert_eq!(number("--core cortex-m4f --number int16"), "int16");
}

#[test]
fn integers_state_their_error_and_refuse_more() {
    let folder = folder_with(&[("c.csv", counts().as_bytes())]);
    let fit = json(&folder, "fit c.csv --method harfe --max-features 20 --number int -o m.srfm");
    let (largest, worst) = (fit["largest_difference"].as_f64().unwrap(), fit["worst_difference"][0].as_f64().unwrap());
    assert!(0.0 < largest && largest < worst && worst < 0.1, "{largest}, {worst}");
    assert_eq!(fit["model"]["centred_inputs"], 0, "counts go in as they are");
    let shown =
        String::from_utf8(run(&folder, "fit c.csv --method harfe --max-features 20 --number int").stdout).unwrap();
    assert!(shown.contains("is possible in their range"), "{shown}");
    assert!(json(&folder, "fit c.csv --method harfe --max-features 20")["worst_difference"].is_null());
    let (code, message) = failure(&folder, "fit c.csv --max-features 20 --lambda 1 --number int --max-error 1e-9");
    assert_eq!(code, 1);
    assert!(message.contains("--max-error"), "{message}");
}
