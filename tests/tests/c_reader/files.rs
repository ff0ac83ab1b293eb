//! The files of a test: models, a reader, and the programs that use it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use srfm_runtime::Model;
use srfm_runtime::kernel::Any;
use srfm_tests::Blob;
use srfm_trainer::export::CSource;

/// The programs of the workstation and of an AVR, and what they share.
const HOST: &str = include_str!("host.c");
const DRIVER: &str = include_str!("driver.h");
const AVR: &str = include_str!("avr.c");

/// Runs a command that must succeed and returns what it wrote.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}", said.chars().take(2000).collect::<String>());
    String::from_utf8_lossy(&output.stdout).into_owned() + &said
}

/// Writes the programs, the files and a reader. It is made from one of the sound models, and reads all files.
pub fn write(folder: &Path, sound: &[Blob], files: &[Blob]) {
    let has_features = |file: &&Blob| Model::<Any>::parse_only(file).unwrap().blocks().next().is_some();
    let has_rules = |file: &&Blob| Model::<Any>::parse_only(file).unwrap().trees().is_some();
    let example = sound.iter().filter(has_features).max_by_key(has_rules);
    let reader = reader(example.expect("a model with features")).unwrap();
    let joined: Vec<u8> =
        files.iter().flat_map(|file| [&(file.len() as u32).to_le_bytes(), &file[..]].concat()).collect();
    let texts = [("sensor.h", &reader[..]), ("driver.h", DRIVER), ("host.c", HOST), ("avr.c", AVR)];
    texts.into_iter().for_each(|(name, text)| std::fs::write(folder.join(name), text).unwrap());
    std::fs::write(folder.join("files.bin"), joined).unwrap();
}

/// Returns the golden models by the names of their files.
pub fn golden() -> BTreeMap<String, Blob> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/golden");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap());
    files
        .map(|file| (file.file_name().into_string().unwrap(), Blob::new(&std::fs::read(file.path()).unwrap())))
        .collect()
}

/// Returns the reader of models like this one.
pub fn reader(model: &Blob) -> Option<String> {
    CSource::new(&srfm_trainer::Blob::new(model).unwrap(), "sensor").unwrap().reader()
}
