//! The sender's end of a link.

use super::error::{Error, Refusal};
use super::frame::{Frame, Frames, PIECE, kind, number};
use super::manifest::Offer;

/// The sender's end of a link: gives the frames of an update, and takes answers.
///
/// With answers, [`feed`](Self::feed) takes each byte of them, and the frame is sent again where none arrives in time.
/// Without answers, [`advance`](Self::advance) goes on after each frame.
#[derive(Debug)]
pub struct Sender<'m> {
    offer: Offer,
    model: &'m [u8],
    step: Step,
    frames: Frames,
    /// The number of times that the update may yet be offered again.
    restarts: u8,
}

/// The number of times that a device may restart and lose an update.
const RESTARTS: u8 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Offer,
    Piece(usize),
    End,
    Done,
}

impl<'m> Sender<'m> {
    /// Prepares to send `model`, which `offer` describes.
    pub const fn new(offer: Offer, model: &'m [u8]) -> Self {
        Sender { offer, model, step: Step::Offer, frames: Frames::new(), restarts: RESTARTS }
    }

    /// Returns the frame that is to be sent now; `None` once the update is over.
    pub fn frame(&self) -> Option<Frame> {
        match self.step {
            Step::Offer => {
                let (bytes, len) = self.offer.to_bytes();
                Some(Frame::new(kind::OFFER, [bytes.get(..len).unwrap_or(&bytes), &[]]))
            }
            Step::Piece(at) => {
                let rest = self.model.get(at..).unwrap_or_default();
                Some(Frame::new(kind::PIECE, [&(at as u32).to_le_bytes(), rest.get(..PIECE).unwrap_or(rest)]))
            }
            Step::End => Some(Frame::new(kind::END, [&self.offer.manifest.sequence.to_le_bytes(), &[]])),
            Step::Done => None,
        }
    }

    /// Goes on to the next frame without an answer.
    pub fn advance(&mut self) {
        self.step = match self.step {
            Step::Offer => self.from(0),
            Step::Piece(at) => self.from(at.saturating_add(PIECE)),
            Step::End | Step::Done => Step::Done,
        };
    }

    /// Takes a byte of an answer. Returns whether it ends an answer, after which another frame is to be sent. A device
    /// that restarted on the way has lost the update, which is then offered again.
    ///
    /// # Errors
    /// The device's reason where it refuses the update.
    pub fn feed(&mut self, byte: u8) -> Result<bool, Refusal> {
        let Some((kind, payload)) = self.frames.feed(byte) else { return Ok(false) };
        let number = number(payload).map(|(number, _)| number);
        let step = match (kind, number) {
            (kind::WANTS, Some(at)) => self.from(at as usize),
            (kind::IN_USE, Some(sequence)) if sequence == self.offer.manifest.sequence => Step::Done,
            (kind::REFUSED, _) if payload == [Error::NotStarted.code()] && self.restarts > 0 => {
                self.restarts -= 1;
                Step::Offer
            }
            (kind::REFUSED, _) => return Err(Refusal(payload.first().copied().unwrap_or(0))),
            _ => return Ok(false),
        };
        self.step = step;
        Ok(true)
    }

    /// Returns the number of bytes of the model before the next frame.
    pub fn sent(&self) -> usize {
        match self.step {
            Step::Offer => 0,
            Step::Piece(at) => at,
            Step::End | Step::Done => self.model.len(),
        }
    }

    fn from(&self, at: usize) -> Step {
        if at < self.model.len() { Step::Piece(at) } else { Step::End }
    }
}
