//! The header: what a model is, before its tensors.

use super::message::Message;
use super::{CRC, Number};
use crate::Error;

/// The fixed part of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// The number format of the tensors.
    pub number: Number,
    /// The number of readings that a prediction takes.
    pub inputs: u16,
    /// The number of values that a prediction gives.
    pub outputs: u16,
    /// The number of inputs that are prepared; 0 means that features read the readings directly.
    pub prepared: u16,
    /// The number of terms of the linear block.
    pub linear: u16,
    /// The number in model files of the [`Kernel`](super::Kernel) of every block of features; last
    /// [`TREES`](super::TREES) where the model has trees.
    pub kernels: &'a [u8],
    /// The checksum of the input names that [`hash_names`] returns; 0 where there were no names.
    pub inputs_hash: u32,
    /// The name of the method that fitted the model.
    pub method: &'a str,
}

impl<'a> Header<'a> {
    /// Takes the header off the front of a message.
    pub(super) const fn read(message: &mut Message<'a>) -> Result<Header<'a>, Error> {
        let Some(number) = message.number(32) else { return Err(Error::Header) };
        let number = if number > 0xff { 0xff } else { number as u8 };
        let Some(number) = Number::of(number) else { return Err(Error::UnsupportedNumber(number)) };
        match Self::behind(number, message) {
            Some(header) => Ok(header),
            None => Err(Error::Header),
        }
    }

    /// Takes the fields behind the number format off the front of a message.
    const fn behind(number: Number, message: &mut Message<'a>) -> Option<Header<'a>> {
        let (Some(inputs), Some(outputs), Some(prepared)) = (message.short(), message.short(), message.short()) else {
            return None;
        };
        let (Some(linear), Some(kernels)) = (message.short(), message.bytes()) else { return None };
        let (Some(inputs_hash), Some(method)) = (message.number(32), message.text()) else { return None };
        Some(Header { number, inputs, outputs, prepared, linear, kernels, inputs_hash, method })
    }
}

/// Returns the checksum of input names that [`Header::inputs_hash`] holds: the CRC-32/ISO-HDLC of the names, joined by
/// line feeds.
pub fn hash_names<'n>(names: impl IntoIterator<Item = &'n str>) -> u32 {
    let mut digest = CRC.digest();
    for (i, name) in names.into_iter().enumerate() {
        if i > 0 {
            digest.update(b"\n");
        }
        digest.update(name.as_bytes());
    }
    digest.finalize()
}
