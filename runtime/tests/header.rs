//! The header: its encoding, and its sections.

use crate::sound::sound;
use serde::Deserialize;
use srfm_runtime::format::{Header, Number};
use srfm_runtime::{Error, Model};
use srfm_testing::{Blob, OwnedModel, PREAMBLE, Rng, Shape, exercise};

/// The message of the header, as postcard reads it.
#[derive(Debug, Deserialize)]
struct Message<'a> {
    number: u32,
    inputs: u16,
    outputs: u16,
    prepared: u16,
    linear: u16,
    kernels: &'a [u8],
    inputs_hash: u32,
    method: &'a str,
}

impl<'a> Message<'a> {
    /// Returns the header; none where the number format is unknown.
    fn header(&self) -> Option<Header<'a>> {
        let &Message { number, inputs, outputs, prepared, linear, kernels, inputs_hash, method } = self;
        let number = Number::of(number.try_into().ok()?)?;
        Some(Header { number, inputs, outputs, prepared, linear, kernels, inputs_hash, method })
    }
}

#[test]
fn headers_are_those_that_postcard_reads() {
    let (mut rng, mut read) = (Rng::new(2), 0);
    for number in 0..100_000 {
        let mut blob = sound().blob();
        let tensors = blob.tensors();
        for _ in 0..1 + rng.below(4) {
            blob[PREAMBLE + rng.below(tensors - PREAMBLE)] = [rng.bits() as u8, 128 | rng.below(4) as u8][rng.below(2)];
        }
        blob.mend();
        let end = PREAMBLE + usize::from(u16::from_le_bytes([blob[6], blob[7]]));
        let expected = postcard::take_from_bytes::<Message<'_>>(&blob[PREAMBLE..end]).ok();
        let (expected, rest) = expected.map_or((None, &[][..]), |(message, rest)| (Some(message), rest));
        match Model::parse(&blob) {
            Ok(model) => {
                assert_eq!(Some(*model.header()), expected.unwrap().header(), "header {number}");
                read += 1;
            }
            Err(Error::Header) => {
                // The header says nothing, the tensors contradict it at once, or damaged sections follow.
                let senseless = |m: Message<'_>| {
                    m.inputs == 0 || m.outputs == 0 || m.prepared > 0 || m.number > 0 || !rest.is_empty()
                };
                assert!(expected.is_none_or(senseless), "header {number}");
            }
            Err(Error::UnsupportedNumber(refused)) => {
                // Postcard may find a fault behind the number.
                assert!(expected.is_none_or(|m| m.number.min(255) == refused.into()), "header {number}");
            }
            Err(_) => assert!(expected.is_some(), "header {number}"),
        }
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn lengths_are_of_32_bits() {
    // The name of the method, one byte long, in five bytes and in six.
    let with_length = |length: &[u8]| {
        let blob = sound().blob();
        let (start, end) = (PREAMBLE, PREAMBLE + usize::from(u16::from_le_bytes([blob[6], blob[7]])));
        let mut header = blob[start..end - 2].to_vec();
        header.extend(length.iter().chain(b"m"));
        let mut bytes = [&blob[..start], &header].concat();
        bytes[6..8].copy_from_slice(&(header.len() as u16).to_le_bytes());
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend(&blob[blob.tensors()..]);
        let mut blob = Blob::new(&bytes);
        blob.mend();
        Model::parse(&blob).map(|model| model.header().method.len())
    };
    assert_eq!(with_length(&[1]), Ok(1));
    assert_eq!(with_length(&[0x81, 0x80, 0x80, 0x80, 0]), Ok(1));
    assert_eq!(with_length(&[0x81, 0x80, 0x80, 0x80, 0x80, 0]), Err(Error::Header));
    assert_eq!(with_length(&[0x81, 0x80, 0x80, 0x80, 0x10]), Err(Error::Header), "33 bits");
}

/// Returns why the sound model is refused with bytes behind the message of its header.
fn refusal_of_sections(sections: &[u8]) -> Option<Error> {
    refusal_in(&sound().blob(), sections)
}

/// Returns why the sound model without limits is refused with bytes behind the message of its header.
fn refusal_without_limits(sections: &[u8]) -> Option<Error> {
    let sound = sound().blob();
    let intercept_end = sound.tensors() + 4;
    refusal_in(&[&sound[..intercept_end], &sound[intercept_end + 8..]].concat(), sections)
}

fn refusal_in(sound: &[u8], sections: &[u8]) -> Option<Error> {
    let sound = Blob::new(sound);
    let message_end = PREAMBLE + usize::from(sound[6]);
    let padding = (message_end + sections.len()).next_multiple_of(4) - (message_end + sections.len());
    let bytes = [&sound[..message_end], sections, &vec![0; padding], &sound[sound.tensors()..]].concat();
    let mut blob = Blob::new(&bytes);
    blob[6] += sections.len() as u8;
    blob.mend();
    Model::parse(&blob).map(|model| exercise(&model)).err()
}

#[test]
fn sections_are_checked() {
    // Three inputs and one output.
    let importance = [1, 3, 255, 0, 7];
    let classes = [2, 5, 1, b'a', 2, 0xc3, 0xa4];
    let unknown = [99, 2, 1, 9];
    let empty = [100, 0];
    for whole in [&[][..], &importance, &unknown, &empty, &[1, 0], &[2, 0]] {
        assert_eq!(refusal_of_sections(whole), None, "{whole:?}");
        let more = [&unknown, whole, &empty, &unknown].concat();
        assert_eq!(refusal_of_sections(&more), None, "{more:?}");
    }
    for whole in
        [&classes[..], &[2, 2, 0, 0], &[&importance[..], &classes].concat(), &[&classes[..], &importance].concat()]
    {
        assert_eq!(refusal_without_limits(whole), None, "{whole:?}");
        assert_eq!(refusal_of_sections(whole), Some(Error::Layout), "a classifier has no limits: {whole:?}");
    }
    assert!(refusal_without_limits(&importance).is_some(), "a model of quantities has limits");
    for (header, sections) in [
        ("cut within the tag's length", &[1][..]),
        ("cut within the content", &importance[..4]),
        ("longer than the header", &[9, 200, 1, 0]),
        ("a length without an end", &[9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ("twice", &[importance, importance].concat()),
        ("twice", &[classes, classes].concat()),
        ("names cut", &[2, 4, 1, b'a', 2, 0xc3]),
        ("a name longer than the section", &[2, 4, 1, b'a', 9, b'b']),
        ("not UTF-8", &[2, 4, 1, b'a', 1, 0xff]),
    ] {
        assert_eq!(refusal_of_sections(sections), Some(Error::Header), "{header}");
    }
    for (layout, sections) in [
        ("importance of two inputs", &[1, 2, 5, 5][..]),
        ("importance of four inputs", &[1, 4, 5, 5, 5, 5]),
        ("one class", &[2, 2, 1, b'a']),
        ("three classes and one output", &[2, 3, 0, 0, 0]),
        ("windows of two bytes", &[0x86, 2, 8, 0]),
        ("a confidence of seven bytes", &[0x84, 7, 0, 0, 0, 0, 0, 0, 0]),
    ] {
        assert_eq!(refusal_of_sections(sections), Some(Error::Layout), "{layout}");
    }
    let outputs = |outputs: usize, classes: usize| {
        let shape = Shape { outputs, ..Shape::default() };
        let model = OwnedModel::random(&shape, &mut Rng::new(0));
        OwnedModel { classes: vec!["c".into(); classes], limits: vec![], ..model }.write().err()
    };
    for (count, classes) in [(1, 0), (1, 2), (2, 0), (3, 3), (10, 10), (200, 200)] {
        assert_eq!(outputs(count, classes), None, "{count} outputs, {classes} classes");
    }
    for (count, classes) in [(1, 1), (2, 2), (2, 3), (3, 2), (1, 3)] {
        assert_eq!(outputs(count, classes), Some(Error::Layout), "{count} outputs, {classes} classes");
    }
}

#[test]
fn sections_that_must_be_understood_are_refused() {
    for tag in (0x80..=0xff).filter(|tag| ![0x82, 0x84, 0x86].contains(tag)) {
        assert_eq!(refusal_of_sections(&[tag, 0]), Some(Error::UnsupportedSection(tag)));
        assert_eq!(refusal_of_sections(&[tag, 2, 7, 7]), Some(Error::UnsupportedSection(tag)));
        assert_eq!(refusal_of_sections(&[99, 1, 7, tag, 1, 7]), Some(Error::UnsupportedSection(tag)));
        assert_eq!(refusal_of_sections(&[99, 1, tag]), None, "the content of a section is no tag");
    }
    assert!((5..0x80).all(|tag| refusal_of_sections(&[tag, 1, 7]).is_none()));
}
