//! Ctrl-C in the middle of a fit: the command ends at once with the exit code of an interruption and leaves nothing
//! behind.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::*;

/// Settings with which each method takes minutes.
const LONG: [(&str, &str); 11] = [
    ("harfe", "--lambda 1e-9 --max-features 4000"),
    ("shrimp", "--max-features 10000"),
    ("srfe", "--lambda 1e-3 --max-features 4000"),
    ("fourier", "--max-features 3000"),
    ("arff", "--max-features 1000"),
    ("gfc", "--max-features 2000"),
    ("a-la-carte", "--max-features 200"),
    ("srff", "--max-features 2000"),
    ("compact", "--max-features 1000"),
    ("sgd", "--max-features 2000"),
    ("min-norm", "--max-features 3000 --order 1,2,3,4,5,6"),
];

/// Whether a process has a handler for SIGINT (signal 2).
pub fn catches_interrupts(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0
}

#[test]
fn an_interrupted_fit_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    assert!(run(&folder, "generate friedman1 --rows 4000 -o d.csv").status.success());
    // Some of the fits at a time: an interrupted fit has up to two seconds.
    for fits in LONG.chunks(4) {
        std::thread::scope(|scope| {
            for (method, settings) in fits {
                scope.spawn(|| interrupt(&folder, method, settings));
            }
        });
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["d.csv"], "{fits:?}");
    }
}

/// Starts a fit and interrupts it.
fn interrupt(folder: &TempDir, method: &str, settings: &str) {
    let arguments = format!("fit d.csv --method {method} {settings} -o {method}.srfm");
    let mut child = srfm()
        .args(arguments.split(' '))
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !catches_interrupts(child.id()) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{method}: no handler");
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(300)); // in the middle of the work
    assert_eq!(child.try_wait().unwrap(), None, "{method}: ended before it could be interrupted");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{method}: {}", String::from_utf8_lossy(&output.stderr));
}
