//! Writing the header of a model: its message and its sections.

use super::ModelSpec;
use super::section::{CLASSES, IMPORTANCE, INTERVALS, RANGES, SINGLE};
use crate::Error;

/// A place that bytes are written to.
pub(super) trait Output {
    /// Appends bytes.
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error>;

    /// Appends a number, seven bits a byte, the lowest first.
    fn number(&mut self, number: usize) -> Result<(), Error> {
        let mut number = u32::try_from(number).map_err(|_| Error::TooLarge)?;
        while number >= 0x80 {
            self.bytes(&[number as u8 | 0x80])?;
            number >>= 7;
        }
        self.bytes(&[number as u8])
    }

    /// Appends the length of a text and its bytes.
    fn text(&mut self, text: &str) -> Result<(), Error> {
        self.number(text.len())?;
        self.bytes(text.as_bytes())
    }

    /// Appends numbers in single precision.
    fn singles(&mut self, values: &[f32]) -> Result<(), Error> {
        self.bytes(bytemuck::must_cast_slice(values))
    }
}

/// An output that counts bytes.
pub(super) struct Length(pub usize);

impl Output for Length {
    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.0 += bytes.len();
        Ok(())
    }
}

/// Writes the message and the sections of the header.
pub(super) fn write(model: &ModelSpec<'_>, out: &mut impl Output) -> Result<(), Error> {
    out.number(model.number.number().into())?;
    for count in [model.inputs.into(), model.intercepts.len(), model.prepared.len(), model.linear_inputs.len()] {
        out.number(u16::try_from(count).map_err(|_| Error::TooLarge)?.into())?;
    }
    out.number(model.blocks.len())?;
    for block in model.blocks {
        out.bytes(&[block.kernel.number()])?;
    }
    out.number(model.inputs_hash as usize)?;
    out.text(model.method)?;
    sections(model, out)
}

/// Writes the sections that are not empty.
fn sections(model: &ModelSpec<'_>, out: &mut impl Output) -> Result<(), Error> {
    if !model.importance.is_empty() {
        section(IMPORTANCE, model.importance.len(), out)?;
        out.bytes(model.importance)?;
    }
    if !model.classes.is_empty() {
        let mut len = Length(0);
        names(model, &mut len)?;
        section(CLASSES, len.0, out)?;
        names(model, out)?;
    }
    if !model.ranges.is_empty() {
        section(RANGES, 2 * SINGLE * model.ranges.len(), out)?;
        out.singles(model.ranges.as_flattened())?;
    }
    let (level, half_widths) = (model.intervals.level, model.intervals.half_widths);
    if !half_widths.is_empty() {
        section(INTERVALS, SINGLE * (1 + half_widths.len()), out)?;
        out.singles(&[level])?;
        out.singles(half_widths)?;
    }
    Ok(())
}

/// Writes the tag of a section and the length of its content.
fn section(tag: u8, len: usize, out: &mut impl Output) -> Result<(), Error> {
    out.bytes(&[tag])?;
    out.number(len)
}

/// Writes the names of the classes.
fn names(model: &ModelSpec<'_>, out: &mut impl Output) -> Result<(), Error> {
    model.classes.iter().try_for_each(|name| out.text(name))
}
