use std::io::Write;
use std::ops::Range;

use super::file::TableFile;
use crate::data::preparation::Preparation;
use crate::data::value::Fields;
use crate::data::{DataError, Table};

/// Blocks of the rows, of which the first begins at a multiple of the unit.
const BLOCKS: [Range<usize>; 4] = [0..256, 256..1000, 512..768, 0..1000];

/// Checks that blocks of a file hold the rows of the whole file.
fn check(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    std::fs::write(&path, bytes).unwrap();
    let settings = Preparation::default();
    let rules = Fields::new(&settings);
    let whole = Table::read(&path).unwrap().numbers(&[0, 2], &rules).unwrap();
    let file = TableFile::open(&path).unwrap();
    assert_eq!((file.rows(), file.columns()), (1000, 3));
    for rows in BLOCKS {
        let block = file.block(rows.clone()).unwrap();
        assert_eq!(block.rows(), rows.len());
        assert_eq!(block.numbers(&[0, 2], &rules).unwrap(), whole.rows(rows.start, rows.len()));
        // Rows and lines count from the start of the file.
        let labels = block.labels(1, &rules).unwrap();
        let all = Table::read(&path).unwrap().labels(1, &rules).unwrap();
        assert_eq!(labels, all[rows]);
    }
}

fn value(row: usize, column: usize) -> f64 {
    (row * 7 + column * 1000) as f64 / 4.0
}

#[test]
fn blocks_of_text_are_the_rows_of_the_file() {
    let row = |row: usize| format!("{},{},{}\r\n", value(row, 0), value(row, 1), value(row, 2));
    let rows: String = (0..1000).map(row).collect();
    check(rows.as_bytes());
    check(format!("\u{feff}# a remark\n\na,b,c\n{rows}").as_bytes());
    // Lines within quotes and blank lines between rows.
    let quoted = rows.replace("\r\n", "\n").replace("\n1", "\n\n1");
    check(format!("\"a\nname\",b,c\n{quoted}").as_bytes());
}

#[test]
fn blocks_of_arrays_are_the_rows_of_the_file() {
    for (order, name) in [(false, "False"), (true, "True")] {
        let header = format!("{{'descr': '<f4', 'fortran_order': {name}, 'shape': (1000, 3), }}");
        let header = format!("{header:<117}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        let places: Vec<(usize, usize)> = if order {
            (0..3).flat_map(|column| (0..1000).map(move |row| (row, column))).collect()
        } else {
            (0..1000).flat_map(|row| (0..3).map(move |column| (row, column))).collect()
        };
        places.iter().for_each(|&(row, column)| bytes.extend((value(row, column) as f32).to_le_bytes()));
        check(&bytes);
    }
}

#[test]
fn files_that_have_no_places_or_change_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let text: String = (0..600).map(|row| format!("{row},1\n")).collect();
    std::fs::write(&path, &text).unwrap();
    let file = TableFile::open(&path).unwrap();
    let settings = Preparation::default();
    std::fs::write(&path, text.replace(",1\n", ",1,2\n")).unwrap();
    let changed = file.block(256..600).and_then(|block| block.numbers(&[0], &Fields::new(&settings)));
    assert!(matches!(changed, Err(DataError::Format { .. })), "{changed:?}");
    std::fs::write(&path, &text[..100]).unwrap();
    assert!(matches!(file.block(256..600), Err(DataError::Read { .. })));
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    std::fs::write(&path, encoder.finish().unwrap()).unwrap();
    assert!(TableFile::open(&path).err().unwrap().to_string().contains("unpack"));
    std::fs::write(&path, format!("{text}1,2,3\n")).unwrap();
    assert!(matches!(TableFile::open(&path), Err(DataError::Ragged { line: 601, .. })));
}
