//! Warps from the options and from a settings file.

use super::{failure, folder_with, json, run};

/// 60 rows of a positive reading, one from 0, and a target.
fn readings() -> String {
    let row = |i: u32| format!("{},{},{}\n", 1.5_f64.powi(i as i32 % 20), i % 7, i % 11);
    format!("flow,level,y\n{}", (0..60).map(row).collect::<String>())
}

#[test]
fn warps_that_cannot_be_are_refused() {
    let folder =
        folder_with(&[("t.csv", readings().as_bytes()), ("few.toml", b"[preprocessing]\nwarps = [\"log\"]\n")]);
    for (arguments, code, expected) in [
        ("--warp level=log", 1, &["\"level\"", "above 0", "has 0"][..]),
        ("--warp depth=log", 2, &["\"depth\"", "flow, level"]),
        ("--warp 3=log", 2, &["\"3\"", "flow, level"]),
        ("--warp 0=log", 2, &["\"0\"", "flow, level"]),
        ("--warp flow=cube", 2, &["identity, log and sqrt"]),
        ("--config few.toml", 2, &["are 1 warps for 2 inputs"]),
    ] {
        let (found, said) = failure(&folder, &format!("fit t.csv {arguments}"));
        assert_eq!(found, code, "{said}");
        assert!(expected.iter().all(|part| said.contains(part)), "{said}");
    }
}

#[test]
fn warps_come_from_a_file_and_options_come_before_them() {
    let settings = b"[preprocessing]\nwarps = [\"log\", \"identity\"]\n[grid]\nlambdas = [1e-3]\n";
    let folder = folder_with(&[("t.csv", readings().as_bytes()), ("s.toml", settings)]);
    let warps = |arguments: &str| {
        json(&folder, &format!("fit t.csv --method harfe --max-features 5 {arguments}"))["model"]["warps"].clone()
    };
    let warp = |input: usize, warp: &str| serde_json::json!({ "input": input, "warp": warp });
    assert_eq!(warps("--config s.toml"), serde_json::json!([warp(1, "log")]));
    let both = "--config s.toml --warp level=sqrt,flow=identity --number int -o m.srfm";
    assert_eq!(warps(both), serde_json::json!([warp(2, "sqrt")]));
    let text = String::from_utf8(run(&folder, "inspect m.srfm").stdout).unwrap();
    assert!(text.contains("warps         level sqrt\n"), "{text}");
    assert_eq!(json(&folder, "fit t.csv --method harfe --lambda 1e-3")["model"]["warps"], serde_json::json!([]));
}
