//! The command under test.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// The command, built once from the sources as they are.
pub fn srfm() -> Command {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    let binary = BINARY.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let arguments = ["build", "--release", "-p", "srfm-trainer", "--bin", "srfm", "--message-format=json"];
        let build = Command::new(env!("CARGO")).args(arguments).current_dir(root).output().unwrap();
        assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
        let messages = String::from_utf8(build.stdout).unwrap();
        let artifact = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let path = artifact.filter_map(|message| Some(message["executable"].as_str()?.to_owned())).next_back();
        PathBuf::from(path.expect("cargo names the executable"))
    });
    Command::new(binary)
}
