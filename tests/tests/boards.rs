//! The manifests of the boards: that of a generated project is the one that builds here, apart from the runtime.

use std::fs;
use std::path::Path;

#[test]
fn generated_projects_have_the_manifest_that_is_built_here() {
    let boards = Path::new(env!("CARGO_MANIFEST_DIR")).join("../boards");
    let listed = fs::read_to_string(boards.join("cargo-generate.toml")).unwrap();
    for (board, name) in [("pico", "pico-pressure"), ("nrf52840-dk", "nrf52840-pressure")] {
        let read = |file: &str| fs::read_to_string(boards.join(board).join(file)).unwrap();
        let built =
            read("Cargo.toml").replace("[workspace]\n\n", "").replace("{ path = \"../../runtime\" }", "\"0.1\"");
        assert_eq!(read("Cargo.toml.liquid").replace("{{project-name}}", name), built, "{board}");
        assert!(built.contains("srfm-runtime = \"0.1\""), "{board}");
        assert!(listed.contains(&format!("\"{board}\"")), "{board}");
    }
}
