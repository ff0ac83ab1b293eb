//! Numbers as C writes them.

/// The licence of generated files: that of their templates.
pub const LICENCE: &str = "SPDX-License-Identifier: MIT OR Apache-2.0";

/// Returns a number in single precision. The digits are those of the same number in double precision: they give the
/// same bits, whether a compiler rounds them once or twice.
pub(super) fn float(value: f32) -> String {
    format!("{:?}f", f64::from(value))
}

/// Returns the number in single precision that the bits of a word stand for.
pub(super) fn float_of(word: u32) -> String {
    float(f32::from_bits(word))
}

/// Returns a word of 32 bits.
pub(super) fn word(bits: u32) -> String {
    format!("0x{bits:08x}u")
}

/// Returns a signed integer of 32 bits. A literal has no sign in C, so that the least one needs a difference.
pub(super) fn long(value: i32) -> String {
    if value == i32::MIN { format!("({} - 1)", i32::MIN + 1) } else { value.to_string() }
}

/// Returns a text as a string literal of its UTF-8 bytes.
pub(super) fn text(value: &str) -> String {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'?' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        other => format!("\\{other:03o}"),
    };
    format!("\"{}\"", value.bytes().map(escaped).collect::<String>())
}

/// Returns a text as part of a comment.
pub(super) fn comment(value: &str) -> String {
    value.replace("*/", "* /").replace("/*", "/ *").replace(['\n', '\r'], " ")
}
