//! The device's end of a link.

use embedded_storage::nor_flash::NorFlash;

use super::frame::{Frame, Frames, kind, number};
use super::manifest::Offer;
use super::{Error, Store};
use crate::Evaluator;

/// The device's end of a link: takes bytes, writes updates to a store and answers.
#[derive(Debug)]
pub struct Receiver {
    frames: Frames,
}

/// What a byte brought about.
#[derive(Clone, Debug)]
pub enum Event {
    /// Nothing yet.
    Nothing,
    /// The frame is to be sent to the other end. A link of one direction leaves it out.
    Answer(Frame),
    /// The model is complete: the program [commits](Store::commit) it and sends the [answer](Receiver::answer).
    Received,
}

impl Receiver {
    /// Returns the end of a link on which nothing was received.
    pub const fn new() -> Self {
        Receiver { frames: Frames::new() }
    }

    /// Takes a byte from the link.
    pub fn feed<F: NorFlash, E: Evaluator>(&mut self, byte: u8, store: &mut Store<F, E>) -> Event {
        let Some((kind, payload)) = self.frames.feed(byte) else { return Event::Nothing };
        let outcome = match kind {
            kind::OFFER => begin(payload, store),
            kind::PIECE => receive(payload, store),
            kind::END => return end(payload, store),
            // Answers, as where a line echoes.
            _ => return Event::Nothing,
        };
        Event::Answer(outcome.unwrap_or_else(refused))
    }

    /// Returns the answer to the end of an update, with the result of its commit.
    pub fn answer<F: NorFlash, E: Evaluator>(result: Result<(), Error>, store: &Store<F, E>) -> Frame {
        match result {
            Ok(()) => in_use(store),
            Err(Error::Incomplete) => wants(store),
            Err(error) => refused(error),
        }
    }
}

impl Default for Receiver {
    fn default() -> Self {
        Receiver::new()
    }
}

/// Begins an update, or goes on with it where it is offered again.
fn begin<F: NorFlash, E: Evaluator>(payload: &[u8], store: &mut Store<F, E>) -> Result<Frame, Error> {
    let offer = Offer::from_bytes(payload).ok_or(Error::Incomplete)?;
    if store.is_in_use(&offer.manifest) {
        return Ok(in_use(store));
    }
    if store.receiving().is_none_or(|(manifest, _)| manifest != offer.manifest) {
        store.begin(&offer)?;
    }
    Ok(wants(store))
}

/// Takes a piece where it is the next one. Otherwise the answer says which one that is.
fn receive<F: NorFlash, E: Evaluator>(payload: &[u8], store: &mut Store<F, E>) -> Result<Frame, Error> {
    let (offset, piece) = number(payload).ok_or(Error::Incomplete)?;
    let (_, received) = store.receiving().ok_or(Error::NotStarted)?;
    if offset == received {
        store.receive(piece)?;
    }
    Ok(wants(store))
}

/// Ends an update, which may have been ended before.
fn end<F: NorFlash, E: Evaluator>(payload: &[u8], store: &Store<F, E>) -> Event {
    let sequence = number(payload).map(|(sequence, _)| sequence);
    let receiving = store.receiving().filter(|(manifest, _)| Some(manifest.sequence) == sequence);
    match receiving {
        Some((manifest, received)) if received == manifest.len => Event::Received,
        Some(_) => Event::Answer(wants(store)),
        None if store.stored().map(|stored| stored.sequence) == sequence => Event::Answer(in_use(store)),
        None => Event::Answer(refused(Error::NotStarted)),
    }
}

fn wants<F: NorFlash, E: Evaluator>(store: &Store<F, E>) -> Frame {
    let received = store.receiving().map_or(0, |(_, received)| received);
    Frame::new(kind::WANTS, [&received.to_le_bytes(), &[]])
}

fn in_use<F: NorFlash, E: Evaluator>(store: &Store<F, E>) -> Frame {
    let sequence = store.stored().map_or(0, |stored| stored.sequence);
    Frame::new(kind::IN_USE, [&sequence.to_le_bytes(), &[]])
}

fn refused(error: Error) -> Frame {
    Frame::new(kind::REFUSED, [&[error.code()], &[]])
}
