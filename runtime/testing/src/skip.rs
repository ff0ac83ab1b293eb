//! Reports of tests that cannot run on this machine.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reports that the running test was skipped because the machine lacks a tool, such as an emulator.
///
/// # Panics
/// If `CI` or `SRFM_REQUIRE_DEVICE` is set, since every tool must then be present.
pub fn skip(reason: &str) {
    let required = ["CI", "SRFM_REQUIRE_DEVICE"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(!required, "{reason}");
    report_skipped(reason);
}

/// Returns whether tests take all the time they like: `SRFM_THOROUGH` is set, as `./check all` does.
pub fn thorough() -> bool {
    std::env::var_os("SRFM_THOROUGH").is_some()
}

/// Returns the path of a file in the folder of real data sets, which `SRFM_DATA` names.
///
/// Reports that the running test, or a part of it, was skipped if the file does not exist.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("SRFM_DATA") else {
        report_skipped(&format!("set SRFM_DATA to a folder with {name}"));
        return None;
    };
    let path = Path::new(&folder).join(name);
    if !path.exists() {
        report_skipped(&format!("there is no {}", path.display()));
        return None;
    }
    Some(path)
}

/// Reports that the running test, or a part of it, was skipped.
///
/// The report goes to standard error, past the capture of the test harness, and to the file that the environment
/// variable `SRFM_SKIPPED` names. `./check` lists the content of that file at its end.
pub fn report_skipped(reason: &str) {
    let line = format!("{}: {}\n", running_test(), reason.trim_end().replace('\n', "; "));
    if let Some(file) = std::env::var_os("SRFM_SKIPPED") {
        append(Path::new(&file), &line);
    }
    write!(std::io::stderr(), "SKIPPED {line}").expect("standard error is open");
}

/// Returns the running test as `binary::test`; the test harness names its threads after the tests.
fn running_test() -> String {
    let binary = std::env::current_exe().ok().and_then(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let binary = binary.unwrap_or_default();
    let without_hash = binary.rsplit_once('-').map_or(binary.as_str(), |(name, _)| name);
    format!("{without_hash}::{}", std::thread::current().name().unwrap_or("?"))
}

/// Appends a line to a file in one call, so that lines of several processes stay whole.
fn append(file: &Path, line: &str) {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
}

#[cfg(test)]
mod tests {
    use super::{append, running_test};

    #[test]
    fn a_test_knows_its_name() {
        assert_eq!(running_test(), "srfm_testing::skip::tests::a_test_knows_its_name");
    }

    #[test]
    fn lines_are_added_to_the_file() {
        let file = std::env::temp_dir().join(format!("srfm-skipped-{}", std::process::id()));
        append(&file, "one: no emulator\n");
        append(&file, "two: no data\n");
        let lines = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(lines, "one: no emulator\ntwo: no data\n");
    }
}
