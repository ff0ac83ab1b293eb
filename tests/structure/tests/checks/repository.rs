//! The rules that the repository itself keeps. `cargo run -p srfm-structure` prints the graph of all modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use srfm_structure::graph::Graph;
use srfm_structure::interface::public_items;
use srfm_structure::repository::{crates, files, read};
use srfm_structure::size::{functions, long_lines};

/// Columns of a line.
const MOST_COLUMNS: usize = 120;
/// Lines of a Rust file, except for a few files.
const MOST_LINES: usize = 300;
/// Rust files that may be longer.
const LONGER_FILES: usize = 5;
/// Lines of a function.
const MOST_FUNCTION_LINES: usize = 60;
/// Public items of the trainer. The aim is 250: reports of the search and of the comparison are to write themselves.
const MOST_PUBLIC_ITEMS: usize = 372;

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

#[test]
fn the_trainer_has_few_public_items() {
    let crates = crates().unwrap();
    let trainer = crates.iter().find(|krate| krate.name.starts_with("srfm-trainer lib")).unwrap();
    let counts: BTreeMap<String, usize> =
        public_items(trainer).into_iter().map(|(module, items)| (module, items.len())).collect();
    let sum: usize = counts.values().sum();
    assert!(sum > 0, "no public item found");
    assert!(sum <= MOST_PUBLIC_ITEMS, "{sum} public items, at most {MOST_PUBLIC_ITEMS}: {counts:#?}");
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
fn few_files_are_long() {
    let lines = rust_files().map(|(file, text)| (text.lines().count(), file));
    let mut long: Vec<(usize, PathBuf)> = lines.filter(|(lines, _)| *lines > MOST_LINES).collect();
    long.sort_unstable();
    let list: Vec<String> = long.iter().map(|(lines, file)| format!("{lines} {}", file.display())).collect();
    assert!(long.len() <= LONGER_FILES, "{} files over {MOST_LINES} lines\n{}", long.len(), list.join("\n"));
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
