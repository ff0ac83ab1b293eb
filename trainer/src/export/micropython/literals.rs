//! Numbers and texts as Python writes them.

/// Returns a text as a literal in ASCII.
pub(super) fn text(value: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        '\u{80}'..='\u{ffff}' => format!("\\u{:04x}", u32::from(c)),
        '\u{10000}'.. => format!("\\U{:08x}", u32::from(c)),
        _ => format!("\\x{:02x}", u32::from(c)),
    };
    format!("\"{}\"", value.chars().map(escaped).collect::<String>())
}

/// Returns a text in one line, for a comment.
pub(super) fn comment(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a number in single precision. The digits are those of the same number in double precision.
pub(super) fn float(value: f32) -> String {
    format!("{:?}", f64::from(value))
}

/// Returns the halves of a word in two's complement, the upper and the lower one: the word is their sum, with the upper
/// one times 65,536, modulo 2³². Products of each half with an input fit the 31 bits of MicroPython's small integers.
pub(super) fn halves(word: u32) -> [i16; 2] {
    let lower = word as i16;
    let upper = word.wrapping_sub(i32::from(lower).cast_unsigned()) >> 16;
    [upper as i16, lower]
}
