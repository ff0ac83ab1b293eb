//! Warps from the options and from a settings file.

use super::{failure, folder_with};

/// 60 rows of a positive reading, one from 0, and a target.
fn readings() -> String {
    let row = |i: u32| format!("{},{},{}\n", 1.5_f64.powi(i as i32 % 20), i % 7, i % 11);
    format!("flow,level,y\n{}", (0..60).map(row).collect::<String>())
}

#[test]
fn warps_that_cannot_be_are_refused() {
    let folder = folder_with(&[("t.csv", readings().as_bytes()), ("few.toml", b"warps = [\"log\"]\n")]);
    for (arguments, code, expected) in [
        ("--warp level=log", 1, &["\"level\"", "above 0", "has 0"][..]),
        ("--warp depth=log", 2, &["\"depth\"", "flow, level"]),
        ("--warp flow=cube", 2, &["identity, log and sqrt"]),
        ("--config few.toml", 1, &["are 1 warps for 2 inputs"]),
    ] {
        let (found, said) = failure(&folder, &format!("fit t.csv {arguments}"));
        assert_eq!(found, code, "{said}");
        assert!(expected.iter().all(|part| said.contains(part)), "{said}");
    }
}
