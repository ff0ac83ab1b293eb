//! The packages that the runtime depends on, by feature.

use std::collections::BTreeSet;
use std::process::Command;

/// Returns the packages that are linked into a program with these features of the runtime, except those of the
/// compiler's macros.
fn packages(features: &str) -> BTreeSet<String> {
    let arguments = ["tree", "--locked", "-p", "srfm-runtime", "-e", "normal,no-proc-macro", "--prefix", "none"];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--format", "{p}", "--no-default-features", "--features", features])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).unwrap();
    tree.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn features_alone_add_packages() {
    let predicting = packages("");
    let names: Vec<&str> = predicting.iter().map(String::as_str).collect();
    assert_eq!(names, ["bytemuck", "crc", "crc-catalog", "srfm-runtime"]);

    let optional = ["heapless", "postcard", "serde"];
    for (features, expected) in [("slot", &optional[..1]), ("write", &optional[1..]), ("slot,write", &optional[..])] {
        let packages = packages(features);
        assert!(predicting.is_subset(&packages), "{features}");
        let found: Vec<&str> = optional.into_iter().filter(|&name| packages.contains(name)).collect();
        assert_eq!(found, expected, "{features}");
    }
}
