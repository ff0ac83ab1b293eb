//! Files are written beside their place and renamed into it, so that none is ever half-written.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use srfm_trainer::export::Blob;
use tempfile::NamedTempFile;

use super::failure::Failure;

/// Makes sure, before long work begins, that `path` can be written.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    temporary(path).map(|_| ())
}

/// Writes `path` as a whole or not at all.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = temporary(path)?;
    let problem = |error: std::io::Error| Failure::new(format!("{}: cannot be written: {error}", path.display()));
    file.write_all(bytes).map_err(problem)?;
    make_readable(file.path()).map_err(problem)?;
    file.persist(path).map_err(|e| problem(e.error))?;
    Ok(())
}

fn temporary(path: &Path) -> Result<NamedTempFile, Failure> {
    let problem = |reason: String| Failure::new(format!("{}: cannot be written: {reason}", path.display()));
    if path.is_dir() {
        return Err(problem("it is a folder; name a file".to_owned()));
    }
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    NamedTempFile::new_in(folder).map_err(|e| problem(e.kind().to_string()))
}

/// Temporary files are private; a result is as readable as any new file.
#[cfg(unix)]
fn make_readable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &Path) -> std::io::Result<()> {
    Ok(())
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
