//! The bytes of a model file, on the four-byte boundary that the runtime needs.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use srfm_runtime::Model;
use srfm_runtime::format::{self, ModelSpec};

use crate::message::message_by_display;

/// A model file in memory that the runtime has checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    words: Vec<u32>,
}

/// The reason why bytes are not a model file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlobError {
    /// The runtime refuses the bytes.
    #[error(transparent)]
    Refused(#[from] srfm_runtime::Error),
    /// Bytes follow the end of the model. The runtime ignores them on the device; in a file they are a mistake.
    #[error("the file has bytes after the end of the model ({0})")]
    Trailing(usize),
}

message_by_display!(BlobError);

/// Writes a file, completely or not at all.
pub(super) fn save(path: &Path, contents: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // `create_new` applies the umask; the default of `tempfile` makes private files.
    let mut file = tempfile::Builder::new().make_in(folder, |name| File::create_new(name))?;
    file.write_all(contents)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

impl Blob {
    /// Copies and checks the bytes of a model file.
    ///
    /// # Errors
    /// The errors of [`Model::parse`], and [`BlobError::Trailing`].
    pub fn new(bytes: &[u8]) -> Result<Blob, BlobError> {
        let mut words = vec![0; bytes.len().div_ceil(4)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        // The padding of the last word must not complete a file that was cut.
        let len = Model::parse(&bytemuck::cast_slice(&words)[..bytes.len()])?.flash_bytes();
        if len < bytes.len() { Err(BlobError::Trailing(bytes.len() - len)) } else { Ok(Blob { words }) }
    }

    /// Reads and checks a model file.
    ///
    /// # Errors
    /// Those of the file system; [`io::ErrorKind::InvalidData`] with a [`BlobError`] if the file is no model.
    pub fn read(path: impl AsRef<Path>) -> io::Result<Blob> {
        Blob::new(&fs::read(path)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Writes the model file, completely or not at all: a file of that name stays as it is until the new one is
    /// complete.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        save(path.as_ref(), self.bytes())
    }

    /// Encodes a model and checks the bytes.
    ///
    /// # Errors
    /// The errors of [`format::write`] and [`Model::parse`].
    pub(crate) fn from_spec(spec: &ModelSpec<'_>) -> Result<Blob, srfm_runtime::Error> {
        let mut words = vec![0; format::encoded_len(spec)? / 4];
        format::write(spec, bytemuck::cast_slice_mut(&mut words))?;
        Model::parse(bytemuck::cast_slice(&words))?;
        Ok(Blob { words })
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    /// Returns the model as the device sees it.
    pub fn model(&self) -> Model<'_> {
        Model::parse(self.bytes()).expect("checked on construction")
    }
}
