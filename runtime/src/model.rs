//! A model borrowed from flash.

use core::marker::PhantomData;

use crate::Error;
use crate::evaluate::prepare;
use crate::format::{Block, Blocks, Classes, Contents, Header, Indices, Kernel, Linear, Number, Prepared, Scale};
use crate::kernel::{Any, Kernels, have};

/// A model, borrowed from the bytes of its file: a few pointers, no parameter is copied.
///
/// See the [crate documentation](crate) for the formula and an example. `K` says which [kernels](crate::kernel) the program
/// has.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a, K = Any> {
    contents: Contents<'a>,
    kernels: PhantomData<K>,
}

impl<'a> Model<'a> {
    /// Checks the model at the start of `bytes` and borrows it. Bytes behind it are ignored.
    ///
    /// Every length, index and value and the checksum are looked at once, here; it costs about 60 instructions a byte.
    ///
    /// # Errors
    /// Any [`Error`] but those of [`predict`](Self::predict) and [`classify`](Self::classify). `bytes` must start on a four-byte boundary: see
    /// [`include_model!`](crate::include_model) and [`ModelSlot`](crate::ModelSlot).
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::parse_only(bytes)
    }
}

impl<'a, K: Kernels> Model<'a, K> {
    /// [`parse`](Model::parse) for a program that has the kernel `K` alone: for one output, 8 KB of code in place of 65.
    ///
    /// # Errors
    /// As [`parse`](Model::parse), and [`Error::Header`] where the model has another kernel, or warped inputs that the program
    /// has no [`Warped`](crate::kernel::Warped) for.
    ///
    /// ```
    /// use srfm_runtime::kernel::{Cosine, Sigmoid};
    /// use srfm_runtime::{Error, Model, include_model};
    ///
    /// static BLOB: &[u8] = include_model!("../golden/plane-v1.srfm");
    ///
    /// assert!(Model::<Cosine>::parse_only(BLOB).is_ok());
    /// assert_eq!(Model::<Sigmoid>::parse_only(BLOB).err(), Some(Error::Header));
    /// ```
    pub fn parse_only(bytes: &'a [u8]) -> Result<Self, Error> {
        Self::of(Contents::read(bytes, K::WARPS)?)
    }

    /// [`parse_only`](Self::parse_only) of the words of a file, four bytes each in its order, in constant expressions: what
    /// [`static_model!`](crate::static_model) calls.
    ///
    /// # Errors
    /// As [`parse_only`](Self::parse_only), but for [`Error::Misaligned`].
    pub const fn from_words(words: &'a [u32]) -> Result<Self, Error> {
        match Contents::read_words(words, K::WARPS) {
            Ok(contents) => Self::of(contents),
            Err(error) => Err(error),
        }
    }

    const fn of(contents: Contents<'a>) -> Result<Self, Error> {
        if !have::<K>(contents.header.number, contents.header.kernel) {
            return Err(Error::Header);
        }
        Ok(Model { contents, kernels: PhantomData })
    }

    /// Predicts every output from one row of readings, in physical units.
    ///
    /// `x` holds [`inputs`](Self::inputs) readings, `y` receives [`outputs`](Self::outputs) values. The number of
    /// instructions depends on the model alone on a core with an FPU, but for readings outside of the domain of a warp. A reading that is not a number gives a result
    /// that is not a number; an integer model takes it for 0, the middle of its range where it is prepared.
    ///
    /// # Errors
    /// [`Error::WrongInputs`] or [`Error::WrongOutputs`] where a slice has another length; nothing else.
    #[inline]
    pub fn predict(&self, x: &[f32], y: &mut [f32]) -> Result<(), Error> {
        let Contents { header, .. } = &self.contents;
        if x.len() != usize::from(header.inputs) {
            return Err(Error::WrongInputs { expected: header.inputs });
        }
        if y.len() != usize::from(header.outputs) {
            return Err(Error::WrongOutputs { expected: header.outputs });
        }
        K::evaluate(&self.contents, x, y);
        Ok(())
    }

    /// Predicts every output of an integer model from its inputs, without floating point.
    ///
    /// `z` holds the [prepared](Self::prepare) inputs, before any warp, or as many integers as there are readings where the model prepares
    /// none: counts of a converter go in as they are. `y` receives [`outputs`](Self::outputs) integers; see
    /// [`scales`](Self::scales) for what they mean. Where nothing is linear or warped, the number of instructions is the same for all
    /// inputs.
    ///
    /// # Errors
    /// [`Error::NotIntegers`] where the model is in floating point, [`Error::WrongInputs`] and [`Error::WrongOutputs`] where
    /// a slice has another length.
    #[inline]
    pub fn predict_integers(&self, z: &[i16], y: &mut [i32]) -> Result<(), Error> {
        let (header, view) = (&self.contents.header, self.contents.view());
        if header.number.floating_point() {
            return Err(Error::NotIntegers);
        }
        if z.len() != view {
            return Err(Error::WrongInputs { expected: view as u16 });
        }
        if y.len() != usize::from(header.outputs) {
            return Err(Error::WrongOutputs { expected: header.outputs });
        }
        K::evaluate_integers(&self.contents, z, y);
        Ok(())
    }

    /// Turns readings into the inputs that [`predict_integers`](Self::predict_integers) takes.
    ///
    /// # Errors
    /// As [`predict_integers`](Self::predict_integers).
    pub fn prepare(&self, x: &[f32], z: &mut [i16]) -> Result<(), Error> {
        let (Contents { header, prepared, .. }, view) = (&self.contents, self.contents.view());
        if header.number.floating_point() {
            return Err(Error::NotIntegers);
        }
        if x.len() != usize::from(header.inputs) {
            return Err(Error::WrongInputs { expected: header.inputs });
        }
        if z.len() != view {
            return Err(Error::WrongInputs { expected: view as u16 });
        }
        prepare(x, prepared, z);
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

    /// Number of readings that a prediction takes.
    pub const fn inputs(&self) -> usize {
        self.contents.header.inputs as usize
    }

    /// Number of values that a prediction gives.
    pub const fn outputs(&self) -> usize {
        self.contents.header.outputs as usize
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
    pub const fn header(&self) -> &Header<'a> {
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

    /// The readings of `x`, by their number, that lie outside of the range that the input had in the rows that were fitted: there
    /// a prediction is a guess. What is not a number is outside; readings that the outputs do not depend on never are. None
    /// where the file has no [ranges](Self::ranges).
    pub fn outside<'x>(&self, x: &'x [f32]) -> impl Iterator<Item = usize> + use<'a, 'x, K> {
        let within = |x: f32, [low, high]: [f32; 2]| x >= low && x <= high;
        self.ranges().zip(x).enumerate().filter(move |&(_, (range, &x))| !within(x, range)).map(|(input, _)| input)
    }

    /// Smallest and largest reading of every input in the rows that were fitted; none where the file does not say.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = [f32; 2]> + use<'a, K> {
        self.contents.sections.ranges(self.inputs())
    }

    /// Half the width of the interval around a prediction of `output` that holds the target of a share of
    /// [`level`](Self::level) of rows like those that were fitted; none where the file does not say.
    pub fn half_width(&self, output: usize) -> Option<f32> {
        self.contents.sections.intervals(self.outputs()).skip(1).nth(output)
    }

    /// The level of the intervals, such as 0.9; none where the file has none.
    pub fn level(&self) -> Option<f32> {
        self.contents.sections.intervals(self.outputs()).next()
    }

    /// The prepared inputs; empty where features read the readings directly.
    pub const fn prepared(&self) -> &'a [Prepared] {
        self.contents.prepared
    }

    /// One intercept per output: of an integer model an integer, otherwise the word of a floating-point number.
    pub fn intercepts(&self) -> &'a [u32] {
        self.contents.intercepts
    }

    /// What the integers of an integer model mean, one entry per output; otherwise empty.
    pub const fn scales(&self) -> &'a [Scale] {
        self.contents.scales
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
        self.linear().inputs.iter().any(|i| self.reading(i) == index) || self.occurrences(index) > 0
    }

    /// Number of features that look at reading `index`; a weight of zero in a feature of all inputs is none.
    pub fn occurrences(&self, index: usize) -> usize {
        self.blocks().map(|block| self.occurrences_in(&block, index)).sum()
    }

    fn occurrences_in(&self, block: &Block<'_>, index: usize) -> usize {
        let looks = |&i: &u16| self.reading(i) == index;
        let Indices::All { features, inputs } = block.indices else {
            return block.indices.iter().filter(looks).count();
        };
        let words = block.records.len() / usize::from(features).max(1);
        let (number, kernel) = (self.header().number, self.header().kernel);
        let weighs = |record: &[u32], i: u16| weighs(number, kernel, record, i.into());
        let records = || block.records.chunks_exact(words.max(1));
        (0..inputs).filter(looks).map(|i| records().filter(|record| weighs(record, i)).count()).sum()
    }

    /// The reading behind an index of the file.
    fn reading(&self, index: u16) -> usize {
        self.prepared().get(usize::from(index)).map_or(index, |prepared| prepared.input).into()
    }
}

/// Whether a feature's weight of input `i` is not zero.
fn weighs(number: Number, kernel: Kernel, record: &[u32], i: usize) -> bool {
    match number {
        Number::F32 => record.get(kernel.words(0, 0) + i).is_some_and(|&word| f32::from_bits(word) != 0.0),
        Number::I32 => record.get(i).is_some_and(|&weight| weight != 0),
        Number::I16 => bytemuck::must_cast_slice::<u32, u16>(record).get(i).is_some_and(|&weight| weight != 0),
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
