//! A model borrowed from flash.

use crate::Error;
use crate::format::{Blocks, Contents, Header, Linear, MAX_PREPARED, Prepared};
use crate::kernel::cosine_f32::{self, input};

/// A model, borrowed from the bytes of its file: a few pointers, no parameter is copied.
///
/// See the [crate documentation](crate) for the formula and an example.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    contents: Contents<'a>,
}

impl<'a> Model<'a> {
    /// Checks the model at the start of `bytes` and borrows it. Bytes behind it are ignored.
    ///
    /// Every length, index and value and the checksum are looked at once, here; it costs about 60 instructions a byte.
    ///
    /// # Errors
    /// Any [`Error`] but `WrongInputs` and `WrongOutputs`. `bytes` must start on a four-byte boundary: see
    /// [`include_model!`](crate::include_model) and [`ModelSlot`](crate::ModelSlot).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        Contents::read(bytes).map(|contents| Model { contents })
    }

    /// Predicts every output from one row of readings, in physical units.
    ///
    /// `x` holds [`inputs`](Self::inputs) readings, `y` receives [`outputs`](Self::outputs) values. The number of
    /// instructions depends on the model alone on a core with an FPU. A reading that is not a number gives a result
    /// that is not a number.
    ///
    /// # Errors
    /// [`Error::WrongInputs`] or [`Error::WrongOutputs`] where a slice has another length; nothing else.
    #[inline]
    pub fn predict(&self, x: &[f32], y: &mut [f32]) -> Result<(), Error> {
        let Contents { header, prepared, .. } = &self.contents;
        if x.len() != usize::from(header.inputs) {
            return Err(Error::WrongInputs { expected: header.inputs });
        }
        if y.len() != usize::from(header.outputs) {
            return Err(Error::WrongOutputs { expected: header.outputs });
        }
        if prepared.is_empty() {
            self.evaluate(x, y);
        } else {
            self.prepare_and_evaluate(x, y);
        }
        Ok(())
    }

    /// Evaluates on the prepared inputs. Apart, so that a model without them needs no stack for the buffer.
    #[inline(never)]
    fn prepare_and_evaluate(&self, x: &[f32], y: &mut [f32]) {
        let mut buffer = [0.0; MAX_PREPARED];
        for (z, prepared) in buffer.iter_mut().zip(self.contents.prepared) {
            *z = input(x, prepared.input.into()) - prepared.centre;
        }
        self.evaluate(&buffer, y);
    }

    #[inline(never)]
    fn evaluate(&self, z: &[f32], y: &mut [f32]) {
        let Contents { intercepts, linear, blocks, .. } = &self.contents;
        for (y, &intercept) in y.iter_mut().zip(*intercepts) {
            *y = intercept;
        }
        let mut weights = linear.weights.iter();
        for index in linear.inputs.iter() {
            let z = input(z, index.into());
            for (y, &weight) in y.iter_mut().zip(&mut weights) {
                *y += weight * z;
            }
        }
        for block in *blocks {
            cosine_f32::accumulate(&block, z, y);
        }
    }

    /// Number of readings that a prediction takes.
    pub fn inputs(&self) -> usize {
        self.contents.header.inputs.into()
    }

    /// Number of values that a prediction gives.
    pub fn outputs(&self) -> usize {
        self.contents.header.outputs.into()
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.blocks().map(|b| b.records.len() / (1 + usize::from(b.order) + self.outputs())).sum()
    }

    /// Length of the model in bytes: what it takes of flash.
    pub fn flash_bytes(&self) -> usize {
        self.contents.len
    }

    /// The header of the file.
    pub fn header(&self) -> &Header<'a> {
        &self.contents.header
    }

    /// The prepared inputs; empty where features read the readings directly.
    pub fn prepared(&self) -> &'a [Prepared] {
        self.contents.prepared
    }

    /// One intercept per output.
    pub fn intercepts(&self) -> &'a [f32] {
        self.contents.intercepts
    }

    /// The linear block.
    pub fn linear(&self) -> Linear<'a> {
        self.contents.linear
    }

    /// The features, in blocks of equal order.
    pub fn blocks(&self) -> Blocks<'a> {
        self.contents.blocks
    }

    /// Whether the outputs depend on reading `index` at all: where not, its sensor can stay off the board.
    pub fn uses_input(&self, index: usize) -> bool {
        let reading = |i: u16| self.prepared().get(usize::from(i)).map_or(i, |p| p.input);
        let mut used = self.linear().inputs.iter().chain(self.blocks().flat_map(|b| b.indices.iter()));
        used.any(|i| usize::from(reading(i)) == index)
    }
}
