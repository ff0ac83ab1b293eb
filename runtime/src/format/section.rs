//! Sections: optional parts of the header behind its message, each a tag, a length and so many bytes.
//!
//! No section changes a prediction, so that a reader skips those whose tag it does not know.

use serde::Serialize;

use super::message::Message;
use super::{Header, ModelSpec};
use crate::Error;

/// One byte an input: its share of what the model computes, in 255ths.
const IMPORTANCE: u8 = 1;

/// Names of the classes, each a postcard string.
const CLASSES: u8 = 2;

/// Two numbers an input: the smallest and the largest reading of the rows that were fitted.
const RANGES: u8 = 3;

/// A level and a half-width an output.
const INTERVALS: u8 = 4;

/// Bytes of a number in single precision.
const NUMBER: usize = 4;

/// Intervals around predictions, as wide for every row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Intervals<'a> {
    /// Share of rows like those that were fitted whose target lies within.
    pub level: f32,
    /// Half the width for every output, in units of the output; empty leaves the section out.
    pub half_widths: &'a [f32],
}

/// What the sections of a header hold; empty where they are absent.
#[derive(Clone, Copy, Debug)]
pub struct Sections<'a> {
    pub importance: &'a [u8],
    pub classes: Classes<'a>,
    /// All of them, for those that are looked up when somebody asks: programs that do not ask have no code for them.
    all: &'a [u8],
}

/// Names of the classes of a model, in the order of their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Classes<'a> {
    names: &'a [u8],
}

impl Classes<'_> {
    /// Whether the model predicts quantities and has no classes.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

impl<'a> Iterator for Classes<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let mut names = Message { rest: self.names };
        let name = names.text()?;
        self.names = names.rest;
        Some(name)
    }
}

impl<'a> Sections<'a> {
    /// Reads and checks the sections in `bytes`, all that follows the message of `header`.
    pub const fn read(bytes: &'a [u8], header: &Header<'_>) -> Result<Self, Error> {
        let mut sections = Sections { all: bytes, importance: &[], classes: Classes { names: &[] } };
        let mut message = Message { rest: bytes };
        while !message.rest.is_empty() {
            let (Some(tag), Some(content)) = (message.byte(), message.bytes()) else { return Err(Error::Header) };
            let known = match tag {
                IMPORTANCE => &mut sections.importance,
                CLASSES => &mut sections.classes.names,
                _ => continue,
            };
            if !known.is_empty() {
                return Err(Error::Header);
            }
            *known = content;
        }
        if !sections.importance.is_empty() && sections.importance.len() != header.inputs as usize {
            return Err(Error::Layout);
        }
        let (mut names, mut count) = (Message { rest: sections.classes.names }, 0);
        while !names.rest.is_empty() {
            if names.text().is_none() {
                return Err(Error::Header);
            }
            count += 1;
        }
        match scores(count) {
            None if count == 0 => Ok(sections),
            Some(outputs) if outputs == header.outputs as usize => Ok(sections),
            _ => Err(Error::Layout),
        }
    }

    /// The content of the first section with this tag; empty where there is none, and where it has not the right length.
    fn find(&self, wanted: u8, len: usize) -> &'a [u8] {
        let mut message = Message { rest: self.all };
        while let (Some(tag), Some(content)) = (message.byte(), message.bytes()) {
            if tag == wanted && content.len() == len {
                return content;
            }
        }
        &[]
    }

    /// Smallest and largest reading of each of the `inputs`; none where the file does not say.
    pub fn ranges(&self, inputs: usize) -> impl ExactSizeIterator<Item = [f32; 2]> + use<'a> {
        let ranges = self.find(RANGES, 2 * NUMBER * inputs).as_chunks::<{ 2 * NUMBER }>().0;
        ranges
            .iter()
            .map(|&[a, b, c, d, e, f, g, h]| [f32::from_le_bytes([a, b, c, d]), f32::from_le_bytes([e, f, g, h])])
    }

    /// The level of the intervals and then the half-width of each of the `outputs`; none where the file does not say.
    pub fn intervals(&self, outputs: usize) -> impl ExactSizeIterator<Item = f32> + use<'a> {
        let numbers = self.find(INTERVALS, NUMBER * (1 + outputs)).as_chunks::<NUMBER>().0;
        numbers.iter().map(|&number| f32::from_le_bytes(number))
    }
}

/// Outputs that tell so many classes apart: one for two classes, otherwise one for each. Fewer than two are no classes.
const fn scores(classes: usize) -> Option<usize> {
    match classes {
        0 | 1 => None,
        2 => Some(1),
        more => Some(more),
    }
}

/// Bytes that the sections of `model` take, or why they cannot be written.
pub(super) fn encoded_len(model: &ModelSpec<'_>) -> Result<usize, Error> {
    if !model.importance.is_empty() && model.importance.len() != usize::from(model.inputs) {
        return Err(Error::Layout);
    }
    if !model.classes.is_empty() && scores(model.classes.len()) != Some(model.intercepts.len()) {
        return Err(Error::Layout);
    }
    let section = |content: usize| match content {
        0 => Ok(0),
        _ => Ok(size(&(0_u8, content as u64))? + content),
    };
    let (ranges, half_widths) = (model.ranges.len(), model.intervals.half_widths.len());
    if (ranges > 0 && ranges != usize::from(model.inputs)) || (half_widths > 0 && half_widths != model.intercepts.len())
    {
        return Err(Error::Layout);
    }
    let sections = section(model.importance.len())? + section(names_len(model)?)?;
    Ok(sections + section(2 * NUMBER * ranges)? + section(intervals_len(model))?)
}

/// Bytes of the content of the section of intervals.
fn intervals_len(model: &ModelSpec<'_>) -> usize {
    match model.intervals.half_widths.len() {
        0 => 0,
        outputs => NUMBER * (1 + outputs),
    }
}

/// Bytes that the names of the classes take.
fn names_len(model: &ModelSpec<'_>) -> Result<usize, Error> {
    model.classes.iter().try_fold(0, |len, name| Ok(len + size(name)?))
}

/// Writes the sections of `model` to the front of `out`.
pub(super) fn write(model: &ModelSpec<'_>, mut out: &mut [u8]) -> Result<(), Error> {
    if !model.importance.is_empty() {
        out = put(&(IMPORTANCE, model.importance), out)?;
    }
    if !model.classes.is_empty() {
        out = put(&(CLASSES, names_len(model)? as u64), out)?;
        for name in model.classes {
            out = put(name, out)?;
        }
    }
    if !model.ranges.is_empty() {
        out = put(&(RANGES, (2 * NUMBER * model.ranges.len()) as u64), out)?;
        out = put_numbers(model.ranges.as_flattened(), out)?;
    }
    let Intervals { level, half_widths } = model.intervals;
    if !half_widths.is_empty() {
        out = put(&(INTERVALS, intervals_len(model) as u64), out)?;
        put_numbers(half_widths, put_numbers(&[level], out)?)?;
    }
    Ok(())
}

/// Writes numbers to the front of `out` and returns what is left of it.
fn put_numbers<'o>(numbers: &[f32], out: &'o mut [u8]) -> Result<&'o mut [u8], Error> {
    let bytes: &[u8] = bytemuck::must_cast_slice(numbers);
    let (front, rest) = out.split_at_mut_checked(bytes.len()).ok_or(Error::TooLarge)?;
    front.copy_from_slice(bytes);
    Ok(rest)
}

/// Bytes that `value` takes as a postcard message.
pub(super) fn size(value: &impl Serialize) -> Result<usize, Error> {
    postcard::experimental::serialized_size(value).map_err(|_| Error::Header)
}

/// Writes a postcard message to the front of `out` and returns what is left of it.
pub(super) fn put<'o>(value: &impl Serialize, out: &'o mut [u8]) -> Result<&'o mut [u8], Error> {
    let written = postcard::to_slice(value, out).map_err(|_| Error::TooLarge)?.len();
    out.get_mut(written..).ok_or(Error::TooLarge)
}
