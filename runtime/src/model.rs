//! A model borrowed from flash.

use core::array::from_fn;

use crate::Error;
use crate::format::{BUFFERED, Blocks, Classes, Contents, Header, Indices, Linear, Prepared};
use crate::kernel::cosine_f32::{self, Buffer, input};

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
        let buffered = !prepared.is_empty() || x.len() <= BUFFERED;
        match y {
            [y] if buffered => *y = self.predict_single(x),
            _ if buffered => self.predict_buffered(x, y),
            _ => self.predict_general(x, y),
        }
        Ok(())
    }

    /// Predicts the class of one row of readings: its number among [`classes`](Self::classes), from 0.
    ///
    /// `scores` receives what [`predict`](Self::predict) gives. Two classes have one score, and the second is the answer
    /// where it is above one half. More have one each, and the largest is the answer; of equal ones the first. A score
    /// that is not a number is never the largest: where none is a number, as after a reading that is not one, the answer
    /// is 0, and `scores` tells.
    ///
    /// # Errors
    /// [`Error::NoClasses`] where the model predicts quantities, otherwise as [`predict`](Self::predict).
    #[inline]
    pub fn classify(&self, x: &[f32], scores: &mut [f32]) -> Result<usize, Error> {
        if self.contents.sections.classes.is_empty() {
            return Err(Error::NoClasses);
        }
        self.predict(x, scores)?;
        Ok(decide(scores))
    }

    /// The inputs as features see them: prepared, or the readings themselves.
    #[inline(always)]
    fn buffer(&self, x: &[f32]) -> Buffer {
        let prepared = self.contents.prepared;
        if prepared.is_empty() {
            from_fn(|i| input(x, i))
        } else {
            from_fn(|i| prepared.get(i).map_or(0.0, |p| input(x, p.input.into()) - p.centre))
        }
    }

    /// One output, at most [`BUFFERED`] inputs: the case to be fast in.
    #[inline(never)]
    fn predict_single(&self, x: &[f32]) -> f32 {
        let Contents { intercepts, linear, blocks, .. } = &self.contents;
        let z = self.buffer(x);
        let mut y = intercepts.first().copied().unwrap_or(0.0);
        for (&weight, &index) in linear.weights.iter().zip(linear.inputs.narrow()) {
            y += weight * z[usize::from(index) % BUFFERED];
        }
        for block in *blocks {
            y = cosine_f32::single(block.order.into(), block.records, block.indices.narrow(), &z, y);
        }
        y
    }

    /// Several outputs, at most [`BUFFERED`] inputs.
    #[inline(never)]
    fn predict_buffered(&self, x: &[f32], y: &mut [f32]) {
        let z = self.buffer(x);
        self.predict_general(&z, y);
    }

    /// Any number of inputs and outputs. The order of the sums is that of [`predict_single`](Self::predict_single).
    #[inline(never)]
    fn predict_general(&self, z: &[f32], y: &mut [f32]) {
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
            match block.indices {
                Indices::Narrow(indices) => cosine_f32::general(block.order.into(), block.records, indices, z, y),
                Indices::Wide(indices) => cosine_f32::general(block.order.into(), block.records, indices, z, y),
            }
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
        self.blocks().map(|block| block.features()).sum()
    }

    /// Length of the model in bytes: what it takes of flash.
    pub fn flash_bytes(&self) -> usize {
        self.contents.len
    }

    /// The header of the file.
    pub fn header(&self) -> &Header<'a> {
        &self.contents.header
    }

    /// The share of every input in what the model computes, in 255ths; empty where the file does not say.
    pub fn importance(&self) -> &'a [u8] {
        self.contents.sections.importance
    }

    /// The names of the classes, in the order of their numbers; none in a model that predicts quantities.
    pub fn classes(&self) -> Classes<'a> {
        self.contents.sections.classes
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

/// The class that has the best score.
fn decide(scores: &[f32]) -> usize {
    if let [score] = scores {
        return usize::from(*score > 0.5);
    }
    let (mut class, mut largest) = (0, f32::NEG_INFINITY);
    for (i, &score) in scores.iter().enumerate() {
        if score > largest {
            (class, largest) = (i, score);
        }
    }
    class
}
