//! Receiving a model at run time and taking it into use, in fixed buffers.

use heapless::{Vec, VecView};

use crate::{Error, Model};

/// Two buffers of `WORDS` words of four bytes: one for the model in use, one for the model being received.
///
/// A model arrives in pieces of any length. It replaces the model in use only once it has been checked. A slot takes
/// `8 * WORDS` bytes of RAM and a few more; put it in a `static` cell.
///
/// ```
/// use srfm_runtime::{ModelSlot, include_model};
///
/// # fn main() -> Result<(), srfm_runtime::Error> {
/// # let radio = include_model!("../golden/plane.srfm").chunks(7);
/// let mut slot = ModelSlot::<64>::new();
/// for packet in radio {
///     slot.receive(packet)?;
/// }
/// slot.commit()?;
/// assert_eq!(slot.model().map(|model| model.inputs()), Some(2));
/// # Ok(())
/// # }
/// ```
///
/// [`split`](Self::split) predicts with the model in use while the next one is being received.
#[derive(Debug)]
pub struct ModelSlot<const WORDS: usize> {
    in_use: Buffer<WORDS>,
    incoming: Buffer<WORDS>,
}

impl<const WORDS: usize> ModelSlot<WORDS> {
    /// Returns an empty slot.
    pub const fn new() -> Self {
        ModelSlot { in_use: Buffer::new(), incoming: Buffer::new() }
    }

    /// Appends a piece of the next model.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where the piece does not fit; the pieces received so far are dropped.
    pub fn receive(&mut self, piece: &[u8]) -> Result<(), Error> {
        self.incoming.receiver().receive(piece)
    }

    /// Drops the pieces of the next model that were received.
    pub fn discard(&mut self) {
        self.incoming.len = 0;
    }

    /// Checks the received model and takes it into use.
    ///
    /// # Errors
    /// The errors of [`Model::parse`]; the model in use stays, and the received one is dropped.
    pub fn commit(&mut self) -> Result<(), Error> {
        let checked = Model::parse(self.incoming.bytes()).map(|_| ());
        if checked.is_ok() {
            core::mem::swap(&mut self.in_use, &mut self.incoming);
        }
        self.discard();
        checked
    }

    /// Returns the model in use, if there is one. Every call checks the bytes again, since RAM can change: keep the
    /// result while predicting.
    pub fn model(&self) -> Option<Model<'_>> {
        Model::parse(self.in_use.bytes()).ok()
    }

    /// Returns the model in use, if there is one, and a receiver of the next model. Both can be used at the same time:
    /// the model is parsed once, here, and predicts while pieces arrive.
    ///
    /// ```
    /// # use srfm_runtime::{ModelSlot, include_model};
    /// # fn main() -> Result<(), srfm_runtime::Error> {
    /// # let (plane, sensor) = (include_model!("../golden/plane.srfm"), [0.25, 2.0]);
    /// # let mut slot = ModelSlot::<64>::new();
    /// # slot.receive(plane)?;
    /// # slot.commit()?;
    /// let (model, mut receiver) = slot.split();
    /// for packet in plane.chunks(7) {
    ///     receiver.receive(packet)?;
    ///     if let Some(model) = &model {
    ///         model.predict(&sensor, &mut [0.0])?;
    ///     }
    /// }
    /// slot.commit()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn split(&mut self) -> (Option<Model<'_>>, Receiver<'_>) {
        (Model::parse(self.in_use.bytes()).ok(), self.incoming.receiver())
    }
}

impl<const WORDS: usize> Default for ModelSlot<WORDS> {
    fn default() -> Self {
        ModelSlot::new()
    }
}

/// The receiving half of a [`ModelSlot`]; [`ModelSlot::commit`] takes the received model into use.
#[derive(Debug)]
pub struct Receiver<'a> {
    words: &'a mut VecView<u32>,
    len: &'a mut usize,
}

impl Receiver<'_> {
    /// Appends a piece of the next model.
    ///
    /// # Errors
    /// [`Error::TooLarge`] where the piece does not fit; the pieces received so far are dropped.
    pub fn receive(&mut self, piece: &[u8]) -> Result<(), Error> {
        let start = core::mem::take(self.len);
        let end = start.checked_add(piece.len()).ok_or(Error::TooLarge)?;
        self.words.resize(end.div_ceil(4), 0).map_err(|_| Error::TooLarge)?;
        let bytes: &mut [u8] = bytemuck::must_cast_slice_mut(self.words);
        let room = bytes.get_mut(start..end).ok_or(Error::TooLarge)?;
        // Both have the same length, but `copy_from_slice` would keep a check that could panic.
        room.iter_mut().zip(piece).for_each(|(to, from)| *to = *from);
        *self.len = end;
        Ok(())
    }

    /// Drops the pieces of the next model that were received.
    pub fn discard(&mut self) {
        *self.len = 0;
    }
}

/// Bytes in a buffer of words, so that they start on a four-byte boundary.
#[derive(Debug)]
struct Buffer<const WORDS: usize> {
    words: Vec<u32, WORDS>,
    /// The number of bytes in use.
    len: usize,
}

impl<const WORDS: usize> Buffer<WORDS> {
    const fn new() -> Self {
        Buffer { words: Vec::new(), len: 0 }
    }

    fn bytes(&self) -> &[u8] {
        let bytes: &[u8] = bytemuck::must_cast_slice(&self.words);
        bytes.get(..self.len).unwrap_or(bytes)
    }

    fn receiver(&mut self) -> Receiver<'_> {
        Receiver { words: &mut self.words, len: &mut self.len }
    }
}
