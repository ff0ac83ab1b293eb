//! Damaged models: parsing names what is wrong and never panics, and what it accepts can be used.
//!
//! Everything is seeded: a blob that fails is named by its number and comes back with it.

use std::collections::HashMap;
use std::panic::catch_unwind;

use srfm_runtime::format::{ALL, BUFFERED, Header, Kernel, Number, Prepared};
use srfm_runtime::kernel::{Any, Cosine, Relu, Sigmoid, Sincos};
use srfm_runtime::{Error, Model, include_model};
use srfm_tests::{AWKWARD, Blob, CHECKSUM, OwnedBlock, OwnedIntegers, OwnedModel, PREAMBLE, Rng, Shape, exercise};

const GOLDENS: [&[u8]; 13] = [
    include_model!("../../runtime/golden/plane-v1.srfm"),
    include_model!("../../runtime/golden/everything-v1.srfm"),
    include_model!("../../runtime/golden/wide-v1.srfm"),
    include_model!("../../runtime/golden/importance-v2.srfm"),
    include_model!("../../runtime/golden/classes-v2.srfm"),
    include_model!("../../runtime/golden/sincos-v2.srfm"),
    include_model!("../../runtime/golden/sigmoid-v2.srfm"),
    include_model!("../../runtime/golden/relu-v2.srfm"),
    include_model!("../../runtime/golden/warps-v1.srfm"),
    include_model!("../../runtime/golden/warps-int-v2.srfm"),
    include_model!("../../runtime/golden/intervals-v2.srfm"),
    include_model!("../../runtime/golden/int-v2.srfm"),
    include_model!("../../runtime/golden/int16-v2.srfm"),
];

/// Models with damaged fields and a right checksum.
const MENDED: u64 = 100_000;

/// A model of three inputs and one output, every part of it in use.
fn sound() -> OwnedModel {
    OwnedModel {
        method: "m".into(),
        inputs: 3,
        intercepts: vec![1.0],
        linear_weights: vec![0.5, -0.5],
        linear_inputs: vec![0, 2],
        blocks: vec![OwnedBlock { order: 2, records: vec![0.25, 1.0, 2.0, 3.0], indices: vec![2, 1] }],
        ..OwnedModel::default()
    }
}

/// Why the sound model is refused after a change to what is written.
fn refusal(change: impl FnOnce(&mut OwnedModel)) -> Option<Error> {
    let mut model = sound();
    change(&mut model);
    Model::parse(&model.blob()).err()
}

/// Why the sound model is refused after a change to its bytes, with length and checksum made right.
fn refusal_of_bytes(change: impl FnOnce(&mut Blob)) -> Option<Error> {
    let mut blob = sound().blob();
    change(&mut blob);
    blob.mend();
    Model::parse(&blob).err()
}

#[test]
fn every_truncation_is_refused() {
    for golden in GOLDENS {
        assert!(Model::parse(golden).is_ok());
        for len in 0..golden.len() {
            assert_eq!(Model::parse(&golden[..len]).err(), Some(Error::Truncated), "{len} of {} bytes", golden.len());
        }
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    for golden in GOLDENS {
        for bit in 0..8 * golden.len() {
            let mut blob = Blob::new(golden);
            blob[bit / 8] ^= 1 << (bit % 8);
            let len = u32::from_le_bytes([blob[8], blob[9], blob[10], blob[11]]) as usize;
            let expected = match bit / 8 {
                0..4 => Error::NotAModel,
                4..6 => Error::UnsupportedVersion(u16::from_le_bytes([golden[4], golden[5]]) ^ (1 << (bit - 32))),
                8..12 if len > golden.len() => Error::Truncated,
                8..12 if len < CHECKSUM => Error::Layout,
                _ => Error::Corrupt,
            };
            assert_eq!(Model::parse(&blob).err(), Some(expected), "bit {bit}");
        }
    }
}

#[test]
fn flipped_runs_of_bits_are_refused() {
    // A CRC of 32 bits sees every burst of up to 32 bits.
    let mut rng = Rng::new(1);
    for _ in 0..20_000 {
        let mut blob = Blob::new(GOLDENS[rng.below(GOLDENS.len())]);
        let start = 8 * PREAMBLE + rng.below(8 * (blob.len() - PREAMBLE) - 32);
        let burst = (rng.bits() as u32) | 1; // at least its first bit
        (0..32).filter(|i| burst >> i & 1 == 1).map(|i| start + i).for_each(|bit| blob[bit / 8] ^= 1 << (bit % 8));
        assert_eq!(Model::parse(&blob).err(), Some(Error::Corrupt), "bits {burst:#b} from {start}");
    }
}

/// Replaces a few fields of a good model and makes length and checksum fit again.
fn damaged(number: u64) -> Blob {
    let mut rng = Rng::new(number);
    let mut blob = match rng.below(8) {
        0 => Blob::new(GOLDENS[rng.below(GOLDENS.len())]),
        1 => OwnedIntegers::random(Number::I32, &Shape::random(&mut rng), &mut rng).blob(),
        2 => OwnedIntegers::random(Number::I16, &Shape::random(&mut rng), &mut rng).blob(),
        _ => OwnedModel::random(&Shape::random(&mut rng), &mut rng).blob(),
    };
    let (tensors, end) = (blob.tensors(), blob.len() - CHECKSUM);
    for _ in 0..1 + rng.below(3) {
        match rng.below(8) {
            // header: small counts are likelier to be let through
            0 => blob[PREAMBLE + rng.below(tensors - PREAMBLE)] = rng.bits() as u8,
            1 | 2 => blob[PREAMBLE + rng.below(tensors - PREAMBLE)] = rng.below(8) as u8,
            // any byte of the tensors: an index, or a part of a value or count
            3 | 4 => blob[tensors + rng.below(end - tensors)] = rng.bits() as u8,
            // a word of the tensors: an awkward value, a small order and count, any bits
            5 => {
                let word = tensors + 4 * rng.below((end - tensors) / 4);
                let awkward = AWKWARD[rng.below(AWKWARD.len())].to_bits();
                let head = (rng.below(4) << 16 | rng.below(6)) as u32;
                let value = [awkward, head, rng.bits() as u32][rng.below(3)];
                blob[word..word + 4].copy_from_slice(&value.to_le_bytes());
            }
            6 => {
                let header_len = [rng.below(40), rng.below(65_536)][rng.below(2)] as u16;
                blob[6..8].copy_from_slice(&header_len.to_le_bytes());
            }
            _ => blob
                .resize((end + CHECKSUM).saturating_add_signed(rng.below(65) as isize - 32).max(PREAMBLE + CHECKSUM)),
        }
        if blob.len() < end + CHECKSUM {
            break; // the offsets above hold no longer
        }
    }
    blob.mend();
    blob
}

#[test]
fn headers_are_those_that_postcard_reads() {
    let (mut rng, mut read) = (Rng::new(2), 0);
    for number in 0..MENDED {
        let mut blob = sound().blob();
        let tensors = blob.tensors();
        for _ in 0..1 + rng.below(4) {
            blob[PREAMBLE + rng.below(tensors - PREAMBLE)] = [rng.bits() as u8, 128 | rng.below(4) as u8][rng.below(2)];
        }
        blob.mend();
        let end = PREAMBLE + usize::from(u16::from_le_bytes([blob[6], blob[7]]));
        let expected = postcard::take_from_bytes::<Header<'_>>(&blob[PREAMBLE..end]).ok().map(|(header, _)| header);
        let parsed = Model::parse(&blob);
        match parsed {
            Ok(model) => {
                assert_eq!(Some(*model.header()), expected, "header {number}");
                read += 1;
            }
            Err(Error::Header) => {
                // One that says nothing, or what the tensors contradict at once.
                let senseless = |header: Header<'_>| header.inputs == 0 || header.outputs == 0 || header.prepared > 0;
                let integers = |header: Header<'_>| header.number != Number::F32;
                assert!(expected.is_none_or(|h| senseless(h) || integers(h)), "header {number}: {expected:?}");
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

#[test]
fn no_damaged_model_panics() {
    let mut outcomes = HashMap::new();
    for number in 0..MENDED {
        let blob = damaged(number);
        let outcome = catch_unwind(|| Model::parse(&blob).map(|model| exercise(&model)));
        let outcome = outcome.unwrap_or_else(|_| panic!("blob {number} panics"));
        if let Ok(words) = bytemuck::try_cast_slice(&blob) {
            assert_eq!(Model::<Any>::from_words(words).err(), outcome.err(), "blob {number} as words");
        }
        *outcomes.entry(format!("{:?}", outcome.err())).or_insert(0) += 1;
    }
    // The damage must reach every check, and leave enough models whole for predictions to be tried.
    for (outcome, at_least) in [
        ("None", 20_000),
        ("Some(Header)", 10_000),
        ("Some(Layout)", 10_000),
        ("Some(IndexOutOfRange)", 1_000),
        ("Some(NotFinite)", 500),
        ("Some(TooLarge)", 100),
    ] {
        assert!(outcomes.remove(outcome).is_some_and(|count| count >= at_least), "{outcome} is too rare");
    }
    assert!(outcomes.is_empty(), "other outcomes: {outcomes:?}");
}

#[test]
fn other_versions_are_named() {
    for version in [0, 3, 4, 65_535] {
        let mut blob = sound().blob();
        blob[4..6].copy_from_slice(&u16::to_le_bytes(version));
        blob.mend_checksum();
        assert_eq!(Model::parse(&blob).err(), Some(Error::UnsupportedVersion(version)));
    }
}

#[test]
fn indices_stay_within_the_inputs() {
    assert_eq!(refusal(|_| ()), None);
    assert_eq!(refusal(|m| m.linear_inputs[1] = 3), Some(Error::IndexOutOfRange));
    assert_eq!(refusal(|m| m.blocks[0].indices[0] = 3), Some(Error::IndexOutOfRange));
    assert_eq!(refusal(|m| m.blocks[0].indices[1] = 255), Some(Error::IndexOutOfRange));
    for (index, refused) in [(299, None), (300, Some(Error::IndexOutOfRange))] {
        assert_eq!(refusal(|m| (m.inputs, m.linear_inputs[0]) = (300, index)), refused);
        assert_eq!(refusal(|m| (m.inputs, m.blocks[0].indices[1]) = (300, index)), refused);
    }
}

#[test]
fn prepared_inputs_are_checked() {
    let prepare = |input| Prepared { centre: 0.5, input, warp: 0, exponent: 0 };
    let with = |prepared: [Prepared; 3]| refusal(|m| m.prepared = prepared.to_vec());
    assert_eq!(with([0, 2, 2].map(prepare)), None);
    assert_eq!(with([0, 1, 3].map(prepare)), Some(Error::IndexOutOfRange));
    // Indices count prepared inputs where there are any: two are one too few for index 2.
    assert_eq!(refusal(|m| m.prepared = [0, 1].map(prepare).to_vec()), Some(Error::IndexOutOfRange));
    assert_eq!(with([prepare(0), prepare(1), Prepared { warp: 3, ..prepare(2) }]), Some(Error::Header));
    for centre in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(with([prepare(0), Prepared { centre, ..prepare(1) }, prepare(2)]), Some(Error::NotFinite));
    }
    // Offset of `prepared` in the header: two tags, inputs and outputs come first.
    // As many as fit the buffer are let through, and then found missing.
    for (prepared, refused) in [(BUFFERED, Error::Layout), (BUFFERED + 1, Error::TooLarge)] {
        assert_eq!(refusal_of_bytes(|b| b[PREAMBLE + 4] = prepared as u8), Some(refused), "{prepared} prepared");
    }
}

#[test]
fn every_parameter_is_finite() {
    let parameters: [fn(&mut OwnedModel) -> &mut f32; 7] = [
        |m| &mut m.intercepts[0],
        |m| &mut m.linear_weights[0],
        |m| &mut m.linear_weights[1],
        |m| &mut m.blocks[0].records[0],
        |m| &mut m.blocks[0].records[1],
        |m| &mut m.blocks[0].records[2],
        |m| &mut m.blocks[0].records[3],
    ];
    for parameter in parameters {
        for value in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(refusal(|m| *parameter(m) = value), Some(Error::NotFinite));
        }
        assert_eq!(refusal(|m| *parameter(m) = f32::MAX), None);
    }
}

#[test]
fn counts_that_contradict_each_other_are_refused() {
    let head = |blob: &Blob| blob.tensors() + 4 + 8 + 4; // behind intercept, linear weights and linear indices
    assert_eq!(refusal_of_bytes(|b| assert_eq!(b[head(b)..][..4], [2, 0, 1, 0])), None);
    for (order, count) in [(0, 1), (1, 1), (3, 1), (2, 0), (2, 2), (u16::MAX, u16::MAX)] {
        let change = |b: &mut Blob| {
            let at = head(b);
            b[at..at + 2].copy_from_slice(&order.to_le_bytes());
            b[at + 2..at + 4].copy_from_slice(&count.to_le_bytes());
        };
        assert_eq!(refusal_of_bytes(change), Some(Error::Layout), "order {order}, {count} features");
    }
    // Offsets in the header: 3 outputs, 5 linear terms, 6 blocks.
    for (field, value) in [(3, 2), (5, 1), (5, 8), (6, 0), (6, 2)] {
        assert_eq!(refusal_of_bytes(|b| b[PREAMBLE + field] = value), Some(Error::Layout), "header byte {field}");
    }
    for words in [-1, 1] {
        let resized = |b: &mut Blob| b.resize(b.len().saturating_add_signed(4 * words));
        assert_eq!(refusal_of_bytes(resized), Some(Error::Layout), "{words} words");
    }
    for bytes in 1..4 {
        assert_eq!(refusal_of_bytes(|b| b.resize(b.len() + bytes)), Some(Error::Layout), "{bytes} bytes");
    }
    assert_eq!(refusal_of_bytes(|b| b[6..8].copy_from_slice(&[255, 255])), Some(Error::Layout), "header length");
}

#[test]
fn headers_that_make_no_sense_are_refused() {
    // Offsets in the header: 0 number format, 1 kernel, 2 inputs, 3 outputs, 8 length of the name, 9 the name.
    for (field, value) in [(0, 1), (1, 4), (1, 255), (2, 0), (3, 0), (8, 2), (9, 0xff)] {
        assert_eq!(refusal_of_bytes(|b| b[PREAMBLE + field] = value), Some(Error::Header), "header byte {field}");
    }
    assert_eq!(refusal_of_bytes(|b| b[6..8].copy_from_slice(&[9, 0])), Some(Error::Header), "one byte short");
    let empty = |b: &mut Blob| {
        b[6..8].fill(0);
        b.resize(PREAMBLE + CHECKSUM);
    };
    assert_eq!(refusal_of_bytes(empty), Some(Error::Header));
}

/// Bytes put in behind the header message of the sound model, in version 2.
fn refusal_of_sections(sections: &[u8]) -> Option<Error> {
    let sound = sound().blob();
    let message_end = PREAMBLE + usize::from(sound[6]);
    let padding = (message_end + sections.len()).next_multiple_of(4) - (message_end + sections.len());
    let bytes = [&sound[..message_end], sections, &vec![0; padding], &sound[sound.tensors()..]].concat();
    let mut blob = Blob::new(&bytes);
    blob[4] = 2;
    blob[6] += sections.len() as u8;
    blob.mend();
    Model::parse(&blob).map(|model| exercise(&model)).err()
}

#[test]
fn sections_are_checked() {
    // Three inputs and one output.
    let importance = [1, 3, 255, 0, 7];
    let classes = [2, 5, 1, b'a', 2, 0xc3, 0xa4];
    let unknown = [3, 2, 1, 9];
    let empty = [200, 0];
    for whole in [&[][..], &importance, &classes, &unknown, &empty, &[1, 0], &[2, 0], &[2, 2, 0, 0]] {
        assert_eq!(refusal_of_sections(whole), None, "{whole:?}");
        let more = [&unknown, whole, &empty, &unknown].concat();
        assert_eq!(refusal_of_sections(&more), None, "{more:?}");
    }
    for whole in [[&importance[..], &classes].concat(), [&classes[..], &importance].concat()] {
        assert_eq!(refusal_of_sections(&whole), None);
    }
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
    ] {
        assert_eq!(refusal_of_sections(sections), Some(Error::Layout), "{layout}");
    }
    let outputs = |outputs: usize, classes: usize| {
        let shape = Shape { outputs, ..Shape::default() };
        let model = OwnedModel::random(&shape, &mut Rng::new(0));
        OwnedModel { classes: vec!["c".into(); classes], ..model }.write().err()
    };
    for (count, classes) in [(1, 0), (1, 2), (2, 0), (3, 3), (10, 10), (200, 200)] {
        assert_eq!(outputs(count, classes), None, "{count} outputs, {classes} classes");
    }
    for (count, classes) in [(1, 1), (2, 2), (2, 3), (3, 2), (1, 3)] {
        assert_eq!(outputs(count, classes), Some(Error::Layout), "{count} outputs, {classes} classes");
    }
}

#[test]
fn bytes_behind_the_message_are_no_sections_in_version_1() {
    let mut blob = sound().blob();
    assert_eq!(blob[4], 1);
    let message_end = PREAMBLE + usize::from(blob[6]);
    blob[6] += 1; // one byte of the padding: half a section
    assert!(PREAMBLE + usize::from(blob[6]) <= blob.tensors() && blob[message_end] == 0);
    blob.mend();
    assert_eq!(Model::parse(&blob).err(), None);
    blob[4] = 2;
    blob.mend();
    assert_eq!(Model::parse(&blob).err(), Some(Error::Header));
}

#[test]
fn records_are_as_long_as_the_kernel_says() {
    let with = |kernel: u8, words: usize| {
        refusal_of_bytes(|blob| {
            let tensors = sound().blob().tensors();
            blob[PREAMBLE + 1] = kernel;
            let block_end = blob.len() - CHECKSUM - 4; // before the indices
            assert_eq!(block_end, tensors + 4 + 8 + 4 + 4 + 16);
            let mut bytes = blob[..block_end].to_vec();
            bytes.resize(block_end + 4 * words - 16, 0);
            bytes.extend_from_slice(&blob[block_end..]);
            *blob = Blob::new(&bytes);
        })
    };
    // Two weights, one output: a bias and an amplitude, or two amplitudes.
    for kernel in 0..4 {
        assert_eq!([4, 5].map(|words| with(kernel, words)), [None, Some(Error::Layout)], "kernel {kernel}");
    }
    let of_outputs = |kernel, outputs| {
        let shape = Shape { kernel, inputs: 2, outputs, blocks: vec![(2, 3)], ..Shape::default() };
        OwnedModel::random(&shape, &mut Rng::new(0)).blob().len() as i64
    };
    for outputs in 1..5_i64 {
        let pairs = of_outputs(Kernel::Sincos, outputs as usize) - of_outputs(Kernel::Cosine, outputs as usize);
        assert_eq!(pairs, 3 * 4 * (outputs - 1), "{outputs} outputs");
    }
}

#[test]
fn features_of_all_inputs_have_no_list() {
    let all = |inputs, prepared, features| {
        let shape = Shape { inputs, prepared, blocks: vec![(ALL, features)], ..Shape::default() };
        OwnedModel::random(&shape, &mut Rng::new(0)).blob()
    };
    for (inputs, prepared) in [(1, 0), (3, 0), (3, 2), (3, 16), (300, 0), (300, 4)] {
        let mut blob = all(inputs, prepared, 2);
        assert_eq!(Model::parse(&blob).map(|model| exercise(&model)).err(), None);
        // Order 0 is a fault in version 1.
        blob[4] = 1;
        blob.mend();
        assert_eq!(Model::parse(&blob).err(), Some(Error::Layout), "{inputs}, {prepared}");
        let view = if prepared > 0 { prepared } else { inputs.into() };
        let missing = |words: usize| {
            let mut blob = all(inputs, prepared, 2);
            blob.resize(blob.len() - 4 * words);
            blob.mend();
            Model::parse(&blob).err()
        };
        assert_eq!([1, view, view + 2].map(missing), [Some(Error::Layout); 3], "{inputs}, {prepared}");
        let mut blob = all(inputs, prepared, 2);
        let last_weight = blob.len() - CHECKSUM - 8;
        blob[last_weight..last_weight + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        blob.mend();
        assert_eq!(Model::parse(&blob).err(), Some(Error::NotFinite), "{inputs}, {prepared}");
    }
}

#[test]
fn a_program_refuses_kernels_that_it_does_not_have() {
    for kernel in [Kernel::Cosine, Kernel::Sincos, Kernel::Sigmoid, Kernel::Relu] {
        let shape = Shape { kernel, inputs: 2, blocks: vec![(2, 3)], ..Shape::default() };
        let blob = OwnedModel::random(&shape, &mut Rng::new(0)).blob();
        let (mut any, mut y) = ([0.0], [0.0]);
        Model::parse(&blob).unwrap().predict(&[0.5, -0.25], &mut any).unwrap();
        let refusals = [
            Model::<Cosine>::parse_only(&blob).and_then(|model| model.predict(&[0.5, -0.25], &mut y)),
            Model::<Sincos>::parse_only(&blob).and_then(|model| model.predict(&[0.5, -0.25], &mut y)),
            Model::<Sigmoid>::parse_only(&blob).and_then(|model| model.predict(&[0.5, -0.25], &mut y)),
            Model::<Relu>::parse_only(&blob).and_then(|model| model.predict(&[0.5, -0.25], &mut y)),
        ];
        let expected = [0, 1, 2, 3].map(|k| if k == kernel as usize { Ok(()) } else { Err(Error::Header) });
        assert_eq!(refusals, expected);
        assert_eq!(any.map(f32::to_bits), y.map(f32::to_bits));
    }
}

#[test]
fn later_header_fields_and_padding_are_ignored() {
    let original = sound().blob();
    let (tensors, header_end) = (original.tensors(), PREAMBLE + usize::from(original[6]));
    assert!(header_end < tensors, "there is padding");
    let mut longer = Blob::new(&[&original[..header_end], &[7; 8], &original[header_end..]].concat());
    longer[6] += 8;
    longer[header_end + 8..tensors + 8].fill(0xa5);
    longer.mend();
    let (original, longer) = (Model::parse(&original).unwrap(), Model::parse(&longer).unwrap());
    assert_eq!(longer.header(), original.header());
    let (mut y, mut y_longer) = ([0.0], [0.0]);
    original.predict(&[0.5, 0.25, -1.0], &mut y).unwrap();
    longer.predict(&[0.5, 0.25, -1.0], &mut y_longer).unwrap();
    assert_eq!(y.map(f32::to_bits), y_longer.map(f32::to_bits));
}

#[test]
fn models_start_on_a_word() {
    let model = sound().blob();
    for shift in 0..8 {
        let shifted = Blob::new(&[&[0; 8][..shift], &model].concat());
        let expected = if shift % 4 == 0 { None } else { Some(Error::Misaligned) };
        assert_eq!(Model::parse(&shifted[shift..]).err(), expected, "{shift} bytes off");
    }
}

#[test]
fn bytes_behind_the_model_are_ignored() {
    let model = sound().blob();
    for behind in [1, 3, 4, 1000] {
        let page = Blob::new(&[&model, &vec![0xff; behind][..]].concat());
        assert_eq!(Model::parse(&page).unwrap().flash_bytes(), model.len());
    }
}

#[test]
fn bytes_that_are_no_model_are_refused() {
    assert_eq!(Model::parse(&[]).err(), Some(Error::Truncated));
    assert_eq!(Model::parse(&Blob::new(b"SRFM")).err(), Some(Error::Truncated));
    assert_eq!(Model::parse(&Blob::new(&[0; 64])).err(), Some(Error::NotAModel));
    assert_eq!(Model::parse(&Blob::new(&[0xff; 64])).err(), Some(Error::NotAModel), "erased flash");
    let mut rng = Rng::new(2);
    for _ in 0..20_000 {
        let mut noise = Blob::default();
        noise.resize(PREAMBLE + CHECKSUM + rng.below(200));
        noise.fill_with(|| rng.bits() as u8);
        noise.mend();
        Model::parse(&noise).map(|model| exercise(&model)).ok();
    }
}
