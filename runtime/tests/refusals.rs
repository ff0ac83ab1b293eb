//! Every check of the reader, by name.

use crate::sound::{refusal, refusal_of_bytes, sound};
use srfm_runtime::format::{ALL, BUFFERED, Kernel, Number, Prepared};
use srfm_runtime::{Error, Model};
use srfm_testing::{Blob, CHECKSUM, OwnedIntegers, OwnedModel, PREAMBLE, Rng, Shape, exercise};

#[test]
fn other_versions_are_named() {
    for version in [0, 2, 3, 65_535] {
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
    assert_eq!(with([prepare(0), prepare(1), Prepared { warp: 3, ..prepare(2) }]), Some(Error::UnsupportedWarp(3)));
    for centre in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(with([prepare(0), Prepared { centre, ..prepare(1) }, prepare(2)]), Some(Error::NotFinite));
    }
    // Offset of `prepared` in the header: the number format, inputs and outputs come first. As many as fit the buffer
    // are let through, and then found missing.
    for (prepared, refused) in [(BUFFERED, Error::Layout), (BUFFERED + 1, Error::TooLarge)] {
        assert_eq!(refusal_of_bytes(|b| b[PREAMBLE + 3] = prepared as u8), Some(refused), "{prepared} prepared");
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
fn limits_are_finite_and_ascend() {
    for (limits, refused) in [
        ([1.0, 1.0], None),
        ([-0.0, 0.0], None),
        ([f32::MIN, f32::MAX], None),
        ([1.0, f32::from_bits(0x3f7f_ffff)], Some(Error::Limits)),
        ([0.0, -1e-40], Some(Error::Limits)),
        ([f32::NAN, 1.0], Some(Error::NotFinite)),
        ([0.0, f32::NAN], Some(Error::NotFinite)),
        ([f32::NEG_INFINITY, 1.0], Some(Error::NotFinite)),
        ([0.0, f32::INFINITY], Some(Error::NotFinite)),
    ] {
        assert_eq!(refusal(|m| m.limits = vec![limits]), refused, "{limits:?}");
    }
    let model = OwnedIntegers::random(Number::I32, &Shape::default(), &mut Rng::new(0));
    for (limits, refused) in [([-1, -1], None), ([i32::MIN, i32::MAX], None), ([0, -1], Some(Error::Limits))] {
        let blob = OwnedIntegers { limits: vec![limits], ..model.clone() }.blob();
        assert_eq!(Model::parse(&blob).err(), refused, "{limits:?}");
    }
}

#[test]
fn counts_that_contradict_each_other_are_refused() {
    // Behind intercept, limits, linear weights and linear indices.
    let head = |blob: &Blob| blob.tensors() + 4 + 8 + 8 + 4;
    assert_eq!(refusal_of_bytes(|b| assert_eq!(b[head(b)..][..4], [2, 0, 1, 0])), None);
    for (order, count) in [(0, 2), (1, 1), (3, 1), (2, 0), (2, 2), (u16::MAX, u16::MAX)] {
        let change = |b: &mut Blob| {
            let at = head(b);
            b[at..at + 2].copy_from_slice(&order.to_le_bytes());
            b[at + 2..at + 4].copy_from_slice(&count.to_le_bytes());
        };
        assert_eq!(refusal_of_bytes(change), Some(Error::Layout), "order {order}, {count} features");
    }
    // Offsets in the header: 2 outputs, 4 linear terms.
    for (field, value, refused) in [(2, 2, Error::Limits), (4, 1, Error::Layout), (4, 8, Error::Layout)] {
        assert_eq!(refusal_of_bytes(|b| b[PREAMBLE + field] = value), Some(refused), "header byte {field}");
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
    // Offsets in the header: 1 inputs, 2 outputs, 5 number of blocks, 8 length of the name, 9 the name.
    for (field, value) in [(1, 0), (2, 0), (5, 9), (8, 2), (9, 0xff)] {
        assert_eq!(refusal_of_bytes(|b| b[PREAMBLE + field] = value), Some(Error::Header), "header byte {field}");
    }
    for number in [3, 4, 127] {
        assert_eq!(refusal_of_bytes(|b| b[PREAMBLE] = number), Some(Error::UnsupportedNumber(number)));
    }
    for kernel in [6, 7, 255] {
        assert_eq!(refusal_of_bytes(|b| b[PREAMBLE + 6] = kernel), Some(Error::UnsupportedKernel(kernel)));
    }
    assert_eq!(refusal_of_bytes(|b| b[6..8].copy_from_slice(&[9, 0])), Some(Error::Header), "one byte short");
    let empty = |b: &mut Blob| {
        b[6..8].fill(0);
        b.resize(PREAMBLE + CHECKSUM);
    };
    assert_eq!(refusal_of_bytes(empty), Some(Error::Header));
}

#[test]
fn records_are_as_long_as_the_kernel_says() {
    let with = |kernel: u8, words: usize| {
        refusal_of_bytes(|blob| {
            let tensors = sound().blob().tensors();
            blob[PREAMBLE + 6] = kernel;
            let block_end = blob.len() - CHECKSUM - 4; // before the indices
            assert_eq!(block_end, tensors + 4 + 8 + 8 + 4 + 4 + 16);
            let mut bytes = blob[..block_end].to_vec();
            bytes.resize(block_end + 4 * words - 16, 0);
            bytes.extend_from_slice(&blob[block_end..]);
            *blob = Blob::new(&bytes);
        })
    };
    // Two weights, one output: a bias and an amplitude, or two amplitudes.
    for kernel in 0..5 {
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
        let blob = all(inputs, prepared, 2);
        assert_eq!(Model::parse(&blob).map(|model| exercise(&model)).err(), None);
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
fn padding_is_ignored() {
    let mut blob = sound().blob();
    let (tensors, header_end) = (blob.tensors(), PREAMBLE + usize::from(blob[6]));
    assert!(header_end < tensors, "there is padding");
    blob[header_end..tensors].fill(0xa5);
    blob.mend();
    assert_eq!(Model::parse(&blob).err(), None);
}

#[test]
fn blocks_are_as_many_as_the_header_says() {
    let with_kernels = |kernels: &[u8]| {
        let sound = sound().blob();
        let header_end = PREAMBLE + usize::from(sound[6]);
        let (before, after) = (&sound[..PREAMBLE + 5], &sound[PREAMBLE + 7..header_end]);
        let mut bytes = [before, &[kernels.len() as u8], kernels, after].concat();
        bytes[6] = (bytes.len() - PREAMBLE) as u8;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend(&sound[sound.tensors()..]);
        let mut blob = Blob::new(&bytes);
        blob.mend();
        Model::parse(&blob).err()
    };
    assert_eq!(
        [&[0][..], &[], &[0, 0], &[0, 9]].map(with_kernels),
        [None, Some(Error::Layout), Some(Error::Layout), Some(Error::UnsupportedKernel(9))]
    );
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
