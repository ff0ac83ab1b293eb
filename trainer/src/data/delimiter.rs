//! Finds the start of a table in a text and the separator of its fields.

/// The separators, in the order in which they are tried.
const CANDIDATES: [u8; 5] = [b';', b'\t', b'|', b',', b' '];

/// Returns the number of lines before the table, the separator that one of them names, and the bytes of the table.
///
/// These lines are blank, comments (`#`), or name the separator for a spreadsheet, as `sep=;` does.
pub fn leading(mut bytes: &[u8]) -> (u64, Option<u8>, &[u8]) {
    let mut skipped = 0;
    let mut separator = None;
    while let Some(end) = bytes.iter().position(is_end) {
        let line = &bytes[..end];
        match line.split_last() {
            Some((named, b"sep=" | b"SEP=")) if CANDIDATES.contains(named) => separator = Some(*named),
            _ if line.trim_ascii().first().is_some_and(|&byte| byte != b'#') => break,
            _ => {}
        }
        let width = if bytes[end..].starts_with(b"\r\n") { 2 } else { 1 };
        skipped = skipped + 1;
        bytes = &bytes[end + width..];
    }
    (skipped, separator, bytes)
}

/// Returns whether a byte ends a line.
fn is_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns the field separator of a table.
///
/// The first candidate that divides the first two non-blank lines into the same number of fields, at least two, is the
/// separator. Without such a candidate, the first one that occurs in the first line is.
pub fn delimiter(bytes: &[u8]) -> u8 {
    let mut lines = bytes.split(is_end).map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or(&[]);
    let second = lines.next().unwrap_or(first);
    let agree = |&c: &u8| fields(first, c) > 1 && fields(first, c) == fields(second, c);
    let occurs = |&c: &u8| fields(first, c) > 1;
    CANDIDATES.into_iter().find(agree).or(CANDIDATES.into_iter().find(occurs)).unwrap_or(b',')
}

/// Returns the number of fields in a line. Separators in quotes do not count, and several blanks in a row count once.
fn fields(line: &[u8], separator: u8) -> usize {
    let mut quoted = false;
    let mut count = 1;
    let mut before = 0;
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
        let cases: [(&str, u8); 10] = [
            ("a,b\n1,2\n", b','),
            ("p in hPa; max,t\n1,2\n", b','),
            ("\"a;b\",c\n1,2\n", b','),
            ("bridge counts,thermistor counts\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a b,c\r1,2\r", b','),
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
        for end in ["\n", "\r\n", "\r"] {
            let table = |text: &str| text.replace('\n', end).into_bytes();
            let text = table("# one\n\n#two\na,b\n#c\n");
            let rest = table("a,b\n#c\n");
            assert_eq!(leading(&text), (3, None, &rest[..]));
            let text = table("sep=;\na;b\n");
            let rest = table("a;b\n");
            assert_eq!(leading(&text), (1, Some(b';'), &rest[..]));
        }
        assert_eq!(leading(b"a,b"), (0, None, &b"a,b"[..]));
    }
}
