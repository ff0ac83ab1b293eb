//! Receiving a model at run time and swapping it in, in fixed buffers.

use heapless::Vec;

use crate::{Error, Model};

/// Holds the model in use and the one being received, each in at most `WORDS` words of four bytes.
///
/// A model arrives in pieces of any length; it replaces the one in use only once it has been checked. Put it in a
/// `static` cell: it takes `8 * WORDS` bytes of RAM.
///
/// ```
/// use srfm_runtime::{ModelSlot, include_model};
///
/// # fn main() -> Result<(), srfm_runtime::Error> {
/// # let radio = include_model!("../golden/plane-v1.srfm").chunks(7);
/// let mut slot = ModelSlot::<64>::new();
/// for packet in radio {
///     slot.receive(packet)?;
/// }
/// slot.commit()?;
/// assert_eq!(slot.model().map(|model| model.inputs()), Some(2));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct ModelSlot<const WORDS: usize> {
    in_use: Buffer<WORDS>,
    incoming: Buffer<WORDS>,
}

/// Bytes in a buffer of words, so that they start on a four-byte boundary.
#[derive(Debug, Default)]
struct Buffer<const WORDS: usize> {
    words: Vec<u32, WORDS>,
    len: usize,
}

impl<const WORDS: usize> ModelSlot<WORDS> {
    /// An empty slot.
    pub const fn new() -> Self {
        ModelSlot { in_use: Buffer::new(), incoming: Buffer::new() }
    }

    /// Appends a piece of the next model.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where it does not fit; what was received is dropped.
    pub fn receive(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.incoming.extend(piece).inspect_err(|_| self.discard())
    }

    /// Drops what was received of the next model.
    pub fn discard(&mut self) {
        self.incoming = Buffer::new();
    }

    /// Checks the received model and takes it into use.
    ///
    /// # Errors
    /// Those of [`Model::parse`]; the model in use stays, what was received is dropped.
    pub fn commit(&mut self) -> Result<(), Error> {
        let checked = Model::parse(self.incoming.bytes()).map(|_| ());
        if checked.is_ok() {
            core::mem::swap(&mut self.in_use, &mut self.incoming);
        }
        self.discard();
        checked
    }

    /// The model in use, if there is one. It is checked again, since RAM can change: keep the result while predicting.
    pub fn model(&self) -> Option<Model<'_>> {
        Model::parse(self.in_use.bytes()).ok()
    }
}

impl<const WORDS: usize> Buffer<WORDS> {
    const fn new() -> Self {
        Buffer { words: Vec::new(), len: 0 }
    }

    fn bytes(&self) -> &[u8] {
        let bytes: &[u8] = bytemuck::must_cast_slice(&self.words);
        bytes.get(..self.len).unwrap_or(bytes)
    }

    fn extend(&mut self, piece: &[u8]) -> Result<(), Error> {
        let end = self.len.checked_add(piece.len()).ok_or(Error::TooLarge)?;
        self.words.resize(end.div_ceil(4), 0).map_err(|_| Error::TooLarge)?;
        let bytes: &mut [u8] = bytemuck::must_cast_slice_mut(&mut self.words);
        let room = bytes.get_mut(self.len..end).ok_or(Error::TooLarge)?;
        // As long as each other, but `copy_from_slice` would keep a check that could panic.
        room.iter_mut().zip(piece).for_each(|(to, from)| *to = *from);
        self.len = end;
        Ok(())
    }
}
