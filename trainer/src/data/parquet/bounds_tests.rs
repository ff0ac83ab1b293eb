//! Files that state more than their bytes hold, built byte by byte.

use super::compact::{BINARY, FALSE, INT32, INT64, LIST, STRUCT};
use super::{Parquet, parse};
use crate::data::{DataError, Preparation, value::Fields};

pub const PLAIN: i64 = 0;
const DELTA_LENGTHS: i64 = 6;
const DELTA_BYTES: i64 = 7;
const DICTIONARY: i64 = 8;
const INT: i64 = 1;
pub const DOUBLE: i64 = 5;
const TEXT: i64 = 6;
pub const NONE: i64 = 0;
const SNAPPY: i64 = 1;
const GZIP: i64 = 2;
const ZSTD: i64 = 6;

pub const DAMAGED: &str = "t.parquet: this Parquet file is cut short or damaged; write it again";

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

pub fn signed(value: i64) -> Vec<u8> {
    varint((value << 1 ^ value >> 63) as u64)
}

pub fn text(text: &str) -> Vec<u8> {
    [varint(text.len() as u64), text.into()].concat()
}

/// A list of elements of a type.
pub fn list(kind: u8, elements: &[Vec<u8>]) -> Vec<u8> {
    [vec![(elements.len() as u8) << 4 | kind], elements.concat()].concat()
}

/// A structure of fields with their identifiers and types.
pub fn structure(fields: &[(u8, u8, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut last = 0;
    for (id, kind, content) in fields {
        bytes.push((id - last) << 4 | kind);
        bytes.extend(content);
        last = *id;
    }
    bytes.push(0);
    bytes
}

/// A page with its header. `uncompressed` is what the header states.
pub fn page(uncompressed: i64, values: i64, encoding: i64, content: &[u8]) -> Vec<u8> {
    let numbers = [values, encoding, 3, 3].map(signed);
    let fields: Vec<(u8, u8, Vec<u8>)> = (1..).zip(numbers).map(|(id, number)| (id, INT32, number)).collect();
    with_header(0, uncompressed, content, (5, STRUCT, structure(&fields)))
}

/// A page of version 2 without levels and compression.
fn page_of_version_2(values: i64, encoding: i64, content: &[u8]) -> Vec<u8> {
    let numbers = [values, 0, values, encoding, 0, 0].map(signed);
    let mut fields: Vec<(u8, u8, Vec<u8>)> = (1..).zip(numbers).map(|(id, number)| (id, INT32, number)).collect();
    fields.push((7, FALSE, vec![]));
    with_header(3, content.len() as i64, content, (8, STRUCT, structure(&fields)))
}

fn dictionary(values: i64, content: &[u8]) -> Vec<u8> {
    let fields = structure(&[(1, INT32, signed(values)), (2, INT32, signed(PLAIN))]);
    with_header(2, content.len() as i64, content, (7, STRUCT, fields))
}

fn with_header(kind: i64, uncompressed: i64, content: &[u8], of_kind: (u8, u8, Vec<u8>)) -> Vec<u8> {
    let sizes = [kind, uncompressed, content.len() as i64].map(signed);
    let mut fields: Vec<(u8, u8, Vec<u8>)> = (1..).zip(sizes).map(|(id, size)| (id, INT32, size)).collect();
    fields.push(of_kind);
    [structure(&fields), content.to_vec()].concat()
}

/// A file with one column of one row group. `more` is a field of the footer.
pub fn file(rows: i64, kind: i64, codec: i64, pages: &[u8], more: Option<(u8, u8, Vec<u8>)>) -> Vec<u8> {
    let length = pages.len() as i64;
    let column = structure(&[
        (1, INT32, signed(kind)),
        (2, LIST, list(INT32, &[signed(PLAIN)])),
        (3, LIST, list(BINARY, &[text("a")])),
        (4, INT32, signed(codec)),
        (5, INT64, signed(rows)),
        (6, INT64, signed(length)),
        (7, INT64, signed(length)),
        (9, INT64, signed(4)),
    ]);
    let column = structure(&[(2, INT64, signed(4)), (3, STRUCT, column)]);
    let group = [(1, LIST, list(STRUCT, &[column])), (2, INT64, signed(length)), (3, INT64, signed(rows))];
    let root = structure(&[(4, BINARY, text("rows")), (5, INT32, signed(1))]);
    let leaf = structure(&[(1, INT32, signed(kind)), (3, INT32, signed(0)), (4, BINARY, text("a"))]);
    let mut footer = vec![
        (1, INT32, signed(1)),
        (2, LIST, list(STRUCT, &[root, leaf])),
        (3, INT64, signed(rows)),
        (4, LIST, list(STRUCT, &[structure(&group)])),
    ];
    footer.extend(more);
    let footer = structure(&footer);
    [b"PAR1", pages, &footer, &(footer.len() as u32).to_le_bytes(), b"PAR1"].concat()
}

/// Numbers that are encoded by their differences, all of which are `difference`.
fn differences(count: u64, first: i64, difference: i64) -> Vec<u8> {
    let block = if count > 1 { [signed(difference), vec![0; 4]].concat() } else { Vec::new() };
    [varint(128), varint(4), varint(count), signed(first), block].concat()
}

fn opened(bytes: Vec<u8>) -> Parquet {
    parse("t.parquet", bytes).unwrap()
}

pub fn numbers(file: &Parquet) -> Result<Vec<f64>, DataError> {
    let settings = Preparation::default();
    Ok(file.numbers("t.parquet", &[0], &Fields::new(&settings))?.iter().copied().collect())
}

fn texts(file: &Parquet) -> Result<Vec<String>, DataError> {
    Ok(file.fields("t.parquet", 0)?.into_iter().map(|(_, text)| text).collect())
}

/// Checks that opening or reading a file gives the error of damaged files.
fn assert_damaged(bytes: Vec<u8>, what: &str) {
    let read = parse("t.parquet", bytes).and_then(|file| texts(&file));
    assert_eq!(read.map_err(|error| error.to_string()), Err(DAMAGED.to_owned()), "{what}");
}

/// Two numbers, compressed by Snappy as they are.
fn snappy() -> Vec<u8> {
    let bytes = [1.5_f64.to_le_bytes(), (-2.0_f64).to_le_bytes()].concat();
    [&[16, 15 << 2][..], &bytes].concat()
}

#[test]
fn files_that_state_what_they_hold_are_read() {
    let plain = [1.5_f64.to_le_bytes(), (-2.0_f64).to_le_bytes()].concat();
    for pages in [page(16, 2, PLAIN, &plain), page_of_version_2(2, PLAIN, &plain)] {
        assert_eq!(numbers(&opened(file(2, DOUBLE, NONE, &pages, None))).unwrap(), [1.5, -2.0]);
    }
    let compressed = file(2, DOUBLE, SNAPPY, &page(16, 2, PLAIN, &snappy()), None);
    assert_eq!(numbers(&opened(compressed)).unwrap(), [1.5, -2.0]);
    let pages = [dictionary(2, &[7, 0, 0, 0, 9, 0, 0, 0]), page(3, 3, DICTIONARY, &[1, 3, 0b101])].concat();
    assert_eq!(numbers(&opened(file(3, INT, NONE, &pages, None))).unwrap(), [9.0, 7.0, 9.0]);
    let lengths = [differences(2, 1, 1), b"abc".into()].concat();
    for pages in [page(0, 2, DELTA_LENGTHS, &lengths), page_of_version_2(2, DELTA_LENGTHS, &lengths)] {
        assert_eq!(texts(&opened(file(2, TEXT, NONE, &pages, None))).unwrap(), ["a", "bc"]);
    }
}

/// Texts of which each copies the one before it: a, ab, ab2, ab22, ….
fn growing(count: u64) -> Vec<u8> {
    let lengths = [differences(count, 0, 1), differences(count, 1, 0)].concat();
    let ends = (0..count as usize).map(|row| if row < 2 { b"ab"[row] } else { b'2' });
    [lengths, ends.collect()].concat()
}

#[test]
fn texts_that_copy_each_other_are_read_from_any_row() {
    let file = opened(file(4, TEXT, NONE, &page(0, 4, DELTA_BYTES, &growing(4)), None));
    assert_eq!(texts(&file).unwrap(), ["a", "ab", "ab2", "ab22"]);
    assert_eq!(texts(&file.block(1..3)).unwrap(), ["ab", "ab2"]);
    assert_eq!(file.block(2..4).fields("t.parquet", 0).unwrap()[0], (3, "ab2".to_owned()));
}

#[test]
fn pages_that_state_more_than_they_can_hold_are_refused() {
    let most = i64::from(i32::MAX);
    for (codec, expansion) in [(SNAPPY, 22), (GZIP, 1032), (ZSTD, 1 << 15)] {
        for stated in [most, expansion * snappy().len() as i64 + 1, -1] {
            let pages = page(stated, 2, PLAIN, &snappy());
            assert_damaged(file(2, DOUBLE, codec, &pages, None), &format!("{codec}, {stated} bytes"));
        }
    }
    // Bytes that Zstandard may expand to 48 MiB, in a file of 2 KB.
    let pages = page(48 << 20, 2, PLAIN, &[0x55; 2000]);
    assert_damaged(file(2, DOUBLE, ZSTD, &pages, None), "bytes for the file");
    for (values, kind, entry) in [(2, INT, 7), (1 << 30, INT, 8), (1 << 30, DOUBLE, 16), (3, TEXT, 8)] {
        let pages = [dictionary(values, &vec![0; entry]), page(3, 2, DICTIONARY, &[1, 3, 0])].concat();
        assert_damaged(file(2, kind, NONE, &pages, None), &format!("{values} entries"));
    }
}

#[test]
fn lengths_of_more_texts_than_the_page_has_are_refused() {
    let many = differences(1 << 40, 1, 0);
    for pages in [
        page(0, 2, DELTA_LENGTHS, &many),
        page_of_version_2(2, DELTA_LENGTHS, &many),
        page(0, 2, DELTA_BYTES, &many),
        page(0, 2, DELTA_BYTES, &[differences(2, 0, 0), many.clone()].concat()),
        page(0, 2, DELTA_LENGTHS, &[0x80, 1, 0, 2, 2]),
        page(0, 2, DELTA_BYTES, &[differences(2, 0, 0)[..7].to_vec(), vec![9; 4]].concat()),
    ] {
        assert_damaged(file(2, TEXT, NONE, &pages, None), &format!("{pages:x?}"));
    }
}

#[test]
fn collections_of_truth_values_take_no_time() {
    // 2³¹ − 1 truth values in a list, of which the package reads none: seconds for each of 100.
    let many = [vec![0xf1], varint(i32::MAX as u64)].concat();
    let plain = 1.5_f64.to_le_bytes();
    let lists = |first: u8| (first..first + 5).map(|id| (id, LIST, many.clone())).collect::<Vec<_>>();
    let mut header: Vec<(u8, u8, Vec<u8>)> =
        (1..).zip([0, 8, 8].map(signed)).map(|(id, size)| (id, INT32, size)).collect();
    header.extend(lists(9));
    let pages = [structure(&header), plain.to_vec()].concat();
    assert_damaged(file(1, DOUBLE, NONE, &pages, None), "a list in the header of a page");
    let in_footer = file(1, DOUBLE, NONE, &page(8, 1, PLAIN, &plain), Some((10, LIST, many)));
    assert_damaged(in_footer, "a list in the footer");
    let fine = Some((10, LIST, list(INT32, &[signed(1), signed(2)])));
    assert_eq!(numbers(&opened(file(1, DOUBLE, NONE, &page(8, 1, PLAIN, &plain), fine))).unwrap(), [1.5]);
}

#[test]
fn headers_with_fields_of_other_types_are_refused() {
    let plain = 1.5_f64.to_le_bytes();
    let sizes = |kind| [(1, INT32, signed(0)), (2, kind, signed(8)), (3, INT32, signed(8))];
    let numbers = |kind| [(1, INT32, signed(1)), (2, kind, signed(0)), (3, INT32, signed(3)), (4, INT32, signed(3))];
    for (of_size, of_number, is_sound) in [(INT32, INT32, true), (INT64, INT32, false), (INT32, INT64, false)] {
        let mut header = sizes(of_size).to_vec();
        header.push((5, STRUCT, structure(&numbers(of_number))));
        let pages = [structure(&header), plain.to_vec()].concat();
        let bytes = file(1, DOUBLE, NONE, &pages, None);
        match is_sound {
            true => assert_eq!(super::bounds_tests::numbers(&opened(bytes)).unwrap(), [1.5]),
            false => assert_damaged(bytes, "a type"),
        }
    }
    let flag = structure(&[(1, INT32, signed(1)), (2, INT32, signed(PLAIN)), (3, INT32, signed(1))]);
    let pages = with_header(2, 8, &plain, (7, STRUCT, flag));
    assert_damaged(file(1, DOUBLE, NONE, &pages, None), "a number in place of a truth value");
}

#[test]
fn rows_and_texts_are_bounded_by_the_bytes_of_the_file() {
    // One run of a value of no bits.
    let rows = 1_i64 << 30;
    let run = [vec![0], varint((rows as u64) << 1)].concat();
    let pages = [dictionary(1, &[0; 8]), page(0, rows, DICTIONARY, &run)].concat();
    let bytes = file(rows, DOUBLE, NONE, &pages, None);
    let expected =
        format!("t.parquet: states {rows} rows, too many for its {} bytes; write the table again", bytes.len());
    assert_eq!(parse("t.parquet", bytes).unwrap_err().to_string(), expected);
    // The same text of 256 KiB in 9,000 rows takes 2.3 GB, and then in two rows.
    for (rows, is_read) in [(9000_i64, false), (2, true)] {
        let run = [vec![0], varint((rows as u64) << 1)].concat();
        let text = [&(1_u32 << 18).to_le_bytes()[..], &vec![b'x'; 1 << 18]].concat();
        let pages = [dictionary(1, &text), page(0, rows, DICTIONARY, &run)].concat();
        let bytes = file(rows, TEXT, NONE, &pages, None);
        match is_read {
            true => assert_eq!(texts(&opened(bytes)).unwrap(), ["x".repeat(1 << 18), "x".repeat(1 << 18)]),
            false => assert_damaged(bytes, "repeated texts"),
        }
    }
}

/// Runs a test of this module again, in a process that has 1.5 GB of addresses.
#[cfg(target_os = "linux")]
#[test]
fn stated_sizes_take_no_memory() {
    use std::process::Command;
    for test in [
        "pages_that_state_more_than_they_can_hold_are_refused",
        "lengths_of_more_texts_than_the_page_has_are_refused",
        "rows_and_texts_are_bounded_by_the_bytes_of_the_file",
    ] {
        let test = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
        let line = "ulimit -v 1500000; exec \"$0\" --exact \"$1\" --test-threads 1";
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", line]).arg(program).arg(&test).env("RAYON_NUM_THREADS", "1");
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{test}: {said}");
    }
}
