//! Whether the first row of a text names the columns.

use crate::data::value::{is_missing_word, looks_numeric};

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
        let steps = counted.iter().map(|&column| {
            Some(self.second.get(column)?.parse::<i64>().ok()? - self.first[column].parse::<i64>().ok()?)
        });
        let steps: Option<Vec<i64>> = steps.collect();
        let continues = steps.is_some_and(|steps| steps.windows(2).all(|pair| pair[0] == pair[1]));
        counted.len() > 1 && !self.second.is_empty() && !continues && (counts(0) || (unnamed == 0 && counts(1)))
    }

    /// Returns whether a first row with text is one of the data. Such a row has numbers, too, and its texts are labels
    /// that recur, or have digits above texts with digits, as time stamps do.
    fn is_data(&self) -> bool {
        let named = self.named();
        let (numbers, others): (Vec<usize>, Vec<usize>) =
            named.into_iter().partition(|&column| looks_numeric(&self.first[column]));
        let has_digits = |field: &String| is_text(field) && field.contains(|c: char| c.is_ascii_digit());
        let is_stamp =
            |&column: &usize| has_digits(&self.first[column]) && self.second.get(column).is_some_and(has_digits);
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

/// Returns whether a field is neither a number nor a word for a missing value.
pub fn is_text(field: &str) -> bool {
    !field.is_empty() && !looks_numeric(field) && !is_missing_word(field)
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
            ("S-1,26.4,NA", "S-2,26.5,7", false),
            ("time,900,910", "2024-01-01,1,2", true),
            ("900,910,class", "1,2,x", true),
            ("x1,500,600", "7,1,2", true),
            ("time,y", "2024-01-01,5", true),
            ("0,1,2", "0.5,1.5,7", true),
            ("1,2,3", "4,1,7", true),
            (",0,1", "0,7,3", true),
            (",1,2", "0,7,3", false),
            ("1,2,3", "4,5,6", false),
            ("0,1", "1,2", false),
            ("0,1.0", "7,5", false),
            ("0,2", "7,5", false),
            ("0", "7", false),
            ("0,1", "", false),
        ] {
            let (row, next) = (fields(first), if second.is_empty() { Vec::new() } else { fields(second) });
            let start = Start { first: &row, second: &next, blank: &[], recurs: false };
            assert_eq!(start.is_header(), is_header, "{first}");
        }
    }

    #[test]
    fn blank_columns_and_labels_that_recur_are_taken_into_account() {
        let (first, second) = (fields("0,1,"), fields("7,5,"));
        assert!(Start { first: &first, second: &second, blank: &[2], recurs: false }.is_header());
        let (first, second) = (fields("1.5,b"), fields("2.5,a"));
        assert!(!Start { first: &first, second: &second, blank: &[], recurs: true }.is_header());
    }
}
