//! Sections: optional parts of the header behind its message. Each is a tag, a length and as many bytes.
//!
//! A reader refuses a model with an unknown section whose tag has bit 7 set, and skips any other unknown section.

use super::history::Lags;
use super::message::Message;
use super::{Header, Samples, Windows};
use crate::Error;

/// The bit of a tag that says that a reader must understand the section.
pub(super) const REQUIRED: u8 = 0x80;

/// One byte an input: its share of what the model computes, in 255ths.
pub(super) const IMPORTANCE: u8 = 1;

/// The names of the classes, each a postcard string.
pub(super) const CLASSES: u8 = 2;

/// Two numbers an input: the smallest and the largest reading of the rows that were fitted.
pub(super) const RANGES: u8 = 3;

/// A level, and a half-width an output.
pub(super) const INTERVALS: u8 = 4;

/// The slope that turns scores of classes into log-odds.
pub(super) const LOG_ODDS: u8 = 8;

/// A level and a margin: see [`Confidence`].
pub(super) const CONFIDENCE: u8 = REQUIRED | 4;

/// The samples that the inputs come from: see [`Lags`].
pub(super) const HISTORY: u8 = REQUIRED | 2;

/// The windows that the inputs are statistics of: see [`Windows`].
pub(super) const WINDOWS: u8 = REQUIRED | 6;

/// The length in bytes of a number in single precision.
pub(super) const SINGLE: usize = 4;

/// The sections of a header. They are looked up on demand: programs that do not ask have no code for them.
#[derive(Clone, Copy, Debug)]
pub struct Sections<'a> {
    all: &'a [u8],
}

/// The names of the classes of a model, in the order of their numbers.
#[derive(Clone, Copy, Debug)]
pub struct Classes<'a> {
    names: &'a [u8],
}

impl Classes<'_> {
    /// Returns whether there are no classes, as in a model that predicts quantities.
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
    /// Reads and checks the sections in `bytes`, the rest of the header behind its message. Returns them and the number
    /// of classes.
    pub const fn read(bytes: &'a [u8], header: &Header<'_>) -> Result<(Self, usize), Error> {
        let (mut importance, mut classes, mut history): (&[u8], &[u8], &[u8]) = (&[], &[], &[]);
        let (mut confidence, mut windows): (&[u8], &[u8]) = (&[], &[]);
        let mut message = Message { rest: bytes };
        while !message.rest.is_empty() {
            let (Some(tag), Some(content)) = (message.byte(), message.bytes()) else { return Err(Error::Header) };
            let known = match tag {
                IMPORTANCE => &mut importance,
                CLASSES => &mut classes,
                CONFIDENCE => &mut confidence,
                HISTORY if cfg!(feature = "history") => &mut history,
                WINDOWS if cfg!(feature = "history") => &mut windows,
                tag if tag & REQUIRED != 0 => return Err(Error::UnsupportedSection(tag)),
                _ => continue,
            };
            if !known.is_empty() {
                return Err(Error::Header);
            }
            *known = content;
        }
        if !importance.is_empty() && importance.len() != header.inputs as usize {
            return Err(Error::Layout);
        }
        if !confidence.is_empty() && confidence.len() != 2 * SINGLE {
            return Err(Error::Layout);
        }
        if !history.is_empty() && !Lags::are_sound(history, header.inputs) {
            return Err(Error::Layout);
        }
        if !windows.is_empty() && (!history.is_empty() || !Windows::are_sound(windows, header.inputs)) {
            return Err(Error::Layout);
        }
        let (mut names, mut count) = (Message { rest: classes }, 0);
        while !names.rest.is_empty() {
            if names.text().is_none() {
                return Err(Error::Header);
            }
            count += 1;
        }
        match scores(count) {
            None if count == 0 => {}
            Some(outputs) if outputs == header.outputs as usize => {}
            _ => return Err(Error::Layout),
        }
        Ok((Sections { all: bytes }, count))
    }

    /// Returns the content of the first section with this tag that is not empty and, if one is `wanted`, has this
    /// length; empty where there is none.
    fn find(&self, tag: u8, wanted: Option<usize>) -> &'a [u8] {
        let mut message = Message { rest: self.all };
        while let (Some(found), Some(content)) = (message.byte(), message.bytes()) {
            if found == tag && !content.is_empty() && wanted.is_none_or(|len| content.len() == len) {
                return content;
            }
        }
        &[]
    }

    /// Returns the samples that the `inputs` come from.
    pub const fn samples(&self, inputs: u16) -> Samples<'a> {
        let mut message = Message { rest: self.all };
        while let (Some(tag), Some(content)) = (message.byte(), message.bytes()) {
            if tag == HISTORY && !content.is_empty() {
                return Samples::Lags(Lags::of(content, inputs));
            }
            if tag == WINDOWS
                && let Some(windows) = Windows::of(content, inputs)
            {
                return Samples::Windows(windows);
            }
        }
        Samples::Lags(Lags::of(&[], inputs))
    }

    /// Returns the share of each input in 255ths; empty where the section is absent.
    pub fn importance(&self) -> &'a [u8] {
        self.find(IMPORTANCE, None)
    }

    /// Returns the names of the classes; none where the section is absent.
    pub fn classes(&self) -> Classes<'a> {
        Classes { names: self.find(CLASSES, None) }
    }

    /// Returns the smallest and the largest reading of each of the `inputs`; none where the section is absent.
    pub fn ranges(&self, inputs: usize) -> impl ExactSizeIterator<Item = [f32; 2]> + use<'a> {
        let ranges = self.find(RANGES, Some(2 * SINGLE * inputs)).as_chunks::<{ 2 * SINGLE }>().0;
        ranges
            .iter()
            .map(|&[a, b, c, d, e, f, g, h]| [f32::from_le_bytes([a, b, c, d]), f32::from_le_bytes([e, f, g, h])])
    }

    /// Returns the slope that turns scores into log-odds; the usual one where the section is absent.
    pub fn slope(&self) -> f32 {
        match *self.find(LOG_ODDS, Some(SINGLE)) {
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
            _ => USUAL_SLOPE,
        }
    }

    /// Returns how sure of a class the model must be; none where the section is absent.
    pub fn confidence(&self) -> Option<Confidence> {
        match *self.find(CONFIDENCE, Some(2 * SINGLE)) {
            [a, b, c, d, e, f, g, h] => {
                Some(Confidence { level: f32::from_le_bytes([a, b, c, d]), margin: f32::from_le_bytes([e, f, g, h]) })
            }
            _ => None,
        }
    }

    /// Returns the level of the intervals and then the half-width of each of the `outputs`; none where the section is
    /// absent.
    pub fn intervals(&self, outputs: usize) -> impl ExactSizeIterator<Item = f32> + use<'a> {
        let numbers = self.find(INTERVALS, Some(SINGLE * (1 + outputs))).as_chunks::<SINGLE>().0;
        numbers.iter().map(|&number| f32::from_le_bytes(number))
    }
}

/// How sure of a class a model must be to name it.
///
/// A class is named where its score is above the others' by more than the margin. Two classes share a score, which then
/// differs from one half by more than the margin. The trainer takes the margin from rows that a model was not fitted
/// to, by conformal prediction: the classes whose scores are within the margin of the largest one hold the true class
/// of a share of `level` of rows like those, and a class is named where it is the only one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    /// The share of rows, between 0 and 1.
    pub level: f32,
    /// The margin between scores.
    pub margin: f32,
}

/// The slope of log-odds in files without one: that of scores which are probabilities about even odds.
pub const USUAL_SLOPE: f32 = 4.0;

/// Returns the number of outputs of a model with this many classes: one for two classes, otherwise one for each; none
/// for fewer than two classes.
pub(super) const fn scores(classes: usize) -> Option<usize> {
    match classes {
        0 | 1 => None,
        2 => Some(1),
        more => Some(more),
    }
}
