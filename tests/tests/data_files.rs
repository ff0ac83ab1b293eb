//! Data files of every format: values, names and classes, and errors instead of panics for damaged files.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use nalgebra::DMatrix;
use srfm_tests::Rng;
use srfm_trainer::data::{DataError, Dataset, Preparation, Source, Table, TargetKind, decide};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn idx(kind: u8, shape: &[u32], elements: &[u8]) -> Vec<u8> {
    let sizes = shape.iter().flat_map(|size| size.to_be_bytes());
    [0, 0, kind, shape.len() as u8].into_iter().chain(sizes).chain(elements.iter().copied()).collect()
}

/// Returns the bytes that `numpy.save` writes. The header is padded to a multiple of 64 bytes.
fn npy(version: u8, descr: &str, fortran_order: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    let preamble = if version == 1 { 10 } else { 12 };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {fortran_order}, 'shape': {shape}, }}");
    header += &" ".repeat(63 - (preamble + header.len()) % 64);
    header += "\n";
    let mut bytes = [b"\x93NUMPY", &[version, 0][..], &(header.len() as u32).to_le_bytes()].concat();
    bytes.truncate(preamble);
    [&bytes, header.as_bytes(), elements].concat()
}

/// Reads a file whose columns are all inputs; the targets are zeros in a second file.
fn inputs(bytes: Vec<u8>) -> Result<DMatrix<f64>, DataError> {
    let table = Table::parse("f", bytes)?;
    let targets = Table::parse("targets", "0\n".repeat(table.rows()).into_bytes())?;
    Ok(Source::new(table, Some(targets), &[]).dataset(TargetKind::Quantities)?.x)
}

fn rows(bytes: Vec<u8>) -> Vec<Vec<f64>> {
    inputs(bytes).unwrap().row_iter().map(|row| row.iter().copied().collect()).collect()
}

#[test]
fn idx_elements_of_every_type() {
    let values = [1.0, -2.0, 100.0, 3.0, 0.0, -128.0];
    let expected = [[1.0, -2.0, 100.0], [3.0, 0.0, -128.0]];
    let bytes = |of: fn(f64) -> Vec<u8>| values.iter().flat_map(|&v| of(v)).collect::<Vec<u8>>();
    for (kind, elements) in [
        (0x09, bytes(|v| vec![v as i8 as u8])),
        (0x0b, bytes(|v| (v as i16).to_be_bytes().to_vec())),
        (0x0c, bytes(|v| (v as i32).to_be_bytes().to_vec())),
        (0x0d, bytes(|v| (v as f32).to_be_bytes().to_vec())),
        (0x0e, bytes(|v| v.to_be_bytes().to_vec())),
    ] {
        assert_eq!(rows(idx(kind, &[2, 3], &elements)), expected, "0x{kind:02x}");
        assert_eq!(rows(gzip(&idx(kind, &[2, 3], &elements))), expected, "0x{kind:02x}");
    }
    // Images are flattened row by row; pixels keep their values from 0 to 255.
    let image = [0, 1, 2, 253, 254, 255, 9, 8];
    assert_eq!(rows(idx(0x08, &[2, 2, 2], &image)), [[0.0, 1.0, 2.0, 253.0], [254.0, 255.0, 9.0, 8.0]]);
    assert_eq!(rows(idx(0x08, &[3], &[7, 0, 9])), [[7.0], [0.0], [9.0]]);
}

#[test]
fn npy_elements_of_every_type_and_order() {
    fn bytes<const N: usize>(of: fn(i32) -> [u8; N]) -> Vec<u8> {
        [1, 2, 3, 4, 5, 127].iter().flat_map(|&v| of(v)).collect()
    }
    let kinds = [
        ("|u1", bytes(|v| [v as u8])),
        ("|i1", bytes(|v| [v as u8])),
        ("<u2", bytes(|v| (v as u16).to_le_bytes())),
        ("<i2", bytes(|v| (v as i16).to_le_bytes())),
        (">i2", bytes(|v| (v as i16).to_be_bytes())),
        ("<u4", bytes(|v| (v as u32).to_le_bytes())),
        ("<i4", bytes(|v| v.to_le_bytes())),
        ("<u8", bytes(|v| (v as u64).to_le_bytes())),
        ("<i8", bytes(|v| i64::from(v).to_le_bytes())),
        ("<f4", bytes(|v| (v as f32).to_le_bytes())),
        ("<f8", bytes(|v| f64::from(v).to_le_bytes())),
        (">f8", bytes(|v| f64::from(v).to_be_bytes())),
    ];
    for (descr, elements) in kinds {
        for version in 1..=3 {
            let c = npy(version, descr, "False", "(2, 3)", &elements);
            assert_eq!(rows(c), [[1.0, 2.0, 3.0], [4.0, 5.0, 127.0]], "{descr}");
            let fortran = npy(version, descr, "True", "(2, 3)", &elements);
            assert_eq!(rows(fortran), [[1.0, 3.0, 5.0], [2.0, 4.0, 127.0]], "{descr}");
        }
    }
    let eight = [0, 1, 2, 3, 4, 5, 6, 7];
    assert_eq!(rows(npy(1, "|b1", "False", "(3,)", &[1, 0, 1])), [[1.0], [0.0], [1.0]]);
    assert_eq!(rows(npy(1, "|u1", "False", "(2, 2, 2)", &eight)), [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]);
    // numpy.arange(8).reshape((2, 2, 2), order='F').reshape((2, 4))
    assert_eq!(rows(npy(1, "|u1", "True", "(2, 2, 2)", &eight)), [[0.0, 4.0, 2.0, 6.0], [1.0, 5.0, 3.0, 7.0]]);
}

#[test]
fn targets_are_in_the_same_file_or_in_a_second_one() {
    let read = |bytes: Vec<u8>| Table::parse("f", bytes).unwrap();
    let dataset = |table, labels| Source::new(table, labels, &[]).dataset(TargetKind::Quantities);
    let names = |data: &Dataset| (data.input_names.join(","), data.output_names.join(","));

    let one = dataset(read(gzip(b"a,b,y\n1,2,3\n4,5,6\n")), None).unwrap();
    assert_eq!((one.x.as_slice(), one.y.as_slice()), (&[1.0, 4.0, 2.0, 5.0][..], &[3.0, 6.0][..]));
    assert_eq!(names(&one), ("a,b".into(), "y".into()));

    let images = || read(idx(0x08, &[2, 1, 2], &[1, 2, 4, 5]));
    let two = dataset(images(), Some(read(idx(0x08, &[2], &[3, 6])))).unwrap();
    assert_eq!((two.x, two.y), (one.x, one.y));
    let targets = b"u,v\n1,2\n3,4\n".to_vec();
    let named = dataset(images(), Some(read(targets))).unwrap();
    assert_eq!(names(&named), ("column 1,column 2".into(), "u,v".into()));
    assert_eq!(named.y.as_slice(), [1.0, 3.0, 2.0, 4.0]);

    assert!(matches!(dataset(images(), None), Err(DataError::NoTargets { .. })));
    let three = dataset(images(), Some(read(idx(0x08, &[3], &[3, 6, 7])))).unwrap_err();
    assert!(three.to_string().contains("3 rows, but f has 2"), "{three}");
}

#[test]
fn errors_name_the_damage_and_unknown_formats() {
    let cases = [
        (idx(0x08, &[2, 3], &[1, 2, 3, 4, 5]), "2×3 values, 6 bytes, but 5 follow"),
        (idx(0x0e, &[2], &[0; 17]), "2 values, 16 bytes, but 17 follow"),
        (idx(0x0e, &[u32::MAX; 200], &[0; 17]), "but 17 follow"),
        (idx(0x08, &[3, 0], &[]), "empty"),
        (idx(0x07, &[1], &[0]), "0x07"),
        (vec![0, 0, 8, 3, 0, 0], "cut short"),
        (vec![0, 0, 8, 0, 1], "no dimensions"),
        (npy(1, "<f8", "False", "(2,)", &[0; 15]), "2 values, 16 bytes, but 15 follow"),
        (npy(1, "<f8", "False", "(99999999999, 99999999999)", &[]), "99999999999×99999999999 values"),
        (npy(1, "<f8", "False", "(99999999999999999999999,)", &[]), "damaged"),
        (npy(1, "<f8", "False", "()", &[0; 8]), "single number"),
        (npy(1, "<f8", "Maybe", "(1,)", &[0; 8]), "damaged"),
        (npy(1, "<c16", "False", "(1,)", &[0; 16]), "type '<c16'"),
        (npy(1, "|O", "False", "(1,)", &[0; 16]), "type '|O'"),
        (npy(4, "<f8", "False", "(1,)", &[0; 8]), "version 4"),
        (npy(1, "<f8", "False", "(1,)", &f64::NAN.to_le_bytes()), "row 1, column 1: \"NaN\" is not finite"),
        (npy(1, "<f8", "False", "(1, 2)", &[[0; 8], 1e300_f64.to_le_bytes()].concat()), "row 1, column 2"),
        (b"\x93NUMPY".to_vec(), "cut short"),
        (b"PK\x03\x04 and so on".to_vec(), "zip"),
        (b"# note\na,b\n".to_vec(), "header in line 2"),
        (gzip(b""), "empty"),
    ];
    for (number, (bytes, expected)) in cases.into_iter().enumerate() {
        let said = inputs(bytes).unwrap_err().to_string();
        assert!(said.contains(expected) && said.lines().count() == 1, "case {number}: {said} should say {expected}");
    }
}

#[test]
fn a_first_line_of_text_is_a_header_or_a_row() {
    let read = |text: &str| Table::parse("f", text.as_bytes().to_vec()).unwrap();
    for (text, header, rows) in [
        ("a,b\n1,2\n3,4\n", true, 2),
        ("1,b\n1,2\n3,4\n", true, 2),
        ("1,b\n2,a\n3,b\n", false, 3),
        ("1,b\n2,a\n3,c\n", true, 2),
        ("0,1,class\n5,6,x\n7,8,y\n", true, 2),
        ("1,2\n3,4\n", false, 2),
    ] {
        let data = Source::new(read(text), None, &[]).dataset(TargetKind::Classes).unwrap();
        assert_eq!((data.input_names[0] != "column 1", data.rows()), (header, rows), "{text}");
    }
    // In a column of labels alone, the number of rows decides.
    for labels in ["x\ny\nx\n", "label\nx\ny\nx\n"] {
        let data = Source::new(read("1\n2\n3\n"), Some(read(labels)), &[]).dataset(TargetKind::Classes).unwrap();
        assert_eq!((decide(&data.y), data.classes.join("")), (vec![Some(0), Some(1), Some(0)], "xy".to_owned()));
    }
    let missing = Source::new(read("1\n2\n3\n"), Some(read("label\nx\ny\n")), &[]).dataset(TargetKind::Classes);
    assert!(matches!(missing, Err(DataError::RowCount { rows: 3, found: 2, .. })));
}

#[test]
fn a_dataset_is_written_and_read_back() {
    let names = ["a, raw", "b"].map(str::to_owned).to_vec();
    let x = DMatrix::from_row_slice(3, 2, &[0.1 + 0.2, -0.0, 1e-300, 1e30, 3.0, f64::EPSILON]);
    let y = DMatrix::from_column_slice(3, 1, &[1.0 / 3.0, -7.0, 2.5e-9]);
    let data = Dataset {
        x,
        y,
        input_names: names,
        output_names: vec!["y".to_owned()],
        classes: Vec::new(),
        weights: Vec::new(),
        groups: Vec::new(),
        history: Default::default(),
    };
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("data.csv");
    data.write_csv(std::fs::File::create(&file).unwrap()).unwrap();
    let read = Dataset::read(&file).unwrap();
    assert_eq!(read, data);
    assert!(read.x.iter().zip(data.x.iter()).all(|(read, written)| read.to_bits() == written.to_bits()));
    let absent = Dataset::read(folder.path().join("absent.csv")).unwrap_err().to_string();
    assert!(absent.contains("absent.csv: cannot be read"), "{absent}");
}

/// Randomly damaged files either give a data set with consistent sizes and finite values, or an error.
#[test]
fn damaged_files_never_panic() {
    let mut rng = Rng::new(1);
    let floats: Vec<u8> = (0..40).flat_map(|i| f64::from(i).to_le_bytes()).collect();
    let whole = [
        b"a,b,y\n1,2.5,3e4\n\"4\",5,6\n-7;8,9\n".to_vec(),
        b"# note\n1 2  3\n4 5 6\n".to_vec(),
        idx(0x08, &[5, 4, 2], &[200; 40]),
        idx(0x0e, &[5, 8], &[64; 320]),
        npy(1, "<f8", "True", "(5, 8)", &floats),
        npy(3, "<i4", "False", "(5, 2, 8)", &floats),
    ];
    let whole: Vec<Vec<u8>> = whole.iter().cloned().chain(whole.iter().map(|bytes| gzip(bytes))).collect();
    let (mut accepted, mut refused) = (0, 0);
    for number in 0..30_000 {
        let mut bytes = whole[number % whole.len()].clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len().max(1));
            match rng.below(4) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, rng.bits() as u8),
                // Headers are short, so half of the damage hits them.
                2 => bytes.iter_mut().take(64).nth(at % 64).into_iter().for_each(|byte| *byte = rng.bits() as u8),
                _ => bytes.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << rng.below(8)),
            }
        }
        let read = |table: Table| {
            let (rows, source) = (table.rows(), Source::new(table, None, &[]));
            Ok((rows, source.dataset(TargetKind::Quantities)?, source.dataset(TargetKind::Classes)))
        };
        match Table::parse("f", bytes).and_then(read) {
            Ok((rows, data, classes)) => {
                assert!(rows > 0 && data.x.nrows() == rows && data.y.nrows() == rows && data.inputs() > 0);
                assert!(data.x.iter().chain(data.y.iter()).all(|v| v.is_finite()));
                if let Ok(data) = classes {
                    let rows_of = |class| decide(&data.y).iter().filter(|&&member| member == Some(class)).count();
                    assert!((0..data.classes.len()).all(|class| rows_of(class) > 0) && data.y.nrows() == rows);
                }
                accepted += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(accepted > 1000 && refused > 10_000, "{accepted} accepted, {refused} refused");
}

#[test]
fn a_column_without_a_category_is_refused() {
    for (text, missing) in [("x,mode,y\n1,,2\n3,,4\n", "mean"), ("mode,x,y\nNA,1,2\n", "drop")] {
        let settings = Preparation::default().with("categorical", ["mode"]).unwrap().with("missing", missing).unwrap();
        let table = Table::parse("t.csv", text.as_bytes().to_vec()).unwrap();
        let source = Source::new(table, None, &[]).with_preparation(settings);
        let error = source.prepare(TargetKind::Quantities).unwrap_err().to_string();
        assert!(error.contains("t.csv has no values in mode; leave such columns out"), "{error}");
    }
}

#[test]
fn a_column_of_groups_beside_inputs_without_a_name_is_no_input() {
    let settings = Preparation::default().with("group", Some("g")).unwrap();
    for (text, lag) in [("g,,y\n2,1,5\n1,2,6\n1,3,7\n", false), ("g,,y\n2,1,5\n2,3,6\n1,2,6\n1,3,7\n", true)] {
        let settings = if lag { settings.clone().with("lag", [("2", [0, 1])]).unwrap() } else { settings.clone() };
        let table = Table::parse("t.csv", text.as_bytes().to_vec()).unwrap();
        let source = Source::new(table, None, &[]).with_preparation(settings);
        let prepared = source.prepare(TargetKind::Quantities).unwrap();
        let again = source.with_description(Some(prepared.description)).like(&prepared.data).unwrap();
        assert_eq!(again.data.x, prepared.data.x);
        assert_eq!(prepared.data.x.column(0).as_slice(), if lag { &[3.0, 3.0][..] } else { &[1.0, 2.0, 3.0] });
    }
}
