use std::io::Write;
use std::ops::Range;

use super::file::TableFile;
use super::rows::Draw;
use super::{Blocks, sample_rows};
use crate::data::preparation::Preparation;
use crate::data::value::Fields;
use crate::data::{DataError, Splitter, Table};
use crate::run::Run;

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
    check(format!("sep=,\r{}", rows.replace("\r\n", "\r")).as_bytes());
    // A separator at the end of every line.
    let ended = rows.replace("\r\n", ",\r\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    std::fs::write(&path, ended).unwrap();
    let block = TableFile::open(&path).unwrap().block(256..1000).unwrap();
    assert_eq!((block.columns(), block.names().len()), (vec![0, 1, 2], 4));
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
    let text: String = (0..600).map(|row| format!("{row},5\n")).collect();
    std::fs::write(&path, &text).unwrap();
    let file = TableFile::open(&path).unwrap();
    let settings = Preparation::default();
    std::fs::write(&path, text.replace(",5\n", ",5,2\n")).unwrap();
    let changed = file.block(256..600).and_then(|block| block.numbers(&[0], &Fields::new(&settings)));
    assert!(matches!(changed, Err(DataError::Format { .. })), "{changed:?}");
    std::fs::write(&path, &text[..100]).unwrap();
    assert!(matches!(file.block(256..600), Err(DataError::Read { .. })));
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    std::fs::write(&path, encoder.finish().unwrap()).unwrap();
    assert!(TableFile::open(&path).err().unwrap().to_string().contains("unpack"));
    std::fs::write(&path, b"PK\x03\x04archive").unwrap();
    let archive = TableFile::open(&path).err().unwrap().to_string();
    assert!(archive.contains("zip") && archive.contains(&path.display().to_string()), "{archive}");
    std::fs::write(&path, format!("{text}1,2,3\n")).unwrap();
    assert!(matches!(TableFile::open(&path), Err(DataError::Ragged { line: 601, .. })));
}

#[cfg(feature = "parquet")]
#[test]
fn blocks_of_parquet_files_are_the_rows_of_the_file() {
    use std::sync::Arc;

    use parquet::data_type::DoubleType;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    let schema = "message rows { required double a; required double b; required double c; }";
    // Pages of 100 rows, so that a block begins behind pages and within one.
    let properties = WriterProperties::builder().set_data_page_row_count_limit(100).set_write_batch_size(50).build();
    let mut bytes = Vec::new();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    for rows in [0..700, 700..1000] {
        let mut group = file.next_row_group().unwrap();
        for column in 0..3 {
            let values: Vec<f64> = rows.clone().map(|row| value(row, column)).collect();
            let mut writer = group.next_column().unwrap().unwrap();
            writer.typed::<DoubleType>().write_batch(&values, None, None).unwrap();
            writer.close().unwrap();
        }
        group.close().unwrap();
    }
    file.close().unwrap();
    check(&bytes);
}

#[test]
fn blocks_without_a_whole_row_are_left_out() {
    // No row of the second block is whole, and every other row of the third one is not.
    let missing = |row: usize| (256..512).contains(&row) || (row >= 512 && row.is_multiple_of(2));
    let row = |row: usize| if missing(row) { format!(",{row}\n") } else { format!("{row},{}\n", 2 * row) };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gaps.csv");
    std::fs::write(&path, (0..768).map(row).collect::<String>()).unwrap();
    let settings = Preparation::default().with("missing", "drop").unwrap();
    let mut blocks = Blocks::open(&path, &[], settings, 1).unwrap();
    let random = Splitter::named("random").unwrap();
    let run = Run::new(3);
    let (sample, test, counts) = blocks.draw(400, 0.25, random, &run).unwrap().unwrap();
    assert_eq!((blocks.count(), blocks.block(1).unwrap().0.nrows()), (3, 0));
    assert_eq!(serde_json::to_value(counts).unwrap()["dropped_rows"], 256 + 128);
    let draw = Draw::new(768, 400, 0.25, random, 3);
    for (rows, drawn) in [(sample, draw.sample), (test, draw.test)] {
        let expected: Vec<f64> = drawn.into_iter().filter(|&row| !missing(row)).map(|row| row as f64).collect();
        assert_eq!(rows.x.as_slice(), expected);
        assert!(rows.x.iter().zip(&rows.y).all(|(x, y)| *y == 2.0 * x));
    }
    let stopped = run.until(std::time::Instant::now() - std::time::Duration::from_secs(1));
    assert!(blocks.draw(400, 0.25, random, &stopped).unwrap().is_none());
}

#[test]
fn a_sample_is_what_a_draw_without_held_out_rows_takes() {
    let rows = sample_rows(1000, 50, 3);
    assert_eq!(rows, Draw::new(1000, 50, 0.0, Splitter::named("random").unwrap(), 3).sample);
    assert!(rows.len() == 50 && rows.is_sorted_by(|a, b| a < b) && rows[49] < 1000 && rows[49] >= 800, "{rows:?}");
    assert_ne!(rows, sample_rows(1000, 50, 4));
}
