//! Writing a model. The trainer uses it; firmware that only predicts does without the feature `write`.

use super::{CHECKSUM, CRC, MAGIC, ModelSpec, Number, PREAMBLE, TreesSpec, VERSION, header_write, wide};
use crate::Error;

/// Returns the words of floating-point parameters.
pub fn words(values: &[f32]) -> &[u32] {
    bytemuck::must_cast_slice(values)
}

/// Returns the bytes of the header: a number of 16 bits.
fn header_len(model: &ModelSpec<'_>) -> Result<u16, Error> {
    model.check_sections()?;
    u16::try_from(header_write::encoded_len(model)?).map_err(|_| Error::TooLarge)
}

/// Returns the bytes that `model` takes.
///
/// # Errors
/// [`Error::TooLarge`] where a count does not fit the format, [`Error::Layout`] where lengths contradict each other.
pub fn encoded_len(model: &ModelSpec<'_>) -> Result<usize, Error> {
    let words = model.tensor_words()?;
    Ok((PREAMBLE + usize::from(header_len(model)?)).next_multiple_of(4) + 4 * words + CHECKSUM)
}

/// Writes `model` into `out` and returns the number of bytes written.
///
/// # Errors
/// [`Error::TooLarge`] where `out` is shorter than [`encoded_len`], and as [`encoded_len`]. Values and indices are
/// checked on reading.
///
/// ```
/// use srfm_runtime::Model;
/// use srfm_runtime::format::{
///     self, BlockSpec, HistorySpec, Intervals, Kernel, ModelSpec, Number, Shifts, TreesSpec, words,
/// };
///
/// # fn main() -> Result<(), srfm_runtime::Error> {
/// // y = 1 + 2 cos(2π · 0.5 x₁)
/// let kernel = Kernel::Cosine;
/// let record = [0.0, 0.5, 2.0 * kernel.scales()[0] as f32];
/// let feature = BlockSpec { kernel, order: 1, records: words(&record), indices: &[1] };
/// let spec = ModelSpec {
///     method: "by hand",
///     number: Number::F32,
///     inputs: 2,
///     inputs_hash: 0,
///     importance: &[],
///     classes: &[],
///     ranges: &[],
///     intervals: Intervals::default(),
///     slope: None,
///     confidence: None,
///     history: HistorySpec::default(),
///     prepared: &[],
///     input_limits: &[],
///     replacements: &[],
///     scales: &[],
///     shifts: Shifts::default(),
///     intercepts: words(&[1.0]),
///     limits: &[[-1.0_f32, 3.0].map(f32::to_bits)],
///     linear_weights: &[],
///     linear_inputs: &[],
///     blocks: &[feature],
///     trees: TreesSpec::default(),
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
    let (len, header_len) = (encoded_len(model)?, header_len(model)?);
    let out = out.get_mut(..len).ok_or(Error::TooLarge)?;
    let (body, checksum) = out.split_at_mut(len - CHECKSUM);
    body.fill(0);

    let mut writer = Writer { rest: body };
    writer.bytes(&MAGIC)?;
    writer.bytes(&VERSION.to_le_bytes())?;
    writer.bytes(&header_len.to_le_bytes())?;
    writer.bytes(&u32::try_from(len).map_err(|_| Error::TooLarge)?.to_le_bytes())?;
    header_write::write(model, writer.take(header_len.into())?)?;
    writer.pad(PREAMBLE + usize::from(header_len))?;
    tensors(model, &mut writer)?;
    checksum.copy_from_slice(&CRC.checksum(body).to_le_bytes());
    Ok(len)
}

/// Writes the tensors.
fn tensors(model: &ModelSpec<'_>, writer: &mut Writer<'_>) -> Result<(), Error> {
    let view = model.view();
    writer.bytes(bytemuck::must_cast_slice(model.prepared))?;
    writer.bytes(bytemuck::must_cast_slice(model.input_limits))?;
    writer.bytes(bytemuck::must_cast_slice(model.replacements))?;
    if model.number != Number::F32 {
        writer.bytes(bytemuck::bytes_of(&model.shifts))?;
        writer.bytes(bytemuck::must_cast_slice(model.scales))?;
    }
    writer.bytes(bytemuck::must_cast_slice(model.intercepts))?;
    writer.bytes(bytemuck::must_cast_slice(model.limits))?;
    writer.bytes(bytemuck::must_cast_slice(model.linear_weights))?;
    writer.indices(model.linear_inputs, view)?;
    for block in model.blocks {
        let count = model.features(block)? as u32;
        writer.bytes(&(count << 16 | u32::from(block.order)).to_le_bytes())?;
        writer.bytes(bytemuck::must_cast_slice(block.records))?;
        writer.indices(block.indices, view)?;
    }
    if model.trees.is_empty() {
        return Ok(());
    }
    trees(model, writer)
}

/// Writes the block of trees.
fn trees(model: &ModelSpec<'_>, writer: &mut Writer<'_>) -> Result<(), Error> {
    let TreesSpec { inputs, steps, shift, halves } = model.trees;
    let upper = if model.number.is_float() { inputs.len() as u32 } else { shift.into() };
    writer.bytes(&(upper << 16 | halves.len() as u32).to_le_bytes())?;
    writer.bytes(bytemuck::must_cast_slice(inputs))?;
    writer.bytes(bytemuck::must_cast_slice(steps))?;
    writer.bytes(bytemuck::must_cast_slice(halves))?;
    writer.pad(2 * halves.len())
}

/// Fills a buffer from the front.
struct Writer<'a> {
    rest: &'a mut [u8],
}

impl<'a> Writer<'a> {
    /// Takes the next `len` bytes off the buffer.
    fn take(&mut self, len: usize) -> Result<&'a mut [u8], Error> {
        let (front, rest) = core::mem::take(&mut self.rest).split_at_mut_checked(len).ok_or(Error::TooLarge)?;
        self.rest = rest;
        Ok(front)
    }

    /// Appends bytes.
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.take(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// Appends zeros from `written` bytes up to the next word.
    fn pad(&mut self, written: usize) -> Result<(), Error> {
        self.bytes(&[0; 3][..written.next_multiple_of(4) - written])
    }

    /// Appends indices into `inputs` values, with zeros up to the next word.
    fn indices(&mut self, indices: &[u16], inputs: usize) -> Result<(), Error> {
        for &index in indices {
            match u8::try_from(index) {
                _ if wide(inputs) => self.bytes(&index.to_le_bytes())?,
                Ok(narrow) => self.bytes(&[narrow])?,
                Err(_) => return Err(Error::IndexOutOfRange),
            }
        }
        self.pad(indices.len() * if wide(inputs) { 2 } else { 1 })
    }
}
