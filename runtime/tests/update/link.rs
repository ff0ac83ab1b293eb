//! Both ends of a link, with lost, damaged and repeated bytes between them.

use srfm_runtime::update::{Event, Frame, Offer, Receiver, Sender, Store};
use srfm_testing::{Flash, Rng};

use super::{FLASH, POLICY, ROOM, in_use, model, offer, open};

/// What a line does to bytes: it loses or damages one of `rare` frames; 0 for a good line.
struct Line {
    rare: usize,
    rng: Rng,
}

impl Line {
    fn carry(&mut self, frame: &Frame) -> Vec<u8> {
        let mut bytes = frame.as_bytes().to_vec();
        if self.rare > 0 && self.rng.below(self.rare) == 0 {
            let at = self.rng.below(bytes.len());
            match self.rng.below(4) {
                0 => bytes.clear(),
                1 => bytes.truncate(at),
                2 => bytes[at] ^= 1 << self.rng.below(8),
                _ => drop(bytes.splice(at..at, [self.rng.bits() as u8, 0])),
            }
        }
        bytes
    }
}

/// The device: a receiver and its store.
struct Device {
    flash: Flash<8>,
    store: Store<Flash<8>>,
    receiver: Receiver,
}

impl Device {
    fn new() -> Self {
        let flash = Flash::new(FLASH, true, 1);
        Device { store: open(&flash, POLICY), flash, receiver: Receiver::new() }
    }

    fn restart(&mut self) {
        (self.store, self.receiver) = (open(&self.flash, POLICY), Receiver::new());
    }

    /// Takes bytes; returns the frames of answers.
    fn take(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut answers = Vec::new();
        for &byte in bytes {
            match self.receiver.feed(byte, &mut self.store) {
                Event::Nothing => {}
                Event::Answer(frame) => answers.push(frame),
                Event::Received => {
                    let result = self.store.commit_in(&mut [0; ROOM / 4]);
                    answers.push(Receiver::answer(result, &self.store));
                }
            }
        }
        answers
    }
}

/// Sends an update until it is over, with as many restarts of the device as `failures` at most. Returns
/// the number of frames, or the reason of the refusal.
fn send(
    device: &mut Device,
    offer: Offer,
    model: &[u8],
    line: &mut Line,
    mut failures: usize,
) -> Result<usize, String> {
    let (mut sender, mut frames) = (Sender::new(offer, model), 0);
    while let Some(frame) = sender.frame() {
        frames += 1;
        assert!(frames < 2_000, "no end");
        if failures > 0 && line.rng.below(5) == 0 {
            device.restart();
            failures -= 1;
        }
        for answer in device.take(&line.carry(&frame)) {
            for byte in line.carry(&answer) {
                sender.feed(byte).map_err(|reason| reason.to_string())?;
            }
        }
    }
    Ok(frames)
}

#[test]
fn an_update_arrives_over_a_good_line() {
    let (mut device, mut rng) = (Device::new(), Rng::new(1));
    let mut line = Line { rare: 0, rng: Rng::new(2) };
    for sequence in 1..6 {
        let model = model(10 * sequence as usize, &mut rng);
        let frames = send(&mut device, offer(&model, sequence), &model, &mut line, 0).unwrap();
        assert_eq!(frames, 2 + model.len().div_ceil(128));
        assert_eq!(in_use(&mut device.store, &device.flash), Some((sequence, model.to_vec())));
        // Sent once more it is in use already, and an older one is refused.
        assert_eq!(send(&mut device, offer(&model, sequence), &model, &mut line, 0), Ok(1));
        let refused = send(&mut device, offer(&model, sequence - 1), &model, &mut line, 0).unwrap_err();
        assert_eq!(refused, "the sequence number is not above that of the model in use");
    }
}

#[test]
fn another_model_with_the_number_of_an_update_starts_anew_or_is_refused() {
    let (mut device, mut rng) = (Device::new(), Rng::new(6));
    let [first, second] = [20, 20].map(|features| model(features, &mut rng));
    assert_eq!(first.len(), second.len());
    // Half of the first one, then all of the second one.
    let mut sender = Sender::new(offer(&first, 1), &first);
    for _ in 0..3 {
        device.take(sender.frame().unwrap().as_bytes());
        sender.advance();
    }
    let mut line = Line { rare: 0, rng };
    assert!(send(&mut device, offer(&second, 1), &second, &mut line, 0).is_ok());
    assert_eq!(in_use(&mut device.store, &device.flash), Some((1, second.to_vec())));
    let refused = send(&mut device, offer(&first, 1), &first, &mut line, 0).unwrap_err();
    assert_eq!(refused, "the sequence number is not above that of the model in use");
}

#[test]
fn an_update_arrives_over_a_bad_line_and_after_restarts() {
    let (mut device, mut rng, mut frames) = (Device::new(), Rng::new(3), 0);
    for sequence in 1..300 {
        let model = model(rng.below(60), &mut rng);
        let mut line = Line { rare: 3, rng: Rng::new(sequence.into()) };
        frames += send(&mut device, offer(&model, sequence), &model, &mut line, rng.below(4)).unwrap();
        assert_eq!(in_use(&mut device.store, &device.flash), Some((sequence, model.to_vec())), "{sequence}");
    }
    assert!(frames > 300 * 9, "{frames} frames: the line was good");
}

#[test]
fn an_update_arrives_without_answers() {
    let (mut device, model) = (Device::new(), model(55, &mut Rng::new(4)));
    let (mut sender, mut file) = (Sender::new(offer(&model, 1), &model), vec![3, 0, 1, 2]);
    while let Some(frame) = sender.frame() {
        file.extend(frame.as_bytes());
        sender.advance();
    }
    let mut answers = Vec::new();
    for piece in file.chunks(11) {
        answers.extend(device.take(piece));
    }
    assert_eq!(answers.len(), 2 + model.len().div_ceil(128));
    assert_eq!(in_use(&mut device.store, &device.flash), Some((1, model.to_vec())));
    // A frame is lost: the end comes too early, and nothing changes.
    let mut device = Device::new();
    device.take(&file[..400]);
    device.take(&file[700..]);
    assert_eq!(device.store.stored(), None);
}

#[test]
fn noise_is_neither_an_update_nor_a_panic() {
    let (mut device, mut rng) = (Device::new(), Rng::new(5));
    let model = model(20, &mut rng);
    let mut sender = Sender::new(offer(&model, 1), &model);
    for _ in 0..200_000 {
        let byte = if rng.below(8) == 0 { 0 } else { rng.bits() as u8 };
        device.take(&[byte]);
        assert_eq!(sender.feed(byte), Ok(false));
    }
    assert_eq!((device.store.stored(), device.flash.steps()), (None, 0));
    assert!(send(&mut device, offer(&model, 1), &model, &mut Line { rare: 0, rng }, 0).is_ok());
}
