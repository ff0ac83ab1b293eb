//! Finds the start of a table in a text and the separator of its fields.

/// Returns the number of blank and comment (`#`) lines before the table, and the bytes of the table.
pub fn leading(mut bytes: &[u8]) -> (u64, &[u8]) {
    let mut skipped = 0;
    while let Some(end) = bytes.iter().position(|&b| b == b'\n') {
        let line = bytes[..end].trim_ascii();
        if !line.is_empty() && line[0] != b'#' {
            break;
        }
        (skipped, bytes) = (skipped + 1, &bytes[end + 1..]);
    }
    (skipped, bytes)
}

/// Returns the field separator of a table.
///
/// The first candidate that divides the first two non-blank lines into the same number of fields, at least two, is the
/// separator. Without such a candidate, the first one that occurs in the first line is.
pub fn delimiter(bytes: &[u8]) -> u8 {
    const CANDIDATES: [u8; 5] = [b';', b'\t', b'|', b',', b' '];
    let mut lines = bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or(&[]);
    let second = lines.next().unwrap_or(first);
    let agree = |&c: &u8| fields(first, c) > 1 && fields(first, c) == fields(second, c);
    let occurs = |&c: &u8| fields(first, c) > 1;
    CANDIDATES.into_iter().find(agree).or(CANDIDATES.into_iter().find(occurs)).unwrap_or(b',')
}

/// Returns the number of fields in a line. Separators in quotes do not count, and several blanks in a row count once.
fn fields(line: &[u8], separator: u8) -> usize {
    let (mut quoted, mut count, mut before) = (false, 1, 0);
    for &byte in line {
        quoted ^= byte == b'"';
        let repeated = separator == b' ' && before == b' ';
        count += usize::from(byte == separator && !quoted && !repeated);
        before = byte;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_what_divides_both_lines_alike() {
        let cases: [(&str, u8); 9] = [
            ("a,b\n1,2\n", b','),
            ("p in hPa; max,t\n1,2\n", b','),
            ("\"a;b\",c\n1,2\n", b','),
            ("bridge counts,thermistor counts\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a   b\n1 2\n", b' '),
            ("1|2", b'|'),
            ("a;b\n1;2;3\n", b';'),
            ("y\n1\n", b','),
        ];
        for (text, expected) in cases {
            assert_eq!(delimiter(text.as_bytes()) as char, expected as char, "{text}");
        }
    }

    #[test]
    fn comments_before_the_table_are_skipped_and_counted() {
        assert_eq!(leading(b"# one\n\n#two\na,b\n#c\n"), (3, &b"a,b\n#c\n"[..]));
        assert_eq!(leading(b"a,b"), (0, &b"a,b"[..]));
    }
}
