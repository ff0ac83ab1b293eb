//! Files are written beside their place and renamed into it, so that none is ever half-written.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use srfm_trainer::export::Blob;
use tempfile::NamedTempFile;

use crate::cli::failure::Failure;

/// Makes sure, before long work begins, that `path` can be written and is none of the files that are read.
pub fn check_writable<'a>(path: &Path, read: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    let same = |other: &&Path| matches!((path.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if is_device(path) {
        return Ok(());
    }
    if read.into_iter().any(|other| same(&other)) {
        let name = path.display();
        return Err(Failure::usage(format!(
            "{name}: is read by this command and cannot be its output; name another file"
        )));
    }
    temporary(&follow(path)).map(|_| ())
}

/// Writes `path` as a whole or not at all. What is no regular file, such as a pipe, is written to as it stands.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let problem = |error: std::io::Error| unwritable(path, &error.to_string());
    if is_device(path) {
        return OpenOptions::new().write(true).open(path).and_then(|mut f| f.write_all(bytes)).map_err(problem);
    }
    let place = follow(path);
    let mut file = temporary(&place)?;
    file.write_all(bytes).map_err(problem)?;
    if let Ok(existing) = fs::metadata(&place) {
        fs::set_permissions(file.path(), existing.permissions()).map_err(problem)?;
    }
    file.persist(&place).map_err(|e| problem(e.error))?;
    Ok(())
}

/// Makes the folder `path` if it is not there.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| unwritable(path, &error.to_string()))
}

fn unwritable(path: &Path, reason: &str) -> Failure {
    Failure::new(format!("{}: cannot be written: {reason}", path.display()))
}

/// Whether there is something at `path` that is neither a file nor a folder: renaming over it would destroy it.
fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Where symbolic links lead, also if nothing is there yet: the link stays and its goal is written.
fn follow(path: &Path) -> PathBuf {
    const MOST_LINKS: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(goal) = fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(goal);
    }
    place
}

/// A file beside `place` with the rights of any new file.
fn temporary(place: &Path) -> Result<NamedTempFile, Failure> {
    if place.is_dir() {
        return Err(unwritable(place, "it is a folder; name a file"));
    }
    let folder = place.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(unwritable(place, &format!("the folder {} does not exist", folder.display())));
    }
    let problem = |e: std::io::Error| unwritable(place, &e.kind().to_string());
    // A file that is protected against writing must not be replaced either.
    match OpenOptions::new().write(true).open(place) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(problem(error)),
        _ => {}
    }
    // Temporary files are private unless they are opened like this.
    tempfile::Builder::new().make_in(folder, |name| File::create_new(name)).map_err(problem)
}

/// Prints one JSON document with the number of its format.
pub fn print_json(document: &impl Serialize) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        format: u32,
        #[serde(flatten)]
        content: &'a T,
    }
    let text = serde_json::to_string_pretty(&Document { format: 1, content: document });
    let text = text.map_err(|error| Failure::new(format!("cannot write JSON: {error}")))?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(())
}

/// Prints text on standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

/// Reads a model file.
pub fn read_model(path: &Path) -> Result<Blob, Failure> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|error| Failure::new(format!("{name}: cannot be read: {error}")))?;
    Blob::new(&bytes).map_err(|error| Failure::new(format!("{name}: {error}")))
}
