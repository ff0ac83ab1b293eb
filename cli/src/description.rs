//! The description of a model, a JSON file beside the model file.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use srfm_trainer::data::{ColumnError, DataError, Description};
use srfm_trainer::export::Blob;

use crate::common::Common;
use crate::failure::Failure;
use crate::output;

/// Returns the path of the description beside a model file: `sensor.srfm.json` for `sensor.srfm`.
pub fn path(model: &Path) -> PathBuf {
    let mut name = OsString::from(model);
    name.push(".json");
    name.into()
}

/// Returns the files that hold a model: the model file and its description. A special file, such as a pipe, takes the
/// model alone.
pub fn files(model: &Path) -> Vec<PathBuf> {
    let beside = if output::is_device(model) { None } else { Some(path(model)) };
    [model.to_owned()].into_iter().chain(beside).collect()
}

/// Extensions of files that are no models.
const OF_OTHER_FILES: [&str; 10] = ["c", "csv", "gz", "h", "html", "json", "npy", "parquet", "toml", "tsv"];

/// Checks, before long work begins, that a model and its description can be written, and that the name of the model is
/// not that of another kind of file.
pub fn check_writable(model: &Path, read: &[&Path]) -> Result<(), Failure> {
    files(model).iter().try_for_each(|file| output::check_writable(file, read.iter().copied()))?;
    check_name(model)
}

/// Checks that the name of a model file is not that of another kind of file.
pub fn check_name(model: &Path) -> Result<(), Failure> {
    if output::is_device(model) {
        return Ok(());
    }
    let extension = model.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    if let Some(extension) = extension.filter(|extension| OF_OTHER_FILES.contains(&extension.as_str())) {
        let (name, other) = (model.display(), model.with_extension("srfm"));
        let advice = format!("name another file, such as {}", other.display());
        return Err(Failure::usage(format!("{name}: a model file is no .{extension} file; {advice}")));
    }
    Ok(())
}

/// Writes a model file and its description, both or neither. A special file, such as a pipe, takes the model alone.
pub fn write_model(model: &Path, blob: &Blob, description: &Description) -> Result<(), Failure> {
    write(model, blob.bytes(), description)
}

/// Writes the bytes of a model or of features and their description, as [`write_model`] does.
pub fn write(file: &Path, bytes: &[u8], description: &Description) -> Result<(), Failure> {
    if output::is_device(file) {
        return output::write(file, bytes);
    }
    output::write_together(&[(&path(file), description.to_json(bytes).as_bytes()), (file, bytes)])
}

/// Returns the failure of rows whose columns do not suit the model. Where the description that names the columns is
/// missing, the message says so.
pub fn unsuited(model: &Path, error: DataError) -> Failure {
    let path = path(model);
    let of_columns =
        matches!(&error, DataError::Columns(ColumnError::WrongWidth { .. } | ColumnError::OtherInputs { .. }));
    match of_columns && !path.exists() {
        true => Failure::from(error).and(&format!("{}, which names the columns, is missing", path.display())),
        false => error.into(),
    }
}

/// Reads the description beside a model file. A file that does not belong to the model is ignored with a remark.
pub fn read(model: &Path, blob: &Blob, common: &Common) -> Option<Description> {
    let path = path(model);
    let name = path.display();
    let text = match fs::read_to_string(&path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => Err(format!("{name}: cannot be read: {error}")),
    };
    let found = text
        .and_then(|text| Description::parse(&name.to_string(), &text, blob.bytes()).map_err(|error| error.to_string()));
    match found {
        Ok(description) => Some(description),
        Err(problem) => {
            if !common.quiet {
                say!("srfm: {problem}; the description is ignored");
            }
            None
        }
    }
}
