//! The wire format: golden files, what they predict, and that what is written is what is read.
//!
//! Golden files pin a format version for ever: a difference means that the code is wrong. `SRFM_BLESS=1` writes them
//! anew, which is right only for a file that no release has had.

use std::path::{Path, PathBuf};

use srfm_runtime::format::{self, ALL, BUFFERED, Kernel, Number, Prepared, words};
use srfm_runtime::{Error, Model};
use srfm_tests::{Blob, CHECKSUM, OwnedBlock, OwnedModel, PREAMBLE, Rng, Shape, crc32};

/// y = 1 + u/2 - v/4 + 3 cos(2π · 4u): the example that FORMAT.md takes apart.
fn plane() -> OwnedModel {
    OwnedModel {
        method: "plane".into(),
        kernel: Kernel::Cosine,
        inputs: 2,
        inputs_hash: format::hash_names(["u", "v"]),
        importance: vec![],
        classes: vec![],
        ranges: vec![],
        half_widths: vec![],
        prepared: vec![],
        intercepts: vec![1.0],
        linear_weights: vec![0.5, -0.25],
        linear_inputs: vec![0, 1],
        blocks: vec![OwnedBlock::new(Kernel::Cosine, 1, 1, vec![0.0, 4.0, 3.0], vec![0])],
    }
}

/// Six of seven readings prepared, two outputs, a linear block and features of one, two, three and five inputs.
fn everything() -> OwnedModel {
    let prepare = |(input, centre)| Prepared { centre, input, warp: 0, exponent: 0 };
    OwnedModel {
        method: "everything".into(),
        kernel: Kernel::Cosine,
        inputs: 7,
        inputs_hash: format::hash_names(["a", "b", "c", "d", "e", "f", "g"]),
        importance: vec![],
        classes: vec![],
        ranges: vec![],
        half_widths: vec![],
        prepared: [(6, 0.5), (0, -1.25), (1, 1013.25), (2, 0.0), (4, 20.1), (5, -0.003)].map(prepare).to_vec(),
        intercepts: vec![1.5, -273.15],
        linear_weights: vec![0.1, -0.2, 0.003, 0.75, 0.0, 1.0],
        linear_inputs: vec![0, 5, 2],
        blocks: vec![
            OwnedBlock::new(Kernel::Cosine, 1, 2, vec![0.125, 0.31, 1.1, -0.4, -0.25, 0.007, 0.3, 2.5], vec![1, 4]),
            OwnedBlock::new(Kernel::Cosine, 2, 2, vec![0.4, 0.21, -0.17, 0.9, 0.6], vec![3, 0]),
            OwnedBlock::new(Kernel::Cosine, 3, 2, vec![-0.1, 0.05, 0.33, -0.27, -1.2, 0.8], vec![5, 1, 3]),
            OwnedBlock::new(
                Kernel::Cosine,
                5,
                2,
                vec![0.49, 0.11, -0.12, 0.013, 0.14, -0.15, 0.7, -0.35],
                vec![0, 1, 2, 3, 4],
            ),
        ],
    }
}

/// So many readings that an index takes two bytes.
fn wide() -> OwnedModel {
    OwnedModel {
        method: "wide".into(),
        kernel: Kernel::Cosine,
        inputs: 300,
        inputs_hash: 0,
        importance: vec![],
        classes: vec![],
        ranges: vec![],
        half_widths: vec![],
        prepared: vec![],
        intercepts: vec![-0.7],
        linear_weights: vec![0.3],
        linear_inputs: vec![256],
        blocks: vec![OwnedBlock::new(
            Kernel::Cosine,
            2,
            1,
            vec![0.1, 0.23, -0.41, 1.7, 0.2, -0.37, 0.19, -0.6],
            vec![299, 0, 255, 258],
        )],
    }
}

/// The plane with the shares of its inputs.
fn importance() -> OwnedModel {
    OwnedModel { importance: vec![204, 51], ..plane() }
}

/// Three classes and the shares of two inputs.
fn classes() -> OwnedModel {
    OwnedModel {
        method: "classes".into(),
        classes: ["setosa", "", "Größe"].map(String::from).to_vec(),
        intercepts: vec![0.3, 0.4, 0.3],
        linear_weights: vec![],
        linear_inputs: vec![],
        blocks: vec![OwnedBlock::new(Kernel::Cosine, 2, 3, vec![0.2, 0.31, -0.42, 0.7, -0.5, -0.2], vec![0, 1])],
        ..importance()
    }
}

/// Three classes told apart by pairs: one of one input, one of all.
fn sincos() -> OwnedModel {
    let amplitudes = |first: f32| (0..6).map(move |i| first + 0.125 * i as f32);
    let record = |weights: &[f32], first| weights.iter().copied().chain(amplitudes(first)).collect();
    OwnedModel {
        method: "sincos".into(),
        kernel: Kernel::Sincos,
        importance: vec![],
        linear_weights: vec![0.1, -0.2, 0.05],
        linear_inputs: vec![1],
        blocks: vec![
            OwnedBlock::new(Kernel::Sincos, 1, 3, record(&[0.37], -0.25), vec![1]),
            OwnedBlock::all(Kernel::Sincos, 2, 3, record(&[0.11, -0.23], 0.4)),
        ],
        ..classes()
    }
}

/// Two classes, two of three readings prepared.
fn sigmoid() -> OwnedModel {
    let prepare = |(input, centre)| Prepared { centre, input, warp: 0, exponent: 0 };
    OwnedModel {
        method: "sigmoid".into(),
        kernel: Kernel::Sigmoid,
        inputs: 3,
        inputs_hash: format::hash_names(["r", "s", "t"]),
        importance: vec![101, 0, 154],
        classes: ["no", "yes"].map(String::from).to_vec(),
        ranges: vec![],
        half_widths: vec![],
        prepared: [(2, 0.75), (0, -20.5)].map(prepare).to_vec(),
        intercepts: vec![0.25],
        linear_weights: vec![0.03],
        linear_inputs: vec![1],
        blocks: vec![
            OwnedBlock::new(Kernel::Sigmoid, 1, 1, vec![0.5, -1.5, 0.6, 20.0, 3.0, -0.2], vec![0, 1]),
            OwnedBlock::new(Kernel::Sigmoid, 2, 1, vec![-0.3, 2.5, 0.125, 0.4], vec![1, 0]),
        ],
    }
}

/// Features of one, five and all four of the prepared readings, two outputs.
fn relu() -> OwnedModel {
    let prepare = |(input, centre)| Prepared { centre, input, warp: 0, exponent: 0 };
    let five = vec![0.5, 1.0, -2.0, 0.25, 0.5, 0.125, 3.0, -1.0];
    OwnedModel {
        method: "relu".into(),
        kernel: Kernel::Relu,
        inputs: 300,
        prepared: [(0, 0.5), (255, 1.5), (256, -2.5), (299, 0.0)].map(prepare).to_vec(),
        intercepts: vec![0.1, -0.1],
        blocks: vec![
            OwnedBlock::new(Kernel::Relu, 1, 2, vec![-0.7, 1.3, 0.9, 1.1], vec![3]),
            OwnedBlock::new(Kernel::Relu, 5, 2, five, vec![3, 2, 1, 0, 3]),
            OwnedBlock::all(Kernel::Relu, 4, 2, vec![0.3, 0.1, 0.2, 0.3, 0.4, 1.0, 2.0]),
        ],
        ..OwnedModel::default()
    }
}

/// Two of three readings warped, one of them beside an input that is not.
fn warps() -> OwnedModel {
    let prepare = |(input, warp, centre)| Prepared { centre, input, warp, exponent: 0 };
    OwnedModel {
        method: "warps".into(),
        inputs: 3,
        prepared: [(0, 1, 1.5), (2, 2, 0.75), (1, 0, -0.5)].map(prepare).to_vec(),
        intercepts: vec![0.25],
        linear_weights: vec![0.03],
        linear_inputs: vec![0],
        blocks: vec![OwnedBlock::new(
            Kernel::Cosine,
            2,
            1,
            vec![0.1, 0.23, -0.41, 1.7, 0.2, -0.37, 0.19, -0.6],
            vec![0, 1, 1, 2],
        )],
        ..OwnedModel::default()
    }
}

/// The plane with ranges and an interval.
fn intervals() -> OwnedModel {
    OwnedModel { ranges: vec![[-1.5, 2.25], [f32::NEG_INFINITY, f32::INFINITY]], half_widths: vec![0.75], ..plane() }
}

/// A golden file: its name, what it holds and the bits of what it predicts, one list a row of [`readings`].
type Golden = (&'static str, fn() -> OwnedModel, [&'static [u32]; 3]);

const GOLDENS: [Golden; 10] = [
    ("plane-v1.srfm", plane, [&[0x4030_7ff9], &[0xbfb9_877c], &[0x4071_0000]]),
    (
        "everything-v1.srfm",
        everything,
        [&[0xbf4d_b5fe, 0xc4a1_376d], &[0x403a_d668, 0xc4a0_af0d], &[0x3f30_b9ce, 0xc4a0_cdd4]],
    ),
    ("wide-v1.srfm", wide, [&[0xbdc7_39f2], &[0x3e95_a92c], &[0xbebc_471c]]),
    ("intervals-v2.srfm", intervals, [&[0x4030_7ff9], &[0xbfb9_877c], &[0x4071_0000]]),
    ("importance-v2.srfm", importance, [&[0x4030_7ff9], &[0xbfb9_877c], &[0x4071_0000]]),
    (
        "classes-v2.srfm",
        classes,
        [
            &[0x3dc6_3f9e, 0x3f0b_8e70, 0x3eb7_533b],
            &[0x3da3_5ec6, 0x3f0e_aba8, 0x3eb9_d101],
            &[0xbeb3_1c66, 0x3f5d_39b0, 0x3ef8_a908],
        ],
    ),
    (
        "sincos-v2.srfm",
        sincos,
        [
            &[0x3f2d_1766, 0x3f4d_a386, 0x3e27_2508],
            &[0x3d46_d710, 0xbf22_3fb0, 0xbd94_3340],
            &[0x3ed1_92f7, 0x3ff1_9d58, 0x3fe9_a2be],
        ],
    ),
    ("sigmoid-v2.srfm", sigmoid, [&[0x3fa7_6222], &[0x3f8b_3c17], &[0x3fde_dbcd]]),
    ("warps-v1.srfm", warps, [&[0xc09a_ea4b], &[0x3ff6_cd32], &[0xbfe9_06db]]),
    ("relu-v2.srfm", relu, [&[0x4076_3334, 0x40d0_999b], &[0x4165_eeb7, 0x4100_647b], &[0x400b_ffff, 0x4082_6666]]),
];

/// Made-up readings, exact in `f32`.
fn readings(inputs: usize, row: usize) -> Vec<f32> {
    (0..inputs).map(|i| ((i * 7 + row * 13) % 31) as f32 * 0.28125 - 3.0).collect()
}

fn golden_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/golden").join(name)
}

#[test]
fn goldens_are_written_byte_for_byte() {
    for (name, model, _) in GOLDENS {
        let (path, written) = (golden_path(name), model().blob());
        if std::env::var_os("SRFM_BLESS").is_some_and(|bless| bless == "1") {
            std::fs::write(&path, &*written).expect("the golden folder can be written");
        }
        let golden = std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}; see SRFM_BLESS above"));
        assert_eq!(*written, *golden, "{name}: the writer no longer gives the pinned bytes");
    }
}

#[test]
fn goldens_predict_the_same_bits_for_ever() {
    for (name, _, rows) in GOLDENS {
        let blob = Blob::new(&std::fs::read(golden_path(name)).unwrap());
        let model = Model::parse(&blob).unwrap();
        let mut y = vec![0.0; model.outputs()];
        for (row, pinned) in rows.into_iter().enumerate() {
            model.predict(&readings(model.inputs(), row), &mut y).unwrap();
            let bits: Vec<u32> = y.iter().map(|y| y.to_bits()).collect();
            assert_eq!(bits, pinned, "{name}, row {row}: {bits:#010x?} are {y:?}");
        }
    }
}

#[test]
fn the_dump_in_the_format_description_is_the_golden_file() {
    let text = std::fs::read_to_string(golden_path("../FORMAT.md")).unwrap();
    let (_, dump) = text.split_once("```hex\n").expect("FORMAT.md has a hex dump");
    let (dump, _) = dump.split_once("```").unwrap();
    let mut bytes = vec![];
    for line in dump.lines() {
        let (offset, line) = line.split_once("  ").unwrap();
        assert_eq!(usize::from_str_radix(offset, 16), Ok(bytes.len()), "offset of {line}");
        let (line, _comment) = line.split_once("  ").unwrap();
        bytes.extend(line.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()));
    }
    assert_eq!(bytes, std::fs::read(golden_path("plane-v1.srfm")).unwrap());
}

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
        assert_eq!(blob[PREAMBLE..][..2], [0, 0], "number format and kernel");
        assert_eq!(&blob[PREAMBLE + 2..][..encoded.len()], encoded);
        assert_eq!(Model::parse(&blob).unwrap().inputs(), usize::from(inputs));
    }
}

#[test]
fn indices_into_more_than_256_values_take_two_bytes() {
    for (inputs, indices) in [(256, [0, 7, 255, 0]), (257, [0, 0, 7, 0])] {
        let block = OwnedBlock { order: 3, records: vec![0.0; 5], indices: vec![0, 7, 255] };
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
        assert_eq!((header.number, header.kernel), (Number::F32, shape.kernel));
        assert_eq!((header.method, header.inputs, header.inputs_hash), ("random", written.inputs, seed as u32));
        assert_eq!((read.outputs(), read.flash_bytes()), (shape.outputs, blob.len()));
        assert_eq!(read.importance(), written.importance);
        assert!(read.classes().eq(&written.classes));
        let sections = !written.importance.is_empty() || !written.classes.is_empty();
        let newer = sections || written.blocks.iter().any(|block| block.order == ALL);
        assert_eq!(blob[4..6], [if newer { 2 } else { 1 }, 0], "the oldest version that holds the model");
        assert_eq!(read.prepared(), written.prepared);
        assert_eq!(read.intercepts(), words(&written.intercepts));
        assert_eq!(read.linear().weights, words(&written.linear_weights));
        assert!(read.linear().inputs.iter().eq(written.linear_inputs));
        assert_eq!(read.features(), shape.blocks.iter().map(|&(_, features)| features).sum::<usize>());
        assert_eq!(read.blocks().count(), written.blocks.len());
        for (read, written) in read.blocks().zip(written.blocks) {
            assert_eq!(read.records, words(&written.records));
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
    assert_eq!(refusal(|m| m.classes = vec!["c".into(); 3]), Some(Error::Layout));
    assert_eq!(refusal(|m| m.classes = vec!["c".repeat(40_000); 2]), Some(Error::TooLarge));
    let one = Prepared { centre: 0.0, input: 0, warp: 0, exponent: 0 };
    let with_prepared = |count| OwnedModel { prepared: vec![one; count], ..plane() }.write().err();
    assert_eq!([BUFFERED, BUFFERED + 1].map(with_prepared), [None, Some(Error::TooLarge)]);
    let with_features = |count| {
        let block = OwnedBlock { order: 1, records: vec![0.0; 3 * count], indices: vec![0; count] };
        OwnedModel { blocks: vec![block], ..plane() }.write().err()
    };
    assert_eq!([65_535, 65_536].map(with_features), [None, Some(Error::TooLarge)]);
}
