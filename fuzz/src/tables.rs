//! Readers of data files.

use std::cell::RefCell;
use std::io::{Seek, Write};

use srfm_trainer::Run;
use srfm_trainer::data::{Blocks, DataError, Preparation, Prepared, Source, Splitter, Table, TargetKind};
use tempfile::NamedTempFile;

use crate::guard::within_memory;

/// The largest table in numbers that is turned into data sets.
const MOST_NUMBERS: usize = 1 << 20;

/// Reads text. Bytes up to the first zero are settings as JSON, where there is a zero.
pub fn csv(bytes: &[u8]) {
    match bytes.iter().position(|&byte| byte == 0) {
        Some(end) if end > 0 => {
            let settings = serde_json::from_slice(&bytes[..end]).unwrap_or_default();
            read(bytes[end + 1..].to_vec(), settings);
        }
        _ => read(bytes.to_vec(), Preparation::default()),
    }
}

/// Reads an array of NumPy.
pub fn npy(bytes: &[u8]) {
    read([b"\x93NUMPY", bytes].concat(), Preparation::default());
}

/// Reads an IDX file.
pub fn idx(bytes: &[u8]) {
    read([&[0, 0], bytes].concat(), Preparation::default());
}

/// Reads a Parquet file.
pub fn parquet(bytes: &[u8]) {
    read([b"PAR1", bytes, b"PAR1"].concat(), Preparation::default());
}

/// Reads a table as inputs and targets of both kinds.
fn read(bytes: Vec<u8>, settings: Preparation) {
    within_memory(bytes.len(), || {
        let Ok(table) = Table::parse("file", bytes) else { return };
        let columns = table.rows().checked_mul(64);
        if columns.is_none_or(|numbers| numbers > MOST_NUMBERS) {
            return;
        }
        for kind in [TargetKind::Quantities, TargetKind::Classes] {
            let source = Source::new(table.clone(), None, &[]).with_preparation(settings.clone());
            let Ok(Prepared { mut data, mut description, .. }) = source.prepare(kind) else { continue };
            description.replace_missing(&mut data, None);
            assert!(data.rows() <= table.rows() && data.y.nrows() == data.rows(), "{} rows", data.rows());
            let again = source.with_description(Some(description)).like(&data);
            // Rows without a group are left out at first. They may have a class that no other row has.
            let lacks_class = matches!(again, Err(DataError::UnknownClass { .. }));
            let rest = if lacks_class { without_groups(&settings) } else { None };
            let is_allowed = rest.is_some_and(|rest| is_read_like_itself(&table, rest));
            assert!(again.is_ok() || is_allowed, "a file is read like itself, but {}", again.unwrap_err());
        }
    });
}

/// Returns settings by which rows without a group stay; none where the settings have no groups.
fn without_groups(settings: &Preparation) -> Option<Preparation> {
    let all = serde_json::to_value(settings).ok()?;
    let group = all["group"].as_str()?.to_owned();
    let mut ignore: Vec<String> = serde_json::from_value(all["ignore"].clone()).ok()?;
    ignore.push(group);
    settings.clone().with("group", None::<String>).ok()?.with("ignore", ignore).ok()
}

/// Returns whether a table with classes is read like itself.
fn is_read_like_itself(table: &Table, settings: Preparation) -> bool {
    let source = Source::new(table.clone(), None, &[]).with_preparation(settings);
    let Ok(Prepared { data, description, .. }) = source.prepare(TargetKind::Classes) else { return false };
    source.with_description(Some(description)).like(&data).is_ok()
}

/// Reads a file of any format in blocks: the same rows as at once.
pub fn blocks(bytes: &[u8]) {
    thread_local! {
        static FILE: RefCell<NamedTempFile> = RefCell::new(NamedTempFile::new().expect("a temporary file"));
    }
    FILE.with_borrow_mut(|file| {
        file.as_file().set_len(0).expect("the file can be cut");
        file.rewind().expect("the file has a start");
        file.write_all(bytes).expect("the file can be written");
        within_memory(bytes.len(), || in_blocks(file.path()));
    });
}

fn in_blocks(path: &std::path::Path) {
    let whole = Table::read(path).map(|table| table.rows());
    let Ok(mut blocks) = Blocks::open(path, &[], Preparation::default(), 1) else { return };
    assert_eq!(whole.ok(), Some(blocks.rows()), "rows at once and in blocks");
    let random = Splitter::named("random").expect("the name of a splitter");
    let drawn = blocks.draw(50, 0.2, random, &Run::new(1));
    if let Ok(Some((sample, test, _))) = drawn {
        assert!(sample.rows() <= 50 && test.rows() <= 50, "{} and {} rows", sample.rows(), test.rows());
    }
}
