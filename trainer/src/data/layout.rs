//! The layout of a text: its separator, where its table starts, whether the first row names the columns, and the
//! names of columns without one.

use crate::data::value::{is_missing_word, looks_numeric};

/// The fewest columns whose numbers make a header. Two small numbers are often a row.
const FEWEST: usize = 3;

/// The first two rows of a table, and what the others say of them.
pub struct Start<'a> {
    pub first: &'a [String],
    /// The second row; empty if there is none.
    pub second: &'a [String],
    /// The columns that are empty in every row.
    pub blank: &'a [usize],
    /// Whether a text of the first row occurs again below it in the same column, as a label would.
    pub recurs: bool,
}

impl Start<'_> {
    /// Returns whether the first row names the columns.
    pub fn is_header(&self) -> bool {
        self.counts_columns() || (self.first.iter().any(|field| is_text(field)) && !self.is_data())
    }

    /// Returns whether the first row numbers the columns from 0 or 1, as tables without names are written: `0,1,2`, or
    /// `,0,1,2` after a column of an index. A second row that continues the numbers makes both rows data.
    pub fn counts_columns(&self) -> bool {
        let named = self.named();
        let unnamed = usize::from(named.first().is_some_and(|&column| self.first[column].is_empty()));
        let counted = &named[unnamed..];
        let is_number = |(number, &column): (usize, &usize)| self.first[column] == number.to_string();
        let counts = |from: usize| (from..).zip(counted).all(is_number);
        if counted.len() < FEWEST || self.second.is_empty() || !(counts(0) || (unnamed == 0 && counts(1))) {
            return false;
        }
        let step = |column: &usize| {
            let [first, second] = [self.first, self.second].map(|row| row.get(*column)?.parse::<i64>().ok());
            second?.checked_sub(first?)
        };
        let steps: Option<Vec<i64>> = counted.iter().map(step).collect();
        steps.is_none_or(|steps| steps.windows(2).any(|pair| pair[0] != pair[1]))
    }

    /// Returns whether a first row with text is one of the data. Such a row has numbers, too, and its texts are labels
    /// that recur, or stand above texts of the same shape with digits, as time stamps do.
    fn is_data(&self) -> bool {
        let named = self.named();
        let (numbers, others): (Vec<usize>, Vec<usize>) =
            named.into_iter().partition(|&column| looks_numeric(&self.first[column]));
        let has_digits = |field: &String| is_text(field) && field.contains(|c: char| c.is_ascii_digit());
        let is_alike = |field: &String, below: &String| {
            has_digits(field) && has_digits(below) && (field.starts_with(is_digit) || shape(field) == shape(below))
        };
        let is_stamp =
            |&column: &usize| self.second.get(column).is_some_and(|below| is_alike(&self.first[column], below));
        let is_value = |column: &usize| is_missing_word(&self.first[*column]) || is_stamp(column);
        !numbers.is_empty() && (self.recurs || others.iter().all(is_value))
    }

    /// Returns the columns that are not blank.
    fn named(&self) -> Vec<usize> {
        (0..self.first.len()).filter(|column| !self.blank.contains(column)).collect()
    }

    /// Returns a warning if a header has numbers among its names: the row may be data.
    pub fn remark(&self, path: &str, line: u64) -> Option<String> {
        if self.counts_columns() {
            return Some(format!(
                "{path}, line {line}: read as a header, since it numbers the columns; if the line holds data, add a \
                 line of names before it"
            ));
        }
        let number = self.first.iter().find(|field| looks_numeric(field))?;
        let text = self.first.iter().find(|field| is_text(field))?;
        Some(format!(
            "{path}, line {line}: read as a header, since {text:?} is not a number, although {number:?} is one; if the \
             line holds data, correct the field"
        ))
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Returns a field with one 0 in place of each number.
fn shape(field: &str) -> String {
    let mut shape = String::new();
    for c in field.chars() {
        match (c.is_ascii_digit(), shape.ends_with('0')) {
            (true, true) => {}
            (true, false) => shape.push('0'),
            (false, _) => shape.push(if c.is_alphabetic() { 'a' } else { c }),
        }
    }
    shape
}

/// Returns whether a field is neither a number nor a word for a missing value.
pub fn is_text(field: &str) -> bool {
    !field.is_empty() && !looks_numeric(field) && !is_missing_word(field)
}

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
        skipped += 1;
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

/// Returns the name of a column that has no name in its file; columns count from 1.
pub fn automatic_name(column: usize) -> String {
    format!("column {column}")
}

/// Returns the number in a name that a column without a name gets; none for other names.
pub fn automatic_number(name: &str) -> Option<usize> {
    name.strip_prefix("column ")?.parse().ok()
}

/// Returns the checksum of input names in a model file.
///
/// Automatic names have the checksum 0, which matches every file, since another file with the same columns may name
/// them.
pub fn inputs_hash(names: &[String]) -> u32 {
    if names.iter().all(|name| automatic_number(name).is_some()) {
        0
    } else {
        srfm_runtime::format::hash_names(names.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(row: &str) -> Vec<String> {
        row.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn a_first_row_names_the_columns_or_holds_data() {
        for (first, second, is_header) in [
            ("a,b", "1,2", true),
            ("2024-01-01 00:00,26.4,1043", "2024-01-01 00:10,26.5,1044", false),
            ("S-9,26.4,NA", "S-10,26.5,7", false),
            ("ID1,500,600,610", "S7,0.1,0.2,0.3", true),
            ("1,2", "2,4", false),
            ("0,1", "1,0", false),
            ("1,2,3", "-9223372036854775808,0,0", true),
            ("1,2", "-9223372036854775808,0", false),
            ("time,900,910", "2024-01-01,1,2", true),
            ("900,910,class", "1,2,x", true),
            ("x1,500,600", "7,1,2", true),
            ("time,y", "2024-01-01,5", true),
            ("0,1,2", "0.5,1.5,7", true),
            ("1,2,3", "4,1,7", true),
            (",0,1,2", "0,7,3,4", true),
            (",1,2,3", "0,7,3,4", false),
            ("1,2,3", "4,5,6", false),
            ("0,1", "1,2", false),
            ("0,1.0", "7,5", false),
            ("0,2", "7,5", false),
            ("0", "7", false),
            ("0,1", "", false),
        ] {
            let row = fields(first);
            let next = if second.is_empty() { Vec::new() } else { fields(second) };
            let start = Start { first: &row, second: &next, blank: &[], recurs: false };
            assert_eq!(start.is_header(), is_header, "{first}");
        }
    }

    #[test]
    fn blank_columns_and_labels_that_recur_are_taken_into_account() {
        let first = fields("0,1,2,");
        let second = fields("7,5,6,");
        assert!(Start { first: &first, second: &second, blank: &[3], recurs: false }.is_header());
        let first = fields("1.5,b");
        let second = fields("2.5,a");
        assert!(!Start { first: &first, second: &second, blank: &[], recurs: true }.is_header());
    }

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
