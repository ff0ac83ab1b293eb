//! Output: documents on standard output, and files.
//!
//! A temporary file is written and renamed, so that no file is ever incomplete.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use srfm_trainer::export::{Blob, BlobError};
use tempfile::NamedTempFile;

use crate::cli::failure::Failure;

/// Checks, before long work begins, that `path` can be written and is not among the files that are read.
pub fn check_writable<'a>(path: &Path, read: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    let same = |other: &&Path| matches!((path.canonicalize(), other.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if is_device(path) {
        return Ok(());
    }
    if read.into_iter().any(|other| same(&other)) {
        let name = path.display();
        return Err(Failure::usage(format!(
            "{name}: is an input of this command and cannot be its output; name another file"
        )));
    }
    temporary(&follow(path)).map(|_| ())
}

/// Writes `path` completely or not at all. Special files, such as pipes, are written directly.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_together(&[(path, bytes)])
}

/// Writes files completely. None of them is put in its place before all are written.
pub fn write_together(files: &[(&Path, &[u8])]) -> Result<(), Failure> {
    let mut sinks = Vec::new();
    for (path, bytes) in files {
        let mut sink = Sink::new(Some(path))?;
        sink.write(bytes)?;
        sinks.push(sink);
    }
    sinks.into_iter().try_for_each(Sink::finish)
}

/// A place for text that is written piece by piece: standard output, or a file that is complete or absent.
pub enum Sink {
    Standard,
    Device(PathBuf, File),
    File(PathBuf, NamedTempFile),
}

impl Sink {
    /// Opens a file, or standard output without one.
    pub fn new(path: Option<&Path>) -> Result<Sink, Failure> {
        let Some(path) = path else { return Ok(Sink::Standard) };
        if is_device(path) {
            let file = OpenOptions::new().write(true).open(path);
            return Ok(Sink::Device(path.to_owned(), file.map_err(|error| unwritable(path, &error.to_string()))?));
        }
        Ok(Sink::File(path.to_owned(), temporary(&follow(path))?))
    }

    /// Writes a piece.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let (path, written) = match self {
            Sink::Standard => return Ok(std::io::stdout().write_all(bytes)?),
            Sink::Device(path, file) => (path, file.write_all(bytes)),
            Sink::File(path, file) => (path, file.write_all(bytes)),
        };
        written.map_err(|error| unwritable(path, &error.to_string()))
    }

    /// Puts the file in its place.
    pub fn finish(self) -> Result<(), Failure> {
        let Sink::File(path, file) = self else { return Ok(()) };
        let place = follow(&path);
        let problem = |error: std::io::Error| unwritable(&path, &error.to_string());
        if let Ok(existing) = fs::metadata(&place) {
            fs::set_permissions(file.path(), existing.permissions()).map_err(problem)?;
        }
        file.persist(&place).map_err(|e| problem(e.error))?;
        Ok(())
    }
}

/// Creates the folder `path` if there is none.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| unwritable(path, &error.to_string()))
}

/// Checks that the folder `path` can be created and does not exist.
pub fn check_new_folder(path: &Path) -> Result<(), Failure> {
    if fs::symlink_metadata(path).is_ok() {
        return Err(unwritable(path, "it exists already; name a new folder"));
    }
    beside(path).map(|_| ())
}

/// Writes the new folder `path` with files, whose paths are relative to it, completely or not at all.
pub fn write_folder(path: &Path, files: &[(String, String)]) -> Result<(), Failure> {
    let problem = |error: std::io::Error| unwritable(path, &error.kind().to_string());
    let folder = beside(path)?;
    let content = folder.path().join("content");
    for (file, text) in files {
        let file = content.join(file);
        fs::create_dir_all(file.parent().unwrap_or(&content)).map_err(problem)?;
        fs::write(file, text).map_err(problem)?;
    }
    fs::rename(content, path).map_err(problem)
}

/// Creates a temporary folder beside `path`.
fn beside(path: &Path) -> Result<tempfile::TempDir, Failure> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(unwritable(path, &format!("the folder {} does not exist", folder.display())));
    }
    tempfile::TempDir::new_in(folder).map_err(|error| unwritable(path, &error.kind().to_string()))
}

fn unwritable(path: &Path, reason: &str) -> Failure {
    Failure::new(format!("{}: cannot be written: {reason}", path.display()))
}

/// Whether `path` is a special file, neither file nor folder. Renaming over a special file would destroy it.
pub fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Follows symbolic links, even to a file that does not exist yet, so that the link stays and its target is written.
fn follow(path: &Path) -> PathBuf {
    const MOST_LINKS: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    place
}

/// Creates a temporary file in the folder of `place` with the permissions of any new file.
fn temporary(place: &Path) -> Result<NamedTempFile, Failure> {
    if place.is_dir() {
        return Err(unwritable(place, "it is a folder; name a file"));
    }
    let folder = place.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(unwritable(place, &format!("the folder {} does not exist", folder.display())));
    }
    let problem = |e: std::io::Error| unwritable(place, &e.kind().to_string());
    // A write-protected file must not be replaced.
    match OpenOptions::new().write(true).open(place) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(problem(error)),
        _ => {}
    }
    // `create_new` applies the umask; the default of `tempfile` makes private files.
    tempfile::Builder::new().make_in(folder, |name| File::create_new(name)).map_err(problem)
}

/// Prints one JSON document with its format number.
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
    Blob::new(&bytes).map_err(|error| match error {
        _ if bytes.is_empty() => Failure::new(format!("{name}: the file is empty; export or copy the model again")),
        BlobError::Refused(srfm_runtime::Error::NotAModel) => {
            Failure::new(format!("{name}: {error}; where a command takes a model and rows, the model comes first"))
        }
        _ => Failure::new(format!("{name}: {error}")),
    })
}
