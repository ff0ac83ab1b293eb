//! The crates and files of the repository.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

use crate::source::Crate;

/// The root folder of the repository.
pub fn root() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.ancestors().nth(2).unwrap_or(folder).to_owned()
}

/// The files that git tracks and that exist, relative to the root.
///
/// # Errors
/// A folder that is no git repository.
pub fn files() -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let list = run(Command::new("git").args(["ls-files", "-z"]))?;
    let files = list.split('\0').filter(|file| !file.is_empty()).map(PathBuf::from);
    Ok(files.filter(|file| root().join(file).is_file()).collect())
}

/// Reads the crates of all packages: libraries, binaries, tests, benchmarks and build scripts.
///
/// # Errors
/// A manifest that `cargo metadata` refuses, and a source file that is missing or that is not Rust.
pub fn crates() -> Result<Vec<Crate>, Box<dyn Error>> {
    let mut targets = BTreeSet::new();
    let is_manifest = |file: &PathBuf| file.file_name().is_some_and(|name| name == "Cargo.toml");
    for manifest in files()?.into_iter().filter(is_manifest) {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let query = ["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"];
        let metadata: Value = serde_json::from_str(&run(Command::new(cargo).args(query).arg(manifest))?)?;
        for package in list(&metadata["packages"]) {
            for target in list(&package["targets"]) {
                targets.insert(target_of(package, target)?);
            }
        }
    }
    targets.iter().map(|(name, root)| Crate::read(name, root, &read)).collect()
}

/// Returns the text of a file, whose path is relative to the root.
///
/// # Errors
/// A file that is missing or that is not UTF-8.
pub fn read(file: &Path) -> std::io::Result<String> {
    fs::read_to_string(root().join(file))
}

/// The name and the root file of a target; the name says the package, the kind and the name of the target.
fn target_of(package: &Value, target: &Value) -> Result<(String, PathBuf), Box<dyn Error>> {
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or("incomplete metadata");
    let file = PathBuf::from(text(&target["src_path"])?);
    let file = file.strip_prefix(fs::canonicalize(root())?).unwrap_or(&file).to_owned();
    let name = format!("{} {} {}", text(&package["name"])?, text(&target["kind"][0])?, text(&target["name"])?);
    Ok((name, file))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The output of a command that runs in the root folder.
fn run(command: &mut Command) -> Result<String, Box<dyn Error>> {
    let output = command.current_dir(root()).output()?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
    }
}
