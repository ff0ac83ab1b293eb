//! The bytes of a model file, on the four-byte boundary that the runtime needs.

use srfm_runtime::Model;

/// A model file in memory that the runtime has checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    words: Vec<u32>,
}

impl Blob {
    /// Takes over the bytes of a model file; bytes behind the model are dropped.
    ///
    /// # Errors
    /// What [`Model::parse`] says.
    pub fn new(bytes: &[u8]) -> Result<Blob, srfm_runtime::Error> {
        let mut words = vec![0; bytes.len().div_ceil(4)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        // The padding of the last word must not complete a file that was cut.
        let len = Model::parse(&bytemuck::cast_slice(&words)[..bytes.len()])?.flash_bytes();
        words.truncate(len / 4);
        Ok(Blob { words })
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words)
    }

    /// The model as the device sees it.
    pub fn model(&self) -> Model<'_> {
        Model::parse(self.bytes()).expect("checked on construction")
    }
}
