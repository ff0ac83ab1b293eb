//! Writing a model. The trainer uses it; firmware that only predicts does not link it.

use super::section::{self, put, size};
use super::{
    ALL, BUFFERED, CHECKSUM, CRC, Header, Intervals, Kernel, MAGIC, Number, PREAMBLE, Prepared, Scale, Shifts,
    index_words, packs, wide,
};
use crate::Error;

/// A model to be written.
#[derive(Clone, Copy, Debug)]
pub struct ModelSpec<'a> {
    /// Name of the method that fitted the model.
    pub method: &'a str,
    /// Number format of the parameters, which are words: see [`words`].
    pub number: Number,
    /// Nonlinearity of the features.
    pub kernel: Kernel,
    /// Number of readings that a prediction takes, at least 1.
    pub inputs: u16,
    /// [`hash_names`](super::hash_names) of the input names, or 0.
    pub inputs_hash: u32,
    /// The share of every input in what the model computes, in 255ths; empty leaves the section out.
    pub importance: &'a [u8],
    /// The names of the classes that the outputs are scores of, two for one output, otherwise one an output; empty for a
    /// model of quantities.
    pub classes: &'a [&'a str],
    /// Smallest and largest reading of every input that the outputs depend on, and minus and plus infinity for the others;
    /// empty leaves the section out.
    pub ranges: &'a [[f32; 2]],
    /// Intervals around predictions.
    pub intervals: Intervals<'a>,
    /// Prepared inputs, in floating point at most [`BUFFERED`]. Where there are any, all indices below refer to this list; where
    /// there are none, to the readings.
    pub prepared: &'a [Prepared],
    /// One entry per output of an integer model; none in floating point.
    pub scales: &'a [Scale],
    /// Binary points of an integer model.
    pub shifts: Shifts,
    /// One value per output; their number is the number of outputs.
    pub intercepts: &'a [u32],
    /// One row of `outputs` weights per term.
    pub linear_weights: &'a [u32],
    /// The input of each linear term.
    pub linear_inputs: &'a [u16],
    /// Runs of features, summed in this order.
    pub blocks: &'a [BlockSpec<'a>],
}

/// A run of at most 65,535 features with the same number of inputs.
#[derive(Clone, Copy, Debug)]
pub struct BlockSpec<'a> {
    /// Inputs per feature; [`ALL`](super::ALL) where each looks at all inputs, or all prepared ones, in their order.
    pub order: u16,
    /// One record a feature: bias, weights and amplitudes, as `FORMAT.md` has them.
    pub records: &'a [u32],
    /// `order` input indices a feature; none where it looks at all inputs or weights [pack](super::packs) them.
    pub indices: &'a [u16],
}

impl ModelSpec<'_> {
    /// Number of values that indices may refer to.
    fn view(&self) -> usize {
        if self.prepared.is_empty() { self.inputs.into() } else { self.prepared.len() }
    }

    /// Number of features of a block: at most 65,535.
    fn features(&self, block: &BlockSpec<'_>) -> Result<usize, Error> {
        let order = if block.order == ALL { self.view() } else { block.order.into() };
        let words = self.number.weight_words(order) + self.number.other_words(self.kernel, self.intercepts.len());
        let words = words.max(1);
        let features = block.records.len() / words;
        let listed = if packs(self.number, self.view()) { 0 } else { features * usize::from(block.order) };
        if !block.records.len().is_multiple_of(words) || block.indices.len() != listed {
            Err(Error::Layout)
        } else if features > usize::from(u16::MAX) {
            Err(Error::TooLarge)
        } else {
            Ok(features)
        }
    }

    /// The oldest version that holds the model.
    fn version(&self) -> Result<u16, Error> {
        let dense = self.blocks.iter().any(|block| block.order == ALL);
        let newer = section::encoded_len(self)? > 0 || dense || self.number != Number::F32;
        Ok(if newer { 2 } else { 1 })
    }

    fn header(&self) -> Result<Header<'_>, Error> {
        let count = |n: usize| u16::try_from(n).map_err(|_| Error::TooLarge);
        Ok(Header {
            number: self.number,
            kernel: self.kernel,
            inputs: self.inputs,
            outputs: count(self.intercepts.len())?,
            prepared: count(self.prepared.len())?,
            linear: count(self.linear_inputs.len())?,
            blocks: count(self.blocks.len())?,
            inputs_hash: self.inputs_hash,
            method: self.method,
        })
    }
}

/// The words of floating-point parameters.
pub fn words(values: &[f32]) -> &[u32] {
    bytemuck::must_cast_slice(values)
}

/// Bytes that `model` takes, or why it cannot be written.
pub fn encoded_len(model: &ModelSpec<'_>) -> Result<usize, Error> {
    let header = model.header()?;
    if model.prepared.len() > BUFFERED && model.number == Number::F32 {
        return Err(Error::TooLarge);
    }
    let (outputs, terms) = (model.intercepts.len(), model.linear_inputs.len());
    if model.linear_weights.len() != terms * outputs {
        return Err(Error::Layout);
    }
    let integers = model.number != Number::F32;
    if model.scales.len() != if integers { outputs } else { 0 } {
        return Err(Error::Layout);
    }
    let indices = |n| index_words(n, model.view()).ok_or(Error::TooLarge);
    let scales = if integers { 1 + 2 * outputs } else { 0 };
    let mut words = 2 * model.prepared.len() + scales + outputs + terms * outputs + indices(terms)?;
    for block in model.blocks {
        model.features(block)?;
        words += 1 + block.records.len() + indices(block.indices.len())?;
    }
    let header = size(&header)? + section::encoded_len(model)?;
    u16::try_from(header).map_err(|_| Error::TooLarge)?;
    Ok((PREAMBLE + header).next_multiple_of(4) + 4 * words + CHECKSUM)
}

/// Writes `model` into `out` and returns the number of bytes written.
///
/// # Errors
/// [`Error::TooLarge`] where `out` is shorter than [`encoded_len`] or a count does not fit the format,
/// [`Error::Layout`] where lengths contradict each other. Values and indices are checked on reading.
///
/// ```
/// use srfm_runtime::format::{self, BlockSpec, Intervals, Kernel, ModelSpec, Number, Shifts, words};
/// use srfm_runtime::{Model, kernel::cosine_f32::LEADING};
///
/// # fn main() -> Result<(), srfm_runtime::Error> {
/// // y = 1 + 2 cos(2π · 0.5 x₁)
/// let record = [0.0, 0.5, 2.0 * LEADING as f32];
/// let feature = BlockSpec { order: 1, records: words(&record), indices: &[1] };
/// let spec = ModelSpec {
///     method: "by hand",
///     number: Number::F32,
///     kernel: Kernel::Cosine,
///     inputs: 2,
///     inputs_hash: 0,
///     importance: &[],
///     classes: &[],
///     ranges: &[],
///     intervals: Intervals::default(),
///     prepared: &[],
///     scales: &[],
///     shifts: Shifts::default(),
///     intercepts: words(&[1.0]),
///     linear_weights: &[],
///     linear_inputs: &[],
///     blocks: &[feature],
/// };
/// #[repr(align(4))]
/// struct Buffer([u8; 128]);
/// let mut buffer = Buffer([0; 128]);
/// let len = format::write(&spec, &mut buffer.0)?;
/// let mut y = [0.0];
/// Model::parse(&buffer.0[..len])?.predict(&[9.0, 1.0], &mut y)?;
/// assert!((y[0] + 1.0).abs() < 1e-5);
/// # Ok(())
/// # }
/// ```
pub fn write(model: &ModelSpec<'_>, out: &mut [u8]) -> Result<usize, Error> {
    let len = encoded_len(model)?;
    let out = out.get_mut(..len).ok_or(Error::TooLarge)?;
    let (body, checksum) = out.split_at_mut(len - CHECKSUM);
    body.fill(0);

    let (preamble, rest) = body.split_at_mut(PREAMBLE);
    let header_len = size(&model.header()?)? + section::encoded_len(model)?;
    section::write(model, put(&model.header()?, rest)?)?;
    let header_len_field = u16::try_from(header_len).map_err(|_| Error::TooLarge)?;
    let len_field = u32::try_from(len).map_err(|_| Error::TooLarge)?;
    let mut writer = Writer { rest: preamble };
    writer.bytes(&MAGIC)?;
    writer.bytes(&model.version()?.to_le_bytes())?;
    writer.bytes(&header_len_field.to_le_bytes())?;
    writer.bytes(&len_field.to_le_bytes())?;

    let padded = (PREAMBLE + header_len).next_multiple_of(4);
    let mut writer = Writer { rest: body.get_mut(padded..).ok_or(Error::TooLarge)? };
    let view = model.view();
    writer.bytes(bytemuck::must_cast_slice(model.prepared))?;
    if model.number != Number::F32 {
        writer.bytes(bytemuck::bytes_of(&model.shifts))?;
        writer.bytes(bytemuck::must_cast_slice(model.scales))?;
    }
    writer.bytes(bytemuck::must_cast_slice(model.intercepts))?;
    writer.bytes(bytemuck::must_cast_slice(model.linear_weights))?;
    writer.indices(model.linear_inputs, view)?;
    for block in model.blocks {
        let count = model.features(block)? as u32;
        writer.bytes(&(count << 16 | u32::from(block.order)).to_le_bytes())?;
        writer.bytes(bytemuck::must_cast_slice(block.records))?;
        writer.indices(block.indices, view)?;
    }
    checksum.copy_from_slice(&CRC.checksum(body).to_le_bytes());
    Ok(len)
}

/// Fills a buffer from the front.
struct Writer<'a> {
    rest: &'a mut [u8],
}

impl Writer<'_> {
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let (front, rest) = core::mem::take(&mut self.rest).split_at_mut_checked(bytes.len()).ok_or(Error::TooLarge)?;
        front.copy_from_slice(bytes);
        self.rest = rest;
        Ok(())
    }

    /// Indices into `inputs` values, with zeros up to the next word.
    fn indices(&mut self, indices: &[u16], inputs: usize) -> Result<(), Error> {
        for &index in indices {
            match u8::try_from(index) {
                _ if wide(inputs) => self.bytes(&index.to_le_bytes())?,
                Ok(narrow) => self.bytes(&[narrow])?,
                Err(_) => return Err(Error::IndexOutOfRange),
            }
        }
        let written = indices.len() * if wide(inputs) { 2 } else { 1 };
        self.bytes(&[0; 3][..written.next_multiple_of(4) - written])
    }
}
