//! The programs for boards as templates: what `cargo generate` makes of a folder is the program that is built here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders, the names of their packages, and their targets.
const BOARDS: [(&str, &str, &str); 2] =
    [("nrf52840-dk", "nrf52840-pressure", "thumbv7em-none-eabihf"), ("pico", "pico-pressure", "thumbv6m-none-eabi")];

/// The dependency in a template: the runtime of crates.io, or of a folder.
const DEPENDENCY: &str = r#"{% if runtime == "" %}"0.1"{% else %}{ path = "{{runtime}}" }{% endif %}"#;

fn boards() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../boards")
}

#[test]
fn generated_projects_have_the_manifest_that_is_built_here() {
    let listed = fs::read_to_string(boards().join("cargo-generate.toml")).unwrap();
    for (board, name, _) in BOARDS {
        let read = |file: &str| fs::read_to_string(boards().join(board).join(file)).unwrap();
        let built =
            read("Cargo.toml").replace("[workspace]\n\n", "").replace("{ path = \"../../runtime\" }", "\"0.1\"");
        let generated = read("Cargo.toml.liquid").replace("{{project-name}}", name).replace(DEPENDENCY, "\"0.1\"");
        assert_eq!(generated, built, "{board}");
        assert!(built.contains("srfm-runtime = \"0.1\""), "{board}");
        assert!(listed.contains(&format!("\"{board}\"")), "{board}");
    }
}

/// Copies the files of a template but those that its settings leave out.
fn copy(from: &Path, to: &Path, ignored: &[&str]) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(|entry| entry.unwrap()) {
        let (name, path) = (entry.file_name().into_string().unwrap(), entry.path());
        if ignored.contains(&name.as_str()) || name == "cargo-generate.toml" {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name), &[]);
        } else {
            fs::copy(path, to.join(name)).unwrap();
        }
    }
}

/// Expands a template by hand: the list of ignored files, and the placeholders of its only template file.
fn expand(board: &str, to: &Path, runtime: &Path) {
    let from = boards().join(board);
    let settings = fs::read_to_string(from.join("cargo-generate.toml")).unwrap();
    assert!(settings.contains("include = [\"Cargo.toml.liquid\"]") && settings.contains("[placeholders.runtime]"));
    let list = settings.lines().find_map(|line| line.strip_prefix("ignore = [")?.strip_suffix(']')).unwrap();
    copy(&from, to, &list.split(", ").map(|name| name.trim_matches('"')).collect::<Vec<_>>());
    let template = fs::read_to_string(to.join("Cargo.toml.liquid")).unwrap();
    fs::remove_file(to.join("Cargo.toml.liquid")).unwrap();
    assert!(!to.join("Cargo.toml").exists() && template.contains(DEPENDENCY));
    let path = format!("{{ path = {:?} }}", runtime.to_str().unwrap());
    fs::write(to.join("Cargo.toml"), template.replace("{{project-name}}", "my-sensor").replace(DEPENDENCY, &path))
        .unwrap();
}

#[test]
fn generated_projects_build() {
    let installed = Command::new("rustup").args(["target", "list", "--installed"]).output();
    let installed = installed.map_or(String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned());
    let runtime = boards().join("../runtime").canonicalize().unwrap();
    // Each takes half a minute: one of them, in a thorough test both.
    let built = if srfm_testing::thorough() { BOARDS.len() } else { 1 };
    for (board, _, target) in BOARDS.into_iter().take(built) {
        if !installed.lines().any(|line| line == target) {
            srfm_testing::skip(&format!("Rust for {target} is not installed"));
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("my-sensor");
        expand(board, &project, &runtime);
        // The versions of the packages are those of the program here, which the build shares.
        let lock = fs::read_to_string(boards().join(board).join("Cargo.lock")).unwrap();
        fs::write(project.join("Cargo.lock"), lock).unwrap();
        let output = Command::new("cargo")
            .args(["build", "--quiet", "--release", "--target-dir"])
            .arg(boards().join(board).join("target"))
            .current_dir(&project)
            .output()
            .unwrap();
        assert!(output.status.success(), "{board}: {}", String::from_utf8_lossy(&output.stderr));
        let program = boards().join(board).join("target").join(target).join("release").join("my-sensor");
        assert!(fs::read(&program).unwrap().starts_with(b"\x7fELF"), "{board}");
        fs::remove_file(program).unwrap();
    }
}
