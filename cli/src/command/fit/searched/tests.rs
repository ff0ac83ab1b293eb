//! Tests of the report of a search.

use super::*;

#[test]
fn another_number_format_is_named() {
    let said = |candidate: &str, number, other_number| {
        Chosen { candidate: candidate.to_owned(), number, flash_bytes: 96, other_number, smallest: false }.to_string()
    };
    assert!(said("linear", "f32", true).starts_with("chosen        linear, f32, 96 bytes: "));
    assert!(said("linear, int16", "int16", true).starts_with("chosen        linear, int16, 96 bytes: "));
    assert!(said("linear", "f32", false).starts_with("chosen        linear, 96 bytes: "));
}
