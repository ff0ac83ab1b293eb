//! Checks of single values.

use crate::data::preparation::{Decimal, Missing, Preparation};

/// A field without a value.
pub const MISSING: &str =
    "is missing; add `missing` drop to leave out such rows, or `missing` mean to use the mean of the column";
/// A target without a value.
pub const MISSING_TARGET: &str =
    "is missing; add `missing` drop or `missing` mean, which leave out rows without target";
/// A NaN.
const NAN: &str = "is not finite; if it marks a missing value, add `missing` drop to leave out such rows, or `missing` \
                   mean to use the mean of the column";
/// An infinity.
const NOT_FINITE: &str = "is not finite; remove the row";
/// A text where a number is needed.
pub const NOT_A_NUMBER: &str = "is not a number; correct the cell or remove the row, or where more cells of the column \
                                are text, leave the column out with `ignore`";

/// A number with a decimal comma.
pub const DECIMAL_COMMA: &str =
    "is not a number; write decimals with a point instead of a comma, or set `decimal` to comma";

/// Words that stand for a missing value, beside the empty field and NaN: of any column, and of numbers alone, because
/// they may be names of classes, categories and groups.
const WORDS: [&str; 4] = ["NA", "null", "NULL", "?"];
const WORDS_OF_NUMBERS: [&str; 7] = ["N/A", "n/a", "#N/A", "<NA>", "None", "-", "--"];

/// Reads numbers and labels, and tells missing values from errors.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    missing: Missing,
    missing_values: &'a [f64],
    decimal: Decimal,
}

impl Fields<'_> {
    /// Creates the rules that the settings name.
    pub fn new(preparation: &Preparation) -> Fields<'_> {
        let Preparation { missing, missing_values, decimal, .. } = preparation;
        Fields { missing: *missing, missing_values, decimal: *decimal }
    }

    /// Returns the number in a field of a text file; NaN for a missing value.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the field and what to do.
    pub fn number(&self, field: &str) -> Result<f64, &'static str> {
        let parsed = match self.decimal {
            Decimal::Comma if field.contains(',') => {
                if field.contains('.') {
                    None
                } else {
                    field.replace(',', ".").parse().ok()
                }
            }
            Decimal::Comma if field.contains('.') => None,
            _ => field.parse().ok(),
        };
        match parsed {
            Some(value) => self.value(value),
            None if field.is_empty() || is_missing_word(field) => self.absent(MISSING),
            None => Err(not_a_number(field, self.decimal)),
        }
    }

    /// Returns the value, if the device can hold it in an `f32`; NaN for a missing value.
    ///
    /// # Errors
    /// As [`Fields::number`].
    pub fn value(&self, value: f64) -> Result<f64, &'static str> {
        if value.is_nan() {
            self.absent(NAN)
        } else if self.missing_values.contains(&value) {
            self.absent(MISSING)
        } else if !value.is_finite() {
            Err(NOT_FINITE)
        } else if !(value as f32).is_finite() {
            Err("is beyond the range of a 32-bit float (3.4e38); use a larger unit for this column")
        } else {
            Ok(value)
        }
    }

    /// Returns whether a label of a class, a category or a group stands for a missing value.
    ///
    /// # Errors
    /// As [`Fields::number`]. Words such as `NA` are labels if missing values are errors.
    pub fn is_missing(&self, label: &str) -> Result<bool, &'static str> {
        let word = WORDS.contains(&label) && self.missing != Missing::Error;
        match label.parse::<f64>() {
            _ if label.is_empty() || word => self.absent(MISSING).map(|_| true),
            Ok(value) if self.missing_values.contains(&value) => self.absent(MISSING).map(|_| true),
            Ok(value) if value.is_nan() => self.absent(NAN).map(|_| true),
            Ok(value) if !value.is_finite() => Err(NOT_FINITE),
            _ => Ok(false),
        }
    }

    fn absent(&self, problem: &'static str) -> Result<f64, &'static str> {
        if self.missing == Missing::Error { Err(problem) } else { Ok(f64::NAN) }
    }
}

/// Says why a field is not a number.
fn not_a_number(field: &str, decimal: Decimal) -> &'static str {
    let with_point = || field.replace(',', ".").parse::<f64>().is_ok();
    match decimal {
        Decimal::Point if with_point() => DECIMAL_COMMA,
        Decimal::Point if has_thousands(field) => "has separators of thousands; remove them",
        Decimal::Comma if field.parse::<f64>().is_ok() => {
            "has a point, but `decimal` comma expects numbers without points; write 1234,5 with a comma only"
        }
        Decimal::Comma if field.replace('.', "").replace(',', ".").parse::<f64>().is_ok() => {
            "has separators of thousands; write numbers without them, such as 1234,5"
        }
        _ => NOT_A_NUMBER,
    }
}

/// Returns whether a field looks like a number, with a decimal point, a decimal comma or separators of thousands.
pub fn looks_numeric(field: &str) -> bool {
    let has_comma = || field.replace(',', ".").parse::<f64>().is_ok() || has_thousands(field);
    field.parse::<f64>().is_ok() || (field.contains(',') && has_comma())
}

/// Returns whether commas may separate the thousands of a number, as in `1,043` and `1,234,567.5`.
pub fn has_thousands(field: &str) -> bool {
    let (whole, decimals) = field.split_once('.').unwrap_or((field, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = whole.trim_start_matches(['-', '+']).split(',');
    let first = groups.next().unwrap_or_default();
    let starts = (1..=3).contains(&first.len()) && digits(first) && !first.starts_with('0');
    starts && field.contains(',') && groups.all(|group| group.len() == 3 && digits(group)) && digits(decimals)
}

/// Returns whether a field is a word for a missing number.
pub fn is_missing_word(field: &str) -> bool {
    WORDS.contains(&field) || WORDS_OF_NUMBERS.contains(&field)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_numbers_gaps_or_errors() {
        let codes = [-200.0, 0.0];
        let rules = |missing, decimal| Fields { missing, missing_values: &codes, decimal };
        let point = rules(Missing::Drop, Decimal::Point);
        let comma = rules(Missing::Drop, Decimal::Comma);
        for (field, expected) in [("2.5", 2.5), ("-1e-3", -1e-3), ("+7", 7.0), ("-200.5", -200.5)] {
            assert_eq!(point.number(field), Ok(expected));
            assert_eq!(comma.number(&field.replace('.', ",")), Ok(expected));
        }
        let words = ["", "NA", "N/A", "n/a", "#N/A", "<NA>", "None", "NaN", "nan", "null", "?", "-", "--"];
        for gap in words.into_iter().chain(["-200", "-2e2", "0", "-0"]) {
            assert!(point.number(gap).unwrap().is_nan() && comma.number(gap).unwrap().is_nan(), "{gap}");
            let is_label = super::WORDS_OF_NUMBERS.contains(&gap);
            assert_eq!((point.is_missing(gap), comma.is_missing(gap)), (Ok(!is_label), Ok(!is_label)), "{gap}");
            assert!(rules(Missing::Error, Decimal::Point).number(gap).is_err(), "{gap}");
        }
        for (rules, field, part) in [
            (point, "2,5", "point instead of a comma"),
            (point, "-1,234,567", "has separators of thousands; remove them"),
            (point, "1,043.5", "has separators of thousands; remove them"),
            (comma, "2.5", "has a point"),
            (comma, "1.234,5", "thousands"),
            (point, "warm", "not a number"),
            (comma, "1,2,3", "not a number"),
            (point, "inf", "not finite"),
            (point, "1e39", "32-bit"),
        ] {
            assert!(rules.number(field).unwrap_err().contains(part), "{field}");
        }
        assert_eq!(rules(Missing::Error, Decimal::Point).is_missing("NA"), Ok(false), "a label like others");
        assert!(["1,043", "-12,000", "1,234,567.5"].into_iter().all(has_thousands));
        assert!(!["1043", "0,910", "1,04", "1234,567", "1,0430", "1,,043", "a,bcd", ""].into_iter().any(has_thousands));
    }
}
