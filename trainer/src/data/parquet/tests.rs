//! Files of every kind of column, and damaged ones.

use std::sync::Arc;

use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type, Int96, Int96Type,
};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::parser::parse_message_type;

use super::parse;
use crate::data::value::Fields;
use crate::data::{DataError, Preparation, Source, Table, TargetKind};

/// Rows of the two row groups.
const GROUPS: [usize; 2] = [9_000, 5];

/// The rows of every column, of all row groups.
const ROWS: usize = GROUPS[0] + GROUPS[1];

/// A number that no other column has in the same row.
fn value(column: usize, row: usize) -> f64 {
    ((row * (column + 3) + 7 * column) % 1013) as f64 - 400.0
}

fn write<T: DataType>(group: &mut SerializedRowGroupWriter<'_, Vec<u8>>, values: &[T::T], levels: Option<&[i16]>) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, levels, None).unwrap();
    column.close().unwrap();
}

/// A table of numbers of every type, in which every tenth `gap` is null.
fn numbers(compression: Compression) -> Vec<u8> {
    let schema = "message rows { required double a; optional int32 gap; required float c; required int64 price \
                  (DECIMAL(9, 2)); required int32 count (INTEGER(32, false)); required boolean on; }";
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut first = 0;
    for rows in GROUPS {
        let rows = first..first + rows;
        first = rows.end;
        let mut group = file.next_row_group().unwrap();
        write::<DoubleType>(&mut group, &rows.clone().map(|row| value(0, row)).collect::<Vec<_>>(), None);
        let present: Vec<i32> = rows.clone().filter(|row| row % 10 > 0).map(|row| value(1, row) as i32).collect();
        let levels: Vec<i16> = rows.clone().map(|row| i16::from(row % 10 > 0)).collect();
        write::<Int32Type>(&mut group, &present, Some(&levels));
        write::<FloatType>(&mut group, &rows.clone().map(|row| value(2, row) as f32).collect::<Vec<_>>(), None);
        let cents: Vec<i64> = rows.clone().map(|row| (100.0 * value(3, row)) as i64 + 25).collect();
        write::<Int64Type>(&mut group, &cents, None);
        write::<Int32Type>(&mut group, &rows.clone().map(|row| -1 - row as i32).collect::<Vec<_>>(), None);
        write::<BoolType>(&mut group, &rows.map(|row| row % 3 == 0).collect::<Vec<_>>(), None);
        group.close().unwrap();
    }
    file.into_inner().unwrap()
}

/// A table of one row group with a date, a text, a list and a number.
fn texts() -> Vec<u8> {
    let schema = "message rows { required int64 time (TIMESTAMP(MILLIS, true)); optional binary mode (STRING); \
                  repeated int32 list; required double y; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    write::<Int64Type>(&mut group, &(0..6).map(|row| 1_709_210_096_000 + 1000 * row).collect::<Vec<_>>(), None);
    let modes: Vec<ByteArray> = ["eco", "boost", "eco", "boost", "eco"].map(ByteArray::from).into();
    write::<ByteArrayType>(&mut group, &modes, Some(&[1, 1, 1, 1, 0, 1]));
    let mut list = group.next_column().unwrap().unwrap();
    list.typed::<Int32Type>().write_batch(&[1; 6], Some(&[1; 6]), Some(&[0; 6])).unwrap();
    list.close().unwrap();
    write::<DoubleType>(&mut group, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], None);
    group.close().unwrap();
    file.into_inner().unwrap()
}

/// The error of a fit to a file, with settings.
fn refusal(bytes: Vec<u8>, settings: Preparation) -> String {
    let source = Table::parse("t.parquet", bytes).map(|table| Source::new(table, None, &[]).with_preparation(settings));
    source.and_then(|source| source.prepare(TargetKind::Quantities)).unwrap_err().to_string()
}

fn with(key: &str, value: impl serde::Serialize) -> Preparation {
    Preparation::default().with(key, value).unwrap()
}

#[test]
fn every_type_of_number_is_read() {
    let compressions = [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::ZSTD(ZstdLevel::default())];
    for compression in compressions {
        let table = Table::parse("t.parquet", numbers(compression)).unwrap();
        let source = Source::new(table, None, &["on".to_owned()]).with_preparation(with("missing", "mean"));
        let data = source.prepare(TargetKind::Quantities).unwrap().data;
        assert_eq!(data.input_names, ["a", "gap", "c", "price", "count"]);
        assert_eq!((data.rows(), data.y.sum()), (ROWS, (0..ROWS).filter(|row| row % 3 == 0).count() as f64));
        for row in 0..ROWS {
            let found: Vec<f64> = data.x.row(row).iter().copied().collect();
            let gap = if row % 10 > 0 { value(1, row) } else { f64::NAN };
            let expected = [value(0, row), gap, value(2, row), value(3, row) + 0.25, 4_294_967_295.0 - row as f64];
            assert!(found.iter().zip(expected).all(|(a, b)| *a == b || (a.is_nan() && b.is_nan())), "{row}: {found:?}");
        }
    }
}

#[test]
fn dates_bytes_and_wide_numbers_are_read() {
    let schema = "message rows { required int32 day (DATE); required int32 milli (TIME(MILLIS, true)); \
                  required int64 micro (TIME(MICROS, true)); required int64 nano (TIMESTAMP(NANOS, true)); \
                  required int96 old; required fixed_len_byte_array(3) raw; \
                  required int64 large (INTEGER(64, false)); required int64 whole; \
                  required fixed_len_byte_array(2) half (FLOAT16); \
                  required fixed_len_byte_array(3) fixed (DECIMAL(6, 1)); required binary price (DECIMAL(6, 2)); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let fixed = |bytes: &[u8]| FixedLenByteArray::from(bytes.to_vec());
    write::<Int32Type>(&mut group, &[19_782], None);
    write::<Int32Type>(&mut group, &[45_296_789], None);
    write::<Int64Type>(&mut group, &[45_296_789_000], None);
    write::<Int64Type>(&mut group, &[1_709_210_096_789_000_000], None);
    let mut old = Int96::new();
    let nanoseconds = 45_296_000_000_000_u64;
    old.set_data(nanoseconds as u32, (nanoseconds >> 32) as u32, 2_440_588 + 19_782);
    write::<Int96Type>(&mut group, &[old], None);
    write::<FixedLenByteArrayType>(&mut group, &[fixed(&[0, 0xab, 0x10])], None);
    write::<Int64Type>(&mut group, &[-1], None);
    write::<Int64Type>(&mut group, &[-7], None);
    write::<FixedLenByteArrayType>(&mut group, &[fixed(&[0x55, 0x35])], None);
    write::<FixedLenByteArrayType>(&mut group, &[fixed(&[0xff, 0xff, 0x85])], None);
    write::<ByteArrayType>(&mut group, &[ByteArray::from(vec![1, 0])], None);
    group.close().unwrap();
    let file = parse("t.parquet", file.into_inner().unwrap()).unwrap();
    let text = |column: usize| file.fields("t.parquet", column).unwrap()[0].1.clone();
    let time = "12:34:56";
    let instant = "2024-02-29 12:34:56";
    let fraction = format!("{instant}.789");
    assert_eq!([0, 1, 2, 3, 4, 5].map(text), ["2024-02-29", time, time, &fraction, instant, "00ab10"]);
    let numbers = file.numbers("t.parquet", &[6, 7, 8, 9, 10], &Fields::new(&Preparation::default())).unwrap();
    assert_eq!(numbers.as_slice(), [2_f64.powi(64), -7.0, 0.333251953125, -12.3, 2.56]);
}

#[test]
fn missing_values_texts_dates_and_lists_are_named_with_their_settings() {
    let gap = "t.parquet, row 1, column \"gap\": \"\" is missing; ";
    let refused = refusal(numbers(Compression::SNAPPY), Preparation::default());
    assert!(refused.starts_with(gap), "{refused}");
    assert_eq!(
        refusal(texts(), Preparation::default()),
        "t.parquet has lists or structures in the column list; add `ignore` list"
    );
    let texts_named = "t.parquet has text in the columns time, mode (row 1: \"2024-02-29 12:34:56\"); add `ignore` \
                       time `categorical` mode";
    assert_eq!(refusal(texts(), with("ignore", ["list"])), texts_named);
    let settings =
        with("ignore", ["time", "list"]).with("categorical", ["mode"]).unwrap().with("missing", "drop").unwrap();
    let table = Table::parse("t.parquet", texts()).unwrap();
    let prepared = Source::new(table, None, &[]).with_preparation(settings).prepare(TargetKind::Quantities).unwrap();
    assert_eq!(prepared.data.input_names, ["mode = boost", "mode = eco"]);
    assert_eq!(prepared.data.y.as_slice(), [1.0, 2.0, 3.0, 4.0, 6.0]);
    assert_eq!(prepared.data.x.column(1).as_slice(), [1.0, 0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn cut_and_changed_files_give_an_error_or_values() {
    let whole = texts();
    let damaged = "t.parquet: this Parquet file is cut short or damaged; write it again";
    for length in 5..whole.len() {
        assert_eq!(refusal(whole[..length].to_vec(), Preparation::default()), damaged, "{length}");
    }
    let read = |bytes: Vec<u8>| -> Result<f64, DataError> {
        let source = Source::new(Table::parse("t.parquet", bytes)?, None, &[]);
        let settings = with("ignore", ["time", "list"]).with("categorical", ["mode"]).unwrap();
        let prepared = source.with_preparation(settings.with("missing", "drop").unwrap());
        Ok(prepared.prepare(TargetKind::Quantities)?.data.y.sum())
    };
    assert_eq!(read(whole.clone()).unwrap(), 16.0);
    let mut errors = 0;
    for place in 4..whole.len() {
        for change in [1, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[place] ^= change;
            errors += usize::from(read(bytes).is_err());
        }
    }
    assert!(errors > whole.len(), "{errors} of {}", 3 * whole.len());
}

#[test]
fn footers_that_claim_too_much_give_an_error() {
    let whole = texts();
    // The footer ends with its length and the magic bytes.
    let end = whole.len() - 8;
    let length = u32::from_le_bytes(whole[end..end + 4].try_into().unwrap()) as usize;
    // 2⁶⁰, as the compact protocol of Thrift writes a signed number.
    let huge = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20];
    let settings = || with("ignore", ["time", "list"]).with("categorical", ["mode"]).unwrap();
    let mut damaged = 0;
    for place in end - length..end {
        let mut bytes = [&whole[..place], &huge, &whole[place + 1..end]].concat();
        bytes.extend(((length + huge.len() - 1) as u32).to_le_bytes());
        bytes.extend(b"PAR1");
        let Ok(table) = Table::parse("t.parquet", bytes) else {
            damaged += 1;
            continue;
        };
        let source = Source::new(table, None, &[]).with_preparation(settings().with("missing", "drop").unwrap());
        let _ = source.prepare(TargetKind::Quantities);
    }
    assert!(2 * damaged > length, "{damaged} of {length}");
}

#[test]
fn ten_thousand_columns_are_read() {
    let columns: Vec<String> = (0..10_000).map(|column| format!("required double c{column};")).collect();
    let schema = Arc::new(parse_message_type(&format!("message rows {{ {} }}", columns.join(" "))).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    (0..10_000).for_each(|column| write::<DoubleType>(&mut group, &[value(column, 0), value(column, 1)], None));
    group.close().unwrap();
    let table = Table::parse("t.parquet", file.into_inner().unwrap()).unwrap();
    let data = Source::new(table, None, &[]).dataset(TargetKind::Quantities).unwrap();
    assert_eq!((data.inputs(), data.x[(1, 5_000)], data.y[0]), (9_999, value(5_000, 1), value(9_999, 0)));
}
