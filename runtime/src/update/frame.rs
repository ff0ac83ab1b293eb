//! Frames on a link of bytes: a kind, a payload and a CRC-32C, in consistent overhead byte stuffing (COBS).
//!
//! A frame ends with a byte of zero, and no other byte of it is zero. A zero in front of it ends what noise began.

use cobs::{DecodeResult, DecoderState, try_encode};

use super::manifest::{CRC, OFFER};

/// The number of bytes of a model in a frame.
pub(super) const PIECE: usize = 128;

/// The longest payload: an offset and a piece, or an offer.
const PAYLOAD: usize = if OFFER > 4 + PIECE { OFFER } else { 4 + PIECE };

/// The length in bytes of kind, payload and checksum.
const DECODED: usize = 1 + PAYLOAD + 4;

/// The length in bytes of the longest frame. Less than 254 bytes take one byte of stuffing.
const ENCODED: usize = 1 + DECODED + 2;

const _: () = assert!(DECODED < 254);

/// The kinds of frames.
pub(super) mod kind {
    /// An offer; the device begins to receive.
    pub(in crate::update) const OFFER: u8 = 1;
    /// An offset and as many bytes of the model as there are.
    pub(in crate::update) const PIECE: u8 = 2;
    /// The sequence number of an update whose pieces have all been sent.
    pub(in crate::update) const END: u8 = 3;
    /// Answer: the offset of the bytes that the device wants next.
    pub(in crate::update) const WANTS: u8 = 0x81;
    /// Answer: the sequence number of the model in use.
    pub(in crate::update) const IN_USE: u8 = 0x82;
    /// Answer: the number of a reason.
    pub(in crate::update) const REFUSED: u8 = 0x83;
}

/// A frame to be sent.
#[derive(Clone, Debug)]
pub struct Frame {
    bytes: [u8; ENCODED],
    len: usize,
}

impl Frame {
    /// Writes a frame of a kind with a payload of two parts.
    pub(super) fn new(kind: u8, parts: [&[u8]; 2]) -> Self {
        let [first, second] = parts;
        let mut decoded = [0; DECODED];
        let len = (1 + first.len() + second.len()).min(1 + PAYLOAD);
        for (to, from) in decoded.iter_mut().zip(core::iter::once(&kind).chain(first).chain(second)) {
            *to = *from;
        }
        let checksum = CRC.checksum(decoded.get(..len).unwrap_or_default()).to_le_bytes();
        for (to, from) in decoded.iter_mut().skip(len).zip(checksum) {
            *to = from;
        }
        let mut bytes = [0; ENCODED];
        let decoded = decoded.get(..len + 4).unwrap_or_default();
        let stuffed = bytes.get_mut(1..).and_then(|bytes| try_encode(decoded, bytes).ok()).unwrap_or(0);
        Frame { bytes, len: 1 + stuffed + 1 }
    }

    /// Returns the bytes of the frame.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&self.bytes)
    }
}

/// Finds frames in a stream of bytes.
#[derive(Debug)]
pub(super) struct Frames {
    state: DecoderState,
    decoded: [u8; DECODED],
    /// The number of decoded bytes; more than there is room for where a frame is too long.
    len: usize,
}

impl Frames {
    pub(super) const fn new() -> Self {
        Frames { state: DecoderState::Idle, decoded: [0; DECODED], len: 0 }
    }

    /// Takes a byte. Returns the kind and the payload of the frame that it ends; damaged frames are dropped.
    pub(super) fn feed(&mut self, byte: u8) -> Option<(u8, &[u8])> {
        match self.state.feed(byte) {
            Ok(DecodeResult::DataStart) => self.len = 0,
            Ok(DecodeResult::DataContinue(decoded)) => {
                if let Some(to) = self.decoded.get_mut(self.len) {
                    *to = decoded;
                }
                self.len = self.len.saturating_add(1);
            }
            Ok(DecodeResult::DataComplete) => {
                let (content, checksum) = self.decoded.get(..self.len)?.split_last_chunk()?;
                let (kind, payload) = content.split_first()?;
                return (CRC.checksum(content) == u32::from_le_bytes(*checksum)).then_some((*kind, payload));
            }
            Ok(DecodeResult::NoData) | Err(_) => {}
        }
        None
    }
}

/// Reads the number in front of a payload, and the rest.
pub(super) fn number(payload: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = payload.split_first_chunk()?;
    Some((u32::from_le_bytes(*number), rest))
}
