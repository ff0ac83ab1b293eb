//! Running compilers and comparing words.

use std::path::Path;
use std::process::Command;

use super::models::Case;

/// Runs a command that must succeed and returns what it wrote.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}", said.chars().take(3000).collect::<String>());
    String::from_utf8_lossy(&output.stdout).into_owned() + &said
}

/// Returns the little-endian words of a file.
pub fn words(path: &Path) -> Vec<u32> {
    let bytes = std::fs::read(path).expect("the program has written its results");
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// Checks that the words of all models are the expected ones; both styles of a model follow each other.
pub fn compare(cases: &[Case], expected: &[u32], found: &[u32], how: &str) {
    assert_eq!(expected.len(), found.len(), "{how}: words");
    let mut start = 0;
    for (i, case) in cases.iter().enumerate() {
        let len = case.expected().len();
        for style in ["small", "fast"] {
            let (expected, found) = (&expected[start..start + len], &found[start..start + len]);
            let differ: Vec<String> = expected
                .iter()
                .zip(found)
                .enumerate()
                .filter(|(_, (expected, found))| expected != found)
                .map(|(word, (expected, found))| format!("{word}: {expected:08x} {found:08x}"))
                .collect();
            assert!(differ.is_empty(), "{how}: model {i} {style}: {} of {len}: {:?}", differ.len(), &differ[..1]);
            start += len;
        }
    }
}
