//! Frames on a link: the device's end and the sender's end.

use cobs::try_encode;
use crc::{CRC_32_ISCSI, Crc};
use srfm_runtime::update::{Event, Manifest, Receiver, Sender};

use crate::reader::Reader;
use crate::store::{APPLICATION, Device, ROOM, models};

/// The most frames of an update over a good line: an offer, the pieces, the end, and a few that noise costs.
const MOST_FRAMES: usize = 40;

/// Feeds both ends with any bytes, and with any contents in correct frames. A good line afterwards carries an update,
/// unless a newer one came before.
pub fn link(bytes: &[u8]) {
    let (mut reader, [model, ..]) = (Reader::new(bytes), models());
    let (mut device, mut receiver) = (Device::<8>::new(true), Receiver::new());
    let manifest = |sequence| Manifest::new(&model, sequence, APPLICATION).expect("a short model").into();
    let mut noisy = Sender::new(manifest(7), &model);
    while !reader.is_empty() {
        let bytes = match reader.byte() % 4 {
            0 => reader.part().to_vec(),
            1 => framed(reader.part()),
            2 => noisy.frame().map(|frame| frame.as_bytes().to_vec()).unwrap_or_default(),
            _ => {
                noisy.advance();
                Vec::new()
            }
        };
        let answers = feed(&mut device, &mut receiver, &bytes);
        for byte in bytes.into_iter().chain(answers) {
            let _ = noisy.feed(byte);
        }
        assert!(noisy.sent() <= model.len());
    }
    let newest = device.store.stored().map_or(0, |stored| stored.sequence);
    let Some(sequence) = newest.checked_add(1) else { return };
    let mut sender = Sender::new(manifest(sequence), &model);
    for _ in 0..MOST_FRAMES {
        let Some(frame) = sender.frame() else {
            assert_eq!(device.in_use(), Some((sequence, model.to_vec())));
            return;
        };
        for byte in feed(&mut device, &mut receiver, frame.as_bytes()) {
            sender.feed(byte).expect("a newer model is not refused");
        }
    }
    panic!("the update does not end");
}

/// Feeds the device; returns the bytes of its answers.
fn feed(device: &mut Device<8>, receiver: &mut Receiver, bytes: &[u8]) -> Vec<u8> {
    let mut answers = Vec::new();
    for &byte in bytes {
        let answer = match receiver.feed(byte, &mut device.store) {
            Event::Nothing => continue,
            Event::Answer(frame) => frame,
            Event::Received => {
                let result = device.store.commit_in(&mut [0; ROOM]);
                Receiver::answer(result, &device.store)
            }
        };
        answers.extend(answer.as_bytes());
    }
    answers
}

/// Returns a frame with these contents and their checksum.
fn framed(content: &[u8]) -> Vec<u8> {
    let checksum = Crc::<u32>::new(&CRC_32_ISCSI).checksum(content).to_le_bytes();
    let decoded = [content, &checksum].concat();
    let mut encoded = vec![0; cobs::max_encoding_length(decoded.len())];
    let len = try_encode(&decoded, &mut encoded).expect("there is room for all bytes");
    [&[0], &encoded[..len], &[0]].concat()
}
