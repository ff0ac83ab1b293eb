//! The model file: what is written is what is read, and the writer refuses what the format cannot hold.

use crate::models::{everything, plane, relu};
use srfm_runtime::format::{self, ALL, BUFFERED, Kernel, Number, Prepared, words};
use srfm_runtime::{Error, Model};
use srfm_testing::{CHECKSUM, OwnedBlock, OwnedModel, PREAMBLE, Rng, Shape, crc32};

#[test]
fn checksums_are_crc_32_iso_hdlc() {
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926, "the check value of the catalogue of CRCs");
    assert_eq!(format::hash_names(["123456789"]), 0xcbf4_3926);
    assert_eq!(format::hash_names(["u", "v"]), crc32(b"u\nv"));
    assert_eq!(format::hash_names([]), 0);
}

#[test]
fn counts_in_the_header_take_one_to_three_bytes() {
    for (inputs, encoded) in [
        (1, &[0x01][..]),
        (127, &[0x7f]),
        (128, &[0x80, 0x01]),
        (16_383, &[0xff, 0x7f]),
        (16_384, &[0x80, 0x80, 0x01]),
        (65_535, &[0xff, 0xff, 0x03]),
    ] {
        let blob = OwnedModel { inputs, linear_inputs: vec![0, 0], ..plane() }.blob();
        assert_eq!(blob[PREAMBLE], 0, "number format");
        assert_eq!(&blob[PREAMBLE + 1..][..encoded.len()], encoded);
        assert_eq!(Model::parse(&blob).unwrap().inputs(), usize::from(inputs));
    }
}

#[test]
fn indices_into_more_than_256_values_take_two_bytes() {
    for (inputs, indices) in [(256, [0, 7, 255, 0]), (257, [0, 0, 7, 0])] {
        let block = OwnedBlock { kernel: Kernel::Cosine, order: 3, records: vec![0.0; 5], indices: vec![0, 7, 255] };
        let blob = OwnedModel { inputs, blocks: vec![block], ..plane() }.blob();
        let last_list = blob.len() - CHECKSUM - if inputs > 256 { 8 } else { 4 };
        assert_eq!(blob[last_list..][..4], indices, "{inputs} inputs");
        assert_eq!(Model::parse(&blob).map(|model| model.inputs()), Ok(inputs.into()));
    }
}

#[test]
fn what_is_written_is_read() {
    let shapes = (0..500).map(|seed| Shape::random(&mut Rng::new(seed)));
    for (seed, shape) in (0..).zip(shapes) {
        let written = OwnedModel { inputs_hash: seed as u32, ..OwnedModel::random(&shape, &mut Rng::new(seed)) };
        let blob = written.blob();
        let read = Model::parse(&blob).unwrap();
        let header = read.header();
        let entries = written.blocks.len() + shape.trees.min(1);
        assert_eq!((header.number, header.kernels.len()), (Number::F32, entries));
        assert_eq!((header.method, header.inputs, header.inputs_hash), ("random", written.inputs, seed as u32));
        assert_eq!((read.outputs(), read.flash_bytes()), (shape.outputs, blob.len()));
        assert_eq!(read.importance(), written.importance);
        assert!(read.classes().eq(&written.classes));
        assert_eq!(blob[4..6], [1, 0], "the version");
        assert_eq!(read.prepared(), written.prepared);
        assert_eq!(read.intercepts(), words(&written.intercepts));
        assert!(read.limits().eq(written.output_limits()));
        assert_eq!(read.linear().weights, words(&written.linear_weights));
        assert!(read.linear().inputs.iter().eq(written.linear_inputs));
        assert_eq!(read.features(), shape.blocks.iter().map(|&(_, features)| features).sum::<usize>());
        assert_eq!(read.blocks().count(), written.blocks.len());
        assert_eq!(read.trees().map_or(0, |trees| trees.count()), shape.trees);
        if let Some(trees) = read.trees() {
            assert_eq!((trees.inputs, trees.steps), (&*written.trees.inputs, words(&written.trees.steps)));
            assert_eq!(trees.halves, written.trees.halves());
        }
        for (read, written) in read.blocks().zip(written.blocks) {
            assert_eq!((read.kernel, read.records), (written.kernel, words(&written.records)));
            if written.order == ALL {
                let view = if shape.prepared > 0 { shape.prepared as u16 } else { shape.inputs };
                assert_eq!(read.order, view);
                assert!(read.indices.iter().eq((0..read.features()).flat_map(|_| 0..view)));
            } else {
                assert_eq!(read.order, written.order);
                assert!(read.indices.iter().eq(written.indices));
            }
        }
    }
}

#[test]
fn a_model_knows_which_readings_it_uses() {
    let blob = plane().blob();
    assert_eq!([0, 1, 2].map(|i| Model::parse(&blob).unwrap().uses_input(i)), [true, true, false]);
    let blob = everything().blob(); // reading 3 is not prepared; indices count prepared inputs, not readings
    let used = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| Model::parse(&blob).unwrap().uses_input(i));
    assert_eq!(used, [true, true, true, false, true, true, true, false]);
    let blob = relu().blob(); // of 300 readings four are prepared, and all four are looked at
    let model = Model::parse(&blob).unwrap();
    assert!((0..300).all(|i| model.uses_input(i) == [0, 255, 256, 299].contains(&i)));
    assert_eq!([0, 255, 256, 299, 1].map(|i| model.occurrences(i)), [2, 2, 2, 4, 0]);
    // A weight of zero among all inputs does not count.
    let mut silent = relu();
    silent.blocks = vec![OwnedBlock::all(Kernel::Relu, 4, 2, [[0.3, 0.1, 0.0, 0.3, 0.4, 1.0, 2.0]; 3].concat())];
    let blob = silent.blob();
    let model = Model::parse(&blob).unwrap();
    assert_eq!([0, 255, 256, 299, 1].map(|i| model.occurrences(i)), [3, 0, 3, 3, 0]);
}

#[test]
fn the_writer_needs_room_and_leaves_the_rest() {
    let model = everything();
    let blob = model.blob();
    let mut out = vec![0xff; blob.len() + 5];
    assert_eq!(model.with_spec(|spec| format::write(spec, &mut out)), Ok(blob.len()));
    assert_eq!(out, [&blob, &[0xff; 5][..]].concat(), "whatever the buffer held before");
    for short in [0, 1, blob.len() - 1] {
        assert_eq!(model.with_spec(|spec| format::write(spec, &mut out[..short])), Err(Error::TooLarge));
    }
}

#[test]
fn the_writer_refuses_what_the_format_cannot_hold() {
    let refusal = |change: fn(&mut OwnedModel)| {
        let mut model = plane();
        change(&mut model);
        model.write().err()
    };
    assert_eq!(refusal(|_| ()), None);
    assert_eq!(refusal(|m| m.linear_weights.truncate(1)), Some(Error::Layout));
    assert_eq!(refusal(|m| m.blocks[0].records.push(0.0)), Some(Error::Layout));
    assert_eq!(refusal(|m| m.blocks[0].indices.push(0)), Some(Error::Layout));
    assert_eq!(refusal(|m| m.blocks[0].order = ALL), Some(Error::Layout), "a list where there is none");
    fn all(m: &mut OwnedModel) {
        (m.blocks[0].order, m.blocks[0].indices) = (ALL, vec![]);
    }
    assert_eq!(refusal(all), Some(Error::Layout), "one weight for two inputs");
    assert_eq!(refusal(|m| (m.inputs, _) = (1, all(m))), None);
    assert_eq!(refusal(|m| m.linear_inputs[0] = 256), Some(Error::IndexOutOfRange));
    assert_eq!(refusal(|m| m.method = "m".repeat(65_536)), Some(Error::TooLarge));
    assert_eq!(refusal(|m| m.importance = vec![0; 3]), Some(Error::Layout));
    assert_eq!(refusal(|m| m.limits.push([0.0, 1.0])), Some(Error::Layout));
    assert_eq!(refusal(|m| m.classes = vec!["c".into(); 3]), Some(Error::Layout));
    assert_eq!(refusal(|m| (m.limits, m.classes) = (vec![], vec!["c".repeat(40_000); 2])), Some(Error::TooLarge));
    let one = Prepared { centre: 0.0, input: 0, warp: 0, exponent: 0 };
    let with_prepared = |count| OwnedModel { prepared: vec![one; count], ..plane() }.write().err();
    assert_eq!([BUFFERED, BUFFERED + 1].map(with_prepared), [None, Some(Error::TooLarge)]);
    let with_features = |count| {
        let block =
            OwnedBlock { kernel: Kernel::Cosine, order: 1, records: vec![0.0; 3 * count], indices: vec![0; count] };
        OwnedModel { blocks: vec![block], ..plane() }.write().err()
    };
    assert_eq!([65_535, 65_536].map(with_features), [None, Some(Error::TooLarge)]);
}
