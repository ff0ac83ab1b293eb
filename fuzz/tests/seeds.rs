//! Every target with its seeds. One test, since targets measure the memory of the whole process.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use srfm_fuzz::TARGETS;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(package().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The seeds of a target. Golden files have every section, kernel and number format of a model.
fn seeds(target: &str) -> Vec<PathBuf> {
    match target {
        "c_source" | "parse" | "parse_fixed_crc" => [files("seeds/parse"), files("../runtime/golden")].concat(),
        _ => files(&format!("seeds/{target}")),
    }
}

#[test]
fn seeds_keep_the_promises_of_their_targets() {
    for (name, target) in TARGETS {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        // More than the models that one program of the target `c_source` takes.
        let rounds = if name == "c_source" { 40_usize.div_ceil(seeds.len()) } else { 1 };
        for seed in seeds.iter().cycle().take(rounds * seeds.len()) {
            println!("{name}: {}", seed.display());
            target(&fs::read(seed).unwrap());
        }
    }
}

#[test]
fn every_target_has_a_program() {
    let programs: BTreeSet<String> =
        files("fuzz_targets").iter().map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let names: BTreeSet<String> = TARGETS.iter().map(|&(name, _)| name.to_owned()).collect();
    assert_eq!(programs, names);
}
