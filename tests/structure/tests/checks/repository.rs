//! The rules that the repository itself keeps. `cargo run -p srfm-structure` prints the graph of all modules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use srfm_structure::graph::Graph;
use srfm_structure::map::Known;
use srfm_structure::repository::{crates, files, read};
use srfm_structure::size::{functions, long_lines};

/// Columns of a line.
const MOST_COLUMNS: usize = 120;
/// Documents that say where things are.
const MAPS: [&str; 2] = ["CONTRIBUTING.md", "docs/extending.md"];
/// Lines of a function.
const MOST_FUNCTION_LINES: usize = 60;

#[test]
fn no_modules_form_a_cycle() {
    let crates = crates().unwrap();
    assert!(crates.iter().any(|krate| krate.name.starts_with("srfm-trainer lib") && krate.modules.len() > 10));
    let cycles: Vec<String> =
        crates.iter().flat_map(|krate| Graph::of(krate).cycles()).map(|cycle| cycle.to_string()).collect();
    assert!(cycles.is_empty(), "{} cycles between modules\n\n{}", cycles.len(), cycles.join("\n"));
}

#[test]
fn every_path_inside_a_crate_leads_to_an_item() {
    let crates = crates().unwrap();
    let unresolved: Vec<String> = crates.iter().flat_map(|krate| Graph::of(krate).unresolved).collect();
    assert!(unresolved.is_empty(), "the check of cycles would miss these paths\n{}", unresolved.join("\n"));
}

/// A file of tests that no `main.rs` names would never run. Modules of unit tests stand in `src` and are not read here.
#[test]
fn every_file_of_tests_belongs_to_a_crate() {
    let crates = crates().unwrap();
    let modules: BTreeSet<&Path> =
        crates.iter().flat_map(|krate| &krate.modules).map(|module| module.file.as_path()).collect();
    let has = |file: &Path, folder: &str| file.iter().any(|part| part == folder);
    let of_tests = rust_files().map(|(file, _)| file).filter(|file| has(file, "tests") && !has(file, "src"));
    let lost: Vec<PathBuf> = of_tests.filter(|file| !modules.contains(file.as_path())).collect();
    assert!(lost.is_empty(), "no crate has these files: {lost:#?}");
}

#[test]
fn maps_name_what_exists() {
    let mut known = Known::default();
    crates().unwrap().iter().for_each(|krate| known.add_crate(krate));
    files().unwrap().iter().for_each(|file| known.add_file(file));
    for (_, text) in texts().filter(|(file, _)| !has_extension(file, "md")) {
        known.add_text(&text);
    }
    let mut gone = Vec::new();
    for map in MAPS {
        let missing = known.missing(&read(Path::new(map)).unwrap());
        gone.extend(missing.into_iter().map(|(line, name)| format!("{map}:{line}: {name}")));
    }
    assert!(gone.is_empty(), "names that are gone from the repository\n{}", gone.join("\n"));
}

/// A room that the map leaves out would be found by chance alone.
#[test]
fn the_map_has_every_room_of_the_trainer() {
    let crates = crates().unwrap();
    let trainer = crates.iter().find(|krate| krate.name.starts_with("srfm-trainer lib")).unwrap();
    let map = read(Path::new("CONTRIBUTING.md")).unwrap();
    let rooms = map.split("The rooms of the trainer:").nth(1).unwrap();
    let named: BTreeSet<&str> =
        rooms.lines().skip(4).take_while(|line| line.starts_with('|')).flat_map(names).collect();
    let modules = trainer.modules.iter().filter(|module| module.path.len() == 1 && !module.inline);
    let existing: BTreeSet<&str> = modules.map(|module| module.path[0].as_str()).collect();
    assert_eq!(named, existing);
}

/// The names in backticks in the first cell of a row.
fn names(row: &str) -> impl Iterator<Item = &str> {
    row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2)
}

#[test]
fn no_line_is_too_long() {
    let mut found = Vec::new();
    for (file, text) in texts() {
        let is_markdown = has_extension(&file, "md");
        for (line, columns) in long_lines(&text, MOST_COLUMNS, is_markdown) {
            found.push(format!("{}:{line}: {columns} columns", file.display()));
        }
    }
    assert!(found.is_empty(), "{} lines over {MOST_COLUMNS} columns\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_function_is_too_long() {
    let mut found = Vec::new();
    for (file, text) in rust_files() {
        let long = functions(&text).unwrap().into_iter().filter(|function| function.lines > MOST_FUNCTION_LINES);
        found.extend(long.map(|f| format!("{}:{}: {} has {} lines", file.display(), f.line, f.name, f.lines)));
    }
    assert!(found.is_empty(), "{} functions over {MOST_FUNCTION_LINES} lines\n{}", found.len(), found.join("\n"));
}

/// The tracked text files with their contents; scripts without an extension begin with `#!`.
fn texts() -> impl Iterator<Item = (PathBuf, String)> {
    let files = files().unwrap();
    assert!(files.len() > 100, "{} tracked files", files.len());
    files.into_iter().filter_map(|file| {
        let known = ["rs", "md", "toml", "sh", "py", "c", "h", "x", "ld", "yml", "yaml"];
        let is_known = known.iter().any(|extension| has_extension(&file, extension));
        let text = read(&file).ok()?;
        let is_text = is_known || file.extension().is_none() && text.starts_with("#!");
        is_text.then_some((file, text))
    })
}

fn rust_files() -> impl Iterator<Item = (PathBuf, String)> {
    texts().filter(|(file, _)| has_extension(file, "rs"))
}

fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|found| found == extension)
}
