//! The checks on small source trees, and the checks of the repository itself.

mod cycles;
mod map;
mod repository;
mod size;

use std::collections::HashMap;
use std::io;
use std::path::Path;

use srfm_structure::source::Crate;

/// Reads a crate whose files are given as pairs of path and text; `lib.rs` is the root.
fn crate_of(files: &[(&str, &str)]) -> Crate {
    let files: HashMap<&str, &str> = files.iter().copied().collect();
    let read = |file: &Path| {
        let text = files.get(file.to_str().unwrap()).copied();
        text.map(str::to_owned).ok_or_else(|| io::ErrorKind::NotFound.into())
    };
    Crate::read("small", Path::new("lib.rs"), &read).unwrap()
}
