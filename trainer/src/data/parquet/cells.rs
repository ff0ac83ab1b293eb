//! The values of a column in a row group, as numbers or as text.

use std::fmt;
use std::ops::Range;

use parquet::basic::{LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{AsBytes, DataType};
use parquet::schema::types::ColumnDescriptor;

use crate::data::parquet::pages::Stated;

/// The number of values that are decoded at once.
const BATCH: usize = 8192;

/// The bytes that a batch of values that copy each other takes, if a page is not larger.
const COPIES: u64 = 64 << 20;

/// The bytes of all values of a column, and how many more for each byte of the file. Repeated values take next to none.
const BYTES: f64 = (256 << 20) as f64;
const BYTES_PER_BYTE: f64 = 4096.0;

/// What the values of a column may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The number of values that are decoded at once.
    batch: usize,
    /// The bytes of all values.
    bytes: usize,
    /// Whether a value may copy the value before it.
    copies: bool,
}

impl Limits {
    /// Returns the limits of a column in a row group with the given share of the rows, in a file of `length` bytes.
    pub fn new(stated: Stated, length: u64, share: f64) -> Limits {
        let few = (COPIES / stated.largest.max(1)).clamp(1, BATCH as u64) as usize;
        let bytes = (share * (BYTES + BYTES_PER_BYTE * length as f64)) as usize;
        Limits { batch: if stated.copies { few } else { BATCH }, bytes, copies: stated.copies }
    }
}

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Null.
    Missing,
    Number(f64),
    /// Text, and what is no number: dates, times and bytes.
    Text(String),
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Missing => Ok(()),
            Cell::Number(value) => write!(f, "{value}"),
            Cell::Text(text) => f.write_str(text),
        }
    }
}

/// Visits the values of a column in the given rows. The error is that of `visit`, or none if the bytes are damaged.
pub fn each_cell<E>(
    column: ColumnReader,
    kind: &ColumnDescriptor,
    limits: Limits,
    rows: Range<usize>,
    visit: impl FnMut(usize, Cell) -> Result<(), E>,
) -> Result<(), Option<E>> {
    let logical = kind.logical_type_ref();
    let decimal = decimal_units(kind);
    let most = kind.max_def_level();
    let rows = (rows, limits);
    match column {
        ColumnReader::BoolColumnReader(values) => {
            each(values, most, rows, visit, |&v| Cell::Number(f64::from(u8::from(v))))
        }
        ColumnReader::Int32ColumnReader(values) => each(values, most, rows, visit, |&v| int32(v, kind, decimal)),
        ColumnReader::Int64ColumnReader(values) => each(values, most, rows, visit, |&v| int64(v, kind, decimal)),
        ColumnReader::Int96ColumnReader(values) => each(values, most, rows, visit, |v| Cell::Text(julian(v.data()))),
        ColumnReader::FloatColumnReader(values) => each(values, most, rows, visit, |&v| Cell::Number(v.into())),
        ColumnReader::DoubleColumnReader(values) => each(values, most, rows, visit, |&v| Cell::Number(v)),
        ColumnReader::ByteArrayColumnReader(values) => each(values, most, rows, visit, |v| match decimal {
            Some(unit) => Cell::Number(big_endian(v.data()) / unit),
            None => Cell::Text(String::from_utf8_lossy(v.data()).into_owned()),
        }),
        ColumnReader::FixedLenByteArrayColumnReader(values) => {
            let half = logical == Some(&LogicalType::Float16);
            each(values, most, rows, visit, |v| match (v.data(), decimal) {
                (&[low, high], None) if half => Cell::Number(half_precision(u16::from_le_bytes([low, high]))),
                (bytes, Some(unit)) => Cell::Number(big_endian(bytes) / unit),
                (bytes, None) => Cell::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
            })
        }
    }
}

/// Visits the values of a column of one type, with their numbers from 0. Values that are missing have a definition
/// level below `most`.
fn each<T: DataType, E>(
    mut column: ColumnReaderImpl<T>,
    most: i16,
    (rows, limits): (Range<usize>, Limits),
    mut visit: impl FnMut(usize, Cell) -> Result<(), E>,
    cell: impl Fn(&T::T) -> Cell,
) -> Result<(), Option<E>> {
    let mut values = Vec::new();
    let mut levels = Vec::new();
    // To skip values that copy each other would take memory for all of them at once.
    let skipped = if limits.copies { 0 } else { rows.start };
    if column.skip_records(skipped).map_err(|_| None)? != skipped {
        return Err(None);
    }
    let mut row = skipped;
    let mut bytes = 0_usize;
    while row < rows.end {
        values.clear();
        levels.clear();
        let wanted = limits.batch.min(rows.end - row);
        let read = column.read_records(wanted, Some(&mut levels), None, &mut values);
        let (records, ..) = read.map_err(|_| None)?;
        if records == 0 {
            return Err(None);
        }
        bytes = values.iter().map(|value| value.as_bytes().len()).fold(bytes, usize::saturating_add);
        if bytes > limits.bytes {
            return Err(None);
        }
        let mut present = values.iter();
        for record in row..row + records {
            let is_there = most == 0 || levels.get(record - row) == Some(&most);
            let value = is_there.then(|| present.next().ok_or(None)).transpose()?;
            if record >= rows.start {
                visit(record - rows.start, value.map_or(Cell::Missing, &cell)).map_err(Some)?;
            }
        }
        row += records;
    }
    Ok(())
}

fn int32(value: i32, kind: &ColumnDescriptor, decimal: Option<f64>) -> Cell {
    match kind.logical_type_ref() {
        _ if decimal.is_some() => Cell::Number(f64::from(value) / decimal.unwrap_or(1.0)),
        Some(LogicalType::Date) => Cell::Text(day(value.into())),
        Some(LogicalType::Time(_)) => Cell::Text(time_of_day(value.into(), 1000)),
        Some(LogicalType::Integer(int)) if !int.is_signed => Cell::Number(f64::from(value as u32)),
        _ => Cell::Number(value.into()),
    }
}

fn int64(value: i64, kind: &ColumnDescriptor, decimal: Option<f64>) -> Cell {
    match kind.logical_type_ref() {
        _ if decimal.is_some() => Cell::Number(value as f64 / decimal.unwrap_or(1.0)),
        Some(LogicalType::Timestamp(stamp)) => Cell::Text(instant(value.into(), per_second(&stamp.unit))),
        Some(LogicalType::Time(time)) => Cell::Text(time_of_day(value.into(), per_second(&time.unit))),
        Some(LogicalType::Integer(int)) if !int.is_signed => Cell::Number(value as u64 as f64),
        _ => Cell::Number(value as f64),
    }
}

/// Returns the instant of a Julian day and of the nanoseconds in it, as older programs write it.
fn julian(words: &[u32]) -> String {
    const EPOCH: i128 = 2_440_588;
    let &[low, high, day] = words else { return String::new() };
    let nanoseconds = i128::from(low) | i128::from(high) << 32;
    instant((i128::from(day) - EPOCH) * 86_400 * 1_000_000_000 + nanoseconds, 1_000_000_000)
}

/// Returns the number of units in a second.
fn per_second(unit: &TimeUnit) -> i128 {
    match unit {
        TimeUnit::MILLIS => 1000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => 1_000_000_000,
    }
}

/// Returns how many units of the last digit are one, for decimals; none for other columns.
fn decimal_units(kind: &ColumnDescriptor) -> Option<f64> {
    let is_decimal = matches!(kind.logical_type_ref(), Some(LogicalType::Decimal(_)));
    is_decimal.then(|| 10_f64.powi(kind.type_scale()))
}

/// Returns a whole number in two's complement, most significant byte first.
fn big_endian(bytes: &[u8]) -> f64 {
    let sign = if bytes.first().is_some_and(|byte| byte & 0x80 != 0) { -1.0 } else { 0.0 };
    bytes.iter().fold(sign, |value, &byte| 256.0 * value + f64::from(byte))
}

/// Returns a number of 16 bits (IEEE 754 binary16).
fn half_precision(bits: u16) -> f64 {
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-14),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction) * 2_f64.powi(exponent - 15),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

const DAY: i128 = 86_400;

/// Returns the day that lies `days` days after 1970-01-01 in the Gregorian calendar.
pub fn day(days: i128) -> String {
    // Years begin in March here, so that the leap day is the last of a year; eras have 400 years.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day = shifted.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + 400 * era + i128::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Returns the time of a day in units of which a second has `per_second`, without the fraction of the second.
pub fn time_of_day(value: i128, per_second: i128) -> String {
    let seconds = value.div_euclid(per_second);
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Returns the day and the time, `value` units after the start of 1970, with the fraction of the second if it is not 0.
pub fn instant(value: i128, per_second: i128) -> String {
    let days = value.div_euclid(DAY * per_second);
    let rest = value.rem_euclid(DAY * per_second);
    let digits = per_second.ilog10() as usize;
    let fraction = match rest % per_second {
        0 => String::new(),
        fraction => format!(".{fraction:0digits$}"),
    };
    let fraction = fraction.trim_end_matches('0');
    format!("{} {}{fraction}", day(days), time_of_day(rest, per_second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_copy_each_other_are_decoded_by_64_mebibytes() {
        let of = |largest, copies| Limits::new(Stated { largest, copies }, 1 << 10, 0.5);
        let bytes = (128 << 20) + (2 << 20);
        assert_eq!(of(1 << 20, true), Limits { batch: 64, bytes, copies: true });
        assert_eq!(of(1 << 20, false), Limits { batch: 8192, bytes, copies: false });
        assert_eq!((of(1 << 30, true).batch, of(0, true).batch), (1, 8192));
    }

    #[test]
    fn numbers_of_few_bytes() {
        assert_eq!(
            [0x3c00, 0xc000, 0x3555, 0x0001, 0x7c00].map(half_precision),
            [1.0, -2.0, 0.333251953125, 2_f64.powi(-24), f64::INFINITY]
        );
        assert!(half_precision(0x7e00).is_nan());
        assert_eq!([&[0xff_u8, 0x85][..], &[0x01, 0x00], &[]].map(big_endian), [-123.0, 256.0, 0.0]);
    }

    #[test]
    fn days_around_leap_years() {
        let days = [
            (0, "1970-01-01"),
            (19_782, "2024-02-29"),
            (19_783, "2024-03-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
        ];
        for (count, text) in days {
            assert_eq!(day(count), text);
        }
        assert_eq!(instant(1_709_210_096_000, 1000), "2024-02-29 12:34:56");
        assert_eq!(instant(1_709_210_096_780, 1000), "2024-02-29 12:34:56.78");
        assert_eq!(instant(1_709_210_096, 1), "2024-02-29 12:34:56");
        assert_eq!(instant(-1, 1_000_000_000), "1969-12-31 23:59:59.999999999");
        assert!(!instant(i64::MAX.into(), 1).is_empty() && !instant(i64::MIN.into(), 1).is_empty());
    }
}
