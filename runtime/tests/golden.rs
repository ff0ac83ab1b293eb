//! Golden files: their bytes, and the bits that they predict.
//!
//! A difference means that the code is wrong. `SRFM_BLESS=1` writes files anew, which is right only for a file that no
//! release has had.

use std::path::{Path, PathBuf};

use crate::models::*;
use crate::plain;
use srfm_runtime::format::Number;
use srfm_runtime::{Error, MISSING, Model};
use srfm_testing::{Blob, OwnedIntegers, OwnedModel, Rng, Shape, crc32};

/// A golden file: its name, what it holds and the bits of what it predicts, one list a row of [`readings`].
type Golden = (&'static str, fn() -> OwnedModel, [&'static [u32]; 3]);

const GOLDENS: [Golden; 15] = [
    ("plane.srfm", plane, [&[0x4030_7ff9], &[0xbfb9_877c], &[0x4071_0000]]),
    (
        "everything.srfm",
        everything,
        [&[0xbf40_0000, 0xc4a1_0000], &[0x403a_d668, 0xc4a0_af0d], &[0x3f30_b9ce, 0xc4a0_cdd4]],
    ),
    ("wide.srfm", wide, [&[0xbdc7_39f2], &[0x3e95_a92c], &[0xbebc_471c]]),
    ("history.srfm", history, [&[0xc081_0000], &[0x4052_0000], &[0x3ff0_0000]]),
    ("windows.srfm", windows, [&[0x4081_0000], &[0x405e_0000], &[0x413a_0000]]),
    ("intervals.srfm", intervals, [&[0x4030_7ff9], &[0xbfb9_877c], &[0x4071_0000]]),
    ("importance.srfm", importance, [&[0x4030_7ff9], &[0xbfb9_877c], &[0x4071_0000]]),
    (
        "classes.srfm",
        classes,
        [
            &[0x3dc6_3f9e, 0x3f0b_8e70, 0x3eb7_533b],
            &[0x3da3_5ec6, 0x3f0e_aba8, 0x3eb9_d101],
            &[0xbeb3_1c66, 0x3f5d_39b0, 0x3ef8_a908],
        ],
    ),
    (
        "certain.srfm",
        certain,
        [
            &[0x3dc6_3f9e, 0x3f0b_8e70, 0x3eb7_533b],
            &[0x3da3_5ec6, 0x3f0e_aba8, 0x3eb9_d101],
            &[0xbeb3_1c66, 0x3f5d_39b0, 0x3ef8_a908],
        ],
    ),
    (
        "sincos.srfm",
        sincos,
        [
            &[0x3f2d_1766, 0x3f4d_a386, 0x3e27_2508],
            &[0x3d46_d710, 0xbf22_3fb0, 0xbd94_3340],
            &[0x3ed1_92f7, 0x3ff1_9d58, 0x3fe9_a2be],
        ],
    ),
    ("sigmoid.srfm", sigmoid, [&[0x3fa7_6222], &[0x3f8b_3c17], &[0x3fde_dbcd]]),
    ("warps.srfm", warps, [&[0xbffd_e05f], &[0x3f9d_dc0c], &[0xbfd0_a7f5]]),
    ("mixed.srfm", mixed, [&[0x3f83_7f36, 0xbf81_14b4], &[0x3fca_8ea0, 0x3f37_7efc], &[0x40b8_15b3, 0x40bc_4e10]]),
    ("trees.srfm", trees, [&[0xbe37_5506, 0xbe46_30fa], &[0x4040_44be, 0xc101_f6c6], &[0x3f11_486e, 0xbf07_dfc5]]),
    ("relu.srfm", relu, [&[0x4076_3334, 0x40d0_999b], &[0x4165_eeb7, 0x4100_647b], &[0x400b_ffff, 0x4082_6666]]),
];

/// Made-up readings, exact in `f32`.
fn readings(inputs: usize, row: usize) -> Vec<f32> {
    (0..inputs).map(|i| ((i * 7 + row * 13) % 31) as f32 * 0.28125 - 3.0).collect()
}

fn golden_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
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
fn goldens_predict_the_same_bits() {
    for (name, written, rows) in GOLDENS {
        let blob = Blob::new(&std::fs::read(golden_path(name)).unwrap());
        let model = Model::parse(&blob).unwrap();
        let mut y = vec![0.0; model.outputs()];
        for (row, pinned) in rows.into_iter().enumerate() {
            let x = readings(model.inputs(), row);
            model.predict(&x, &mut y).unwrap();
            let bits: Vec<u32> = y.iter().map(|y| y.to_bits()).collect();
            let documented: Vec<u32> = plain::predict(&written(), &x).iter().map(|y| y.to_bits()).collect();
            assert_eq!(bits, documented, "{name}, row {row}, by the document");
            assert_eq!(bits, pinned, "{name}, row {row}: {bits:#010x?} are {y:?}");
        }
    }
}

#[test]
fn the_dump_in_the_format_description_is_the_golden_file() {
    let text = std::fs::read_to_string(golden_path("../../docs/format.md")).unwrap();
    let (_, dump) = text.split_once("```hex\n").expect("the document has a hex dump");
    let (dump, _) = dump.split_once("```").unwrap();
    let mut bytes = vec![];
    for line in dump.lines() {
        let (offset, line) = line.split_once("  ").unwrap();
        assert_eq!(usize::from_str_radix(offset, 16), Ok(bytes.len()), "offset of {line}");
        let (line, _comment) = line.split_once("  ").unwrap();
        bytes.extend(line.split(' ').map(|byte| u8::from_str_radix(byte, 16).unwrap()));
    }
    assert_eq!(bytes, std::fs::read(golden_path("plane.srfm")).unwrap());
}

/// A golden file in integers, and the checksum of its predictions.
struct IntegerGolden {
    name: &'static str,
    number: Number,
    warped: bool,
    /// Whether counts have limits and replacements, and every seventh row a missing count.
    bounded: bool,
    trees: usize,
    checksum: u32,
}

impl IntegerGolden {
    /// A file with neither warps nor limits nor trees.
    const PLAIN: IntegerGolden =
        IntegerGolden { name: "int", number: Number::I32, warped: false, bounded: false, trees: 0, checksum: 0 };
}

/// Files of each number format, one with warps, one with trees, and one with limits and replacements.
const INTEGERS: [IntegerGolden; 5] = [
    IntegerGolden { checksum: 0x5e72_4c4f, ..IntegerGolden::PLAIN },
    IntegerGolden { name: "int16", number: Number::I16, checksum: 0x2851_372c, ..IntegerGolden::PLAIN },
    IntegerGolden { name: "warps-int", warped: true, checksum: 0xbc03_d70e, ..IntegerGolden::PLAIN },
    IntegerGolden { name: "trees-int", trees: 3, checksum: 0x0531_7b07, ..IntegerGolden::PLAIN },
    IntegerGolden { name: "missing-int", warped: true, bounded: true, checksum: 0x5937_5570, ..IntegerGolden::PLAIN },
];

#[test]
fn integer_goldens_predict_the_same_bits() {
    for IntegerGolden { name, number, warped, bounded, trees, checksum } in INTEGERS {
        let path = golden_path(&format!("{name}.srfm"));
        let blocks = vec![(1, 2), (2, 5), (3, 2)];
        let shape = Shape { inputs: 5, prepared: 4, warped, bounded, linear: 2, blocks, trees, ..Shape::default() };
        let model = OwnedIntegers::random(number, &shape, &mut Rng::new(5));
        if std::env::var_os("SRFM_BLESS").is_some_and(|bless| bless == "1") {
            std::fs::write(&path, &*model.blob()).unwrap();
        }
        let file = Blob::new(&std::fs::read(&path).unwrap());
        assert_eq!(*file, *model.blob(), "{name} is written byte for byte");
        let parsed = Model::parse(&file).unwrap();
        let predicted = (0..500_i32).flat_map(|row| {
            let mut z: Vec<i16> = (0..4).map(|i| (row * 7919 * (i + 1)) as i16).collect();
            if bounded && row % 7 == 0 {
                z[row as usize % 4] = MISSING;
            }
            // Rows without a prediction leave a zero.
            let mut y = [0];
            let outcome = parsed.predict_integers(&z, &mut y);
            assert!(outcome == Ok(()) || bounded && outcome == Err(Error::MissingReading), "{name}");
            y[0].to_le_bytes()
        });
        assert_eq!(crc32(&predicted.collect::<Vec<u8>>()), checksum, "{name}");
    }
}
