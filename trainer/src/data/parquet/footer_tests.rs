//! Footers with fields of the types that they should not have.

use super::bounds_tests::{DAMAGED, DOUBLE, NONE, PLAIN, file, list, numbers, page, signed, structure, text};
use super::compact::{BINARY, INT32, INT64, LIST, STRUCT};
use super::parse;

#[test]
fn footers_with_fields_of_other_types_are_refused() {
    let read = |more: (u8, u8, Vec<u8>)| {
        let plain = 1.5_f64.to_le_bytes();
        let file = parse("t.parquet", file(1, DOUBLE, NONE, &page(8, 1, PLAIN, &plain), Some(more)));
        file.and_then(|file| numbers(&file)).map_err(|error| error.to_string())
    };
    let pair = structure(&[(1, BINARY, text("key")), (2, BINARY, text("value"))]);
    let sound = [
        (5, LIST, list(STRUCT, std::slice::from_ref(&pair))),
        (6, BINARY, text("srfm")),
        (7, LIST, list(STRUCT, &[structure(&[(1, STRUCT, structure(&[]))])])),
        // A field that the format does not have.
        (12, INT64, signed(7)),
    ];
    for more in sound {
        assert_eq!(read(more), Ok(vec![1.5]));
    }
    let other = [
        (5, INT64, signed(7)),
        (5, LIST, list(BINARY, &[text("key")])),
        (5, LIST, list(STRUCT, &[structure(&[(1, INT32, signed(3))])])),
        (6, INT32, signed(7)),
        (7, STRUCT, pair),
    ];
    for more in other {
        assert_eq!(read(more.clone()), Err(DAMAGED.to_owned()), "{more:?}");
    }
}
